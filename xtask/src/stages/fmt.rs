//! Formatting, as rustfmt.toml says. `cargo fmt --all` repairs it.

use crate::job::Outcome;
use crate::shell::{cargo, need_component, run};

pub(crate) fn check() -> Outcome {
    need_component("fmt", "rustfmt")?;
    run(&mut cargo(["fmt", "--all", "--check"]))
}
