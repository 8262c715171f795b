//! Which version of which file a session has seen, and how much of it.
//!
//! A file is known by what was reached, not by the name it was asked under. Whether it has changed since is decided by
//! the content's hash; only where no hash was taken (a part of a very large file was read) by its fingerprint, and then
//! 'not certainly the same' counts as changed.

mod extent;
mod record;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolcrib_workspace::{Fingerprint, StateFolder, Version};

use crate::error::disk_error;
pub use extent::{Extent, Parts, Unit};
use record::Record;
use toolcrib_tool::ToolError;

/// What a session saw of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Its content had this hash.
    Version(Version),
    /// It was too large to be hashed; these facts were true of it.
    Fingerprint(Fingerprint),
}

/// How a file stands to what a session saw of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The session has not read it.
    NeverRead,
    /// It is what the session read.
    Unchanged,
    /// It is what the session read, but the session has seen only these parts of it.
    SeenInPart(Parts),
    /// Another program has changed it since.
    Changed,
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(version) => version.fmt(f),
            Self::Fingerprint(fingerprint) => fingerprint.fmt(f),
        }
    }
}

impl FromStr for Seen {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let version = text.parse().map(Self::Version);
        version.or_else(|_| text.parse().map(Self::Fingerprint)).map_err(drop)
    }
}

/// Every session's reading.
#[derive(Debug, Default)]
pub struct Ledger {
    sessions: Mutex<HashMap<String, Session>>,
    /// Where sessions are kept for other processes; none keeps them in memory alone.
    folder: Option<StateFolder>,
}

#[derive(Debug, Default)]
struct Session {
    files: HashMap<PathBuf, Sight>,
    record: Option<Record>,
}

/// What a session saw, and how much of it.
#[derive(Clone, Debug)]
struct Sight {
    content: Seen,
    extent: Extent,
}

impl Sight {
    /// Adds what was seen later. Parts of the same content add up; of another content only the later ones count.
    fn add(files: &mut HashMap<PathBuf, Self>, path: PathBuf, mut later: Self) {
        if let Some(before) = files.remove(&path)
            && before.is_of(&later)
        {
            later.extent = before.extent.and(later.extent);
        }
        files.insert(path, later);
    }

    /// Whether adding what was seen later would change nothing.
    fn covers(&self, later: &Self) -> bool {
        self.content == later.content
            && self.is_of(later)
            && (self.extent == Extent::Whole || self.extent.clone().and(later.extent.clone()) == self.extent)
    }

    fn is_of(&self, later: &Self) -> bool {
        match (&self.content, &later.content) {
            (Seen::Version(one), Seen::Version(other)) => one == other,
            (Seen::Fingerprint(one), Seen::Fingerprint(other)) => one.proves_unchanged(other),
            _ => false,
        }
    }
}

impl Ledger {
    /// How many files are remembered for one session. Beyond that the session starts anew: it has to read again.
    const MOST_FILES: usize = 100_000;

    /// A ledger that is kept in this folder, one file a session, so that calls of different processes can share one.
    #[must_use]
    pub fn kept_in(folder: StateFolder) -> Self {
        Self { sessions: Mutex::default(), folder: Some(folder) }
    }

    /// Remembers that a session read a file, or a part of it.
    ///
    /// # Errors
    ///
    /// If it cannot be kept. It is remembered all the same, as long as this ledger lives.
    pub fn read(
        &self,
        session: &str,
        reached: &Path,
        content: Seen,
        extent: Extent,
    ) -> Result<(), ToolError> {
        let mut sessions = self.lock();
        self.session(&mut sessions, session)?.add(reached, Sight { content, extent })
    }

