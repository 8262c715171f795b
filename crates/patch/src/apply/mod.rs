//! Applies the hunks of one file to its text.
//!
//! All hunks are looked for in the text as it was, so their order does not matter. If one fails, all that fail are
//! reported and nothing is changed.

mod anchor;
mod choose;
mod failure;
mod finder;
mod insertion;
mod reading;

use std::fmt;
use std::ops::Range;

use toolcrib_edit::{
    Bounds, Change, Level, Matching, Place, Splice, Target, TooLarge, Uncertain, changes_of, splice,
};

pub use failure::{HunkFailure, Reason};

use crate::patch::{FileChange, Hunk, Line};
use choose::Before;
pub(crate) use finder::DiagnosisBudget;
use finder::Finder;
use reading::{Fit, Trimmed, Unfit};

/// How a patch is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How much may be overlooked when looking for a hunk.
    pub matching: Matching,
    /// How many lines of context may be dropped at either end of a hunk that is not found with them.
    pub fuzz: usize,
    /// A file may be added, moved or copied onto one that exists.
    pub overwrite: bool,
    /// Lines that are only added, with nothing that says where, go to the end of the file.
    pub append: bool,
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

impl Applied {
    /// The same changes in a text that has the same bytes at the same places, but for the ends of some lines.
    fn carried_over(self, text: &str) -> Self {
        let splices = self.changes.iter().map(|change| {
            let mut new = self.text[change.new.clone()].to_owned();
            // A line that is replaced ends as it did.
            if text[change.old.clone()].ends_with('\r') && new.ends_with('\n') {
                new.truncate(new.len() - 1);
                new.push('\r');
            }
            Splice { span: change.old.clone(), text: new }
        });
        let splices: Vec<Splice> = splices.collect();
        let after = splice(text, &splices);
        Self { changes: changes_of(&splices, &after), text: after, ..self }
    }
}

/// A text with LF for each CR that no LF follows, if it has such beside LFs; every byte stays where it is.
fn lone_carriage_returns_ended(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let lone = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    if !text.contains('\n') || !(0..bytes.len()).any(lone) {
        return None;
    }
    let ended = text.char_indices().map(|(at, character)| if lone(at) { '\n' } else { character });
    Some(ended.collect())
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
            write!(f, ", not an exact match: {}", self.level)?;
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
        self.apply_within(text, options, Bounds::none())
    }

    /// The same within bounds.
    ///
    /// # Errors
    /// [`Reason::TooLarge`] or [`Reason::Stopped`]; else as [`FileChange::apply`].
    pub fn apply_within(
        &self,
        text: &str,
        options: Options,
        bounds: Bounds<'_>,
    ) -> Result<Applied, Vec<HunkFailure>> {
        self.apply_as_part(text, options, bounds, &DiagnosisBudget::default())
    }

    /// The same as a part of a patch.
    pub(crate) fn apply_as_part(
        &self,
        text: &str,
        options: Options,
        bounds: Bounds<'_>,
        diagnoses: &DiagnosisBudget,
    ) -> Result<Applied, Vec<HunkFailure>> {
        let failures = match self.apply_to(text, options, bounds, diagnoses) {
            Ok(applied) => return Ok(applied),
            Err(failures) => failures,
        };
        // Where a lone CR ends a line for the author of the patch, one of the lines was not found.
        let not_found = failures.iter().any(|failure| matches!(failure.reason, Reason::NotFound(_)));
        let Some(plain) = lone_carriage_returns_ended(text).filter(|_| not_found) else {
            return Err(failures);
        };
        match self.apply_to(&plain, options, bounds, diagnoses) {
            Ok(applied) if !applied.already_applied => Ok(applied.carried_over(text)),
            _ => Err(failures),
        }
    }

    fn apply_to(
        &self,
        text: &str,
        options: Options,
        bounds: Bounds<'_>,
        diagnoses: &DiagnosisBudget,
    ) -> Result<Applied, Vec<HunkFailure>> {
        let target = Target::within(text, bounds);
        match Finder::new(&target, &self.hunks, diagnoses) {
            Ok(finder) => self.apply_found(&finder, options, bounds.size),
            Err(stopped) => Err(vec![self.failure(0, stopped.into())]),
        }
    }

    fn apply_found<'a>(
        &'a self,
        finder: &Finder<'a, '_>,
        options: Options,
        most: usize,
    ) -> Result<Applied, Vec<HunkFailure>> {
        let text = finder.target.text();
        let mut search = Search { finder, options, before: Before::default() };
        let mut found: Vec<Result<Found, Reason>> = Vec::with_capacity(self.hunks.len());
        for (index, hunk) in self.hunks.iter().enumerate() {
            match search.find(hunk) {
                Err(Reason::Stopped) => return Err(vec![self.failure(index, Reason::Stopped)]),
                other => found.push(other),
            }
        }
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
        failures.extend(self.too_large(text, &placed, most));
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
        HunkFailure {
            hunk: index + 1,
            line: self.hunks.get(index).map_or(self.line, |hunk| hunk.line),
            looked_for: match &reason {
                Reason::NotFound(diagnosis) if diagnosis.closest.is_none() => {
                    self.hunks.get(index).map_or_else(Vec::new, Hunk::beginning)
                }
                _ => Vec::new(),
            },
            reason,
        }
    }

    /// The hunk with which the text becomes too large, if there is one.
    fn too_large(&self, text: &str, placed: &[(usize, Found)], limit: usize) -> Option<HunkFailure> {
        let mut size = text.len();
        for (index, found) in placed {
            for splice in &found.splices {
                size = size.saturating_add(splice.text.len()).saturating_sub(splice.span.len());
            }
            if size > limit {
                return Some(self.failure(*index, Reason::TooLarge(TooLarge { size, limit })));
            }
        }
        None
    }

    /// Hunks that claim the same lines, context included: which of them sees what the other left is not said.
    fn overlaps(&self, placed: &[(usize, Found)]) -> Vec<HunkFailure> {
        let overlap = |a: &Range<usize>, b: &Range<usize>| a.end > b.start || a == b;
        let changing: Vec<&(usize, Found)> =
            placed.iter().filter(|(_, found)| !found.splices.is_empty()).collect();
        changing
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

impl Found {
    /// For a hunk that changes nothing.
    fn nothing() -> Self {
        let report = HunkReport { hunk: 0, line: 1, offset: 0, level: Level::Exact, fuzz: 0 };
        Self { region: 0..0, splices: Vec::new(), report }
    }
}

struct Search<'s, 'a, 't> {
    finder: &'s Finder<'a, 't>,
    options: Options,
    before: Before,
}

