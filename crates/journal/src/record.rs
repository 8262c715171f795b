//! What the journal tells: who changed what, when, and whether it still stands.

use std::collections::BTreeMap;
use std::fmt;
use std::num::ParseIntError;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::SystemTime;

use toolcrib_workspace::{Error, Version};

use crate::intent::{FileChange, Intent, Old, Purpose};
use crate::journal::Journal;
use crate::log::{End, Header, Kind};
use crate::undo::Way;

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
    /// The change that this one took back: an undo a change, a redo an undo.
    pub takes_back: Option<RecordId>,
    /// Whether it still stands.
    pub state: State,
    /// What became of each file.
    pub files: Vec<FileRecord>,
}

/// Whether a change still stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is being made now, or waits to be repaired.
    UnderWay,
    /// It was made.
    Done,
    /// It was made, and taken back by that one.
    Undone(RecordId),
    /// It failed or was interrupted, and was taken back at once.
    TakenBack,
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRecord {
    /// The file, links resolved, where it was then.
    pub path: PathBuf,
    /// Of a move, the old name.
    pub from: Option<PathBuf>,
    /// What it held before.
    pub before: Option<Version>,
    /// What it held after.
    pub after: Option<Version>,
    /// Whether the contents are kept, so that it can be shown and taken back.
    pub kept: bool,
}

/// The contents of a file before and after a change, for whoever wants to show the difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What it held before; none if it was not there.
    pub before: Option<Vec<u8>>,
    /// What it held after; none if it was removed.
    pub after: Option<Vec<u8>>,
}

/// A record as it is found in the log.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) header: Header,
    pub(crate) intent: Intent,
    pub(crate) state: State,
}

impl Journal {
    /// The last changes, the latest first.
    pub fn log(&self, limit: usize) -> Result<Vec<Record>, Error> {
        let mut records = Vec::new();
        self.walk(|found| {
            records.push(found.record());
            records.len() < limit
        })?;
        records.truncate(limit);
        Ok(records)
    }

    /// One change; none if there is none of this number, or not any more.
    pub fn record(&self, id: RecordId) -> Result<Option<Record>, Error> {
        Ok(self.find(id)?.map(|found| found.record()))
    }

    /// What `undo` and `redo` mean without a number, in this session if one is given.
    pub fn latest_for(&self, way: Way, session: Option<&str>) -> Result<Option<RecordId>, Error> {
        match way {
            Way::Undo => self.latest_to_undo(session),
            Way::Redo => self.latest_to_redo(session),
        }
    }

    /// The latest change that can be undone, of this session if one is given: what `undo` without a number means.
    pub fn latest_to_undo(&self, session: Option<&str>) -> Result<Option<RecordId>, Error> {
        self.latest(session, |found| match (found.intent.purpose, found.state) {
            (Purpose::Change, State::Done) => Some(RecordId(found.header.id)),
            _ => None,
        })
    }

    /// The change that was undone last and can be redone.
    pub fn latest_to_redo(&self, session: Option<&str>) -> Result<Option<RecordId>, Error> {
        self.latest(session, |found| match (found.intent.purpose, found.state) {
            (Purpose::Undo(id), State::Done) => Some(RecordId(id)),
            _ => None,
        })
    }

    /// What one file of a change held before and after; none if that is not kept any more, or was never to be.
    pub fn difference(&self, id: RecordId, file: usize) -> Result<Option<Difference>, Error> {
        let Some(found) = self.find(id)? else { return Ok(None) };
        let Some(change) = found.intent.files.get(file) else { return Ok(None) };
        self.contents(&found.header, change)
    }

    pub(crate) fn find(&self, id: RecordId) -> Result<Option<Found>, Error> {
        let mut wanted = None;
        self.walk(|found| {
            if found.header.id == id.0 {
                wanted = Some(found);
            }
            wanted.is_none()
        })?;
        Ok(wanted)
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
        let mut chosen = None;
        self.walk(|found| {
            let is_ours = session.is_none() || found.intent.session.as_deref() == session;
            chosen = choose(&found).filter(|_| is_ours);
            chosen.is_none()
        })?;
        Ok(chosen)
    }

    /// Goes through the changes, the latest first, as long as `more` says so. What became of a change stands behind it,
    /// so it is known by the time the change is met.
    fn walk(&self, mut more: impl FnMut(Found) -> bool) -> Result<(), Error> {
        let mut ends: BTreeMap<u64, End> = BTreeMap::new();
        let mut undone: BTreeMap<u64, u64> = BTreeMap::new();
        let mut next = self.log.last()?;
        while let Some(at) = next {
            let Some(entry) = self.log.read(at)? else { return Ok(()) };
            let header = entry.header;
            next = header.previous;
            if header.kind == Kind::Outcome {
                // The last word counts: an outcome that was written and taken back has two.
                ends.entry(header.id).or_insert(End::read(&entry.said).unwrap_or(End::TakenBack));
                continue;
            }
            let Ok(intent) = Intent::decode(&entry.said) else { continue };
            let state = match (ends.remove(&header.id), undone.get(&header.id)) {
                (None, _) => State::UnderWay,
                (Some(End::TakenBack | End::Revoked), _) => State::TakenBack,
                (Some(End::Done), Some(by)) => State::Undone(RecordId(*by)),
                (Some(End::Done), None) => State::Done,
            };
            if let (Some(back), State::Done) = (intent.purpose.takes_back(), state) {
                undone.entry(back).or_insert(header.id);
            }
            if !more(Found { header, intent, state }) {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl Found {
    fn record(&self) -> Record {
        let Intent { time, tool, session, agent, purpose, files, .. } = &self.intent;
        let file = |file: &FileChange| FileRecord {
            path: self.intent.shown(&file.path),
            from: file.from.as_ref().map(|from| self.intent.shown(from)),
            before: file.before.as_ref().map(|old| old.version),
            after: file.after.as_ref().map(|new| new.version),
            kept: file.before.iter().chain(&file.over).all(|old| old.content.is_some())
                && file.after.as_ref().is_none_or(|new| new.content.is_some()),
        };
        Record {
            id: RecordId(self.header.id),
            time: *time,
            tool: tool.clone(),
            session: session.clone(),
            agent: agent.clone(),
            takes_back: purpose.takes_back().map(RecordId),
            state: self.state,
            files: files.iter().map(file).collect(),
        }
    }
}
