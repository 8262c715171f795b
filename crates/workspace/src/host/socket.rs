//! Sockets by which processes of one user find each other and talk, in a [`StateFolder`].
//!
//! Each process that listens has a name in the folder. The folder is closed to other users (0700) and so is each socket (0600); and
//! should they be opened by mistake, both ends ask the kernel who is at the other one (`SO_PEERCRED`) and talk to nobody else.
//!
//! A process that is killed leaves its name behind. There are [`SLOTS`] names and no more: who needs one that belongs to nobody any
//! more takes it over, and who finds one removes it. It knows nothing of what is said.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::fs::{
    AtFlags, FlockOperation, Mode, RenameFlags, chmodat, flock, linkat, renameat_with, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;

use crate::host::state::StateFolder;
use crate::host::sys::peer_user;

/// How many processes can listen in one folder.
const SLOTS: u32 = 1024;

/// A socket that listens in a folder. Its name goes with it.
#[derive(Debug)]
pub struct PrivateListener {
    listener: UnixListener,
    folder: StateFolder,
    name: OsString,
    is_named: AtomicBool,
}

impl PrivateListener {
    /// Listens under a name of its own.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written to, or as many processes listen there as can.
    pub fn bind(folder: StateFolder) -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let process = std::process::id();
        // It listens before it has its name, so that nobody takes it for one that has been left behind.
        let unfinished: OsString = format!(".{process}.{}", COUNT.fetch_add(1, Ordering::Relaxed)).into();
        let listener = match UnixListener::bind(address(&folder, &unfinished)) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                // Left behind by an earlier process of the same number.
                unlinkat(folder.handle(), &unfinished, AtFlags::empty())?;
                UnixListener::bind(address(&folder, &unfinished))?
            }
            bound => bound?,
        };
        let named = chmodat(folder.handle(), &unfinished, Mode::from_raw_mode(0o600), AtFlags::empty())
            .map_err(io::Error::from)
            .and_then(|()| take_a_name(&folder, &unfinished, process));
        match named {
            Ok(name) => {
                listener.set_nonblocking(true)?;
                Ok(Self { listener, folder, name, is_named: AtomicBool::new(true) })
            }
            Err(error) => {
                let _ = unlinkat(folder.handle(), &unfinished, AtFlags::empty());
                Err(error)
            }
        }
    }

    /// What others find it by.
    #[must_use]
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Gives the name up, also while somebody waits for who connects: from now on nobody finds it.
    pub fn give_up_name(&self) {
        // After that the name may be another process's.
        if self.is_named.swap(false, Ordering::Relaxed) {
            let _ = self.folder.remove(&self.name);
        }
    }

    /// The next process that has connected, if there is one. Those of other users are turned away.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::WouldBlock`] if there is none; else what the system says.
    pub fn accept(&self) -> io::Result<UnixStream> {
        loop {
            let (stream, _) = self.listener.accept()?;
            if let Some(stream) = Self::admit(stream)? {
                return Ok(stream);
            }
        }
    }

    /// A connection that was [accepted](Self::to_std) elsewhere, if it is of the same user.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn admit(stream: UnixStream) -> io::Result<Option<UnixStream>> {
        if !is_own(&stream) {
            return Ok(None);
        }
        stream.set_nonblocking(false)?;
        Ok(Some(stream))
    }

    /// The socket itself, for a runtime that waits in its own way. What it accepts has to be [admitted](Self::admit).
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn to_std(&self) -> io::Result<UnixListener> {
        self.listener.try_clone()
    }
}

impl AsFd for PrivateListener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

impl Drop for PrivateListener {
    fn drop(&mut self) {
        self.give_up_name();
    }
}

