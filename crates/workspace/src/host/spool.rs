//! A file without a name for copies that are needed for a while: it is gone with the process, however that ends.
//!
//! It lies on the file system of what is copied, so that the kernel can share blocks instead of copying them (btrfs, XFS):
//! `copy_file_range(2)` does where both ends are aligned, and copies where it cannot.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::fs::{Mode, OFlags, copy_file_range, fstatvfs, ftruncate, openat};
use rustix::io::Errno;

use crate::error::{Doing, Error};
use crate::host::state::StateFolder;
use crate::open::file::OpenFile;
use crate::workspace::Workspace;

/// Copies of files.
#[derive(Debug)]
pub struct Spool {
    file: File,
    end: u64,
}

/// Where a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    start: u64,
    length: u64,
}

impl Spool {
    /// A spool on the file system of the first root, or where that is not possible, in the state folder.
    ///
    /// # Errors
    ///
    /// If it cannot be made in either.
    pub fn open(workspace: &Workspace, state: &StateFolder) -> Result<Self, Error> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let beside = workspace.roots().first().and_then(|root| {
            openat(root.handle(), c".", flags, Mode::RUSR | Mode::WUSR).ok().map(File::from)
        });
        let file = match beside {
            Some(file) => file,
            None => {
                let name = format!("spool.{}", std::process::id());
                let file = state.open_or_create(name.as_ref())?;
                state.remove(name.as_ref())?;
                file
            }
        };
        Ok(Self { file, end: 0 })
    }

    /// How many bytes the file system has room for, for those who are not root.
    ///
    /// # Errors
    ///
    /// If it cannot be asked.
    pub fn room(&self) -> Result<u64, Error> {
        let fail = |errno| Error::system(errno, Doing::ReadFile, String::new());
        let system = fstatvfs(&self.file).map_err(fail)?;
        Ok(system.f_bavail.saturating_mul(system.f_frsize))
    }

    /// Copies a file; none if it changed meanwhile, or has more than `limit` bytes.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or there is no room for the copy.
    pub fn put(&mut self, from: &OpenFile, limit: u64) -> Result<Option<Span>, Error> {
        let (start, length) = (self.end, from.stat().size);
        if length > limit {
            return Ok(None);
        }
        let copied = self.copy(from.file(), start, length);
        let is_whole = copied.map_err(|error| Error::io(error, Doing::ReadFile, from.reached().show()))?;
        let after = from
            .look_again()
            .map_err(|errno| Error::system(errno, Doing::ReadFile, from.reached().show()))?;
        let then = from.stat();
        if !is_whole || (then.size, then.mtime, then.ctime) != (after.size, after.mtime, after.ctime) {
            return Ok(None);
        }
        self.end = (start + length).next_multiple_of(ALIGNMENT);
        Ok(Some(Span { start, length }))
    }

    /// A copy.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn get(&self, span: Span) -> io::Result<Vec<u8>> {
        let mut content = vec![0; usize::try_from(span.length).map_err(io::Error::other)?];
        self.file.read_exact_at(&mut content, span.start)?;
        Ok(content)
    }

    /// Whether the file had so many bytes.
    fn copy(&self, from: &File, start: u64, length: u64) -> io::Result<bool> {
        // What a copy that was not finished has left behind.
        ftruncate(&self.file, start)?;
        let (mut at, mut to) = (0, start);
        while at < length {
            let left = usize::try_from(length - at).unwrap_or(usize::MAX);
            match copy_file_range(from, Some(&mut at), &self.file, Some(&mut to), left) {
                Ok(0) => return Ok(false),
                Ok(_) | Err(Errno::INTR) => {}
                Err(Errno::XDEV | Errno::INVAL | Errno::OPNOTSUPP | Errno::NOSYS | Errno::BADF) => {
                    return self.copy_by_hand(from, at, start + at, length);
                }
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(true)
    }

    fn copy_by_hand(&self, from: &File, mut at: u64, mut to: u64, length: u64) -> io::Result<bool> {
        let mut piece = vec![0; PIECE];
        while at < length {
            let most = usize::try_from(length - at).unwrap_or(PIECE).min(PIECE);
            let read = from.read_at(&mut piece[..most], at)?;
            if read == 0 {
                return Ok(false);
            }
            self.file.write_all_at(&piece[..read], to)?;
            at += read as u64;
            to += read as u64;
        }
        Ok(true)
    }
}

/// The size of a block, where blocks can be shared.
const ALIGNMENT: u64 = 4096;
const PIECE: usize = 256 * 1024;
