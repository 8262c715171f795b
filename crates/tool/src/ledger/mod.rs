//! Which version of which file a session has seen.
//!
//! A file is known by what was reached, not by the name it was asked under. Whether it has changed since is decided by
//! the content's hash; only where no hash was taken (a part of a very large file was read) by its fingerprint, and then
//! 'not certainly the same' counts as changed.

mod record;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolcrib_workspace::{Fingerprint, StateFolder, Version};

use crate::ToolError;
use record::Record;

/// What a session saw of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Its content had this hash.
    Version(Version),
    /// It was too large to be hashed; these facts were true of it.
    Fingerprint(Fingerprint),
}

/// How a file stands to what a session saw of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The session has not read it.
    NeverRead,
    /// It is what the session read.
    Unchanged,
    /// Somebody has changed it since.
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
    files: HashMap<PathBuf, Seen>,
    record: Option<Record>,
}

impl Ledger {
    /// How many files are remembered for one session. Beyond that the session starts anew: it has to read again.
    const MOST_FILES: usize = 100_000;

    /// A ledger that is kept in this folder, one file a session, so that calls of different processes can share one.
    #[must_use]
    pub fn kept_in(folder: StateFolder) -> Self {
        Self { sessions: Mutex::default(), folder: Some(folder) }
    }

    /// Remembers that a session saw a file: it read it, or wrote it itself.
    ///
    /// # Errors
    ///
    /// If it cannot be kept. It is remembered all the same, as long as this ledger lives.
    pub fn saw(&self, session: &str, reached: &Path, seen: Seen) -> Result<(), ToolError> {
        let mut sessions = self.lock();
        let session = self.session(&mut sessions, session)?;
        if session.files.len() >= Self::MOST_FILES && !session.files.contains_key(reached) {
            session.files.clear();
        }
        let kept = match &mut session.record {
            Some(record) => record.add(reached, &seen),
            None => Ok(()),
        };
        session.files.insert(reached.to_owned(), seen);
        kept
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
        let same = match session.files.get(reached) {
            None => return Ok(Standing::NeverRead),
            Some(Seen::Version(seen)) => seen == version,
            Some(Seen::Fingerprint(seen)) => seen.proves_unchanged(fingerprint),
        };
        Ok(if same { Standing::Unchanged } else { Standing::Changed })
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
                none => none.insert(Record::open(folder, name)?),
            };
            record.catch_up(&mut session.files)?;
        }
        Ok(session)
    }
}
