//! How a caller ends a search that it no longer wants.

/// Asked by every thread of a search, many thousand times a second: at each directory, at each file, and within large
/// files. Any `Fn() -> bool` that threads can share is one.
///
/// ```
/// use std::time::{Duration, Instant};
/// use toolcrib_search::Stop;
///
/// let deadline = Instant::now() + Duration::from_secs(5);
/// let stop = || Instant::now() >= deadline;
/// assert!(!stop.stopped());
/// ```
pub trait Stop: Sync {
    /// Whether the work is to end now.
    fn stopped(&self) -> bool;
}

impl<F: Fn() -> bool + Sync + ?Sized> Stop for F {
    fn stopped(&self) -> bool {
        self()
    }
}
