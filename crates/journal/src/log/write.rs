//! Writing to the log while holding its lock: the head is brought up to date first, then records are appended.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use toolcrib_workspace::{Error, ErrorKind};

use super::frame::{Header, Kind, Position};
use super::head::{Head, Open};
use super::read::{Known, is_unreadable, read_some};
use super::scan::{Item, Scan};
use super::{End, Entry, Log, Shared, is_named, numbers, segment_name, set_aside};
use crate::damage::Fault;

pub(super) struct Writing<'a> {
    pub(super) log: &'a Log,
    pub(super) shared: &'a mut Shared,
    pub(super) head: Head,
}

impl<'a> Writing<'a> {
    /// Takes up the log where the head left it, or finds out all that a head knows.
    pub(super) fn new(log: &'a Log, shared: &'a mut Shared, known: Known) -> Result<Self, Error> {
        let (head, is_current) = match known {
            Known::Current(head) => (head, true),
            known => (log.rebuild(&known)?, false),
        };
        let mut writing = Self { log, shared, head };
        if is_current {
            writing.catch_up()?;
        }
        Ok(writing)
    }

    /// Sees to it that the next number is reserved. Gives the file where that is written, if it had to be.
    pub(super) fn reserve(&mut self) -> Result<Option<File>, Error> {
        if self.head.next_id < self.head.reserved {
            return Ok(None);
        }
        // Where numbers were given, there is a log: without one it would look lost.
        self.segment()?;
        let reserved = self.head.next_id + numbers::BLOCK;
        let file = numbers::write(&self.log.folder, reserved)?;
        self.head.reserved = reserved;
        Ok(Some(file))
    }

    pub(super) fn append(
        &mut self,
        kind: Kind,
        id: u64,
        said: &[u8],
        kept: &[u8],
    ) -> Result<(Position, Arc<File>), Error> {
        let (said_length, kept_length) = (said.len() as u64, kept.len() as u64);
        let length = Header::LENGTH as u64 + said_length + kept_length;
        let length = length.next_multiple_of(8);
        self.make_room(length)?;
        let at = Position { segment: self.head.segment, offset: self.head.end };
        let header = Header { kind, id, at, previous: self.head.last, said: said_length, kept: kept_length };
        let file = self.segment()?;
        self.make_ready(&file, at.offset + length)?;
        if let Err(error) = write(&file, &header, &header.seal(&self.log.key, said), kept, length) {
            // The next writer would cut it off as well.
            let _ = file.set_len(at.offset);
            return Err(self.log.segment_failure(at.segment, error));
        }
        self.head.end += length;
        self.head.last = Some(at);
        Ok((at, file))
    }

    /// Fills the segment with zeros ahead of the records. Overwriting what is there syncs without a commit of the file
    /// system's own journal, which on a busy disk is the larger part of the wait.
    fn make_ready(&self, file: &File, end: u64) -> Result<(), Error> {
        let fail = |error| self.log.segment_failure(self.head.segment, error);
        let size = file.metadata().map_err(fail)?.len();
        if end <= size {
            return Ok(());
        }
        let ahead = (self.log.limit / SEGMENTS / 4).min(AHEAD);
        // A large record is not written twice: what it leaves free before the zeros, it fills itself.
        let from = if end - size > ahead { end } else { size };
        let zeros = usize::try_from(end + ahead - from).unwrap_or(0);
        // Where there is no room for that, there may still be room for the record itself.
        if file.write_all_at(&vec![0; zeros], from).is_err() {
            file.set_len(size).map_err(fail)?;
        }
        Ok(())
    }

    pub(super) fn set_in_place(&mut self, id: u64, in_place: bool) {
        self.head.open.iter_mut().filter(|open| open.id == id).for_each(|open| open.in_place = in_place);
    }

    pub(super) fn head_file(&self) -> &File {
        &self.shared.head
    }

    pub(super) fn end(&self) -> Position {
        Position { segment: self.head.segment, offset: self.head.end }
    }

    /// Removes what was appended since the log ended there, as far as that is possible.
    pub(super) fn cut_back_to(&mut self, end: Position) {
        let Ok(file) = self.segment() else { return };
        let start = if end.segment == self.head.segment { end.offset } else { 0 };
        let _ = file.set_len(start);
    }

