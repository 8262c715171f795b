//! How much of a file a session has seen.

use std::fmt;
use std::str::FromStr;

/// All of a file, or parts of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// These lines, pages or cells.
    Parts(Parts),
}

/// Parts of a file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    unit: Unit,
    /// First and last of each run, in order; between two runs something is missing.
    runs: Vec<(u64, u64)>,
    /// How many there are, if that is known.
    total: Option<u64>,
}

/// What parts are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Lines of a text.
    Lines,
    /// Pages of a document.
    Pages,
    /// Cells of a notebook.
    Cells,
}

/// How many runs are remembered of one file. What is forgotten has to be read again.
const MOST_RUNS: usize = 1000;

impl Extent {
    /// These parts of so many, if that is known. All of them are the whole.
    pub fn of(unit: Unit, seen: impl IntoIterator<Item = u64>, total: Option<u64>) -> Self {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for number in seen {
            match runs.last_mut() {
                Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
                _ => runs.push((number, number)),
            }
        }
        Parts { unit, runs, total }.joined()
    }

    /// Nothing of it.
    pub(super) fn none() -> Self {
        Self::Parts(Parts { unit: Unit::Lines, runs: Vec::new(), total: None })
    }

    /// Both, of the same content.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Whole, _) | (_, Self::Whole) => Self::Whole,
            (Self::Parts(one), Self::Parts(other)) if other.runs.is_empty() => Self::Parts(Parts {
                total: one.total.or(other.total.filter(|_| one.unit == other.unit)),
                ..one
            }),
            (Self::Parts(one), Self::Parts(other)) if one.unit == other.unit => {
                let runs = one.runs.into_iter().chain(other.runs).collect();
                Parts { unit: other.unit, runs, total: other.total.or(one.total) }.joined()
            }
            // Lines and cells cannot be added; what was seen last counts.
            (_, other) => other,
        }
    }
}

impl Parts {
    /// With runs that touch joined; the whole, if nothing is missing.
    fn joined(mut self) -> Extent {
        self.runs.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (first, last) in std::mem::take(&mut self.runs) {
            match joined.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => joined.push((first, last)),
            }
        }
        joined.truncate(MOST_RUNS);
        self.runs = joined;
        if self.total.is_some() && self.missing().is_empty() { Extent::Whole } else { Extent::Parts(self) }
    }

    /// The runs that were not seen, up to the last part that is known of.
    fn missing(&self) -> Vec<(u64, u64)> {
        let mut next = 1;
        let mut missing = Vec::new();
        for (first, last) in &self.runs {
            if next < *first {
                missing.push((next, first.saturating_sub(1)));
            }
            next = last.saturating_add(1);
        }
        missing.extend(self.total.filter(|total| next <= *total).map(|total| (next, total)));
        missing
    }
}

/// What is missing, for a reader: `lines 201-300 of 300`. Empty where that is not known.
impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// How many runs are worth naming.
        const SHOWN: usize = 3;
        let missing = self.missing();
        let (Some(total), false) = (self.total, missing.is_empty()) else { return Ok(()) };
        let run = |(first, last): &(u64, u64)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        };
        let shown: Vec<String> = missing.iter().take(SHOWN).map(run).collect();
        let more = if missing.len() > SHOWN { ", …" } else { "" };
        write!(f, "{} {}{more} of {total}", self.unit, shown.join(", "))
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lines => "lines",
            Self::Pages => "pages",
            Self::Cells => "cells",
        })
    }
}

impl Extent {
    /// As it stands in a record: nothing for the whole, otherwise `;lines 1-200,301-400/500`.
    pub(super) fn recorded(&self) -> String {
        let Self::Parts(Parts { unit, runs, total }) = self else { return String::new() };
        let runs: Vec<String> = runs.iter().map(|(first, last)| format!("{first}-{last}")).collect();
        let total = total.map(|total| format!("/{total}")).unwrap_or_default();
        format!(";{unit} {}{total}", runs.join(","))
    }
}

impl FromStr for Extent {
    type Err = ();

    /// What `recorded` gave, without the semicolon.
    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |text: &str| text.parse::<u64>().map_err(drop);
        let (unit, parts) = text.split_once(' ').ok_or(())?;
        let unit =
            [Unit::Lines, Unit::Pages, Unit::Cells].into_iter().find(|known| known.to_string() == unit);
        let (runs, total) = parts.split_once('/').map_or((parts, None), |(runs, total)| (runs, Some(total)));
        let run = |run: &str| {
            let (first, last) = run.split_once('-').ok_or(())?;
            Ok((number(first)?, number(last)?))
        };
        let runs = runs.split(',').filter(|runs| !runs.is_empty()).map(run).collect::<Result<_, ()>>()?;
        Ok(Parts { unit: unit.ok_or(())?, runs, total: total.map(number).transpose()? }.joined())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(seen: impl IntoIterator<Item = u64>, total: u64) -> Extent {
        Extent::of(Unit::Lines, seen, Some(total))
    }

    fn missing(extent: &Extent) -> String {
        match extent {
            Extent::Whole => "nothing".to_owned(),
            Extent::Parts(parts) => parts.to_string(),
        }
    }

    #[test]
    fn parts_that_cover_a_file_are_the_whole() {
        assert_eq!(lines(1..=10, 10), Extent::Whole);
        assert_eq!(lines([], 0), Extent::Whole);
        assert_eq!(lines(1..=4, 10).and(lines(4..=10, 10)), Extent::Whole);
        assert_eq!(lines(5..=10, 10).and(lines(1..=4, 10)), Extent::Whole);
        assert_eq!(missing(&lines(1..=4, 10).and(lines(6..=10, 10))), "lines 5 of 10");
        assert_eq!(missing(&lines([2, 4, 6, 8], 9)), "lines 1, 3, 5, … of 9");
        let later = Extent::of(Unit::Lines, 1..=4, None);
        assert_eq!(missing(&later), "", "it is unknown how many there are");
        assert_eq!(later.and(lines(5..=10, 10)), Extent::Whole);
        assert_eq!(Extent::none().and(lines(1..=3, 4)), lines(1..=3, 4));
        assert_eq!(lines(1..=3, 4).and(Extent::none()), lines(1..=3, 4));
    }

    #[test]
    fn lines_and_cells_are_not_added() {
        let cells = Extent::of(Unit::Cells, 2..=3, Some(3));
        assert_eq!(lines(1..=2, 3).and(cells.clone()), cells);
        assert_eq!(cells.clone().and(Extent::none()), cells);
    }

    #[test]
    fn a_record_is_understood() {
        for extent in [lines(1..=3, 4), lines([1, 3], 9), Extent::none(), Extent::of(Unit::Pages, [7], None)]
        {
            let recorded = extent.recorded();
            assert_eq!(recorded.strip_prefix(';').unwrap().parse(), Ok(extent), "{recorded}");
        }
        assert_eq!(Extent::Whole.recorded(), "");
        for wrong in ["", "lines", "lines 1", "lines 1-x", "rows 1-2", "lines 1-2/x"] {
            assert_eq!(wrong.parse::<Extent>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let Extent::Parts(parts) = lines((0..5_000).map(|number| number * 2 + 1), 10_000) else { panic!() };
        assert_eq!(parts.runs.len(), MOST_RUNS);
    }
}
