//! A directory that is held open: its entries, and single steps down from it.
//!
//! Every step takes one name and follows no link, so a walk from a [`Dir`] stays below it whatever happens to
//! the names above. Changing what is in it lives in [`crate::open::dir::mutate`].

pub(crate) mod entries;
pub(crate) mod mutate;
mod scan;

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, openat, readlinkat};
use rustix::io::Errno;

use crate::commit::is_temporary;
use crate::error::{Doing, Error, ErrorKind};
use crate::open::dir::entries::Entries;
use crate::open::file::OpenFile;
use crate::open::resolve::{self, Backend, Found, Want};
use crate::open::stat::{FileKind, Links, Look, Stat, look, look_at};
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

pub use scan::ScanBuffer;

/// A directory, held.
#[derive(Debug)]
pub struct Dir {
    workspace: Workspace,
    handle: OwnedFd,
    reached: WorkspacePath,
    /// Whether the handle can be read and no reader has begun to: its position is shared by all who read from it.
    unread: AtomicBool,
}

impl Dir {
    /// What was really reached, links resolved, when it was opened.
    pub fn reached(&self) -> &WorkspacePath {
        &self.reached
    }

    /// The device and the number of the directory itself, which stay whatever it is called; none if the kernel does not say.
    pub fn identity(&self) -> Option<(u64, u64)> {
        look(&self.handle).ok().map(|look| (look.stat.dev, look.stat.ino))
    }