    /// Remembers that a session made a change. It has seen all of the result if it had seen all of what was there before,
    /// or if there was nothing.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub fn wrote(&self, session: &str, written: Written<'_>) -> Result<(), ToolError> {
        let mut sessions = self.lock();
        let session = self.session(&mut sessions, session)?;
        let saw_all = |version: Version| {
            session
                .files
                .get(written.from)
                .is_some_and(|sight| sight.content == Seen::Version(version) && sight.extent == Extent::Whole)
        };
        let extent = if written.before.is_none_or(saw_all) { Extent::Whole } else { Extent::none() };
        session.add(written.reached, Sight { content: Seen::Version(written.after), extent })
    }

    /// A directory was moved: what the session has seen in it, it has seen under the new name.
    ///
    /// # Errors
    ///
    /// If it cannot be kept.
    pub fn moved(&self, session: &str, from: &Path, to: &Path) -> Result<(), ToolError> {
        if from == to {
            return Ok(());
        }
        let mut sessions = self.lock();
        let session = self.session(&mut sessions, session)?;
        let inside = session
            .files
            .iter()
            .filter_map(|(path, sight)| Some((to.join(path.strip_prefix(from).ok()?), sight.clone())));
        let inside: Vec<_> = inside.collect();
        inside.into_iter().try_for_each(|(path, sight)| session.add(&path, sight))
    }

    /// How the content that is there now stands to what the session saw.
    ///
    /// # Errors
    ///
    /// If what was kept cannot be read.
    pub fn standing(
        &self,
        session: &str,
        reached: &Path,
        version: &Version,
        fingerprint: &Fingerprint,
    ) -> Result<Standing, ToolError> {
        let mut sessions = self.lock();
        let session = self.session(&mut sessions, session)?;
        let Some(sight) = session.files.get_mut(reached) else { return Ok(Standing::NeverRead) };
        let same = match &sight.content {
            Seen::Version(seen) => seen == version,
            Seen::Fingerprint(seen) => seen.proves_unchanged(fingerprint),
        };
        if !same {
            return Ok(Standing::Changed);
        }
        // Now that it was hashed, it is known by its hash.
        sight.content = Seen::Version(*version);
        Ok(match &sight.extent {
            Extent::Whole => Standing::Unchanged,
            Extent::Parts(parts) => Standing::SeenInPart(parts.clone()),
        })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session as it stands now, other processes' part included.
    fn session<'s>(
        &self,
        sessions: &'s mut HashMap<String, Session>,
        name: &str,
    ) -> Result<&'s mut Session, ToolError> {
        let session = sessions.entry(name.to_owned()).or_default();
        if let Some(folder) = &self.folder {
            let record = match &mut session.record {
                Some(record) => record,
                none => none.insert(Record::open(folder, name).map_err(disk_error)?),
            };
            record.catch_up(&mut session.files)?;
        }
        Ok(session)
    }
}

impl Session {
    fn add(&mut self, reached: &Path, sight: Sight) -> Result<(), ToolError> {
        // An agent reads the same file again and again.
        let is_kept = self.record.as_ref().is_none_or(Record::was_used_lately);
        if is_kept && self.files.get(reached).is_some_and(|before| before.covers(&sight)) {
            return Ok(());
        }
        if self.files.len() >= Ledger::MOST_FILES && !self.files.contains_key(reached) {
            self.files.clear();
        }
        let kept = match &mut self.record {
            Some(record) => record.add(reached, &sight),
            None => Ok(()),
        };
        Sight::add(&mut self.files, reached.to_owned(), sight);
        kept
    }
}

