//! The bytes of an open file, and whether they stayed the same while they were read.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use toolcrib_access::{Sandbox, Seen};
use toolcrib_tool::{Call, ToolError};
use toolcrib_workspace::{OpenFile, Stat, Version};

use super::fault;
use crate::FilePath;
use crate::bounds::reserve;

/// A file that is being read. A small one was read whole when it was opened.
pub(super) struct Source<'c> {
    sandbox: &'c Sandbox<'c>,
    file: OpenFile,
    path: FilePath,
    facts: Facts,
    whole: Option<Whole>,
}

struct Whole {
    bytes: Vec<u8>,
    version: Version,
    /// Nothing changed it while it was read.
    steady: bool,
}

/// Files of up to so many bytes are read whole.
pub(super) const WHOLE: u64 = 8 * 1024 * 1024;
/// How many bytes of a large file are read between two looks at the clock.
const PIECE: usize = 1024 * 1024;
/// A small file that does not come to rest for so many readings is shown as it was read last.
const ATTEMPTS: usize = 3;
/// More than one tick of the clock by which kernels stamp files: within one, two changes carry the same time.
const TICK: Duration = Duration::from_millis(50);

impl<'c> Source<'c> {
    pub(super) fn open(sandbox: &'c Sandbox<'c>, file: OpenFile, path: FilePath) -> Result<Self, ToolError> {
        sandbox.checkpoint()?;
        let (facts, whole) = take_in(&file).map_err(|error| fault::unreadable(&path, &error))?;
        Ok(Self { sandbox, file, path, facts, whole })
    }

    pub(super) fn path(&self) -> &FilePath {
        &self.path
    }

    pub(super) fn file(&self) -> &OpenFile {
        &self.file
    }

    /// How many bytes there are. What is appended meanwhile does not count.
    pub(super) fn size(&self) -> u64 {
        self.facts.size
    }

    /// Its first bytes, enough to tell what it is.
    pub(super) fn head(&self) -> Result<Vec<u8>, ToolError> {
        let mut head = vec![0; toolcrib_formats::HEAD];
        let length = self.read_at(0, &mut head)?;
        head.truncate(length);
        Ok(head)
    }

    /// All bytes, of a small file.
    pub(super) fn whole(&self) -> Option<&[u8]> {
        self.whole.as_ref().map(|whole| &whole.bytes[..])
    }

    /// All bytes, also of a large file, and their version. They are of one moment or an error.
    pub(super) fn all(&self) -> Result<(Cow<'_, [u8]>, Version), ToolError> {
        let changed = || fault::changed(&self.path);
        if let Some(whole) = &self.whole {
            return Ok((Cow::Borrowed(&whole.bytes), self.version().ok_or_else(changed)?));
        }
        let size = usize::try_from(self.size()).map_err(|_| changed())?;
        let _memory = reserve(size)?;
        let mut bytes = vec![0; size];
        for (piece, at) in bytes.chunks_mut(PIECE).zip((0_u64..).step_by(PIECE)) {
            if self.read_at(at, piece)? < piece.len() {
                return Err(changed());
            }
        }
        if self.changed() {
            return Err(changed());
        }
        let version = Version::of(&bytes);
        Ok((Cow::Owned(bytes), version))
    }

    /// Whether the call goes on, for work that asks by itself.
    pub(super) fn call(&self) -> &'c Call<'c> {
        self.sandbox.call()
    }

    /// The version, of a small file that rested while it was read.
    pub(super) fn version(&self) -> Option<Version> {
        self.whole.as_ref().filter(|whole| whole.steady).map(|whole| whole.version)
    }

    /// What a session has seen with it.
    pub(super) fn seen(&self) -> Seen {
        self.version().map_or_else(|| Seen::Fingerprint(self.file.fingerprint()), Seen::Version)
    }

    /// Whether it was changed since it was opened, so that what was read need not be of one version.
    pub(super) fn changed(&self) -> bool {
        match &self.whole {
            Some(whole) => !whole.steady,
            None => !Facts::of(self.file.file()).is_ok_and(|now| now == self.facts),
        }
    }

