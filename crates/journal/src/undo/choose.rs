//! From a selection to the records that are reverted, and to what stands of each.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toolcrib_edit::Hunks;

use super::error::UndoError;
use super::selection::{FileHunks, Only, Selection, UndoKind, Which};
use crate::intent::{Intent, Purpose, Target, TargetFile, TargetHunks};
use crate::journal::Journal;
use crate::record::{Difference, Found, RecordId, State};

/// The records that are meant, by number: whoever asks again gets the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Picked {
    pub(super) kind: UndoKind,
    pub(super) ids: BTreeSet<u64>,
    pub(super) only: Only,
    /// Whether each was named, and not found by its session or its time.
    pub(super) named: bool,
}

/// What is reverted, the newest record first, and how that is written down.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) steps: Vec<Step>,
    pub(super) purpose: Purpose,
}

/// A record that is reverted, wholly or in part.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) found: Found,
    /// Its files, in its order.
    pub(super) files: Vec<StepFile>,
}

/// A file of a record that is reverted.
#[derive(Debug)]
pub(super) struct StepFile {
    /// Its place among those of the record.
    pub(super) index: usize,
    /// What is reverted if it is not all; none if it is all that stands.
    pub(super) sides: Option<Sides>,
    /// Whether all that stands of it is reverted.
    pub(super) whole: bool,
    hunks: Option<TargetHunks>,
}

/// What stands of a file's change, and what is to stand of it.
#[derive(Debug)]
pub(super) struct Sides {
    pub(super) standing: Vec<u8>,
    pub(super) wanted: Vec<u8>,
}

impl Journal {
    /// Finds the records that are meant.
    pub(super) fn pick(&self, kind: UndoKind, selection: &Selection) -> Result<Picked, UndoError> {
        let only = &selection.only;
        if kind == UndoKind::Redo && matches!(only, Only::Hunks(_)) {
            return Err(UndoError::OnlyWhole(None));
        }
        let (ids, named) = match (&selection.which, kind) {
            (Which::Latest(session), _) => (self.pick_latest(kind, session.as_deref(), only)?, true),
            (Which::Changes(ids), UndoKind::Undo) => (ids.iter().map(|id| id.0).collect(), true),
            (Which::Changes(ids), UndoKind::Redo) => (self.pick_undos(ids)?, true),
            (Which::Session(_) | Which::Since(_), UndoKind::Undo) => {
                (self.pick_all(|found| selection.which.covers(found))?, false)
            }
            (Which::Session(_) | Which::Since(_), UndoKind::Redo) => (self.pick_undos_of(selection)?, false),
            (Which::Restore { change, .. }, _) => (BTreeSet::from([change.0]), true),
        };
        if matches!(only, Only::Hunks(_)) && ids.len() > 1 {
            return Err(UndoError::OneChangeOnly);
        }
        let only = if kind == UndoKind::Redo { Only::Everything } else { only.clone() };
        if ids.is_empty() {
            Err(UndoError::NothingSelected(kind))
        } else {
            Ok(Picked { kind, ids, only, named })
        }
    }

    /// The latest that can be undone or redone.
    fn pick_latest(
        &self,
        kind: UndoKind,
        session: Option<&str>,
        only: &Only,
    ) -> Result<BTreeSet<u64>, UndoError> {
        for change in self.changes()? {
            let found = change?.found;
            let fits = match kind {
                UndoKind::Undo => found.intent.purpose.is_change(),
                UndoKind::Redo => found.intent.purpose.is_undo(),
            };
            let is_ours = session.is_none() || found.intent.session.as_deref() == session;
            if fits && is_ours && found.stands() && is_about(&found, only) {
                return Ok(BTreeSet::from([found.header.id]));
            }
        }
        Ok(BTreeSet::new())
    }

    /// The undos that are named, or have undone what is named.
    fn pick_undos(&self, ids: &[RecordId]) -> Result<BTreeSet<u64>, UndoError> {
        let mut picked = BTreeSet::new();
        for id in ids {
            let found = self.find(*id)?.ok_or(UndoError::Unknown(*id))?;
            let by: BTreeSet<u64> = match found.state {
                State::Undone(by) if found.undone_parts.is_empty() => BTreeSet::from([by.0]),
                State::RolledBack | State::UnderWay => BTreeSet::new(),
                _ => found.undone_parts.iter().flat_map(|part| &part.by).map(|by| by.0).collect(),
            };
            match by.is_empty() {
                true if found.intent.purpose.is_undo() && found.stands() => picked.insert(id.0),
                true => return Err(UndoError::NotUndone(*id)),
                false => {
                    picked.extend(by);
                    true
                }
            };
        }
        Ok(picked)
    }

