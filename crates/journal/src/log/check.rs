//! Reading all of the log once, whatever a head says, and putting right what can be.

use std::fs::File;
use std::io;

use toolcrib_workspace::Error;

use super::frame::Header;
use super::key::Mended;
use super::read::read_some;
use super::scan::{Item, Scan};
use super::{ASIDE, Entry, HEAD, Head, Log, key, numbers, segment_name};
use crate::damage::Fault;

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) records: u64,
    pub(crate) faults: Vec<Fault>,
    /// The highest number of a change.
    highest: u64,
}

impl Log {
    /// Reads every record. `each` may find more faults.
    pub(crate) fn check(
        &self,
        mut each: impl FnMut(&Entry, &mut Vec<Fault>) -> Result<(), Error>,
    ) -> Result<Checked, Error> {
        let head = self.head()?;
        let mut checked = Checked::default();
        for segment in head.oldest..=head.segment {
            match self.folder.open_file(&segment_name(segment))? {
                Some(file) => self.check_segment(&head, segment, &file, &mut checked, &mut each)?,
                None if segment == head.segment && head.end == 0 => {}
                None => checked.faults.push(Fault::Missing { segment }),
            }
        }
        // Others go on meanwhile, and the oldest may have had to go.
        let oldest = self.head()?.oldest;
        checked.faults.retain(|fault| fault.segment().is_none_or(|segment| segment >= oldest));
        Ok(checked)
    }

    fn check_segment(
        &self,
        head: &Head,
        segment: u64,
        file: &File,
        checked: &mut Checked,
        each: &mut impl FnMut(&Entry, &mut Vec<Fault>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let fail = |error| self.segment_failure(segment, error);
        let size = file.metadata().map_err(fail)?.len();
        // Behind the end that is known, another process may be writing.
        let known_end = if segment == head.segment { head.end } else { 0 };
        let end = if segment == head.segment { size.min(known_end) } else { size };
        let faults = &mut checked.faults;
        let mut scan = Scan::new(file, &self.key, segment, 0, end);
        loop {
            match scan.next().map_err(fail)? {
                Item::Record(entry, to) => {
                    checked.records += 1;
                    checked.highest = checked.highest.max(entry.header.id);
                    if to > size {
                        faults.push(Fault::Cut { segment, from: size, to });
                    } else if let Some(from) = stray(file, &entry.header).map_err(fail)? {
                        faults.push(Fault::Stray { segment, from });
                    }
                    each(&entry, faults)?;
                }
                Item::Gap { from, to } => faults.push(Fault::Unreadable { segment, from, to }),
                Item::Tail { from, written } => {
                    let to = written.max(known_end.min(size));
                    if to > from {
                        faults.push(Fault::Unreadable { segment, from, to });
                    }
                    if known_end > size {
                        faults.push(Fault::Cut { segment, from: size, to: known_end });
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Writes again what the journal keeps twice and has only once, and says what that was.
    pub(crate) fn mend(&self, checked: &Checked) -> Result<Vec<&'static str>, Error> {
        let mut mended = Vec::new();
        if key::mend(&self.folder, &self.key)? != Mended::Nothing {
            mended.push("wrote the key again, which is kept twice");
        }
        self.locked(|writing| {
            let head = &mut writing.head;
            head.next_id = head.next_id.max(checked.highest + 1);
            if numbers::read(&self.folder)?.is_none_or(|reserved| reserved < head.next_id) {
                let reserved = head.reserved.max(head.next_id);
                let file = numbers::write(&self.folder, reserved)?;
                file.sync_all().map_err(|error| self.folder.failure(HEAD.as_ref(), error))?;
                head.reserved = reserved;
                mended.push("wrote down again which numbers were given");
            }
            Ok(())
        })?;
        Ok(mended)
    }

    /// A person is told of all damage: what was found now, and what is known and cannot be found again.
    pub(crate) fn acknowledge(&self, checked: &Checked) -> Result<Head, Error> {
        self.locked(|writing| {
            let head = &mut writing.head;
            let told = head.clone();
            let is_there = |fault: Fault| match fault {
                Fault::Unreadable { .. } | Fault::Stray { .. } | Fault::Contents { .. } => {
                    checked.faults.contains(&fault)
                }
                fault => fault.segment().is_some(),
            };
            let oldest = head.oldest;
            head.damage.retain(|damage| {
                is_there(damage.fault) && damage.fault.segment().is_none_or(|segment| segment >= oldest)
            });
            head.damage.iter_mut().for_each(|damage| damage.acknowledged = true);
            head.more_damage = 0;
            Ok(told)
        })
    }

    /// The files that were set aside, and their size.
    pub(crate) fn aside(&self) -> Result<Vec<(String, u64)>, Error> {
        let names = self.folder.names()?.into_iter();
        let aside = names.filter(|name| name.to_string_lossy().starts_with(ASIDE));
        let sized = aside.map(|name| {
            let file = self.folder.open_file(&name)?;
            let size = file.map_or(Ok(0), |file| file.metadata().map(|metadata| metadata.len()));
            let size = size.map_err(|error| self.folder.failure(&name, error))?;
            Ok((name.to_string_lossy().into_owned(), size))
        });
        sized.collect()
    }
}

/// Where something stands between the end of a record and the next one, if it does.
fn stray(file: &File, header: &Header) -> io::Result<Option<u64>> {
    let from = header.kept_at() + header.kept;
    let mut padding = [0; 8];
    let length = usize::try_from(header.end().saturating_sub(from)).unwrap_or(0).min(padding.len());
    let read = read_some(file, &mut padding[..length], from)?;
    Ok(padding[..read].iter().any(|byte| *byte != 0).then_some(from))
}
