//! What of a change still stands: which parts of it later records have reverted.
//!
//! The log is read backwards, so whoever reverts a record is met before it. A record that was reverted itself says nothing
//! any more about those that it had reverted.

use std::collections::BTreeMap;

use crate::intent::{FileChange, Purpose, TargetHunks};
use crate::log::End;
use crate::record::{RecordId, State};

/// A part of a change that was undone while the rest of it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndonePart {
    /// The file: its place among those of the change.
    pub file: usize,
    /// Some of its hunks, as they are called; none if all of the file was undone.
    pub hunks: Option<Vec<String>>,
    /// What undid it.
    pub by: Vec<RecordId>,
}

/// What later records have reverted of those that are still to be met.
#[derive(Debug, Default)]
pub(crate) struct Reverted(BTreeMap<u64, Marks>);

/// What was reverted of one record.
#[derive(Debug, Default)]
struct Marks {
    whole: Option<u64>,
    files: BTreeMap<usize, FileMarks>,
}

#[derive(Debug, Default)]
struct FileMarks {
    whole: Option<u64>,
    hunks: BTreeMap<String, u64>,
    /// How many hunks the file has.
    of: usize,
}

impl Reverted {
    /// Takes note of what a record that stands has reverted.
    pub(crate) fn note(&mut self, by: u64, purpose: &Purpose) {
        for target in purpose.targets() {
            let marks = self.0.entry(target.id).or_default();
            let Some(files) = target.files else {
                marks.whole.get_or_insert(by);
                continue;
            };
            for file in files {
                marks.files.entry(file.file).or_default().note(by, file.hunks);
            }
        }
    }

    /// Whether a record of this number stands, from how it ended, and what of it was undone although it does.
    pub(crate) fn state(
        &mut self,
        id: u64,
        end: Option<End>,
        files: &[FileChange],
    ) -> (State, Vec<UndonePart>) {
        let marks = self.0.remove(&id).unwrap_or_default();
        if matches!(end, Some(End::RolledBack | End::Revoked)) {
            return (State::RolledBack, Vec::new());
        }
        if let Some(by) = marks.reverted_by(files.len()) {
            return (State::Undone(RecordId(by)), marks.parts());
        }
        let state = match end {
            Some(End::Done) => State::Done,
            // It is not under way, and nothing says how it ended: that was damaged.
            _ => State::Unknown,
        };
        (state, marks.parts())
    }
}

impl Marks {
    /// What reverted it last, if nothing of it stands.
    fn reverted_by(&self, files: usize) -> Option<u64> {
        let all_files =
            files > 0 && (0..files).all(|at| self.files.get(&at).is_some_and(FileMarks::is_reverted));
        let last = || self.files.values().flat_map(FileMarks::by).max();
        self.whole.or_else(|| last().filter(|_| all_files))
    }

    fn parts(&self) -> Vec<UndonePart> {
        let part = |(file, marks): (&usize, &FileMarks)| {
            let mut by: Vec<u64> = marks.by().collect();
            by.sort_unstable();
            by.dedup();
            let hunks = (!marks.is_reverted()).then(|| marks.hunks.keys().cloned().collect());
            UndonePart { file: *file, hunks, by: by.into_iter().map(RecordId).collect() }
        };
        self.files.iter().map(part).collect()
    }
}

impl FileMarks {
    fn note(&mut self, by: u64, hunks: Option<TargetHunks>) {
        let Some(hunks) = hunks else {
            self.whole.get_or_insert(by);
            return;
        };
        self.of = hunks.of;
        for id in hunks.ids {
            self.hunks.entry(id).or_insert(by);
        }
    }

    fn is_reverted(&self) -> bool {
        self.whole.is_some() || (self.of > 0 && self.hunks.len() >= self.of)
    }

    fn by(&self) -> impl Iterator<Item = u64> {
        self.whole.into_iter().chain(self.hunks.values().copied())
    }
}