/// Connects to the process that listens under a name; none if there is none any more, and then the name is removed.
///
/// # Errors
///
/// If the process is another user's, or cannot take one more connection.
pub fn connect_private(folder: &StateFolder, name: &OsStr) -> io::Result<Option<UnixStream>> {
    match UnixStream::connect(address(folder, name)) {
        Ok(stream) if is_own(&stream) => Ok(Some(stream)),
        Ok(_) => Err(io::ErrorKind::PermissionDenied.into()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            let locked = Locked::take(folder)?;
            if is_left_behind(folder, name) {
                unlinkat(folder.handle(), name, AtFlags::empty()).or_else(not_there)?;
            }
            drop(locked);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Whether the other end belongs to the same user.
fn is_own(stream: &UnixStream) -> bool {
    peer_user(stream).is_ok_and(|user| user == geteuid().as_raw())
}

fn is_left_behind(folder: &StateFolder, name: &OsStr) -> bool {
    let connected = UnixStream::connect(address(folder, name));
    connected.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

fn not_there(errno: Errno) -> Result<(), Errno> {
    if errno == Errno::NOENT { Ok(()) } else { Err(errno) }
}

/// Gives the socket a name that no process has.
fn take_a_name(folder: &StateFolder, unfinished: &OsStr, process: u32) -> io::Result<OsString> {
    for slot in 0..SLOTS {
        let name: OsString = ((process + slot) % SLOTS).to_string().into();
        match rename_to_new(folder, unfinished, &name) {
            Ok(()) => return Ok(name),
            Err(Errno::EXIST) if is_left_behind(folder, &name) => {
                let _locked = Locked::take(folder)?;
                // Another process may have taken it over meanwhile.
                if is_left_behind(folder, &name) {
                    folder.rename(unfinished, &name).map_err(io::Error::other)?;
                    return Ok(name);
                }
            }
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Err(io::Error::new(io::ErrorKind::AddrInUse, format!("{SLOTS} processes listen already")))
}

fn rename_to_new(folder: &StateFolder, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
    let handle = folder.handle();
    match renameat_with(handle, from, handle, to, RenameFlags::NOREPLACE) {
        // Some file systems do not know this.
        Err(Errno::INVAL | Errno::NOSYS) => {
            linkat(handle, from, handle, to, AtFlags::empty())?;
            unlinkat(handle, from, AtFlags::empty())
        }
        renamed => renamed,
    }
}

/// Names are taken over and removed by one process at a time.
struct Locked<'a>(&'a StateFolder);

impl<'a> Locked<'a> {
    fn take(folder: &'a StateFolder) -> io::Result<Self> {
        flock(folder.handle(), FlockOperation::LockExclusive)?;
        Ok(Self(folder))
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let _ = flock(self.0.handle(), FlockOperation::Unlock);
    }
}

/// A path of a socket has room for 107 bytes: unix(7).
const LONGEST: usize = 107;

fn address(folder: &StateFolder, name: &OsStr) -> PathBuf {
    let path = folder.path().join(name);
    if path.as_os_str().len() <= LONGEST {
        return path;
    }
    PathBuf::from(format!("/proc/self/fd/{}", folder.handle().as_raw_fd())).join(name)
}

/// Tells when names in a folder come and go.
#[derive(Debug)]
pub struct NameWatch {
    events: OwnedFd,
    end: OwnedFd,
}

impl NameWatch {
    /// Watches from now on. List the folder afterwards: what came before is not told.
    ///
    /// # Errors
    ///
    /// If the user watches too much already, see inotify(7).
    pub fn of(folder: &StateFolder) -> io::Result<Self> {
        let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let what = WatchFlags::MOVED_TO | WatchFlags::CREATE | WatchFlags::ONLYDIR;
        let path = format!("/proc/self/fd/{}", folder.handle().as_raw_fd());
        inotify::add_watch(&events, path, what)?;
        Ok(Self { events, end: eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC)? })
    }

    /// Waits until a name has come. False once it was [ended](Self::end).
    #[must_use]
    pub fn wait(&self) -> bool {
        let mut polled = [&self.events, &self.end].map(|handle| PollFd::new(handle, PollFlags::IN));
        let waited = poll(&mut polled, None);
        if matches!(waited, Err(errno) if errno != Errno::INTR) || !polled[1].revents().is_empty() {
            return false;
        }
        // What it was about is seen in the folder.
        let mut buffer = [0; 4096];
        while rustix::io::read(&self.events, &mut buffer).is_ok_and(|read| read > 0) {}
        true
    }

    /// Ends all waiting, now and later.
    pub fn end(&self) {
        let _ = rustix::io::write(&self.end, &1_u64.to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::io::{Read, Write};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use toolcrib_testkit::as_ordinary_user;

    use super::*;

    fn folder(path: &Path) -> StateFolder {
        StateFolder::open(&path.join("sockets")).unwrap()
    }

    #[test]
    fn processes_of_a_user_find_each_other() {
        let dir = tempfile::tempdir().unwrap();
        // Longer than the address of a socket may be.
        let long = dir.path().join("x".repeat(120));
        for base in [dir.path(), &long] {
            let folder = folder(base);
            let watch = NameWatch::of(&folder).unwrap();
            let listener = PrivateListener::bind(StateFolder::open(folder.path()).unwrap()).unwrap();
            assert!(watch.wait(), "the name is told");
            assert_eq!(folder.names().unwrap(), [listener.name()]);
            let mode =
                fs::symlink_metadata(folder.path().join(listener.name())).unwrap().permissions().mode();
            assert_eq!(mode & 0o7777, 0o600);
            let mut near = connect_private(&folder, listener.name()).unwrap().unwrap();
            let mut far = listener.accept().unwrap();
            near.write_all(b"hello").unwrap();
            let mut heard = [0; 5];
            far.read_exact(&mut heard).unwrap();
            assert_eq!(&heard, b"hello");
            drop(listener);
            assert!(folder.names().unwrap().is_empty(), "the name goes with the listener");
            watch.end();
        }
    }

    /// Listens, and leaves the name behind as a process that is killed does.
    fn left_behind(folder: &StateFolder, name: &str) {
        drop(UnixListener::bind(folder.path().join(name)).unwrap());
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_taken_over() {
        let dir = tempfile::tempdir().unwrap();
        let folder = folder(dir.path());
        left_behind(&folder, "77");
        assert!(connect_private(&folder, "77".as_ref()).unwrap().is_none());
        assert!(folder.names().unwrap().is_empty());

        let own = (std::process::id() % SLOTS).to_string();
        left_behind(&folder, &own);
        let open = || PrivateListener::bind(StateFolder::open(folder.path()).unwrap()).unwrap();
        let first = open();
        assert_eq!(first.name(), own.as_str(), "taken over");
        let second = open();
        assert_ne!(second.name(), first.name(), "and not from one that listens");
        assert!(connect_private(&folder, first.name()).unwrap().is_some());
    }

    #[test]
    fn of_many_that_take_over_one_name_each_gets_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let folder = folder(dir.path());
        let own = std::process::id();
        (0..20).for_each(|slot| left_behind(&folder, &((own + slot) % SLOTS).to_string()));
        let listeners: Vec<PrivateListener> = std::thread::scope(|scope| {
            let open = || PrivateListener::bind(StateFolder::open(folder.path()).unwrap()).unwrap();
            let opening: Vec<_> = (0..20).map(|_| scope.spawn(open)).collect();
            opening.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for listener in &listeners {
            let _stream = connect_private(&folder, listener.name()).unwrap().unwrap();
            assert!(listener.accept().is_ok(), "who connects to {:?} reaches it", listener.name());
        }
    }

    /// Each of the two barriers alone keeps another user out; with both open, the user gets in.
    #[test]
    fn other_users_stay_outside() {
        if geteuid().as_raw() != 0 {
            // Only root can become another user here; the test run is root's.
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
        let folder = folder(dir.path());
        let listener = PrivateListener::bind(StateFolder::open(folder.path()).unwrap()).unwrap();
        let path = folder.path().join(listener.name());
        let as_other = || as_ordinary_user(|| UnixStream::connect(&path));

        let refused = as_other().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied, "the modes keep the user out");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        assert_eq!(
            as_other().unwrap_err().kind(),
            io::ErrorKind::PermissionDenied,
            "the socket's own does too"
        );

        fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        let _stranger = as_other().expect("with the modes open, the user can connect");
        assert_eq!(listener.accept().unwrap_err().kind(), io::ErrorKind::WouldBlock, "and is turned away");
        let _own = connect_private(&folder, listener.name()).unwrap();
        assert!(listener.accept().is_ok(), "while the owner is let in");

        let _stranger = as_other().unwrap();
        let (stream, _) = listener.listener.accept().unwrap();
        assert!(!is_own(&stream), "without the check, the stranger would have got in");
    }
}
