//! Which later changes are in the way of an undo: those without which it could be made.

use std::collections::BTreeSet;

use super::choose::{Picked, is_named};
use super::error::{Conflict, UndoError};
use super::reverse::Reverse;
use super::selection::Only;
use crate::journal::Journal;
use crate::record::RecordId;

/// So many are tried. Each try reads the contents of all of them.
const MOST: usize = 40;

impl Journal {
    /// Names the changes that touched the same lines, if undoing them too would do.
    pub(super) fn blame(&self, picked: &Picked, conflict: &mut Conflict) -> Result<(), UndoError> {
        let mut later = self.later(picked, conflict)?;
        if later.is_empty() || later.len() > MOST || !self.would_do(picked, &later, conflict)? {
            return Ok(());
        }
        // Those that are not needed for it were not in the way.
        for candidate in later.clone() {
            let mut fewer = later.clone();
            fewer.remove(&candidate);
            if self.would_do(picked, &fewer, conflict)? {
                later = fewer;
            }
        }
        conflict.later = later.into_iter().rev().map(RecordId).collect();
        Ok(())
    }

    /// The later changes of that file that stand.
    fn later(&self, picked: &Picked, conflict: &Conflict) -> Result<BTreeSet<u64>, UndoError> {
        let mut later = BTreeSet::new();
        let mut names = BTreeSet::from([conflict.path.clone()]);
        for change in self.changes_without(picked.ids.clone())? {
            let found = change?.found;
            let id = found.header.id;
            if id <= conflict.id.0 {
                break;
            }
            let mut is_about = false;
            for index in 0..found.intent.files.len() {
                is_about |= is_named(&found.intent, index, &mut names);
            }
            if is_about && found.stands() && !picked.ids.contains(&id) {
                later.insert(id);
            }
        }
        Ok(later)
    }

    /// Whether the conflict is gone if these are undone too.
    fn would_do(
        &self,
        picked: &Picked,
        more: &BTreeSet<u64>,
        conflict: &Conflict,
    ) -> Result<bool, UndoError> {
        let Ok(mut choice) = self.choose(picked) else { return Ok(false) };
        choice.steps.retain(|step| step.found.header.id >= conflict.id.0);
        let others = Picked { ids: more.clone(), only: Only::Everything, ..picked.clone() };
        let Ok(others) = self.choose(&others) else { return Ok(false) };
        choice.steps.extend(others.steps);
        choice.steps.sort_by_key(|step| std::cmp::Reverse(step.found.header.id));
        let mut reverse = Reverse::new(self, choice.workspace(&self.workspace)?);
        Ok(match reverse.go_back(&choice.steps) {
            Ok(()) => !reverse.conflicts.iter().any(|other| other.path == conflict.path),
            Err(_) => false,
        })
    }
}
