//! Segments: for each gram, which documents have it.
//!
//! A segment is written once and then only read. A document is a number; this module must not know that it stands for a file,
//! nor where a segment is stored.
//!
//! What is read is never trusted. The dictionary has a checksum and so has each list, and a segment with anything wrong in it is
//! [`Damaged`]: it can be built again, but a document that is missing from an answer would never be found.

mod builder;
mod chunks;
mod format;
#[cfg(test)]
mod tests;

use std::io;

use thiserror::Error;

use crate::gram::Gram;
use crate::plan::Plan;
use format::{Footer, HEADER, decode_dictionary, decode_list};

pub(crate) use builder::SegmentBuilder;

/// Bytes that can be read from any place. It is only read within its size.
pub(crate) trait Storage: Send + Sync {
    /// Fills the buffer with the bytes from the offset on.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// How many bytes there are.
    fn size(&self) -> u64;
}

/// The segment is not as it was written, or cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a segment of the index is damaged")]
pub(crate) struct Damaged;

/// Which documents of a segment may match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Candidates {
    /// Each of them, or so many that the others are not worth telling apart.
    All,
    /// Only these, in ascending order.
    Some(Vec<u32>),
}

/// An immutable part of the index: the documents that have each gram.
pub(crate) struct Segment {
    storage: Box<dyn Storage>,
    footer: Footer,
    /// The grams that some document has, in ascending order.
    grams: Vec<u32>,
    /// Where the list of each gram ends, counted from the first list.
    ends: Vec<u32>,
}

impl Segment {
    /// Reads what is needed to find lists, which stay in the storage.
    pub(crate) fn open(storage: Box<dyn Storage>) -> Result<Self, Damaged> {
        let footer = Footer::read(&*storage)?;
        let mut dictionary = vec![0; footer.dictionary as usize];
        storage.read_at(footer.dictionary_offset(), &mut dictionary).map_err(|_| Damaged)?;
        let (grams, ends) = decode_dictionary(&footer, &dictionary)?;
        Ok(Self { storage, footer, grams, ends })
    }

    /// The documents that satisfy a plan, and perhaps some that do not.
    pub(crate) fn documents(&self, plan: &Plan) -> Result<Candidates, Damaged> {
        match plan {
            Plan::Everything => Ok(Candidates::All),
            Plan::Nothing => Ok(Candidates::Some(Vec::new())),
            Plan::Gram(gram) => self.list(*gram).map(Candidates::Some),
            Plan::All(parts) => self.intersection(parts),
            Plan::Any(parts) => self.union(parts),
        }
    }

    /// How many bytes the segment has in its storage.
    pub(crate) fn size(&self) -> u64 {
        self.storage.size()
    }

    /// The documents that satisfy all the parts. The shortest lists are read first; the long ones only as long as they can
    /// make a difference.
    fn intersection(&self, parts: &[Plan]) -> Result<Candidates, Damaged> {
        let mut parts: Vec<_> = parts.iter().map(|part| (self.cost(part), part)).collect();
        parts.sort_by_key(|(cost, _)| *cost);
        let mut found = Candidates::All;
        for (index, (cost, part)) in parts.into_iter().enumerate() {
            if index > 0 && !self.is_worth(cost, &found) {
                break;
            }
            found = intersected(found, self.documents(part)?);
        }
        Ok(found)
    }

    /// Whether to read lists of so many bytes in order to tell apart the documents that were found.
    fn is_worth(&self, cost: usize, found: &Candidates) -> bool {
        let common = cost > self.footer.documents as usize / COMMON;
        match found {
            Candidates::All => true,
            Candidates::Some(found) => !common && found.len() > FEW && found.len() >= cost / SMALL,
        }
    }

    /// The documents that satisfy any of the parts.
    fn union(&self, parts: &[Plan]) -> Result<Candidates, Damaged> {
        let documents = self.footer.documents as usize;
        let mut found = Vec::new();
        for part in parts {
            match self.documents(part)? {
                Candidates::All => return Ok(Candidates::All),
                Candidates::Some(more) => found.extend(more),
            }
            // Often enough that memory has a bound, and seldom enough that sorting costs little.
            if found.len() > documents * 2 {
                sort(&mut found);
                if found.len() > documents / 2 {
                    return Ok(Candidates::All);
                }
            }
        }
        sort(&mut found);
        Ok(if found.len() > documents / 2 { Candidates::All } else { Candidates::Some(found) })
    }

    /// How many bytes of lists are read for a plan, roughly. A list has about as many bytes as documents.
    fn cost(&self, plan: &Plan) -> usize {
        match plan {
            Plan::Everything => usize::MAX,
            Plan::Nothing => 0,
            Plan::Gram(gram) => self.place(*gram).map_or(0, |(_, length)| length),
            Plan::All(parts) => parts.iter().map(|part| self.cost(part)).min().unwrap_or(usize::MAX),
            Plan::Any(parts) => parts.iter().map(|part| self.cost(part)).fold(0, usize::saturating_add),
        }
    }

    /// The documents that have the gram.
    fn list(&self, gram: Gram) -> Result<Vec<u32>, Damaged> {
        let Some((start, length)) = self.place(gram) else {
            return Ok(Vec::new());
        };
        let mut list = vec![0; length];
        self.storage.read_at(HEADER.len() as u64 + u64::from(start), &mut list).map_err(|_| Damaged)?;
        decode_list(&self.footer, gram, &list)
    }

    /// Where the list of a gram is and how many bytes it has.
    fn place(&self, gram: Gram) -> Option<(u32, usize)> {
        let index = self.grams.binary_search(&gram.number()).ok()?;
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |end| *end);
        let end = self.ends.get(index)?;
        Some((start, end.saturating_sub(start) as usize))
    }
}

impl Storage for Vec<u8> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        read_slice(self, offset, buffer)
    }

    fn size(&self) -> u64 {
        self.len() as u64
    }
}

impl Storage for Box<[u8]> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        read_slice(self, offset, buffer)
    }

    fn size(&self) -> u64 {
        self.len() as u64
    }
}

/// So few documents are searched faster than another list is read.
const FEW: usize = 64;

/// A list that is so many times as long as what was found is not worth reading.
const SMALL: usize = 100;

/// A gram that more than one in so many documents have says little.
const COMMON: usize = 3;

fn intersected(left: Candidates, right: Candidates) -> Candidates {
    match (left, right) {
        (Candidates::All, other) | (other, Candidates::All) => other,
        (Candidates::Some(mut left), Candidates::Some(right)) => {
            let mut right = right.into_iter().peekable();
            left.retain(|document| {
                while right.next_if(|other| other < document).is_some() {}
                right.peek() == Some(document)
            });
            Candidates::Some(left)
        }
    }
}

fn sort(documents: &mut Vec<u32>) {
    documents.sort_unstable();
    documents.dedup();
}

fn read_slice(bytes: &[u8], offset: u64, buffer: &mut [u8]) -> io::Result<()> {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let range = start..start.saturating_add(buffer.len());
    buffer.copy_from_slice(bytes.get(range).ok_or(io::ErrorKind::UnexpectedEof)?);
    Ok(())
}
