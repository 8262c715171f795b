//! How threads share the directories that are yet to be read.
//!
//! Each thread works on a stack of its own, so that it stays in one part of the tree and holds few directories open. When
//! a thread has nothing to do, a thread that has more than it needs gives half of it away, the oldest first: these are
//! nearest to the top and so the largest.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::worker::Task;

pub(crate) struct Queue {
    shared: Mutex<Shared>,
    changed: Condvar,
    /// How many wait for something to do; a hint that needs no lock.
    hungry: AtomicUsize,
    ended: AtomicBool,
    stopped: AtomicBool,
}

struct Shared {
    tasks: Vec<Task>,
    workers: usize,
    waiting: usize,
}

impl Queue {
    /// With one worker.
    pub(crate) fn new() -> Self {
        Self {
            shared: Mutex::new(Shared { tasks: Vec::new(), workers: 1, waiting: 0 }),
            changed: Condvar::new(),
            hungry: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
        }
    }

    /// One more will take tasks.
    pub(crate) fn join(&self) {
        self.lock().workers += 1;
    }

    /// One takes no more tasks.
    pub(crate) fn leave(&self) {
        let mut shared = self.lock();
        shared.workers -= 1;
        self.end_if_all_wait(&shared);
    }

    /// A task that another thread gave away; waits for one. None at the end of the walk.
    pub(crate) fn take(&self) -> Option<Task> {
        let mut shared = self.lock();
        shared.waiting += 1;
        self.hungry.fetch_add(1, Ordering::Relaxed);
        self.end_if_all_wait(&shared);
        let task = loop {
            if self.has_ended() {
                break None;
            }
            if let Some(task) = shared.tasks.pop() {
                break Some(task);
            }
            shared = self.changed.wait(shared).unwrap_or_else(PoisonError::into_inner);
        };
        shared.waiting -= 1;
        self.hungry.fetch_sub(1, Ordering::Relaxed);
        task
    }

    /// Whether a thread waits for something to do.
    pub(crate) fn is_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// Gives tasks away.
    pub(crate) fn give(&self, tasks: impl Iterator<Item = Task>) {
        self.lock().tasks.extend(tasks);
        self.changed.notify_all();
    }

    /// Ends the walk before its end.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.end();
    }

    pub(crate) fn was_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
        // Under the lock, so that no thread begins to wait between the two.
        drop(self.lock());
        self.changed.notify_all();
    }

    fn end_if_all_wait(&self, shared: &Shared) {
        if shared.tasks.is_empty() && shared.waiting == shared.workers {
            self.ended.store(true, Ordering::Relaxed);
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        // Every change under the lock is one step, so a panic elsewhere leaves it whole.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
