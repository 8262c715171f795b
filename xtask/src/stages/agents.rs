//! The tests in tests/agents: real agents from npm, with a scripted model on the loopback interface.

use crate::job::Outcome;
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{run, toolcrib};
use crate::stages::python;

const TESTS: &str = "tests/agents/test_agents.py";

pub(crate) fn check() -> Outcome {
    let target = Metadata::load()?.target;
    let binary = toolcrib(&target)?;
    let modules = packages::node_modules("tests/agents/package.json", &target.join("xtask/agents"))?;
    let mut pytest = python::pytest(&target, &binary)?;
    run(pytest.args(["-s", "-rs", TESTS]).env("AGENTS_MODULES", modules))
}
