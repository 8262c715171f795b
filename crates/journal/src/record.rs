//! What the journal tells: who changed what, when, and whether it still stands.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::ParseIntError;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::SystemTime;

use toolcrib_workspace::{Error, Subject, Version};

use crate::intent::{FileChange, Intent, Old, Target, TargetFile};
use crate::journal::Journal;
use crate::log::{Backwards, End, Entry, Header, Kind};
use crate::standing::{Reverted, UndonePart};
use crate::undo::UndoKind;

/// The number of a change in its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub(crate) u64);

impl RecordId {
    /// The change of this number, if there is one.
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for RecordId {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        text.parse().map(Self)
    }
}

/// A change as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its number.
    pub id: RecordId,
    /// When it was made.
    pub time: SystemTime,
    /// The tool that made it.
    pub tool: String,
    /// The session in which it was called.
    pub session: Option<String>,
    /// The agent that called it.
    pub agent: Option<String>,
    /// The change that this one undoes, if it is one: an undo a change, a redo an undo.
    pub undoes: Option<RecordId>,
    /// Every record that this one reverts, wholly or in part.
    pub reverts: Vec<Reverts>,
    /// Whether it undoes changes, so that it can be redone.
    pub is_undo: bool,
    /// What of it was undone, if not all of it was at once.
    pub undone_parts: Vec<UndonePart>,
    /// Whether it still stands.
    pub state: State,
    /// What became of each file.
    pub files: Vec<FileRecord>,
}

/// A record that another one reverts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reverts {
    /// Which.
    pub id: RecordId,
    /// The files of it, by their places, with the hunks that were chosen; none if it is all of it.
    pub files: Option<Vec<(usize, Option<Vec<String>>)>>,
}

/// Whether a change still stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is being made now, or waits to be repaired.
    UnderWay,
    /// It was made.
    Done,
    /// It was made, and undone by that one.
    Undone(RecordId),
    /// It failed or was interrupted, and was rolled back at once.
    RolledBack,
    /// It ended, and how cannot be read any more, because that part of the journal is damaged. It can be undone if its
    /// files are as it left them.
    Unknown,
}

/// What became of one file, directory or link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRecord {
    /// What it is. The content of a link is the path it says.
    pub subject: Subject,
    /// The file, links resolved, where it was then.
    pub path: PathBuf,
    /// Of a move, the old name.
    pub from: Option<PathBuf>,
    /// What it held before.
    pub before: Option<Version>,
    /// What it held after.
    pub after: Option<Version>,
    /// Whether the contents are kept, so that it can be shown and undone.
    pub kept: bool,
}

/// The contents of a file before and after a change, for callers that show the difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What it held before; none if it was not there.
    pub before: Option<Vec<u8>>,
    /// What it held after; none if it was removed.
    pub after: Option<Vec<u8>>,
}

/// What the journal has of the contents of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// What it held before and after.
    Whole(Difference),
    /// Nothing: they were not to be kept.
    Nothing,
    /// They were kept, and are damaged.
    Damaged,
}

/// A change as it is found in the log, with the way to the contents that it keeps.
#[derive(Debug)]
pub struct PastChange<'j> {
    journal: &'j Journal,
    pub(crate) found: Found,
}

/// A record as it is found in the log.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) header: Header,
    pub(crate) intent: Intent,
    pub(crate) state: State,
    pub(crate) undone_parts: Vec<UndonePart>,
}

/// The changes of a journal, the latest first. Each is read when it is asked for, and its contents only then.
#[derive(Debug)]
pub struct Changes<'j> {
    journal: &'j Journal,
    records: Backwards<'j>,
    /// The changes that were under way when this began.
    open: BTreeSet<u64>,
    /// What became of a change stands behind it, so it is known by the time the change is met.
    ends: BTreeMap<u64, End>,
    reverted: Reverted,
    /// Records that are taken for reverted.
    without: BTreeSet<u64>,
}

impl Journal {
    /// The last changes, the latest first.
    pub fn log(&self, limit: usize) -> Result<Vec<Record>, Error> {
        self.changes()?.take(limit).map(|change| Ok(change?.record())).collect()
    }

