//! A regular file that was opened for reading, and what is known about it.

use std::fs::File;

use rustix::io::Errno;

use crate::commit::Attributes;
use crate::error::{Doing, Error};
use crate::open::fingerprint::Fingerprint;
use crate::open::resolve::Found;
use crate::open::stat::{Look, Stat, look};
use crate::path::WorkspacePath;

/// A regular file, open for reading.
#[derive(Debug)]
pub struct OpenFile {
    file: File,
    reached: WorkspacePath,
    look: Look,
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
        &self.look.stat
    }

    /// The fingerprint it had at the open.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.file, &self.look)
    }

    /// What the kernel says of it now.
    pub(crate) fn look_again(&self) -> Result<Stat, Errno> {
        Ok(look(&self.file)?.stat)
    }

    /// Its mode, owner and extended attributes.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    pub fn attributes(&self) -> Result<Attributes, Error> {
        let fail = |error| Error::io(error, Doing::ReadFile, self.reached.show()).at(&self.reached);
        Attributes::of(&self.file, &self.look.stat).map_err(fail)
    }

    pub(crate) fn new(found: Found) -> Self {
        Self { file: File::from(found.handle), reached: found.reached, look: found.look }
    }

    pub(crate) fn look(&self) -> &Look {
        &self.look
    }
}
