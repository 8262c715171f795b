//! What helps when the old text of an edit is not there: the region that comes closest, or that the work is done.

mod closest;
mod visible;

use std::fmt;

use toolcrib_text::Stopped;

use crate::align::cuts_words;
use crate::find::{Scope, Target};
use crate::fold::folded;
use crate::{Edit, Level, LineSpan};

pub use closest::{Closest, Difference, Shown};
pub use visible::visible;
pub(crate) use visible::{is_hidden, push_visible};

/// What is there instead of the old text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// The new text already stands where the old text could have stood.
    pub applied: Option<LineSpan>,
    /// The region that is most like the old text, if any resembles it.
    pub closest: Option<Closest>,
}

impl Diagnosis {
    pub(crate) fn of(target: &Target<'_>, edit: &Edit) -> Result<Self, Stopped> {
        let closest = closest::closest(target, &edit.old)?;
        // The new text may stand anywhere for any reason. It was put there by this edit only where the old text was.
        let here = |made: &LineSpan| {
            let is_here =
                |closest: &Closest| made.first <= closest.lines.last && closest.lines.first <= made.last;
            closest.as_ref().is_some_and(is_here)
        };
        Ok(Self { applied: applied(target, edit)?.filter(here), closest })
    }

    /// The closest region for an old text alone.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn of_old(target: &Target<'_>, old: &str) -> Result<Self, Stopped> {
        Ok(Self { applied: None, closest: closest::closest(target, old)? })
    }

    /// What is there instead, to be written after "not found", for a caller who calls the old text `old`.
    #[must_use]
    pub fn instead_of<'d>(&'d self, old: &'d str) -> impl fmt::Display + 'd {
        fmt::from_fn(move |f| {
            if let Some(lines) = self.applied {
                return write!(f, ": it seems to be already applied: the new text is at {lines}");
            }
            match &self.closest {
                Some(closest) => f.write_str("\n").and_then(|()| closest.write(f, old)),
                None => Ok(()),
            }
        })
    }

    /// What to try next.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self { applied: Some(_), .. } => "if that is the change you want, there is nothing left to do",
            Self { closest: Some(_), .. } => "give the lines as they are now, character by character",
            _ => "read the file again: nothing in it resembles the old text",
        }
    }
}

/// Where the new text stands already. A new text that is part of the old one says nothing by standing somewhere.
fn applied(target: &Target<'_>, edit: &Edit) -> Result<Option<LineSpan>, Stopped> {
    let telling =
        edit.new.chars().any(char::is_alphanumeric) && !folded(&edit.old).contains(&*folded(&edit.new));
    if !telling {
        return Ok(None);
    }
    let mut places = target.find(&edit.new, Scope::Anywhere, Level::Indentation)?.places;
    places.retain(|place| !cuts_words(target.text(), &place.region));
    let Some(place) = places.first().filter(|_| places.len() == 1 || edit.all) else { return Ok(None) };
    let end = place.region.start + target.text()[place.region.clone()].trim_end().len();
    Ok(Some(LineSpan { first: place.line + 1, last: target.line_at(end) + 1 }))
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the old text was not found{}", self.instead_of("the old text"))
    }
}
