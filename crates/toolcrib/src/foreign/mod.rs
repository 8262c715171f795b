//! Changes that other programs make, recorded so that they are shown and undone like our own: a call of an agent's built-in
//! tool, of which its hook tells before and after, or all that a command does.
//!
//! Nothing here changes a file of the workspace, and nothing here knows how an agent's hook speaks.

mod call;
mod command;
mod moves;
mod tree;

pub use call::ForeignCall;
pub use command::{Bounds, ForeignCommand};

/// What was recorded of another program's changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignChange {
    /// The number of the change; none if nothing has changed.
    pub change: Option<u64>,
    /// How many files, directories and links it is about.
    pub files: usize,
    /// What is not in the record, and why.
    pub left_out: Vec<String>,
}
