//! A regular file that was opened for reading, and what is known about it.

use std::fs::File;
use std::os::fd::OwnedFd;

use crate::path::WorkspacePath;
use crate::resolve::Found;
use crate::stat::Stat;

/// A regular file, open for reading.
#[derive(Debug)]
pub struct OpenFile {
    file: File,
    reached: WorkspacePath,
    stat: Stat,
}

impl OpenFile {
    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The open file alone.
    pub fn into_file(self) -> File {
        self.file
    }

    /// What was really reached, links resolved. Rules and ledgers know the file by this name.
    pub fn reached(&self) -> &WorkspacePath {
        &self.reached
    }

    /// What the kernel said of it at the open.
    pub fn stat(&self) -> &Stat {
        &self.stat
    }

    pub(crate) fn new(found: Found) -> Self {
        Self::from_parts(found.handle, found.reached, found.stat)
    }

    pub(crate) fn from_parts(handle: OwnedFd, reached: WorkspacePath, stat: Stat) -> Self {
        Self { file: File::from(handle), reached, stat }
    }
}
