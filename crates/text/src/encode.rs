//! Turns text into bytes, and refuses what a charset cannot hold.
//!
//! encoding_rs does what web forms need: it writes `\` for `¥` in Shift_JIS and full-width for half-width letters in
//! ISO-2022-JP. In a file that would be another character, so everything encoded is read back and must be the same.

use std::fmt;

use encoding_rs::EncoderResult;

use crate::charset::{Charset, Order, Scheme};
use crate::encoding::Encoding;
use crate::stop::{Meter, Stopped};
use crate::units::{Mode, Units, What};

/// A character that the charset cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unencodable {
    /// The character.
    pub character: char,
    /// Where it stands in the text that was to be encoded, in bytes of UTF-8.
    pub at: usize,
    /// The charset.
    pub charset: Charset,
}

impl fmt::Display for Unencodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { character, charset, .. } = self;
        write!(
            f,
            "'{}' (U+{:04X}) does not exist in {charset}",
            character.escape_debug(),
            u32::from(*character)
        )
    }
}

impl std::error::Error for Unencodable {}

impl Encoding {
    /// The bytes of a text, with the mark in front if there is one.
    ///
    /// # Errors
    ///
    /// The first character that the charset cannot hold; nothing is written as `?`.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, Unencodable> {
        self.encode_metered(text, &Meter::unlimited()).unwrap_or_else(Stopped::cannot_be)
    }

    /// The same, as long as it is wanted.
    ///
    /// # Errors
    ///
    /// If it was stopped; else as [`encode`](Self::encode).
    pub fn encode_metered(
        self,
        text: &str,
        meter: &Meter<'_>,
    ) -> Result<Result<Vec<u8>, Unencodable>, Stopped> {
        let mut bytes = self.mark().to_vec();
        Ok(self.charset.encode_metered(text, meter)?.map(|mut encoded| {
            bytes.append(&mut encoded);
            bytes
        }))
    }
}

impl Charset {
    /// The bytes of a text.
    ///
    /// ```
    /// use toolcrib_text::Charset;
    ///
    /// let latin: Charset = "windows-1252".parse()?;
    /// assert_eq!(latin.encode("10 €")?, b"10 \x80");
    /// let error = latin.encode("10 ₽").unwrap_err();
    /// assert_eq!((error.character, error.at), ('₽', 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first character that the charset cannot hold.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, Unencodable> {
        self.encode_metered(text, &Meter::unlimited()).unwrap_or_else(Stopped::cannot_be)
    }

    /// The same, as long as it is wanted.
    pub(crate) fn encode_metered(
        self,
        text: &str,
        meter: &Meter<'_>,
    ) -> Result<Result<Vec<u8>, Unencodable>, Stopped> {
        let mut bytes = Vec::new();
        let mut start = 0;
        for piece in self.pieces(text) {
            meter.spend(piece.len() * COST)?;
            if let Err(error) = self.encode_piece(piece, &mut bytes) {
                return Ok(Err(Unencodable { at: start + error.at, ..error }));
            }
            start += piece.len();
        }
        Ok(Ok(bytes))
    }

    /// Parts of a text that can be encoded one by one.
    ///
    /// In ISO-2022-JP each is a line, so that it begins and ends in ASCII: the mail standard asks for that after Kanji, we
    /// always do, and read it so. In all other charsets no character depends on the one before.
    fn pieces(self, text: &str) -> impl Iterator<Item = &str> {
        const PIECE: usize = 64 * 1024;
        let mut rest = text;
        std::iter::from_fn(move || {
            let end = match self.0 {
                Scheme::Iso2022Jp => rest.find(['\n', '\r']).map_or(rest.len(), |at| at + 1),
                _ => rest.floor_char_boundary(PIECE),
            };
            let (piece, after) = rest.split_at(end);
            rest = after;
            (!piece.is_empty()).then_some(piece)
        })
    }

    fn encode_piece(self, text: &str, bytes: &mut Vec<u8>) -> Result<(), Unencodable> {
        match self.0 {
            Scheme::Utf8 => bytes.extend_from_slice(text.as_bytes()),
            Scheme::Utf16(Order::Little) => bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Scheme::Utf16(Order::Big) => bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            Scheme::Utf32(Order::Little) => {
                bytes.extend(text.chars().flat_map(|c| u32::from(c).to_le_bytes()))
            }
            Scheme::Utf32(Order::Big) => bytes.extend(text.chars().flat_map(|c| u32::from(c).to_be_bytes())),
            Scheme::Iso2022Jp => {
                let body = text.trim_end_matches(['\n', '\r']);
                bytes.append(&mut self.encode_legacy(body)?);
                bytes.extend_from_slice(&text.as_bytes()[body.len()..]);
            }
            Scheme::Legacy(_) => bytes.append(&mut self.encode_legacy(text)?),
        }
        Ok(())
    }

    fn encode_legacy(self, text: &str) -> Result<Vec<u8>, Unencodable> {
        let fail = |at: usize| {
            let character = text[at..].chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
            Unencodable { character, at, charset: self }
        };
        let Some(encoding) = self.foreign() else { return Err(fail(0)) };
        let mut encoder = encoding.new_encoder();
        // Room for all of it, so that one call is enough; the most is 3 bytes and two shifts for one of UTF-8.
        let mut bytes = Vec::with_capacity(text.len() * 4 + 16);
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(text, &mut bytes, true);
        let unmappable = match result {
            EncoderResult::InputEmpty => None,
            EncoderResult::OutputFull => Some(read),
            EncoderResult::Unmappable(character) => Some(read - character.len_utf8()),
        };
        match [self.first_difference(&bytes, text), unmappable].into_iter().flatten().min() {
            Some(at) => Err(fail(at)),
            None => Ok(bytes),
        }
    }

    /// Where the text that `bytes` decode to first differs from `text`, as far as it goes.
    fn first_difference(self, bytes: &[u8], text: &str) -> Option<usize> {
        let plain = self.foreign()?.decode_without_bom_handling_and_without_replacement(bytes);
        if plain.is_some_and(|plain| plain == text) {
            return None;
        }
        let mut wanted = text.char_indices();
        let mut different = None;
        for unit in Units::new(self, bytes) {
            unit.what.each(|c| match wanted.next() {
                Some((_, same)) if same == c && unit.what != What::Bad => {}
                Some((at, _)) => different = different.or(Some(at)),
                None => different = different.or(Some(0)),
            });
            if different.is_some() {
                break;
            }
        }
        different
    }

    /// Encodes a text for a place between others: as [`encode`](Self::encode), but in ISO-2022-JP it begins in one
    /// mode and ends in another, with no shift that is not needed.
    pub(crate) fn encode_between(
        self,
        text: &str,
        from: Mode,
        to: Mode,
        meter: &Meter<'_>,
    ) -> Result<Result<Vec<u8>, Unencodable>, Stopped> {
        Ok(self.encode_metered(text, meter)?.map(|bytes| self.between(bytes, from, to)))
    }

    fn between(self, mut bytes: Vec<u8>, from: Mode, to: Mode) -> Vec<u8> {
        if self.0 != Scheme::Iso2022Jp {
            return bytes;
        }
        // encoding_rs begins and ends in ASCII.
        if bytes.is_empty() {
            return if from == to { bytes } else { to.shift().to_vec() };
        }
        let end = last_mode(&bytes);
        if end.written != Mode::Ascii {
            bytes.truncate(end.at);
        }
        if end.written != to {
            bytes.extend_from_slice(to.shift());
        }
        match Mode::by_shift(&bytes) {
            Some(mode) if mode == from => drop(bytes.drain(..3)),
            None if from != Mode::Ascii => drop(bytes.splice(..0, *Mode::Ascii.shift())),
            _ => {}
        }
        bytes
    }
}

