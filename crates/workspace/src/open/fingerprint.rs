//! When a file need not be hashed again: facts that cannot stay equal if the content changed.
//!
//! # Why an equal fingerprint can be proof
//! Every change of content sets the change time (`ctime`) to the kernel's clock, and no program can set it back. Two
//! changes can share a change time only if they fall into one tick of the file system's clock: some milliseconds
//! on most, two seconds on the coarsest. So if the change time was already more than two seconds old when the facts
//! were taken, then any later change carries a later one. Equal facts then mean equal content. If it was younger, a
//! second change in the same tick might hide behind it, and only the hash can tell.
//!
//! The modification time has to be as old too, although programs can set it: one that lies in the future shows that
//! a clock is not to be trusted. And the file system must be local: on a network the server's clock makes
//! the times, and ours says nothing about their age.
//!
//! Two holes remain, and neither loses data, because a commit compares hashes: the machine's clock set back by hand, and
//! a program that writes through a memory map, whose change time follows late.

use std::fmt;
use std::os::fd::AsFd;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::error::Error;
use crate::host::file_system;
use crate::open::resolve::{self, Want};
use crate::open::stat::{Links, Look, Stat};
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

/// The facts that decide whether a file may have changed since they were taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    facts: Facts,
    certain: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Facts {
    size: u64,
    dev: u64,
    ino: u64,
    ctime: SystemTime,
    mtime: SystemTime,
}

impl Fingerprint {
    /// Whether the facts were old enough, when they were taken, to prove anything later.
    pub fn certain(&self) -> bool {
        self.certain
    }

    /// Whether a later fingerprint of the same path proves that the content is still the same. `false` proves
    /// nothing: read the file and compare versions.
    pub fn proves_unchanged(&self, later: &Self) -> bool {
        self.certain && self.facts == later.facts
    }

    /// Whether a later fingerprint of the same path says nothing of a change. For those who want to be told of changes, and
    /// can bear to miss one that fell into the same tick of the clock.
    pub fn looks_like(&self, later: &Self) -> bool {
        self.facts == later.facts
    }

    pub(crate) fn of(handle: impl AsFd, look: &Look) -> Self {
        let Stat { size, dev, ino, ctime, mtime, .. } = look.stat;
        let certain = is_old(ctime, look.taken) && is_old(mtime, look.taken) && file_system::is_local(handle);
        Self { facts: Facts { size, dev, ino, ctime, mtime }, certain }
    }
}

/// A text that is not a fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint is size, device, inode, two times and whether it is certain")]
pub struct InvalidFingerprint;

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Facts { size, dev, ino, ctime, mtime } = self.facts;
        let [size, dev, ino] = [size, dev, ino].map(u64::cast_signed);
        write!(f, "{size} {dev} {ino} {} {} {}", nanos(ctime), nanos(mtime), u8::from(self.certain))
    }
}

impl FromStr for Fingerprint {
    type Err = InvalidFingerprint;

    fn from_str(text: &str) -> Result<Self, InvalidFingerprint> {
        let numbers = text.split(' ').map(str::parse).collect::<Result<Vec<i64>, _>>();
        let Ok([size, dev, ino, ctime, mtime, certain]) = numbers.as_deref() else {
            return Err(InvalidFingerprint);
        };
        let number = |number: &i64| number.cast_unsigned();
        let facts = Facts {
            size: number(size),
            dev: number(dev),
            ino: number(ino),
            ctime: time(*ctime),
            mtime: time(*mtime),
        };
        Ok(Self { facts, certain: *certain == 1 })
    }
}

impl Workspace {
    /// The fingerprint of what the path leads to, without reading it.
    ///
    /// ```
    /// # use std::{path::Path, time::{Duration, SystemTime}};
    /// # let root = tempfile::tempdir()?;
    /// # let root = root.path();
    /// # std::fs::write(root.join("notes.txt"), "a")?;
    /// let workspace = toolcrib_workspace::Workspace::open(root)?;
    /// let path = workspace.path(Path::new("notes.txt"), root)?;
    /// let before = workspace.snapshot(&path)?;
    ///
    /// // Written a moment ago: a second write could hide in the same tick of the clock.
    /// assert!(!before.fingerprint().proves_unchanged(&workspace.fingerprint(&path)?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fingerprint(&self, path: &WorkspacePath) -> Result<Fingerprint, Error> {
        let found = resolve::open(&self.0, path, Want::Look(Links::Follow))?;
        Ok(Fingerprint::of(&found.handle, &found.look))
    }
}

/// Nanoseconds since 1970, as many as there is room for.
fn nanos(time: SystemTime) -> i64 {
    let clamp = |span: Duration| i64::try_from(span.as_nanos()).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => clamp(since),
        Err(before) => -clamp(before.duration()),
    }
}

fn time(nanos: i64) -> SystemTime {
    let span = Duration::from_nanos(nanos.unsigned_abs());
    if nanos < 0 { UNIX_EPOCH - span } else { UNIX_EPOCH + span }
}

/// The coarsest clock that a local file system keeps (FAT's modification time).
const COARSEST_TICK: Duration = Duration::from_secs(2);

pub(crate) fn is_old(time: SystemTime, now: SystemTime) -> bool {
    now.duration_since(time).is_ok_and(|age| age > COARSEST_TICK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_that_was_written_down_is_the_same() {
        let (early, late) = (
            UNIX_EPOCH - Duration::from_nanos(1),
            UNIX_EPOCH + Duration::from_nanos(1_700_000_000_123_456_789),
        );
        let facts = Facts { size: 1 << 40, dev: 2, ino: u64::MAX, ctime: late, mtime: early };
        for certain in [false, true] {
            let fingerprint = Fingerprint { facts, certain };
            assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
        }
        for text in ["", "1 2 3 4 5", "1 2 3 4 5 6 7", "a 2 3 4 5 1"] {
            assert_eq!(text.parse::<Fingerprint>(), Err(InvalidFingerprint));
        }
    }
}
