//! One at a time displaces a file, also among those who took no [lock](crate::Locks).
//!
//! A step that displaces a file looks at it only afterwards, and puts it back if it was not the one that was meant. In
//! between, the new content is to be seen, and another commit could be based on it and make what was displaced forgotten.
//! So a process that displaces a file holds it by `flock`, and the file that takes its place too. That takes a moment,
//! unless another program holds the file for its own reasons. Such a one is not waited for longer: it does not displace
//! anything by these steps.

use std::fs::{File, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::exchange::DirEntryRef;
use crate::open::stat::{Stat, look};

/// A file that is held.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) file: File,
    /// What it was when it was had.
    pub(crate) stat: Stat,
}

/// Holds what has this name until it is dropped. None where that cannot be: the step itself shows what is the matter.
pub(crate) fn claim(at: DirEntryRef<'_>) -> Option<Claim> {
    let until = Instant::now() + PATIENCE;
    loop {
        let file = at.open().ok().flatten()?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < until => thread::sleep(PAUSE),
                Err(_) => return None,
            }
        }
        // Its holder may have displaced it.
        let own = look(&file).ok()?.stat;
        let named = at.look().ok().flatten()?.stat;
        if (own.dev, own.ino) == (named.dev, named.ino) {
            return Some(Claim { file, stat: named });
        }
    }
}

/// Longer than a step takes, which hashes a file at most twice.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_micros(50);
