//! New content in a temporary file, complete before it gets its place.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::BorrowedFd;

use rustix::fs::{Mode, OFlags, openat};

use super::attributes::Attributes;
use super::exchange::At;
use crate::changes::set_mode;
use crate::version::Version;

/// What is to be staged.
#[derive(Debug)]
pub(crate) struct Staging<'a> {
    content: Cow<'a, [u8]>,
    version: Version,
    attributes: Option<Attributes>,
    mode: Option<u32>,
}

impl<'a> Staging<'a> {
    /// New content for a file with these attributes, or for a new file.
    pub(crate) fn new(content: &'a [u8], attributes: Option<Attributes>, mode: Option<u32>) -> Self {
        Self { version: Version::of(content), content: Cow::Borrowed(content), attributes, mode }
    }

    /// A copy of a file.
    pub(crate) fn copy(content: Vec<u8>, attributes: Attributes, mode: Option<u32>) -> Self {
        let version = Version::of(&content);
        Self { version, content: Cow::Owned(content), attributes: Some(attributes), mode }
    }

    pub(crate) fn version(&self) -> Version {
        self.version
    }

    pub(crate) fn size(&self) -> u64 {
        self.content.len() as u64
    }

    /// Whether its mode is given, or that of the file it stands for.
    pub(crate) fn has_own_mode(&self) -> bool {
        self.mode.is_some() || self.attributes.is_some()
    }

    /// Makes the file and fills it.
    pub(crate) fn write(&self, at: At<'_>) -> io::Result<File> {
        self.open(at, OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW)
    }

    /// Makes a file that has no name yet in that directory, and fills it.
    pub(crate) fn write_unnamed(&self, directory: BorrowedFd<'_>) -> io::Result<File> {
        self.open(At { directory, name: OsStr::new(".") }, OFlags::TMPFILE)
    }

    /// At no time can anybody read it who could not read the finished file: it starts with the owner's bits alone, and a
    /// new file with those that the system would give it.
    fn open(&self, at: At<'_>, how: OFlags) -> io::Result<File> {
        let mode = self.mode.or(self.attributes.as_ref().map(|attributes| attributes.mode));
        let first = Mode::from_raw_mode(mode.map_or(0o666, |mode| mode & 0o600));
        let flags = OFlags::RDWR | OFlags::CLOEXEC | how;
        let mut file = File::from(openat(at.directory, at.name, flags, first)?);
        if let Some(attributes) = &self.attributes {
            attributes.give_flags(&file);
        }
        file.write_all(&self.content)?;
        if let Some(attributes) = &self.attributes {
            attributes.give(&file)?;
        }
        if let Some(mode) = self.mode {
            set_mode(&file, mode)?;
        }
        Ok(file)
    }
}
