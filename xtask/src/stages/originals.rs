//! The tests in tests/originals: dialects beside the programs whose tools they speak.

use std::path::{Path, PathBuf};

use crate::job::{Failure, Outcome};
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{program, run, toolcrib};

const TESTS: &str = "tests/originals";

/// The interpreter that has the packages from PyPI, and the folder of those from npm.
pub(crate) fn packages(target: &Path) -> Result<(PathBuf, PathBuf), Failure> {
    let folder = target.join("xtask/originals");
    let modules = packages::node_modules(&format!("{TESTS}/package.json"), &folder.join("node"))?;
    Ok((packages::python(&format!("{TESTS}/requirements.txt"), &folder.join("python"))?, modules))
}

pub(crate) fn check() -> Outcome {
    let target = Metadata::load()?.target;
    let binary = toolcrib(&target)?;
    let (python, modules) = packages(&target)?;
    // Each test prints what it compared.
    let pytest = ["-m", "pytest", "-q", "-s", TESTS];
    run(program(python).args(pytest).env("TOOLCRIB_BIN", binary).env("ORIGINALS_MODULES", modules))
}
