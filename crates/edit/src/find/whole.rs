//! Places of a text of several lines. Its inner lines must be whole lines; the first may begin and the last may end
//! inside one.
//!
//! The lines between are compared by number, so that only places where they all fit are looked at closely.

use std::ops::Range;

use toolcrib_text::{Meter, Stopped};

use super::inline::{prefix, suffix};
use super::{Place, Places, Scope, place};
use crate::align::Alignment;
use crate::fold::{alike, is_space};
use crate::lines::Lines;
use crate::vocabulary::Vocabulary;

/// How many lines may be compared closely before the search is given up. It is out of reach but for a text that
/// repeats itself over and over.
const WORK: usize = 2_000_000;

pub(super) fn places(
    text: &Lines<'_>,
    old: &Lines<'_>,
    scope: Scope,
    meter: &Meter<'_>,
) -> Result<Places, Stopped> {
    let (count, height) = (text.count(), old.count());
    if height > count {
        return Ok(Places::default());
    }
    let mut search = Search::new(text, old, scope, meter);
    if scope.at_end() {
        // Nowhere else do its lines reach to the end.
        search.look_at(count - height)?;
        return Ok(search.found);
    }
    let numbers = Numbers::new(text, old, meter)?;
    for first in 0..=count - height {
        if numbers.fit(first, meter)? && !search.look_at(first)? {
            break;
        }
    }
    Ok(search.found)
}

/// A search that looks closely at one line after the other.
pub(super) struct Search<'a, 't> {
    text: &'a Lines<'t>,
    old: &'a Lines<'a>,
    scope: Scope,
    meter: &'a Meter<'a>,
    /// How many bytes the first and the last line have, which are gone over for each line of the text.
    ends: usize,
    /// How many lines were compared closely.
    work: usize,
    pub(super) found: Places,
}

impl<'a, 't> Search<'a, 't> {
    pub(super) fn new(text: &'a Lines<'t>, old: &'a Lines<'a>, scope: Scope, meter: &'a Meter<'a>) -> Self {
        let ends = old.content(0).len() + old.content(old.count() - 1).len();
        Self { text, old, scope, meter, ends, work: 0, found: Places::default() }
    }

    /// Looks for the place that begins in this line. False if the search is given up.
    pub(super) fn look_at(&mut self, first: usize) -> Result<bool, Stopped> {
        // White space at the ends of lines is gone over, and there may be much of it.
        let last = first + self.old.count() - 1;
        let lines = self.text.content(first).len() + self.text.content(last).len();
        self.meter.spend(EACH + self.ends + 2 * lines)?;
        let regions = regions(self.text, self.old, first, self.scope);
        self.work += regions.len() * self.old.count();
        let bytes: usize = regions.iter().map(|region| region.len() + self.old.text().len()).sum();
        self.meter.spend(bytes * 4)?;
        if self.work > WORK {
            self.found.given_up = true;
            return Ok(false);
        }
        self.found.places.extend(best(self.text, self.old, regions));
        Ok(true)
    }
}

/// What it costs to look at a line.
const EACH: usize = 256;

pub(super) fn place_at(text: &Lines<'_>, old: &Lines<'_>, first: usize, scope: Scope) -> Option<Place> {
    best(text, old, regions(text, old, first, scope))
}

/// The lines of a text, each as the number of the caller's line that says the same.
struct Numbers {
    text: Vec<u32>,
    /// Those of the caller's lines between the first and the last.
    inner: Vec<u32>,
}

impl Numbers {
    fn new(text: &Lines<'_>, old: &Lines<'_>, meter: &Meter<'_>) -> Result<Self, Stopped> {
        let mut known = Vocabulary::default();
        let inner: Vec<u32> =
            (1..old.count().max(2) - 1).map(|line| known.add(old.content_text(line))).collect();
        let lines = if inner.is_empty() { 0 } else { text.count() };
        let mut numbers = Vec::with_capacity(lines);
        for line in 0..lines {
            let line = text.content_text(line);
            meter.spend(EACH_LINE + line.len())?;
            numbers.push(known.number(line).unwrap_or(u32::MAX));
        }
        Ok(Self { text: numbers, inner })
    }