impl<'a> Search<'_, 'a, '_> {
    fn find(&mut self, hunk: &'a Hunk) -> Result<Found, Reason> {
        self.finder.target.meter().spend(EACH_HUNK)?;
        let found = if hunk.old_text().is_empty() {
            insertion::find(self.finder, hunk, self.options.append)
        } else {
            match self.find_old(hunk) {
                // Wherever it is meant, it changes nothing.
                Err(Reason::Ambiguous { .. }) if hunk.lines.iter().all(Line::is_context) => {
                    Ok(Found::nothing())
                }
                found => found,
            }
        }?;
        self.before.remember(&found.region, found.report.offset);
        Ok(found)
    }

    fn find_old(&self, hunk: &'a Hunk) -> Result<Found, Reason> {
        let mut first = None;
        for fuzz in 0..=self.options.fuzz {
            let Some(trimmed) = Trimmed::of(hunk, fuzz) else {
                break;
            };
            let expected = trimmed.first_line(hunk);
            let found = match Fit::strictest(self.finder, &trimmed, expected, self.options.matching) {
                Ok(fit) => self.place(hunk, &trimmed, expected, &fit),
                Err(Unfit::Because(reason)) => Err(reason),
                Err(Unfit::Missing) => {
                    if first.is_none() {
                        first = Some(Reason::NotFound(self.finder.diagnose(&hunk.old_text())?));
                    }
                    continue;
                }
            };
            match found {
                Err(reason @ Reason::NotFound(_)) => first = first.or(Some(reason)),
                found => {
                    return found.map(|found| Found { report: HunkReport { fuzz, ..found.report }, ..found });
                }
            }
        }
        Err(first.unwrap_or(Reason::NoContext))
    }

