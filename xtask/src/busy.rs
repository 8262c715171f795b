//! The whole test run on a busy machine: a test that needs a quiet one is a defect, and here it shows.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::job::{Failure, Outcome};
use crate::shell::{cargo, run};

/// Threads that do nothing but take processor time.
const LOOPS: usize = 4;

/// How much of the machine's memory is taken.
const PERCENT: usize = 80;

/// How many tests run at once: more than most machines have processors, so that each waits for the others too.
const TESTS_AT_ONCE: &str = "6";

const RUNS: usize = 3;

const PAGE: usize = 4096;

/// Runs `cargo xtask test` three times in a row under load; what was typed after `--` is passed on.
pub(crate) fn run_tests(extra: &[String]) -> Outcome {
    let size = memory()? / 100 * PERCENT;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..LOOPS {
            scope.spawn(|| {
                let mut count = 0_u64;
                while !over.load(Ordering::Relaxed) {
                    count = black_box(count.wrapping_add(1));
                }
            });
        }
        scope.spawn(|| hold(size, &over));
        let outcome = (1..=RUNS).try_for_each(|number| {
            println!("\n== run {number} of {RUNS}, beside {LOOPS} busy loops and {} MiB", size >> 20);
            let mut test = cargo(["xtask", "test"]);
            run(test
                .args(extra)
                .envs(["NEXTEST_TEST_THREADS", "RUST_TEST_THREADS"].map(|name| (name, TESTS_AT_ONCE))))
        });
        over.store(true, Ordering::Relaxed);
        outcome
    })
}

/// Keeps so much memory in use: each page is written to, again and again, so that it is never given up.
fn hold(size: usize, over: &AtomicBool) {
    let mut held = vec![0_u8; size];
    while !over.load(Ordering::Relaxed) {
        for page in held.chunks_mut(PAGE) {
            page[0] = page[0].wrapping_add(1);
        }
        black_box(&held);
        thread::sleep(Duration::from_secs(1));
    }
}

/// The machine's memory in bytes, see proc_meminfo(5).
fn memory() -> Result<usize, Failure> {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB"));
    let kilobytes = total.and_then(|number| number.trim().parse::<usize>().ok());
    kilobytes
        .map(|count| count * 1024)
        .ok_or_else(|| Failure::CouldNotRun("/proc/meminfo does not say how much memory there is".into()))
}
