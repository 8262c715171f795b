//! Whether there is memory for what is about to be done.
//!
//! An allocation that fails ends the process, and with it all other calls. So work that takes much asks first, and what
//! cannot be had is an error of that call alone.

use std::cell::Cell;
use std::fmt;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What calls in this process have reserved, together.
static RESERVED: AtomicUsize = AtomicUsize::new(0);

/// Below this it is not worth asking.
const SMALL: usize = 1 << 20;

/// What must be left for everything that is not asked for.
const HEADROOM: usize = 48 << 20;

/// The least that is looked for. An allocation of more than 32 MB gets a mapping of its own, which goes back to the system
/// at once; of less, the allocator would keep what it got, and threads and the stack could not have it (`M_MMAP_THRESHOLD`
/// in `mallopt(3)`).
const LEAST: usize = 33 << 20;

/// Memory that a caller is going to use. It is given back when this is dropped.
///
/// Nothing is allocated: it is only made sure that it could be, beside what others have reserved. Where the system promises
/// more memory than it has, that is no proof; under a limit for the process, as of `ulimit -v`, it is.
///
/// ```
/// use toolcrib_text::Reserved;
///
/// assert!(Reserved::new(64 << 20).is_ok());
/// assert!(Reserved::new(usize::MAX / 2).is_err());
/// ```
#[derive(Debug)]
pub struct Reserved(usize);

/// There is not so much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMemory {
    /// How many bytes were asked for.
    pub bytes: usize,
}

impl fmt::Display for NoMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it would take {} MB of memory, which there is not", self.bytes.div_ceil(1 << 20))
    }
}

impl std::error::Error for NoMemory {}

impl Reserved {
    /// Makes sure that so many bytes can be had.
    ///
    /// # Errors
    ///
    /// If they cannot.
    pub fn new(bytes: usize) -> Result<Self, NoMemory> {
        if bytes < SMALL {
            return Ok(Self(0));
        }
        let others = RESERVED.fetch_add(bytes, Ordering::Relaxed);
        let reserved = Self(bytes);
        let all = others.saturating_add(bytes).saturating_add(HEADROOM);
        if can_be_had(all) { Ok(reserved) } else { Err(NoMemory { bytes }) }
    }
}

/// Whether so little memory is left that work should end while it can still say why.
///
/// It takes two system calls, so it is for work that goes on for a while, not for every turn of a loop.
///
/// ```
/// assert!(!toolcrib_text::is_memory_short());
/// ```
#[must_use]
pub fn is_memory_short() -> bool {
    !can_be_had(LEAST)
}

/// How many threads there is room for, up to `most`.
///
/// A thread that starts without room ends the process: the standard library maps a stack for its signals, and panics if it
/// cannot. The allocator sets address space aside for each thread too.
///
/// ```
/// assert_eq!(toolcrib_text::room_for_threads(2), 2);
/// assert_eq!(toolcrib_text::room_for_threads(0), 0);
/// ```
#[must_use]
pub fn room_for_threads(most: usize) -> usize {
    /// Its stack, and what glibc sets aside for an arena (`HEAP_MAX_SIZE` in its `arena.c`).
    const EACH: usize = (8 << 20) + (64 << 20);
    let fits = |threads: &usize| *threads == 0 || can_be_had(threads.saturating_mul(EACH) + HEADROOM);
    std::iter::successors(Some(most), |threads| (*threads > 0).then_some(threads / 2)).find(fits).unwrap_or(0)
}

/// Has the stack of the main thread grow to what a call needs, while there is memory for it.
///
/// The stack of the main thread grows as it is used. If the address space is full by then, the process ends. The stacks of
/// other threads have their size from the beginning.
///
/// ```
/// toolcrib_text::grow_stack();
/// ```
pub fn grow_stack() {
    thread_local! {
        static GROWN: Cell<bool> = const { Cell::new(false) };
    }
    // On other threads it would take memory for each of them, and gain nothing.
    if !GROWN.replace(true) && std::thread::current().name() == Some("main") {
        touch_stack();
    }
}

/// How much stack a call has for certain. Threads have two megabytes, of which callers use some.
const STACK: usize = 512 << 10;

#[inline(never)]
#[allow(clippy::large_stack_arrays, reason = "the stack is to grow")]
fn touch_stack() {
    black_box([0_u8; STACK]);
}

/// Whether so many bytes, at least [`LEAST`], are left.
fn can_be_had(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

impl Drop for Reserved {
    fn drop(&mut self) {
        RESERVED.fetch_sub(self.0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_reserved_counts_until_it_is_dropped() {
        let before = RESERVED.load(Ordering::Relaxed);
        let held = [8 << 20, 16 << 20].map(|bytes| Reserved::new(bytes).unwrap());
        assert_eq!(RESERVED.load(Ordering::Relaxed), before + (24 << 20));
        drop(held);
        assert_eq!(Reserved::new(usize::MAX / 2).unwrap_err().bytes, usize::MAX / 2);
        assert_eq!(RESERVED.load(Ordering::Relaxed), before);
    }
}
