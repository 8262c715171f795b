//! The documentation: rustdoc builds without a warning (a broken link, say), and the Markdown files name what exists.

mod glossary;
pub(super) mod markdown;
mod references;

use crate::job::{Outcome, all_of};
use crate::shell::{cargo, run};

pub(crate) fn check() -> Outcome {
    all_of([references::check(), glossary::check(), rustdoc()])
}

fn rustdoc() -> Outcome {
    // Goes on after a crate that fails, so that one run shows the faults of all crates.
    run(cargo(["doc", "--workspace", "--no-deps", "--keep-going"]).env("RUSTDOCFLAGS", "-D warnings"))
}
