//! The log: records appended by many processes, each sealed, in segments of which the oldest go first.
//!
//! One record is one append under a short lock and, where the caller wants it on the disk, one sync outside of it: so
//! that changes to different files wait for the disk together and not for one another. A database would give the same
//! with more: opening one costs a call that makes a single change several times what the change costs.
//!
//! It knows what records are for no more than this: some announce a change, some tell its end.

mod frame;
mod head;
mod read;
mod write;

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use toolcrib_workspace::{Error, StateFolder, boot};

pub(crate) use frame::{Header, Key, Kind, Position};
pub(crate) use head::{Head, Instance, Open};
use read::{key, read_entry, read_head};
use write::Writing;

/// How a change ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    /// What was written down as done is being taken back after all.
    Revoked,
    TakenBack,
}

/// What is left to do for a change after its end was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Old files are still to be removed.
    CleanUp,
    /// It is to be brought to one of its ends.
    Repair,
    Nothing,
}

#[derive(Debug)]
pub(crate) struct Log {
    folder: StateFolder,
    key: Key,
    /// How many bytes the log may hold.
    limit: u64,
    boot: Vec<u8>,
    shared: Mutex<Shared>,
}

/// What the threads of this process share.
#[derive(Debug)]
struct Shared {
    head: File,
    /// The segment that is written to, if it was opened before.
    segment: Option<(u64, Arc<File>)>,
}

/// A record that announces a change, as it was appended.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) id: u64,
    file: Arc<File>,
}

/// A record as it is read: its header and what it says.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) header: Header,
    pub(crate) said: Vec<u8>,
}

impl Log {
    pub(crate) fn open(folder: StateFolder, limit: u64) -> Result<Self, Error> {
        let key = key(&folder)?;
        let head = folder.open_or_create(HEAD.as_ref())?;
        let shared = Mutex::new(Shared { head, segment: None });
        Ok(Self { folder, key, limit, boot: own_boot(), shared })
    }

    pub(crate) fn folder(&self) -> &StateFolder {
        &self.folder
    }

    /// Announces a change. `said` begins with the instance.
    pub(crate) fn begin(&self, instance: Instance, said: &[u8], kept: &[u8]) -> Result<Begun, Error> {
        self.locked(|writing| {
            let id = writing.head.next_id;
            let (at, file) = writing.append(Kind::Intent, id, said, kept)?;
            writing.head.next_id += 1;
            writing.head.open.push(Open { id, at, instance, in_place: false });
            Ok(Begun { id, file })
        })
    }

    /// Tells the end of a change.
    pub(crate) fn end(&self, id: u64, end: End, rest: Rest) -> Result<Begun, Error> {
        self.locked(|writing| {
            let (_, file) = writing.append(Kind::Outcome, id, &[end.code()], &[])?;
            match rest {
                Rest::CleanUp => writing.set_in_place(id, true),
                Rest::Repair => writing.set_in_place(id, false),
                Rest::Nothing => writing.close(id),
            }
            Ok(Begun { id, file })
        })
    }

    /// Nothing is left to do for a change whose end was written.
    pub(crate) fn close(&self, id: u64) -> Result<(), Error> {
        self.locked(|writing| {
            writing.close(id);
            Ok(())
        })
    }

    /// The changes that are under way. Costs one read, and no lock if nobody is writing at this very moment.
    pub(crate) fn open_changes(&self) -> Result<Vec<Open>, Error> {
        Ok(self.head()?.open)
    }

    /// The last record.
    pub(crate) fn last(&self) -> Result<Option<Position>, Error> {
        Ok(self.head()?.last)
    }

    /// The record at a place; none if its segment is gone, or if what stands there is not genuine.
    pub(crate) fn read(&self, at: Position) -> Result<Option<Entry>, Error> {
        let Some(file) = self.folder.open_file(&segment_name(at.segment))? else { return Ok(None) };
        read_entry(&file, &self.key, at).map_err(|error| self.segment_failure(at.segment, error))
    }

