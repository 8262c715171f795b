//! The log: records appended by many processes, each sealed, in segments of which the oldest go first.
//!
//! One record is one append under a short lock and, where the caller wants it on the disk, one sync outside of it: so
//! that changes to different files wait for the disk together and not for one another. A database would give the same
//! with more: opening one costs a call that makes a single change several times what the change costs.
//!
//! **Damage** to one of its files costs what it touches and no more. A reader goes on with the next record that is
//! genuine ([`scan`]); a writer never writes over, or cuts off, what it cannot read, but goes on in a new segment; numbers
//! are never given twice ([`numbers`]); and what cannot be read is told ([`Head::damage`]). The one thing that is cut off
//! is an append of this run of the machine that was not finished, so that no caller was told of it.
//!
//! It knows what records are for no more than this: some announce a change, some tell its end.

mod backwards;
mod check;
mod frame;
mod head;
mod key;
mod numbers;
mod read;
mod rebuild;
mod scan;
mod write;

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use toolcrib_workspace::{Durability, Error, StateFolder, Workspace, boot};

pub(crate) use backwards::Backwards;
pub(crate) use frame::{Header, Key, Kind, Position};
pub(crate) use head::{Head, Instance, Open};
use key::Mark;
use read::{Known, is_unreadable, read_entry, read_head, read_whole};
use write::Writing;

use crate::damage::Fault;
use crate::register::{Entered, Register, RegisterFile};

/// How a change ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Done,
    /// What was written down as done is being rolled back after all.
    Revoked,
    RolledBack,
    /// It ended, and what was written down about that cannot be read any more.
    Unknown,
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
    register: Register,
    /// How many bytes the log may hold.
    limit: u64,
    boot: Vec<u8>,
    shared: Mutex<Shared>,
    /// The segment that was read from last.
    reading: Mutex<Option<(u64, Arc<File>)>>,
    /// Whether a head that is suspect was made anew since the log was opened.
    is_rechecked: AtomicBool,
}

/// What the threads of this process share.
#[derive(Debug)]
struct Shared {
    head: File,
    /// The segment that is written to, if it was opened before.
    segment: Option<(u64, Arc<File>)>,
}

/// What is to be announced.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Announcement<'a> {
    pub(crate) instance: Instance,
    /// What the record says. It begins with the instance.
    pub(crate) said: &'a [u8],
    /// The contents that it keeps.
    pub(crate) kept: &'a [u8],
    /// The workspace, if the change can be seen half done there: then it is [registered](Register).
    pub(crate) seen_in: Option<&'a Workspace>,
}

/// A record as it was appended.
#[derive(Debug)]
pub(crate) struct Begun<'a> {
    pub(crate) id: u64,
    log: &'a Log,
    file: Arc<File>,
    /// The numbers that were reserved for it, and the file by which it is registered.
    numbers: Option<File>,
    registered: Option<Entered>,
}

/// A record as it is read: its header and what it says.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) header: Header,
    pub(crate) said: Vec<u8>,
}

impl Log {
    pub(crate) fn open(folder: StateFolder, register: Register, limit: u64) -> Result<Self, Error> {
        let (key, fault) = key::load(&folder)?;
        let head = folder.open_or_create(HEAD.as_ref())?;
        let shared = Mutex::new(Shared { head, segment: None });
        let log = Self {
            folder,
            key,
            register,
            limit,
            boot: own_boot(),
            shared,
            reading: Mutex::default(),
            is_rechecked: AtomicBool::new(false),
        };
        if let Some(fault) = fault {
            log.note_damage(&[fault])?;
        }
        Ok(log)
    }

    pub(crate) fn folder(&self) -> &StateFolder {
        &self.folder
    }

    /// Announces a change.
    pub(crate) fn begin(&self, announcement: Announcement<'_>) -> Result<Begun<'_>, Error> {
        let Announcement { instance, said, kept, seen_in } = announcement;
        let (at, mut begun) = self.locked(|writing| {
            let numbers = writing.reserve()?;
            let id = writing.head.next_id;
            let (at, file) = writing.append(Kind::Intent, id, said, kept)?;
            writing.head.next_id += 1;
            writing.head.open.push(Open { id, at, instance, in_place: false, doubtful: false });
            Ok((at, Begun { id, log: self, file, numbers, registered: None }))
        })?;
        if let Some(workspace) = seen_in {
            match self.register.enter(&self.key, begun.id, at, workspace, said) {
                Ok(entered) => begun.registered = Some(entered),
                Err(error) => {
                    let _ = self.end(begun.id, End::RolledBack, Rest::Nothing);
                    return Err(error);
                }
            }
        }
        Ok(begun)
    }

    /// Announces a change that was made already, and tells its end, under one lock: nobody finds it open, unless this
    /// process dies in between.
    pub(crate) fn add_done(&self, said: &[u8], kept: &[u8]) -> Result<Begun<'_>, Error> {
        self.locked(|writing| {
            let numbers = writing.reserve()?;
            let id = writing.head.next_id;
            writing.append(Kind::Intent, id, said, kept)?;
            writing.head.next_id += 1;
            let (_, file) = writing.append(Kind::Outcome, id, &[End::Done.code()], &[])?;
            Ok(Begun { id, log: self, file, numbers, registered: None })
        })
    }

