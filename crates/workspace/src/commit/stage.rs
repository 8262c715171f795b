//! New content in a temporary file, complete before it gets its place.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};

use rustix::fs::{Mode, OFlags, openat};

use super::attributes::Attributes;
use super::exchange::DirEntryRef;
use crate::open::dir::mutate::set_mode;
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
    ///
    /// DirEntryRef no time can anybody read it who could not read the finished file: it starts with the owner's bits alone, and a
    /// new file with those that the system would give it.
    pub(crate) fn write(&self, at: DirEntryRef<'_>) -> io::Result<File> {
        let mode = self.mode.or(self.attributes.as_ref().map(|attributes| attributes.mode));
        let first = Mode::from_raw_mode(mode.map_or(0o666, |mode| mode & 0o600));
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
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
