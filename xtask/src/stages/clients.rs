//! The tests in tests/clients: clients of other ecosystems, which want packages of their own.

use std::fs;

use crate::job::{Failure, Outcome, all_of};
use crate::metadata::Metadata;
use crate::packages;
use crate::shell::{program, root, run, toolcrib};

const TESTS: &str = "tests/clients";

pub(crate) fn check() -> Outcome {
    let target = Metadata::load()?.target;
    let binary = toolcrib(&target)?;
    let folder = target.join("xtask/clients");
    packages::node_modules("tests/clients/package.json", &folder)?;
    // Packages are looked for from where a script lies.
    for name in ["workspace.mjs", "sdk.test.mjs", "mastra.test.mjs"] {
        fs::copy(root().join(TESTS).join(name), folder.join(name))
            .map_err(|error| Failure::CouldNotRun(format!("{name}: {error}")))?;
    }
    let python = packages::python("tests/clients/requirements.txt", &target.join("xtask/adapters"))?;
    let node = ["--test", "--test-reporter=spec", "sdk.test.mjs", "mastra.test.mjs"];
    all_of([
        run(program("node").args(node).current_dir(&folder).env("TOOLCRIB_BIN", &binary)),
        run(program(python).args(["-m", "pytest", TESTS, "-q"]).env("TOOLCRIB_BIN", &binary)),
    ])
}
