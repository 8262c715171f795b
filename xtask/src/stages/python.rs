//! The tests in tests/python: the built program under real clients, as agents use it.

use std::path::Path;
use std::process::Command;

use crate::job::{Failure, Outcome};
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{program, root, run, toolcrib};

const TESTS: &str = "tests/python";

pub(crate) fn check() -> Outcome {
    let target = Metadata::load()?.target;
    run(pytest(&target, &toolcrib(&target)?)?.arg(TESTS))
}

/// The runner of these tests on a built program, with all that it needs installed.
pub(crate) fn pytest(target: &Path, binary: &Path) -> Result<Command, Failure> {
    if !root().join(TESTS).is_dir() {
        return Err(Failure::CouldNotRun(format!("the folder {TESTS} does not exist")));
    }
    let python = packages::python("tests/python/requirements.txt", &target.join("xtask/venv"))?;
    let mut command = program(python);
    command.args(["-m", "pytest", "-q"]).env("TOOLCRIB_BIN", binary);
    Ok(command)
}
