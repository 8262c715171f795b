//! Changing what is in a directory that is held: the primitives that a commit is made of.
//!
//! They are for `Workspace::commit`, and for tests. A tool proposes a change and never calls them: only the commit
//! knows how to roll back what it has half done. Each takes single names relative to a handle, so that nothing that
//! happens to the path above can move the change elsewhere.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::AsFd;

use rustix::fs::{AtFlags, Gid, Mode, OFlags, RenameFlags, Uid};
use rustix::fs::{fchmod, fchown, fsync, mkdirat, openat, renameat_with, unlinkat};

use crate::error::{Doing, Error};
use crate::open::dir::Dir;

/// What a rename does with something that already has the new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rename {
    /// Take its place.
    Replace,
    /// Fail with [`AlreadyExists`](crate::ErrorKind::AlreadyExists).
    NoReplace,
    /// Give it the old name: both change places in one step.
    Exchange,
}

impl Dir {
    /// Makes a new file and opens it for reading and writing; fails if anything has that name, a dangling link too.
    ///
    /// The process's umask takes bits away from `mode`; [`set_mode`] gives exactly what is wanted.
    pub fn create_new(&self, name: &OsStr, mode: u32) -> Result<File, Error> {
        self.single(name)?;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = openat(self.handle(), name, flags, Mode::from_raw_mode(mode));
        Ok(File::from(handle.map_err(|errno| self.system(errno, Doing::Change, name))?))
    }

    /// Makes a directory. The umask counts as for [`create_new`](Dir::create_new).
    pub fn make_dir(&self, name: &OsStr, mode: u32) -> Result<(), Error> {
        self.single(name)?;
        mkdirat(self.handle(), name, Mode::from_raw_mode(mode))
            .map_err(|errno| self.system(errno, Doing::Change, name))
    }

    /// Removes a name of anything but a directory; a link itself, not what it points to.
    pub fn remove_file(&self, name: &OsStr) -> Result<(), Error> {
        self.remove(name, AtFlags::empty())
    }

    /// Removes an empty directory.
    pub fn remove_dir(&self, name: &OsStr) -> Result<(), Error> {
        self.remove(name, AtFlags::REMOVEDIR)
    }

    /// Renames an entry of this directory to `new_name` in `new_dir`, in one step. Links are moved, not followed.
    pub fn rename(&self, name: &OsStr, new_dir: &Self, new_name: &OsStr, how: Rename) -> Result<(), Error> {
        self.single(name)?;
        new_dir.single(new_name)?;
        let flags = match how {
            Rename::Replace => RenameFlags::empty(),
            Rename::NoReplace => RenameFlags::NOREPLACE,
            Rename::Exchange => RenameFlags::EXCHANGE,
        };
        renameat_with(self.handle(), name, new_dir.handle(), new_name, flags)
            .map_err(|errno| new_dir.system(errno, Doing::Change, new_name))
    }

    /// Waits until the names in this directory are on the disk.
    pub fn sync(&self) -> Result<(), Error> {
        self.reopen().and_then(fsync).map_err(|errno| self.system(errno, Doing::Change, OsStr::new("")))
    }

    fn remove(&self, name: &OsStr, flags: AtFlags) -> Result<(), Error> {
        self.single(name)?;
        unlinkat(self.handle(), name, flags).map_err(|errno| self.system(errno, Doing::Change, name))
    }
}

/// Sets the permission bits of an open file, whatever the umask.
pub fn set_mode(file: impl AsFd, mode: u32) -> std::io::Result<()> {
    Ok(fchmod(file, Mode::from_raw_mode(mode))?)
}

/// Sets the owner and group of an open file. Set the mode afterwards: the kernel drops set-user-id bits here.
pub fn set_owner(file: impl AsFd, uid: u32, gid: u32) -> std::io::Result<()> {
    Ok(fchown(file, Some(Uid::from_raw(uid)), Some(Gid::from_raw(gid)))?)
}
