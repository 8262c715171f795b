//! Why an edit was not made, and what helps.

use std::fmt;

use toolcrib_text::{NoMemory, Stopped};

use crate::align::Alignment;
use crate::diagnosis::Diagnosis;
use crate::find::{Place, Target};
use crate::lines::Lines;
use crate::{Level, LineSpan, TooLarge};

/// How many line numbers an error names.
const LINES: usize = 20;

/// Why an edit was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is no old text. What that means, such as creating a file, is decided above.
    EmptyOld,
    /// Old and new text are the same.
    Same,
    /// The new text has a NUL character, which no text has.
    Nul,
    /// The old text is not there.
    NotFound(Box<Diagnosis>),
    /// The old text is there more than once.
    NotUnique {
        /// How often.
        count: usize,
        /// The lines where the places are, counted from 1; the first few.
        lines: Vec<usize>,
        /// What was overlooked to find them.
        level: Level,
    },
    /// The place is indented otherwise, and the new text cannot be shifted the same way.
    Unshiftable {
        /// The place.
        place: LineSpan,
        /// The line of the new text that stands too far left, counted from 1.
        line: usize,
    },
    /// The text does not spell a quote, dash or space as the old text does, and it is not certain which spelling the new
    /// text means.
    Spelling {
        /// The character.
        character: char,
    },
    /// The text repeats itself so much that the search was given up.
    GivenUp,
    /// The old text is there more often than one edit replaces.
    TooMany {
        /// How often.
        count: usize,
        /// How often it may be.
        most: usize,
    },
    /// The text would become too large.
    TooLarge(TooLarge),
    /// There is not enough memory for it.
    NoMemory(NoMemory),
    /// It was stopped.
    Stopped,
}

impl From<Stopped> for Error {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl From<NoMemory> for Error {
    fn from(error: NoMemory) -> Self {
        Self::NoMemory(error)
    }
}

/// One of several edits was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Which, counted from 1.
    pub edit: usize,
    /// How many there are.
    pub of: usize,
    /// Why.
    pub error: Error,
}

impl Error {
    /// What to try next, if there is something.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::EmptyOld => Some("give the text that is to be replaced"),
            Self::Same => Some("the new text has to be what should stand there afterwards"),
            Self::Nul => None,
            Self::NotFound(diagnosis) => Some(diagnosis.hint()),
            Self::NotUnique { .. } => Some(
                "add one more line above or below it so that it is the only one, or ask for all places to be changed",
            ),
            Self::Unshiftable { .. } => Some("give both texts with the indentation that the file has"),
            Self::Spelling { .. } => {
                Some("give the old text with the quotes, dashes and spaces that the file has")
            }
            Self::GivenUp => Some("give more lines around the place"),
            Self::TooMany { .. } => {
                Some("give a longer text, which is there less often, or write the whole file")
            }
            Self::TooLarge(_) => Some("change it in several calls, or write the whole file"),
            Self::NoMemory(_) => Some("change less of it at once, or give the process more memory"),
            Self::Stopped => None,
        }
    }

    /// How often and where a text that is [not unique](Self::NotUnique) was found, to be written after "found".
    pub fn places(count: usize, lines: &[usize], level: Level) -> impl fmt::Display {
        fmt::from_fn(move |f| {
            write!(f, "{count} times, lines: {lines:?}")?;
            if Self::lines_were_cut(count, lines) {
                write!(f, " and {} more", count - lines.len())?;
            }
            if level > Level::Exact { write!(f, " (not an exact match: {level})") } else { Ok(()) }
        })
    }

    /// Whether a text that is [not unique](Self::NotUnique) stands in more lines than are named. It may stand in one of them twice.
    pub fn lines_were_cut(count: usize, lines: &[usize]) -> bool {
        lines.len() == LINES && count > LINES
    }

    pub(crate) fn not_unique(target: &Target<'_>, places: &[Place], count: usize, level: Level) -> Self {
        let mut lines: Vec<usize> =
            places.iter().take(LINES).map(|place| first_line(target, place) + 1).collect();
        lines.dedup();
        Self::NotUnique { count, lines, level }
    }

    pub(crate) fn unshiftable(target: &Target<'_>, place: &Place, old: &str, line: usize) -> Self {
        let lines = Alignment::of(target.lines(), place.region.clone(), &Lines::of(old))
            .map_or(place.line..place.line + 1, |alignment| alignment.lines());
        Self::Unshiftable { place: LineSpan { first: lines.start + 1, last: lines.end }, line }
    }
}

/// The line on which a place says something: it may begin with the end of the line before.
fn first_line(target: &Target<'_>, place: &Place) -> usize {
    let region = &target.text()[place.region.clone()];
    let lead = &region[..region.len() - region.trim_start().len()];
    place.line + lead.matches('\n').count()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyOld => f.write_str("the old text is empty"),
            Self::Same => f.write_str("the old and the new text must be different"),
            Self::Nul => f.write_str("the new text has a NUL character"),
            Self::NotFound(diagnosis) => write!(f, "{diagnosis}"),
            Self::NotUnique { count, lines, level } => {
                write!(f, "the old text was found {}", Self::places(*count, lines, *level))
            }
            Self::Unshiftable { place, line } => write!(
                f,
                "the old text stands at lines {}-{} with other indentation, and line {line} of the new text cannot be \
                 shifted the same way",
                place.first, place.last
            ),
            Self::Spelling { character } => {
                write!(
                    f,
                    "the file does not spell {character} as the old text does, and the new text could mean either"
                )
            }
            Self::GivenUp => f.write_str("the text repeats itself too much to be certain of a place"),
            Self::TooMany { count, most } => {
                write!(f, "the old text was found {count} times, and one edit replaces {most} at most")
            }
            Self::TooLarge(too_large) => write!(f, "{too_large}"),
            Self::NoMemory(error) => write!(f, "{error}"),
            Self::Stopped => write!(f, "{Stopped}"),
        }
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "edit {} of {}: {}", self.edit, self.of, self.error)
    }
}

impl std::error::Error for Failed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
