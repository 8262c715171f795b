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
        if self.standing.load(Ordering::Acquire) {
            return Some(self.timeout);
        }
        let used = self.elapsed().saturating_sub(Duration::from_micros(self.paused.load(Ordering::Acquire)));
        self.timeout.checked_sub(used).filter(|left| !left.is_zero())
    }

    /// Does something that takes as long as a person takes.
    pub(crate) fn paused<R>(&self, wait: impl FnOnce() -> R) -> R {
        let began = Instant::now();
        self.standing.store(true, Ordering::Release);
        let answer = wait();
        let waited = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.paused.fetch_add(waited, Ordering::AcqRel);
        self.standing.store(false, Ordering::Release);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_runs_out() {
        let clock = Clock::start(Duration::from_millis(20));
        assert!(clock.remaining().is_some());
        std::thread::sleep(Duration::from_millis(25));
        assert_eq!(clock.remaining(), None);
    }

    #[test]
    fn while_a_person_is_asked_it_stands_still() {
        let clock = Clock::start(Duration::from_millis(20));
        clock.paused(|| {
            std::thread::sleep(Duration::from_millis(50));
            assert!(clock.remaining().is_some());
        });
        assert!(clock.remaining().is_some_and(|left| left <= Duration::from_millis(20)));
        assert!(clock.elapsed() >= Duration::from_millis(50));
    }
}
