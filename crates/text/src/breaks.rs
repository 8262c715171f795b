//! Finds where lines end, in bytes that are not decoded.
//!
//! In every charset here but UTF-16 and UTF-32 the byte 0x0A is a newline wherever it stands: it is never the second
//! half of a character, and after a first half it ends both. So lines are found at the speed of memory, and only what
//! is shown is decoded. In the wide charsets a newline is the same byte among zeros, at the right place.

use memchr::{memchr, memchr_iter, memrchr_iter};

use crate::charset::{Charset, Order, Scheme};

/// The character that ends a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Newline {
    /// `\n`, alone or after `\r`.
    #[default]
    Lf,
    /// `\r`, in a text that has no `\n` at all: the way of old Macintoshes.
    Cr,
}

impl Newline {
    /// What ends the lines of a text in UTF-8.
    #[must_use]
    pub fn of(text: &[u8]) -> Self {
        if memchr(b'\n', text).is_none() && memchr(b'\r', text).is_some() { Self::Cr } else { Self::Lf }
    }

    /// The character in UTF-8.
    #[must_use]
    pub fn byte(self) -> u8 {
        match self {
            Self::Lf => b'\n',
            Self::Cr => b'\r',
        }
    }
}

/// How many lines a text has. What follows the last newline is one too, if there is anything.
///
/// ```
/// use toolcrib_text::line_count;
///
/// assert_eq!(["", "a", "a\n", "a\r\nb", "a\rb"].map(line_count), [0, 1, 1, 2, 2]);
/// ```
#[must_use]
pub fn line_count(text: &str) -> usize {
    let newline = Newline::of(text.as_bytes()).byte();
    let unended = text.as_bytes().last().is_some_and(|last| *last != newline);
    memchr_iter(newline, text.as_bytes()).count() + usize::from(unended)
}

/// Where lines end in the bytes of a text: its charset and its newline.
///
/// Bytes that are given must begin at a whole unit of the charset.
///
/// ```
/// use toolcrib_text::{Breaks, Charset, Newline};
///
/// let breaks = Breaks::new(Charset::UTF_16LE, Newline::Lf);
/// // U+0A0A holds the byte twice and is no newline.
/// assert_eq!(breaks.find(b"a\0\x0A\x0A\n\0b\0"), Some(4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breaks {
    charset: Charset,
    newline: Newline,
    width: usize,
    /// How many bytes of the unit come before the one that is not zero.
    before: usize,
}

impl Breaks {
    /// Lines of this charset that end so.
    #[must_use]
    pub fn new(charset: Charset, newline: Newline) -> Self {
        let width = charset.unit();
        let big = matches!(charset.0, Scheme::Utf16(Order::Big) | Scheme::Utf32(Order::Big));
        Self { charset, newline, width, before: if big { width - 1 } else { 0 } }
    }

    /// The charset.
    #[must_use]
    pub fn charset(self) -> Charset {
        self.charset
    }

    /// What ends a line.
    #[must_use]
    pub fn newline(self) -> Newline {
        self.newline
    }

    /// How many bytes a newline takes.
    #[must_use]
    pub fn width(self) -> usize {
        self.width
    }

    /// Where the first newline begins.
    #[must_use]
    pub fn find(self, bytes: &[u8]) -> Option<usize> {
        self.iter(bytes).next()
    }

    /// Where the newlines begin, first to last.
    pub fn iter(self, bytes: &[u8]) -> impl Iterator<Item = usize> {
        memchr_iter(self.byte(), bytes).filter_map(move |at| self.begins(bytes, at))
    }

    /// Where the newlines begin, last to first.
    pub fn iter_back(self, bytes: &[u8]) -> impl Iterator<Item = usize> {
        memrchr_iter(self.byte(), bytes).filter_map(move |at| self.begins(bytes, at))
    }

    /// How many newlines there are.
    #[must_use]
    pub fn count(self, bytes: &[u8]) -> u64 {
        // Counting single bytes is a loop of its own in memchr, several times faster than finding each.
        let count =
            if self.width == 1 { memchr_iter(self.byte(), bytes).count() } else { self.iter(bytes).count() };
        count as u64
    }

    /// Whether a newline ends the bytes.
    #[must_use]
    pub fn ends(self, bytes: &[u8]) -> bool {
        let last = bytes.len().checked_sub(self.width).and_then(|start| bytes.get(start + self.before));
        last == Some(&self.byte()) && self.begins(bytes, bytes.len() - self.width + self.before).is_some()
    }

    /// A line that was found in front of a newline, without the carriage return that belongs to it.
    pub(crate) fn without_return(self, line: &[u8]) -> &[u8] {
        let returns = Self { newline: Newline::Cr, ..self };
        if returns.ends(line) { &line[..line.len() - self.width] } else { line }
    }

    fn byte(self) -> u8 {
        self.newline.byte()
    }

    /// The start of the newline whose byte that is not zero was found, if it is one.
    fn begins(self, bytes: &[u8], found: usize) -> Option<usize> {
        if self.width == 1 {
            return Some(found);
        }
        let start = found.checked_sub(self.before).filter(|start| start.is_multiple_of(self.width))?;
        let unit = bytes.get(start..start + self.width)?;
        let zeros = unit.iter().enumerate().all(|(at, byte)| at == self.before || *byte == 0);
        zeros.then_some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_return_ends_lines_only_where_there_is_no_newline() {
        for (text, newline) in [
            ("", Newline::Lf),
            ("a", Newline::Lf),
            ("a\r\nb", Newline::Lf),
            ("10%\r20%\n", Newline::Lf),
            ("a\rb", Newline::Cr),
        ] {
            assert_eq!(Newline::of(text.as_bytes()), newline, "{text:?}");
            assert_eq!(crate::LineEndings::of(text).newline(), newline, "{text:?}");
        }
    }

    #[test]
    fn the_end_is_looked_at_whole() {
        for charset in [Charset::UTF_8, Charset::UTF_16BE, Charset::UTF_32LE, Charset::UTF_32BE] {
            let breaks = Breaks::new(charset, Newline::Lf);
            assert!(breaks.ends(&charset.encode("a\n").unwrap()));
            assert!(!breaks.ends(&charset.encode("a").unwrap()));
            assert!(!breaks.ends(b""));
        }
        assert!(!Breaks::new(Charset::UTF_16LE, Newline::Lf).ends(b"\n\x0A"));
        assert!(!Breaks::new(Charset::UTF_16LE, Newline::Lf).ends(b"a\n\0"));
    }

    proptest! {
        #[test]
        fn newlines_are_where_the_text_has_them(
            text in "[a\n\r\u{A}\u{A0A}\u{A00}\u{10A0A}ж漢]{0,20}",
            name in proptest::sample::select(Charset::NAMES),
            newline in proptest::sample::select(vec![Newline::Lf, Newline::Cr]),
        ) {
            let charset: Charset = name.parse().unwrap();
            let Ok(bytes) = charset.encode(&text) else { return Ok(()) };
            let breaks = Breaks::new(charset, newline);
            let wanted = if newline == Newline::Lf { '\n' } else { '\r' };
            let expected: Vec<usize> = text
                .match_indices(wanted)
                // What stands before a newline ends in the first mode, so the length of the start is its place.
                .map(|(at, _)| charset.encode(&text[..at]).unwrap().len())
                .collect();
            prop_assert_eq!(breaks.iter(&bytes).collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(breaks.count(&bytes), expected.len() as u64);
            let mut back: Vec<usize> = breaks.iter_back(&bytes).collect();
            back.reverse();
            prop_assert_eq!(back, expected);
        }
    }
}
