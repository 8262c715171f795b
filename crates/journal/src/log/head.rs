//! The head of the log: where it ends, which number comes next, which changes are under way, and what is damaged.
//!
//! It can be lost: all of it can be found again by reading the log. It is there so that a process that makes one change
//! need not. It is read and written under a lock, in one piece, and is trusted only within one run of the machine; one
//! of an earlier run may lag behind the log, or be ahead of what a power cut has left of it.

use super::frame::Position;
use super::key::Mark;
use crate::codec::{Malformed, Reader, Writer};
use crate::damage::{self, Damage, Fault};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Head {
    /// The run of the machine in which it was written.
    pub(crate) boot: Vec<u8>,
    /// The key with which the records were sealed that it knows.
    pub(crate) key: Mark,
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
    /// No number from here on was ever given, as it is written down [beside the log](super::numbers).
    pub(crate) reserved: u64,
    /// Changes without an outcome, or with old files still to be removed.
    pub(crate) open: Vec<Open>,
    /// What is known to be damaged.
    pub(crate) damage: Vec<Damage>,
    /// How much more is.
    pub(crate) more_damage: u64,
    /// Whether the disk could not read all of the log when it was read as a whole. Another time it may.
    pub(crate) is_suspect: bool,
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
    /// Whether it may have ended long ago, and what the log said about that be lost.
    pub(crate) doubtful: bool,
}

/// A journal that some process has open.
pub(crate) type Instance = [u8; 16];

impl Head {
    /// Takes note of damage, once.
    pub(crate) fn note_damage(&mut self, fault: Fault) {
        if self.damage.iter().any(|known| known.fault.covers(fault)) {
            return;
        }
        self.damage.retain(|known| !fault.covers(known.fault));
        if self.damage.len() < MOST_DAMAGE { self.damage.push(fault.into()) } else { self.more_damage += 1 }
    }

    /// Whether something in this segment is damaged and was not reported yet.
    pub(crate) fn has_unacknowledged_damage_in(&self, segment: u64) -> bool {
        let is_news = |damage: &Damage| !damage.acknowledged && damage.fault.segment() == Some(segment);
        self.more_damage > 0 || self.damage.iter().any(is_news)
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.bytes(&self.boot);
        writer.fixed(&self.key);
        let Self { oldest, segment, end, before, next_id, reserved, more_damage, .. } = *self;
        for number in [oldest, segment, end, before, next_id, reserved, more_damage] {
            writer.number(number);
        }
        writer.option(self.last, write_position);
        writer.list(&self.open, |writer, open| {
            writer.number(open.id);
            write_position(writer, open.at);
            writer.fixed(&open.instance);
            writer.byte(open.in_place.into());
            writer.byte(open.doubtful.into());
        });
        writer.list(&self.damage, damage::write);
        writer.byte(self.is_suspect.into());
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
        let (boot, key) = (reader.bytes()?.to_vec(), reader.fixed()?);
        let mut numbers = [0; 7];
        for number in &mut numbers {
            *number = reader.number()?;
        }
        let [oldest, segment, end, before, next_id, reserved, more_damage] = numbers;
        let last = reader.option(read_position)?;
        let open = reader.list(|reader| {
            Ok(Open {
                id: reader.number()?,
                at: read_position(reader)?,
                instance: reader.fixed()?,
                in_place: reader.byte()? == 1,
                doubtful: reader.byte()? == 1,
            })
        })?;
        let damage = reader.list(damage::read)?;
        let is_suspect = reader.byte()? == 1;
        Ok(Self {
            boot,
            key,
            oldest,
            segment,
            end,
            before,
            last,
            next_id,
            reserved,
            open,
            damage,
            more_damage,
            is_suspect,
        })
    }

    /// Whether these bytes are a head as an earlier version of this program wrote it.
    pub(crate) fn is_of_old_version(bytes: &[u8]) -> bool {
        bytes.starts_with(OLD_MAGIC)
    }
}

fn write_position(writer: &mut Writer, position: Position) {
    writer.number(position.segment);
    writer.number(position.offset);
}

fn read_position(reader: &mut Reader<'_>) -> Result<Position, Malformed> {
    Ok(Position { segment: reader.number()?, offset: reader.number()? })
}

const MAGIC: &[u8; 8] = b"TCHEAD\x00\x02";
const OLD_MAGIC: &[u8; 8] = b"TCHEAD\x00\x01";

/// Enough to see how bad it is. The head is written with every change.
const MOST_DAMAGE: usize = 64;
