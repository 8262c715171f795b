//! The kernel's own name for an open handle, and a second open of the same file: `/proc/self/fd`.
//!
//! A handle made with `O_PATH` gives no access to content. Opening `/proc/self/fd/N` opens that very file again,
//! whatever its name has become meanwhile. So a named pipe or a device is recognised before it is ever opened.

use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use rustix::fs::{CWD, Mode, OFlags, PROC_SUPER_MAGIC, fstatfs, openat, readlinkat};
use rustix::io::Errno;
use rustix::path::DecInt;

/// A held handle of `/proc/self/fd`.
#[derive(Debug)]
pub(crate) struct ProcFds(OwnedFd);

impl ProcFds {
    /// `None` where `/proc` is not mounted, or is something else.
    pub(crate) fn open() -> Option<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = openat(CWD, c"/proc/self/fd", flags, Mode::empty()).ok()?;
        let is_proc = fstatfs(&handle).ok()?.f_type as u64 == PROC_SUPER_MAGIC as u64;
        is_proc.then_some(Self(handle))
    }

    /// The absolute path the kernel has for the handle; `None` if it has none now: removed, or out of reach.
    pub(crate) fn name(&self, handle: impl AsFd) -> Option<PathBuf> {
        let name = readlinkat(&self.0, DecInt::from_fd(handle), Vec::new()).ok()?;
        let name = OsString::from_vec(name.into_bytes());
        // The kernel marks a removed name this way. A living one may look the same; the walk then finds its name.
        let usable = name.as_bytes().starts_with(b"/") && !name.as_bytes().ends_with(b" (deleted)");
        usable.then(|| PathBuf::from(name))
    }

    /// Opens again, with other flags, what the handle holds.
    pub(crate) fn reopen(&self, handle: impl AsFd, flags: OFlags) -> Result<OwnedFd, Errno> {
        openat(&self.0, DecInt::from_fd(handle), flags | OFlags::CLOEXEC, Mode::empty())
    }
}
