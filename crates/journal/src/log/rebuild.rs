//! The head, found again by reading all of the log: after a start of the machine, and when it was lost.
//!
//! Damage costs what it touches. Records behind it are taken in, the log goes on in a new segment where its end cannot be
//! read, and what is missing is told. What was known before, by an earlier head and by the register, fills in what the
//! log does not tell any more.

use std::collections::BTreeSet;

use toolcrib_workspace::Error;

use super::frame::Kind;
use super::head::{Head, Open};
use super::key::Mended;
use super::read::Known;
use super::scan::{Item, Scan};
use super::write::take_in;
use super::{End, Entry, Log, key, numbers, segment_name, segments};
use crate::damage::{Damage, Fault};
use crate::register::Registered;

impl Log {
    pub(super) fn rebuild(&self, known: &Known) -> Result<Head, Error> {
        let earlier = match known {
            Known::Earlier(head) => Some(head),
            _ => None,
        };
        let mut rebuild = Rebuild::new(self, earlier);
        let is_sound = rebuild.take_segments(&segments(&self.folder)?)?;
        let numbers = match numbers::read(&self.folder) {
            // A head that is well knows them too. Without one, they would be given again.
            Err(error) if earlier.is_none() => return Err(error),
            numbers => numbers.unwrap_or_default(),
        };
        rebuild.take_numbers(numbers, is_sound);
        if matches!(known, Known::Damaged) || (matches!(known, Known::Nothing) && rebuild.records > 0) {
            rebuild.head.note_damage(Fault::Head);
        }
        if key::mend(&self.folder, &self.key)? == Mended::Damaged {
            rebuild.head.note_damage(Fault::Key);
        }
        rebuild.take_open()?;
        Ok(rebuild.head)
    }
}

struct Rebuild<'a> {
    log: &'a Log,
    earlier: Option<&'a Head>,
    head: Head,
    records: u64,
    /// What is wrong with the log itself.
    faults: Vec<Fault>,
    /// Changes that have ended, and those that are in place.
    closed: BTreeSet<u64>,
    in_place: BTreeSet<u64>,
}

/// What was found of one segment.
struct Taken {
    size: u64,
    /// Where its last record ends.
    end: u64,
    /// Whether nothing stands behind that, and nothing should.
    is_sound: bool,
}

impl<'a> Rebuild<'a> {
    fn new(log: &'a Log, earlier: Option<&'a Head>) -> Self {
        // Bytes that could not be read are found again. The rest would be forgotten.
        let is_kept = |damage: &&Damage| !matches!(damage.fault, Fault::Unreadable { .. });
        let damage = earlier.iter().flat_map(|head| &head.damage).filter(is_kept).cloned().collect();
        let (boot, key) = (log.boot.clone(), key::mark(&log.key));
        let head = Head { boot, key, next_id: 1, damage, ..Head::default() };
        let (closed, in_place) = (BTreeSet::new(), BTreeSet::new());
        Self { log, earlier, head, records: 0, faults: Vec::new(), closed, in_place }
    }

    /// Reads all segments, and says whether the log can go on where it ends.
    fn take_segments(&mut self, present: &[u64]) -> Result<bool, Error> {
        self.missing_segments(present);
        let ended_in = self.earlier.map_or(0, |head| head.segment);
        let mut last = Taken { size: 0, end: 0, is_sound: true };
        for segment in present {
            self.head.before += last.size;
            last = self.take_segment(*segment)?;
        }
        let newest = present.last().copied().unwrap_or(0);
        let is_sound = last.is_sound && newest >= ended_in;
        self.head.oldest = present.first().copied().unwrap_or(ended_in + 1);
        if is_sound && newest > 0 {
            (self.head.segment, self.head.end) = (newest, last.end);
        } else {
            self.head.before += last.size;
            (self.head.segment, self.head.end) = (newest.max(ended_in) + 1, 0);
        }
        Ok(is_sound)
    }

    fn missing_segments(&mut self, present: &[u64]) {
        let known = self.earlier.map(|head| head.oldest..head.segment + 1).unwrap_or_default();
        let between = present.windows(2).flat_map(|pair| pair[0] + 1..pair[1]).take(MOST_MISSING);
        let missing: BTreeSet<u64> =
            known.take(MOST_MISSING).filter(|segment| !present.contains(segment)).chain(between).collect();
        missing.into_iter().for_each(|segment| self.fault(Fault::Missing { segment }));
    }