    /// Decides for one of the places where the hunk fits.
    fn place(
        &self,
        hunk: &'a Hunk,
        trimmed: &Trimmed<'_>,
        expected: Option<usize>,
        fit: &Fit,
    ) -> Result<Found, Reason> {
        let target = self.finder.target;
        let place = choose::place(self.finder, hunk, expected, fit, &self.before)?;
        let offset = expected.map_or(0, |expected| difference(place.line, expected));
        // What stands elsewhere to the letter does not outbid what nearly stands at the stated line.
        if let Some(expected) = expected.filter(|_| offset != 0)
            && Fit::could_be_at(target, trimmed, expected)
        {
            return Err(Reason::Ambiguous { lines: vec![place.line + 1, expected + 1], level: fit.level });
        }
        let certain = offset == 0 && expected.is_some() && fit.level == Level::Exact;
        if !certain && let Some(line) = fit.made_around(self.finder, &place)? {
            return Err(Reason::MayBeApplied { line });
        }
        let splices = self.splices(trimmed, fit, &place)?;
        let report = HunkReport { hunk: 0, line: place.line + 1, offset, level: fit.level, fuzz: 0 };
        Ok(Found { region: place.region, splices, report })
    }

    /// To the letter a hunk is applied to the letter, also its line endings; else its change is carried over.
    fn splices(&self, trimmed: &Trimmed<'_>, fit: &Fit, place: &Place) -> Result<Vec<Splice>, Reason> {
        if fit.level == Level::Exact {
            return Ok(literal(trimmed.lines, place.region.start));
        }
        let (old, new) = (&fit.reading.old, &fit.reading.new);
        let splices = match self.finder.target.carry_around(place, old, new, &trimmed.staying()) {
            Ok(splices) => splices,
            Err(Uncertain::Unshiftable { line }) => {
                return Err(Reason::Unshiftable { place: place.line + 1, line });
            }
            Err(Uncertain::Spelling { character }) => return Err(Reason::Spelling { character }),
            Err(Uncertain::Indistinct) => return Err(Reason::NotFound(self.finder.diagnose(old)?)),
            Err(Uncertain::TooLarge(too_large)) => return Err(Reason::TooLarge(too_large)),
            Err(Uncertain::Stopped) => return Err(Reason::Stopped),
        };
        if splices.is_empty() {
            return Err(Reason::AlreadyApplied { line: place.line + 1 });
        }
        Ok(splices)
    }
}

/// What a hunk costs beside its lines.
const EACH_HUNK: usize = 1000;

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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use toolcrib_edit::{Diff, Names};

    fn line() -> impl Strategy<Value = String> {
        prop_oneof![4 => "[ab]", 2 => "fn [ab]", 1 => Just(String::new()), 2 => "[a-z]{2}", 1 => Just("}".to_owned())]
    }

    /// A line that is kept, changed in a way that may be overlooked, replaced, removed, or followed by another.
    fn changed(line: String) -> impl Strategy<Value = String> {
        prop_oneof![
            12 => Just(format!("{line}\n")),
            1 => Just(format!("{line} \n")),
            1 => Just(format!("  {line}\n")),
            1 => Just(String::new()),
            1 => Just("new\n".to_owned()),
            1 => Just(format!("{line}\n{line}\n")),
        ]
    }

    fn texts(lines: Vec<String>) -> impl Strategy<Value = (String, String, String)> {
        let one = |lines: &Vec<String>| lines.iter().cloned().map(changed).collect::<Vec<_>>();
        let old: String = lines.iter().map(|line| format!("{line}\n")).collect();
        (Just(old), one(&lines), one(&lines)).prop_map(|(old, new, now)| (old, new.concat(), now.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

        #[test]
        fn many_hunks_are_found_as_few_are(
            (old, new, now) in proptest::collection::vec(line(), 8..80).prop_flat_map(texts),
            numbered in any::<bool>(),
            fuzz in 0..2_usize,
        ) {
            let mut patch = Diff::between(&old, &new).to_patch(Names::of("f"));
            if !numbered {
                let heads = patch.lines().map(|line| match line.split_once("@@ ") {
                    Some(("", _)) => line.rsplit_once("@@").map_or("@@".into(), |(_, section)| format!("@@{section}")),
                    _ => line.to_owned(),
                });
                patch = heads.map(|line| line + "\n").collect();
            }
            let Ok(patch) = crate::parse(&patch) else { return Ok(()) };
            let (change, options) = (&patch.files[0], Options { fuzz, ..Options::default() });
            for text in [&old, &now, &new] {
                let target = Target::new(text);
                let lines = change.hunks.iter().flat_map(|hunk| &hunk.lines).map(Line::text);
                let index = target.index(lines).unwrap();
                let [few, many] = [None, Some(index)].map(|index| {
                    let diagnoses = DiagnosisBudget::default();
                    let finder = Finder::with(&target, &change.hunks, index, &diagnoses).unwrap();
                    change.apply_found(&finder, options, usize::MAX)
                });
                prop_assert_eq!(few, many);
            }
        }
    }
}
