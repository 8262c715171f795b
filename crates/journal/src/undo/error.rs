//! Why a change was not undone.

use std::path::PathBuf;

use toolcrib_workspace::{CommitError, Error, Version};

use crate::record::{RecordId, State};

/// Why a change was not undone. Nothing was touched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UndoError {
    /// No such change, or not any more.
    #[error("there is no change {0} in the journal")]
    Unknown(RecordId),
    /// It does not stand, so there is nothing to undo.
    #[error("change {0} {reason}", reason = why_not(.1))]
    NotDone(RecordId, State),
    /// It was not undone, so there is nothing to redo.
    #[error("change {0} was not undone")]
    NotUndone(RecordId),
    /// The contents are not kept.
    #[error("change {id} cannot be undone: what {} held is not kept", path.display())]
    NotKept {
        /// The change.
        id: RecordId,
        /// The file.
        path: PathBuf,
    },
    /// Another program has changed a file since, in the same lines. Both are kept: its text in the file, the other here.
    #[error("{} has changed since, where the change to be undone did too", .0.path.display())]
    Conflict(Box<Conflict>),
    /// The journal could not be read, or the change could not be made.
    #[error(transparent)]
    Failed(#[from] CommitError),
}

impl From<Error> for UndoError {
    fn from(error: Error) -> Self {
        Self::Failed(error.into())
    }
}

impl UndoError {
    /// What to do next, if there is something to say.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Unknown(_) => Some("`toolcrib log` shows the changes that are kept"),
            Self::NotDone(_, State::Undone(_)) => Some("redo it to have it back"),
            Self::NotDone(..) | Self::NotUndone(_) | Self::NotKept { .. } => None,
            Self::Conflict(_) => {
                Some("look at both versions and edit the file; the journal keeps the other one")
            }
            Self::Failed(error) => error.error().hint(),
        }
    }
}

/// A file that both an undo and another program would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The file.
    pub path: PathBuf,
    /// What it holds now; none if nothing has its name.
    pub current: Option<Version>,
    /// What the change had left there.
    pub expected: Option<Version>,
    /// What undoing it would have restored; [`Journal::difference`](crate::Journal::difference) gives the content.
    pub before: Option<Version>,
}

fn why_not(state: &State) -> String {
    match state {
        State::UnderWay => "is still under way".to_owned(),
        State::Done | State::Unknown => "stands".to_owned(),
        State::Undone(by) => format!("was undone already, by change {by}"),
        State::RolledBack => "failed, and left nothing to undo".to_owned(),
    }
}
