//! An edit: the place that its old text means, and what is written there.
//!
//! Works on text in memory. It must not know files, permissions or JSON.
//!
//! Matching goes from strict to tolerant and stops at the first level that finds a place. Two places are an error, never
//! a guess: a wrong edit costs far more than a second question.

use std::borrow::Cow;

use toolcrib_text::{Newline, Reserved, Stopped};

use crate::change::{Change, LineSpan, changes_of, composed};
use crate::diagnosis::Diagnosis;
use crate::find::{Place, Places, Scope, Target};
use crate::fold::folded;
use crate::slip::{self, Wording};
use crate::splice::{Splice, splice, spliced_size};
use crate::together::{self, Together};
use crate::{Bounds, Error, Failed, Level, TooLarge, Uncertain};

/// Replace one text by another. Both are literal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// What is there.
    pub old: String,
    /// What shall be there.
    pub new: String,
    /// Change every place, not the only one.
    pub all: bool,
}

/// How much may be overlooked when looking for the place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matching {
    /// Nothing.
    Exact,
    /// What is certain to be a slip: every [`Level`].
    #[default]
    Tolerant,
}

/// The text after an edit, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The whole text.
    pub text: String,
    /// What changed, in the order of the text.
    pub changes: Vec<Change>,
    /// What was overlooked to find the places.
    pub level: Level,
    /// In how many places.
    pub replacements: usize,
}

/// The text after several edits, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedAll<'t> {
    /// The whole text; the one before, if there was no edit.
    pub text: Cow<'t, str>,
    /// What changed from before the first to after the last, in the order of the text.
    pub changes: Vec<Change>,
    /// Level and number of places of each edit.
    pub steps: Vec<Step>,
}

/// What one of several edits did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was overlooked to find the places.
    pub level: Level,
    /// In how many places.
    pub replacements: usize,
}

impl Edit {
    /// Replaces `old`, which must be there once, by `new`.
    pub fn new(old: impl Into<String>, new: impl Into<String>) -> Self {
        Self { old: old.into(), new: new.into(), all: false }
    }

    /// The same in every place.
    #[must_use]
    pub fn everywhere(self) -> Self {
        Self { all: true, ..self }
    }

    /// The places that would be changed, in order.
    ///
    /// # Errors
    /// As [`Edit::apply`].
    pub fn find(&self, text: &str, matching: Matching) -> Result<Vec<Place>, Error> {
        if self.means_lines_of(text) {
            return self.find(&with_newlines(text), matching);
        }
        let target = Target::new(text);
        Ok(self.locate(&target, matching)?.places)
    }

    /// The text with the change made.
    ///
    /// # Errors
    /// If the edit makes no sense, or the place is not there or not certain. Then nothing was changed.
    pub fn apply(&self, text: &str, matching: Matching) -> Result<Applied, Error> {
        self.apply_within(text, matching, Bounds::none())
    }

    /// The same within bounds.
    ///
    /// # Errors
    /// [`Error::TooLarge`] or [`Error::Stopped`]; else as [`Edit::apply`].
    pub fn apply_within(&self, text: &str, matching: Matching, bounds: Bounds<'_>) -> Result<Applied, Error> {
        if self.means_lines_of(text) {
            let _memory = Reserved::new(text.len())?;
            let applied = self.apply_within(&with_newlines(text), matching, bounds)?;
            // The same bytes elsewhere, so what is said of offsets and lines holds.
            return Ok(Applied { text: applied.text.replace('\n', "\r"), ..applied });
        }
        let target = Target::within(text, bounds);
        let located = self.locate(&target, matching)?;
        let _memory = Reserved::new(located.places.len().saturating_mul(EACH_PLACE))?;
        let splices = self.splices(&target, &located)?;
        if splices.is_empty() {
            return Err(self.not_found(&target));
        }
        let size = spliced_size(text, &splices);
        let _memory = Reserved::new(size)?;
        let after = splice(text, &splices);
        let (level, replacements) = (located.level, located.places.len());
        Ok(Applied { changes: changes_of(&splices, &after), text: after, level, replacements })
    }

    /// Whether a text ends its lines with CR, and the caller, who sees lines and not what ends them, writes none.
    fn means_lines_of(&self, text: &str) -> bool {
        Newline::of(text.as_bytes()) == Newline::Cr && !self.old.contains('\r') && !self.new.contains('\r')
    }

