//! What a user can decide about the operations, once for all calls.

use toolcrib_edit::Matching;

use crate::{MAX_GROWTH, ReadLimits};

/// The user's choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How much may be overlooked when looking for the place of an edit.
    pub matching: Matching,
    /// How much one reading gives.
    pub read: ReadLimits,
    /// Whether agents get the Undo tool. A person can always undo.
    pub undo: bool,
    /// Whether agents get the tools that do what others can do too: `stat`, `insert`, `delete`, `move` and the like.
    pub more_tools: bool,
    /// Whether answers show the whole diff of a change, for a person to read. An agent knows most of what it has changed.
    pub whole_diffs: bool,
    /// How many bytes one call may add to files, beyond what the request itself contains.
    pub max_growth: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            matching: Matching::default(),
            read: ReadLimits::default(),
            undo: false,
            more_tools: false,
            whole_diffs: false,
            max_growth: MAX_GROWTH,
        }
    }
}
