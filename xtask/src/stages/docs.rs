//! The documentation, with warnings (a broken link, say) as errors.

use crate::job::Outcome;
use crate::shell::{cargo, run};

pub(crate) fn check() -> Outcome {
    // Goes on after a crate that fails, so that one run shows the faults of all crates.
    run(cargo(["doc", "--workspace", "--no-deps", "--keep-going"]).env("RUSTDOCFLAGS", "-D warnings"))
}
