//! For those who go over everything: entries without an allocation each, files without their names, facts without an
//! open. A search of a large tree spends its time here.

use std::ffi::OsStr;
use std::fs::File;
use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::Ordering;

use rustix::fs::{AtFlags, OFlags, RawDir};
use rustix::io::Errno;

use super::Dir;
use crate::error::{Doing, Error, ErrorKind};
use crate::open::resolve::{self, Want};
use crate::open::stat::{FileKind, Links, Stat, look_at};

/// Room for entries as the kernel hands them out, to be used for one directory after the other.
#[derive(Debug)]
pub struct ScanBuffer(Vec<u8>);

/// Some hundred entries at a time.
const SCAN_BUFFER: usize = 32 * 1024;

impl Default for ScanBuffer {
    fn default() -> Self {
        Self(Vec::with_capacity(SCAN_BUFFER))
    }
}

impl Dir {
    /// Hands every entry to `each`, in the order the file system gives them and without `.` and `..`, until it breaks.
    /// An entry that vanishes meanwhile is skipped. Each call starts from the beginning.
    ///
    /// ```
    /// # use std::{ops::ControlFlow, path::Path};
    /// # let root = tempfile::tempdir()?;
    /// # let root = root.path();
    /// # std::fs::write(root.join("notes.txt"), "a")?;
    /// use toolcrib_workspace::{FileKind, ScanBuffer, Workspace};
    ///
    /// let workspace = Workspace::open(root)?;
    /// let directory = workspace.open_dir(&workspace.path(Path::new("."), root)?)?;
    /// let mut names = Vec::new();
    /// directory.scan(&mut ScanBuffer::default(), |name, kind| {
    ///     names.push((name.to_owned(), kind));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(names, [("notes.txt".into(), FileKind::File)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scan(
        &self,
        buffer: &mut ScanBuffer,
        each: impl FnMut(&OsStr, FileKind) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        // The handle's position is shared by all who read from it, so only the first may use it.
        if self.unread.swap(false, Ordering::Relaxed) {
            return self.scan_from(self.handle(), buffer, each);
        }
        let again = self.reopen().map_err(|errno| self.unlisted(errno))?;
        self.scan_from(rustix::fd::AsFd::as_fd(&again), buffer, each)
    }

    /// Facts about an entry, of a link about the link itself. Asks by name and opens nothing.
    pub fn look(&self, name: &OsStr) -> Result<Stat, Error> {
        self.single(name)?;
        let fail = |errno| self.system(errno, Doing::Look, name);
        let look = look_at(self.handle(), name, AtFlags::SYMLINK_NOFOLLOW).map_err(fail)?;
        let root = self.workspace.0.root(self.reached.root());
        resolve::same_mount(&self.workspace.0, root, &look)
            .map_err(|kind| self.error(kind, Doing::Look, name))?;
        Ok(look.stat)
    }

    /// The same for an entry that [`scan`](Self::scan) would hand over; none for one that is gone or not listed.
    pub fn listed(&self, name: &OsStr) -> Option<Stat> {
        let stat = self.look(name).ok()?;
        self.lists(name, stat.ino).then_some(stat)
    }

    /// Opens a regular file in this directory for reading, with its facts. A link is refused.
    ///
    /// As [`open_file`](Self::open_file), for a caller who knows the name.
    pub fn open_unnamed(&self, name: &OsStr) -> Result<(File, Stat), Error> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let (handle, look) = self.step(name, Want::File, flags)?;
        Ok((File::from(handle), look.stat))
    }

    fn scan_from(
        &self,
        handle: BorrowedFd<'_>,
        buffer: &mut ScanBuffer,
        mut each: impl FnMut(&OsStr, FileKind) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let mut entries = RawDir::new(handle, buffer.0.spare_capacity_mut());
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                // The directory itself was removed meanwhile: it has no entries any more.
                Err(Errno::NOENT) => return Ok(()),
                Err(errno) => return Err(self.unlisted(errno)),
            };
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if !self.lists(name, entry.ino()) {
                continue;
            }
            let kind = match FileKind::from_type(entry.file_type()) {
                Some(kind) => kind,
                None => match self.stat(name, Links::Keep) {
                    Ok(stat) => stat.kind,
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    Err(error) => return Err(error),
                },
            };
            if each(name, kind).is_break() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn unlisted(&self, errno: Errno) -> Error {
        self.workspace.0.system(errno, Doing::ReadDirectory, &self.reached)
    }
}
