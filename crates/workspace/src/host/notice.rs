//! Notices that one user leaves for all others on this machine.
//!
//! What a user keeps in a [`StateFolder`](crate::StateFolder) no other user can see. Some of it concerns others all the
//! same: that files which they can read are half changed. A notice says so. It is an empty file, and its name is what it
//! says, in a folder of its user below `/var/tmp`. Everybody can list that folder, also a process that
//! [locked itself in](crate::Workspace::lock_down) and may open nothing there. Only its user can write to it, and since
//! `/var/tmp` is sticky, no other user can remove it.
//!
//! It knows nothing of what is told.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, fchmod, mkdirat, openat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::error::{Doing, Error};
use crate::open::stat::{look, look_at};
use crate::path::names;

/// Where notices are left and found.
///
/// ```
/// # let shared = tempfile::tempdir()?;
/// use toolcrib_workspace::NoticeBoard;
///
/// let board = NoticeBoard::at(shared.path());
/// board.post("the-gate-is-open".as_ref())?;
/// assert_eq!(board.own()?, ["the-gate-is-open"]);
/// assert!(board.of_others().is_empty());
/// board.remove("the-gate-is-open".as_ref())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct NoticeBoard {
    base: PathBuf,
    /// The folders of other users, and when `base` had last changed by then.
    users: Mutex<Option<(SystemTime, Arc<[Folder]>)>>,
}

/// What another user says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Whose it is.
    pub uid: u32,
    /// What it says.
    pub says: OsString,
    /// When it was left.
    pub since: SystemTime,
}

/// The folder of one user.
#[derive(Debug)]
struct Folder {
    uid: u32,
    handle: OwnedFd,
}

impl NoticeBoard {
    /// The one that all users of this machine share.
    pub fn system() -> Self {
        // Not `/tmp`, which many systems empty when they start.
        Self::at("/var/tmp")
    }

    /// Another one.
    pub fn at(base: impl Into<PathBuf>) -> Self {
        Self { base: base.into(), users: Mutex::default() }
    }

    /// The directory in which the users' folders stand.
    pub fn base(&self) -> &Path {
        &self.base
    }

    /// The folder of this user, made if it is missing.
    pub fn own_folder(&self) -> Result<PathBuf, Error> {
        self.open_own(OFlags::CREATE)?;
        Ok(self.own_path())
    }

    /// Leaves a notice.
    pub fn post(&self, says: &OsStr) -> Result<(), Error> {
        let folder = self.open_own(OFlags::CREATE)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        openat(&folder, says, flags, Mode::from_raw_mode(0o644)).map_err(|errno| self.failure(errno))?;
        Ok(())
    }

    /// Takes a notice of this user away; that there is none is no failure.
    pub fn remove(&self, says: &OsStr) -> Result<(), Error> {
        match unlinkat(CWD, self.own_path().join(says), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTDIR) => Ok(()),
            Err(errno) => Err(self.failure(errno)),
        }
    }

    /// What this user has left there.
    pub fn own(&self) -> Result<Vec<OsString>, Error> {
        Ok(entries(self.open_own(OFlags::empty())?).collect())
    }

    /// What others have left there. What cannot be read says nothing.
    pub fn of_others(&self) -> Vec<Notice> {
        self.others().iter().flat_map(Folder::notices).collect()
    }

    /// The folders of other users. They are looked for again when one came or went.
    fn others(&self) -> Arc<[Folder]> {
        let known = self.users.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((changed, folders)) = known
            && look_at(CWD, self.base.as_path(), AtFlags::empty()).is_ok_and(|now| now.stat.mtime == changed)
        {
            return folders;
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(base) = openat(CWD, &self.base, flags, Mode::empty()) else { return Arc::default() };
        let Ok(now) = look(&base) else { return Arc::default() };
        let folders: Arc<[Folder]> = entries(&base).filter_map(|name| Folder::open(&base, &name)).collect();
        // The clock of the file system ticks: what comes within the same tick does not show.
        let settled = now.taken.duration_since(now.stat.mtime).is_ok_and(|age| age > TICK);
        *self.users.lock().unwrap_or_else(PoisonError::into_inner) =
            settled.then(|| (now.stat.mtime, Arc::clone(&folders)));
        folders
    }

    fn own_path(&self) -> PathBuf {
        self.base.join(format!("{PREFIX}{}", geteuid().as_raw()))
    }

    fn open_own(&self, how: OFlags) -> Result<OwnedFd, Error> {
        let path = self.own_path();
        let open = || openat(CWD, &path, DIRECTORY, Mode::empty());
        let opened = match open() {
            Err(Errno::NOENT) if how.contains(OFlags::CREATE) => {
                match mkdirat(CWD, &path, Mode::from_raw_mode(VISIBLE)) {
                    Ok(()) | Err(Errno::EXIST) => open(),
                    Err(errno) => Err(errno),
                }
            }
            opened => opened,
        };
        let handle = opened.map_err(|errno| self.failure(errno))?;
        let stat = look(&handle).map_err(|errno| self.failure(errno))?.stat;
        if stat.uid != geteuid().as_raw() {
            return Err(self.failure(Errno::PERM).detail("it belongs to another user"));
        }
        if stat.mode & 0o777 != VISIBLE {
            fchmod(&handle, Mode::from_raw_mode(VISIBLE)).map_err(|errno| self.failure(errno))?;
        }
        Ok(handle)
    }

    fn failure(&self, errno: Errno) -> Error {
        Error::system(errno, Doing::Change, names::escape(&self.own_path()))
    }
}

impl Folder {
    /// The folder of another user; none if it is our own, or belongs to another user than it says.
    fn open(base: &OwnedFd, name: &OsStr) -> Option<Self> {
        let uid = name.to_str()?.strip_prefix(PREFIX)?.parse().ok()?;
        if uid == geteuid().as_raw() {
            return None;
        }
        let handle = openat(base, name, DIRECTORY, Mode::empty()).ok()?;
        (look(&handle).ok()?.stat.uid == uid).then_some(Self { uid, handle })
    }

    fn notices(&self) -> Vec<Notice> {
        let notice = |says: OsString| {
            let stat = look_at(&self.handle, says.as_os_str(), AtFlags::SYMLINK_NOFOLLOW).ok()?.stat;
            Some(Notice { uid: self.uid, says, since: stat.mtime })
        };
        entries(&self.handle).take(MOST).filter_map(notice).collect()
    }
}

fn entries(directory: impl AsFd) -> impl Iterator<Item = OsString> {
    let entries = Dir::read_from(directory).into_iter().flat_map(|dir| dir.map_while(Result::ok));
    let names = entries.map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned());
    names.filter(|name| name != "." && name != "..")
}

const PREFIX: &str = "toolcrib-";
const VISIBLE: u32 = 0o755;
const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// More than a user can have to say; others are not kept busy with the rest.
const MOST: usize = 4096;

const TICK: Duration = Duration::from_millis(100);
