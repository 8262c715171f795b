//! The lines of a text, each with the ending it has.
//!
//! A line ends with LF or CRLF; a CR alone is a character like any other. A text that has no LF at all ends its lines with
//! CR ([`Newline`]); [`Edit`](crate::Edit) gives such a text LFs before it looks for lines. The last line has no ending: a
//! text that ends with a newline has an empty last line. So a text of `n` newlines has `n + 1` lines, and a caller's text
//! that ends with a newline reaches up to the start of the line after.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use toolcrib_text::Newline;

#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// Where each line starts, and the end of the text.
    bounds: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let mut bounds = vec![0];
        bounds.extend(memchr_iter(b'\n', text.as_bytes()).map(|newline| newline + 1));
        bounds.push(text.len());
        Self { text, bounds }
    }

    /// The lines that a region touches and the one before it. They count from there; offsets are those of the text.
    pub(crate) fn around(text: &'t str, region: &Range<usize>) -> Self {
        let line_start =
            |end: usize| memrchr(b'\n', &text.as_bytes()[..end]).map_or(0, |newline| newline + 1);
        let start = line_start(line_start(region.start).saturating_sub(1));
        let rest = memchr(b'\n', &text.as_bytes()[region.end..]);
        let end = rest.map_or(text.len(), |newline| region.end + newline + 1);
        let newlines = memchr_iter(b'\n', &text.as_bytes()[start..region.end]);
        let mut bounds = vec![start];
        bounds.extend(newlines.map(|newline| start + newline + 1));
        bounds.push(end);
        Self { text, bounds }
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// How many lines there are; at least one.
    pub(crate) fn count(&self) -> usize {
        self.bounds.len() - 1
    }

    pub(crate) fn start(&self, line: usize) -> usize {
        self.bounds[line]
    }

    /// The line without its ending.
    pub(crate) fn content(&self, line: usize) -> Range<usize> {
        let whole = &self.text.as_bytes()[self.bounds[line]..self.bounds[line + 1]];
        let ending = match whole {
            [.., b'\r', b'\n'] => 2,
            [.., b'\n'] => 1,
            _ => 0,
        };
        self.bounds[line]..self.bounds[line + 1] - ending
    }

    pub(crate) fn ending(&self, line: usize) -> Range<usize> {
        self.content(line).end..self.bounds[line + 1]
    }

    pub(crate) fn content_text(&self, line: usize) -> &'t str {
        &self.text[self.content(line)]
    }

    pub(crate) fn ending_text(&self, line: usize) -> &'t str {
        &self.text[self.ending(line)]
    }

    /// The index of the line that holds this offset. The end of the text belongs to the last line.
    pub(crate) fn at(&self, offset: usize) -> usize {
        let starts = &self.bounds[..self.count()];
        starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }
}

/// Counts lines up to offsets that grow, without a table of all lines.
#[derive(Debug)]
pub(crate) struct Counter<'t> {
    text: &'t str,
    newline: Newline,
    offset: usize,
    line: usize,
}

impl<'t> Counter<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text, newline: Newline::of(text.as_bytes()), offset: 0, line: 0 }
    }

    /// How many bytes of the ending that a part of the text starts with, if it does.
    pub(crate) fn leading_ending(&self, part: &str) -> usize {
        let rest = match self.newline {
            Newline::Lf => part.trim_start_matches('\r').strip_prefix('\n'),
            Newline::Cr => part.strip_prefix('\r'),
        };
        part.len() - rest.unwrap_or(part).len()
    }

    /// The index of the line that holds this offset, which is not before the last one asked for.
    pub(crate) fn at(&mut self, offset: usize) -> usize {
        let passed = self.text.as_bytes().get(self.offset..offset).unwrap_or_default();
        self.line += memchr_iter(self.newline.byte(), passed).count();
        self.offset = self.offset.max(offset);
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_has_the_lines_of_its_region_and_one_more() {
        let text = "ab\ncd\r\nef\n";
        let window = |region: Range<usize>| {
            let lines = Lines::around(text, &region);
            (0..lines.count())
                .map(|line| &text[lines.start(line)..lines.ending(line).end])
                .collect::<Vec<_>>()
        };
        assert_eq!(window(0..1), ["ab\n"]);
        assert_eq!(window(4..4), ["ab\n", "cd\r\n"]);
        assert_eq!(window(7..10), ["cd\r\n", "ef\n", ""]);
        assert_eq!(window(1..8), ["ab\n", "cd\r\n", "ef\n"]);
    }

    #[test]
    fn lines_are_counted_on_the_way() {
        let mut counter = Counter::of("a\nb\nc");
        assert_eq!([0, 1, 2, 2, 5].map(|offset| counter.at(offset)), [0, 0, 1, 1, 2]);
        let mut counter = Counter::of("a\rb\rc");
        assert_eq!([0, 1, 2, 2, 5].map(|offset| counter.at(offset)), [0, 0, 1, 1, 2]);
        let mut counter = Counter::of("a\rb\nc");
        assert_eq!([0, 2, 4].map(|offset| counter.at(offset)), [0, 0, 1]);
    }

    #[test]
    fn a_line_has_the_ending_it_has() {
        let lines = Lines::of("a\r\n\nb\rc\n");
        let seen: Vec<_> =
            (0..lines.count()).map(|line| (lines.content_text(line), lines.ending_text(line))).collect();
        assert_eq!(seen, [("a", "\r\n"), ("", "\n"), ("b\rc", "\n"), ("", "")]);
    }

    #[test]
    fn an_offset_belongs_to_one_line() {
        let lines = Lines::of("ab\ncd");
        assert_eq!((0..=5).map(|offset| lines.at(offset)).collect::<Vec<_>>(), [0, 0, 0, 1, 1, 1]);
        assert_eq!(Lines::of("").at(0), 0);
        assert_eq!(Lines::of("a\n").at(2), 1);
    }
}