    /// Every undo that stands and was made since then, or has undone changes of the session.
    fn pick_undos_of(&self, selection: &Selection) -> Result<BTreeSet<u64>, UndoError> {
        let mut picked = BTreeSet::new();
        let mut undone_by: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for change in self.changes()? {
            let found = change?.found;
            let id = found.header.id;
            if let Some(by) = undone_by.remove(&id)
                && matches!(selection.which, Which::Session(_))
                && selection.which.covers(&found)
            {
                picked.extend(by);
            }
            if matches!(selection.which, Which::Since(_)) && !selection.which.covers(&found) {
                break;
            }
            if found.intent.purpose.is_undo() && found.stands() && is_about(&found, &selection.only) {
                if matches!(selection.which, Which::Since(_)) {
                    picked.insert(id);
                }
                for target in found.intent.purpose.targets() {
                    undone_by.entry(target.id).or_default().push(id);
                }
            }
        }
        Ok(picked)
    }

    /// All that were made in a session or since a moment, and stand.
    ///
    /// An undo among them is left alone if what it had undone is among them too: both together changed nothing. What it
    /// had undone of others is done again.
    fn pick_all(&self, covers: impl Fn(&Found) -> bool) -> Result<BTreeSet<u64>, UndoError> {
        let mut covered = BTreeSet::new();
        let mut reverting: Vec<(u64, Vec<u64>)> = Vec::new();
        let mut standing = BTreeSet::new();
        for change in self.changes()? {
            let found = change?.found;
            let id = found.header.id;
            if !covers(&found) {
                continue;
            }
            covered.insert(id);
            if !found.stands() {
                continue;
            }
            match found.intent.purpose.targets() {
                targets if targets.is_empty() => drop(standing.insert(id)),
                targets => reverting.push((id, targets.iter().map(|target| target.id).collect())),
            }
        }
        let reaches_out = |targets: &Vec<u64>| targets.iter().any(|target| !covered.contains(target));
        let outside = reverting.into_iter().filter(|(_, targets)| reaches_out(targets));
        let outside: BTreeSet<u64> = outside.map(|(id, _)| id).collect();
        if outside.is_empty() {
            return Ok(standing);
        }
        // What these had undone stands as soon as they are reverted themselves.
        let mut picked = BTreeSet::new();
        for change in self.changes_without(outside.clone())? {
            let found = change?.found;
            let is_change = found.intent.purpose.is_change() || outside.contains(&found.header.id);
            if covered.contains(&found.header.id) && found.stands() && is_change {
                picked.insert(found.header.id);
            }
        }
        Ok(picked)
    }

    /// Finds what stands of the records that were picked.
    pub(super) fn choose(&self, picked: &Picked) -> Result<Choice, UndoError> {
        let mut names = match &picked.only {
            Only::File(path) => Some(BTreeSet::from([path.clone()])),
            _ => None,
        };
        let mut left = picked.ids.clone();
        let mut steps = Vec::new();
        for change in self.changes_without(picked.ids.clone())? {
            let Some(oldest) = left.first().copied() else { break };
            let found = change?.found;
            if !left.remove(&found.header.id) {
                if found.header.id < oldest {
                    break;
                }
                continue;
            }
            if !found.stands() {
                return Err(UndoError::NotDone(RecordId(found.header.id), found.state));
            }
            let files = self.files_of(&found, &picked.only, names.as_mut())?;
            // What changed nothing is reverted too, and that changes nothing.
            if !files.is_empty() || (found.intent.files.is_empty() && picked.only == Only::Everything) {
                steps.push(Step { found, files });
            }
        }
        if let Some(id) = left.first().filter(|_| picked.named) {
            return Err(UndoError::Unknown(RecordId(*id)));
        }
        if steps.is_empty() {
            return Err(match &picked.only {
                Only::File(path) => UndoError::NoSuchFile(path.clone()),
                _ => UndoError::NothingSelected(picked.kind),
            });
        }
        let purpose = purpose_of(picked.kind, &steps);
        Ok(Choice { steps, purpose })
    }

    /// The files of a record that are meant and stand.
    fn files_of(
        &self,
        found: &Found,
        only: &Only,
        names: Option<&mut BTreeSet<PathBuf>>,
    ) -> Result<Vec<StepFile>, UndoError> {
        let id = RecordId(found.header.id);
        if *only != Only::Everything && !found.intent.purpose.is_change() {
            return Err(UndoError::OnlyWhole(Some(id)));
        }
        let mut files = Vec::new();
        match (only, names) {
            (Only::File(_), Some(names)) => {
                for index in 0..found.intent.files.len() {
                    if is_named(&found.intent, index, names) {
                        files.extend(self.standing(found, index, None)?);
                    }
                }
            }
            (Only::Hunks(chosen), _) => {
                for FileHunks { file, hunks } in chosen {
                    files.extend(self.standing(found, *file, Some(hunks))?);
                }
                files.sort_by_key(|file| file.index);
            }
            _ => {
                for index in 0..found.intent.files.len() {
                    files.extend(self.standing(found, index, None)?);
                }
            }
        }
        Ok(files)
    }

