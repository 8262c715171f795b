//! The part of two texts that is worth comparing: what is equal above and below is left out.
//!
//! Most changes are small and most texts are not, so this decides what a diff costs.

use memchr::{memchr, memchr_iter, memrchr};

/// Equal lines that stay on either side: context, and room to move a change to where a reader expects it.
const MARGIN: usize = 100;
/// How far above the frame the name of a section is looked for, in lines.
const REACH: usize = 2000;
/// So much is compared at once.
const BLOCK: usize = 4096;

/// What both texts hold from the first difference to the last, and a margin.
#[derive(Debug)]
pub(super) struct Part<'t> {
    pub(super) old: &'t str,
    pub(super) new: &'t str,
    /// The equal text above.
    above: &'t str,
}

/// The same, line by line.
#[derive(Debug)]
pub(super) struct Frame<'t> {
    pub(super) old: Vec<&'t str>,
    pub(super) new: Vec<&'t str>,
    part: Part<'t>,
}

impl<'t> Part<'t> {
    pub(super) fn of(old: &'t str, new: &'t str) -> Self {
        let start = up(old, line_start(old, common_prefix(old.as_bytes(), new.as_bytes())), MARGIN);
        let equal = common_suffix(&old.as_bytes()[start..], &new.as_bytes()[start..]);
        let below = line_after(old, old.len() - equal);
        let end = down(old, below, MARGIN);
        Self { old: &old[start..end], new: &new[start..new.len() - (old.len() - end)], above: &old[..start] }
    }

    /// How many lines are above.
    pub(super) fn first_line(&self) -> usize {
        newlines(self.above)
    }

    /// The nearest line above that fits, if it is not too far away.
    pub(super) fn find_above(&self, fits: impl Fn(&str) -> bool) -> Option<&'t str> {
        self.above.split_inclusive('\n').rev().take(REACH).find(|line| fits(line))
    }
}

impl<'t> Frame<'t> {
    pub(super) fn of(old: &'t str, new: &'t str) -> Self {
        Self::of_part(Part::of(old, new))
    }

    /// The frame, if neither side has more lines than so many.
    pub(super) fn within(old: &'t str, new: &'t str, most: usize) -> Option<Self> {
        let part = Part::of(old, new);
        (newlines(part.old).max(newlines(part.new)) < most).then(|| Self::of_part(part))
    }

    fn of_part(part: Part<'t>) -> Self {
        let lines = |text: &'t str| text.split_inclusive('\n').collect();
        Self { old: lines(part.old), new: lines(part.new), part }
    }

    /// How many lines are above.
    pub(super) fn first_line(&self) -> usize {
        self.part.first_line()
    }

    /// The nearest line above that fits, if it is not too far away.
    pub(super) fn find_above(&self, fits: impl Fn(&str) -> bool) -> Option<&'t str> {
        self.part.find_above(fits)
    }
}

fn newlines(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count()
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks(BLOCK).zip(b.chunks(BLOCK)).take_while(|(a, b)| a == b).count();
    let equal = (blocks * BLOCK).min(a.len()).min(b.len());
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.rchunks(BLOCK).zip(b.rchunks(BLOCK)).take_while(|(a, b)| a == b).count();
    let equal = (blocks * BLOCK).min(a.len()).min(b.len());
    let (a, b) = (&a[..a.len() - equal], &b[..b.len() - equal]);
    equal + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

fn line_start(text: &str, at: usize) -> usize {
    memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1)
}

/// The start of the next line, or the end.
fn line_after(text: &str, at: usize) -> usize {
    memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |newline| at + newline + 1)
}

fn up(text: &str, start: usize, lines: usize) -> usize {
    (0..lines).fold(start, |start, _| line_start(text, start.saturating_sub(1)))
}

fn down(text: &str, end: usize, lines: usize) -> usize {
    (0..lines).fold(end, |end, _| line_after(text, end))
}
