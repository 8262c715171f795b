//! Applies the hunks of one file to its text.
//!
//! All hunks are looked for in the text as it was, so their order does not matter. If one fails, all that fail are
//! reported and nothing is changed.

mod anchor;
mod choose;
mod failure;
mod insertion;
mod reading;

use std::fmt;
use std::ops::Range;

use toolcrib_edit::{Change, Level, Matching, Place, Splice, Target, Uncertain, changes_of, splice};

pub use failure::{HunkFailure, Reason};

use crate::patch::{FileChange, Hunk, Line};
use choose::Before;
use reading::{Fit, Trimmed};

/// How a patch is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How much may be overlooked when looking for a hunk.
    pub matching: Matching,
    /// How many lines of context may be dropped at either end of a hunk that is not found with them.
    pub fuzz: usize,
    /// A file may be added, moved or copied onto one that exists.
    pub overwrite: bool,
}

/// The text after all hunks, and what became of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The whole text.
    pub text: String,
    /// What changed, in the order of the text.
    pub changes: Vec<Change>,
    /// One for each hunk, in the order of the patch.
    pub hunks: Vec<HunkReport>,
    /// The text already is what the hunks would make of it; nothing changed.
    pub already_applied: bool,
}

/// Where a hunk was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HunkReport {
    /// Which hunk of the file, counted from 1.
    pub hunk: usize,
    /// The line of the old text where it begins, counted from 1.
    pub line: usize,
    /// How many lines that is below the line which the hunk names; less than 0 is above.
    pub offset: isize,
    /// What was overlooked.
    pub level: Level,
    /// How many lines of context were dropped at an end of it.
    pub fuzz: usize,
}

impl HunkReport {
    /// Whether it was found as the patch has it.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.offset == 0 && self.level == Level::Exact && self.fuzz == 0
    }
}

impl fmt::Display for HunkReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at line {}", self.line)?;
        match self.offset {
            0 => {}
            below @ 1.. => write!(f, ", {below} below where the patch has it")?,
            above => write!(f, ", {} above where the patch has it", above.unsigned_abs())?,
        }
        if self.level > Level::Exact {
            write!(f, ", not to the letter: {}", self.level)?;
        }
        if self.fuzz > 0 {
            write!(f, ", without {} of its lines of context at an end", self.fuzz)?;
        }
        Ok(())
    }
}

impl FileChange {
    /// What the hunks make of a text.
    ///
    /// # Errors
    /// Every hunk that has no place, or no certain one.
    pub fn apply(&self, text: &str, options: Options) -> Result<Applied, Vec<HunkFailure>> {
        let target = Target::new(text);
        let mut search = Search { target: &target, options, before: Before::default() };
        let found: Vec<Result<Found, Reason>> = self.hunks.iter().map(|hunk| search.find(hunk)).collect();
        if !found.is_empty() && found.iter().all(|found| matches!(found, Err(Reason::AlreadyApplied { .. })))
        {
            return Ok(Applied {
                text: text.to_owned(),
                changes: Vec::new(),
                hunks: Vec::new(),
                already_applied: true,
            });
        }
        let mut failures: Vec<HunkFailure> = Vec::new();
        let mut placed: Vec<(usize, Found)> = Vec::new();
        for (index, found) in found.into_iter().enumerate() {
            match found {
                Ok(found) => placed.push((index, found)),
                Err(reason) => failures.push(self.failure(index, reason)),
            }
        }
        placed.sort_by_key(|(_, found)| (found.region.start, found.region.end));
        failures.extend(self.overlaps(&placed));
        if !failures.is_empty() {
            failures.sort_by_key(|failure| failure.hunk);
            return Err(failures);
        }
        let splices: Vec<Splice> =
            placed.iter().flat_map(|(_, found)| found.splices.iter().cloned()).collect();
        let after = splice(text, &splices);
        placed.sort_by_key(|(index, _)| *index);
        let hunks =
            placed.iter().map(|(index, found)| HunkReport { hunk: index + 1, ..found.report }).collect();
        Ok(Applied { changes: changes_of(&splices, &after), text: after, hunks, already_applied: false })
    }

    fn failure(&self, index: usize, reason: Reason) -> HunkFailure {
        HunkFailure { hunk: index + 1, line: self.hunks[index].line, reason }
    }

