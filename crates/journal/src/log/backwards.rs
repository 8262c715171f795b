//! The records of the log, the last first.
//!
//! Each record names the one before it. Where that cannot be read, or something lies in between, the segment is read from
//! its beginning, and so is every older one from there on: damage costs time, and the records that it touches, and no
//! other record. What lies in between may be readable by now, if it was the disk that failed.

use toolcrib_workspace::Error;

use super::frame::Position;
use super::head::Head;
use super::scan::{Item, Scan};
use super::{Entry, Log};
use crate::damage::Fault;

#[derive(Debug)]
pub(crate) struct Backwards<'a> {
    log: &'a Log,
    oldest: u64,
    next: Next,
}

#[derive(Debug)]
enum Next {
    /// The record there, which should end at that place.
    Linked { at: Position, until: Position },
    /// Whatever stands before that place.
    Until(Position),
    /// The records of this segment that are left, in the order in which they stand; then the segments before it.
    Listed { segment: u64, places: Vec<Position> },
}

impl<'a> Backwards<'a> {
    pub(super) fn new(log: &'a Log, head: &Head) -> Self {
        let end = Position { segment: head.segment, offset: head.end };
        let next = match head.last {
            Some(at) => Next::Linked { at, until: end },
            None => Next::Until(end),
        };
        Self { log, oldest: head.oldest, next }
    }

    /// The record before; none before the first one that is kept.
    pub(crate) fn next(&mut self) -> Result<Option<Entry>, Error> {
        loop {
            match &mut self.next {
                Next::Linked { at, .. } if at.segment < self.oldest => return Ok(None),
                Next::Linked { at, until } => {
                    let (at, until) = (*at, *until);
                    match self.log.read(at)? {
                        Some(entry) if self.is_beside(&entry, until)? => {
                            self.next = before(&entry);
                            return Ok(Some(entry));
                        }
                        _ => self.next = Next::Until(until),
                    }
                }
                Next::Until(until) => {
                    let Position { segment, offset } = *until;
                    self.next = self.list(segment, Some(offset))?;
                }
                Next::Listed { segment, places } => match places.pop() {
                    Some(at) => {
                        if let Some(entry) = self.log.read(at)? {
                            return Ok(Some(entry));
                        }
                    }
                    None if *segment <= self.oldest => return Ok(None),
                    None => {
                        let before = *segment - 1;
                        self.next = self.list(before, None)?;
                    }
                },
            }
        }
    }

    /// Whether nothing stands between the record and this place.
    fn is_beside(&self, entry: &Entry, until: Position) -> Result<bool, Error> {
        let segment = entry.header.at.segment;
        if segment == until.segment {
            return Ok(entry.header.end() == until.offset);
        }
        let Some(file) = self.log.segment_to_read(segment)? else { return Ok(false) };
        let size = file.metadata().map_err(|error| self.log.segment_failure(segment, error))?.len();
        Ok(segment + 1 == until.segment && until.offset == 0 && entry.header.end() == size)
    }

    /// The records of a segment, up to a place where the next one is known to stand, or nothing is written yet.
    fn list(&self, segment: u64, until: Option<u64>) -> Result<Next, Error> {
        let (log, mut places, mut faults) = (self.log, Vec::new(), Vec::new());
        let fail = |error| log.segment_failure(segment, error);
        let Some(file) = log.segment_to_read(segment)? else {
            // Others may have had to let the oldest go meanwhile. And one that is still empty need not be there.
            if until != Some(0) && segment >= log.head()?.oldest {
                log.note_damage(&[Fault::Missing { segment }])?;
            }
            return Ok(Next::Listed { segment, places });
        };
        let size = file.metadata().map_err(fail)?.len();
        let mut scan = Scan::new(&file, &log.key, segment, 0, until.map_or(size, |until| until.min(size)));
        loop {
            match scan.next().map_err(fail)? {
                Item::Record(entry, _) => places.push(entry.header.at),
                Item::Gap { from, to } => faults.push(Fault::Unreadable { segment, from, to }),
                Item::Tail { from, written } => {
                    let to = until.map_or(written, |until| until.min(size));
                    if to > from {
                        faults.push(Fault::Unreadable { segment, from, to });
                    }
                    if let Some(to) = until.filter(|until| *until > size) {
                        faults.push(Fault::Cut { segment, from: size, to });
                    }
                    break;
                }
            }
        }
        if !faults.is_empty() {
            log.note_damage(&faults)?;
        }
        Ok(Next::Listed { segment, places })
    }
}

/// What comes before a record.
fn before(entry: &Entry) -> Next {
    let until = entry.header.at;
    match entry.header.previous {
        // What is sealed was written so; still nothing here may go round in circles.
        Some(at) if at < until => Next::Linked { at, until },
        // It is the first of all, or the first since nothing before it could be read.
        _ => Next::Until(until),
    }
}
