//! The head of the log: where it ends, which number comes next, and which changes are under way.
//!
//! It can be lost: everything in it can be found by reading the log. It is there so that a process that makes one change
//! need not. It is read and written under a lock, in one piece, and is trusted only within one run of the machine.

use super::frame::Position;
use crate::codec::{Malformed, Reader, Writer};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Head {
    /// The run of the machine in which it was written.
    pub(crate) boot: Vec<u8>,
    /// The oldest segment that is still there.
    pub(crate) oldest: u64,
    /// The segment that is written to, and its end.
    pub(crate) segment: u64,
    pub(crate) end: u64,
    /// The bytes in the segments before it.
    pub(crate) before: u64,
    /// The last record.
    pub(crate) last: Option<Position>,
    pub(crate) next_id: u64,
    /// Changes without an outcome, or with old files still to be removed.
    pub(crate) open: Vec<Open>,
}

/// A change that is under way, or was when its process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Open {
    pub(crate) id: u64,
    pub(crate) at: Position,
    /// Who makes it.
    pub(crate) instance: Instance,
    /// Whether its outcome is written: then only the old files are left to be removed.
    pub(crate) in_place: bool,
}

/// A journal that some process has open.
pub(crate) type Instance = [u8; 16];

impl Head {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.bytes(&self.boot);
        for number in [self.oldest, self.segment, self.end, self.before, self.next_id] {
            writer.number(number);
        }
        writer.option(self.last, |writer, last| {
            writer.number(last.segment);
            writer.number(last.offset);
        });
        writer.list(&self.open, |writer, open| {
            writer.number(open.id);
            writer.number(open.at.segment);
            writer.number(open.at.offset);
            writer.fixed(&open.instance);
            writer.byte(open.in_place.into());
        });
        let body = writer.into_bytes();
        let mut whole = Writer::default();
        whole.fixed(MAGIC);
        whole.fixed(blake3::hash(&body).as_bytes());
        whole.bytes(&body);
        whole.into_bytes()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut whole = Reader(bytes);
        let (magic, hash): ([u8; 8], [u8; 32]) = (whole.fixed()?, whole.fixed()?);
        let body = whole.bytes()?;
        if magic != *MAGIC || hash != *blake3::hash(body).as_bytes() {
            return Err(Malformed);
        }
        let mut reader = Reader(body);
        let position =
            |reader: &mut Reader<'_>| Ok(Position { segment: reader.number()?, offset: reader.number()? });
        let boot = reader.bytes()?.to_vec();
        let [oldest, segment, end, before, next_id] =
            [reader.number()?, reader.number()?, reader.number()?, reader.number()?, reader.number()?];
        let last = reader.option(position)?;
        let open = reader.list(|reader| {
            Ok(Open {
                id: reader.number()?,
                at: position(reader)?,
                instance: reader.fixed()?,
                in_place: reader.byte()? == 1,
            })
        })?;
        Ok(Self { boot, oldest, segment, end, before, last, next_id, open })
    }
}

const MAGIC: &[u8; 8] = b"TCHEAD\x00\x01";