    /// Hunks that claim the same lines, context included: which of them sees what the other left is not said.
    fn overlaps(&self, placed: &[(usize, Found)]) -> Vec<HunkFailure> {
        let overlap = |a: &Range<usize>, b: &Range<usize>| a.end > b.start || a == b;
        placed
            .windows(2)
            .filter(|pair| overlap(&pair[0].1.region, &pair[1].1.region))
            .map(|pair| self.failure(pair[1].0, Reason::Overlaps { hunk: pair[0].0 + 1 }))
            .collect()
    }
}

/// A hunk with its place and what it changes there.
struct Found {
    region: Range<usize>,
    splices: Vec<Splice>,
    report: HunkReport,
}

struct Search<'a, 't> {
    target: &'a Target<'t>,
    options: Options,
    before: Before,
}

impl Search<'_, '_> {
    fn find(&mut self, hunk: &Hunk) -> Result<Found, Reason> {
        let found = if hunk.old_text().is_empty() {
            insertion::find(self.target, hunk)
        } else {
            self.find_old(hunk)
        }?;
        self.before.remember(&found.region, found.report.offset);
        Ok(found)
    }

    fn find_old(&self, hunk: &Hunk) -> Result<Found, Reason> {
        let mut first = None;
        for fuzz in 0..=self.options.fuzz {
            let Some(trimmed) = Trimmed::of(hunk, fuzz) else {
                break;
            };
            match self.find_trimmed(hunk, &trimmed) {
                Err(reason @ Reason::NotFound(_)) => first = first.or(Some(reason)),
                found => {
                    return found.map(|found| Found { report: HunkReport { fuzz, ..found.report }, ..found });
                }
            }
        }
        Err(first.unwrap_or(Reason::NoContext))
    }

    fn find_trimmed(&self, hunk: &Hunk, trimmed: &Trimmed<'_>) -> Result<Found, Reason> {
        let expected = trimmed.first_line(hunk);
        let fit = Fit::strictest(self.target, trimmed, expected, self.options.matching)?;
        let place = choose::place(self.target, hunk, expected, &fit, &self.before)?;
        let offset = expected.map_or(0, |expected| difference(place.line, expected));
        // What stands elsewhere to the letter does not outbid what nearly stands at the stated line.
        if let Some(expected) = expected.filter(|_| offset != 0)
            && Fit::could_be_at(self.target, trimmed, expected)
        {
            return Err(Reason::Ambiguous { lines: vec![place.line + 1, expected + 1], level: fit.level });
        }
        let certain = offset == 0 && expected.is_some() && fit.level == Level::Exact;
        if !certain && let Some(line) = fit.made_around(self.target, &place) {
            return Err(Reason::MayBeApplied { line });
        }
        let splices = self.splices(trimmed, &fit, &place)?;
        let report = HunkReport { hunk: 0, line: place.line + 1, offset, level: fit.level, fuzz: 0 };
        Ok(Found { region: place.region, splices, report })
    }

    /// To the letter a hunk is applied to the letter, also its line endings; else its change is carried over.
    fn splices(&self, trimmed: &Trimmed<'_>, fit: &Fit, place: &Place) -> Result<Vec<Splice>, Reason> {
        if fit.level == Level::Exact {
            return Ok(literal(trimmed.lines, place.region.start));
        }
        let (old, new) = (&fit.reading.old, &fit.reading.new);
        let carried = self.target.carry_around(place, old, new, &trimmed.staying());
        let splices = carried.map_err(|uncertain| match uncertain {
            Uncertain::Unshiftable { line } => Reason::Unshiftable { place: place.line + 1, line },
            Uncertain::Spelling { character } => Reason::Spelling { character },
            Uncertain::Indistinct => Reason::not_found(self.target, &fit.reading.old),
        })?;
        if splices.is_empty() {
            return Err(Reason::AlreadyApplied { line: place.line + 1 });
        }
        Ok(splices)
    }
}

fn literal(lines: &[Line], start: usize) -> Vec<Splice> {
    let mut splices: Vec<Splice> = Vec::new();
    let mut at = start;
    for line in lines {
        let length = line.text().len();
        let (span, text) = match line {
            Line::Context(_) => {
                at += length;
                continue;
            }
            Line::Removed(_) => (at..at + length, ""),
            Line::Added(text) => (at..at, text.as_str()),
        };
        at = span.end;
        match splices.last_mut() {
            Some(last) if last.span.end == span.start => {
                last.span.end = span.end;
                last.text.push_str(text);
            }
            _ => splices.push(Splice { span, text: text.to_owned() }),
        }
    }
    splices
}

/// Lines of texts in memory are far fewer than the limit of `isize`.
fn difference(found: usize, expected: usize) -> isize {
    found.wrapping_sub(expected).cast_signed()
}
