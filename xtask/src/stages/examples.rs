//! The examples: all must build, and those of the facade must run to a good end.

use crate::job::{Failure, Outcome, all_of};
use crate::metadata::Metadata;
use crate::shell::{cargo, program, run};

/// The package whose examples a newcomer tries first.
const FACADE: &str = "toolcrib";

pub(crate) fn check() -> Outcome {
    run(&mut cargo(["build", "--workspace", "--examples"]))?;
    let metadata = Metadata::load()?;
    let facade = metadata.packages.iter().find(|package| package.ours && package.name == FACADE);
    let names = facade.map(|package| &package.examples).filter(|names| !names.is_empty());
    let names = names.ok_or_else(|| Failure::CouldNotRun(format!("package `{FACADE}` has no example")))?;
    // Started directly: `cargo run -p` would choose other features and build half of the tree again.
    let built = metadata.target.join("debug/examples");
    all_of(names.iter().map(|name| run(&mut program(built.join(name)))))
}
