//! The ways to read what a hunk says must be there, and the strictest that finds it.

use std::rc::Rc;

use toolcrib_edit::{Level, Matching, Place, Places, Scope, Target};
use toolcrib_text::Stopped;

use super::Reason;
use super::finder::Finder;
use crate::patch::{Hunk, Line, Location};

/// The lines of a hunk, without some of the context at its ends.
pub(super) struct Trimmed<'h> {
    pub(super) lines: &'h [Line],
    /// How many lines of context were dropped before the first.
    dropped: usize,
    /// It must end where the text ends.
    to_end: bool,
}

impl<'h> Trimmed<'h> {
    /// Without up to so many lines of context at either end. Nothing, if there are no more to drop than for less fuzz,
    /// or nothing would be left to look for.
    pub(super) fn of(hunk: &'h Hunk, fuzz: usize) -> Option<Self> {
        let above = hunk.lines.iter().take_while(|line| line.is_context()).count();
        let below = hunk.lines.iter().rev().take_while(|line| line.is_context()).count();
        // What changes nothing has no part that is more than context.
        if fuzz > 0 && above == hunk.lines.len() {
            return None;
        }
        let (first, last) = (above.min(fuzz), below.min(fuzz));
        let lines = &hunk.lines[first..hunk.lines.len() - last];
        let says = lines.iter().any(|line| !matches!(line, Line::Added(_)));
        let drops = above >= fuzz || below >= fuzz;
        (says && drops).then_some(Self { lines, dropped: first, to_end: hunk.to_end && last == 0 })
    }

    /// The line where the hunk says it begins, counted from 0.
    pub(super) fn first_line(&self, hunk: &Hunk) -> Option<usize> {
        match hunk.location {
            Location::Line(line) => Some(line.saturating_sub(1) + self.dropped),
            Location::After(_) => None,
        }
    }

    /// The lines of context, by their numbers in the old and in the new text.
    pub(super) fn staying(&self) -> Vec<(usize, usize)> {
        let (mut old, mut new, mut staying) = (0, 0, Vec::new());
        for line in self.lines {
            if line.is_context() {
                staying.push((old, new));
            }
            old += usize::from(!matches!(line, Line::Added(_)));
            new += usize::from(!matches!(line, Line::Removed(_)));
        }
        staying
    }

    fn text(&self, wanted: fn(&Line) -> bool) -> String {
        self.lines.iter().filter(|line| wanted(line)).map(Line::text).collect()
    }
}

/// What a hunk means by its lines.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) old: String,
    pub(super) new: String,
    scope: Scope,
    /// [`Level::FinalNewline`] if the final newline is not as the hunk has it.
    newline: Level,
}

impl Reading {
    fn all(trimmed: &Trimmed<'_>) -> Vec<Self> {
        let old = trimmed.text(|line| !matches!(line, Line::Added(_)));
        let new = trimmed.text(|line| !matches!(line, Line::Removed(_)));
        let ended = old.ends_with('\n');
        let other = if ended {
            // The text has no newline at its end, and keeps none.
            Self::other(chop(&old), chop(&new))
        } else {
            // The text has one although the hunk says it has not, and keeps it.
            Self::other(
                &format!("{old}\n"),
                &if new.ends_with('\n') { new.clone() } else { format!("{new}\n") },
            )
        };
        let scope = if ended && !trimmed.to_end { Scope::Lines } else { Scope::LinesToEnd };
        vec![Self { old, new, scope, newline: Level::Exact }, other]
    }

    fn other(old: &str, new: &str) -> Self {
        Self {
            old: old.to_owned(),
            new: new.to_owned(),
            scope: Scope::LinesToEnd,
            newline: Level::FinalNewline,
        }
    }
}

fn chop(text: &str) -> &str {
    let chopped = text.strip_suffix('\n').unwrap_or(text);
    if chopped.len() < text.len() { chopped.strip_suffix('\r').unwrap_or(chopped) } else { text }
}

/// A reading and its places in a text, at the strictest level that has any.
#[derive(Debug)]
pub(super) struct Fit {
    pub(super) reading: Reading,
    pub(super) level: Level,
    places: Rc<Places>,
}

