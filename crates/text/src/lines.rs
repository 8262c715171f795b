//! Takes a range of lines out of bytes that arrive in pieces.
//!
//! Lines before the range cost a newline search and no memory; a line that is longer than what is shown costs no more
//! memory than what is shown. So neither the size of a file nor the length of a line matters.

use std::ops::ControlFlow;

use memchr::{memchr, memchr_iter};

/// Which lines are wanted, and how much of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// The number of the first line, counted from 1.
    pub first: u64,
    /// How many lines at the most.
    pub limit: usize,
    /// How many bytes of text at the most. The line that would go beyond it is left out, unless it is the first.
    pub budget: usize,
    /// How many characters of one line at the most.
    pub line_length: usize,
}

/// One line, without its ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its text. Bytes that are not UTF-8 are shown as U+FFFD.
    pub text: String,
    /// Whether it goes on beyond what is shown.
    pub cut: bool,
}

/// The lines that were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The lines of the range, in order.
    pub lines: Vec<Line>,
    /// How many lines there are in all, if the end was reached.
    pub total: Option<u64>,
    /// Whether the last line has an ending, if the end was reached and there is a line.
    pub final_newline: Option<bool>,
}

/// Collects the lines of a [`LineRange`] from bytes that arrive in pieces.
///
/// ```
/// use toolcrib_text::{Collector, LineRange};
///
/// let mut collector = Collector::new(LineRange { first: 2, limit: 1, budget: 1000, line_length: 80 });
/// collector.push(b"one\r\ntw");
/// collector.push(b"o\r\n");
/// let lines = collector.finish();
/// assert_eq!(lines.lines[0].text, "two");
/// assert_eq!(lines.total, Some(2));
/// ```
#[derive(Debug)]
pub struct Collector {
    range: LineRange,
    found: Lines,
    used: usize,
    /// How many lines have ended.
    ended: u64,
    /// What is shown of the line that has begun and not ended.
    line: Vec<u8>,
    line_cut: bool,
    begun: bool,
    /// There is something after the range.
    more: bool,
}

impl Collector {
    /// Collects this range.
    #[must_use]
    pub fn new(range: LineRange) -> Self {
        Self {
            range,
            found: Lines::default(),
            used: 0,
            ended: 0,
            line: Vec::new(),
            line_cut: false,
            begun: false,
            more: false,
        }
    }

    /// Takes the next piece, and tells whether a further one is wanted.
    pub fn push(&mut self, mut bytes: &[u8]) -> ControlFlow<()> {
        while !bytes.is_empty() {
            if self.more || self.found.lines.len() == self.range.limit {
                self.more = true;
                return ControlFlow::Break(());
            }
            bytes = if self.ended + 1 < self.range.first { self.skip(bytes) } else { self.take(bytes) };
        }
        ControlFlow::Continue(())
    }

    /// What was found. Call it when the bytes are at their end or no more are wanted.
    #[must_use]
    pub fn finish(mut self) -> Lines {
        let final_newline = !self.begun;
        if self.begun && !self.more {
            if self.ended + 1 >= self.range.first {
                self.end_line(Ending::None);
            } else {
                self.ended += 1;
            }
        }
        if !self.more {
            self.found.total = Some(self.ended);
            self.found.final_newline = (self.ended > 0).then_some(final_newline);
        }
        self.found
    }