    fn take_segment(&mut self, segment: u64) -> Result<Taken, Error> {
        let log = self.log;
        let fail = |error| log.segment_failure(segment, error);
        let Some(file) = log.folder.open_file(&segment_name(segment))? else {
            return Ok(Taken { size: 0, end: 0, is_sound: true });
        };
        let size = file.metadata().map_err(fail)?.len();
        let known_end = self.earlier.filter(|head| head.segment == segment).map_or(0, |head| head.end);
        let mut scan = Scan::new(&file, &log.key, segment, 0, size);
        let (end, written) = loop {
            match scan.next().map_err(fail)? {
                Item::Record(entry, _) => self.take(&entry),
                Item::Gap { from, to } => self.fault(Fault::Unreadable { segment, from, to }),
                Item::Tail { from, written } => break (from, written),
            }
        };
        self.head.is_suspect |= scan.has_failed;
        let (should_end, written) = (end.max(known_end), written.max(known_end.min(size)));
        if should_end > size {
            self.fault(Fault::Cut { segment, from: size, to: should_end });
        }
        if written > end {
            self.fault(Fault::Unreadable { segment, from: end, to: written });
        }
        Ok(Taken { size, end, is_sound: should_end <= size && written <= end })
    }

    fn take(&mut self, entry: &Entry) {
        take_in(&mut self.head, entry);
        self.records += 1;
        if entry.header.kind == Kind::Outcome {
            match End::read(&entry.said) {
                Some(End::Done) => _ = self.in_place.insert(entry.header.id),
                Some(End::Revoked) => _ = self.in_place.remove(&entry.header.id),
                _ => _ = self.closed.insert(entry.header.id),
            }
        }
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.push(fault);
        self.head.note_damage(fault);
        let was_told = |damage: &&Damage| damage.acknowledged && damage.fault == fault;
        if self.earlier.is_some_and(|head| head.damage.iter().any(|damage| was_told(&damage))) {
            self.head
                .damage
                .iter_mut()
                .filter(|damage| damage.fault == fault)
                .for_each(|damage| damage.acknowledged = true);
        }
    }

    /// The next number. Where a record may be missing that had a higher one, that is the first that was not reserved.
    fn take_numbers(&mut self, reserved: Option<u64>, is_sound: bool) {
        let known = self.head.next_id;
        let reserved = reserved.unwrap_or(0).max(self.earlier.map_or(0, |head| head.reserved));
        self.head.next_id = known.max(self.earlier.map_or(1, |head| head.next_id));
        let given = reserved.saturating_sub(numbers::BLOCK);
        if self.earlier.is_none() && is_sound && given > 0 && known <= given {
            self.fault(Fault::Forgotten { given, known: known - 1 });
        }
        let is_news = |fault: &Fault| {
            self.earlier.is_none_or(|head| !head.damage.iter().any(|damage| damage.fault == *fault))
        };
        if self.earlier.is_none() || !is_sound || self.faults.iter().any(is_news) {
            self.head.next_id = self.head.next_id.max(reserved);
        }
        self.head.reserved = reserved;
    }

    /// Which changes are under way: those without an end in the log, and those that others know of.
    ///
    /// That the log does not tell the end of a change proves little: it may have been lost, with all that came after it.
    /// Rolled back now, the change would take files with it that other programs use by now. What is registered is under
    /// way for sure; all others are doubtful.
    fn take_open(&mut self) -> Result<(), Error> {
        let files = self.log.registered()?.into_iter();
        let registered: Vec<Registered> = files.filter_map(|file| file.registered).collect();
        let earlier = self.earlier.map_or(&[][..], |head| &head.open);
        let is_registered = |id: u64| registered.iter().any(|registered| registered.id == id);
        for open in &mut self.head.open {
            open.doubtful = !open.in_place && !is_registered(open.id);
        }
        let also = registered.iter().map(|registered| Open {
            id: registered.id,
            at: registered.at,
            instance: registered.instance(),
            in_place: false,
            doubtful: false,
        });
        for mut open in earlier.iter().copied().chain(also) {
            let is_new = !self.head.open.iter().any(|other| other.id == open.id);
            if is_new && !self.closed.contains(&open.id) {
                open.in_place |= self.in_place.contains(&open.id);
                open.doubtful = !open.in_place && !is_registered(open.id);
                self.head.open.push(open);
                self.head.next_id = self.head.next_id.max(open.id + 1);
            }
        }
        self.head.open.sort_by_key(|open| open.id);
        self.forget_old_ends();
        Ok(())
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
}

/// More than could be in the memory of the disk's controller at once.
const LOOKED_AT_AGAIN: usize = 64;

/// A file with a number far beyond the others is no sign that all between them were lost.
const MOST_MISSING: usize = 64;
