//! Which version of which file a session has seen.
//!
//! A file is known by what was reached, not by the name it was asked under. Whether it has changed since is decided by
//! the content's hash; only where no hash was taken (a part of a very large file was read) by its fingerprint, and then
//! 'not certainly the same' counts as changed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use toolcrib_workspace::{Fingerprint, Version};

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

/// Every session's reading.
#[derive(Debug, Default)]
pub struct Ledger {
    sessions: Mutex<HashMap<String, HashMap<PathBuf, Seen>>>,
}

impl Ledger {
    /// How many files are remembered for one session. Beyond that the session starts anew: it has to read again.
    const MOST_FILES: usize = 100_000;

    /// Remembers that a session saw a file: it read it, or wrote it itself.
    pub fn saw(&self, session: &str, reached: &Path, seen: Seen) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let files = sessions.entry(session.to_owned()).or_default();
        if files.len() >= Self::MOST_FILES && !files.contains_key(reached) {
            files.clear();
        }
        files.insert(reached.to_owned(), seen);
    }

    /// How the content that is there now stands to what the session saw.
    #[must_use]
    pub fn standing(
        &self,
        session: &str,
        reached: &Path,
        version: &Version,
        fingerprint: &Fingerprint,
    ) -> Standing {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let same = match sessions.get(session).and_then(|files| files.get(reached)) {
            None => return Standing::NeverRead,
            Some(Seen::Version(seen)) => seen == version,
            Some(Seen::Fingerprint(seen)) => seen.proves_unchanged(fingerprint),
        };
        if same { Standing::Unchanged } else { Standing::Changed }
    }

    /// Forgets a session.
    pub fn forget(&self, session: &str) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(session);
    }
}
