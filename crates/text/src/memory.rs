//! Whether there is memory for what is about to be done.
//!
//! An allocation that fails ends the process, and with it all other calls. So work that takes much asks first, and what
//! cannot be had is an error of that call alone.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What calls in this process have reserved, together.
static RESERVED: AtomicUsize = AtomicUsize::new(0);

/// Below this it is not worth asking.
const SMALL: usize = 1 << 20;

/// What must be left for everything that nobody asks for.
const HEADROOM: usize = 32 << 20;

/// Memory that somebody is going to use. It is given back when this is dropped.
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
        let enough = Vec::<u8>::new().try_reserve_exact(all).is_ok();
        if enough { Ok(reserved) } else { Err(NoMemory { bytes }) }
    }
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
