//! When no program holds on to a file's last name any more: the kernel's `IN_DELETE_SELF`.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};

/// Watches files for all threads of the process: of such watchers a user may have few.
#[derive(Debug)]
pub(crate) struct InodeWatcher {
    events: OwnedFd,
    over: Mutex<BTreeSet<i32>>,
}

/// One file that is watched.
pub(crate) struct Watch<'a> {
    watcher: &'a InodeWatcher,
    number: i32,
    over: Cell<bool>,
}

impl InodeWatcher {
    /// None where the user has too many watchers already.
    pub(crate) fn of_this_process() -> Option<&'static Self> {
        static WATCHER: LazyLock<Option<InodeWatcher>> = LazyLock::new(|| {
            let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            Some(InodeWatcher { events, over: Mutex::default() })
        });
        WATCHER.as_ref()
    }

    pub(crate) fn watch(&self, path: &str) -> Option<Watch<'_>> {
        let number = inotify::add_watch(&self.events, path, WatchFlags::DELETE_SELF).ok()?;
        Some(Watch { watcher: self, number, over: Cell::new(false) })
    }

    /// What is over, with all that the kernel has told meanwhile.
    fn over(&self) -> MutexGuard<'_, BTreeSet<i32>> {
        let mut over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(&self.events, &mut buffer);
        while let Ok(event) = events.next() {
            if event.events().contains(ReadFlags::DELETE_SELF) {
                over.insert(event.wd());
            }
        }
        over
    }
}

impl Watch<'_> {
    /// Whether no program holds the file by the last name it had.
    pub(crate) fn is_over(&self) -> bool {
        self.over.set(self.over.get() || self.watcher.over().remove(&self.number));
        self.over.get()
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if !self.is_over() {
            let _ = inotify::remove_watch(&self.watcher.events, self.number);
            self.is_over();
        }
    }
}
