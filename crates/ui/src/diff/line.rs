//! One line as a row shows it: decoded, cut if it is very long, with the words marked that differ.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;
use toolcrib::{HunkRow, differing_words};

/// What a row shows of a line, in UTF-16 units.
const MOST_UNITS: usize = 2000;
/// What is shown before the first mark of a line that is cut at its start.
const BEFORE_MARK: usize = 200;
/// Longer lines are not compared word by word.
const MOST_COMPARED: usize = 20_000;

/// How bytes become text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Utf8,
    /// It is mostly text; what is not shows as U+FFFD.
    Lossy,
    Utf16 {
        big: bool,
    },
}

impl Coding {
    /// How both contents are read; none if one of them is no text.
    pub(super) fn of(before: &[u8], after: &[u8]) -> Option<Self> {
        let own = |bytes: &[u8]| match bytes {
            [0xFF, 0xFE, ..] => Some(Self::Utf16 { big: false }),
            [0xFE, 0xFF, ..] => Some(Self::Utf16 { big: true }),
            _ if bytes.contains(&0) => None,
            _ if std::str::from_utf8(bytes).is_ok() => Some(Self::Utf8),
            _ => Some(Self::Lossy),
        };
        match (before, after) {
            ([], one) | (one, []) => own(one),
            _ => match (own(before)?, own(after)?) {
                (one, other) if one == other => Some(one),
                (Self::Utf16 { .. }, _) | (_, Self::Utf16 { .. }) => None,
                _ => Some(Self::Lossy),
            },
        }
    }

    fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Utf8 | Self::Lossy => String::from_utf8_lossy(bytes),
            Self::Utf16 { big } => {
                let unit = |pair: &[u8]| match (big, pair) {
                    (true, [high, low]) => u16::from_be_bytes([*high, *low]),
                    (false, [low, high]) => u16::from_le_bytes([*low, *high]),
                    _ => 0xFFFD,
                };
                let units = bytes.chunks(2).map(unit);
                let text = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
                Cow::Owned(text.collect())
            }
        }
    }
}

/// Which words of each row differ from those of the line in whose place it stands.
pub(super) struct Marks(Vec<Vec<Range<usize>>>);

impl Marks {
    /// Those of the rows in this range; of the others there are none.
    pub(super) fn of(rows: &[HunkRow<'_>], wanted: Range<usize>, coding: Coding) -> Self {
        let mut marks = vec![Vec::new(); rows.len()];
        let mut at = 0;
        while at < rows.len() {
            let removed = rows[at..].iter().take_while(|row| matches!(row, HunkRow::Removed(..))).count();
            let added =
                rows[at + removed..].iter().take_while(|row| matches!(row, HunkRow::Added(..))).count();
            for pair in 0..removed.min(added) {
                let (old, new) = (at + pair, at + removed + pair);
                if !wanted.contains(&old) && !wanted.contains(&new) {
                    continue;
                }
                if let (HunkRow::Removed(_, before), HunkRow::Added(_, after)) = (rows[old], rows[new])
                    && before.len().max(after.len()) <= MOST_COMPARED
                {
                    let (before, after) = (coding.decode(before), coding.decode(after));
                    let (before, after) = (content(&before).0, content(&after).0);
                    (marks[old], marks[new]) = differing_words(before, after);
                }
            }
            at += (removed + added).max(1);
        }
        Self(marks)
    }

    pub(super) fn of_row(&self, row: usize) -> &[Range<usize>] {
        self.0.get(row).map_or(&[], Vec::as_slice)
    }
}

/// A line in a row.
#[derive(Serialize)]
pub(super) struct Shown {
    s: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<[usize; 2]>,
    /// How much of a long line is missing before and behind, in UTF-16 units.
    #[serde(skip_serializing_if = "is_zero")]
    cut_before: usize,
    #[serde(skip_serializing_if = "is_zero")]
    cut: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    eol: Option<&'static str>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Shown {
    /// The line, with marks as ranges of its bytes once it is decoded.
    pub(super) fn of(bytes: &[u8], marks: &[Range<usize>], coding: Coding) -> Self {
        let text = coding.decode(bytes);
        let (text, eol) = content(&text);
        let units = |range: Range<usize>| text[range].encode_utf16().count();
        let marks = marks.iter().map(|mark| {
            let start = units(0..mark.start);
            [start, start + units(mark.clone())]
        });
        let marks: Vec<_> = marks.collect();
        let all = units(0..text.len());
        if all <= MOST_UNITS {
            return Self { s: text.to_owned(), marks, cut_before: 0, cut: 0, eol };
        }
        let first = marks.first().map_or(0, |mark| mark[0]);
        let start = if first + BEFORE_MARK < MOST_UNITS { 0 } else { first - BEFORE_MARK };
        let mut cut_before = 0;
        let (mut s, mut length) = (String::new(), 0);
        for c in text.chars() {
            if cut_before < start {
                cut_before += c.len_utf16();
            } else if length + c.len_utf16() <= MOST_UNITS {
                length += c.len_utf16();
                s.push(c);
            } else {
                break;
            }
        }
        let within = |unit: usize| unit.saturating_sub(cut_before).min(length);
        let marks = marks.iter().map(|mark| mark.map(&within)).filter(|[from, to]| from < to).collect();
        Self { s, marks, cut_before, cut: all - cut_before - length, eol }
    }

    /// How much room it takes.
    pub(super) fn len(&self) -> usize {
        self.s.len() + 32
    }
}

/// A line without its ending, and what the ending is if it is not the usual one.
fn content(line: &str) -> (&str, Option<&'static str>) {
    match (line.strip_suffix("\r\n"), line.strip_suffix('\n')) {
        (Some(content), _) => (content, Some("crlf")),
        (None, Some(content)) => (content, None),
        (None, None) => (line, Some("none")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_what_differs() {
        let line = |word: &str| format!("{} {word} {}\n", "é ".repeat(3000), "z ".repeat(3000));
        let (old, new) = (line("old"), line("newer"));
        let rows = [HunkRow::Removed(0, old.as_bytes()), HunkRow::Added(0, new.as_bytes())];
        let marks = Marks::of(&rows, 0..2, Coding::Utf8);
        let shown = Shown::of(new.as_bytes(), marks.of_row(1), Coding::Utf8);
        let units: Vec<u16> = shown.s.encode_utf16().collect();
        assert_eq!(units.len(), MOST_UNITS);
        let [from, to] = shown.marks[0];
        assert_eq!(String::from_utf16(&units[from..to]).unwrap(), "newer");
        assert_eq!(shown.cut_before + units.len() + shown.cut, new.encode_utf16().count() - 1);
    }

    #[test]
    fn marks_count_as_scripts_do() {
        let (old, new) = ("😀 value one\n", "😀 value two\n");
        let rows = [HunkRow::Removed(0, old.as_bytes()), HunkRow::Added(0, new.as_bytes())];
        let shown = Shown::of(new.as_bytes(), Marks::of(&rows, 0..2, Coding::Utf8).of_row(1), Coding::Utf8);
        assert_eq!(shown.marks, [[9, 12]]);
    }

    #[test]
    fn utf_16_is_text() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        let (old, new) = (wide("\u{feff}a\n"), wide("\u{feff}b\r\n"));
        let coding = Coding::of(&old, &new).unwrap();
        let shown = Shown::of(&new, &[], coding);
        assert_eq!((shown.s.as_str(), shown.eol), ("\u{feff}b", Some("crlf")));
        assert_eq!(Coding::of(&old, b"plain"), None);
    }
}