    fn splices(&self, target: &Target<'_>, located: &Located<'_>) -> Result<Vec<Splice>, Error> {
        let (old, new) = (&*located.wording.old, &*located.wording.new);
        let carry = |place: &Place| {
            target.carry(place, old, new).map_err(|uncertain| match uncertain {
                Uncertain::Unshiftable { line } => Error::unshiftable(target, place, old, line),
                Uncertain::Spelling { character } => Error::Spelling { character },
                Uncertain::Indistinct => self.not_found(target),
                Uncertain::TooLarge(too_large) => Error::TooLarge(too_large),
                Uncertain::Stopped => Error::Stopped,
            })
        };
        // Inside a line and to the letter one place is like the other.
        let alike = located.compared == Level::Exact && !old.contains('\n') && !new.contains('\n');
        match located.places.split_first() {
            Some((first, others)) if alike => {
                let splices = carry(first)?;
                // One place tells what all of them come to.
                let inserted: usize = splices.iter().map(|splice| splice.text.len()).sum();
                let removed: usize = splices.iter().map(|splice| splice.span.len()).sum();
                let all = located.places.len();
                let size = target.text().len().saturating_add(inserted.saturating_mul(all));
                check_size(target, size.saturating_sub(removed.saturating_mul(all)))?;
                let moved = |place: &Place| moved(&splices, place.region.start - first.region.start);
                Ok(splices.iter().cloned().chain(others.iter().flat_map(moved)).collect())
            }
            _ => {
                let (mut all, mut size) = (Vec::new(), target.text().len());
                for place in &located.places {
                    target.meter().spend((old.len() + new.len()) * EACH_BYTE)?;
                    let splices = carry(place)?;
                    for splice in &splices {
                        size = size.saturating_add(splice.text.len()).saturating_sub(splice.span.len());
                    }
                    check_size(target, size)?;
                    all.extend(splices);
                }
                Ok(all)
            }
        }
    }

    fn locate(&self, target: &Target<'_>, matching: Matching) -> Result<Located<'_>, Error> {
        self.check()?;
        let loosest = if matching == Matching::Exact { Level::Exact } else { Level::Typography };
        let mut located = None;
        for group in slip::groups(self).take(if matching == Matching::Exact { 1 } else { usize::MAX }) {
            located = Located::strictest(target, group, loosest)?;
            if located.is_some() {
                break;
            }
        }
        let mut located = located.ok_or_else(|| self.not_found(target))?;
        if located.given_up {
            return Err(Error::GivenUp);
        }
        if located.is_applied(target)? {
            return Err(self.not_found(target));
        }
        if located.mixed || !self.all && located.count > 1 {
            return Err(Error::not_unique(target, &located.places, located.count, located.level));
        }
        if located.count > located.places.len() {
            return Err(Error::TooMany { count: located.count, most: Places::MOST });
        }
        located.drop_overlapping();
        Ok(located)
    }

    fn check(&self) -> Result<(), Error> {
        if self.old.is_empty() {
            return Err(Error::EmptyOld);
        }
        if self.old == self.new {
            return Err(Error::Same);
        }
        if self.new.contains('\0') {
            return Err(Error::Nul);
        }
        Ok(())
    }

    fn not_found(&self, target: &Target<'_>) -> Error {
        match Diagnosis::of(target, self) {
            Ok(diagnosis) => Error::NotFound(Box::new(diagnosis)),
            Err(Stopped) => Error::Stopped,
        }
    }
}

/// A text whose lines end with CR, with LF instead; every byte stays where it is.
fn with_newlines(text: &str) -> String {
    text.replace('\r', "\n")
}

/// How much memory a place takes on its way to becoming a change, beside the new text.
const EACH_PLACE: usize = 400;

/// How much memory a change takes while it becomes one with those of the edits before.
const EACH_CHANGE: usize = 256;

/// What it costs to carry a byte of the caller's text over.
const EACH_BYTE: usize = 16;

/// Refuses a text that would become too large, before it does.
fn check_size(target: &Target<'_>, size: usize) -> Result<(), Error> {
    let limit = target.size();
    if size > limit { Err(Error::TooLarge(TooLarge { size, limit })) } else { Ok(()) }
}

impl<'t> AppliedAll<'t> {
    /// A text before any edit.
    #[must_use]
    pub fn before(text: &'t str) -> Self {
        Self { text: Cow::Borrowed(text), changes: Vec::new(), steps: Vec::new() }
    }

    /// Makes one more edit, on the text that those before it left. A caller that makes many can stop in between.
    ///
    /// # Errors
    /// As [`Edit::apply_within`]. Then the text is as it was.
    pub fn then(&mut self, edit: &Edit, matching: Matching, bounds: Bounds<'_>) -> Result<(), Error> {
        let applied = edit.apply_within(&self.text, matching, bounds)?;
        let _memory =
            Reserved::new((self.changes.len() + applied.changes.len()).saturating_mul(EACH_CHANGE))?;
        self.changes = composed(&self.changes, &applied.changes, &applied.text);
        self.text = Cow::Owned(applied.text);
        self.steps.push(Step { level: applied.level, replacements: applied.replacements });
        Ok(())
    }

    /// Makes edits one after the other. Those that have nothing to do with each other are looked for at once, so that many edits
    /// of a large text do not look through it many times.
    ///
    /// # Errors
    /// The first edit that fails, by its position among these. Those before it are made.
    pub fn then_all(
        &mut self,
        edits: &[Edit],
        matching: Matching,
        bounds: Bounds<'_>,
    ) -> Result<(), (usize, Error)> {
        let (mut done, mut alone, mut pause) = (0, 0, 1);
        while done < edits.len() {
            if alone > 0 {
                alone -= 1;
                self.then(&edits[done], matching, bounds).map_err(|error| (done, error))?;
                done += 1;
                continue;
            }
            let together = self.then_first(&edits[done..], bounds).map_err(|error| (done, error))?;
            done += together;
            // Looking for all of them in vain costs as much as an edit, so it is done less and less often.
            pause = if together < together::FEW { pause * 2 } else { 1 };
            alone = pause;
        }
        Ok(())
    }

