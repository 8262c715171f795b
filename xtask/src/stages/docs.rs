//! The documentation, with warnings (a broken link, say) as errors.

use crate::job::Outcome;
use crate::shell::{cargo, run};

pub(crate) fn check() -> Outcome {
    run(cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
}
