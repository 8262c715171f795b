//! Undoing a change, and redoing it.
//!
//! An undo is a change like any other: proposed, conditional on what is there, made as a whole or not at all, recorded.
//! It touches only files that the change it undoes has written, and of those only what is still as that left it, or
//! differs in lines that it did not touch. It never runs another program.

mod error;
mod reverse;

use toolcrib_workspace::{ChangeSet, Committed, Durability, Held, Restoration, Workspace, WorkspacePath};

use crate::intent::Purpose;
use crate::journal::{Entry, Journal, Recorded};
use crate::record::{Found, RecordId, State};
use crate::transact::Proposal;

pub use error::{Conflict, UndoError};
use reverse::Reverse;

/// A change that was undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The number of the change that undid it.
    pub id: RecordId,
    /// What was done.
    pub committed: Committed,
    /// Files that another program has changed since, in other lines: its changes are kept.
    pub merged: Vec<WorkspacePath>,
}

/// What undoing or redoing a change would do, worked out from what is there now. A value: nothing is changed yet, and what
/// is [committed](Journal::commit_reversal) is this and nothing else.
#[derive(Debug)]
pub struct Reversal {
    /// The change that is undone or redone.
    pub id: RecordId,
    /// The workspace of the change, where its roots are by now.
    pub workspace: Workspace,
    /// The changes that lead back.
    pub changes: ChangeSet,
    /// Files that were changed since, in other lines: those changes are kept.
    pub merged: Vec<WorkspacePath>,
    kind: UndoKind,
    restoration: Restoration,
}

/// Whether a change is undone or redone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoKind {
    /// A change is undone.
    Undo,
    /// An undo is.
    Redo,
}

impl Journal {
    /// Undoes a change: every file it touched is as it was before, to the byte and with its mode, owner and
    /// attributes.
    ///
    /// Where another program has changed a file since, it is merged if both changes are in different lines; otherwise
    /// nothing is undone.
    pub fn undo(&self, id: RecordId, durability: Durability, entry: &Entry<'_>) -> Result<Undone, UndoError> {
        self.reverse(UndoKind::Undo, id, durability, entry)
    }

    /// Redoes a change that was undone.
    pub fn redo(&self, id: RecordId, durability: Durability, entry: &Entry<'_>) -> Result<Undone, UndoError> {
        self.reverse(UndoKind::Redo, id, durability, entry)
    }

    /// [Undoes](Journal::undo) or [redoes](Journal::redo) a change.
    pub fn reverse(
        &self,
        kind: UndoKind,
        id: RecordId,
        durability: Durability,
        entry: &Entry<'_>,
    ) -> Result<Undone, UndoError> {
        let (found, _) = self.found_for(kind, id)?;
        let reverse = Reverse::new(self, &found)?;
        let held = self.lock(&reverse.workspace.lock_set(&reverse.paths()?)?, entry.stop)?;
        let reversal = self.reversal(kind, id)?;
        let recorded = self.commit_reversal(&held, &reversal, durability, entry)?;
        Ok(Undone { id: recorded.id, committed: recorded.committed, merged: reversal.merged })
    }

    /// What undoing or redoing a change would do now.
    pub fn reversal(&self, kind: UndoKind, id: RecordId) -> Result<Reversal, UndoError> {
        let (found, _) = self.found_for(kind, id)?;
        let mut reverse = Reverse::new(self, &found)?;
        reverse.add_all()?;
        let Reverse { workspace, changes, restoration, merged, .. } = reverse;
        Ok(Reversal { id, workspace, changes, merged, kind, restoration })
    }

    /// Makes the changes of a reversal, if every file is still what it was worked out from. The caller
    /// [holds the locks](Journal::lock) of its files.
    pub fn commit_reversal(
        &self,
        _held: &Held<'_>,
        reversal: &Reversal,
        durability: Durability,
        entry: &Entry<'_>,
    ) -> Result<Recorded, UndoError> {
        // Another process may have undone it meanwhile.
        let (_, purpose) = self.found_for(reversal.kind, reversal.id)?;
        let Reversal { workspace, changes, restoration, .. } = reversal;
        let proposal = Proposal { workspace, changes, restoration: restoration.clone(), purpose };
        Ok(self.transact(proposal, durability, entry)?)
    }

    /// The change that is undone: the one that is meant, or the one that undid it.
    fn found_for(&self, kind: UndoKind, id: RecordId) -> Result<(Found, Purpose), UndoError> {
        let found = self.find(id)?.ok_or(UndoError::Unknown(id))?;
        match (kind, found.state) {
            (UndoKind::Undo, State::Done | State::Unknown) => Ok((found, Purpose::Undo(id.0))),
            (UndoKind::Undo, state) => Err(UndoError::NotDone(id, state)),
            (UndoKind::Redo, State::Undone(by)) => {
                Ok((self.find(by)?.ok_or(UndoError::Unknown(by))?, Purpose::Redo(by.0)))
            }
            (UndoKind::Redo, _) => Err(UndoError::NotUndone(id)),
        }
    }
}