    /// A part of the contents that a record keeps.
    pub(crate) fn kept(&self, header: &Header, offset: u64, length: u64) -> Result<Option<Vec<u8>>, Error> {
        let end = offset.checked_add(length);
        if end.is_none_or(|end| end > header.kept) {
            return Ok(None);
        }
        let Some(file) = self.folder.open_file(&segment_name(header.at.segment))? else { return Ok(None) };
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        match file.read_exact_at(&mut bytes, header.kept_at() + offset) {
            Ok(()) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(self.segment_failure(header.at.segment, error)),
        }
    }

    fn head(&self) -> Result<Head, Error> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let head = read_head(&shared.head, &self.boot);
        drop(shared);
        match head.map_err(|error| self.folder.failure(HEAD.as_ref(), error))? {
            Some(head) => Ok(head),
            None => self.locked(|writing| Ok(writing.head.clone())),
        }
    }

    /// Works on the log while nobody else does, in this process or another.
    fn locked<T>(&self, work: impl FnOnce(&mut Writing<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let fail = |error| self.folder.failure(HEAD.as_ref(), error);
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        lock(&shared.head, PATIENCE).map_err(fail)?;
        let done = self.locked_by_us(&mut shared, work);
        shared.head.unlock().map_err(fail)?;
        done
    }

    fn locked_by_us<T>(
        &self,
        shared: &mut Shared,
        work: impl FnOnce(&mut Writing<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let fail = |error| self.folder.failure(HEAD.as_ref(), error);
        let known = read_head(&shared.head, &self.boot).map_err(fail)?;
        let mut writing = Writing::new(self, shared, known)?;
        let was = writing.end();
        let done = work(&mut writing)?;
        let head = writing.head.encode();
        if let Err(error) = writing.head_file().write_all_at(&head, 0) {
            // Whoever reads the log later must not find a record that its writer believes was not written.
            writing.cut_back_to(was);
            return Err(fail(error));
        }
        Ok(done)
    }

    fn segment_failure(&self, segment: u64, error: io::Error) -> Error {
        self.folder.failure(&segment_name(segment), error)
    }
}

impl Begun {
    /// Waits until the record, and every one before it, is on the disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

impl End {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 1,
            Self::TakenBack => 2,
            Self::Revoked => 3,
        }
    }

    pub(crate) fn read(said: &[u8]) -> Option<Self> {
        match said {
            [1] => Some(Self::Done),
            [2] => Some(Self::TakenBack),
            [3] => Some(Self::Revoked),
            _ => None,
        }
    }
}

/// The changes that are under way in the log in this folder, or wait for a repair. None if that is not known without
/// reading the log.
pub(crate) fn unfinished(folder: &StateFolder) -> Result<Option<Vec<Open>>, Error> {
    let Some(file) = folder.open_file(HEAD.as_ref())? else { return Ok(Some(Vec::new())) };
    let head = read_head(&file, &own_boot()).map_err(|error| folder.failure(HEAD.as_ref(), error))?;
    Ok(head.map(|head| head.open))
}

fn own_boot() -> Vec<u8> {
    boot().map_or_else(Vec::new, |boot| boot.to_vec())
}

/// Takes the lock on a file, and gives up in the end: whoever holds it may have been stopped for good.
pub(crate) fn lock(file: &File, patience: Duration) -> io::Result<()> {
    let until = Instant::now() + patience;
    let mut pause = Duration::from_micros(20);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another process holds its lock"));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(1));
    }
}

pub(crate) fn segment_name(segment: u64) -> OsString {
    format!("{SEGMENT}{segment:012}").into()
}

const SEGMENT: &str = "log-";
const HEAD: &str = "head";

/// The lock is held for some microseconds at a time.
const PATIENCE: Duration = Duration::from_secs(30);
