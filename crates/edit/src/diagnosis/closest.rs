//! The region of a text that is most like a text that is not there.
//!
//! A line that both have in common votes for the region it belongs to, the more the rarer it is. If no line is in both,
//! words vote. Only the few regions with most votes are compared line by line, so a large text costs a few passes.

use std::collections::HashMap;
use std::fmt;

use memchr::memmem;
use toolcrib_text::{Meter, Stopped};

use super::visible::visible;
use crate::LineSpan;
use crate::find::Target;
use crate::fold::is_space;
use crate::lines::Lines;
use crate::vocabulary::{Vocabulary, key};
use crate::words::Words;

/// How many regions are compared line by line.
const CANDIDATES: usize = 8;
/// How many lines of the region are shown, and how many of them before the first difference.
const SHOWN: usize = 10;
const BEFORE: usize = 3;
/// The share of a region that must be alike for it to be shown, in hundredths.
const RESEMBLES: usize = 40;
/// A line or word that occurs more often than this says nothing.
const COMMON: usize = 1000;
/// How many of the rarest words lead to lines.
const RAREST: usize = 5;

/// The region that comes closest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closest {
    /// Where it is.
    pub lines: LineSpan,
    /// How much of it is alike, in hundredths.
    pub likeness: usize,
    /// Its lines from a little before the first difference on.
    pub shown: Vec<Shown>,
    /// How many of its lines are not shown.
    pub left_out: usize,
    /// The first line that differs. There is none if only the ends of the old text do not fit.
    pub difference: Option<Difference>,
}

/// A line of the text with its white space made visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its number, counted from 1.
    pub number: usize,
    /// The line.
    pub text: String,
    /// Whether it differs from the old text's.
    pub differs: bool,
}

/// A line of the old text and what is there instead, with white space made visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The line of the text, counted from 1.
    pub line: usize,
    /// The line of the old text, counted from 1.
    pub old_line: usize,
    /// What the old text says.
    pub given: String,
    /// What the text says; nothing if it ends before.
    pub found: Option<String>,
}

pub(super) fn closest(target: &Target<'_>, old: &str) -> Result<Option<Closest>, Stopped> {
    target.meter().spend(target.text().len() + old.len())?;
    let old = Lines::of(old);
    let region = Region {
        text: target.lines(),
        old: &old,
        length: said_lines(target.lines()),
        height: said_lines(&old),
        meter: target.meter(),
    };
    let mut starts = by_lines(&region)?;
    if starts.is_empty() {
        starts = by_words(&region)?;
    }
    let mut best: Option<(usize, usize)> = None;
    for start in starts {
        let likeness = region.likeness(start)?;
        let better = |(known, at): (usize, usize)| likeness > known || likeness == known && start < at;
        if best.is_none_or(better) {
            best = Some((likeness, start));
        }
    }
    let best = best.filter(|(likeness, _)| *likeness >= RESEMBLES);
    Ok(best.map(|(likeness, start)| region.shown(start, likeness)))
}

struct Region<'a, 't> {
    text: &'a Lines<'t>,
    old: &'a Lines<'a>,
    /// The number of lines of the text, and of the old text.
    length: usize,
    height: usize,
    meter: &'a Meter<'a>,
}

/// What it costs to recognise a line or a word.
const EACH: usize = 64;

/// How many lines there are to be compared. The empty line after a final newline is none.
fn said_lines(lines: &Lines<'_>) -> usize {
    lines.count() - usize::from(lines.content(lines.count() - 1).is_empty())
}

