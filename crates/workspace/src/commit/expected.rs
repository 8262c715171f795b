//! A file that is to be displaced, as it was when it was read, and how it is known to hold the same still.
//!
//! Its content is hashed again for that. Of a large file that would take longer than all the rest, so it is [leased](Lease)
//! before it is read, and until it is given up: while the lease lasts, no program has the file open for writing, none has
//! had since, and so it holds what was read. If a program asks for the file, the lease is given back at once, and from then
//! on it is hashed like any other.

use std::fs::File;
use std::io;

use super::exchange::{DirEntryRef, Seen, version_of};
use crate::host::lease::Lease;
use crate::open::stat::Stat;
use crate::open::version::Version;

#[derive(Debug)]
pub(crate) struct Expected {
    pub(crate) stat: Stat,
    pub(crate) lease: Option<Lease>,
}

impl Expected {
    /// Whether no program can have written to it since it was read.
    pub(crate) fn is_leased(&self) -> bool {
        self.lease.as_ref().is_some_and(Lease::lasts)
    }
}

/// What has this name, where a file with this content is expected. `held` is a handle of that file, if there is one.
pub(crate) fn see(
    at: DirEntryRef<'_>,
    version: Version,
    expected: Option<&Expected>,
    held: Option<&File>,
) -> io::Result<Option<Seen>> {
    let Some(expected) = expected.filter(|expected| held.is_some() || expected.lease.is_some()) else {
        return at.see();
    };
    let identity = |stat: &Stat| (stat.kind, stat.dev, stat.ino);
    let there = at.look()?.filter(|there| identity(&there.stat) == identity(&expected.stat));
    match (there, held) {
        (Some(there), _) if expected.is_leased() => Ok(Some(Seen { version: Some(version), ..there })),
        (Some(there), Some(held)) => Ok(Some(Seen { version: Some(version_of(held)?), ..there })),
        _ => at.see(),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs::OpenOptions;
    use std::os::fd::AsFd;
    use std::thread;

    use super::*;
    use crate::open::stat::look;

    /// Only a file that is not leased is read.
    #[test]
    fn what_is_leased_holds_what_was_read_until_a_program_asks_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs_write(&path, b"old");
        let file = File::open(&path).unwrap();
        let stat = look(&file).unwrap().stat;
        let lease = Lease::take(file);
        let expected = Expected { stat, lease };
        assert!(expected.is_leased());
        let directory = File::open(dir.path()).unwrap();
        let at = DirEntryRef { directory: directory.as_fd(), name: OsStr::new("file") };
        let claimed = Version::of(b"what was read");
        let seen = || see(at, claimed, Some(&expected), None).unwrap().unwrap().version;
        assert_eq!(seen(), Some(claimed));
        thread::scope(|scope| {
            // It waits until it was asked whether the lease lasts.
            let writer =
                scope.spawn(|| drop(OpenOptions::new().write(true).truncate(true).open(&path).unwrap()));
            while expected.is_leased() {
                thread::yield_now();
            }
            writer.join().unwrap();
        });
        assert_eq!(seen(), Some(Version::of(b"")));
        assert!(!expected.is_leased());
    }

    /// A program that has it open for writing could write at any time.
    #[test]
    fn what_is_open_for_writing_is_not_leased() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs_write(&path, b"old");
        let writer = OpenOptions::new().write(true).open(&path).unwrap();
        assert!(Lease::take(File::open(&path).unwrap()).is_none());
        drop(writer);
        assert!(Lease::take(File::open(&path).unwrap()).is_some());
    }

    fn fs_write(path: &std::path::Path, content: &[u8]) {
        use std::io::Write;
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path).unwrap();
        file.write_all(content).unwrap();
    }
}
