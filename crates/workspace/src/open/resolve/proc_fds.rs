//! The kernel's own name for an open handle, and a second open of the same file: `/proc/thread-self/fd`.
//!
//! A handle made with `O_PATH` gives no access to content. Opening `/proc/thread-self/fd/N` opens that very file again,
//! whatever its name has become meanwhile. So a named pipe or a device is recognised before it is ever opened.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, PROC_SUPER_MAGIC, fstatfs, linkat, openat, readlinkat};
use rustix::io::Errno;

/// A held handle of `/proc`.
///
/// It is not one of `/proc/self/fd`: that would go on to mean the process that opened it, and after a fork the numbers
/// of the child would be looked up among the handles of the parent.
#[derive(Debug)]
pub(crate) struct ProcFds(OwnedFd);

impl ProcFds {
    /// `None` where `/proc` is not mounted, is something else, or does not know this process.
    pub(crate) fn open() -> Option<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = Self(openat(CWD, c"/proc", flags, Mode::empty()).ok()?);
        let is_proc = fstatfs(&proc.0).ok()?.f_type as u64 == PROC_SUPER_MAGIC as u64;
        (is_proc && proc.name(&proc.0).is_some()).then_some(proc)
    }

    /// The absolute path the kernel has for the handle; `None` if it has none now: removed, or out of reach.
    pub(crate) fn name(&self, handle: impl AsFd) -> Option<PathBuf> {
        let name = readlinkat(&self.0, link(handle), Vec::new()).ok()?;
        let name = OsString::from_vec(name.into_bytes());
        // The kernel marks a removed name this way. A living one may look the same; the walk then finds its name.
        let usable = name.as_bytes().starts_with(b"/") && !name.as_bytes().ends_with(b" (deleted)");
        usable.then(|| PathBuf::from(name))
    }

    /// Opens again, with other flags, what the handle holds.
    pub(crate) fn reopen(&self, handle: impl AsFd, flags: OFlags) -> Result<OwnedFd, Errno> {
        openat(&self.0, link(handle), flags | OFlags::CLOEXEC, Mode::empty())
    }

    /// Gives a file that has no name this one, which nothing may have.
    pub(crate) fn give_name(&self, file: impl AsFd, directory: impl AsFd, name: &OsStr) -> Result<(), Errno> {
        linkat(&self.0, link(file), directory, name, AtFlags::SYMLINK_FOLLOW)
    }
}

fn link(handle: impl AsFd) -> String {
    format!("thread-self/fd/{}", handle.as_fd().as_raw_fd())
}
