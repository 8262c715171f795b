//! What a name leads to at one moment, whole: for those who compare it with what it leads to later.
//!
//! A link is what it says and is not followed. Nothing here knows why it is compared.

use std::fs::File;
use std::path::PathBuf;

use crate::commit::Attributes;
use crate::error::{Doing, Error, ErrorKind};
use crate::open::resolve::{self, Want};
use crate::open::stat::{FileKind, Links, look};
use crate::open::version::Version;
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

/// What has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image {
    /// Nothing has it.
    Absent,
    /// A regular file.
    File(FileImage),
    /// A symbolic link, and what it says.
    Link(PathBuf),
    /// A directory, whatever is in it.
    Directory(Attributes),
    /// Anything else: a pipe, a socket, a device.
    Other(FileKind),
}

/// A regular file as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileImage {
    /// The content's version.
    pub version: Version,
    /// Its mode, owner and extended attributes.
    pub attributes: Attributes,
    /// Its content; none if it is not to be kept.
    pub content: Option<Vec<u8>>,
}

impl Image {
    /// The version of the content: of a link that of the path it says, of a directory that of nothing.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        match self {
            Self::Absent | Self::Other(_) => None,
            Self::File(file) => Some(file.version),
            Self::Link(target) => Some(Version::of(target.as_os_str().as_encoded_bytes())),
            Self::Directory(_) => Some(Version::of(b"")),
        }
    }

    /// Whether nothing that a change could restore differs: the kind, the content, and the mode of a file.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(one), Self::File(other)) => {
                one.version == other.version && one.attributes.mode == other.attributes.mode
            }
            (Self::Link(one), Self::Link(other)) => one == other,
            (Self::Absent, Self::Absent)
            | (Self::Directory(_), Self::Directory(_))
            | (Self::Other(_), Self::Other(_)) => true,
            _ => false,
        }
    }
}

impl Workspace {
    /// What has this name now. The path has been [reached](Workspace::reach): if a directory on it is a link by now,
    /// nothing has the name.
    ///
    /// # Errors
    ///
    /// If it cannot be read, does not come to rest, or is a file of more than `limit` bytes.
    pub fn image(&self, path: &WorkspacePath, limit: u64) -> Result<Image, Error> {
        for _ in 0..ATTEMPTS {
            let found = match resolve::open(&self.0, path, Want::Look(Links::Keep)) {
                Ok(found) => found,
                Err(error) if leads_elsewhere(error.kind()) => return Ok(Image::Absent),
                Err(error) => return Err(error),
            };
            if found.reached != *path {
                return Ok(Image::Absent);
            }
            let image = match found.look.stat.kind {
                FileKind::File => self.file_image(path, limit).map(|file| file.map(Image::File)),
                FileKind::Directory => {
                    self.directory_attributes(path).map(|found| Some(Image::Directory(found)))
                }
                FileKind::Symlink => self.read_link(path).map(|target| Some(Image::Link(target))),
                other => return Ok(Image::Other(other)),
            };
            match image {
                Ok(Some(image)) => return Ok(image),
                // It is something else by now.
                Ok(None) => {}
                Err(error) if has_changed(error.kind()) => {}
                Err(error) => return Err(error),
            }
        }
        Err(self.0.error(ErrorKind::Changed, Doing::ReadFile, path))
    }

    /// None if another file has the name by the time that its attributes are read.
    fn file_image(&self, path: &WorkspacePath, limit: u64) -> Result<Option<FileImage>, Error> {
        let snapshot = self.snapshot_within(path, limit)?;
        let file = self.open_file(path)?;
        let (then, now) = (snapshot.stat(), file.stat());
        let is_same = (then.dev, then.ino, then.ctime) == (now.dev, now.ino, now.ctime);
        if !is_same || file.reached() != path {
            return Ok(None);
        }
        let fail = |error| Error::io(error, Doing::ReadFile, self.0.show(path)).at(path);
        let attributes = Attributes::of(file.file(), now).map_err(fail)?;
        let version = snapshot.version();
        Ok(Some(FileImage { version, attributes, content: Some(snapshot.into_bytes()) }))
    }

    fn directory_attributes(&self, path: &WorkspacePath) -> Result<Attributes, Error> {
        let fail = |error| Error::io(error, Doing::ReadDirectory, self.0.show(path)).at(path);
        let handle = self.open_dir(path)?.reopen().map_err(|errno| fail(errno.into()))?;
        let file = File::from(handle);
        let stat = look(&file).map_err(|errno| fail(errno.into()))?.stat;
        Attributes::of(&file, &stat).map_err(fail)
    }
}

/// Whether nothing has the name: a directory above it is not there, or is a link by now.
fn leads_elsewhere(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::NotDirectory
            | ErrorKind::Outside
            | ErrorKind::LinkLoop
            | ErrorKind::DanglingLink
    )
}

/// What says that something else has the name than a moment ago.
fn has_changed(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::NotDirectory
            | ErrorKind::IsDirectory
            | ErrorKind::NotRegular(_)
            | ErrorKind::DanglingLink
            | ErrorKind::InvalidName
    )
}

/// What is replaced so often while it is looked at is replaced all the time.
const ATTEMPTS: usize = 8;
