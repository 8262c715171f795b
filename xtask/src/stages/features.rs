//! The scenarios of `features/`. The runner prints how many of each feature passed and fails unless all did.

use crate::job::Outcome;
use crate::shell::{cargo, run};

pub(crate) fn check() -> Outcome {
    // With the whole workspace, for its features: what the other tests were built with is used again.
    run(&mut cargo(["test", "--workspace", "--test", "features"]))
}
