//! Finds the places where a text stands: to the letter, or with as little overlooked as will do.
//!
//! The caller decides which place is meant: this reports all that fit at the strictest level that finds any.

mod exact;
mod index;
mod inline;
mod whole;

use std::cell::OnceCell;
use std::ops::Range;

use toolcrib_text::{Meter, Stopped};

use crate::align::Alignment;
use crate::carry;
use crate::lines::Lines;
use crate::{Bounds, Level, Splice, Uncertain};

pub use index::Index;

/// A text in which places are looked for. Finding several things in one text costs less with one target.
#[derive(Debug)]
pub struct Target<'t> {
    text: &'t str,
    lines: OnceCell<Lines<'t>>,
    meter: Meter<'t>,
    /// How many bytes the text may have after a change.
    size: usize,
}

/// Where a place may begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Anywhere, inside a line too.
    Anywhere,
    /// At the start of a line, and up to the end of one.
    Lines,
    /// From the start of a line to anywhere.
    LineStart,
    /// From the start of a line to the end of the text.
    LinesToEnd,
    /// From anywhere to the end of the text.
    ToEnd,
}

impl Scope {
    fn at_line_start(self) -> bool {
        matches!(self, Self::Lines | Self::LineStart | Self::LinesToEnd)
    }

    fn at_line_end(self) -> bool {
        self == Self::Lines
    }

    fn at_end(self) -> bool {
        matches!(self, Self::LinesToEnd | Self::ToEnd)
    }
}

/// A region of the text, and what was overlooked to find it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The region, as offsets of bytes.
    pub region: Range<usize>,
    /// Its first line, counted from 0.
    pub line: usize,
    /// What was overlooked.
    pub level: Level,
}

/// The places at one level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// In the order of the text; the first [`MOST`](Self::MOST). They may overlap.
    pub places: Vec<Place>,
    /// How many there are.
    pub count: usize,
    /// The search was given up: the text repeats itself so much that there may be any number of further places.
    pub given_up: bool,
}

impl Places {
    /// How many are kept.
    pub const MOST: usize = 250_000;
}

impl<'t> Target<'t> {
    /// Looks for places in this text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Self::within(text, Bounds::none())
    }

    /// Looks for places in this text, within bounds.
    #[must_use]
    pub fn within(text: &'t str, bounds: Bounds<'t>) -> Self {
        Self { text, lines: OnceCell::new(), meter: Meter::new(bounds.stop), size: bounds.size }
    }

    /// Accounts for work on this text.
    #[must_use]
    pub fn meter(&self) -> &Meter<'t> {
        &self.meter
    }

    /// How many bytes the text may have after a change.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.text
    }

    pub(crate) fn lines(&self) -> &Lines<'t> {
        self.lines.get_or_init(|| Lines::of(self.text))
    }

    /// How many lines there are. A text that ends with a newline has an empty last line.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.lines().count()
    }

    /// The index of the line that holds this offset.
    #[must_use]
    pub fn line_at(&self, offset: usize) -> usize {
        self.lines().at(offset)
    }

    /// Where a line starts. Lines are counted from 0; the one after the last starts at the end.
    #[must_use]
    pub fn line_start(&self, line: usize) -> usize {
        if line < self.line_count() { self.lines().start(line) } else { self.text.len() }
    }

    /// A line without its ending.
    #[must_use]
    pub fn line(&self, line: usize) -> &'t str {
        if line < self.line_count() { self.lines().content_text(line) } else { "" }
    }

    /// All places of `old` at the strictest level that finds any, up to `loosest` and at most [`Level::Typography`].
    ///
    /// [`Level::FinalNewline`] is the caller's: whether a newline may be left out depends on what replaces it.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn find(&self, old: &str, scope: Scope, loosest: Level) -> Result<Places, Stopped> {
        let exact = exact::places(self, old, scope)?;
        if !exact.places.is_empty() || loosest == Level::Exact || old.trim().is_empty() {
            return Ok(exact);
        }
        let old = Lines::of(old);
        let found = if old.count() == 1 && !scope.at_line_start() {
            inline::places(self, old.text(), scope)
        } else {
            if self.lines.get().is_none() {
                self.meter.spend(self.text.len())?;
            }
            whole::places(self.lines(), &old, scope, &self.meter)
        }?;
        Ok(found.at_strictest(loosest))
    }

    /// The place of `old` that begins in this line, counted from 0, whatever has to be overlooked for it to fit, up to
    /// [`Level::Typography`].
    #[must_use]
    pub fn place_at(&self, old: &str, line: usize, scope: Scope) -> Option<Place> {
        let old = Lines::of(old);
        (line + old.count() <= self.line_count()).then_some(())?;
        whole::place_at(self.lines(), &old, line, scope)
    }

    /// The changes that turn a place of `old` into `new`: what differs between the two is carried over, all else keeps
    /// the spelling it has in the text.
    ///
    /// # Errors
    /// If it is not certain what the new text would be, or if it would be too large.
    pub fn carry(&self, place: &Place, old: &str, new: &str) -> Result<Vec<Splice>, Uncertain> {
        self.carry_with(place, old, new, None)
    }

    /// The same where the caller says which lines stay, by their numbers in `old` and `new`, counted from 0 and in order.
    /// Of a line that is inserted beside one that says the same, only this tells which of the two is the new one.
    ///
    /// # Errors
    /// If it is not certain what the new text would be.
    pub fn carry_around(
        &self,
        place: &Place,
        old: &str,
        new: &str,
        stay: &[(usize, usize)],
    ) -> Result<Vec<Splice>, Uncertain> {
        self.carry_with(place, old, new, Some(stay))
    }

    fn carry_with(
        &self,
        place: &Place,
        old: &str,
        new: &str,
        stay: Option<&[(usize, usize)]>,
    ) -> Result<Vec<Splice>, Uncertain> {
        self.meter.spend(4 * (place.region.len() + old.len() + new.len()))?;
        let old = Lines::of(old);
        let lines = Lines::around(self.text, &place.region);
        match Alignment::of(&lines, place.region.clone(), &old) {
            Some(alignment) => {
                let bounds = Bounds { size: self.size, stop: self.meter.stop() };
                carry::carry(&lines, &alignment, &old, new, stay, bounds)
            }
            None => Ok(Vec::new()),
        }
    }

    fn place(&self, alignment: &Alignment) -> Place {
        place(self.lines(), alignment)
    }
}

impl Places {
    /// Those that overlook least.
    fn at_strictest(mut self, loosest: Level) -> Self {
        self.places.retain(|place| place.level <= loosest);
        let strictest = self.places.iter().map(|place| place.level).min();
        self.places.retain(|place| Some(place.level) == strictest);
        self.count = self.places.len();
        self
    }
}

fn place(lines: &Lines<'_>, alignment: &Alignment) -> Place {
    let region = alignment.region.clone();
    Place { line: lines.at(region.start), region, level: alignment.level }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_beyond_the_last_are_empty() {
        let target = Target::new("a\nb");
        assert_eq!((0..4).map(|line| target.line(line)).collect::<Vec<_>>(), ["a", "b", "", ""]);
        assert_eq!((0..4).map(|line| target.line_start(line)).collect::<Vec<_>>(), [0, 2, 3, 3]);
    }

    #[test]
    fn a_place_at_a_line() {
        let target = Target::new("a\n  a\nb\na");
        let level = |line| target.place_at("a\n", line, Scope::Lines).map(|place| place.level);
        assert_eq!(
            [0, 1, 2, 3, 4].map(level),
            [Some(Level::Exact), Some(Level::Indentation), None, None, None]
        );
    }
}
