//! Taking a change back, and taking that back again.
//!
//! An undo is a change like any other: proposed, conditional on what is there, made as a whole or not at all, recorded.
//! It touches only files that the change it takes back has written, and of those only what is still as that left it, or
//! differs in lines that it did not touch. It never runs another program.

mod error;
mod reverse;

use toolcrib_workspace::{Committed, Durability, WorkspacePath};

use crate::intent::Purpose;
use crate::journal::{Entry, Journal};
use crate::record::{Found, RecordId, State};
use crate::transact::Proposal;

pub use error::{Conflict, UndoError};
use reverse::Reverse;

/// A change that was taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The number of the change that took it back.
    pub id: RecordId,
    /// What was done.
    pub committed: Committed,
    /// Files that somebody has changed since, in other lines: their changes are kept.
    pub merged: Vec<WorkspacePath>,
}

impl Journal {
    /// Takes a change back: every file it touched is as it was before, to the byte and with its mode, owner and
    /// attributes.
    ///
    /// Where somebody has changed a file since, it is merged if both changes are in different lines; otherwise nothing is
    /// taken back.
    pub fn undo(&self, id: RecordId, durability: Durability, entry: &Entry<'_>) -> Result<Undone, UndoError> {
        let found = self.find(id)?.ok_or(UndoError::Unknown(id))?;
        match found.state {
            State::Done => self.take_back(&found, Purpose::Undo(id.0), durability, entry),
            state => Err(UndoError::NotDone(id, state)),
        }
    }

    /// Makes a change again that was undone.
    pub fn redo(&self, id: RecordId, durability: Durability, entry: &Entry<'_>) -> Result<Undone, UndoError> {
        let found = self.find(id)?.ok_or(UndoError::Unknown(id))?;
        let State::Undone(by) = found.state else { return Err(UndoError::NotUndone(id)) };
        let undo = self.find(by)?.ok_or(UndoError::Unknown(by))?;
        self.take_back(&undo, Purpose::Redo(by.0), durability, entry)
    }

    fn take_back(
        &self,
        found: &Found,
        purpose: Purpose,
        durability: Durability,
        entry: &Entry<'_>,
    ) -> Result<Undone, UndoError> {
        let mut reverse = Reverse::new(self, found)?;
        let paths = reverse.paths()?;
        let _held = self.lock(&reverse.workspace.lock_set(&paths)?, entry.stop)?;
        for file in found.intent.files.iter().rev() {
            reverse.add(file)?;
        }
        for made in found.intent.made() {
            let path = reverse.locate(&made)?;
            reverse.restoration.empty_directories.push(path);
        }
        let Reverse { workspace, changes, restoration, merged, .. } = reverse;
        let proposal = Proposal { workspace: &workspace, changes: &changes, restoration, purpose };
        let recorded = self.transact(proposal, durability, entry)?;
        Ok(Undone { id: recorded.id, committed: recorded.committed, merged })
    }
}