/// A change that a session made to one file.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// Where the file was before; of a move, its old name.
    pub from: &'a Path,
    /// Where it is.
    pub reached: &'a Path,
    /// What it held before; none if there was no file.
    pub before: Option<Version>,
    /// What it holds now.
    pub after: Version,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(seen: impl IntoIterator<Item = u64>) -> Extent {
        Extent::of(Unit::Lines, seen, Some(4))
    }

    /// A large file is known by its fingerprint until it has to be hashed.
    #[test]
    fn a_file_that_was_not_hashed_is_known_by_its_hash_later() {
        let (ledger, path) = (Ledger::default(), Path::new("/ws/large"));
        let fingerprint: Fingerprint = "10 1 2 0 0 1".parse().unwrap();
        let [before, after, last] = [b"before", b"after.", b"last.."].map(|bytes| Version::of(bytes));
        let standing = |version: &Version| ledger.standing("s", path, version, &fingerprint).unwrap();
        assert_eq!(standing(&before), Standing::NeverRead);
        ledger.read("s", path, Seen::Fingerprint(fingerprint), lines([1, 2])).unwrap();
        assert!(matches!(standing(&before), Standing::SeenInPart(_)));
        ledger.read("s", path, Seen::Version(before), lines([3, 4])).unwrap();
        assert_eq!(standing(&before), Standing::Unchanged);
        for (before, after) in [(before, after), (after, last)] {
            ledger.wrote("s", Written { from: path, reached: path, before: Some(before), after }).unwrap();
            assert_eq!(standing(&after), Standing::Unchanged);
        }
    }

    #[test]
    fn a_fingerprint_that_proves_nothing_adds_nothing() {
        let (ledger, path) = (Ledger::default(), Path::new("/ws/large"));
        for certain in [0, 1] {
            let fingerprint: Fingerprint = format!("10 1 2 0 0 {certain}").parse().unwrap();
            let part = if certain == 0 { [1, 2] } else { [3, 4] };
            ledger.read("s", path, Seen::Fingerprint(fingerprint), lines(part)).unwrap();
        }
        let now: Fingerprint = "10 1 2 0 0 1".parse().unwrap();
        let standing = ledger.standing("s", path, &Version::of(b"x"), &now).unwrap();
        assert!(
            matches!(&standing, Standing::SeenInPart(parts) if parts.to_string() == "lines 1-2 of 4"),
            "{standing:?}"
        );
    }

    #[test]
    fn what_was_seen_before_is_not_recorded_again() {
        let dir = tempfile::tempdir().unwrap();
        let folder = || StateFolder::open(&dir.path().join("sessions")).unwrap();
        let (ours, theirs, path) = (Ledger::kept_in(folder()), Ledger::kept_in(folder()), Path::new("/ws/a"));
        let size = || {
            let names = folder().names().unwrap();
            folder().open_file(&names[0]).unwrap().unwrap().metadata().unwrap().len()
        };
        let [one, other] = [b"one", b"two"].map(|bytes| Seen::Version(Version::of(bytes)));
        let mut sizes = vec![0];
        let mut read = |ledger: &Ledger, seen: &Seen, extent: Extent, grows: bool| {
            ledger.read("s", path, seen.clone(), extent.clone()).unwrap();
            assert_eq!(size() > sizes[sizes.len() - 1], grows, "{seen} {extent:?}");
            sizes.push(size());
        };
        read(&ours, &one, lines([1, 2]), true);
        read(&ours, &one, lines([2]), false);
        read(&ours, &one, lines([3]), true);
        read(&ours, &one, Extent::Whole, true);
        read(&ours, &one, lines([1]), false);
        read(&theirs, &other, Extent::Whole, true);
        read(&ours, &one, Extent::Whole, true);
        read(&ours, &one, Extent::Whole, false);
        let fingerprint: Fingerprint = "7 1 2 0 0 1".parse().unwrap();
        let standing = theirs.standing("s", path, &Version::of(b"one"), &fingerprint).unwrap();
        assert_eq!(standing, Standing::Unchanged, "what one process adds the others know");
    }

    #[test]
    fn what_is_moved_is_known_as_far_as_it_was() {
        let (ledger, old, new) = (Ledger::default(), Path::new("/ws/old"), Path::new("/ws/new"));
        let version = Version::of(b"content");
        let fingerprint: Fingerprint = "7 1 2 0 0 1".parse().unwrap();
        for (seen, known) in [(lines([1]), false), (Extent::Whole, true)] {
            ledger.read("s", old, Seen::Version(version), seen).unwrap();
            ledger
                .wrote("s", Written { from: old, reached: new, before: Some(version), after: version })
                .unwrap();
            let standing = ledger.standing("s", new, &version, &fingerprint).unwrap();
            assert_eq!(standing == Standing::Unchanged, known, "{standing:?}");
        }
    }
}
