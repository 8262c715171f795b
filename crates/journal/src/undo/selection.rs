//! What is to be undone, as a value.

use std::path::PathBuf;
use std::time::SystemTime;

use crate::record::RecordId;

/// Whether changes are undone or undos are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoKind {
    /// Changes are undone.
    Undo,
    /// Undos are: each as a whole, with everything that it had undone.
    Redo,
}

/// What is undone, or redone, as one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Which changes.
    pub which: Which,
    /// How much of them.
    pub only: Only,
}

/// Which changes are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// The latest, of this session if one is given.
    Latest(Option<String>),
    /// These. For a redo, changes that were undone, or their undos.
    Changes(Vec<RecordId>),
    /// All that this session made.
    Session(String),
    /// All that were made since then, by whomever.
    Since(SystemTime),
    /// None is undone: a file gets the content that it had before or after a change.
    Restore {
        /// The change.
        change: RecordId,
        /// The file: its place among those of the change.
        file: usize,
        /// Before or after it.
        side: Side,
    },
}

/// How much of the changes is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Only {
    /// All of them.
    Everything,
    /// One file, by its absolute path, under each name that it had.
    File(PathBuf),
    /// Some hunks of one change.
    Hunks(Vec<FileHunks>),
}

/// Some hunks of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileHunks {
    /// The file: its place among those of the change.
    pub file: usize,
    /// The hunks, as [`toolcrib_edit::Hunks`] calls them.
    pub hunks: Vec<String>,
}

/// The content before a change, or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Before.
    Before,
    /// After.
    After,
}

impl Selection {
    /// One change, all of it.
    #[must_use]
    pub fn of(id: RecordId) -> Self {
        Which::Changes(vec![id]).into()
    }
}

impl From<Which> for Selection {
    fn from(which: Which) -> Self {
        Self { which, only: Only::Everything }
    }
}
