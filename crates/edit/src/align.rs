//! Lays a caller's text line by line over a region of the text and names what has to be overlooked for it to fit.
//!
//! Finding a place and carrying a change into it both stand on this: code that takes a region to fit asks here, and
//! the answer does not depend on how the region was found.

use std::borrow::Cow;
use std::ops::Range;

use crate::Level;
use crate::fold::{alike, folded, is_space};
use crate::lines::Lines;
use crate::parts::{Edges, Parts};
use crate::shift::Shift;
use crate::words::is_word;

#[derive(Debug)]
pub(crate) struct Alignment {
    pub(crate) region: Range<usize>,
    pub(crate) rows: Vec<Row>,
    pub(crate) shift: Shift,
    pub(crate) level: Level,
}

/// One line of the caller's text beside the line of the text that it means.
///
/// The bodies have the same number of characters, one for one.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) line: usize,
    pub(crate) edges: Edges,
    pub(crate) old: Parts,
    pub(crate) text: Parts,
    /// Empty in the last row.
    pub(crate) text_ending: Range<usize>,
}

impl Alignment {
    /// Lays `old` over the region, if that fits at any level up to [`Level::Typography`].
    pub(crate) fn of(text: &Lines<'_>, region: Range<usize>, old: &Lines<'_>) -> Option<Self> {
        let first = text.at(region.start);
        (first + old.count() <= text.count()).then_some(())?;
        let mut rows = Vec::with_capacity(old.count());
        let mut level = Level::Exact;
        for index in 0..old.count() {
            let (row, needed) = row(text, &region, old, index, first + index)?;
            level = level.max(needed);
            rows.push(row);
        }
        let (shift, needed) = shift(text.text(), old.text(), &rows)?;
        level = level.max(needed);
        let clean = level <= Level::LineEndings || is_clean(text, &region, &shift);
        (clean && !cuts_ending(text.text(), &region)).then_some(Self { region, rows, shift, level })
    }

    /// The lines that the region touches, counted from 0. The line after a final newline is not touched.
    pub(crate) fn lines(&self) -> Range<usize> {
        let first = self.rows.first().map_or(0, |row| row.line);
        let last = self.rows.last().map_or(first, |row| row.line);
        let reaches = self.rows.last().is_some_and(|row| !row.text.whole().is_empty());
        first..(last + usize::from(reaches)).max(first + 1)
    }
}

fn row(
    text: &Lines<'_>,
    region: &Range<usize>,
    old: &Lines<'_>,
    index: usize,
    line: usize,
) -> Option<(Row, Level)> {
    let last = index + 1 == old.count();
    let content = text.content(line);
    let start = if index == 0 { region.start } else { content.start };
    let end = if last { region.end } else { content.end };
    (content.start <= start && start <= end && end <= content.end).then_some(())?;
    let edges = Edges { start: start == content.start, end: end == content.end };
    let row = Row {
        line,
        edges,
        old: Parts::of(old.text(), old.content(index), edges),
        text: Parts::of(text.text(), start..end, edges),
        text_ending: if last { end..end } else { text.ending(line) },
    };
    let endings = last || old.ending_text(index) == text.ending_text(line);
    let level = said(text.text(), old.text(), &row)?;
    Some((row, level.max(if endings { Level::Exact } else { Level::LineEndings })))
}

/// The level at which the bodies and the trailing white space of a row agree.
fn said(text: &str, old: &str, row: &Row) -> Option<Level> {
    let (old_body, text_body) = (&old[row.old.body.clone()], &text[row.text.body.clone()]);
    let (old_end, text_end) = (&old[row.old.trailing.clone()], &text[row.text.trailing.clone()]);
    let trailing = if old_end == text_end {
        Level::Exact
    } else {
        loosened(old_end, text_end, Level::TrailingWhitespace)
    };
    if old_body == text_body {
        Some(trailing)
    } else {
        alike(old_body, text_body).then_some(Level::Typography)
    }
}

/// The shift of the indentation over all rows, and the level that it takes to accept it.
fn shift(text: &str, old: &str, rows: &[Row]) -> Option<(Shift, Level)> {
    let raw = |row: &Row| (&old[row.old.indent.clone()], &text[row.text.indent.clone()]);
    let equal = rows.iter().all(|row| raw(row).0 == raw(row).1);
    if equal {
        return Some((Shift::None, Level::Exact));
    }
    let blank_differs = rows.iter().any(|row| row.old.is_blank() && !alike(raw(row).0, raw(row).1));
    (!blank_differs).then_some(())?;
    let said = || rows.iter().filter(|row| row.edges.start && !row.old.is_blank()).map(raw);
    let pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> =
        said().map(|(old, text)| (folded(old), folded(text))).collect();
    let shift = Shift::between(pairs.iter().map(|(old, text)| (&**old, &**text)))?;
    let level = said().map(|(old, text)| loosened(old, text, Level::Indentation)).max();
    Some((shift, level.unwrap_or(Level::Typography)))
}

/// White space that is not all blanks and tabs is a matter of typography.
fn loosened(old: &str, text: &str, level: Level) -> Level {
    if old.is_ascii() && text.is_ascii() { level } else { Level::Typography }
}

/// Whether the region begins and ends where one would begin and end who overlooks other things already. Only a literal
/// match may begin inside a word or inside an indentation.
fn is_clean(text: &Lines<'_>, region: &Range<usize>, shift: &Shift) -> bool {
    let lead = &text.text()[text.start(text.at(region.start))..region.start];
    let after_indent = !lead.is_empty() && lead.chars().all(is_space);
    let in_indent = after_indent && text.text()[region.clone()].starts_with(is_space);
    // A first line whose indentation alone is left out has no shift of its own, so there is none that all share.
    !in_indent && (!after_indent || *shift == Shift::None) && !cuts_words(text.text(), region)
}

/// Whether the region begins or ends inside a word: `x = 1` is no part of `x = 10`.
pub(crate) fn cuts_words(text: &str, region: &Range<usize>) -> bool {
    cuts_word(text, region.start) || cuts_word(text, region.end)
}

fn cuts_word(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_some_and(is_word) && text[at..].chars().next().is_some_and(is_word)
}

/// Whether the region begins between a CR and its LF. Half an ending must not be changed.
pub(crate) fn cuts_ending(text: &str, region: &Range<usize>) -> bool {
    text[..region.start].ends_with('\r') && text[region.start..].starts_with('\n')
}
