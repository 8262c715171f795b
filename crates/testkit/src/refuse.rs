//! A kernel that refuses: what an old one, a container, or a broken disk answers.

use std::collections::BTreeMap;
use std::thread;

use rustix::io::Errno;
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

/// The number of the system call on this architecture: on x86-64, or on all that came later.
const fn number(x86_64: i64, later: i64) -> i64 {
    if cfg!(target_arch = "x86_64") { x86_64 } else { later }
}

/// `linkat`.
pub const LINKAT: i64 = number(265, 37);
/// `openat2`.
pub const OPENAT2: i64 = number(437, 437);
/// `renameat2`.
pub const RENAMEAT2: i64 = number(316, 276);
/// `unlinkat`.
pub const UNLINKAT: i64 = number(263, 35);

/// Does the work on a thread of its own, for which the kernel answers these system calls with `errno`. So it does for the
/// threads that this one starts.
///
/// # Panics
///
/// If the work does, or if the kernel cannot be told.
pub fn refusing<T: Send>(calls: &[i64], errno: Errno, work: impl FnOnce() -> T + Send) -> T {
    let refuse = SeccompAction::Errno(errno.raw_os_error().unsigned_abs());
    let architecture = std::env::consts::ARCH.try_into().unwrap();
    let rules: BTreeMap<i64, _> = calls.iter().map(|call| (*call, Vec::new())).collect();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    let refused = || {
        apply_filter(&program).unwrap();
        work()
    };
    thread::scope(|scope| scope.spawn(refused).join().unwrap())
}
