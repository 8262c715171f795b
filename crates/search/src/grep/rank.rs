//! In which order files with matches are shown. Every order is total, so that pages do not overlap.

use std::cmp::Reverse;
use std::ffi::OsString;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::best::Weighs;

/// What comes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Files whose name matches, then those with more matches, then the newer ones, then by path.
    #[default]
    Relevance,
    /// By path.
    Path,
    /// The newest, then by path.
    Modified,
}

/// A file with matches. The order is the one that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileMatches {
    key: (Reverse<bool>, Reverse<u64>, Reverse<SystemTime>),
    // Compared byte by byte, as the walk in order does.
    path: OsString,
    count: u64,
}

impl Weighs for FileMatches {
    fn weight(&self) -> usize {
        size_of::<Self>() + self.path.len()
    }
}

impl FileMatches {
    pub(crate) fn new(sort: Sort, path: &Path, named: bool, count: u64, modified: SystemTime) -> Self {
        let key = match sort {
            Sort::Relevance => (Reverse(named), Reverse(count), Reverse(modified)),
            Sort::Path => (Reverse(false), Reverse(0), Reverse(UNIX_EPOCH)),
            Sort::Modified => (Reverse(false), Reverse(0), Reverse(modified)),
        };
        Self { key, path: path.into(), count }
    }

    /// The path from where the search started.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(&self.path)
    }

    /// How many matches it has.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }
}