    /// Fills the buffer with the bytes from `offset` on, and says how many there were: fewer only at the end.
    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, ToolError> {
        self.sandbox.checkpoint()?;
        let left = usize::try_from(self.size().saturating_sub(offset)).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        let buffer = &mut buffer[..wanted];
        match (self.whole(), usize::try_from(offset)) {
            (Some(bytes), Ok(from)) => {
                let bytes = bytes.get(from..from + wanted).unwrap_or_default();
                buffer[..bytes.len()].copy_from_slice(bytes);
                Ok(bytes.len())
            }
            _ => {
                fill(self.file.file(), offset, buffer).map_err(|error| fault::unreadable(&self.path, &error))
            }
        }
    }
}

/// Takes in a small file, if it can be had at rest.
fn take_in(opened: &OpenFile) -> io::Result<(Facts, Option<Whole>)> {
    let file = opened.file();
    for attempt in 1.. {
        // What was true at the open is as good as what is true a moment later, if it still holds in the end.
        let at_open = if attempt == 1 { Facts::at_open(opened.stat()) } else { None };
        let facts = at_open.map_or_else(|| Facts::of(file), Ok)?;
        if facts.size > WHOLE {
            return Ok((facts, None));
        }
        let Some(bytes) = read_whole(file, facts.size)? else { break };
        let steady = facts.hold_for(file, &bytes)?;
        if steady || attempt == ATTEMPTS {
            let facts = Facts { size: bytes.len() as u64, ..facts };
            return Ok((facts, Some(Whole { version: Version::of(&bytes), bytes, steady })));
        }
    }
    Ok((Facts::of(file)?, None))
}

/// What the kernel says of a file that must stay equal while it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Facts {
    size: u64,
    mtime: (i64, i64),
    ctime: (i64, i64),
}

impl Facts {
    fn of(file: &File) -> io::Result<Self> {
        let stat = file.metadata()?;
        Ok(Self {
            size: stat.len(),
            mtime: (stat.mtime(), stat.mtime_nsec()),
            ctime: (stat.ctime(), stat.ctime_nsec()),
        })
    }

    /// None for times before 1970.
    fn at_open(stat: &Stat) -> Option<Self> {
        let time = |time: SystemTime| {
            let since = time.duration_since(UNIX_EPOCH).ok()?;
            Some((i64::try_from(since.as_secs()).ok()?, i64::from(since.subsec_nanos())))
        };
        Some(Self { size: stat.size, mtime: time(stat.mtime)?, ctime: time(stat.ctime)? })
    }

    /// Whether the bytes that were read after these facts were taken are what the file held at one moment.
    fn hold_for(&self, file: &File, bytes: &[u8]) -> io::Result<bool> {
        // Within a tick the facts prove nothing, but two readings do.
        if self.is_recent() && read_whole(file, bytes.len() as u64)?.is_none_or(|again| again != bytes) {
            return Ok(false);
        }
        let now = Self::of(file)?;
        // Files that the kernel makes up as they are read have no size.
        Ok(now == *self && (self.size == bytes.len() as u64 || self.size == 0))
    }

    fn is_recent(&self) -> bool {
        let (seconds, nanos) = self.ctime;
        let since = Duration::new(seconds.max(0).unsigned_abs(), u32::try_from(nanos).unwrap_or(0));
        let age = SystemTime::now().duration_since(UNIX_EPOCH + since);
        age.map_or(true, |age| age < TICK)
    }
}

/// All bytes; `None` if there are too many.
fn read_whole(file: &File, size: u64) -> io::Result<Option<Vec<u8>>> {
    // One byte more than there should be shows the end without another call.
    let mut bytes = vec![0; usize::try_from(size).unwrap_or(0) + 1];
    let mut length = 0;
    loop {
        let (at, wanted) = (length, bytes.len() - length);
        length += read_once(file, at as u64, &mut bytes[at..])?;
        // Where it ends in the middle of a reading is where it ends; whether it was there from the beginning, the facts tell.
        if length - at < wanted && length as u64 != size {
            length += fill(file, length as u64, &mut bytes[length..])?;
        }
        if length < bytes.len() {
            bytes.truncate(length);
            return Ok(Some(bytes));
        }
        if length as u64 > WHOLE {
            return Ok(None);
        }
        bytes.resize(length * 2 + 4096, 0);
    }
}

fn read_once(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read_at(buffer, offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

fn fill(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read_once(file, offset + filled as u64, &mut buffer[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}
