//! A disk that forgets what was not synced.
//!
//! What is synced stays. Of the rest any part may have reached the disk, in any order, with one exception: what happened
//! to a name comes after what happened to that name before. A rename is whole or did not happen. Contents that were not
//! synced may be all there, cut off, empty, or zeros.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::trace::Event;
use crate::support::Random;

/// A file or directory in a state of the disk.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Thing {
    Directory,
    /// One that was there before, by its number.
    Old(usize),
    New {
        content: Vec<u8>,
        mode: u32,
    },
}

impl std::fmt::Debug for Thing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Directory => f.write_str("directory"),
            Self::Old(number) => write!(f, "old file {number}"),
            Self::New { content, mode } => write!(f, "{} bytes {mode:o}", content.len()),
        }
    }
}

/// A state of the disk: everything that has a name.
pub(super) type State = BTreeMap<PathBuf, Thing>;

/// What happened, with handles resolved to the things that they meant.
pub(super) struct History {
    before: BTreeMap<PathBuf, usize>,
    things: Vec<Origin>,
    /// Every directory that there ever was.
    directories: BTreeSet<PathBuf>,
    steps: Vec<Step>,
}

#[derive(Debug, Clone)]
enum Origin {
    Directory,
    Old(usize),
    /// Present before and written to since.
    Known(Vec<u8>),
    New(u32),
}

#[derive(Debug, Clone)]
enum Step {
    Name { change: NameChange, paths: Vec<PathBuf> },
    Content { thing: usize, change: ContentChange },
    SyncThing(usize),
    SyncDirectory(PathBuf),
}

#[derive(Debug, Clone)]
enum NameChange {
    Add(PathBuf, usize),
    Rename(PathBuf, PathBuf),
    Exchange(PathBuf, PathBuf),
    Remove(PathBuf),
}

#[derive(Debug, Clone)]
enum ContentChange {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate(usize),
    Mode(u32),
}

/// What happens to contents that were not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsynced {
    Lost,
    Kept,
    Zeros,
    Cut,
    /// Another of these for each file.
    Mixed(u64),
}

impl Unsynced {
    fn of(self, thing: usize) -> Self {
        let Self::Mixed(seed) = self else { return self };
        match Random(seed.wrapping_add(thing as u64)).below(4) {
            0 => Self::Lost,
            1 => Self::Kept,
            2 => Self::Zeros,
            _ => Self::Cut,
        }
    }
}

impl History {
    /// From what was there before (old files by number, and contents of files that are written to) and what happened.
    pub(super) fn new(
        directories: &[PathBuf],
        old: &[PathBuf],
        known: &[(PathBuf, Vec<u8>)],
        events: &[Event],
    ) -> Self {
        let directories_ever = directories.iter().cloned().collect();
        let mut history = Self {
            before: BTreeMap::new(),
            things: Vec::new(),
            directories: directories_ever,
            steps: Vec::new(),
        };
        let old_things = old.iter().enumerate().map(|(number, path)| (path, Origin::Old(number)));
        let known_things = known.iter().map(|(path, content)| (path, Origin::Known(content.clone())));
        let directory_things = directories.iter().map(|path| (path, Origin::Directory));
        for (path, origin) in old_things.chain(known_things).chain(directory_things) {
            history.before.insert(path.clone(), history.things.len());
            history.things.push(origin);
        }
        let mut now = history.before.clone();
        let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
        for event in events {
            history.take(event, &mut now, &mut lengths);
        }
        history
    }

    pub(super) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The places of the syncs among the steps.
    pub(super) fn syncs(&self) -> Vec<usize> {
        let is_sync = |step: &Step| matches!(step, Step::SyncThing(_) | Step::SyncDirectory(_));
        (0..self.steps.len()).filter(|step| is_sync(&self.steps[*step])).collect()
    }

    pub(super) fn describe(&self, step: usize) -> String {
        format!("{:?}", self.steps[step])
    }