    /// All changes that are kept, the latest first.
    ///
    /// Damage does not end it: it goes on with the next record that can be read, and [`damage`](Journal::damage) says
    /// what is missing.
    pub fn changes(&self) -> Result<Changes<'_>, Error> {
        self.changes_without(BTreeSet::new())
    }

    /// The same, as it would be if these records had been reverted.
    pub(crate) fn changes_without(&self, without: BTreeSet<u64>) -> Result<Changes<'_>, Error> {
        let head = self.log.head()?;
        Ok(Changes {
            journal: self,
            records: self.log.backwards(&head),
            open: head.open.iter().map(|open| open.id).collect(),
            ends: BTreeMap::new(),
            reverted: Reverted::default(),
            without,
        })
    }

    /// One change; none if there is none of this number, or not any more.
    pub fn record(&self, id: RecordId) -> Result<Option<Record>, Error> {
        Ok(self.find(id)?.map(|found| found.record()))
    }

    /// What `undo` and `redo` mean without a number, in this session if one is given.
    pub fn latest_for(&self, kind: UndoKind, session: Option<&str>) -> Result<Option<RecordId>, Error> {
        match kind {
            UndoKind::Undo => self.latest_to_undo(session),
            UndoKind::Redo => self.latest_to_redo(session),
        }
    }

    /// The latest change that can be undone, of this session if one is given: what `undo` without a number means.
    pub fn latest_to_undo(&self, session: Option<&str>) -> Result<Option<RecordId>, Error> {
        self.latest(session, |found| {
            let is_change = found.intent.purpose.is_change() && found.stands();
            is_change.then_some(RecordId(found.header.id))
        })
    }

    /// The change that was undone last and can be redone.
    pub fn latest_to_redo(&self, session: Option<&str>) -> Result<Option<RecordId>, Error> {
        self.latest(session, |found| {
            let targets = found.intent.purpose.targets();
            let undone = targets.first().filter(|_| found.intent.purpose.is_undo() && found.stands());
            undone.map(|target| RecordId(target.id))
        })
    }

    /// What one file of a change held before and after; none if that is not kept any more, or was never to be.
    pub fn difference(&self, id: RecordId, file: usize) -> Result<Option<Difference>, Error> {
        let Some(found) = self.find(id)? else { return Ok(None) };
        let Some(change) = found.intent.files.get(file) else { return Ok(None) };
        self.contents(&found.header, change)
    }

    pub(crate) fn find(&self, id: RecordId) -> Result<Option<Found>, Error> {
        for change in self.changes()? {
            let found = change?.found;
            if found.header.id == id.0 {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    pub(crate) fn contents(&self, header: &Header, change: &FileChange) -> Result<Option<Difference>, Error> {
        let before = match &change.before {
            None => None,
            Some(old) => match self.old(header, old)? {
                Some(content) => Some(content),
                None => return Ok(None),
            },
        };
        let after = match &change.after {
            None => None,
            Some(new) => {
                let Some(splice) = new.content else { return Ok(None) };
                let kept = self.log.kept(header, splice.middle.offset, splice.middle.length)?;
                let middle = kept.and_then(|bytes| splice.middle.restore(&bytes));
                let base = before.as_deref().unwrap_or_default();
                match middle.and_then(|middle| splice.apply(base, &middle, new.version)) {
                    Some(content) => Some(content),
                    None => return Ok(None),
                }
            }
        };
        Ok(Some(Difference { before, after }))
    }

    pub(crate) fn old(&self, header: &Header, old: &Old) -> Result<Option<Vec<u8>>, Error> {
        let Some(stored) = old.content else { return Ok(None) };
        let kept = self.log.kept(header, stored.offset, stored.length)?;
        let content = kept.and_then(|bytes| stored.restore(&bytes));
        Ok(content.filter(|content| Version::of(content) == old.version))
    }

    fn latest(
        &self,
        session: Option<&str>,
        choose: impl Fn(&Found) -> Option<RecordId>,
    ) -> Result<Option<RecordId>, Error> {
        for change in self.changes()? {
            let found = change?.found;
            let is_ours = session.is_none() || found.intent.session.as_deref() == session;
            if let Some(chosen) = choose(&found).filter(|_| is_ours) {
                return Ok(Some(chosen));
            }
        }
        Ok(None)
    }
}

impl<'j> Iterator for Changes<'j> {
    type Item = Result<PastChange<'j>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.records.next() {
                Ok(Some(entry)) => {
                    if let Some(found) = self.take_in(&entry) {
                        return Some(Ok(PastChange { journal: self.journal, found }));
                    }
                }
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Changes<'_> {
    fn take_in(&mut self, entry: &Entry) -> Option<Found> {
        let header = entry.header;
        if header.kind == Kind::Outcome {
            // The last word counts: an outcome that was written and revoked has two.
            self.ends.entry(header.id).or_insert(End::read(&entry.said).unwrap_or(End::RolledBack));
            return None;
        }
        let intent = Intent::decode(&entry.said).ok()?;
        let (state, undone_parts) = self.state(header.id, &intent);
        let found = Found { header, intent, state, undone_parts };
        if found.stands() && !self.without.contains(&header.id) {
            self.reverted.note(header.id, &found.intent.purpose);
        }
        Some(found)
    }

    fn state(&mut self, id: u64, intent: &Intent) -> (State, Vec<UndonePart>) {
        match self.ends.remove(&id) {
            None if self.open.contains(&id) => (State::UnderWay, Vec::new()),
            end => self.reverted.state(id, end, &intent.files),
        }
    }
}

impl PastChange<'_> {
    /// What was recorded.
    pub fn record(&self) -> Record {
        self.found.record()
    }

    /// Its number.
    pub fn id(&self) -> RecordId {
        RecordId(self.found.header.id)
    }

    pub(crate) fn into_found(self) -> Found {
        self.found
    }

    /// When it was made.
    pub fn time(&self) -> SystemTime {
        self.found.intent.time
    }

    /// The session in which it was made.
    pub fn session(&self) -> Option<&str> {
        self.found.intent.session.as_deref()
    }

    /// What the journal has of the contents of one of its files.
    pub fn contents(&self, file: usize) -> Result<Kept, Error> {
        let Some(change) = self.found.intent.files.get(file) else { return Ok(Kept::Nothing) };
        if !change.is_kept() {
            return Ok(Kept::Nothing);
        }
        let contents = self.journal.contents(&self.found.header, change)?;
        Ok(contents.map_or(Kept::Damaged, Kept::Whole))
    }
}

impl Reverts {
    fn of(target: Target) -> Self {
        let file = |file: TargetFile| (file.file, file.hunks.map(|hunks| hunks.ids));
        let files = target.files.map(|files| files.into_iter().map(file).collect());
        Self { id: RecordId(target.id), files }
    }
}

impl Found {
    /// Whether it was made, and is not undone.
    pub(crate) fn stands(&self) -> bool {
        matches!(self.state, State::Done | State::Unknown)
    }

    fn record(&self) -> Record {
        let Intent { time, tool, session, agent, purpose, files, .. } = &self.intent;
        let targets = purpose.targets();
        let undoes = match &targets[..] {
            [only] => Some(RecordId(only.id)),
            _ => None,
        };
        let file = |file: &FileChange| FileRecord {
            subject: file.subject,
            path: self.intent.shown(&file.path),
            from: file.from.as_ref().map(|from| self.intent.shown(from)),
            before: file.before.as_ref().map(|old| old.version),
            after: file.after.as_ref().map(|new| new.version),
            kept: file.is_kept(),
        };
        Record {
            id: RecordId(self.header.id),
            time: *time,
            tool: tool.clone(),
            session: session.clone(),
            agent: agent.clone(),
            undoes,
            reverts: targets.into_iter().map(Reverts::of).collect(),
            is_undo: purpose.is_undo(),
            undone_parts: self.undone_parts.clone(),
            state: self.state,
            files: files.iter().map(file).collect(),
        }
    }
}