    /// Passes over whole lines before the range.
    fn skip<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let before = self.range.first - 1 - self.ended;
        let mut passed = 0;
        for at in memchr_iter(b'\n', bytes) {
            passed += 1;
            if passed == before {
                self.ended += passed;
                self.begun = false;
                return &bytes[at + 1..];
            }
        }
        self.ended += passed;
        self.begun = bytes.last() != Some(&b'\n');
        &[]
    }

    /// Takes the rest of one line, or all there is of it.
    fn take<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let end = memchr(b'\n', bytes);
        self.keep(&bytes[..end.unwrap_or(bytes.len())]);
        self.begun = true;
        match end {
            None => &[],
            Some(at) => {
                self.end_line(Ending::Newline);
                &bytes[at + 1..]
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        // A character takes at most 4 bytes; one byte more may be the carriage return of the ending.
        let room = (self.range.line_length.saturating_mul(4) + 1).saturating_sub(self.line.len());
        self.line_cut |= bytes.len() > room;
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end_line(&mut self, ending: Ending) {
        let line = self.shown(ending);
        self.line.clear();
        self.line_cut = false;
        if !self.found.lines.is_empty() && self.used + line.text.len() > self.range.budget {
            self.more = true;
            return;
        }
        self.begun = false;
        self.ended += 1;
        self.used += line.text.len();
        self.found.lines.push(line);
    }

    fn shown(&self, ending: Ending) -> Line {
        // A carriage return belongs to the ending only right before the newline.
        let carriage_return = ending == Ending::Newline && !self.line_cut;
        let bytes = self.line.strip_suffix(b"\r").filter(|_| carriage_return).unwrap_or(&self.line);
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        let end = text.char_indices().nth(self.range.line_length).map(|(at, _)| at);
        if let Some(at) = end {
            text.truncate(at);
        }
        Line { text, cut: self.line_cut || end.is_some() }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Ending {
    Newline,
    None,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: LineRange = LineRange { first: 1, limit: usize::MAX, budget: usize::MAX, line_length: 1000 };

    fn collect(pieces: &[&[u8]], range: LineRange) -> Lines {
        let mut collector = Collector::new(range);
        for piece in pieces {
            if collector.push(piece).is_break() {
                break;
            }
        }
        collector.finish()
    }

    fn texts(lines: &Lines) -> Vec<&str> {
        lines.lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn nothing_has_no_lines() {
        let lines = collect(&[b""], ALL);
        assert_eq!((lines.lines.len(), lines.total, lines.final_newline), (0, Some(0), None));
    }

    #[test]
    fn a_last_line_without_ending_is_a_line() {
        let lines = collect(&[b"a\nb"], ALL);
        assert_eq!((texts(&lines), lines.total, lines.final_newline), (vec!["a", "b"], Some(2), Some(false)));
        let lines = collect(&[b"a\nb\n"], ALL);
        assert_eq!((texts(&lines), lines.total, lines.final_newline), (vec!["a", "b"], Some(2), Some(true)));
    }

    #[test]
    fn a_range_in_the_middle_stops_reading_and_does_not_know_the_total() {
        let lines = collect(&[b"1\n2\n3\n4\n"], LineRange { first: 2, limit: 2, ..ALL });
        assert_eq!((texts(&lines), lines.total), (vec!["2", "3"], None));
    }

    #[test]
    fn a_range_that_ends_with_the_text_knows_the_total() {
        let lines = collect(&[b"1\n2\n3\n"], LineRange { first: 2, limit: 2, ..ALL });
        assert_eq!((texts(&lines), lines.total), (vec!["2", "3"], Some(3)));
    }

    #[test]
    fn a_range_past_the_end_still_counts() {
        for text in ["1\n2\n3", "1\n2\n3\n"] {
            let lines = collect(&[text.as_bytes()], LineRange { first: 9, ..ALL });
            assert_eq!((lines.lines.len(), lines.total), (0, Some(3)));
        }
    }

    #[test]
    fn the_budget_cuts_at_a_line_but_always_gives_one() {
        let lines = collect(&[b"aaaa\nbbbb\ncc\n"], LineRange { budget: 8, ..ALL });
        assert_eq!((texts(&lines), lines.total), (vec!["aaaa", "bbbb"], None));
        let lines = collect(&[b"aaaa\nb\n"], LineRange { budget: 1, ..ALL });
        assert_eq!(texts(&lines), ["aaaa"]);
    }

    #[test]
    fn a_long_line_is_cut_on_a_character_boundary() {
        let lines = collect(&["äöü\r\nab\r\n".as_bytes()], LineRange { line_length: 2, ..ALL });
        assert_eq!(
            lines.lines,
            [Line { text: "äö".into(), cut: true }, Line { text: "ab".into(), cut: false }]
        );
        let long = "x".repeat(100_000);
        let lines = collect(&[long.as_bytes()], LineRange { line_length: 3, ..ALL });
        assert_eq!(lines.lines, [Line { text: "xxx".into(), cut: true }]);
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_as_replacement_characters() {
        assert_eq!(texts(&collect(&[b"a\xFFb\n"], ALL)), ["a\u{FFFD}b"]);
    }

    proptest! {
        #[test]
        fn the_lines_are_those_of_the_text_however_it_arrives(
            text in "([a-zä\r\n]{0,8}\n?){0,12}", size in 1_usize..7, first in 1_u64..6, limit in 1_usize..6,
        ) {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            let found = collect(&pieces, LineRange { first, limit, ..ALL });
            let skip = usize::try_from(first - 1).unwrap();
            let expected: Vec<&str> = text.lines().skip(skip).take(limit).collect();
            prop_assert_eq!(texts(&found), expected);
            if let Some(total) = found.total {
                prop_assert_eq!(total, text.lines().count() as u64);
            }
        }
    }
}
