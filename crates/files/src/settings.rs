//! What a user can decide about the operations, once for all calls.

use toolcrib_edit::Matching;

use crate::ReadLimits;

/// The user's choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// How much may be overlooked when looking for the place of an edit.
    pub matching: Matching,
    /// How much one reading gives.
    pub read: ReadLimits,
    /// Whether agents get a tool that takes changes back. A person can always do so.
    pub undo: bool,
}
