//! The Python package: a wheel for every distribution since 2014, and the source.

use super::artefacts::{folder, remove, version};
use crate::job::{Failure, Outcome};
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{program, root, run};

/// The C library that the wheel asks for. `zig` links for it whichever library the machine has; pip then installs the wheel
/// on systems that have this one or a later one.
const COMPATIBILITY: &str = "manylinux2014";

/// Builds both.
pub(super) fn build() -> Outcome {
    let target = Metadata::load()?.target;
    let tools = packages::python("packaging/python/requirements.txt", &target.join("xtask/release/tools"))?;
    let folder = folder()?;
    remove(".whl")?;
    remove("-sdist.tar.gz")?;
    let build = [
        "-m",
        "maturin",
        "build",
        "--release",
        "--locked",
        "--quiet",
        "--zig",
        "--compatibility",
        COMPATIBILITY,
    ];
    let path = format!(
        "{}:{}",
        tools.parent().map(|bin| bin.display().to_string()).unwrap_or_default(),
        std::env::var("PATH").unwrap_or_default()
    );
    run(program(&tools).args(build).arg("--out").arg(&folder).env("PATH", &path).current_dir(root()))?;
    let wheel = super::artefacts::only(".whl")?;
    let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let expected = format!("toolcrib-{}-cp310-abi3-manylinux", version()?);
    if !name.starts_with(&expected) {
        return Err(Failure::Faults(format!("the wheel is {name}, not {expected}…")));
    }
    run(program(&tools).args(["-m", "twine", "check", "--strict"]).arg(&wheel))
}