/// The starts of regions that share lines with the old text, those with most votes first.
fn by_lines(region: &Region<'_, '_>) -> Result<Vec<usize>, Stopped> {
    region.meter.spend(region.old.text().len() * EACH)?;
    let mut known = Vocabulary::default();
    let telling = |line: &usize| region.old.content_text(*line).contains(char::is_alphanumeric);
    let wanted: Vec<(usize, u32)> = (0..region.height)
        .filter(telling)
        .map(|line| (line, known.add(region.old.content_text(line))))
        .collect();
    let mut found: Vec<Vec<usize>> = vec![Vec::new(); known.len()];
    for line in 0..region.length {
        let said = region.text.content_text(line);
        region.meter.spend(said.len() + EACH)?;
        if let Some(found) = known.number(said).and_then(|number| found.get_mut(number as usize))
            && found.len() <= COMMON
        {
            found.push(line);
        }
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    let wanted = wanted.into_iter().map(|(old, number)| (old, &found[number as usize]));
    for (old, found) in wanted.filter(|(_, found)| found.len() <= COMMON).take(COMMON) {
        region.meter.spend(found.len() * EACH)?;
        for line in found {
            *votes.entry(line.saturating_sub(old)).or_default() += 1_000_000 / found.len();
        }
    }
    Ok(most(votes))
}

/// The starts of regions whose line shares words with the wordiest line of the old text. Only lines that have one of
/// its rarest words are looked at.
fn by_words(region: &Region<'_, '_>) -> Result<Vec<usize>, Stopped> {
    let words = |line: usize| {
        Words(region.old.content_text(line)).filter(|word| word.contains(char::is_alphanumeric))
    };
    let Some(anchor) = (0..region.height).max_by_key(|line| words(*line).count()) else {
        return Ok(Vec::new());
    };
    let mut rarest: Vec<Vec<usize>> = Vec::new();
    for word in words(anchor).take(COMMON) {
        region.meter.spend(region.text.text().len() / 4)?;
        rarest.push(lines_with(region, word));
    }
    rarest.retain(|lines| !lines.is_empty());
    rarest.sort_by_key(Vec::len);
    let wanted = Bag::of(region.old.content_text(anchor));
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for line in rarest.into_iter().take(RAREST).flatten() {
        let said = region.text.content_text(line);
        region.meter.spend(said.len() * EACH + wanted.counts.len())?;
        votes.insert(line.saturating_sub(anchor), wanted.likeness(said));
    }
    Ok(most(votes))
}

/// The first lines that have a word, perhaps as part of a longer one.
fn lines_with(region: &Region<'_, '_>, word: &str) -> Vec<usize> {
    let text = region.text.text().as_bytes();
    let mut lines: Vec<usize> =
        memmem::find_iter(text, word).take(COMMON).map(|at| region.text.at(at)).collect();
    lines.dedup();
    lines
}

fn most(votes: HashMap<usize, usize>) -> Vec<usize> {
    let mut votes: Vec<(usize, usize)> = votes.into_iter().collect();
    votes.sort_by_key(|&(start, votes)| (std::cmp::Reverse(votes), start));
    votes.into_iter().take(CANDIDATES).map(|(start, _)| start).collect()
}

impl Region<'_, '_> {
    /// The line of the text that is compared with a line of the old text.
    fn line(&self, start: usize, old: usize) -> Option<&str> {
        (start + old < self.length).then(|| self.text.content_text(start + old))
    }

    fn likeness(&self, start: usize) -> Result<usize, Stopped> {
        let mut alike = 0;
        for line in 0..self.height {
            let (given, found) = (self.old.content_text(line), self.line(start, line).unwrap_or_default());
            self.meter.spend((given.len() + found.len()) * EACH)?;
            alike += if key(given) == key(found) { 100 } else { Bag::of(given).likeness(found) };
        }
        Ok(alike / self.height.max(1))
    }

    /// Whether the line of the text is what the old text says; its first line may begin and its last end inside one.
    fn agrees(&self, start: usize, line: usize) -> bool {
        let given = self.old.content_text(line);
        let ended = line + 1 < self.old.count();
        self.line(start, line).is_some_and(|found| match (line == 0, ended) {
            (false, true) => found == given,
            (true, true) => found.ends_with(given),
            (false, false) => found.starts_with(given),
            (true, false) => found.contains(given),
        })
    }

    fn shown(&self, start: usize, likeness: usize) -> Closest {
        let end = (start + self.height).min(self.length);
        let differs = (0..self.height).find(|line| !self.agrees(start, *line));
        let from = start + differs.unwrap_or(0).saturating_sub(BEFORE);
        let shown: Vec<Shown> = (from..end).take(SHOWN).map(|line| self.row(start, line)).collect();
        Closest {
            lines: LineSpan { first: start + 1, last: end },
            likeness,
            left_out: end - start - shown.len(),
            shown,
            difference: differs.map(|line| Difference {
                line: start + line + 1,
                old_line: line + 1,
                given: visible(self.old.content_text(line)),
                found: self.line(start, line).map(visible),
            }),
        }
    }

    fn row(&self, start: usize, line: usize) -> Shown {
        let text = visible(self.text.content_text(line));
        Shown { number: line + 1, text, differs: !self.agrees(start, line - start) }
    }
}

/// The words of a line.
struct Bag<'l> {
    /// The index of each word in `counts`.
    words: HashMap<&'l str, usize>,
    counts: Vec<usize>,
    total: usize,
}

impl<'l> Bag<'l> {
    fn of(line: &'l str) -> Self {
        let mut bag = Self { words: HashMap::new(), counts: Vec::new(), total: 0 };
        for word in said(line) {
            let next = bag.counts.len();
            let index = *bag.words.entry(word).or_insert(next);
            if index == next {
                bag.counts.push(0);
            }
            bag.counts[index] += 1;
            bag.total += 1;
        }
        bag
    }

    /// How many words another line has in common, in hundredths. Which word stands where does not matter.
    fn likeness(&self, other: &str) -> usize {
        let mut left = self.counts.clone();
        let (mut common, mut total) = (0, 0);
        for word in said(other) {
            total += 1;
            if let Some(left) = self.words.get(word).map(|&index| &mut left[index]).filter(|left| **left > 0)
            {
                *left -= 1;
                common += 1;
            }
        }
        200 * common / (self.total + total).max(1)
    }
}

fn said(line: &str) -> impl Iterator<Item = &str> {
    Words(line).filter(|word| !word.starts_with(is_space))
}

impl Closest {
    /// The region, in the words of a caller who calls the old text `old`.
    pub(super) fn write(&self, f: &mut fmt::Formatter<'_>, old: &str) -> fmt::Result {
        writeln!(f, "closest: {} (· is a blank, → a tab, ! differs)", self.lines)?;
        for row in &self.shown {
            writeln!(f, "{} {:>5}  {}", if row.differs { '!' } else { ' ' }, row.number, row.text)?;
        }
        if self.left_out > 0 {
            writeln!(f, "  ({} lines of it not shown)", self.left_out)?;
        }
        match &self.difference {
            Some(difference) => difference.write(f, old),
            None => f.write_str("its lines are the same, but not where they begin or end"),
        }
    }
}

impl Difference {
    fn write(&self, f: &mut fmt::Formatter<'_>, old: &str) -> fmt::Result {
        writeln!(f, "first difference, line {} of {old} against line {}:", self.old_line, self.line)?;
        writeln!(f, "  given: {}", self.given)?;
        write!(f, "  found: {}", self.found.as_deref().unwrap_or("(the text ends before)"))
    }
}