/// Why a hunk has no fit.
pub(super) enum Unfit {
    /// Its lines are not there.
    Missing,
    Because(Reason),
}

impl From<Stopped> for Unfit {
    fn from(stopped: Stopped) -> Self {
        Self::Because(stopped.into())
    }
}

impl Fit {
    /// In the order of the text.
    pub(super) fn places(&self) -> &[Place] {
        &self.places.places
    }

    pub(super) fn strictest(
        finder: &Finder<'_, '_>,
        trimmed: &Trimmed<'_>,
        expected: Option<usize>,
        matching: Matching,
    ) -> Result<Self, Unfit> {
        let loosest = if matching == Matching::Exact { Level::Exact } else { Level::Typography };
        let mut best: Option<Self> = None;
        let readings = Reading::all(trimmed);
        let written = readings[0].clone();
        for reading in readings.into_iter().filter(|reading| reading.newline <= loosest) {
            let found = finder.find(&reading.old, reading.scope, loosest)?;
            if found.given_up {
                return Err(Unfit::Because(Reason::GivenUp));
            }
            let Some(needed) = found.places.first().map(|place| place.level) else {
                continue;
            };
            let level = needed.max(reading.newline);
            match &best {
                // Without a line number a hunk cannot say whether its last line has a newline.
                Some(best) if expected.is_none() && needed <= best.level => {
                    let both = best.places().iter().chain(&found.places);
                    return Err(Unfit::Because(Reason::ambiguous(both, best.level)));
                }
                Some(best) if best.level <= level => {}
                _ => best = Some(Self { reading, level, places: found }),
            }
        }
        match best {
            Some(best) => Ok(best),
            None => Err(match standing(finder, &written, loosest)? {
                Some(line) => Unfit::Because(Reason::AlreadyApplied { line }),
                None => Unfit::Missing,
            }),
        }
    }

    /// Whether the hunk fits at a line, whatever has to be overlooked.
    pub(super) fn could_be_at(target: &Target<'_>, trimmed: &Trimmed<'_>, line: usize) -> bool {
        Reading::all(trimmed)
            .iter()
            .any(|reading| target.place_at(&reading.old, line, reading.scope).is_some())
    }

    /// Nothing but white space is looked for.
    pub(super) fn is_blank(&self) -> bool {
        self.reading.old.trim().is_empty()
    }

    /// The line where the new text stands around the place, if it does: then the hunk may have been applied before.
    pub(super) fn made_around(
        &self,
        finder: &Finder<'_, '_>,
        place: &Place,
    ) -> Result<Option<usize>, Stopped> {
        if self.reading.new.len() <= self.reading.old.len() {
            return Ok(None);
        }
        let made = &finder.find(&self.reading.new, Scope::Lines, Level::Typography)?.places;
        let covers = |made: &&Place| {
            made.level <= self.level
                && made.region.start <= place.region.start
                && place.region.end <= made.region.end
        };
        // They are in the order of the text, and reach no farther than they have lines.
        let least = place.line.saturating_sub(self.reading.new.matches('\n').count() + 1);
        let near = &made[made.partition_point(|made| made.line < least)..];
        let near = near.iter().take_while(|made| made.line <= place.line);
        Ok(near.into_iter().find(covers).map(|made| made.line + 1))
    }
}

/// The line where the new text stands, if it stands somewhere and that says something.
fn standing(finder: &Finder<'_, '_>, reading: &Reading, loosest: Level) -> Result<Option<usize>, Stopped> {
    let new = &reading.new;
    let telling = new.contains(char::is_alphanumeric)
        && (new.lines().count() > 1 || !reading.old.contains(new.as_str()));
    if !telling {
        return Ok(None);
    }
    let scope = if new.ends_with('\n') { Scope::Lines } else { Scope::LinesToEnd };
    let mut made = finder.find(new, scope, loosest.min(Level::Indentation))?;
    if made.places.is_empty() {
        made = finder.find(chop(new), Scope::LinesToEnd, Level::Exact)?;
    }
    Ok(made.places.first().map(|place| place.line + 1))
}