    /// The history without one of its steps.
    pub(super) fn without(&self, step: usize) -> Self {
        let mut steps = self.steps.clone();
        steps.remove(step);
        Self {
            before: self.before.clone(),
            things: self.things.clone(),
            directories: self.directories.clone(),
            steps,
        }
    }

    /// Changes of names that may or may not have reached the disk when the power fails after so many steps.
    pub(super) fn pending(&self, crash: usize) -> Vec<usize> {
        let is_synced = |path: &PathBuf, since: usize| {
            let synced =
                |step: &Step| matches!(step, Step::SyncDirectory(synced) if path.parent() == Some(synced));
            self.steps[since..crash].iter().any(synced)
        };
        let is_pending = |step: &usize| match &self.steps[*step] {
            Step::Name { paths, .. } => !paths.iter().all(|path| is_synced(path, *step)),
            _ => false,
        };
        (0..crash).filter(is_pending).collect()
    }

    /// The disk after a crash where, of the pending changes of names, these have reached it. With each go those before it
    /// that touch the same names.
    pub(super) fn state(&self, crash: usize, chosen: &BTreeSet<usize>, unsynced: Unsynced) -> State {
        let pending: BTreeSet<usize> = self.pending(crash).into_iter().collect();
        let mut kept: BTreeSet<usize> = (0..crash).filter(|step| !pending.contains(step)).collect();
        chosen.iter().for_each(|step| self.keep_with_causes(*step, &mut kept));
        let mut names = self.before.clone();
        for step in kept {
            if let Step::Name { change, .. } = &self.steps[step] {
                change.apply(&mut names);
            }
        }
        // What stands in a directory that is not there is not there either.
        let is_lost = |path: &&PathBuf| {
            let above = path.ancestors().skip(1).filter(|above| self.directories.contains(*above));
            above.into_iter().any(|above| !names.contains_key(above))
        };
        let lost: Vec<PathBuf> = names.keys().filter(is_lost).cloned().collect();
        lost.iter().for_each(|path| _ = names.remove(path));
        names.into_iter().map(|(path, thing)| (path, self.thing(thing, crash, unsynced))).collect()
    }

    fn keep_with_causes(&self, step: usize, kept: &mut BTreeSet<usize>) {
        let Step::Name { paths, .. } = &self.steps[step] else { return };
        if !kept.insert(step) {
            return;
        }
        for earlier in (0..step).rev() {
            let Step::Name { paths: others, .. } = &self.steps[earlier] else { continue };
            if others.iter().any(|other| paths.contains(other)) {
                self.keep_with_causes(earlier, kept);
            }
        }
    }

    /// What a file holds after a crash.
    fn thing(&self, thing: usize, crash: usize, unsynced: Unsynced) -> Thing {
        let (mut content, mut mode) = match &self.things[thing] {
            Origin::Directory => return Thing::Directory,
            Origin::Old(number) => return Thing::Old(*number),
            Origin::Known(content) => (content.clone(), 0o600),
            Origin::New(mode) => (Vec::new(), *mode),
        };
        let synced = self.steps[..crash]
            .iter()
            .rposition(|step| matches!(step, Step::SyncThing(synced) if *synced == thing))
            .unwrap_or(0);
        for (place, step) in self.steps[..crash].iter().enumerate() {
            let Step::Content { thing: changed, change } = step else { continue };
            if *changed != thing {
                continue;
            }
            let how = if place < synced { Unsynced::Kept } else { unsynced.of(thing) };
            change.apply(&mut content, &mut mode, how);
        }
        Thing::New { content, mode }
    }

