//! What stands in a segment, from one place to its end, whatever happened to it.
//!
//! Records follow each other. Where none stands that is genuine, the next one is looked for: it begins at a multiple of
//! eight bytes with a mark of its own, and holds its own place under its seal. So damage costs the records that it
//! touches and no other.

use std::fs::File;
use std::io;

use super::Entry;
use super::frame::{Key, MAGIC, Position};
use super::read::{is_unreadable, read_entry, read_some};

/// What stands at one place.
#[derive(Debug)]
pub(super) enum Item {
    /// A record that is genuine. Its contents may be damaged, or cut off.
    Record(Entry, u64),
    /// Bytes up to the next record that are none.
    Gap { from: u64, to: u64 },
    /// From here on there is no record. Up to `written` something stands there all the same.
    Tail { from: u64, written: u64 },
}

#[derive(Debug)]
pub(super) struct Scan<'a> {
    file: &'a File,
    key: &'a Key,
    segment: u64,
    at: u64,
    end: u64,
    /// The record that the search for one has found.
    found: Option<Entry>,
    /// Whether the disk could not read something, which it may be able to another time.
    pub(super) has_failed: bool,
}

impl<'a> Scan<'a> {
    /// From `at` to `end`, which is not behind the end of the file.
    pub(super) fn new(file: &'a File, key: &'a Key, segment: u64, at: u64, end: u64) -> Self {
        Self { file, key, segment, at, end, found: None, has_failed: false }
    }

    /// What comes next; the tail is the last.
    pub(super) fn next(&mut self) -> io::Result<Item> {
        let from = self.at;
        let entry = match self.found.take() {
            Some(entry) => Some(entry),
            None => self.record_at(from)?,
        };
        if let Some(entry) = entry {
            self.at = entry.header.end();
            return Ok(Item::Record(entry, self.at));
        }
        let mut written = from;
        match self.search(from, &mut written)? {
            Some(entry) => {
                self.at = entry.header.at.offset;
                self.found = Some(entry);
                Ok(Item::Gap { from, to: self.at })
            }
            None => {
                self.at = self.end;
                Ok(Item::Tail { from, written })
            }
        }
    }

    fn record_at(&mut self, offset: u64) -> io::Result<Option<Entry>> {
        if offset >= self.end {
            return Ok(None);
        }
        match read_entry(self.file, self.key, Position { segment: self.segment, offset }) {
            Err(error) if is_unreadable(&error) => {
                self.has_failed = true;
                Ok(None)
            }
            entry => entry,
        }
    }

    /// The first record behind `from`. `written` tells how far there is anything but zeros.
    fn search(&mut self, from: u64, written: &mut u64) -> io::Result<Option<Entry>> {
        let mut chunk = vec![0; CHUNK];
        let mut at = from;
        while at < self.end {
            let within = usize::try_from(self.end - at).map_or(chunk.len(), |left| left.min(chunk.len()));
            let length = match read_some(self.file, &mut chunk[..within], at) {
                Ok(0) => break,
                Ok(length) => length,
                // It is tried in smaller pieces, and a piece that the disk cannot read is left out.
                Err(error) if is_unreadable(&error) && within > PIECE => {
                    chunk.truncate(PIECE);
                    continue;
                }
                Err(error) if is_unreadable(&error) => {
                    self.has_failed = true;
                    *written = at + within as u64;
                    at = *written;
                    continue;
                }
                Err(error) => return Err(error),
            };
            for (place, word) in chunk[..length].chunks(8).enumerate() {
                let offset = at + 8 * place as u64;
                if word.iter().any(|byte| *byte != 0) {
                    *written = offset + word.len() as u64;
                }
                if word == MAGIC
                    && offset > from
                    && let Some(entry) = self.record_at(offset)?
                {
                    return Ok(Some(entry));
                }
            }
            at += length as u64;
        }
        Ok(None)
    }
}

/// A multiple of eight, so that no record begins across two of them.
const CHUNK: usize = 64 * 1024;

/// What a disk reads at once.
const PIECE: usize = 4096;
