//! Lints, as the top Cargo.toml and clippy.toml say, with warnings as errors.

use crate::job::Outcome;
use crate::shell::{cargo, need_component, run};

pub(crate) fn check() -> Outcome {
    need_component("clippy", "clippy")?;
    // Goes on after a crate that fails, so that one run shows the faults of all crates.
    run(&mut cargo(["clippy", "--workspace", "--all-targets", "--keep-going", "--", "-D", "warnings"]))
}
