//! The kernel's queue, emptied before it overflows.
//!
//! The queue holds 16,384 events, and a program that opens every file of a large tree makes more in a fraction of a second. So a
//! thread of its own, which has nothing else to do, moves them into sets that cannot overflow: what happened to a file twice is
//! known once.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use toolcrib_workspace::{WatchEvent, WatchId, Watcher, is_temporary};

pub(crate) struct Events {
    pub(crate) watcher: Watcher,
    told: Mutex<Told>,
    more: Condvar,
}

/// What the kernel has told, not yet related to the table.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Entries of directories that came, went or have other attributes.
    pub(crate) names: BTreeSet<(WatchId, Box<[u8]>, Happened)>,
    pub(crate) changed: BTreeSet<WatchId>,
    pub(crate) opened: BTreeSet<WatchId>,
    /// What is not watched any more, since it is gone.
    pub(crate) ended: BTreeSet<WatchId>,
    pub(crate) gone: BTreeSet<WatchId>,
    pub(crate) overflow: bool,
    over: bool,
    /// Until when everything is known.
    pub(crate) until: Option<SystemTime>,
}

/// What happened to an entry of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Happened {
    Named,
    Attributes,
}

/// More names than this are not kept apart.
const MOST_NAMES: usize = 500_000;

impl Events {
    pub(crate) fn new() -> Option<Self> {
        Some(Self { watcher: Watcher::new()?, told: Mutex::default(), more: Condvar::new() })
    }

    /// Everything that has happened so far and was not taken yet.
    pub(crate) fn take(&self) -> Told {
        let mut told = self.lock();
        self.drain(&mut told);
        let over = told.over;
        std::mem::replace(&mut *told, Told { over, ..Told::default() })
    }

    /// Empties the kernel's queue whenever there is something in it, until it is told to end.
    pub(crate) fn pump(&self) {
        loop {
            self.watcher.wait();
            let mut told = self.lock();
            if told.over {
                return;
            }
            self.drain(&mut told);
            self.more.notify_all();
        }
    }

    /// Waits until something has happened. False at the end.
    pub(crate) fn wait(&self) -> bool {
        let told = self.lock();
        let nothing = |told: &mut Told| !told.over && told.is_empty();
        let told = self.more.wait_while(told, nothing).unwrap_or_else(PoisonError::into_inner);
        !told.over
    }

    /// Ends all waiting.
    pub(crate) fn end(&self) {
        self.lock().over = true;
        self.more.notify_all();
        self.watcher.wake();
    }

    fn drain(&self, told: &mut Told) {
        let now = SystemTime::now();
        self.watcher.drain(|event| told.add(event));
        told.until = Some(now);
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        // Every change under the lock is one step, so a panic elsewhere leaves it whole.
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Told {
    fn is_empty(&self) -> bool {
        self.names.is_empty()
            && self.changed.is_empty()
            && self.opened.is_empty()
            && !self.overflow
            && self.gone.is_empty()
    }

    fn add(&mut self, event: WatchEvent<'_>) {
        let Some(watch) = event.watch else {
            self.overflow = true;
            return;
        };
        match event.name {
            Some(name) => self.add_name(watch, name.as_bytes(), event),
            None => self.add_own(watch, event),
        }
    }

    /// Something about an entry of a directory.
    fn add_name(&mut self, watch: WatchId, name: &[u8], event: WatchEvent<'_>) {
        let happened = if event.is_about_names() { Happened::Named } else { Happened::Attributes };
        // The commits of this program give their files such names for a moment.
        if is_temporary(OsStr::from_bytes(name)) {
            return;
        }
        self.names.insert((watch, name.into(), happened));
        self.overflow |= self.names.len() > MOST_NAMES;
    }

    /// Something about what is watched itself.
    fn add_own(&mut self, watch: WatchId, event: WatchEvent<'_>) {
        if event.is_about_content() || event.is_about_attributes() {
            self.changed.insert(watch);
        }
        if event.is_about_opening() {
            self.opened.insert(watch);
        }
        if event.is_gone() {
            self.gone.insert(watch);
        }
        if event.is_the_last() {
            self.ended.insert(watch);
        }
    }
}
