//! What the kernel tells of changes: inotify, leases and the table of mounts.
//!
//! The kernel queues an event inside the system call that makes the change, before that call returns. So whoever drains the queue
//! at the start of a question sees everything that was finished before it, see inotify(7). What a directory's watch cannot see is
//! seen otherwise: a write through another name by a watch on the file itself, and a program that may write without a system call
//! by a lease, which the kernel grants only if no program has the file open for writing or mapped so (fcntl(2), "Leases").
//!
//! Nothing here knows what is watched, or why.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::{Mutex, PoisonError};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, ioctl_fionread};
use rustix::process::setpriority_process;
use rustix::thread::gettid;

use crate::host::file_system;
use crate::host::state::StateFolder;
use crate::host::sys::control;
use crate::open::dir::Dir;

/// A queue of events of directories and files.
#[derive(Debug)]
pub struct Watcher {
    events: OwnedFd,
    wake: OwnedFd,
}

/// One directory or file that is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatchId(i32);

/// Why something cannot be watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotWatched {
    /// The user has as many watches as the kernel allows, see `max_user_watches` in inotify(7).
    TooMany,
    /// It cannot be read, or is gone.
    Other,
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub struct WatchEvent<'a> {
    /// Where; none if the queue was full and events were lost.
    pub watch: Option<WatchId>,
    /// Which entry of the directory, if it is about one.
    pub name: Option<&'a OsStr>,
    flags: ReadFlags,
}

impl WatchEvent<'_> {
    /// A name came, went, or was given to something else.
    #[must_use]
    pub fn is_about_names(&self) -> bool {
        let names = ReadFlags::CREATE
            .union(ReadFlags::DELETE)
            .union(ReadFlags::MOVED_FROM)
            .union(ReadFlags::MOVED_TO);
        self.flags.intersects(names)
    }

    /// The content changed, or a program that could have changed it has closed it.
    #[must_use]
    pub fn is_about_content(&self) -> bool {
        self.flags.intersects(ReadFlags::MODIFY.union(ReadFlags::CLOSE_WRITE))
    }

    /// Permissions, times, or the number of names changed.
    #[must_use]
    pub fn is_about_attributes(&self) -> bool {
        self.flags.contains(ReadFlags::ATTRIB)
    }

    /// A program has opened it.
    #[must_use]
    pub fn is_about_opening(&self) -> bool {
        self.flags.contains(ReadFlags::OPEN)
    }

    /// The watch is over: what was watched is gone, or the watch was removed.
    #[must_use]
    pub fn is_the_last(&self) -> bool {
        self.flags.intersects(ReadFlags::IGNORED)
    }

    /// The file system was unmounted, or the watched directory itself was removed.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.flags.intersects(ReadFlags::UNMOUNT.union(ReadFlags::DELETE_SELF))
    }
}

/// Of a directory: its names, and the attributes of what has them. Contents are the business of each file's own watch.
const OF_DIRECTORY: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// Of a folder of the program's own: its names, and what is written to its files.
const OF_OWN_FOLDER: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_TO)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::ONLYDIR);

/// Of a file, under whatever name it is used.
const OF_FILE: WatchFlags =
    WatchFlags::MODIFY.union(WatchFlags::CLOSE_WRITE).union(WatchFlags::ATTRIB).union(WatchFlags::OPEN);

/// Room for some hundred events.
const BUFFER: usize = 16 * 1024;

/// What an event takes in the queue beside its name, which is padded to a multiple of the same.
const EVENT: usize = 16;

impl Watcher {
    /// None if the user has too many already, see `max_user_instances` in inotify(7).
    #[must_use]
    pub fn new() -> Option<Self> {
        let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        let wake = eventfd(0, EventfdFlags::NONBLOCK | EventfdFlags::CLOEXEC).ok()?;
        Some(Self { events, wake })
    }

    /// Watches the names in a directory from now on. List it afterwards: what came before is not told.
    ///
    /// # Errors
    ///
    /// If there are too many watches, or the directory cannot be read.
    pub fn watch_directory(&self, dir: &Dir) -> Result<WatchId, NotWatched> {
        self.watch(dir.handle(), OF_DIRECTORY)
    }

    /// Watches a folder of the program's own from now on: its names, and what is written to the files in it by these names.
    ///
    /// # Errors
    ///
    /// If there are too many watches.
    pub fn watch_own_folder(&self, folder: &StateFolder) -> Result<WatchId, NotWatched> {
        self.watch(folder.handle().as_fd(), OF_OWN_FOLDER)
    }

    /// Watches a file from now on, which is open. Read it afterwards: what came before is not told.
    ///
    /// # Errors
    ///
    /// If there are too many watches.
    pub fn watch_file(&self, file: &File) -> Result<WatchId, NotWatched> {
        self.watch(file.as_fd(), OF_FILE)
    }

