//! The tests in tests/agents: real agents from npm, with a scripted model on the loopback interface, and opencode with our plugin.

use crate::job::Outcome;
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{run, toolcrib};
use crate::stages::python;

const TESTS: [&str; 3] =
    ["tests/agents/test_agents.py", "tests/agents/test_opencode_plugin.py", "tests/agents/test_recording.py"];

pub(crate) fn check() -> Outcome {
    let target = Metadata::load()?.target;
    let binary = toolcrib(&target)?;
    let modules = packages::node_modules("tests/agents/package.json", &target.join("xtask/agents"))?;
    let plugin = packages::node_modules("bindings/opencode/package.json", &target.join("xtask/opencode"))?;
    let mut pytest = python::pytest(&target, &binary)?;
    pytest.env("AGENTS_MODULES", modules).env("OPENCODE_PLUGIN_MODULES", plugin);
    run(pytest.args(["-s", "-rs"]).args(TESTS))
}