/// What a byte of text costs to encode, to decode again and to compare.
const COST: usize = 8;

struct Last {
    /// The mode of the last character.
    written: Mode,
    /// Where that character ends.
    at: usize,
}

fn last_mode(bytes: &[u8]) -> Last {
    let mut units = Units::new(Charset::ISO_2022_JP, bytes);
    let mut last = Last { written: Mode::Ascii, at: 0 };
    let mut at = 0;
    while let Some(unit) = units.next() {
        at += unit.len;
        if unit.what != What::Shift {
            last = Last { written: units.mode(), at };
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(charset: &str, text: &str, character: char, at: usize) {
        let charset: Charset = charset.parse().unwrap();
        assert_eq!(charset.encode(text), Err(Unencodable { character, at, charset }));
    }

    #[test]
    fn what_a_charset_cannot_hold_is_named() {
        refused("windows-1252", "a → b", '→', 2);
        refused("koi8-r", "цена 5 €", '€', 11);
        refused("gbk", "a😀", '😀', 1);
        assert_eq!(
            "windows-1252".parse::<Charset>().unwrap().encode("→").unwrap_err().to_string(),
            "'→' (U+2192) does not exist in windows-1252"
        );
    }

    #[test]
    fn what_would_become_another_character_is_refused() {
        refused("shift_jis", "価格 ¥100", '¥', 7);
        refused("euc-jp", "‾", '‾', 0);
        refused("iso-2022-jp", "漢ｱ", 'ｱ', 3);
        refused("shift_jis", "−1 →", '−', 0);
    }

    #[test]
    fn the_earlier_of_two_faults_counts() {
        refused("shift_jis", "a¥b😀", '¥', 1);
        refused("shift_jis", "a😀b¥", '😀', 1);
    }

    #[test]
    fn between_other_characters_only_needed_shifts_are_written() {
        let between = |text, from, to| {
            let bytes =
                Charset::ISO_2022_JP.encode_between(text, from, to, &Meter::unlimited()).unwrap().unwrap();
            bytes.escape_ascii().to_string()
        };
        use Mode::{Ascii, Kanji};
        assert_eq!(between("漢", Ascii, Ascii), r"\x1b$B4A\x1b(B");
        assert_eq!(between("漢", Kanji, Kanji), "4A");
        assert_eq!(between("漢", Kanji, Ascii), r"4A\x1b(B");
        assert_eq!(between("漢", Ascii, Kanji), r"\x1b$B4A");
        assert_eq!(between("a", Kanji, Kanji), r"\x1b(Ba\x1b$B");
        assert_eq!(between("a", Ascii, Kanji), r"a\x1b$B");
        assert_eq!(between("a漢", Kanji, Kanji), r"\x1b(Ba\x1b$B4A");
        assert_eq!(between("", Kanji, Kanji), "");
        assert_eq!(between("", Kanji, Ascii), r"\x1b(B");
        assert_eq!(between("\n", Kanji, Ascii), r"\x1b(B\n");
    }
}
