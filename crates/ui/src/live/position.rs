//! How far a page has followed the journal.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The newest change that a page was told, and those up to it that were still being made then. As text, `12` or `12~9~11`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) newest: u64,
    pub(crate) unsettled: BTreeSet<u64>,
}

/// More changes are not made at once.
const MOST_UNSETTLED: usize = 1000;

impl Position {
    /// Everything up to this change is known.
    pub(crate) fn at(newest: u64) -> Self {
        Self { newest, unsettled: BTreeSet::new() }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.newest)?;
        self.unsettled.iter().try_for_each(|id| write!(f, "~{id}"))
    }
}

impl FromStr for Position {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut numbers = text.split('~').take(MOST_UNSETTLED).map(str::parse);
        let newest = numbers.next().unwrap_or(Ok(0))?;
        Ok(Self { newest, unsettled: numbers.collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_as_it_was_sent() {
        let position = Position { newest: 12, unsettled: [11, 9].into() };
        assert_eq!(position.to_string(), "12~9~11");
        assert_eq!(position.to_string().parse(), Ok(position));
        assert_eq!("7".parse(), Ok(Position::at(7)));
        assert!(["", "x", "1~", "1~x", "-1"].iter().all(|text| text.parse::<Position>().is_err()));
    }
}
