//! Why nothing was undone.

use std::path::PathBuf;

use toolcrib_workspace::{CommitError, Error, Version};

use super::selection::UndoKind;
use crate::record::{RecordId, State};

/// Why nothing was undone. Nothing was touched.
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
    /// Nothing that can be undone or redone was selected.
    #[error("there is nothing to {}", match .0 { UndoKind::Undo => "undo", UndoKind::Redo => "redo" })]
    NothingSelected(UndoKind),
    /// None of the changes is about that file.
    #[error("none of these changes touched {}, or they were undone already", .0.display())]
    NoSuchFile(PathBuf),
    /// The change has no such hunk.
    #[error("change {0} has no hunk {1:?}")]
    NoSuchHunk(RecordId, String),
    /// The change has no such file.
    #[error("change {0} has no file number {1}")]
    NoFile(RecordId, usize),
    /// Another process has undone a part of it meanwhile.
    #[error("a part of these changes was undone by another process meanwhile")]
    Outrun,
    /// Hunks can be chosen in one change at a time.
    #[error("hunks can be chosen in one change at a time")]
    OneChangeOnly,
    /// An undo is undone or redone as a whole.
    #[error("{} can only be redone as a whole", .0.map_or_else(|| "an undo".to_owned(), |id| format!("change {id} is an undo, which")))]
    OnlyWhole(Option<RecordId>),
    /// These changes cannot be undone in one step.
    #[error("these changes cannot be undone in one step: {0}")]
    OneByOne(String),
    /// Everything is already as it would be.
    #[error("the files are already as they would be")]
    NothingToDo,
    /// The contents are not kept.
    #[error("change {id} cannot be undone: the old content of {} was not stored", path.display())]
    NotKept {
        /// The change.
        id: RecordId,
        /// The file.
        path: PathBuf,
    },
    /// Somebody has changed a file since, in the same lines. Both are kept: its text in the file, the other here.
    #[error("{}", .0.reason())]
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
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown(_) => Some("`toolcrib log` shows the changes that are kept".to_owned()),
            Self::NotDone(id, State::Undone(_)) => Some(format!("`toolcrib redo {id}` makes it again")),
            Self::NothingSelected(_) => {
                Some("`toolcrib log` shows the changes that are kept for this directory".to_owned())
            }
            Self::NoSuchHunk(id, _) => Some(format!("`toolcrib show {id}` numbers the hunks of the change")),
            Self::OneByOne(_) => Some("undo them one after the other, the newest first".to_owned()),
            Self::Conflict(conflict) => Some(conflict.hint()),
            Self::Failed(error) => error.error().hint().map(str::to_owned),
            _ => None,
        }
    }
}

/// A file that both an undo and somebody else would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The change that is not undone.
    pub id: RecordId,
    /// The file.
    pub path: PathBuf,
    /// Later changes of the journal that touched the same lines, the newest first. Without them, the change could be undone.
    pub later: Vec<RecordId>,
    /// What it holds now; none if nothing has its name.
    pub current: Option<Version>,
    /// What the change had left there.
    pub expected: Option<Version>,
    /// What undoing it would have restored; [`Journal::difference`](crate::Journal::difference) gives the content.
    pub before: Option<Version>,
    /// The three contents, where there are any.
    pub texts: Texts,
    /// The conflicts in other files.
    pub also: Vec<Conflict>,
}

/// The three contents of a conflict; none where there is no file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts {
    /// What the change had left.
    pub base: Option<Vec<u8>>,
    /// What the file holds now.
    pub ours: Option<Vec<u8>>,
    /// What the undo would have made of it.
    pub theirs: Option<Vec<u8>>,
}

impl Conflict {
    /// What is in the way, as a sentence without its full stop.
    pub fn reason(&self) -> String {
        let (path, id) = (self.path.display(), self.id);
        match &self.later[..] {
            [] if self.current.is_none() && self.expected.is_some() => {
                format!("{path} is not as change {id} left it: it was moved or deleted since")
            }
            [] if self.expected.is_none() => {
                format!("{path} was deleted by change {id}, and something has its name again")
            }
            [] => format!("{path} has changed since, in lines that change {id} touched"),
            later => format!("{path}: {} touched the same lines as change {id}", numbered(later)),
        }
    }

    /// What to do.
    pub fn hint(&self) -> String {
        let mut later = self.later.clone();
        later.sort_unstable();
        let listed: Vec<String> = later.iter().map(RecordId::to_string).collect();
        let numbers = listed.join(" ");
        match later.is_empty() {
            true => "look at both versions and edit the file; the journal keeps the other one".to_owned(),
            false => format!("undo {numbers} first, or `toolcrib undo {} {numbers}`", self.id),
        }
    }
}

fn numbered(ids: &[RecordId]) -> String {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    match &ids[..] {
        [only] => format!("change {only}"),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(RecordId::to_string).collect();
            format!("changes {} and {last}", first.join(", "))
        }
        [] => String::new(),
    }
}

fn why_not(state: &State) -> String {
    match state {
        State::UnderWay => "is still under way".to_owned(),
        State::Done | State::Unknown => "stands".to_owned(),
        State::Undone(by) => format!("was undone already, by change {by}"),
        State::RolledBack => "failed, and left nothing to undo".to_owned(),
    }
}