    /// What is reverted of one file; none if nothing of it stands.
    fn standing(
        &self,
        found: &Found,
        index: usize,
        chosen: Option<&Vec<String>>,
    ) -> Result<Option<StepFile>, UndoError> {
        let id = RecordId(found.header.id);
        let undone = found.undone_parts.iter().find(|part| part.file == index);
        let gone: &[String] = match undone {
            None => &[],
            Some(part) => match &part.hunks {
                Some(hunks) => hunks,
                None if chosen.is_some() => {
                    return Err(UndoError::NotDone(id, found.state_of(part.by.last())));
                }
                None => return Ok(None),
            },
        };
        if chosen.is_none() && gone.is_empty() {
            return Ok(Some(StepFile { index, sides: None, whole: true, hunks: None }));
        }
        let Some(file) = found.intent.files.get(index) else { return Err(UndoError::NoFile(id, index)) };
        let contents = self.contents(&found.header, file)?;
        let Some(Difference { before, after }) = contents else {
            return Err(UndoError::NotKept { id, path: found.intent.shown(&file.path) });
        };
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        let hunks = Hunks::between(&before, &after);
        let all: Vec<&str> = hunks.as_slice().iter().map(|hunk| hunk.id.as_str()).collect();
        let stands = |hunk: &&str| !gone.iter().any(|gone| gone == hunk);
        if let Some(chosen) = chosen {
            for hunk in chosen {
                if !all.contains(&hunk.as_str()) {
                    return Err(UndoError::NoSuchHunk(id, hunk.clone()));
                }
                if !stands(&hunk.as_str()) {
                    let by = undone.and_then(|part| part.by.last());
                    return Err(UndoError::NotDone(id, found.state_of(by)));
                }
            }
            if chosen.is_empty() {
                return Ok(None);
            }
        }
        let standing: Vec<&str> = all.iter().copied().filter(stands).collect();
        let is_chosen = |hunk: &&str| chosen.is_none_or(|chosen| chosen.iter().any(|chosen| chosen == hunk));
        let reverted: Vec<String> = standing.iter().copied().filter(is_chosen).map(str::to_owned).collect();
        let kept: Vec<&str> = standing.iter().copied().filter(|hunk| !is_chosen(hunk)).collect();
        let whole = kept.is_empty();
        if whole && gone.is_empty() {
            return Ok(Some(StepFile { index, sides: None, whole, hunks: None }));
        }
        let keep = |ids: &[&str]| hunks.keep(ids).map_err(|unknown| UndoError::NoSuchHunk(id, unknown.0));
        let sides = Sides { standing: keep(&standing)?, wanted: keep(&kept)? };
        let hunks = TargetHunks { ids: reverted, of: all.len() };
        Ok(Some(StepFile { index, sides: Some(sides), whole, hunks: Some(hunks) }))
    }
}

/// How it is written down what is reverted.
fn purpose_of(kind: UndoKind, steps: &[Step]) -> Purpose {
    let is_whole = |step: &Step| {
        let all = step.files.len() == step.found.intent.files.len();
        all && step.files.iter().all(|file| file.hunks.is_none())
    };
    let redo = kind == UndoKind::Redo;
    if let [only] = steps
        && is_whole(only)
    {
        let id = only.found.header.id;
        return if redo { Purpose::Redo(id) } else { Purpose::Undo(id) };
    }
    let target = |step: &Step| {
        let file = |file: &StepFile| TargetFile { file: file.index, hunks: file.hunks.clone() };
        let files = (!is_whole(step)).then(|| step.files.iter().map(file).collect());
        Target { id: step.found.header.id, files }
    };
    Purpose::Selection { redo, targets: steps.iter().map(target).collect() }
}

/// Whether a record is about the file that is meant, if one is.
fn is_about(found: &Found, only: &Only) -> bool {
    let Only::File(path) = only else { return true };
    let mut names = BTreeSet::from([path.clone()]);
    (0..found.intent.files.len()).any(|index| is_named(&found.intent, index, &mut names))
}

/// Whether a file of a record has one of these names. Before a move it had another one.
pub(super) fn is_named(intent: &Intent, index: usize, names: &mut BTreeSet<PathBuf>) -> bool {
    let Some(file) = intent.files.get(index) else { return false };
    let path = intent.shown(&file.path);
    let from = file.from.as_ref().map(|from| intent.shown(from));
    let is_it = |path: &Path| names.contains(path);
    if !is_it(&path) && !from.as_deref().is_some_and(is_it) {
        return false;
    }
    names.extend(from);
    true
}

impl Which {
    fn covers(&self, found: &Found) -> bool {
        match self {
            Self::Session(session) => found.intent.session.as_deref() == Some(session),
            Self::Since(since) => found.intent.time >= *since,
            _ => false,
        }
    }
}

impl Found {
    fn state_of(&self, by: Option<&RecordId>) -> State {
        by.map_or(self.state, |by| State::Undone(*by))
    }
}
