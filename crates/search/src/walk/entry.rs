//! One thing that a walk found.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::SystemTime;

use toolcrib_workspace::{Dir, Error, FileKind};

use super::{Job, Node};
use toolcrib_index::is_excluded;

/// An entry of a directory that is held open.
pub struct Entry<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) node: &'a Node,
    /// From the root of the workspace.
    pub(super) path: &'a [u8],
    pub(super) name: &'a OsStr,
    pub(super) kind: FileKind,
    /// What an index knows of it.
    pub(super) known: Option<Brief>,
}

/// What a listing says of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brief {
    /// What it is; a link is a link.
    pub kind: FileKind,
    /// Bytes of a file.
    pub size: u64,
    /// When its content last changed.
    pub modified: SystemTime,
    /// Its permission bits. An index does not know them.
    pub mode: Option<u32>,
}

impl<'a> Entry<'a> {
    /// The directory it lies in.
    ///
    /// # Errors
    ///
    /// If it is not open yet and cannot be opened.
    pub fn dir(&self) -> Result<&'a Dir, Error> {
        Ok(self.node.dir(self.job.start).inspect_err(|error| self.job.not_read(error))?)
    }

    /// What it is now; nothing, if it is a file of which another name is withheld.
    ///
    /// # Errors
    ///
    /// If it vanished meanwhile, or may not be looked at.
    pub fn brief(&self) -> Result<Option<Brief>, Error> {
        if self.known.is_some() {
            return Ok(self.known);
        }
        let stat = self.dir()?.look(self.name)?;
        let mode = Some(stat.mode & 0o7777);
        let brief = Brief { kind: stat.kind, size: stat.size, modified: stat.mtime, mode };
        Ok(self.may_show_linked(&stat).then_some(brief))
    }

    /// Its name in there.
    #[must_use]
    pub fn name(&self) -> &'a OsStr {
        self.name
    }

    /// What it is; a link is a link.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        self.kind
    }

    /// Its path from where the walk started.
    #[must_use]
    pub fn path(&self) -> &'a Path {
        Path::new(OsStr::from_bytes(&self.path[self.job.start.skip()..]))
    }

    /// How many directories lie between it and the start.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.node.depth
    }

    /// Whether the policy lets it be shown.
    #[must_use]
    pub fn may_show(&self) -> bool {
        let (visibility, path) = (self.job.visibility, Path::new(OsStr::from_bytes(self.path)));
        if !self.node.wary && !visibility.may_hide(self.name) {
            return true;
        }
        if self.kind == FileKind::Directory {
            visibility.shows_directory(path)
        } else {
            visibility.shows(path)
        }
    }

    /// Whether it is a directory that is left out unless the caller asks for it, see [`is_excluded`](crate::is_excluded).
    #[must_use]
    pub fn is_excluded(&self) -> bool {
        self.kind == FileKind::Directory && !self.node.rules.show_ignored() && is_excluded(self.name)
    }

    pub(super) fn is_left_out(&self) -> bool {
        self.is_excluded() || self.is_ruled_out()
    }

    /// By what the caller excludes, or by an ignore file.
    pub(super) fn is_ruled_out(&self) -> bool {
        let directory = self.kind == FileKind::Directory;
        self.job.options.exclude.excludes(self.path(), directory)
            || self.node.rules.ignore(self.path, directory)
    }

    pub(super) fn is_hidden(&self) -> bool {
        !self.job.options.hidden && self.name.as_bytes().first() == Some(&b'.')
    }
}
