//! How a record stands in a segment of the log: a header, what it says, and the contents it keeps.
//!
//! The header and what follows it are sealed with the journal's key, together with the place where they stand, so that a
//! record that was forged, changed or copied from elsewhere is none. The contents are not: what the record says holds
//! their hashes.

use crate::codec::{Malformed, Reader, Writer};

/// Where a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) segment: u64,
    pub(crate) offset: u64,
}

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A change is about to be made.
    Intent,
    /// It was made, or rolled back.
    Outcome,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    /// The number of the change; its outcome has the same.
    pub(crate) id: u64,
    pub(crate) at: Position,
    /// The record before this one.
    pub(crate) previous: Option<Position>,
    /// How long what it says is.
    pub(crate) said: u64,
    /// How long the contents are.
    pub(crate) kept: u64,
}

/// A key that no other journal has.
pub(crate) type Key = [u8; 32];

impl Header {
    pub(crate) const LENGTH: usize = SEALED + 32;

    /// The length of the whole record in the segment.
    pub(crate) fn length(&self) -> Option<u64> {
        let whole = (Self::LENGTH as u64).checked_add(self.said)?.checked_add(self.kept)?;
        whole.checked_next_multiple_of(8)
    }

    /// Where the record ends, and the next one begins.
    pub(crate) fn end(&self) -> u64 {
        self.at.offset.saturating_add(self.length().unwrap_or(0))
    }

    /// Where the contents begin.
    pub(crate) fn kept_at(&self) -> u64 {
        self.at.offset + Self::LENGTH as u64 + self.said
    }

    /// The header and what it says, sealed.
    pub(crate) fn seal(&self, key: &Key, said: &[u8]) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.fixed(MAGIC);
        writer.number(match self.kind {
            Kind::Intent => 1,
            Kind::Outcome => 2,
        });
        writer.number(self.id);
        position(&mut writer, self.at);
        position(&mut writer, self.previous.unwrap_or(NOWHERE));
        writer.number(self.said);
        writer.number(self.kept);
        let mut bytes = writer.into_bytes();
        let seal = seal(key, &bytes, said);
        bytes.extend(seal);
        bytes.extend(said);
        bytes
    }

    /// Reads a header that stands at `at`. Whether it is genuine shows with [`is_genuine`](Self::is_genuine).
    pub(crate) fn read(bytes: &[u8; Self::LENGTH], at: Position) -> Result<Self, Malformed> {
        let mut reader = Reader(bytes);
        if reader.fixed()? != *MAGIC {
            return Err(Malformed);
        }
        let kind = match reader.number()? {
            1 => Kind::Intent,
            2 => Kind::Outcome,
            _ => return Err(Malformed),
        };
        let id = reader.number()?;
        let mut position = || Ok(Position { segment: reader.number()?, offset: reader.number()? });
        let (stands, previous) = (position()?, position()?);
        let (said, kept) = (reader.number()?, reader.number()?);
        let header = Self { kind, id, at, previous: (previous != NOWHERE).then_some(previous), said, kept };
        if stands != at || header.length().is_none() {
            return Err(Malformed);
        }
        Ok(header)
    }

    pub(crate) fn is_genuine(bytes: &[u8; Self::LENGTH], key: &Key, said: &[u8]) -> bool {
        let (sealed, found) = bytes.split_at(SEALED);
        seal(key, sealed, said) == *found
    }
}

/// Records begin with it, and it names the version of the format.
pub(super) const MAGIC: &[u8; 8] = b"TCREC\x00\x01\n";

const SEALED: usize = 9 * 8;

const NOWHERE: Position = Position { segment: u64::MAX, offset: u64::MAX };

fn position(writer: &mut Writer, position: Position) {
    writer.number(position.segment);
    writer.number(position.offset);
}

fn seal(key: &Key, header: &[u8], said: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new_keyed(key).update(header).update(said).finalize().as_bytes()
}
