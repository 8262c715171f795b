//! Several things at a time: waiting for the disk once for many files, hashing a new content beside the old one.

use std::thread;

use toolcrib_text::room_for_threads;

/// Does something that waits for the disk for several at once: one commit of the file system's own journal then serves
/// many of them.
pub(crate) fn sync_in_parallel<T: Sync, E: Send>(
    all: &[T],
    wait: impl Fn(&T) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let threads = if all.len() > 1 { room_for_threads(all.len().min(THREADS)) } else { 1 };
    if threads <= 1 {
        return all.iter().try_for_each(wait);
    }
    let share = all.len().div_ceil(threads);
    let wait = &wait;
    thread::scope(|scope| {
        let one = |share: &'_ [T]| share.iter().try_for_each(wait);
        let spawn = |share| match thread::Builder::new().spawn_scoped(scope, move || one(share)) {
            Ok(thread) => Share::Elsewhere(thread),
            // No more threads can be had: it is done here, then.
            Err(_) => Share::Here(one(share)),
        };
        let shares: Vec<_> = all.chunks(share).map(spawn).collect();
        // All are waited for, whichever fails.
        let ended: Vec<_> = shares.into_iter().map(Share::end).collect();
        ended.into_iter().collect()
    })
}

const THREADS: usize = 16;

/// Does two things, at the same time if they are `worth` a thread.
pub(crate) fn both<A, B: Send>(
    worth: bool,
    here: impl FnOnce() -> A,
    there: impl Fn() -> B + Sync,
) -> (A, B) {
    if !worth || room_for_threads(1) == 0 {
        return (here(), there());
    }
    thread::scope(|scope| match thread::Builder::new().spawn_scoped(scope, &there) {
        Ok(thread) => (here(), thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
        // No more threads can be had: one after the other, then.
        Err(_) => (here(), there()),
    })
}

/// A part of the work.
enum Share<'s, E> {
    Elsewhere(thread::ScopedJoinHandle<'s, Result<(), E>>),
    Here(Result<(), E>),
}

impl<E> Share<'_, E> {
    fn end(self) -> Result<(), E> {
        match self {
            Self::Elsewhere(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Self::Here(end) => end,
        }
    }
}
