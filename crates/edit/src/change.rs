//! What an edit changed, as spans before and after.

use std::fmt;
use std::ops::Range;

use crate::lines::Counter;
use crate::splice::Splice;

/// One changed span. All bytes outside the spans of a list of changes are the same before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The span in the text before, as offsets of bytes; empty where something was inserted.
    pub old: Range<usize>,
    /// The span in the text after; empty where something was removed.
    pub new: Range<usize>,
    /// The lines of the text after that the span touches.
    pub lines: LineSpan,
}

/// A range of lines, counted from 1, with both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSpan {
    /// The first line.
    pub first: usize,
    /// The last line.
    pub last: usize,
}

impl LineSpan {
    /// The lines that the span touches. An ending that a span starts with belongs to the line before.
    fn of(counter: &mut Counter<'_>, text: &str, span: &Range<usize>) -> Self {
        let inserted = &text[span.clone()];
        let skipped = counter.leading_ending(inserted);
        let first = counter.at(if skipped < inserted.len() { span.start + skipped } else { span.start });
        let last = counter.at(if span.is_empty() { span.end } else { span.end - 1 });
        Self { first: first + 1, last: last.max(first) + 1 }
    }
}

/// The changes that the splices make, given the text that they lead to.
#[must_use]
pub fn changes_of(splices: &[Splice], after: &str) -> Vec<Change> {
    let mut moved = 0_isize;
    let spans = splices.iter().map(|splice| {
        let start = splice.span.start.wrapping_add_signed(moved);
        moved += difference(splice.text.len(), splice.span.len());
        (splice.span.clone(), start..start + splice.text.len())
    });
    with_lines(spans, after)
}

/// The changes from the text before the first list to the text after the second.
pub(crate) fn composed(first: &[Change], second: &[Change], after: &str) -> Vec<Change> {
    let mut middle: Vec<Range<usize>> = first.iter().map(|change| change.new.clone()).collect();
    middle.extend(second.iter().map(|change| change.old.clone()));
    middle.sort_by_key(|span| (span.start, span.end));
    let back: Vec<_> = first.iter().map(|change| (change.new.clone(), change.old.clone())).collect();
    let forth: Vec<_> = second.iter().map(|change| (change.old.clone(), change.new.clone())).collect();
    let (mut back, mut forth) = (Mapping::new(&back), Mapping::new(&forth));
    with_lines(merged(middle).into_iter().map(|span| (back.map(&span), forth.map(&span))), after)
}

fn with_lines(spans: impl Iterator<Item = (Range<usize>, Range<usize>)>, after: &str) -> Vec<Change> {
    let mut counter = Counter::of(after);
    spans.map(|(old, new)| Change { lines: LineSpan::of(&mut counter, after, &new), old, new }).collect()
}

/// Spans that overlap or touch become one.
fn merged(spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// Maps spans from one side of a list of changes to the other. A span holds a change as a whole or not at all, and
/// spans come in order.
struct Mapping<'c> {
    changes: &'c [(Range<usize>, Range<usize>)],
    moved: isize,
}

impl<'c> Mapping<'c> {
    fn new(changes: &'c [(Range<usize>, Range<usize>)]) -> Self {
        Self { changes, moved: 0 }
    }

    fn map(&mut self, span: &Range<usize>) -> Range<usize> {
        let start = span.start.wrapping_add_signed(self.moved);
        while let Some(((from, to), rest)) = self.changes.split_first()
            && from.end <= span.end
        {
            self.moved += difference(to.len(), from.len());
            self.changes = rest;
        }
        start..span.end.wrapping_add_signed(self.moved)
    }
}

/// Lengths of texts in memory are far below the limit of `isize`.
fn difference(after: usize, before: usize) -> isize {
    after.wrapping_sub(before).cast_signed()
}

impl fmt::Display for LineSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "line {}", self.first)
        } else {
            write!(f, "lines {}-{}", self.first, self.last)
        }
    }
}
