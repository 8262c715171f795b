//! Waiting for the disk once for many files.

use std::thread;

/// Does something that waits for the disk for several at once: one commit of the file system's own journal then serves
/// many of them.
pub(crate) fn at_once<T: Sync, E: Send>(
    all: &[T],
    wait: impl Fn(&T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    if let [only] = all {
        return wait(only);
    }
    let share = all.len().div_ceil(THREADS).max(1);
    let wait = &wait;
    thread::scope(|scope| {
        let one = |share: &'_ [T]| share.iter().try_for_each(wait);
        let threads: Vec<_> = all.chunks(share).map(|share| scope.spawn(move || one(share))).collect();
        // All are waited for, whichever fails.
        let ended: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        ended.into_iter().try_for_each(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

const THREADS: usize = 16;
