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
//! somebody's clock is not to be trusted. And the file system must be local: on a network the server's clock makes
//! the times, and ours says nothing about their age.
//!
//! Two holes remain, and neither loses data, because a commit compares hashes: the machine's clock set back by hand, and
//! a program that writes through a memory map, whose change time follows late.

use std::os::fd::AsFd;
use std::time::{Duration, SystemTime};

use crate::error::Error;
use crate::path::WorkspacePath;
use crate::resolve::{self, Want};
use crate::stat::{Links, Look, Stat};
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

    pub(crate) fn of(handle: impl AsFd, look: &Look) -> Self {
        let Stat { size, dev, ino, ctime, mtime, .. } = look.stat;
        let certain = is_old(ctime, look.taken) && is_old(mtime, look.taken) && is_local(handle);
        Self { facts: Facts { size, dev, ino, ctime, mtime }, certain }
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

/// The coarsest clock that a local file system keeps (FAT's modification time).
const COARSEST_TICK: Duration = Duration::from_secs(2);

fn is_old(time: SystemTime, now: SystemTime) -> bool {
    now.duration_since(time).is_ok_and(|age| age > COARSEST_TICK)
}

/// File systems whose times come from this machine's own clock. What is not on the list is hashed every time.
fn is_local(handle: impl AsFd) -> bool {
    const EXT: u64 = 0xEF53;
    const XFS: u64 = 0x5846_5342;
    const BTRFS: u64 = 0x9123_683E;
    const TMPFS: u64 = 0x0102_1994;
    const F2FS: u64 = 0xF2F5_2010;
    const OVERLAY: u64 = 0x794C_7630;
    const ZFS: u64 = 0x2FC1_2FC1;
    const BCACHEFS: u64 = 0xCA45_1A4E;
    let kind = rustix::fs::fstatfs(handle).map(|fs| fs.f_type as u64);
    kind.is_ok_and(|kind| matches!(kind, EXT | XFS | BTRFS | TMPFS | F2FS | OVERLAY | ZFS | BCACHEFS))
}
