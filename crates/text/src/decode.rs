//! Decodes a line for a reader.

use std::borrow::Cow;

use memchr::memchr2;

use crate::charset::{Charset, Scheme};
use crate::units::{Units, What};

/// The start of some bytes as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) text: String,
    /// There are more characters.
    pub(crate) cut: bool,
    /// How many of the characters stand for bytes that do not decode.
    pub(crate) undecodable: usize,
}

impl Charset {
    /// Shows at most `most` characters of `bytes`, which begin where a line begins.
    pub(crate) fn show(self, bytes: &[u8], most: usize) -> Shown {
        match self.decode_valid(bytes) {
            Some(text) => {
                let (text, cut) = start_of(text, most);
                Shown { text, cut, undecodable: 0 }
            }
            None => self.show_each(bytes, most),
        }
    }

    /// The text, if everything decodes.
    pub(crate) fn decode_valid(self, bytes: &[u8]) -> Option<Cow<'_, str>> {
        match self.0 {
            Scheme::Utf8 => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            // encoding_rs knows no new start at a new line.
            Scheme::Iso2022Jp if memchr2(b'\n', b'\r', bytes).is_some() => None,
            _ => self.foreign()?.decode_without_bom_handling_and_without_replacement(bytes),
        }
    }

    fn show_each(self, bytes: &[u8], most: usize) -> Shown {
        let mut shown = Shown { text: String::new(), cut: false, undecodable: 0 };
        let mut room = most;
        for unit in Units::new(self, bytes) {
            unit.what.each(|c| {
                if room == 0 {
                    shown.cut = true;
                    return;
                }
                room -= 1;
                shown.text.push(c);
                shown.undecodable += usize::from(unit.what == What::Bad);
            });
            if shown.cut {
                break;
            }
        }
        shown
    }
}

fn start_of(text: Cow<'_, str>, most: usize) -> (String, bool) {
    // Most lines are shorter, and their characters need not be counted.
    let end = if text.len() <= most { None } else { text.char_indices().nth(most).map(|(at, _)| at) };
    match end {
        Some(at) => (text[..at].to_owned(), true),
        None => (text.into_owned(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_shown_counts() {
        let shown = Charset::UTF_8.show(b"a\xFF\xFEb\xFF", 3);
        assert_eq!(shown, Shown { text: "a\u{FFFD}\u{FFFD}".into(), cut: true, undecodable: 2 });
    }

    #[test]
    fn a_carriage_return_ends_a_shift_too() {
        assert_eq!(Charset::ISO_2022_JP.show(b"\x1B(J\\\r\\", 9).text, "¥\r\\");
    }

    #[test]
    fn a_replacement_character_in_the_text_is_a_character() {
        let shown = Charset::UTF_8.show("a\u{FFFD}".as_bytes(), 9);
        assert_eq!((shown.undecodable, shown.text.as_str()), (0, "a\u{FFFD}"));
        let shown = Charset::UTF_32LE.show(&Charset::UTF_32LE.encode("a\u{FFFD}").unwrap(), 9);
        assert_eq!((shown.undecodable, shown.text.as_str()), (0, "a\u{FFFD}"));
    }
}
