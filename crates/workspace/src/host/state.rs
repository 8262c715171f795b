//! A folder of the program's own, outside every workspace: what it keeps between two runs.
//!
//! It is the user's alone (0700), its files too (0600), and no link in it is followed. It knows nothing of what is kept:
//! a journal, locks.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, fchmod, fsync, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::error::{Doing, Error, ErrorKind};
use crate::open::stat::{look, look_at};
use crate::path::names;

/// A private folder, held open.
///
/// ```
/// # let home = tempfile::tempdir()?;
/// use std::io::Write;
/// use toolcrib_workspace::StateFolder;
///
/// let folder = StateFolder::open(&home.path().join("state/toolcrib"))?;
/// folder.open_or_create("notes".as_ref())?.write_all(b"kept")?;
/// assert_eq!(folder.names()?, ["notes"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StateFolder {
    path: PathBuf,
    handle: OwnedFd,
}

impl StateFolder {
    /// Opens the folder, and makes it if it is missing. One that belongs to another user is refused; one that others
    /// may look into is closed to them.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let fail = |error| Error::io(error, Doing::Change, names::escape(path));
        DirBuilder::new().recursive(true).mode(PRIVATE).create(path).map_err(fail)?;
        Self::held(path.to_owned(), open_directory(CWD, path))
    }

    /// Opens the folder if it is there.
    pub fn existing(path: &Path) -> Result<Option<Self>, Error> {
        match open_directory(CWD, path) {
            Err(Errno::NOENT) => Ok(None),
            opened => Self::held(path.to_owned(), opened).map(Some),
        }
    }

    /// Whether nothing has this name in the folder at `path`, or there is no such folder: a look that opens nothing.
    pub fn lacks(path: &Path, name: &OsStr) -> bool {
        matches!(look_at(CWD, path.join(name).as_path(), AtFlags::SYMLINK_NOFOLLOW), Err(Errno::NOENT))
    }

    /// Opens a folder in this one, and makes it if it is missing.
    pub fn folder(&self, name: &OsStr) -> Result<Self, Error> {
        match mkdirat(&self.handle, name, Mode::from_raw_mode(PRIVATE)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(self.system(errno, name)),
        }
        Self::held(self.path.join(name), open_directory(&self.handle, name))
    }

    /// Opens a folder in this one if it is there.
    pub fn existing_folder(&self, name: &OsStr) -> Result<Option<Self>, Error> {
        match open_directory(&self.handle, name) {
            Err(Errno::NOENT) => Ok(None),
            opened => Self::held(self.path.join(name), opened).map(Some),
        }
    }

    pub(crate) fn handle(&self) -> &OwnedFd {
        &self.handle
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a file for reading and writing; none if it is not there.
    pub fn open_file(&self, name: &OsStr) -> Result<Option<File>, Error> {
        match self.file(name, OFlags::empty()) {
            Ok(file) => Ok(Some(file)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.system(errno, name)),
        }
    }

    /// Opens a file for reading and writing, and makes it if it is missing.
    pub fn open_or_create(&self, name: &OsStr) -> Result<File, Error> {
        self.file(name, OFlags::CREATE).map_err(|errno| self.system(errno, name))
    }

    /// Makes a new file; none if something has the name.
    pub fn create_new(&self, name: &OsStr) -> Result<Option<File>, Error> {
        match self.file(name, OFlags::CREATE | OFlags::EXCL) {
            Ok(file) => Ok(Some(file)),
            Err(Errno::EXIST) => Ok(None),
            Err(errno) => Err(self.system(errno, name)),
        }
    }

    /// Whether `file` is what has this name now.
    pub fn is_named(&self, file: &File, name: &OsStr) -> Result<bool, Error> {
        let fail = |errno| self.system(errno, name);
        let named = match look_at(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(named) => named,
            Err(Errno::NOENT) => return Ok(false),
            Err(errno) => return Err(fail(errno)),
        };
        Ok(look(file).map_err(fail)?.same_file(&named))
    }

    /// Gives a file another name, in the place of whatever has it.
    pub fn rename(&self, name: &OsStr, to: &OsStr) -> Result<(), Error> {
        renameat(&self.handle, name, &self.handle, to).map_err(|errno| self.system(errno, name))
    }

    /// Removes a file; that it is gone already is no failure.
    pub fn remove(&self, name: &OsStr) -> Result<(), Error> {
        match unlinkat(&self.handle, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(self.system(errno, name)),
        }
    }

    /// The names in it, sorted.
    pub fn names(&self) -> Result<Vec<OsString>, Error> {
        let fail = |errno| self.system(errno, OsStr::new(""));
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.handle).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name: &OsStr = std::os::unix::ffi::OsStrExt::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Waits until its names are on the disk.
    pub fn sync(&self) -> Result<(), Error> {
        fsync(&self.handle).map_err(|errno| self.system(errno, OsStr::new("")))
    }

    /// What went wrong with a file of this folder.
    pub fn failure(&self, name: &OsStr, error: std::io::Error) -> Error {
        Error::io(error, Doing::Change, names::escape(&self.path.join(name)))
    }

    /// Why something cannot be kept here.
    pub fn refusal(&self, kind: ErrorKind, detail: &str, hint: &str) -> Error {
        Error::new(kind, Doing::Change, names::escape(&self.path)).detail(detail).with_hint(hint)
    }

    fn held(path: PathBuf, opened: Result<OwnedFd, Errno>) -> Result<Self, Error> {
        let fail = |errno| Error::system(errno, Doing::Change, names::escape(&path));
        let handle = opened.map_err(fail)?;
        let stat = look(&handle).map_err(fail)?.stat;
        if stat.uid != geteuid().as_raw() {
            return Err(Error::new(ErrorKind::PermissionDenied, Doing::Change, names::escape(&path))
                .detail("it belongs to another user"));
        }
        if stat.mode & 0o077 != 0 {
            fchmod(&handle, Mode::from_raw_mode(PRIVATE)).map_err(fail)?;
        }
        Ok(Self { path, handle })
    }

    fn file(&self, name: &OsStr, more: OFlags) -> Result<File, Errno> {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | more;
        openat(&self.handle, name, flags, Mode::from_raw_mode(0o600)).map(File::from)
    }

    fn system(&self, errno: Errno, name: &OsStr) -> Error {
        Error::system(errno, Doing::Change, names::escape(&self.path.join(name)))
    }
}

const PRIVATE: u32 = 0o700;

fn open_directory(from: impl AsFd, path: impl rustix::path::Arg) -> Result<OwnedFd, Errno> {
    openat(from, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
}
