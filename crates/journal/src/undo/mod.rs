//! Undoing changes, and redoing them.
//!
//! An undo is a change like any other: proposed, conditional on what is there, made as a whole or not at all, recorded.
//! It touches only files that the changes it undoes have written, and of those only what is still as these left it, or
//! differs in lines that they did not touch. It never runs another program.
//!
//! [`selection`] says what is meant, [`choose`] finds the records, [`reverse`] goes back over them on a [`scene`], and
//! what that differs in from the disk is the [`Reversal`].

mod choose;
mod error;
mod later;
mod restore;
mod reverse;
mod scene;
mod selection;

use toolcrib_workspace::{ChangeSet, Committed, Durability, Held, Restoration, Workspace, WorkspacePath};

use crate::intent::Purpose;
use crate::journal::{Entry, Journal, Recorded};
use crate::record::RecordId;
use crate::transact::Proposal;

use choose::{Choice, Picked};
pub use error::{Conflict, Texts, UndoError};
use reverse::Reverse;
pub use selection::{FileHunks, Only, Selection, Side, UndoKind, Which};

/// Changes that were undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The number of the change that undid them.
    pub id: RecordId,
    /// What was done.
    pub committed: Committed,
    /// Files that somebody has changed since, in other lines: those changes are kept.
    pub merged: Vec<WorkspacePath>,
}

/// What undoing or redoing a selection would do, worked out from what is there now. A value: nothing is changed yet, and what
/// is [committed](Journal::commit_reversal) is this and nothing else.
#[derive(Debug)]
pub struct Reversal {
    /// The changes that are undone or redone, the newest first.
    pub ids: Vec<RecordId>,
    /// The workspace of the changes, where its roots are by now.
    pub workspace: Workspace,
    /// The changes that lead back.
    pub changes: ChangeSet,
    /// Files that were changed since, in other lines: those changes are kept.
    pub merged: Vec<WorkspacePath>,
    /// The records that are reverted; none if a file is restored.
    picked: Option<Picked>,
    purpose: Purpose,
    restoration: Restoration,
}

impl Journal {
    /// Undoes a change: every file it touched is as it was before, to the byte and with its mode, owner and
    /// attributes.
    ///
    /// Where somebody has changed a file since, it is merged if both changes are in different lines; otherwise
    /// nothing is undone.
    pub fn undo(&self, id: RecordId, durability: Durability, entry: &Entry<'_>) -> Result<Undone, UndoError> {
        self.reverse(UndoKind::Undo, &Selection::of(id), durability, entry)
    }

    /// Redoes a change that was undone.
    pub fn redo(&self, id: RecordId, durability: Durability, entry: &Entry<'_>) -> Result<Undone, UndoError> {
        self.reverse(UndoKind::Redo, &Selection::of(id), durability, entry)
    }

    /// [Undoes](Journal::undo) or [redoes](Journal::redo) all of a selection, as one change.
    pub fn reverse(
        &self,
        kind: UndoKind,
        selection: &Selection,
        durability: Durability,
        entry: &Entry<'_>,
    ) -> Result<Undone, UndoError> {
        let paths = match &selection.which {
            Which::Restore { .. } => self.reversal(kind, selection)?.paths(),
            _ => {
                let choice = self.choose(&self.pick(kind, selection)?)?;
                choice.paths(&choice.workspace(&self.workspace)?)?
            }
        };
        let held = self.lock(&self.workspace.lock_set(&paths)?, entry.stop)?;
        let reversal = self.reversal(kind, selection)?;
        let recorded = self.commit_reversal(&held, &reversal, durability, entry)?;
        Ok(Undone { id: recorded.id, committed: recorded.committed, merged: reversal.merged })
    }

    /// What undoing or redoing a selection would do now.
    ///
    /// # Errors
    ///
    /// If it cannot be done. Of conflicts, all are told.
    pub fn reversal(&self, kind: UndoKind, selection: &Selection) -> Result<Reversal, UndoError> {
        if let Which::Restore { change, file, side } = selection.which {
            return self.restoration_of(change, file, side);
        }
        let picked = self.pick(kind, selection)?;
        let choice = self.choose(&picked)?;
        let mut reverse = Reverse::new(self, choice.workspace(&self.workspace)?);
        reverse.go_back(&choice.steps)?;
        let mut conflicts = std::mem::take(&mut reverse.conflicts);
        for conflict in conflicts.iter_mut().take(BLAMED) {
            self.blame(&picked, conflict)?;
        }
        if !conflicts.is_empty() {
            let mut first = conflicts.remove(0);
            first.also = conflicts;
            return Err(UndoError::Conflict(Box::new(first)));
        }
        let workspace = reverse.scene.workspace.clone();
        let (changes, restoration) = reverse.scene.into_changes()?;
        let is_changed = |path: &WorkspacePath| {
            changes.changes().iter().any(|change| change.path() == path || change.target() == Some(path))
        };
        let merged = reverse.merged.into_iter().filter(is_changed).collect();
        let ids = choice.reverted();
        let Choice { purpose, .. } = choice;
        Ok(Reversal { ids, workspace, changes, merged, picked: Some(picked), purpose, restoration })
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
        let Reversal { workspace, changes, restoration, purpose, .. } = reversal;
        if let Some(picked) = &reversal.picked
            && self.choose(picked)?.purpose != *purpose
        {
            // Another process has undone a part of it meanwhile.
            return Err(UndoError::Outrun);
        }
        let proposal = Proposal { workspace, changes, restoration: restoration.clone(), purpose };
        Ok(self.transact(proposal, durability, entry)?)
    }
}

impl Choice {
    /// The changes that are undone, or done again.
    fn reverted(&self) -> Vec<RecordId> {
        let mut ids: Vec<RecordId> = match &self.purpose {
            Purpose::Redo(_) | Purpose::Selection { redo: true, .. } => {
                let targets = self.steps.iter().flat_map(|step| step.found.intent.purpose.targets());
                targets.map(|target| RecordId(target.id)).collect()
            }
            _ => self.steps.iter().map(|step| RecordId(step.found.header.id)).collect(),
        };
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.dedup();
        ids
    }
}

impl Reversal {
    /// The digest of a preview is over what it does; this is which files.
    fn paths(&self) -> Vec<WorkspacePath> {
        let changes = self.changes.changes().iter();
        changes.flat_map(|change| [Some(change.path()), change.target()]).flatten().cloned().collect()
    }
}

/// For so many files it is found out which later changes are in the way.
const BLAMED: usize = 10;
