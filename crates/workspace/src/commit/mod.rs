//! Carries out a [`ChangeSet`]: all of it, or none.
//!
//! 1. [`plan`]: where does each change go, and does every file hold what its change was based on? The answer is a list
//!    of [acts](Act) on names, a plain value that a journal can write down before anything happens.
//! 2. [`stage`]: each new content goes into a temporary file beside its place, with the mode, owner, attributes and
//!    access list of the file it stands for.
//! 3. [`run`]: the names change, each in one step that leaves the old file under the temporary name. There it is looked
//!    at again: if another program saved in between, what it saved goes back and the commit fails with
//!    [`Changed`](crate::ErrorKind::Changed).
//! 4. Only when every change is in place, and on the disk, are the old files removed. What another program writes to
//!    one of them even then is carried over, see [`late_writes`].
//!
//! A failure on the way rolls back what was done. A crash on the way leaves names that a journal knows how to repair,
//! see [`Plan::repair`]; a commit without a journal is whole or nothing for one file, and not after a crash for several.
//!
//! This module knows no tool and keeps no history. A commit is not stopped half way: a caller that wants to cancel one
//! asks before it begins to change names.

mod act;
mod ahead;
mod attributes;
pub(crate) mod change_set;
mod claim;
mod directories;
mod directory_changes;
mod exchange;
mod expected;
mod fault;
mod finding;
mod in_parallel;
mod late_writes;
pub(crate) mod lock;
mod plan;
mod planner;
mod repair;
mod roll_back;
mod run;
mod stage;
mod step;
mod temporary;
mod tree;

use std::fmt;

use crate::error::Error;
use crate::open::version::Version;
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

pub use act::{Act, NameRef};
pub use attributes::Attributes;
pub use change_set::{Base, Change, ChangeSet, Subject};
pub use lock::{Held, LockSet, Locks};
pub use plan::{Before, Plan, Planned, Restoration};
pub use repair::Direction;
pub use run::InPlace;
pub use temporary::{PREFIX as TEMPORARY_PREFIX, is_temporary};
pub use tree::{TreeEntry, TreeEntryKind};

/// What a commit waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// Contents and names are on the disk when the commit returns.
    #[default]
    Safe,
    /// Nothing. Each file is still replaced in one step, but after a power cut it may hold anything.
    Fast,
}

/// What was done, change by change in the order of the [`ChangeSet`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    changes: Vec<Outcome>,
}

impl Committed {
    /// One outcome for each change.
    pub fn changes(&self) -> &[Outcome] {
        &self.changes
    }

    pub(crate) fn new(changes: Vec<Outcome>) -> Self {
        Self { changes }
    }
}

/// What became of one file, directory or link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What it is.
    pub subject: Subject,
    /// The file, links resolved: of a move, under its new name.
    pub reached: WorkspacePath,
    /// Of a move, the old name, links resolved.
    pub from: Option<WorkspacePath>,
    /// What it held before; none if it was not there.
    pub before: Option<Version>,
    /// What it holds now; none if it was removed.
    pub after: Option<Version>,
    /// How many other names (hard links) the file had whose content was replaced. They keep it: this name has a file of its
    /// own now.
    pub other_names: u64,
}

/// Why nothing was changed.
#[derive(Debug)]
pub struct CommitError {
    error: Error,
    change: Option<usize>,
    left: Vec<WorkspacePath>,
    settled: bool,
}

impl CommitError {
    /// What went wrong.
    pub fn error(&self) -> &Error {
        &self.error
    }

    /// What went wrong, alone.
    pub fn into_error(self) -> Error {
        self.error
    }

    /// Which change it is about: an index into [`ChangeSet::changes`].
    pub fn change(&self) -> Option<usize> {
        self.change
    }

    /// Whether everything is as it was before. This is so unless rolling back failed too, or another program saved on
    /// top of a new content meanwhile, which must not be rolled back.
    pub fn nothing_changed(&self) -> bool {
        self.left.is_empty()
    }

    /// The files that could not be put back as they were.
    pub fn left(&self) -> &[WorkspacePath] {
        &self.left
    }

    /// Whether nothing is left to be repaired: everything was rolled back but what another program saved over.
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    pub(crate) fn about(change: usize) -> impl FnOnce(Error) -> Self {
        move |error| Self::new(error, Some(change), Vec::new())
    }

    pub(crate) fn unsettled(self) -> Self {
        Self { settled: false, ..self }
    }

    pub(crate) fn new(error: Error, change: Option<usize>, left: Vec<WorkspacePath>) -> Self {
        Self { error, change, left, settled: true }
    }
}

impl From<Error> for CommitError {
    fn from(error: Error) -> Self {
        Self::new(error, None, Vec::new())
    }
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        if self.left.is_empty() {
            return Ok(());
        }
        let left: Vec<_> = self.left.iter().map(WorkspacePath::show).collect();
        write!(f, "; not put back as it was: {}", left.join(", "))
    }
}

impl std::error::Error for CommitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl Workspace {
    /// Carries out all changes, or none.
    ///
    /// A link that stays inside is followed: its target changes and the link stays. A new file gets the directories
    /// above it. Of a file with several hard links only this name gets the new content, in a file of its own; the others
    /// keep the old one.
    ///
    /// Where the file system cannot exchange two names in one step (network and some user-space file systems), the old
    /// file is first moved aside and looked at, then the new one takes the name: nothing is lost there either, but for
    /// a moment nothing has the name.
    ///
    /// ```
    /// # use std::path::Path;
    /// use toolcrib_workspace::{ChangeSet, Durability, ErrorKind, Version, Workspace};
    /// # let root = tempfile::tempdir()?;
    /// # let root = root.path();
    /// # std::fs::write(root.join("old.txt"), "old")?;
    ///
    /// let workspace = Workspace::open(root)?;
    /// let path = |name: &str| workspace.path(Path::new(name), root);
    /// let mut changes = ChangeSet::default();
    /// changes.create(path("new/file.txt")?, "new");
    /// changes.update(path("old.txt")?, Version::of(b"old"), "other");
    /// let committed = workspace.commit(&changes, Durability::Safe)?;
    /// assert_eq!(committed.changes()[1].after, Some(Version::of(b"other")));
    ///
    /// // Once more: both files have changed since, so neither is touched.
    /// let error = workspace.commit(&changes, Durability::Safe).unwrap_err();
    /// assert_eq!(error.error().kind(), ErrorKind::AlreadyExists);
    /// assert!(error.nothing_changed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn commit(&self, changes: &ChangeSet, durability: Durability) -> Result<Committed, CommitError> {
        Ok(self.plan(changes)?.carry_out(durability)?.finish())
    }
}
