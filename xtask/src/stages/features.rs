//! The scenarios of `features/`. The runner prints how many of each feature passed and fails unless all did.

use crate::job::Outcome;
use crate::shell::{cargo, run};

pub(crate) fn check() -> Outcome {
    run(&mut cargo(["test", "--package", "toolcrib", "--test", "features"]))
}
