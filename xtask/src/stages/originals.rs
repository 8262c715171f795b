//! The tests in tests/originals: dialects beside the programs whose tools they speak.

use crate::job::Outcome;
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{program, run, toolcrib};

const TESTS: &str = "tests/originals";

pub(crate) fn check() -> Outcome {
    let target = Metadata::load()?.target;
    let binary = toolcrib(&target)?;
    let folder = target.join("xtask/originals");
    let modules = packages::node_modules(&format!("{TESTS}/package.json"), &folder.join("node"))?;
    let python = packages::python(&format!("{TESTS}/requirements.txt"), &folder.join("python"))?;
    // Each test prints what it compared.
    let pytest = ["-m", "pytest", "-q", "-s", TESTS];
    run(program(python).args(pytest).env("TOOLCRIB_BIN", binary).env("ORIGINALS_MODULES", modules))
}
