//! The entries of a directory, as the kernel hands them out.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use rustix::io::Errno;

use crate::error::{Doing, Error, ErrorKind};
use crate::open::dir::Dir;
use crate::open::stat::{FileKind, Links};

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name, in whatever bytes it has.
    pub name: OsString,
    /// What it is; a link is a link.
    pub kind: FileKind,
}

/// Iterates over the entries of a [`Dir`]. An entry that vanishes meanwhile is skipped.
#[derive(Debug)]
pub struct Entries<'a> {
    dir: &'a Dir,
    stream: rustix::fs::Dir,
}

impl<'a> Entries<'a> {
    pub(crate) fn new(dir: &'a Dir, handle: OwnedFd) -> Result<Self, Errno> {
        Ok(Self { dir, stream: rustix::fs::Dir::new(handle)? })
    }

    /// Some file systems do not say in the entry what it is.
    fn ask_kind(&self, name: &OsStr) -> Option<Result<FileKind, Error>> {
        match self.dir.stat(name, Links::Keep) {
            Ok(stat) => Some(Ok(stat.kind)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => Some(Err(error)),
        }
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let entry = match self.stream.read()? {
                Ok(entry) => entry,
                Err(errno) => return Some(Err(self.dir.system(errno, Doing::ReadDirectory, OsStr::new("")))),
            };
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if !self.dir.lists(name, entry.ino()) {
                continue;
            }
            let kind = match FileKind::from_type(entry.file_type()) {
                Some(kind) => Ok(kind),
                None => match self.ask_kind(name) {
                    Some(kind) => kind,
                    None => continue,
                },
            };
            return Some(kind.map(|kind| Entry { name: name.to_owned(), kind }));
        }
    }
}