    fn watch(&self, handle: BorrowedFd<'_>, what: WatchFlags) -> Result<WatchId, NotWatched> {
        // By the handle and not by a name, which may mean something else by now.
        let path = format!("/proc/self/fd/{}", handle.as_raw_fd());
        inotify::add_watch(&self.events, path, what).map(WatchId).map_err(|errno| match errno {
            Errno::NOSPC | Errno::NOMEM => NotWatched::TooMany,
            _ => NotWatched::Other,
        })
    }

    /// Ends a watch. A last event tells of it.
    pub fn forget(&self, watch: WatchId) {
        let _ = inotify::remove_watch(&self.events, watch.0);
    }

    /// Hands over everything that has happened so far. What happens meanwhile may be among it or not, so that a busy writer cannot
    /// make this take forever.
    pub fn drain(&self, mut each: impl FnMut(WatchEvent<'_>)) {
        let waiting = ioctl_fionread(&self.events).map_or(usize::MAX, |bytes| bytes as usize);
        if waiting == 0 {
            return;
        }
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut events = Reader::new(&self.events, &mut buffer);
        let mut read = 0_usize;
        while read < waiting || !events.is_buffer_empty() {
            let Ok(event) = events.next() else { return };
            let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
            read += EVENT + name.map_or(0, |name| (name.len() + 1).next_multiple_of(EVENT));
            let watch = (!event.events().contains(ReadFlags::QUEUE_OVERFLOW)).then_some(WatchId(event.wd()));
            each(WatchEvent { watch, name, flags: event.events() });
        }
    }

    /// Waits until something happens, or until it is [woken](Watcher::wake).
    pub fn wait(&self) {
        let mut handles = [&self.events, &self.wake].map(|handle| PollFd::new(handle, PollFlags::IN));
        let _ = poll(&mut handles, None);
    }

    /// Ends all waiting, now and later.
    pub fn wake(&self) {
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }
}

/// Whether a program may change a file without a system call that is told: it has the file open for writing, or mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writers {
    /// None has.
    None,
    /// One has.
    Possible,
    /// It cannot be told: leases are given on one's own files only.
    Unknown,
}

/// The same for all processors that this is built for, and missing in the library.
const F_SETSIG: i32 = 10;

/// Finds out whether a program may be writing to a file that is open for reading here. `none` runs while it is certain that none is:
/// all that programs did before has been told by then, since the kernel queues the event of a close before it gives the file up.
pub fn writers(file: &File, none: impl FnOnce()) -> Writers {
    // Who opens the file for writing meanwhile waits for these microseconds, and a signal tells the holder. This one does nothing.
    let leased =
        control(file, F_SETSIG, libc::SIGURG).and_then(|_| control(file, libc::F_SETLEASE, libc::F_RDLCK));
    match leased {
        Ok(_) => none(),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Writers::Unknown,
        Err(_) => return Writers::Possible,
    }
    let _ = control(file, libc::F_SETLEASE, libc::F_UNLCK);
    Writers::None
}

/// How far the kernel's events and times can be trusted on a file system. What is listed was measured; see docs/design/index.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reporting {
    /// Events tell every change, and the change time every change since a file was last looked at.
    EventsAndTimes,
    /// Events tell every change; the change time does not tell of stores to a mapping.
    Events,
    /// Neither: other machines, programs or layers change it too.
    Nothing,
}

impl Dir {
    /// How far the events of what lies on the same file system can be trusted.
    #[must_use]
    pub fn reporting(&self) -> Reporting {
        match file_system::kind(self.handle()) {
            Some(file_system::EXT | file_system::XFS | file_system::BTRFS) => Reporting::EventsAndTimes,
            Some(file_system::TMPFS) => Reporting::Events,
            _ => Reporting::Nothing,
        }
    }
}

/// The mounts that this process sees: how often one came or went.
#[derive(Debug)]
pub struct MountTable {
    table: OwnedFd,
    changes: Mutex<u64>,
}

impl MountTable {
    /// None where `/proc` does not tell. A process that restricts itself has to open it before.
    #[must_use]
    pub fn open() -> Option<Self> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let table = openat(CWD, c"/proc/self/mountinfo", flags, Mode::empty()).ok()?;
        Some(Self { table, changes: Mutex::default() })
    }

    /// A number that is larger after anything was mounted or unmounted, see proc(5).
    #[must_use]
    pub fn changes(&self) -> u64 {
        // The kernel tells of a change once, so asking and counting are one step.
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut handles = [PollFd::new(&self.table, PollFlags::PRI)];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let told = poll(&mut handles, Some(&at_once));
        if told.is_err() || handles[0].revents().intersects(PollFlags::PRI | PollFlags::ERR) {
            *changes += 1;
        }
        *changes
    }
}

/// How many files and directories all programs of the user together may watch, see inotify(7); none where `/proc` does not tell. A
/// process that restricts itself has to ask before.
#[must_use]
pub fn max_user_watches() -> Option<usize> {
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok()?;
    limit.trim().parse().ok()
}

/// Lets every other thread of the machine go first, see setpriority(2). On Linux this is about the calling thread alone.
pub fn yield_to_others() {
    const LAST: i32 = 19;
    let _ = setpriority_process(Some(gettid()), LAST);
}