    /// Tells the end of a change.
    pub(crate) fn end(&self, id: u64, end: End, rest: Rest) -> Result<Begun<'_>, Error> {
        self.locked(|writing| {
            let (_, file) = writing.append(Kind::Outcome, id, &[end.code()], &[])?;
            match rest {
                Rest::CleanUp => writing.set_in_place(id, true),
                Rest::Repair => writing.set_in_place(id, false),
                Rest::Nothing => writing.close(id),
            }
            Ok(Begun { id, log: self, file, numbers: None, registered: None })
        })
    }

    /// Nothing is left to do for a change whose end was written.
    pub(crate) fn close(&self, id: u64) -> Result<(), Error> {
        self.locked(|writing| {
            writing.close(id);
            Ok(())
        })
    }

    /// Takes note of damage.
    pub(crate) fn note_damage(&self, faults: &[Fault]) -> Result<(), Error> {
        self.locked(|writing| {
            faults.iter().for_each(|fault| writing.head.note_damage(*fault));
            Ok(())
        })
    }

    /// What is known of the log. Costs one read, and no lock if no process is writing at this very moment.
    pub(crate) fn head(&self) -> Result<Head, Error> {
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.known(&shared);
        drop(shared);
        match known? {
            Known::Current(head) => Ok(head),
            _ => self.locked(|writing| Ok(writing.head.clone())),
        }
    }

    /// What the head says. One that was made when the disk could not read all of the log counts no more than one of an
    /// earlier run of the machine, the first time that it is read.
    fn known(&self, shared: &Shared) -> Result<Known, Error> {
        let known = read_head(&shared.head, &self.boot, key::mark(&self.key));
        match known.map_err(|error| self.folder.failure(HEAD.as_ref(), error))? {
            Known::Current(head) if head.is_suspect && !self.is_rechecked.load(Ordering::Relaxed) => {
                Ok(Known::Earlier(head))
            }
            known => Ok(known),
        }
    }

    /// Goes through the records, the last first.
    pub(crate) fn backwards(&self, head: &Head) -> Backwards<'_> {
        Backwards::new(self, head)
    }

    /// The changes of this log that are registered.
    pub(crate) fn registered(&self) -> Result<Vec<RegisterFile>, Error> {
        self.register.own(&self.key)
    }

    /// Takes a change out of the register that has ended.
    pub(crate) fn unregister(&self, id: u64) -> Result<(), Error> {
        self.register.remove(id)
    }

    /// Removes what was left unfinished in the register by changes that are not under way any more.
    pub(crate) fn sweep_register(&self, open: &[Open]) -> Result<(), Error> {
        self.register.sweep(|id| open.iter().any(|open| open.id == id))
    }

    /// What the record of a change under way says: as it stands in the log or, if that is damaged, in the register.
    pub(crate) fn said_by(&self, open: &Open) -> Result<Option<Vec<u8>>, Error> {
        let entry = self.read(open.at)?.filter(|entry| entry.header.id == open.id);
        match entry {
            Some(entry) => Ok(Some(entry.said)),
            None => {
                let mut files = self.registered()?.into_iter();
                let file = files.find(|file| file.id == open.id);
                Ok(file.and_then(|file| file.registered).map(|registered| registered.said))
            }
        }
    }

    /// The record at a place; none if its segment is gone, or if what stands there is not genuine.
    pub(crate) fn read(&self, at: Position) -> Result<Option<Entry>, Error> {
        let Some(file) = self.segment_to_read(at.segment)? else { return Ok(None) };
        match read_entry(&file, &self.key, at) {
            Err(error) if is_unreadable(&error) => Ok(None),
            entry => entry.map_err(|error| self.segment_failure(at.segment, error)),
        }
    }

    /// A part of the contents that a record keeps.
    pub(crate) fn kept(&self, header: &Header, offset: u64, length: u64) -> Result<Option<Vec<u8>>, Error> {
        let end = offset.checked_add(length);
        if end.is_none_or(|end| end > header.kept) {
            return Ok(None);
        }
        let Some(file) = self.segment_to_read(header.at.segment)? else { return Ok(None) };
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        match read_whole(&file, &mut bytes, header.kept_at() + offset) {
            Err(error) if is_unreadable(&error) => Ok(None),
            Err(error) => Err(self.segment_failure(header.at.segment, error)),
            Ok(whole) => Ok(whole.then_some(bytes)),
        }
    }

    /// A segment, if it is there.
    fn segment_to_read(&self, segment: u64) -> Result<Option<Arc<File>>, Error> {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((number, file)) = &*reading
            && *number == segment
        {
            return Ok(Some(Arc::clone(file)));
        }
        let Some(file) = self.folder.open_file(&segment_name(segment))? else { return Ok(None) };
        let file = Arc::new(file);
        *reading = Some((segment, Arc::clone(&file)));
        Ok(Some(file))
    }

    /// Works on the log while no other thread does, in this process or another.
    fn locked<T>(&self, work: impl FnOnce(&mut Writing<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let fail = |error| self.folder.failure(HEAD.as_ref(), error);
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        lock(&shared.head, PATIENCE).map_err(fail)?;
        while !is_named(&shared.head).map_err(fail)? {
            // Another program has removed it: other processes would lock another file.
            shared.head = self.folder.open_or_create(HEAD.as_ref())?;
            lock(&shared.head, PATIENCE).map_err(fail)?;
        }
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
        let known = self.known(shared)?;
        let mut writing = Writing::new(self, shared, known)?;
        self.is_rechecked.store(true, Ordering::Relaxed);
        let was = writing.end();
        let done = work(&mut writing)?;
        let head = writing.head.encode();
        if let Err(error) = writing.head_file().write_all_at(&head, 0) {
            // Later readers of the log must not find a record that its writer believes was not written.
            writing.cut_back_to(was);
            return Err(fail(error));
        }
        Ok(done)
    }

    fn segment_failure(&self, segment: u64, error: io::Error) -> Error {
        self.folder.failure(&segment_name(segment), error)
    }
}

