//! How much this process may have, and how much it has had.

use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

/// Gives this process so many bytes of address space, for good. An allocation beyond it fails.
pub fn limit_address_space(bytes: u64) {
    let limit = |most| Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::As, limit(bytes)).unwrap();
    // A crash is told by its signal; its memory would fill the disk.
    setrlimit(Resource::Core, limit(0)).unwrap();
}

/// Measures how long processors work for this process. A busy machine changes nothing in that, as it does in what a clock
/// shows.
pub struct Work(Duration);

impl Work {
    /// Begins now.
    #[must_use]
    pub fn begin() -> Self {
        Self(processor_time())
    }

    /// How long processors have worked since.
    #[must_use]
    pub fn so_far(&self) -> Duration {
        processor_time() - self.0
    }
}

/// How long processors have worked for this process, with all its threads.
#[must_use]
pub fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}