    /// The entries in the order the file system gives them, without `.` and `..`.
    ///
    /// Each call starts from the beginning.
    pub fn entries(&self) -> Result<Entries<'_>, Error> {
        let fail = |errno| self.workspace.0.system(errno, Doing::ReadDirectory, &self.reached);
        let handle = if self.unread.swap(false, Ordering::Relaxed) {
            rustix::io::fcntl_dupfd_cloexec(&self.handle, 0).map_err(fail)?
        } else {
            self.reopen().map_err(fail)?
        };
        Entries::new(self, handle).map_err(fail)
    }

    /// Opens a directory in this one for reading. A link is refused.
    pub fn open_dir(&self, name: &OsStr) -> Result<Self, Error> {
        let (handle, _) = self.step(name, Want::Directory, OFlags::RDONLY | OFlags::DIRECTORY)?;
        Ok(Self::readable(self.workspace.clone(), handle, self.reached.join(name)))
    }

    /// Opens a regular file in this directory for reading. A link is refused.
    ///
    /// A named pipe or a device is opened without waiting before it is refused; a walker that knows the kind from
    /// the entry need not ask.
    pub fn open_file(&self, name: &OsStr) -> Result<OpenFile, Error> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let (handle, look) = self.step(name, Want::File, flags)?;
        Ok(OpenFile::new(Found { handle, look, reached: self.reached.join(name) }))
    }

    /// Facts about an entry. With [`Links::Follow`] a link is followed as far as it stays in the workspace.
    pub fn stat(&self, name: &OsStr, links: Links) -> Result<Stat, Error> {
        let (_, look) = self.step(name, Want::Look(Links::Keep), OFlags::PATH)?;
        if look.stat.kind == FileKind::Symlink && links == Links::Follow {
            return self.workspace.stat(&self.reached.join(name), links);
        }
        Ok(look.stat)
    }

    /// What a symbolic link in this directory says.
    pub fn read_link(&self, name: &OsStr) -> Result<PathBuf, Error> {
        let (handle, look) = self.step(name, Want::Look(Links::Keep), OFlags::PATH)?;
        if look.stat.kind != FileKind::Symlink {
            return Err(self.error(ErrorKind::InvalidName, Doing::Look, name).detail("not a symbolic link"));
        }
        link_target(&handle).map_err(|errno| self.system(errno, Doing::Look, name))
    }

    /// A directory in this one, only to stand in. A link is refused.
    pub(crate) fn step_into(&self, name: &OsStr) -> Result<Self, Error> {
        let (handle, _) = self.step(name, Want::Directory, OFlags::PATH | OFlags::DIRECTORY)?;
        Ok(Self::standing(self.workspace.clone(), handle, self.reached.join(name)))
    }

    pub(crate) fn readable(workspace: Workspace, handle: OwnedFd, reached: WorkspacePath) -> Self {
        Self { workspace, handle, reached, unread: AtomicBool::new(true) }
    }

    /// From a handle that only stands for the directory.
    pub(crate) fn standing(workspace: Workspace, handle: OwnedFd, reached: WorkspacePath) -> Self {
        Self { workspace, handle, reached, unread: AtomicBool::new(false) }
    }

    pub(crate) fn handle(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }

    /// The same directory again, readable and at its beginning.
    pub(crate) fn reopen(&self) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(&self.handle, c".", flags, Mode::empty())
    }

    pub(crate) fn error(&self, kind: ErrorKind, doing: Doing, name: &OsStr) -> Error {
        self.workspace.0.error(kind, doing, &self.reached.join(name))
    }

    pub(crate) fn system(&self, errno: Errno, doing: Doing, name: &OsStr) -> Error {
        self.workspace.0.system(errno, doing, &self.reached.join(name))
    }

    /// A name that stays in this directory: one component, no way up.
    pub(crate) fn single(&self, name: &OsStr) -> Result<(), Error> {
        let bytes = name.as_bytes();
        let wrong = matches!(bytes, b"" | b"." | b"..") || bytes.iter().any(|byte| matches!(byte, b'/' | 0));
        if wrong {
            let error = self.error(ErrorKind::InvalidName, Doing::Look, name);
            return Err(error.detail("a single name is wanted here"));
        }
        Ok(())
    }

    fn step(&self, name: &OsStr, want: Want, flags: OFlags) -> Result<(OwnedFd, Look), Error> {
        self.single(name)?;
        let handle = self.step_handle(name, flags).map_err(|errno| self.step_error(errno, want, name))?;
        let look = look(&handle).map_err(|errno| self.system(errno, want.doing(), name))?;
        let root = self.workspace.0.root(self.reached.root());
        resolve::same_mount(&self.workspace.0, root, &look)
            .and_then(|()| want.refusal(look.stat.kind).map_or(Ok(()), Err))
            .map_err(|kind| self.error(kind, want.doing(), name))?;
        if !self.may_reach(name, look.stat.ino) {
            return Err(self.error(ErrorKind::Protected, want.doing(), name));
        }
        Ok((handle, look))
    }

    /// Whether an entry is listed: neither a temporary name nor anything protected is. `ino` is what the directory says of
    /// it.
    pub(crate) fn lists(&self, name: &OsStr, ino: u64) -> bool {
        name != "." && name != ".." && !is_temporary(name) && self.may_reach(name, ino)
    }

    /// Whether an entry may be reached; nothing that is protected may.
    fn may_reach(&self, name: &OsStr, ino: u64) -> bool {
        let shared = &self.workspace.0;
        !shared.may_be_protected(&self.reached, name, ino) || {
            let look = look_at(self.handle(), name, AtFlags::SYMLINK_NOFOLLOW).ok();
            !shared.is_protected(&self.reached.join(name), look.map(|look| look.stat).as_ref())
        }
    }

    fn step_handle(&self, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
        if let Backend::Openat2(_) = *self.workspace.0.backend {
            match resolve::step(self.handle(), Path::new(name), flags, self.workspace.mounts()) {
                // A sandbox that came later may forbid it; the single step below is as safe.
                Err(Errno::NOSYS | Errno::PERM) => {}
                answer => return answer,
            }
        }
        openat(&self.handle, name, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
    }

    /// The kernel has several words for "this is not of the kind you want": look, and say what it is.
    fn step_error(&self, errno: Errno, want: Want, name: &OsStr) -> Error {
        if matches!(errno, Errno::LOOP | Errno::NOTDIR | Errno::NXIO | Errno::NODEV)
            && let Ok(stat) = self.stat(name, Links::Keep)
            && let Some(kind) = want.refusal(stat.kind)
        {
            return self.error(kind, want.doing(), name);
        }
        self.system(errno, want.doing(), name)
    }
}

/// What the link behind the handle says.
pub(crate) fn link_target(handle: &OwnedFd) -> Result<PathBuf, Errno> {
    let target = readlinkat(handle, c"", Vec::new())?;
    Ok(OsString::from_vec(target.into_bytes()).into())
}
