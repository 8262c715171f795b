//! One at a time for one file: locks across threads and processes, which the kernel releases when their holder dies.
//!
//! A lock is a file in the state folder that is held with `flock`. Its name comes from the directory that was reached and
//! the name in it, so that every alias of a file (a link, another spelling of its case) shares one lock, and different
//! files never wait for one another. Several are taken in one order, so that no callers wait in a circle.
//!
//! Locks keep changes from getting into each other's way. They are no part of the promise that nothing is lost: other
//! programs do not ask for them, and a commit looks at what it displaces whether or not it holds one.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::os::unix::ffi::OsStrExt;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::ioctl_getflags;
use rustix::io::Errno;

use crate::commit::change_set::{ChangeSet, Subject};
use crate::error::{Doing, Error, ErrorKind};
use crate::host::file_system::{self, BTRFS, EXT, F2FS, OVERLAY, TMPFS, XFS};
use crate::host::limits::allow_open_files;
use crate::host::state::StateFolder;
use crate::open::dir::Dir;
use crate::open::stat::look;
use crate::open::version::Version;
use crate::open::write_target::NewWriteTarget;
use crate::path::WorkspacePath;
use crate::path::names;
use crate::workspace::Workspace;

/// Which files are to be locked: each once, in the order in which all take them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LockSet(BTreeMap<OsString, String>);

impl LockSet {
    /// Whether every file of `other` is in this set too.
    pub fn covers(&self, other: &Self) -> bool {
        other.0.keys().all(|name| self.0.contains_key(name))
    }
}

impl Workspace {
    /// The locks for these files. A file that does not exist has one too.
    pub fn lock_set<'a>(&self, paths: impl IntoIterator<Item = &'a WorkspacePath>) -> Result<LockSet, Error> {
        let mut folding = Folding::default();
        let key = |path| Ok((self.lock_name(path, &mut folding)?, self.show(path)));
        paths.into_iter().map(key).collect::<Result<_, _>>().map(LockSet)
    }

    /// The locks for everything that these changes touch.
    pub fn lock_set_of(&self, changes: &ChangeSet) -> Result<LockSet, Error> {
        let changes = changes.changes().iter().filter(|change| change.subject() != Subject::Link);
        self.lock_set(changes.flat_map(|change| [Some(change.path()), change.target()]).flatten())
    }

    fn lock_name(&self, path: &WorkspacePath, folding: &mut Folding) -> Result<OsString, Error> {
        // Whether the file on the way is really gone by then is for the commit to say.
        let NewWriteTarget { base, missing, name, .. } = self.locate_through(path, &|_| true)?;
        let fail = |errno| self.0.system(errno, Doing::Change, path);
        let stat = look(base.handle()).map_err(fail)?.stat;
        let folds = *folding.entry((stat.dev, stat.ino)).or_insert_with(|| folds_case(&base));
        let mut key = format!("{:x}:{:x}", stat.dev, stat.ino).into_bytes();
        for name in missing.iter().chain([&name]) {
            key.push(b'/');
            match name.to_str().filter(|_| folds) {
                Some(name) => key.extend(names::fold(name).to_lowercase().bytes()),
                None => key.extend(name.as_bytes()),
            }
        }
        let mut shown = Version::of(&key).to_string();
        shown.truncate(NAME);
        Ok(shown.into())
    }
}

/// The folder in which locks are taken.
#[derive(Debug)]
pub struct Locks {
    folder: StateFolder,
}

impl Locks {
    /// Locks in this folder, which is used for nothing else.
    pub fn new(folder: StateFolder) -> Self {
        Self { folder }
    }

    /// Takes all locks of the set, or none if that takes longer than `patience` or `stop` says so.
    pub fn acquire(
        &self,
        set: &LockSet,
        patience: Duration,
        stop: &dyn Fn() -> bool,
    ) -> Result<Held<'_>, Error> {
        // One for each lock, and as many again for the files and directories that are then changed.
        allow_open_files(set.0.len().saturating_mul(3));
        let until = Instant::now() + patience;
        let mut held = Held { locks: self, files: Vec::with_capacity(set.0.len()) };
        for (name, shown) in &set.0 {
            let mut pause = FIRST_PAUSE;
            let file = loop {
                if let Some(file) = self.try_lock(name)? {
                    break file;
                }
                if Instant::now() >= until || stop() {
                    return Err(Error::new(ErrorKind::Busy, Doing::Change, shown.clone()));
                }
                thread::sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
            };
            held.files.push((name.clone(), file));
        }
        Ok(held)
    }

    /// Removes the files of locks that no process holds: those of processes that were killed.
    pub fn sweep(&self) -> Result<(), Error> {
        for name in self.folder.names()? {
            if let Some(file) = self.try_lock(&name)? {
                drop(Held { locks: self, files: vec![(name, file)] });
            }
        }
        Ok(())
    }

    /// Takes one lock if it is free.
    fn try_lock(&self, name: &OsStr) -> Result<Option<File>, Error> {
        let file = self.folder.open_or_create(name)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(self.folder.failure(name, error)),
        }
        // Its holder removes the file before letting go: then this is a lock that no other process would find.
        Ok(self.folder.is_named(&file, name)?.then_some(file))
    }
}

/// Locks that are held until this is dropped, or the process ends.
#[derive(Debug)]
#[must_use]
pub struct Held<'a> {
    locks: &'a Locks,
    files: Vec<(OsString, File)>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        for (name, _still_locked) in &self.files {
            // What cannot be removed is a small file too many, and the next one uses it.
            let _ = self.locks.folder.remove(name);
        }
    }
}

/// Half a hash is enough for names that no user chooses, and is short.
const NAME: usize = 32;

const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(2);

/// Which directories fold case, by device and inode: each is asked once for all its files.
type Folding = BTreeMap<(u64, u64), bool>;

/// Whether two spellings of a name in this directory can be one file.
fn folds_case(directory: &Dir) -> bool {
    const CASE_FOLDED: u32 = 0x4000_0000;
    let Some(kind) = file_system::kind(directory.handle()) else { return true };
    match kind {
        XFS | BTRFS => false,
        // A directory there may be marked so. One that may not be asked is taken for one that is.
        EXT | F2FS | TMPFS | OVERLAY => match directory.reopen().and_then(ioctl_getflags) {
            Ok(flags) => flags.bits() & CASE_FOLDED != 0,
            Err(errno) => errno != Errno::NOTTY,
        },
        _ => true,
    }
}
