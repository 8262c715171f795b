//! Runs the decoders of others where their faults stay.
//!
//! What is held:
//! - **A panic** in a decoder ends its thread's work and is an error of that one file ([`Fault::Panicked`]). The
//!   thread's message still goes to standard error.
//! - **Deep recursion** has a stack of [`STACK`] bytes; the decoders limit their nesting far below that.
//! - **Too long**: the caller's [`Stop`] is asked every [`POLL`], and the work sees it through [`Wanted`]. Work that
//!   does not look gets [`GRACE`] more, then the caller goes on without it. The thread ends when the decoder does, and
//!   what it made is dropped. While [`MAX_LOST`] such threads still run, nothing new is begun ([`Fault::Busy`]), so a
//!   file that is asked for again and again cannot take the machine.
//!
//! What is not held: memory. A failed allocation ends the process, whatever thread it is in; so a caller of a decoder
//! proves first, from the file, that it cannot take too much.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use toolcrib_text::room_for_threads;

use crate::Stop;

/// The stack of a decoder's thread. Only what is used of it costs memory.
const STACK: usize = 16 * 1024 * 1024;
/// How often the caller's stop is asked.
const POLL: Duration = Duration::from_millis(10);
/// How long work may take to see that it is not wanted any more.
const GRACE: Duration = Duration::from_millis(250);
/// How many threads may be left behind before no new one is begun.
const MAX_LOST: usize = 8;

/// How many threads still run although no caller waits for them.
static LOST: AtomicUsize = AtomicUsize::new(0);

/// Why work gave no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The caller no longer wanted it.
    Stopped,
    /// It panicked.
    Panicked,
    /// Earlier work hangs, or the system gives no thread.
    Busy,
}

/// What the work asks whether its answer is still wanted.
#[derive(Clone, Debug)]
pub(crate) struct Wanted(Arc<AtomicBool>);

impl Stop for Wanted {
    fn stopped(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}

/// The answer of `work`, which runs on a thread of its own.
pub(crate) fn run<T: Send + 'static>(
    stop: &dyn Stop,
    work: impl FnOnce(&Wanted) -> T + Send + 'static,
) -> Result<T, Fault> {
    if stop.stopped() {
        return Err(Fault::Stopped);
    }
    if LOST.load(Ordering::Relaxed) >= MAX_LOST {
        return Err(Fault::Busy);
    }
    let wanted = Wanted(Arc::new(AtomicBool::new(true)));
    // Which of the two comes first: the end of the work, or the end of the caller's patience.
    let settled = Arc::new(AtomicBool::new(false));
    let (sender, receiver) = sync_channel(1);
    let worker = {
        let (wanted, settled) = (wanted.clone(), Arc::clone(&settled));
        move || {
            let result = catch_unwind(AssertUnwindSafe(|| work(&wanted)));
            if settled.swap(true, Ordering::AcqRel) {
                drop(result);
                LOST.fetch_sub(1, Ordering::Relaxed);
            } else {
                // The caller may be gone; then the result is dropped here.
                let _ = sender.send(result.map_err(|_| Fault::Panicked));
            }
        }
    };
    let thread = thread::Builder::new().name("toolcrib-decoder".to_owned()).stack_size(STACK);
    if room_for_threads(1) == 0 || thread.spawn(worker).is_err() {
        return Err(Fault::Busy);
    }
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => return Err(Fault::Panicked),
            Err(RecvTimeoutError::Timeout) if stop.stopped() => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    wanted.0.store(false, Ordering::Relaxed);
    // What arrives now is late: the caller has given up, and must not see half an answer.
    if receiver.recv_timeout(GRACE).is_err() {
        LOST.fetch_add(1, Ordering::Relaxed);
        if settled.swap(true, Ordering::AcqRel) {
            LOST.fetch_sub(1, Ordering::Relaxed);
        }
    }
    Err(Fault::Stopped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_comes_back() {
        assert_eq!(run(&|| false, |_| 42), Ok(42));
    }

    #[test]
    fn a_panic_stays_where_it_is() {
        assert_eq!(run(&|| false, |_| -> u8 { panic!("on purpose") }), Err(Fault::Panicked));
    }

    #[test]
    fn work_that_listens_ends_at_once_and_work_that_does_not_is_left() {
        // Wanted when it begins, and not when it is asked again.
        let asked = AtomicBool::new(false);
        let second_time = || asked.swap(true, Ordering::Relaxed);
        let listening = |wanted: &Wanted| {
            while !wanted.stopped() {
                thread::sleep(Duration::from_millis(1));
            }
        };
        assert_eq!(run(&second_time, listening), Err(Fault::Stopped));
        assert_eq!(LOST.load(Ordering::Relaxed), 0);

        let (release, hold) = sync_channel::<()>(0);
        asked.store(false, Ordering::Relaxed);
        assert_eq!(run(&second_time, move |_| hold.recv().is_ok()), Err(Fault::Stopped));
        assert_eq!(LOST.load(Ordering::Relaxed), 1);
        drop(release);
        while LOST.load(Ordering::Relaxed) > 0 {
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_deep_recursion_has_room() {
        fn deep(depth: u32) -> u32 {
            let frame = std::hint::black_box([depth; 64]);
            if depth == 0 { frame[0] } else { deep(depth - 1) + std::hint::black_box(frame[1]) % 2 }
        }
        // Half a kilobyte a level in a debug build.
        assert!(run(&|| false, |_| deep(10_000)).is_ok());
    }
}
