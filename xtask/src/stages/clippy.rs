//! Lints, as the top Cargo.toml and clippy.toml say, with warnings as errors.

use crate::job::{Outcome, all_of};
use crate::shell::{cargo, need_component, run};

pub(crate) fn check() -> Outcome {
    need_component("clippy", "clippy")?;
    // Goes on after a crate that fails, so that one run shows the faults of all crates.
    let everything = ["clippy", "--workspace", "--all-targets", "--keep-going", "--", "-D", "warnings"];
    // The whole workspace always has the decoders of images and PDF, so what is built without them is checked apart.
    let without_formats =
        ["clippy", "--package", "toolcrib", "--no-default-features", "--", "-D", "warnings"];
    all_of([run(&mut cargo(everything)), run(&mut cargo(without_formats))])
}
