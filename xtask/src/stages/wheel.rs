//! The Python package: its wheel in a fresh environment, and the tests in bindings/python/tests there.

use std::path::{Path, PathBuf};

use crate::job::{Failure, Outcome, all_of};
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{program, root, run, toolcrib};

const TESTS: &str = "bindings/python/tests";
/// What the type checkers read: the package, and how it looks from outside.
const TYPED: [&str; 3] =
    ["bindings/python/python/toolcrib", "bindings/python/tests/typed_use.py", "examples/own_tool.py"];

pub(crate) fn check() -> Outcome {
    let folder = Metadata::load()?.target.join("xtask/wheel");
    // What the tests need is installed once; the package itself goes into an environment that has nothing else in it.
    let tools = packages::python("bindings/python/tests/requirements.txt", &folder.join("tools"))?;
    let wheel = build(&tools, &folder.join("dist"), &[])?;
    let python = packages::fresh_python(&tools, &wheel, &folder.join("fresh"))?;
    // The frameworks are extras: without them, everything else is there.
    let alone = "import toolcrib; toolcrib.Toolbox('.', journal=False).call('LS', check=True)";
    run(program(&python).args(["-c", alone]))?;
    packages::lend(&tools, &folder.join("fresh"))?;
    let binary = toolcrib(&Metadata::load()?.target)?;
    all_of([
        run(program(&python).args(["-m", "pytest", TESTS, "-q"]).env("TOOLCRIB_BINARY", binary)),
        run(program(&tools).args(["-m", "mypy", "--python-executable"]).arg(&python).args(TYPED)),
        run(program(&tools).args(["-m", "pyright", "--pythonpath"]).arg(&python).args(TYPED)),
    ])
}

/// Builds the wheel, and gives its path.
pub(crate) fn build(tools: &Path, folder: &Path, more: &[&str]) -> Result<PathBuf, Failure> {
    let unreadable = |error| Failure::CouldNotRun(format!("{}: {error}", folder.display()));
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(unreadable)?;
    }
    let build = ["-m", "maturin", "build", "--locked", "--quiet", "--out"];
    run(program(tools).args(build).arg(folder).args(more).current_dir(root()))?;
    let mut wheels =
        std::fs::read_dir(folder).map_err(unreadable)?.filter_map(|entry| Some(entry.ok()?.path()));
    let wheel = wheels.find(|path| path.extension().is_some_and(|extension| extension == "whl"));
    wheel.ok_or_else(|| Failure::CouldNotRun(format!("maturin has put no wheel into {}", folder.display())))
}
