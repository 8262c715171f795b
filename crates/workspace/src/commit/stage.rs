//! New content in a temporary file, complete before it gets its place.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::BorrowedFd;

use rustix::fs::{Mode, OFlags, openat};

use super::attributes::Attributes;
use super::exchange::DirEntryRef;
use crate::open::dir::mutate::set_mode;
use crate::open::stat::look;
use crate::open::version::Version;

/// What is to be staged.
#[derive(Debug)]
pub(crate) struct Staging<'a> {
    content: Cow<'a, [u8]>,
    version: Version,
    attributes: Option<Attributes>,
    mode: Option<u32>,
}

impl<'a> Staging<'a> {
    /// New content, of this version, for a file with these attributes, or for a new file.
    pub(crate) fn new(
        content: &'a [u8],
        version: Version,
        attributes: Option<Attributes>,
        mode: Option<u32>,
    ) -> Self {
        Self { version, content: Cow::Borrowed(content), attributes, mode }
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

    /// Makes the file and fills it.
    pub(crate) fn write(&self, at: DirEntryRef<'_>) -> io::Result<File> {
        self.open(at, OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW)
    }

    /// Makes a file that has no name yet in that directory, and fills it. None if the system has forgotten which bits this
    /// process withholds from new files: some did so for files without names, and then the file has all bits.
    pub(crate) fn write_unnamed(&self, directory: BorrowedFd<'_>) -> io::Result<Option<File>> {
        let file = self.open(DirEntryRef { directory, name: OsStr::new(".") }, OFlags::TMPFILE)?;
        let is_new = self.mode.is_none() && self.attributes.is_none();
        let is_doubtful = is_new && look(&file)?.stat.mode == EVERYBODY;
        Ok((!is_doubtful).then_some(file))
    }

    /// At no time can anybody read it who could not read the finished file: it starts with the owner's bits alone, and a
    /// new file with those that the system would give it.
    fn open(&self, at: DirEntryRef<'_>, how: OFlags) -> io::Result<File> {
        let mode = self.mode.or(self.attributes.as_ref().map(|attributes| attributes.mode));
        let first = Mode::from_raw_mode(mode.map_or(EVERYBODY, |mode| mode & 0o600));
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

/// What new files are made with, less what the process withholds.
const EVERYBODY: u32 = 0o666;