    fn fit(&self, first: usize, meter: &Meter<'_>) -> Result<bool, Stopped> {
        let Some(second) = self.inner.first() else { return Ok(true) };
        if self.text[first + 1] != *second {
            return Ok(false);
        }
        meter.spend(EACH_LINE + self.inner.len() / 2)?;
        Ok(self.text[first + 1..first + 1 + self.inner.len()] == self.inner)
    }
}

/// What it costs to recognise a line.
const EACH_LINE: usize = 32;

/// The regions that the caller's text may mean if it begins in this line.
fn regions(text: &Lines<'_>, old: &Lines<'_>, first: usize, scope: Scope) -> Vec<Range<usize>> {
    let last = first + old.count() - 1;
    let ends = ends(text, last, old.content_text(old.count() - 1), scope);
    if ends.is_empty() {
        return Vec::new();
    }
    starts(text, first, old.content_text(0), scope)
        .into_iter()
        .flat_map(|start| ends.iter().map(move |end| start..*end))
        .filter(|region| region.start <= region.end)
        .collect()
}

/// The region that the caller's text fits most strictly.
fn best(text: &Lines<'_>, old: &Lines<'_>, regions: Vec<Range<usize>>) -> Option<Place> {
    regions
        .into_iter()
        .filter_map(|region| Alignment::of(text, region, old))
        .min_by_key(|alignment| alignment.level)
        .map(|alignment| place(text, &alignment))
}

/// Where the place may begin in its first line.
fn starts<'a>(text: &'a Lines<'_>, line: usize, piece: &'a str, scope: Scope) -> Vec<usize> {
    let content = text.content(line);
    let said = |line: &'a str| line.trim_matches(is_space);
    let whole = alike(said(&text.text()[content.clone()]), said(piece)).then_some(content.start);
    if scope.at_line_start() {
        return whole.into_iter().collect();
    }
    if piece.is_empty() {
        return vec![content.end];
    }
    let part = inner_end(text, &content, piece);
    whole.into_iter().chain(part.filter(|part| Some(*part) != whole)).collect()
}

/// Where the piece begins if it is the end of a line. White space alone is no end: it would fit anywhere.
fn inner_end(text: &Lines<'_>, content: &Range<usize>, piece: &str) -> Option<usize> {
    let said = piece.trim_end_matches(is_space);
    (!said.is_empty()).then_some(())?;
    let line = text.text()[content.clone()].trim_end_matches(is_space);
    let end = suffix(line, said.chars().count()).filter(|end| alike(end, said))?;
    Some(content.start + line.len() - end.len())
}

/// Where the place may end in its last line.
fn ends(text: &Lines<'_>, line: usize, piece: &str, scope: Scope) -> Vec<usize> {
    let content = text.content(line);
    let is_last = line + 1 == text.count();
    let mut ends = if piece.is_empty() { vec![content.start] } else { written_ends(text, &content, piece) };
    if scope.at_line_end() && !piece.is_empty() {
        ends.retain(|end| *end == content.end);
    }
    if scope.at_end() {
        ends.retain(|end| is_last && *end == content.end);
    }
    ends
}

fn written_ends(text: &Lines<'_>, content: &Range<usize>, piece: &str) -> Vec<usize> {
    let line = &text.text()[content.clone()];
    let lead = line.len() - line.trim_start_matches(is_space).len();
    let body = piece.trim_matches(is_space);
    if body.is_empty() {
        let same = prefix(line, piece.chars().count()).filter(|start| alike(start, piece));
        return same.map(|start| content.start + start.len()).into_iter().collect();
    }
    let Some(start) = prefix(&line[lead..], body.chars().count()).filter(|start| alike(start, body)) else {
        return Vec::new();
    };
    let (said, after) = (content.start + lead + start.len(), &line[lead + start.len()..]);
    let trail = &piece[piece.trim_end_matches(is_space).len()..];
    let written = prefix(after, trail.chars().count()).filter(|prefix| alike(prefix, trail));
    let rest = after.chars().all(is_space).then_some(content.end);
    let written = written.map(|prefix| said + prefix.len());
    // Of two that fit equally well the first counts: once white space is overlooked, what trails belongs to the line.
    rest.into_iter().chain(written.filter(|written| Some(*written) != rest)).collect()
}
