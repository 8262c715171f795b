//! Names change hands: the few steps on two held directories that a commit is made of, with what to do where the
//! file system does not know them.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::FileExt;

use rustix::fs::{
    AtFlags, Mode, OFlags, RenameFlags, linkat, openat, renameat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use crate::open::stat::{FileKind, Stat, look, look_at};
use crate::open::version::Version;

/// A name in a directory that is held.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DirEntryRef<'a> {
    pub(crate) directory: BorrowedFd<'a>,
    pub(crate) name: &'a OsStr,
}

/// What was found under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// None for anything but a regular file.
    pub(crate) version: Option<Version>,
    pub(crate) stat: Stat,
}

impl Seen {
    /// Whether both are one file with one content, whatever its name and attributes.
    pub(crate) fn same(&self, other: &Self) -> bool {
        let identity = |seen: &Self| (seen.version, seen.stat.dev, seen.stat.ino);
        identity(self) == identity(other)
    }
}

impl DirEntryRef<'_> {
    /// Opens a regular file for reading, never a link, and without waiting for anything else. None if nothing is there.
    pub(crate) fn open(self) -> Result<Option<File>, Errno> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        match openat(self.directory, self.name, flags, Mode::empty()) {
            Ok(handle) => Ok(Some(File::from(handle))),
            Err(errno) if is_nothing(errno) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// What is there, with its content hashed. None if nothing is.
    pub(crate) fn see(self) -> io::Result<Option<Seen>> {
        let file = match self.open() {
            Ok(Some(file)) => file,
            Ok(None) => return Ok(None),
            // A link, a socket, a device: something is there, and it is no regular file.
            Err(Errno::LOOP | Errno::NXIO | Errno::NODEV) => return self.look().map_err(Into::into),
            Err(errno) => return Err(errno.into()),
        };
        let stat = look(&file)?.stat;
        if stat.kind != FileKind::File {
            return Ok(Some(Seen { version: None, stat }));
        }
        Ok(Some(Seen { version: Some(version_of(&file)?), stat }))
    }

    /// Whether anything has the name.
    pub(crate) fn is_taken(self) -> Result<bool, Errno> {
        match statat(self.directory, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(errno) if is_nothing(errno) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    /// Removes the name; that it is gone already is no failure.
    pub(crate) fn remove(self) -> Result<(), Errno> {
        match unlinkat(self.directory, self.name, AtFlags::empty()) {
            Err(errno) if is_nothing(errno) => Ok(()),
            answer => answer,
        }
    }

    /// Removes the directory if it is empty; that it is not, or not there, is no failure.
    pub(crate) fn remove_if_empty(self) -> Result<(), Errno> {
        match unlinkat(self.directory, self.name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => Ok(()),
            Err(errno) if is_nothing(errno) => Ok(()),
            answer => answer,
        }
    }

    /// What is there, without its content. None if nothing is.
    pub(crate) fn look(self) -> Result<Option<Seen>, Errno> {
        match look_at(self.directory, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(look) => Ok(Some(Seen { version: None, stat: look.stat })),
            Err(errno) if is_nothing(errno) => Ok(None),
            Err(errno) => Err(errno),
        }
    }
}

/// Whether nothing has the name: none does, or none can, because the file system takes no such name. A plan may hold one
/// that could not be found out before, below a directory that was still to be made; rolling the plan back must not fail
/// on it.
fn is_nothing(errno: Errno) -> bool {
    matches!(errno, Errno::NOENT | Errno::NAMETOOLONG | Errno::INVAL | Errno::ILSEQ)
}

/// The version of what the file holds, from its beginning.
pub(crate) fn version_of(file: &File) -> io::Result<Version> {
    let mut hasher = Version::hasher();
    let mut piece = [0; 64 * 1024];
    let mut at = 0;
    loop {
        match file.read_at(&mut piece, at) {
            Ok(0) => return Ok(hasher.finish()),
            Ok(count) => {
                hasher.update(&piece[..count]);
                at += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether both names lead to one file: a rename in two steps was interrupted between them.
pub(crate) fn are_one(one: DirEntryRef<'_>, other: DirEntryRef<'_>) -> Result<bool, Errno> {
    let identity = |at: DirEntryRef<'_>| Ok(at.look()?.map(|seen| (seen.stat.dev, seen.stat.ino)));
    let (one, other) = (identity(one)?, identity(other)?);
    Ok(one.is_some() && one == other)
}

/// Gives `from` the name `to`, which nothing may have.
pub(crate) fn rename_new(from: DirEntryRef<'_>, to: DirEntryRef<'_>) -> Result<(), Errno> {
    match renameat_with(from.directory, from.name, to.directory, to.name, RenameFlags::NOREPLACE) {
        Err(errno) if is_unknown(errno) => rename_new_by_link(from, to),
        answer => answer,
    }
}

/// Two names change places. `false` where the file system cannot do this.
pub(crate) fn exchange(one: DirEntryRef<'_>, other: DirEntryRef<'_>) -> Result<bool, Errno> {
    match renameat_with(one.directory, one.name, other.directory, other.name, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(errno) if is_unknown(errno) => Ok(false),
        Err(errno) => Err(errno),
    }
}

/// A second name fails if it is taken, on every file system that has hard links: as good as the rename, in two steps.
fn rename_new_by_link(from: DirEntryRef<'_>, to: DirEntryRef<'_>) -> Result<(), Errno> {
    match linkat(from.directory, from.name, to.directory, to.name, AtFlags::empty()) {
        Ok(()) => from.remove(),
        Err(errno) if is_unknown(errno) || errno == Errno::PERM => rename_new_by_look(from, to),
        Err(errno) => Err(errno),
    }
}

/// The last resort. A program that takes the name between the look and the rename loses what it put there.
fn rename_new_by_look(from: DirEntryRef<'_>, to: DirEntryRef<'_>) -> Result<(), Errno> {
    if to.is_taken()? {
        return Err(Errno::EXIST);
    }
    renameat(from.directory, from.name, to.directory, to.name)
}

/// What a file system or a kernel says to a request that it does not know.
fn is_unknown(errno: Errno) -> bool {
    matches!(errno, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;

    /// Rolling a plan back must not fail on a name that could never be made.
    #[test]
    fn nothing_has_a_name_that_no_file_can_have() {
        let dir = tempfile::tempdir().unwrap();
        let handle = openat(rustix::fs::CWD, dir.path(), OFlags::PATH, Mode::empty()).unwrap();
        let name = "n".repeat(300);
        let at = DirEntryRef { directory: handle.as_fd(), name: OsStr::new(&name) };
        assert!(at.open().unwrap().is_none() && at.see().unwrap().is_none() && at.look().unwrap().is_none());
        assert!(!at.is_taken().unwrap());
        at.remove().unwrap();
        at.remove_if_empty().unwrap();
    }
}
