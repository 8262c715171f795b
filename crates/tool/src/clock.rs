//! How long a call may still take. While a person is asked, the clock stands still.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The clock of one call.
#[derive(Debug)]
pub(crate) struct Clock {
    started: Instant,
    timeout: Duration,
    /// Microseconds that do not count.
    paused: AtomicU64,
    standing: AtomicBool,
}

impl Clock {
    pub(crate) fn start(timeout: Duration) -> Self {
        Self { started: Instant::now(), timeout, paused: AtomicU64::new(0), standing: AtomicBool::new(false) }
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The time that is left; none means that it is over.
    pub(crate) fn remaining(&self) -> Option<Duration> {
        self.remaining_after(self.elapsed())
    }

    fn remaining_after(&self, elapsed: Duration) -> Option<Duration> {
        if self.standing.load(Ordering::Acquire) {
            return Some(self.timeout);
        }
        let used = elapsed.saturating_sub(Duration::from_micros(self.paused.load(Ordering::Acquire)));
        self.timeout.checked_sub(used).filter(|left| !left.is_zero())
    }

    /// Does something that takes as long as a person takes.
    pub(crate) fn paused<R>(&self, wait: impl FnOnce() -> R) -> R {
        let began = Instant::now();
        self.standing.store(true, Ordering::Release);
        let answer = wait();
        self.go_on(began.elapsed());
        answer
    }

    fn go_on(&self, waited: Duration) {
        self.paused.fetch_add(u64::try_from(waited.as_micros()).unwrap_or(u64::MAX), Ordering::AcqRel);
        self.standing.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_runs_out() {
        let clock = Clock::start(Duration::from_millis(20));
        let after = |elapsed| clock.remaining_after(Duration::from_millis(elapsed));
        assert_eq!(after(0), Some(Duration::from_millis(20)));
        assert_eq!(after(19), Some(Duration::from_millis(1)));
        assert_eq!([after(20), after(25)], [None, None]);
    }

    #[test]
    fn while_a_person_is_asked_it_stands_still() {
        let clock = Clock::start(Duration::from_millis(20));
        let after = |elapsed| clock.remaining_after(Duration::from_millis(elapsed));
        clock.paused(|| assert_eq!(after(1000), Some(Duration::from_millis(20))));
        clock.go_on(Duration::from_millis(50));
        let used = Duration::from_micros(clock.paused.load(Ordering::Relaxed)) - Duration::from_millis(50);
        assert_eq!(after(65), Some(Duration::from_millis(5) + used));
        assert_eq!(after(1000), None);
    }
}
