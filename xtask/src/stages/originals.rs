//! The tests in tests/originals: dialects beside the programs whose tools they speak.

use crate::job::Outcome;
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{run, toolcrib};
use crate::stages::python;

const TESTS: &str = "tests/originals";

pub(crate) fn check() -> Outcome {
    let target = Metadata::load()?.target;
    let binary = toolcrib(&target)?;
    let modules = packages::node_modules(&format!("{TESTS}/package.json"), &target.join("xtask/originals"))?;
    let mut pytest = python::pytest(&target, &binary)?;
    run(pytest.env("ORIGINALS_MODULES", modules).arg(TESTS))
}