    pub(super) fn close(&mut self, id: u64) {
        self.head.open.retain(|open| open.id != id);
    }

    /// Takes in what stands behind the end that the head knows: a record whose writer died before it could say so.
    fn catch_up(&mut self) -> Result<(), Error> {
        loop {
            let (log, segment, end) = (self.log, self.head.segment, self.head.end);
            let fail = |error| log.segment_failure(segment, error);
            let file = match self.existing_segment()? {
                Some(file) => file,
                None if end == 0 => self.segment()?,
                None => {
                    self.head.note_damage(Fault::Missing { segment });
                    return self.go_on_behind(0);
                }
            };
            let size = file.metadata().map_err(fail)?.len();
            if end > size {
                self.head.note_damage(Fault::Cut { segment, from: size, to: end });
                return self.go_on_behind(size);
            }
            self.take_in_behind(&file, size)?;
            let next = segment + 1;
            if self.head.segment > segment || log.folder.open_file(&segment_name(next))?.is_none() {
                return Ok(());
            }
            self.go_on_in(next, size);
        }
    }

    /// Takes in the records behind the end. An append that was not finished is cut off: this run of the machine knows all
    /// that were.
    fn take_in_behind(&mut self, file: &File, size: u64) -> Result<(), Error> {
        let (log, segment) = (self.log, self.head.segment);
        let fail = |error| log.segment_failure(segment, error);
        match is_blank(file, self.head.end) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(error) if is_unreadable(&error) => {
                self.head.note_damage(Fault::Unreadable { segment, from: self.head.end, to: size });
                self.head.is_suspect = true;
                return self.go_on_behind(size);
            }
            Err(error) => return Err(fail(error)),
        }
        let mut scan = Scan::new(file, &log.key, segment, self.head.end, size);
        loop {
            match scan.next().map_err(fail)? {
                Item::Record(entry, end) => {
                    take_in(&mut self.head, &entry);
                    self.head.end = end;
                    if end > size {
                        // Its contents are not complete. No caller was told of it, but it must not be in the way.
                        file.set_len(end).map_err(fail)?;
                        return Ok(());
                    }
                }
                Item::Gap { from, to } => {
                    self.head.note_damage(Fault::Unreadable { segment, from, to });
                    self.head.end = to;
                }
                Item::Tail { from, written } if written > from => return file.set_len(from).map_err(fail),
                Item::Tail { .. } => return Ok(()),
            }
        }
    }

    /// Starts a new segment where the record does not fit, and lets the oldest go where the log would grow too large.
    fn make_room(&mut self, length: u64) -> Result<(), Error> {
        let limit = self.log.limit;
        if length > limit {
            return Err(self.log.folder.refusal(
                ErrorKind::TooLarge { size: length, limit },
                "what is needed to undo the change does not fit into the journal",
                "raise the journal's limit, or allow changes that cannot be undone",
            ));
        }
        if self.head.end > 0 && self.head.end + length > limit / SEGMENTS {
            self.roll()?;
        }
        while self.head.before + self.head.end + length > limit {
            if self.head.oldest == self.head.segment {
                self.roll()?;
                continue;
            }
            // A change that is under way is never forgotten, whatever the limit.
            if self.head.open.iter().any(|open| open.at.segment == self.head.oldest) {
                break;
            }
            self.drop_oldest()?;
        }
        Ok(())
    }

    fn roll(&mut self) -> Result<(), Error> {
        let (log, segment, end) = (self.log, self.head.segment, self.head.end);
        self.segment()?.set_len(end).map_err(|error| log.segment_failure(segment, error))?;
        self.go_on_behind(end)
    }

    /// Goes on in a new segment, and leaves the one before, which has this size, as it is.
    fn go_on_behind(&mut self, size: u64) -> Result<(), Error> {
        let next = self.head.segment + 1;
        self.log.folder.open_or_create(&segment_name(next))?;
        self.log.folder.sync()?;
        self.go_on_in(next, size);
        Ok(())
    }

    fn go_on_in(&mut self, segment: u64, size: u64) {
        self.head.before += size;
        self.head.segment = segment;
        self.head.end = 0;
    }

    /// What is damaged, and not reported yet, is for a person to look at and is not deleted.
    fn drop_oldest(&mut self) -> Result<(), Error> {
        let oldest = self.head.oldest;
        let name = segment_name(oldest);
        if let Some(file) = self.log.folder.open_file(&name)? {
            let size = file.metadata().map_err(|error| self.log.folder.failure(&name, error))?.len();
            if self.head.has_unacknowledged_damage_in(oldest) {
                set_aside(&self.log.folder, &name)?;
            } else {
                self.log.folder.remove(&name)?;
            }
            self.head.before = self.head.before.saturating_sub(size);
        }
        self.head.damage.retain(|damage| !damage.acknowledged || damage.fault.segment() != Some(oldest));
        self.head.oldest += 1;
        Ok(())
    }

    /// The segment that is written to, made if it is missing.
    fn segment(&mut self) -> Result<Arc<File>, Error> {
        if let Some((segment, file)) = &self.shared.segment
            && *segment == self.head.segment
        {
            return Ok(Arc::clone(file));
        }
        let name = segment_name(self.head.segment);
        let file = match self.log.folder.open_file(&name)? {
            Some(file) => file,
            None => {
                let file = self.log.folder.open_or_create(&name)?;
                self.log.folder.sync()?;
                file
            }
        };
        Ok(self.hold(file))
    }

    /// The same, if it is there. One that was removed under our hands is not.
    fn existing_segment(&mut self) -> Result<Option<Arc<File>>, Error> {
        let name = segment_name(self.head.segment);
        if let Some((segment, file)) = &self.shared.segment
            && *segment == self.head.segment
            && is_named(file).map_err(|error| self.log.folder.failure(&name, error))?
        {
            return Ok(Some(Arc::clone(file)));
        }
        self.shared.segment = None;
        Ok(self.log.folder.open_file(&name)?.map(|file| self.hold(file)))
    }

    fn hold(&mut self, file: File) -> Arc<File> {
        let file = Arc::new(file);
        self.shared.segment = Some((self.head.segment, Arc::clone(&file)));
        file
    }
}

