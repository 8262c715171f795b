//! How a caller ends work that it no longer wants: because its time is up, or because it was cancelled.
//!
//! [`Stop`] is the question, asked by everything in this project that can take long. [`Meter`] asks it from time to time:
//! a loop tells the meter how much work it does, and the meter asks often enough for the work to end within milliseconds
//! and seldom enough to cost nothing.

use std::cell::Cell;
use std::fmt;

/// Says whether work is to end. Any `Fn() -> bool` that threads can share is one.
///
/// ```
/// use std::time::{Duration, Instant};
/// use toolcrib_text::Stop;
///
/// let deadline = Instant::now() + Duration::from_secs(5);
/// let stop = || Instant::now() >= deadline;
/// assert!(!stop.stopped());
/// ```
pub trait Stop: Sync {
    /// Whether the work is to end now. It is asked often, by every thread of the work, so it should be cheap.
    fn stopped(&self) -> bool;
}

impl<F: Fn() -> bool + Sync + ?Sized> Stop for F {
    fn stopped(&self) -> bool {
        self()
    }
}

/// The work was stopped before its end, so it has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stopped before the end")
    }
}

impl std::error::Error for Stopped {}

impl Stopped {
    /// For the result of work under [`Meter::unlimited`], which nothing stops.
    ///
    /// # Panics
    ///
    /// Always, so it must not be reached with any other meter.
    pub fn cannot_be<T>(self) -> T {
        unreachable!("an unlimited meter stops nothing")
    }
}

/// Counts work, and asks a [`Stop`] whenever enough of it was done.
///
/// ```
/// use toolcrib_text::{Meter, Stopped};
///
/// fn sum(numbers: &[u64], meter: &Meter<'_>) -> Result<u64, Stopped> {
///     let mut sum = 0;
///     for part in numbers.chunks(1024) {
///         meter.spend(part.len())?;
///         sum += part.iter().sum::<u64>();
///     }
///     Ok(sum)
/// }
///
/// assert_eq!(sum(&[1; 1_000_000], &Meter::new(&|| true)), Err(Stopped));
/// assert_eq!(sum(&[1; 1_000_000], &Meter::unlimited()), Ok(1_000_000));
/// ```
pub struct Meter<'s> {
    stop: &'s dyn Stop,
    /// How much may be done before the next question.
    left: Cell<usize>,
}

impl<'s> Meter<'s> {
    /// How much work is done between two questions. A unit is about a nanosecond: a byte that is looked at once.
    pub const BETWEEN: usize = 1 << 18;

    /// Work that this may stop.
    #[must_use]
    pub fn new(stop: &'s dyn Stop) -> Self {
        Self { stop, left: Cell::new(Self::BETWEEN) }
    }

    /// Work that nothing stops.
    #[must_use]
    pub fn unlimited() -> Meter<'static> {
        Meter::new(&|| false)
    }

    /// Accounts for work that was done or is about to be.
    ///
    /// # Errors
    ///
    /// If the work is to end. Pass it on with `?`.
    pub fn spend(&self, work: usize) -> Result<(), Stopped> {
        match self.left.get().checked_sub(work) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => self.ask(),
        }
    }

    /// Asks now, before work that cannot be interrupted.
    ///
    /// # Errors
    ///
    /// If the work is to end.
    pub fn ask(&self) -> Result<(), Stopped> {
        if self.stop.stopped() {
            // A caller that goes on in spite of it is told again at once.
            self.left.set(0);
            return Err(Stopped);
        }
        self.left.set(Self::BETWEEN);
        Ok(())
    }

    /// What is asked.
    #[must_use]
    pub fn stop(&self) -> &'s dyn Stop {
        self.stop
    }
}

impl fmt::Debug for Meter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter").field("left", &self.left).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn it_asks_when_enough_was_done_and_not_before() {
        let asked = AtomicUsize::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= 2;
        let meter = Meter::new(&stop);
        for _ in 0..Meter::BETWEEN {
            assert_eq!(meter.spend(1), Ok(()));
        }
        assert_eq!(asked.load(Ordering::Relaxed), 0);
        assert_eq!(meter.spend(1), Ok(()));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        // Work in one large piece is asked about at once.
        assert_eq!(meter.spend(usize::MAX), Ok(()));
        assert_eq!(meter.spend(usize::MAX), Err(Stopped));
    }

    #[test]
    fn who_goes_on_in_spite_of_it_is_told_again() {
        let meter = Meter::new(&|| true);
        assert_eq!(meter.ask(), Err(Stopped));
        assert_eq!(meter.spend(1), Err(Stopped));
    }
}
