//! What belongs to a file beside its content: mode, owner, extended attributes, access list, flags of the inode.
//!
//! An access list is an extended attribute to the kernel (`system.posix_acl_access`), so it is copied with the others.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;

use rustix::fs::{
    IFlags, XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr, ioctl_getflags, ioctl_setflags,
};
use rustix::io::Errno;

use crate::open::dir::mutate::{set_mode, set_owner};
use crate::open::stat::{Stat, look};

/// Mode, owner, extended attributes and flags of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributes {
    /// Permission bits, with set-user-id, set-group-id and sticky.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The owning group.
    pub gid: u32,
    /// The extended attributes, by name.
    pub extended: Vec<(CString, Vec<u8>)>,
    /// What `chattr` sets: no copy on write, compressed, not to be dumped and the like. None where there are no such flags.
    pub flags: u32,
}

impl Attributes {
    pub(crate) fn of(file: &File, stat: &Stat) -> io::Result<Self> {
        let Stat { mode, uid, gid, .. } = *stat;
        Ok(Self { mode, uid, gid, extended: extended(file)?, flags: flags(file).bits() })
    }

    /// Gives the flags to a file that was just made and is empty: some can be set on an empty file alone. What the file
    /// system or the user's rights do not allow is left out, since no content depends on it.
    pub(crate) fn give_flags(&self, file: &File) {
        let wanted = IFlags::from_bits_retain(self.flags) & KEPT;
        if wanted.is_empty() || flags(file) == wanted {
            return;
        }
        let Ok(made) = ioctl_getflags(file) else { return };
        let all = (made - KEPT) | wanted;
        if ioctl_setflags(file, all).is_err() {
            // This one takes a right that few have.
            _ = ioctl_setflags(file, all - IFlags::JOURNALING);
        }
    }

    /// Gives them to a file that was just made by this process, the mode last: the steps before may drop bits of it.
    pub(crate) fn give(&self, file: &File) -> io::Result<()> {
        let made = look(file)?.stat;
        if (made.uid, made.gid) != (self.uid, self.gid) {
            set_owner(file, self.uid, self.gid)?;
        }
        // A default access list of the directory may have given it one that the old file does not have.
        for (name, _) in extended(file)?.iter().filter(|(name, _)| !self.has(name)) {
            optional(name, fremovexattr(file, name))?;
        }
        for (name, value) in &self.extended {
            optional(name, fsetxattr(file, name, value, XattrFlags::empty()))?;
        }
        set_mode(file, self.mode)
    }

    fn has(&self, name: &CStr) -> bool {
        self.extended.iter().any(|(own, _)| own.as_c_str() == name)
    }
}

/// The flags that are a user's to set and that an edit keeps. Those that forbid the edit are not among them, nor those of
/// directories.
const KEPT: IFlags = IFlags::COMPRESSED
    .union(IFlags::JOURNALING)
    .union(IFlags::NOATIME)
    .union(IFlags::NOCOW)
    .union(IFlags::NODUMP)
    .union(IFlags::NOTAIL)
    .union(IFlags::SECURE_REMOVAL)
    .union(IFlags::SYNC)
    .union(IFlags::UNRM);

fn flags(file: &File) -> IFlags {
    ioctl_getflags(file).map_or(IFlags::empty(), |flags| flags & KEPT)
}

/// Attributes in the `security` name space belong to the system: it labels new files itself, and it drops a
/// capability from a file that is written to. They are copied where that is allowed, and their absence is no failure.
fn optional(name: &CStr, answer: Result<(), Errno>) -> Result<(), Errno> {
    let is_systems = name.to_bytes().starts_with(b"security.");
    match answer {
        Err(_) if is_systems => Ok(()),
        answer => answer,
    }
}

fn extended(file: &File) -> io::Result<Vec<(CString, Vec<u8>)>> {
    let names = match grow(|buffer| flistxattr(file, buffer)) {
        // The file system has none.
        Err(Errno::OPNOTSUPP) => return Ok(Vec::new()),
        names => names?,
    };
    let mut attributes = Vec::new();
    for name in names.split_inclusive(|byte| *byte == 0) {
        let Ok(name) = CStr::from_bytes_with_nul(name) else { continue };
        if is_of_the_content(name) {
            continue;
        }
        match grow(|buffer| fgetxattr(file, name, buffer)) {
            Ok(value) => attributes.push((name.to_owned(), value)),
            // Removed meanwhile, or listed but not for us to read.
            Err(Errno::NODATA) => {}
            Err(_) if name.to_bytes().starts_with(b"security.") => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(attributes)
}

/// Signatures of the old content, which would be wrong for the new one.
fn is_of_the_content(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"security.ima" | b"security.evm")
}

/// Asks with a larger buffer until the answer fits.
fn grow(mut ask: impl FnMut(&mut [u8]) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
    let mut buffer = vec![0; 256];
    loop {
        match ask(&mut buffer) {
            Ok(length) => {
                buffer.truncate(length);
                return Ok(buffer);
            }
            Err(Errno::RANGE) if buffer.len() < LARGEST => buffer.resize(buffer.len() * 4, 0),
            Err(errno) => return Err(errno),
        }
    }
}

/// The kernel allows no larger list and no larger value than 64 KiB.
const LARGEST: usize = 256 * 1024;