/// What a record means for the head.
pub(super) fn take_in(head: &mut Head, entry: &Entry) {
    let Header { kind, id, at, .. } = entry.header;
    head.last = Some(at);
    head.next_id = head.next_id.max(id.saturating_add(1));
    let in_place = match (kind, End::read(&entry.said)) {
        (Kind::Intent, _) => {
            let instance = entry.said.first_chunk().copied().unwrap_or_default();
            head.open.push(Open { id, at, instance, in_place: false, doubtful: false });
            return;
        }
        (Kind::Outcome, Some(End::Done)) => true,
        (Kind::Outcome, Some(End::Revoked)) => false,
        (Kind::Outcome, _) => return head.open.retain(|open| open.id != id),
    };
    head.open.iter_mut().filter(|open| open.id == id).for_each(|open| open.in_place = in_place);
}

/// The log is forgotten in so many pieces.
const SEGMENTS: u64 = 16;

/// The contents before the header: a header that is whole then stands before contents that are.
fn write(file: &File, header: &Header, sealed: &[u8], kept: &[u8], length: u64) -> std::io::Result<()> {
    let offset = header.at.offset;
    let padding = length - sealed.len() as u64 - kept.len() as u64;
    let padding = &[0; 8][..usize::try_from(padding).unwrap_or(0)];
    if kept.len() < SMALL {
        return file.write_all_at(&[sealed, kept, padding].concat(), offset);
    }
    file.write_all_at(kept, header.kept_at())?;
    file.write_all_at(padding, header.kept_at() + kept.len() as u64)?;
    file.write_all_at(sealed, offset)
}

const SMALL: usize = 256 * 1024;

/// Room for some dozens of small changes.
const AHEAD: u64 = 256 * 1024;

/// Whether nothing was written there: the file ends, or goes on with the zeros that were put there.
fn is_blank(file: &File, offset: u64) -> std::io::Result<bool> {
    let mut bytes = [0; Header::LENGTH];
    let read = read_some(file, &mut bytes, offset)?;
    Ok(bytes[..read].iter().all(|byte| *byte == 0))
}
