//! Writing to the log while holding its lock: the head is brought up to date first, then records are appended.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use toolcrib_workspace::{Error, ErrorKind};

use super::frame::{Header, Kind, Position};
use super::head::{Head, Open};
use super::read::read_entry;
use super::{End, Entry, Log, SEGMENT, Shared, segment_name};

pub(super) struct Writing<'a> {
    log: &'a Log,
    shared: &'a mut Shared,
    pub(super) head: Head,
}

impl<'a> Writing<'a> {
    /// Takes up the log where `known` left it, or from its beginning, and reads what was appended since: by a process
    /// that died before it could say so, or in an earlier run of the machine.
    pub(super) fn new(log: &'a Log, shared: &'a mut Shared, known: Option<Head>) -> Result<Self, Error> {
        let is_known = known.is_some();
        let head = match known {
            Some(head) => head,
            None => first_head(log)?,
        };
        let mut writing = Self { log, shared, head };
        writing.catch_up()?;
        if !is_known {
            writing.forget_old_ends();
        }
        Ok(writing)
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
            // Whoever comes next would cut it off as well.
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
        let zeros = usize::try_from(end - size + ahead).unwrap_or(0);
        // Where there is no room for that, there may still be room for the record itself.
        if file.write_all_at(&vec![0; zeros], size).is_err() {
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

    /// Takes in what stands behind the end that the head knows.
    fn catch_up(&mut self) -> Result<(), Error> {
        loop {
            let file = self.segment()?;
            let (log, segment) = (self.log, self.head.segment);
            let fail = |error| log.segment_failure(segment, error);
            let size = file.metadata().map_err(fail)?.len();
            while let Some((entry, end)) = self.next(&file, size).map_err(fail)? {
                self.take_in(&entry);
                self.head.end = end;
            }
            let next = self.head.segment + 1;
            if self.log.folder.open_file(&segment_name(next))?.is_some() {
                self.go_on_in(next, size);
                continue;
            }
            if self.head.end > size || !is_blank(&file, self.head.end).map_err(fail)? {
                // The rest of a record that was never finished.
                file.set_len(self.head.end.min(size)).map_err(fail)?;
                self.head.end = self.head.end.min(size);
            }
            return Ok(());
        }
    }

    /// The record at the end that the head knows, if there is a whole one, and where it ends.
    fn next(&self, file: &File, size: u64) -> std::io::Result<Option<(Entry, u64)>> {
        let at = Position { segment: self.head.segment, offset: self.head.end };
        if at.offset >= size {
            return Ok(None);
        }
        let Some(entry) = read_entry(file, &self.log.key, at)? else { return Ok(None) };
        let end = entry.header.length().and_then(|length| at.offset.checked_add(length));
        Ok(end.filter(|end| *end <= size).map(|end| (entry, end)))
    }

    fn take_in(&mut self, entry: &Entry) {
        let Header { kind, id, at, .. } = entry.header;
        self.head.last = Some(at);
        self.head.next_id = self.head.next_id.max(id + 1);
        match (kind, End::read(&entry.said)) {
            (Kind::Intent, _) => {
                let instance = entry.said.first_chunk().copied().unwrap_or_default();
                self.head.open.push(Open { id, at, instance, in_place: false });
            }
            (Kind::Outcome, Some(End::Done)) => self.set_in_place(id, true),
            (Kind::Outcome, Some(End::Revoked)) => self.set_in_place(id, false),
            (Kind::Outcome, _) => self.close(id),
        }
    }

    /// After a power cut the removal of old files may be forgotten while the outcome is not. So the last changes are
    /// looked at once more, and no more than that.
    fn forget_old_ends(&mut self) {
        let ended = self.head.open.iter().filter(|open| open.in_place).count();
        let mut forget = ended.saturating_sub(LOOKED_AT_AGAIN);
        self.head.open.retain(|open| {
            let keep = !open.in_place || forget == 0;
            forget -= usize::from(!keep);
            keep
        });
    }

    /// Starts a new segment where the record does not fit, and lets the oldest go where the log would grow too large.
    fn make_room(&mut self, length: u64) -> Result<(), Error> {
        let limit = self.log.limit;
        if length > limit {
            return Err(self.log.folder.refusal(
                ErrorKind::TooLarge { size: length, limit },
                "what is needed to take the change back does not fit into the journal",
                "raise the journal's limit, or allow changes that cannot be taken back",
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
        let next = self.head.segment + 1;
        let (log, segment, end) = (self.log, self.head.segment, self.head.end);
        self.segment()?.set_len(end).map_err(|error| log.segment_failure(segment, error))?;
        self.log.folder.open_or_create(&segment_name(next))?;
        self.log.folder.sync()?;
        self.go_on_in(next, self.head.end);
        Ok(())
    }

    fn go_on_in(&mut self, segment: u64, size: u64) {
        self.head.before += size;
        self.head.segment = segment;
        self.head.end = 0;
    }

    fn drop_oldest(&mut self) -> Result<(), Error> {
        let name = segment_name(self.head.oldest);
        if let Some(file) = self.log.folder.open_file(&name)? {
            let size = file.metadata().map_err(|error| self.log.folder.failure(&name, error))?.len();
            self.log.folder.remove(&name)?;
            self.head.before = self.head.before.saturating_sub(size);
        }
        self.head.oldest += 1;
        Ok(())
    }

    /// The segment that is written to.
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
        let file = Arc::new(file);
        self.shared.segment = Some((self.head.segment, Arc::clone(&file)));
        Ok(file)
    }
}

/// The log is forgotten in so many pieces.
const SEGMENTS: u64 = 16;

/// More than could be in the memory of the disk's controller at once.
const LOOKED_AT_AGAIN: usize = 64;

/// A head for a log that nobody knows: it begins with the oldest segment.
fn first_head(log: &Log) -> Result<Head, Error> {
    let numbers = log.folder.names()?.into_iter().filter_map(|name| {
        name.to_str().and_then(|name| name.strip_prefix(SEGMENT)).and_then(|number| number.parse().ok())
    });
    let oldest = numbers.min().unwrap_or(1);
    Ok(Head { boot: log.boot.clone(), oldest, segment: oldest, next_id: 1, ..Head::default() })
}

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
    let read = file.read_at(&mut bytes, offset)?;
    Ok(bytes[..read].iter().all(|byte| *byte == 0))
}