impl Begun<'_> {
    /// Makes it known, so that the change can be repaired from now on: after a power cut too, if that is wanted.
    ///
    /// A change that is registered need not wait for the log. Its record is there too by the time its end is.
    pub(crate) fn settle(&self, durability: Durability) -> Result<(), Error> {
        let fail = |error| self.log.folder.failure("".as_ref(), error);
        if let (Some(numbers), Durability::Safe) = (&self.numbers, durability) {
            numbers.sync_data().map_err(fail)?;
        }
        match (&self.registered, durability) {
            (Some(entered), _) => self.log.register.publish(entered, durability),
            (None, Durability::Safe) => self.file.sync_data().map_err(fail),
            (None, Durability::Fast) => Ok(()),
        }
    }

    /// Takes the change out of the register, once it has ended.
    pub(crate) fn leave(&self) -> Result<(), Error> {
        self.registered.as_ref().map_or(Ok(()), |entered| self.log.register.leave(entered))
    }
}

impl End {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 1,
            Self::RolledBack => 2,
            Self::Revoked => 3,
            Self::Unknown => 4,
        }
    }

    pub(crate) fn read(said: &[u8]) -> Option<Self> {
        match said {
            [1] => Some(Self::Done),
            [2] => Some(Self::RolledBack),
            [3] => Some(Self::Revoked),
            [4] => Some(Self::Unknown),
            _ => None,
        }
    }
}

/// The changes that are under way in the log in this folder, or wait for a repair. None if that is not known without
/// reading the log.
pub(crate) fn unfinished(folder: &StateFolder) -> Result<Option<Vec<Open>>, Error> {
    let Some(file) = folder.open_file(HEAD.as_ref())? else { return Ok(Some(Vec::new())) };
    let boot = own_boot();
    let known = read_head(&file, &boot, Mark::default());
    Ok(match known.map_err(|error| folder.failure(HEAD.as_ref(), error))? {
        Known::Current(head) | Known::Earlier(head) => (head.boot == boot).then_some(head.open),
        Known::Damaged | Known::Nothing | Known::Outdated => None,
    })
}

fn own_boot() -> Vec<u8> {
    boot().map_or_else(Vec::new, |boot| boot.to_vec())
}

/// Takes the lock on a file, and gives up in the end: its holder may have been stopped for good.
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

/// Whether a file that is held open has a name still.
fn is_named(file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.nlink() > 0)
}

/// The segments that are there, the oldest first.
fn segments(folder: &StateFolder) -> Result<Vec<u64>, Error> {
    let number = |name: OsString| name.to_str()?.strip_prefix(SEGMENT)?.parse().ok();
    let mut numbers: Vec<u64> = folder.names()?.into_iter().filter_map(number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Gives a file that is damaged a name under which nothing touches it any more: it is for a person to look at.
fn set_aside(folder: &StateFolder, name: &OsStr) -> Result<(), Error> {
    let names = folder.names()?;
    let aside = |nth: usize| {
        let mut aside = OsString::from(format!("{ASIDE}{nth}-"));
        aside.push(name);
        aside
    };
    let free = (1..).map(aside).find(|aside| !names.contains(aside));
    folder.rename(name, &free.unwrap_or_else(|| aside(0)))
}

/// Whether anything was ever recorded in a folder, and is there still.
pub(crate) fn has_records(folder: &StateFolder) -> Result<bool, Error> {
    Ok(folder.names()?.iter().any(|name| name.as_encoded_bytes().starts_with(b"log-")))
}

pub(crate) fn segment_name(segment: u64) -> OsString {
    format!("{SEGMENT}{segment:012}").into()
}

const SEGMENT: &str = "log-";
const HEAD: &str = "head";
/// What was set aside begins with this.
pub(crate) const ASIDE: &str = "aside-";

/// The lock is held for some microseconds at a time.
const PATIENCE: Duration = Duration::from_secs(30);
