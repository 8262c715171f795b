//! The tests in tests/python: the built program under real clients, as agents use it.

use crate::job::{Failure, Outcome};
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{program, root, run, toolcrib};

const TESTS: &str = "tests/python";

pub(crate) fn check() -> Outcome {
    if !root().join(TESTS).is_dir() {
        return Err(Failure::CouldNotRun(format!("the folder {TESTS} does not exist")));
    }
    let target = Metadata::load()?.target;
    let python = packages::python("tests/python/requirements.txt", &target.join("xtask/venv"))?;
    let binary = toolcrib(&target)?;
    run(program(python).args(["-m", "pytest", TESTS, "-q"]).env("TOOLCRIB_BIN", binary))
}
