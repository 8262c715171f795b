//! Why a hunk was not applied.

use std::fmt;

use toolcrib_edit::{Diagnosis, Level, Place, TooLarge};
use toolcrib_text::Stopped;

/// How many line numbers are named.
const LINES: usize = 20;

/// A hunk that was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkFailure {
    /// Which hunk of the file, counted from 1.
    pub hunk: usize,
    /// The line of the patch where it begins, counted from 1.
    pub line: usize,
    /// The first lines that it looked for, unless the reason shows what comes close to them.
    pub looked_for: Vec<String>,
    /// Why.
    pub reason: Reason,
}

/// Why a hunk was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Its lines are not there.
    NotFound(Box<Diagnosis>),
    /// Its lines are there more than once, and nothing tells which are meant.
    Ambiguous {
        /// The lines where the places are, counted from 1; the first few.
        lines: Vec<usize>,
        /// What was overlooked to find them.
        level: Level,
    },
    /// What it would make is there already.
    AlreadyApplied {
        /// The line where it is, counted from 1.
        line: usize,
    },
    /// What it would make is there, and so is what it would change: it may be applied already, or be meant once more.
    MayBeApplied {
        /// The line where its new lines are, counted from 1.
        line: usize,
    },
    /// It claims lines that another hunk claims.
    Overlaps {
        /// The other hunk, counted from 1.
        hunk: usize,
    },
    /// It only adds lines, and has no line around them that could be looked for.
    NoContext,
    /// All its lines around the change are blank, and there are none where it is said to stand.
    Blank {
        /// Where there are some, counted from 1.
        line: usize,
    },
    /// The line after which it is said to stand is not there.
    NoAnchor {
        /// That line.
        anchor: String,
    },
    /// Its lines are there, but not after the line after which they are said to stand.
    NotAfterAnchor {
        /// That line.
        anchor: String,
        /// Where its lines are, counted from 1.
        line: usize,
    },
    /// The place is indented otherwise, and the new lines cannot be shifted the same way.
    Unshiftable {
        /// The line of the place, counted from 1.
        place: usize,
        /// The line of the hunk's new text that cannot be shifted, counted from 1.
        line: usize,
    },
    /// The text does not spell a character as the hunk does, and it is not certain which spelling is meant.
    Spelling {
        /// The character.
        character: char,
    },
    /// The text repeats itself so much that the search was given up.
    GivenUp,
    /// The text would become too large.
    TooLarge(TooLarge),
    /// It was stopped.
    Stopped,
}

impl From<Stopped> for Reason {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl Reason {
    pub(super) fn ambiguous<'p>(places: impl IntoIterator<Item = &'p Place>, level: Level) -> Self {
        Self::ambiguous_lines(places.into_iter().map(|place| place.line), level)
    }

    /// For lines that are counted from 0.
    pub(super) fn ambiguous_lines(lines: impl IntoIterator<Item = usize>, level: Level) -> Self {
        Self::Ambiguous { lines: lines.into_iter().take(LINES).map(|line| line + 1).collect(), level }
    }
}

impl fmt::Display for HunkFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hunk {}: {}", self.hunk, self.reason)?;
        if !self.looked_for.is_empty() {
            f.write_str(":")?;
        }
        self.looked_for.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(diagnosis) => {
                write!(f, "its lines were not found{}", diagnosis.instead_of("the old text"))
            }
            Self::Ambiguous { lines, level } => {
                write!(f, "its lines fit in more than one place, lines: {lines:?}")?;
                if *level > Level::Exact { write!(f, " (not an exact match: {level})") } else { Ok(()) }
            }
            Self::AlreadyApplied { line } => write!(f, "it seems to be already applied, see line {line}"),
            Self::MayBeApplied { line } => {
                write!(
                    f,
                    "it may be already applied, its new lines stand at line {line}: give more lines around the change"
                )
            }
            Self::Overlaps { hunk } => write!(f, "it overlaps hunk {hunk}"),
            Self::NoContext => f.write_str(
                "it only adds lines and says nothing about where: give a line above or below them",
            ),
            Self::Blank { line } => {
                write!(
                    f,
                    "only blank lines are around it, and those at line {line} need not be the ones that are meant"
                )
            }
            Self::NoAnchor { anchor } => write!(f, "there is no line {anchor:?} after which it could stand"),
            Self::NotAfterAnchor { anchor, line } => {
                write!(f, "its lines are at line {line}, which is not after {anchor:?}")
            }
            Self::Unshiftable { place, line } => {
                write!(
                    f,
                    "its place at line {place} is indented otherwise, and its new line {line} cannot be shifted the same way"
                )
            }
            Self::Spelling { character } => {
                write!(
                    f,
                    "the file does not spell {character} as the hunk does, and the new lines could mean either"
                )
            }
            Self::GivenUp => f.write_str("the text repeats itself too much to be certain of a place"),
            Self::TooLarge(too_large) => write!(f, "{too_large}"),
            Self::Stopped => write!(f, "{Stopped}"),
        }
    }
}
