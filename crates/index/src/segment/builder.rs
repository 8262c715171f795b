//! Builds a segment from the grams of one document after another.

use std::io::{self, Write};

use super::chunks::{Chain, Chunks};
use super::format::{CHECKSUM, Footer, HEADER, encoded, list_checksum};
use crate::gram::Gram;

/// Collects which documents have which grams, and writes them as a segment.
pub(crate) struct SegmentBuilder {
    /// For each page of grams, where it is in `slots`, plus one; 0 if there is none.
    pages: Vec<u32>,
    /// For each gram of the pages, where its list is in `lists`, plus one; 0 if there is none.
    slots: Vec<u32>,
    lists: Vec<List>,
    chunks: Chunks,
    documents: u32,
    first: u32,
    last: u32,
    /// Whether there was no room for something.
    full: bool,
}

/// The documents that have a gram.
struct List {
    last: u32,
    chain: Chain,
}

/// How many grams are on a page. The grams of text come in groups, so that most pages are never needed.
const PAGE: usize = 64;

impl Default for SegmentBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl SegmentBuilder {
    /// A builder without documents.
    pub(crate) fn new() -> Self {
        Self {
            pages: vec![0; Gram::COUNT as usize / PAGE],
            slots: Vec::new(),
            lists: Vec::new(),
            chunks: Chunks::default(),
            documents: 0,
            first: 0,
            last: 0,
            full: false,
        }
    }

    /// Adds a document with its distinct grams.
    ///
    /// Documents come in ascending order. A segment in which they did not is read as damaged.
    pub(crate) fn add(&mut self, document: u32, grams: &[Gram]) {
        debug_assert!(self.is_empty() || document > self.last, "documents come in ascending order");
        if self.is_empty() {
            self.first = document;
        }
        (self.last, self.documents) = (document, self.documents.saturating_add(1));
        for gram in grams {
            self.append(*gram, document);
        }
    }

    /// Whether there is no document yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// How many bytes it takes in memory. A caller begins another segment when that is enough, at 2 GiB at the latest.
    pub(crate) fn memory(&self) -> usize {
        let tables = (self.pages.capacity() + self.slots.capacity()) * size_of::<u32>();
        tables + self.lists.capacity() * size_of::<List>() + self.chunks.memory()
    }

    /// Writes the segment, list by list. The writer should have a buffer.
    pub(crate) fn write_to(self, writer: &mut dyn Write) -> io::Result<()> {
        if self.full {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let (mut dictionary, mut list) = (Vec::new(), Vec::new());
        let (mut next, mut length) = (0, 0_u64);
        writer.write_all(&HEADER)?;
        for (gram, chain) in self.chains() {
            list.clear();
            self.chunks.read(chain, &mut list);
            writer.write_all(&list)?;
            writer.write_all(&list_checksum(gram, &list))?;
            let bytes = list.len() + CHECKSUM;
            dictionary.extend(encoded(gram.number() - next).chain(encoded(number(bytes)?)));
            (next, length) = (gram.number() + 1, length + bytes as u64);
        }
        writer.write_all(&dictionary)?;
        writer.write_all(&self.footer(length, dictionary.len())?.encode(&dictionary))
    }

    fn append(&mut self, gram: Gram, document: u32) {
        let Some(list) = self.list(gram).and_then(|index| self.lists.get_mut(index)) else {
            self.full = true;
            return;
        };
        let gap = document.wrapping_sub(list.last);
        list.last = document;
        let stored = match u8::try_from(gap) {
            Ok(byte @ 0..0x80) => self.chunks.push(&mut list.chain, byte),
            _ => encoded(gap).all(|byte| self.chunks.push(&mut list.chain, byte)),
        };
        self.full |= !stored;
    }

    /// Which list is that of the gram. There is none if the memory is full.
    fn list(&mut self, gram: Gram) -> Option<usize> {
        let slot = self.slot(gram);
        if let Some(index) = self.slots[slot].checked_sub(1) {
            return Some(index as usize);
        }
        let chain = self.chunks.chain()?;
        make_room(&mut self.lists, 1);
        self.lists.push(List { last: self.first, chain });
        self.slots[slot] = u32::try_from(self.lists.len()).ok()?;
        Some(self.lists.len() - 1)
    }

    /// Where in `slots` the gram is.
    fn slot(&mut self, gram: Gram) -> usize {
        let page = &mut self.pages[gram.number() as usize / PAGE];
        if *page == 0 {
            make_room(&mut self.slots, PAGE);
            self.slots.resize(self.slots.len() + PAGE, 0);
            *page = (self.slots.len() / PAGE) as u32;
        }
        (*page as usize - 1) * PAGE + gram.number() as usize % PAGE
    }

    /// The lists in ascending order of their grams.
    fn chains(&self) -> impl Iterator<Item = (Gram, &Chain)> {
        let pages = self.pages.iter().zip((0..).step_by(PAGE)).filter(|(page, _)| **page > 0);
        let slots = pages.flat_map(|(page, start)| {
            self.slots.iter().skip((*page as usize - 1) * PAGE).take(PAGE).zip(start..)
        });
        slots.filter_map(|(slot, gram)| {
            let list = self.lists.get((*slot as usize).checked_sub(1)?)?;
            Some((Gram::from_number(gram)?, &list.chain))
        })
    }

    fn footer(&self, lists: u64, dictionary: usize) -> io::Result<Footer> {
        Ok(Footer {
            documents: self.documents,
            first: self.first,
            last: self.last,
            grams: number(self.lists.len())?,
            lists: number(lists)?,
            dictionary: number(dictionary)?,
            checksum: 0,
        })
    }
}

/// Makes room for so many more, and then for an eighth, where a vector by itself would double.
fn make_room<T>(vector: &mut Vec<T>, more: usize) {
    if vector.capacity() - vector.len() < more {
        vector.reserve_exact(more.max(vector.len() / 8));
    }
}

/// A number for the segment, if it is not too large.
fn number(number: impl TryInto<u32>) -> io::Result<u32> {
    number.try_into().map_err(|_| io::ErrorKind::FileTooLarge.into())
}
