//! What was found damaged in a journal, so that it can be told.
//!
//! Nothing that is damaged is repaired by forgetting it: the bytes stay where they are, the log goes on behind them, and
//! this says what is missing.

use std::fmt;

use crate::codec::{Malformed, Reader, Writer};
use crate::log::segment_name;

/// Something in a journal that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    pub(crate) fault: Fault,
    /// Whether a person was told by [`Journal::scrub`](crate::Journal::scrub).
    pub(crate) acknowledged: bool,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// These bytes of a segment are no records.
    Unreadable { segment: u64, from: u64, to: u64 },
    /// A segment ends at `from`, and went on to `to`.
    Cut { segment: u64, from: u64, to: u64 },
    /// Something stands between two records.
    Stray { segment: u64, from: u64 },
    /// A segment is gone.
    Missing { segment: u64 },
    /// More numbers were given than the log knows of.
    Forgotten { given: u64, known: u64 },
    /// The head was damaged. It was made anew from the log.
    Head,
    /// One of the two files that hold the key was damaged. It was restored from the other.
    Key,
    /// The key is lost. Records before this segment cannot be verified any more.
    KeyLost { before: u64 },
    /// Contents that a change keeps are not those that were stored.
    Contents { change: u64 },
}

impl Damage {
    /// Whether it was told to a person before, by a scrub.
    pub fn is_acknowledged(&self) -> bool {
        self.acknowledged
    }

    /// Whether records were lost with it.
    pub fn loses_records(&self) -> bool {
        !matches!(self.fault, Fault::Head | Fault::Key | Fault::Contents { .. } | Fault::Stray { .. })
    }

    /// Whether something cannot be shown or undone because of it.
    pub fn is_problem(&self) -> bool {
        self.loses_records() || matches!(self.fault, Fault::Contents { .. })
    }
}

impl From<Fault> for Damage {
    fn from(fault: Fault) -> Self {
        Self { fault, acknowledged: false }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |segment| segment_name(segment).display().to_string();
        match self.fault {
            Fault::Unreadable { segment, from, to } => {
                write!(f, "bytes {from} to {to} of {} cannot be read", name(segment))
            }
            Fault::Cut { segment, from, to } => {
                write!(f, "{} ends at byte {from}, and went on to byte {to}", name(segment))
            }
            Fault::Stray { segment, from } => {
                write!(
                    f,
                    "between two records, at byte {from} of {}, stands what was not written there",
                    name(segment)
                )
            }
            Fault::Missing { segment } => write!(f, "{} is missing", name(segment)),
            Fault::Forgotten { given, known } => {
                write!(f, "change {given} was recorded, and the log ends with change {known}")
            }
            Fault::Head => f.write_str("the file head was damaged; it was rebuilt from the log"),
            Fault::Key => f.write_str("one of the two copies of the key was damaged; it was restored"),
            Fault::KeyLost { before } => {
                write!(f, "the key is lost: records before {} cannot be verified", name(before))
            }
            Fault::Contents { change } => {
                write!(f, "contents that change {change} keeps are damaged, so it cannot be undone")
            }
        }
    }
}

impl Fault {
    /// The segment that it is about.
    pub(crate) fn segment(self) -> Option<u64> {
        match self {
            Self::Unreadable { segment, .. }
            | Self::Cut { segment, .. }
            | Self::Stray { segment, .. }
            | Self::Missing { segment } => Some(segment),
            _ => None,
        }
    }

    /// Whether `other` is the same, perhaps of another extent.
    pub(crate) fn covers(self, other: Self) -> bool {
        match (self, other) {
            (
                Self::Unreadable { segment, from, to },
                Self::Unreadable { segment: of, from: start, to: end },
            ) => segment == of && from <= start && end <= to,
            _ => self == other,
        }
    }

    fn numbers(self) -> [u64; 4] {
        match self {
            Self::Unreadable { segment, from, to } => [1, segment, from, to],
            Self::Cut { segment, from, to } => [2, segment, from, to],
            Self::Missing { segment } => [3, segment, 0, 0],
            Self::Forgotten { given, known } => [4, given, known, 0],
            Self::Head => [5, 0, 0, 0],
            Self::Key => [6, 0, 0, 0],
            Self::KeyLost { before } => [7, before, 0, 0],
            Self::Contents { change } => [8, change, 0, 0],
            Self::Stray { segment, from } => [9, segment, from, 0],
        }
    }

    fn from_numbers(numbers: [u64; 4]) -> Result<Self, Malformed> {
        Ok(match numbers {
            [1, segment, from, to] => Self::Unreadable { segment, from, to },
            [2, segment, from, to] => Self::Cut { segment, from, to },
            [3, segment, ..] => Self::Missing { segment },
            [4, given, known, _] => Self::Forgotten { given, known },
            [5, ..] => Self::Head,
            [6, ..] => Self::Key,
            [7, before, ..] => Self::KeyLost { before },
            [8, change, ..] => Self::Contents { change },
            [9, segment, from, _] => Self::Stray { segment, from },
            _ => return Err(Malformed),
        })
    }
}

pub(crate) fn write(writer: &mut Writer, damage: &Damage) {
    damage.fault.numbers().into_iter().for_each(|number| writer.number(number));
    writer.byte(damage.acknowledged.into());
}

pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Damage, Malformed> {
    let numbers = [reader.number()?, reader.number()?, reader.number()?, reader.number()?];
    Ok(Damage { fault: Fault::from_numbers(numbers)?, acknowledged: reader.byte()? == 1 })
}
