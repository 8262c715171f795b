//! Waiting for news of a journal, whichever process writes them.

use toolcrib_workspace::Watcher;

use crate::journal::Journal;

/// Tells when something was written to a journal. Look at the journal after each wait: what happened is not told.
#[derive(Debug)]
pub struct JournalWatch(Watcher);

impl Journal {
    /// Watches the journal from now on. None if the kernel allows the user no further watches (inotify(7)).
    #[must_use]
    pub fn watch(&self) -> Option<JournalWatch> {
        let watcher = Watcher::new()?;
        watcher.watch_own_folder(self.log.folder()).ok()?;
        Some(JournalWatch(watcher))
    }
}

impl JournalWatch {
    /// Waits until something is written, or until it is [stopped](Self::stop). What was written since the last wait ends this one
    /// at once.
    pub fn wait(&self) {
        self.0.wait();
        self.0.drain(|_| {});
    }

    /// Ends all waiting, now and later.
    pub fn stop(&self) {
        self.0.wake();
    }
}
