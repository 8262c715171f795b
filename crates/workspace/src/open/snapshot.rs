//! A file's content at one moment, with the version that names it.
//!
//! # Why a snapshot is whole
//! A program that saves in place may be held up in the middle of a `write` for as long as the system likes, and the
//! kernel stamps the file only when the `write` begins. So equal times before and after a reading prove nothing if
//! a program had the file open for writing before it. If none had (a read lease tells, see `F_SETLEASE` in `fcntl(2)`),
//! then every `write` that disturbed the reading began after it did, and the times differ. A time that is younger than a
//! tick of the clock could stand for two changes; then the file is read twice.
//!
//! Where no lease can be had (files of other users, file systems of other machines) or a program keeps the file open
//! (its log), the file is read twice, and a `write` that is held up through both readings can come out torn. That is
//! not promised, and no change can be lost by it: a commit compares the hash of what it displaces.

use std::io::ErrorKind as IoKind;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use crate::error::{Doing, Error, ErrorKind};
use crate::host::lease::{is_held_for_writing, is_open_for_writing};
use crate::open::file::OpenFile;
use crate::open::fingerprint::Fingerprint;
use crate::open::stat::{Look, Stat, look};
use crate::open::version::{Version, read_hashed};
use crate::path::WorkspacePath;
use crate::workspace::Workspace;

/// What a file held when it was read.
#[derive(Debug, Clone)]
pub struct Snapshot {
    bytes: Vec<u8>,
    version: Version,
    stat: Stat,
    fingerprint: Fingerprint,
    reached: WorkspacePath,
}

impl Snapshot {
    /// The content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The content alone.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Takes the content out; the facts about it stay.
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// The content's version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Facts about the file. They were the same before and after the content was read.
    pub fn stat(&self) -> &Stat {
        &self.stat
    }

    /// What may later save the hashing, see [`Fingerprint`].
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// What was really reached, links resolved.
    pub fn reached(&self) -> &WorkspacePath {
        &self.reached
    }
}

impl Workspace {
    /// Reads a whole regular file. If it changes while it is read, it is read again; if it does not come to rest,
    /// that is the error [`ErrorKind::Changed`].
    pub fn snapshot(&self, path: &WorkspacePath) -> Result<Snapshot, Error> {
        self.snapshot_within(path, u64::MAX)
    }

    /// Like [`snapshot`](Workspace::snapshot), but refuses a file of more than `limit` bytes.
    pub fn snapshot_within(&self, path: &WorkspacePath, limit: u64) -> Result<Snapshot, Error> {
        for _ in 0..ATTEMPTS {
            if let Some(snapshot) = self.try_snapshot(path, limit)? {
                return Ok(snapshot);
            }
        }
        Err(self.0.error(ErrorKind::Changed, Doing::ReadFile, path))
    }

    /// `None` if the file changed between the first look and the last byte.
    fn try_snapshot(&self, path: &WorkspacePath, limit: u64) -> Result<Option<Snapshot>, Error> {
        let file = self.open_file(path)?;
        let is_kept_open = is_open_for_writing(file.file()) && {
            if !is_held_for_writing(file.file()) {
                // It was saved meanwhile, and its times are others now.
                return Ok(None);
            }
            true
        };
        let (bytes, version) = self.read_all(path, &file, limit)?;
        let read_twice = is_kept_open || changed_recently(file.look());
        if read_twice && !reads_the_same(&file, &bytes) {
            return Ok(None);
        }
        let after = look(file.file()).map_err(|errno| self.0.system(errno, Doing::ReadFile, path))?.stat;
        if !same_content(file.stat(), &after) {
            return Ok(None);
        }
        let (fingerprint, reached) = (file.fingerprint(), file.reached().clone());
        Ok(Some(Snapshot { bytes, version, stat: after, fingerprint, reached }))
    }

    fn read_all(
        &self,
        path: &WorkspacePath,
        file: &OpenFile,
        limit: u64,
    ) -> Result<(Vec<u8>, Version), Error> {
        let fail = |error| Error::io(error, Doing::ReadFile, self.0.show(path)).at(path);
        let too_large = |size| self.0.error(ErrorKind::TooLarge { size, limit }, Doing::ReadFile, path);
        let size = file.stat().size;
        if size > limit {
            return Err(too_large(size));
        }
        let mut bytes = Vec::new();
        let room = usize::try_from(size).unwrap_or(usize::MAX);
        // A file that does not fit in memory is an error, not the end of the process. A caller that takes a snapshot
        // changes it, which takes the content several times; if there is not so much, the next allocation could be the
        // one that fails.
        if room > SMALL {
            let copies = Vec::<u8>::new().try_reserve_exact(room.saturating_mul(COPIES));
            copies.map_err(|_| fail(IoKind::OutOfMemory.into()))?;
        }
        bytes.try_reserve_exact(room).map_err(|_| fail(IoKind::OutOfMemory.into()))?;
        let version = read_hashed(file.file(), limit.saturating_add(1), &mut bytes).map_err(fail)?;
        // It grew, or it is one of those whose size the kernel does not tell.
        if bytes.len() as u64 > limit { Err(too_large(bytes.len() as u64)) } else { Ok((bytes, version)) }
    }
}

/// How often a content is held in memory while it is changed, and below which size that is no matter.
const COPIES: usize = 6;
const SMALL: usize = 1024 * 1024;

/// A file that never rests for so many readings is being written all the time.
const ATTEMPTS: usize = 8;

/// More than one tick of the clock that kernels before 6.13 stamp files with.
const TICK: Duration = Duration::from_millis(50);

/// Whether the facts speak for one and the same content.
fn same_content(before: &Stat, after: &Stat) -> bool {
    (before.size, before.mtime, before.ctime) == (after.size, after.mtime, after.ctime)
}

/// Whether another change could carry the same times as the last one, so that the times alone prove nothing.
fn changed_recently(look: &Look) -> bool {
    look.taken.duration_since(look.stat.ctime).map_or(true, |age| age < TICK)
}

fn reads_the_same(file: &OpenFile, bytes: &[u8]) -> bool {
    let mut piece = [0; 64 * 1024];
    let mut at = 0;
    loop {
        match file.file().read_at(&mut piece, at as u64) {
            Ok(0) => return at == bytes.len(),
            Ok(count) if bytes[at..].starts_with(&piece[..count]) => at += count,
            Ok(_) | Err(_) => return false,
        }
    }
}