    /// Makes the first of these edits at once, as many as have nothing to do with each other, and tells how many.
    fn then_first(&mut self, edits: &[Edit], bounds: Bounds<'_>) -> Result<usize, Error> {
        let Some(Together { edits, splices }) = together::first_of(edits, &self.text, bounds)? else {
            return Ok(0);
        };
        let _memory = Reserved::new(spliced_size(&self.text, &splices))?;
        let after = splice(&self.text, &splices);
        self.changes = composed(&self.changes, &changes_of(&splices, &after), &after);
        self.text = Cow::Owned(after);
        self.steps.extend((0..edits).map(|_| Step { level: Level::Exact, replacements: 1 }));
        Ok(edits)
    }
}

/// Makes the edits one after the other; each sees the text that those before it left.
///
/// # Errors
/// The first edit that fails, with its number. Then nothing was changed.
pub fn apply_all<'t>(text: &'t str, edits: &[Edit], matching: Matching) -> Result<AppliedAll<'t>, Failed> {
    let mut all = AppliedAll::before(text);
    let failed = |(index, error)| Failed { edit: index + 1, of: edits.len(), error };
    all.then_all(edits, matching, Bounds::none()).map_err(failed)?;
    Ok(all)
}

fn moved(splices: &[Splice], by: usize) -> Vec<Splice> {
    let moved = |splice: &Splice| Splice {
        span: splice.span.start + by..splice.span.end + by,
        text: splice.text.clone(),
    };
    splices.iter().map(moved).collect()
}

/// The changed lines of the text after, each range once.
#[must_use]
pub fn changed_lines(changes: &[Change]) -> Vec<LineSpan> {
    let mut spans: Vec<LineSpan> = Vec::new();
    for change in changes {
        match spans.last_mut() {
            Some(last) if change.lines.first <= last.last + 1 => last.last = last.last.max(change.lines.last),
            _ => spans.push(change.lines),
        }
    }
    spans
}

/// One reading of an edit and the places that it has.
struct Located<'e> {
    wording: Wording<'e>,
    /// What was overlooked, the damage to the caller's text included.
    level: Level,
    /// What was overlooked in comparing.
    compared: Level,
    places: Vec<Place>,
    /// How many places there are. Not all may be among those above.
    count: usize,
    /// Another reading overlooks equally much and has places of its own.
    mixed: bool,
    given_up: bool,
}

impl<'e> Located<'e> {
    /// The reading of a group that overlooks least.
    ///
    /// A final newline too many and, say, another indentation are slips of different kinds. If one reading finds a place
    /// by the one and another finds one by the other, neither is certain, so their places are ambiguous.
    fn strictest(
        target: &Target<'_>,
        group: Vec<Wording<'e>>,
        loosest: Level,
    ) -> Result<Option<Self>, Stopped> {
        let mut best: Option<Self> = None;
        for wording in group.into_iter().filter(|wording| wording.shortened <= loosest) {
            let Places { places, count, given_up } =
                target.find(&wording.old, wording.scope, loosest.min(wording.loosest))?;
            let Some(needed) = places.first().map(|place| place.level) else {
                continue;
            };
            let compared = needed.max(wording.shortened);
            match &mut best {
                Some(best) if compared == best.compared || needed < best.compared => {
                    best.places.extend(places);
                    best.count += count;
                    best.mixed = true;
                }
                Some(best) if best.compared < compared => {}
                _ => {
                    let level = compared.max(wording.level);
                    best = Some(Self { wording, level, compared, places, count, mixed: false, given_up });
                }
            }
            if compared == Level::Exact {
                break;
            }
        }
        Ok(best)
    }

    /// A place found by overlooking something lies inside the new text, which needs less to be overlooked.
    fn is_applied(&self, target: &Target<'_>) -> Result<bool, Stopped> {
        if self.compared == Level::Exact || folded(&self.wording.old).contains(&*folded(&self.wording.new)) {
            return Ok(false);
        }
        let mut made = target.find(&self.wording.new, Scope::Anywhere, Level::Typography)?.places;
        made.retain(|made| made.level < self.compared);
        let longest = made.iter().map(|made| made.region.len()).max().unwrap_or(0);
        for place in &self.places {
            // Both are in the order of the text, so only these can reach from before the place to behind it.
            let least = place.region.start.saturating_sub(longest);
            let from = made.partition_point(|made| made.region.start < least);
            let near = made[from..].iter().take_while(|made| made.region.start <= place.region.start);
            for made in near {
                target.meter().spend(1)?;
                if place.region.end <= made.region.end {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn drop_overlapping(&mut self) {
        let mut free = 0;
        self.places.retain(|place| {
            let fits = place.region.start >= free;
            free = if fits { place.region.end } else { free };
            fits
        });
    }
}
