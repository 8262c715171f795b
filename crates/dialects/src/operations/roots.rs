//! The directories that can be reached.

use toolcrib_access::Proposed;
use toolcrib_files::Refused;
use toolcrib_tool::Effect;

use super::{Caller, Operation};
use crate::facts::{Facts, facts};

/// Names the roots of the workspace.
pub struct Roots;

parameters! {
    /// Nothing.
    pub struct RootsInput;
}

/// The roots, from the top of the file system.
pub struct RootsOutcome(pub Vec<String>);

impl Operation for Roots {
    type Input = RootsInput;
    type Outcome = RootsOutcome;
    const NAME: &'static str = "roots";
    const TITLE: &'static str = "List Allowed Directories";
    const EFFECT: Effect = Effect::Reads;

    fn run(_: RootsInput, caller: &Caller<'_>) -> Result<Proposed<RootsOutcome>, Refused> {
        Ok(RootsOutcome(caller.sandbox.roots()).into())
    }

    fn facts() -> Facts<RootsOutcome> {
        facts! { RootsOutcome, |it, words|
            "roots": "The directories" => it.0.clone();
        }
    }
}