    fn take(
        &mut self,
        event: &Event,
        now: &mut BTreeMap<PathBuf, usize>,
        lengths: &mut BTreeMap<usize, usize>,
    ) {
        match event {
            Event::Create { path, mode } => {
                if !now.contains_key(path) {
                    self.things.push(Origin::New(*mode));
                    self.name(NameChange::Add(path.clone(), self.things.len() - 1), now);
                }
            }
            // It is there as long as it is open: no power cut brings it back.
            Event::CreateUnnamed { path, mode } => {
                self.things.push(Origin::New(*mode));
                now.insert(path.clone(), self.things.len() - 1);
            }
            Event::Name { unnamed, path } => {
                let Some(thing) = now.remove(unnamed) else { return };
                self.name(NameChange::Add(path.clone(), thing), now);
            }
            Event::Link { from, path } => {
                let Some(thing) = now.get(from).copied() else { return };
                self.name(NameChange::Add(path.clone(), thing), now);
            }
            Event::MakeDirectory { path } => {
                self.things.push(Origin::Directory);
                self.directories.insert(path.clone());
                self.name(NameChange::Add(path.clone(), self.things.len() - 1), now);
            }
            Event::Rename { from, to } => self.name(NameChange::Rename(from.clone(), to.clone()), now),
            Event::Exchange { one, other } => {
                self.name(NameChange::Exchange(one.clone(), other.clone()), now)
            }
            Event::Unlink { path } => self.name(NameChange::Remove(path.clone()), now),
            Event::Write { path, offset, bytes } => {
                let Some(thing) = now.get(path).copied() else { return };
                let length = lengths.entry(thing).or_default();
                let offset = offset.map_or(*length, |offset| offset as usize);
                *length = (*length).max(offset + bytes.len());
                self.content(thing, ContentChange::Write { offset, bytes: bytes.clone() });
            }
            Event::Truncate { path, length } => {
                let Some(thing) = now.get(path).copied() else { return };
                self.content(thing, ContentChange::Truncate(*length as usize));
            }
            Event::Mode { path, mode } => {
                let Some(thing) = now.get(path).copied() else { return };
                self.content(thing, ContentChange::Mode(*mode));
            }
            Event::Sync { path } => match now.get(path).map(|thing| (*thing, &self.things[*thing])) {
                Some((_, Origin::Directory)) => self.steps.push(Step::SyncDirectory(path.clone())),
                Some((thing, _)) => self.steps.push(Step::SyncThing(thing)),
                None => {}
            },
        }
    }

    fn name(&mut self, change: NameChange, now: &mut BTreeMap<PathBuf, usize>) {
        change.apply(now);
        let paths = match &change {
            NameChange::Add(path, _) | NameChange::Remove(path) => vec![path.clone()],
            NameChange::Rename(one, other) | NameChange::Exchange(one, other) => {
                vec![one.clone(), other.clone()]
            }
        };
        self.steps.push(Step::Name { change, paths });
    }

    fn content(&mut self, thing: usize, change: ContentChange) {
        self.steps.push(Step::Content { thing, change });
    }
}

impl NameChange {
    fn apply(&self, names: &mut BTreeMap<PathBuf, usize>) {
        match self {
            Self::Add(path, thing) => _ = names.insert(path.clone(), *thing),
            Self::Remove(path) => _ = names.remove(path),
            Self::Rename(from, to) => {
                if let Some(thing) = names.remove(from) {
                    names.insert(to.clone(), thing);
                }
            }
            Self::Exchange(one, other) => {
                if let (Some(a), Some(b)) = (names.get(one).copied(), names.get(other).copied()) {
                    names.insert(one.clone(), b);
                    names.insert(other.clone(), a);
                }
            }
        }
    }
}

impl ContentChange {
    fn apply(&self, content: &mut Vec<u8>, mode: &mut u32, unsynced: Unsynced) {
        match (self, unsynced) {
            (_, Unsynced::Lost) => {}
            (Self::Mode(new), _) => *mode = *new,
            (Self::Truncate(length), _) => content.resize(*length, 0),
            (Self::Write { offset, bytes }, how) => {
                let end = offset + bytes.len();
                content.resize(content.len().max(end), 0);
                let kept = match how {
                    Unsynced::Kept => bytes.len(),
                    Unsynced::Cut => bytes.len() / 2,
                    Unsynced::Lost | Unsynced::Zeros | Unsynced::Mixed(_) => 0,
                };
                content[*offset..offset + kept].copy_from_slice(&bytes[..kept]);
            }
        }
    }
}
