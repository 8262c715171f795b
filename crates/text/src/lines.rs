//! Takes a range of lines out of bytes that arrive in pieces.
//!
//! Lines before the range cost a newline search and no memory; a line that is longer than what is shown costs no more
//! memory than what is shown. So neither the size of a file nor the length of a line matters. Only the lines of the
//! range are decoded.

use std::ops::ControlFlow;

use crate::breaks::Breaks;

/// Which lines are wanted, and how much of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// The number of the first line, counted from 1.
    pub first: u64,
    /// How many lines at the most.
    pub limit: usize,
    /// How many bytes of text at the most. The line that would go beyond it is left out, unless it is the first.
    pub budget: usize,
    /// What each line costs of the budget beside its text: its number, its newline.
    pub line_cost: usize,
    /// How many characters at the start of each line are left out.
    pub column: usize,
    /// How many characters of one line at the most.
    pub line_length: usize,
}

/// One line, without its ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its text. What does not decode is shown as U+FFFD.
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
    /// How many characters of the lines stand for bytes that do not decode.
    pub undecodable: usize,
    /// The first of the lines that holds a NUL, as its number, if one does.
    pub nul: Option<u64>,
    /// How many of the bytes lie before the end of the last of the lines: the next one begins there.
    pub bytes: u64,
}

/// Collects the lines of a [`LineRange`] from bytes that arrive in pieces.
///
/// ```
/// use toolcrib_text::{Breaks, Charset, Collector, LineRange, Newline};
///
/// let range = LineRange { first: 2, limit: 1, budget: 1000, line_cost: 0, column: 0, line_length: 80 };
/// let mut collector = Collector::new(range, Breaks::new(Charset::UTF_8, Newline::Lf));
/// collector.push(b"one\r\ntw");
/// collector.push(b"o\r\n");
/// let lines = collector.finish();
/// assert_eq!(lines.lines[0].text, "two");
/// assert_eq!(lines.total, Some(2));
/// ```
#[derive(Debug)]
pub struct Collector {
    range: LineRange,
    breaks: Breaks,
    found: Lines,
    used: usize,
    /// How many lines have ended.
    ended: u64,
    /// How many bytes went by.
    passed: u64,
    /// What is shown of the line that has begun and not ended.
    line: Vec<u8>,
    line_cut: bool,
    begun: bool,
    /// There is something after the range.
    more: bool,
    /// The start of a unit of the charset whose end comes with the next piece.
    part: Vec<u8>,
}

impl Collector {
    /// Collects this range from the start of a text.
    #[must_use]
    pub fn new(range: LineRange, breaks: Breaks) -> Self {
        Self::starting_after(0, range, breaks)
    }

    /// Collects this range from bytes that begin after so many newlines, anywhere in a line before the range.
    #[must_use]
    pub fn starting_after(newlines: u64, range: LineRange, breaks: Breaks) -> Self {
        Self {
            range,
            breaks,
            found: Lines::default(),
            used: 0,
            ended: newlines,
            passed: 0,
            line: Vec::new(),
            line_cut: false,
            begun: false,
            more: false,
            part: Vec::new(),
        }
    }

    /// Takes the next piece, and tells whether a further one is wanted.
    pub fn push(&mut self, mut bytes: &[u8]) -> ControlFlow<()> {
        let width = self.breaks.width();
        if !self.part.is_empty() {
            let missing = bytes.len().min(width - self.part.len());
            self.part.extend_from_slice(&bytes[..missing]);
            bytes = &bytes[missing..];
            if self.part.len() < width {
                return ControlFlow::Continue(());
            }
            let unit = std::mem::take(&mut self.part);
            self.push_units(&unit)?;
        }
        let (whole, part) = bytes.split_at(bytes.len() - bytes.len() % width);
        self.part.extend_from_slice(part);
        self.push_units(whole)
    }

    /// What was found. Call it when the bytes are at their end or no more are wanted.
    #[must_use]
    pub fn finish(mut self) -> Lines {
        let part = std::mem::take(&mut self.part);
        _ = self.push_units(&part);
        let final_newline = !self.begun;
        if self.begun && !self.more {
            if self.in_range() {
                self.end_line(Ending::None);
            } else {
                self.ended += 1;
            }
            if !self.more {
                self.found.bytes = self.passed;
            }
        }
        if !self.more {
            self.found.total = Some(self.ended);
            self.found.final_newline = (self.ended > 0).then_some(final_newline);
        }
        self.found
    }

    fn push_units(&mut self, mut bytes: &[u8]) -> ControlFlow<()> {
        while !bytes.is_empty() {
            if self.more || self.found.lines.len() == self.range.limit {
                self.more = true;
                return ControlFlow::Break(());
            }
            let rest = if self.in_range() { self.take(bytes) } else { self.skip(bytes) };
            self.passed += (bytes.len() - rest) as u64;
            if !self.begun && !self.more {
                self.found.bytes = self.passed;
            }
            bytes = &bytes[bytes.len() - rest..];
        }
        ControlFlow::Continue(())
    }

    /// Whether the next byte belongs to a line that is wanted.
    fn in_range(&self) -> bool {
        self.ended + 1 >= self.range.first
    }

    /// Passes over whole lines before the range, and says how much is left.
    fn skip(&mut self, bytes: &[u8]) -> usize {
        let before = self.range.first - 1 - self.ended;
        let mut passed = 0;
        for at in self.breaks.iter(bytes) {
            passed += 1;
            if passed == before {
                self.ended += passed;
                self.begun = false;
                return bytes.len() - at - self.breaks.width();
            }
        }
        self.ended += passed;
        self.begun = !self.breaks.ends(bytes);
        0
    }

    /// Takes the rest of one line, or all there is of it, and says how much is left.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let end = self.breaks.find(bytes);
        self.keep(&bytes[..end.unwrap_or(bytes.len())]);
        self.begun = true;
        match end {
            None => 0,
            Some(at) => {
                self.end_line(Ending::Newline);
                bytes.len() - at - self.breaks.width()
            }
        }
    }

    /// How many characters of a line are looked at.
    fn length(&self) -> usize {
        self.range.column.saturating_add(self.range.line_length)
    }

    fn keep(&mut self, bytes: &[u8]) {
        // A unit more may be the carriage return of the ending.
        let most = self.length().saturating_mul(self.breaks.charset().longest());
        let room = most.saturating_add(self.breaks.width()).saturating_sub(self.line.len());
        self.line_cut |= bytes.len() > room;
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end_line(&mut self, ending: Ending) {
        // A carriage return belongs to the ending only right before the newline.
        let whole = ending == Ending::Newline && !self.line_cut;
        let bytes = if whole { self.breaks.without_return(&self.line) } else { &self.line };
        let mut shown = self.breaks.charset().show(bytes, self.length());
        if self.range.column > 0 {
            let start =
                shown.text.char_indices().nth(self.range.column).map_or(shown.text.len(), |(at, _)| at);
            shown.text.drain(..start);
        }
        let cost = shown.text.len().saturating_add(self.range.line_cost);
        self.line.clear();
        let cut = std::mem::take(&mut self.line_cut) || shown.cut;
        if !self.found.lines.is_empty() && self.used.saturating_add(cost) > self.range.budget {
            self.more = true;
            return;
        }
        self.begun = false;
        self.ended += 1;
        self.used = self.used.saturating_add(cost);
        self.found.undecodable += shown.undecodable;
        if self.found.nul.is_none() && memchr::memchr(0, shown.text.as_bytes()).is_some() {
            self.found.nul = Some(self.ended);
        }
        self.found.lines.push(Line { text: shown.text, cut });
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Ending {
    Newline,
    None,
}
