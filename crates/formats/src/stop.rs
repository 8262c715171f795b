//! How a caller ends work that it no longer wants.

/// Asked in every loop that a hostile file could make long. Any `Fn() -> bool` is one.
///
/// ```
/// use std::time::{Duration, Instant};
/// use toolcrib_formats::Stop;
///
/// let deadline = Instant::now() + Duration::from_secs(5);
/// let stop = || Instant::now() >= deadline;
/// assert!(!stop.stopped());
/// ```
pub trait Stop {
    /// Whether the work is to end now. It is asked often, so it should be cheap.
    fn stopped(&self) -> bool;
}

impl<F: Fn() -> bool + ?Sized> Stop for F {
    fn stopped(&self) -> bool {
        self()
    }
}
