//! The frameworks in tests/agents/frameworks: their ordinary example code from PyPI and npm, over MCP.

use crate::job::Outcome;
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{run, toolcrib};
use crate::stages::python;

const FRAMEWORKS: &str = "tests/agents/frameworks";

pub(crate) fn check() -> Outcome {
    let target = Metadata::load()?.target;
    let binary = toolcrib(&target)?;
    let folder = target.join("xtask/frameworks");
    let agents = packages::node_modules("tests/agents/package.json", &target.join("xtask/agents"))?;
    let modules = packages::node_modules(&format!("{FRAMEWORKS}/package.json"), &folder.join("node"))?;
    // Some want one major version of the protocol's SDK, some the other.
    let older = packages::python(&format!("{FRAMEWORKS}/requirements-mcp1.txt"), &folder.join("mcp1"))?;
    let newer = packages::python(&format!("{FRAMEWORKS}/requirements-mcp2.txt"), &folder.join("mcp2"))?;
    let mut pytest = python::pytest(&target, &binary)?;
    pytest.env("AGENTS_MODULES", agents).env("FRAMEWORKS_MODULES", modules);
    pytest.env("FRAMEWORKS_MCP1", older).env("FRAMEWORKS_MCP2", newer);
    run(pytest.args(["-s", "-rs", "tests/agents/test_frameworks.py"]))
}
