//! Decodes one character at a time, and says how many bytes each took.
//!
//! This is the slow and exact way, for the places where it matters which bytes a character came from: around a change,
//! and where something does not decode. Whole texts are decoded in bulk; tests hold both to the same answer.

use encoding_rs::{DecoderResult, Encoding, ISO_2022_JP};

use crate::charset::{Charset, Order, Scheme};

/// What stands at one place of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// How many bytes it takes. Never 0.
    pub(crate) len: usize,
    pub(crate) what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Char(char),
    /// Big5 has four pairs of bytes that are a letter and a combining accent.
    Pair(char, char),
    /// Bytes that mean nothing. They are shown as U+FFFD.
    Bad,
    /// An escape sequence of ISO-2022-JP: no character, but it changes what the next ones are.
    Shift,
}

impl What {
    /// Calls `take` with each character that is shown for it.
    pub(crate) fn each(self, mut take: impl FnMut(char)) {
        match self {
            Self::Char(c) => take(c),
            Self::Pair(first, second) => {
                take(first);
                take(second);
            }
            Self::Bad => take(char::REPLACEMENT_CHARACTER),
            Self::Shift => {}
        }
    }

    /// How many bytes of UTF-8 it is shown as.
    pub(crate) fn shown(self) -> usize {
        let mut shown = 0;
        self.each(|c| shown += c.len_utf8());
        shown
    }
}

/// Which characters the bytes of ISO-2022-JP stand for at the moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    #[default]
    Ascii,
    Roman,
    Katakana,
    Kanji,
}

impl Mode {
    pub(crate) fn shift(self) -> &'static [u8; 3] {
        match self {
            Self::Ascii => b"\x1B(B",
            Self::Roman => b"\x1B(J",
            Self::Katakana => b"\x1B(I",
            Self::Kanji => b"\x1B$B",
        }
    }

    /// The mode that an escape sequence at the start of `bytes` asks for.
    pub(crate) fn by_shift(bytes: &[u8]) -> Option<Self> {
        match bytes.first_chunk()? {
            b"\x1B(B" => Some(Self::Ascii),
            b"\x1B(J" => Some(Self::Roman),
            b"\x1B(I" => Some(Self::Katakana),
            b"\x1B$B" | b"\x1B$@" => Some(Self::Kanji),
            _ => None,
        }
    }
}

/// Goes through bytes character by character.
#[derive(Clone, Debug)]
pub(crate) struct Units<'a> {
    charset: Charset,
    bytes: &'a [u8],
    mode: Mode,
    /// The last unit was a shift. A second one right after it means nothing, says the standard.
    shifted: bool,
}

impl<'a> Units<'a> {
    pub(crate) fn new(charset: Charset, bytes: &'a [u8]) -> Self {
        Self { charset, bytes, mode: Mode::Ascii, shifted: false }
    }

    pub(crate) fn with_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// How the next byte is to be understood.
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    fn japanese(&mut self) -> Unit {
        let bytes = self.bytes;
        let shifted = std::mem::take(&mut self.shifted);
        if let Some(mode) = Mode::by_shift(bytes) {
            (self.mode, self.shifted) = (mode, true);
            return Unit { len: 3, what: if shifted { What::Bad } else { What::Shift } };
        }
        match bytes[0] {
            // A line begins in ASCII, whatever the one before forgot; so lines can be read on their own.
            byte @ (b'\n' | b'\r') => {
                self.mode = Mode::Ascii;
                Unit { len: 1, what: What::Char(byte.into()) }
            }
            0x1B => Unit { len: 1, what: What::Bad },
            _ => step(ISO_2022_JP, self.mode.shift(), bytes),
        }
    }
}

impl Iterator for Units<'_> {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        let first = *self.bytes.first()?;
        let unit = match self.charset.0 {
            Scheme::Utf8 => utf8(self.bytes),
            Scheme::Utf16(order) => utf16(self.bytes, order),
            Scheme::Utf32(order) => utf32(self.bytes, order),
            Scheme::Iso2022Jp => self.japanese(),
            Scheme::Legacy(_) if first.is_ascii() => Unit { len: 1, what: What::Char(first.into()) },
            Scheme::Legacy(encoding) => step(encoding, b"", self.bytes),
        };
        self.bytes = &self.bytes[unit.len..];
        Some(unit)
    }
}

fn utf8(bytes: &[u8]) -> Unit {
    let window = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(window) {
        Ok(valid) => valid,
        Err(error) => match window.get(..error.valid_up_to()).map(std::str::from_utf8) {
            Some(Ok(valid)) if !valid.is_empty() => valid,
            _ => return Unit { len: error.error_len().unwrap_or(window.len()), what: What::Bad },
        },
    };
    match valid.chars().next() {
        Some(c) => Unit { len: c.len_utf8(), what: What::Char(c) },
        None => Unit { len: 1, what: What::Bad },
    }
}

fn utf16(bytes: &[u8], order: Order) -> Unit {
    let at = |index: usize| {
        let pair = [*bytes.get(index)?, *bytes.get(index + 1)?];
        Some(if order == Order::Little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) })
    };
    let pair = at(0).map(|first| [first, at(2).unwrap_or(0)]);
    match pair.and_then(|pair| char::decode_utf16(pair).next()) {
        Some(Ok(c)) => Unit { len: c.len_utf16() * 2, what: What::Char(c) },
        Some(Err(_)) | None => Unit { len: bytes.len().min(2), what: What::Bad },
    }
}

fn utf32(bytes: &[u8], order: Order) -> Unit {
    let number = bytes.first_chunk().map(|four| match order {
        Order::Little => u32::from_le_bytes(*four),
        Order::Big => u32::from_be_bytes(*four),
    });
    match number.and_then(char::from_u32) {
        Some(c) => Unit { len: 4, what: What::Char(c) },
        None => Unit { len: bytes.len().min(4), what: What::Bad },
    }
}

/// Lets a fresh decoder that has seen `before` go on until it has a character or gives up.
///
/// In every charset of encoding_rs but ISO-2022-JP (where `before` sets the mode) a decoder is in its first state
/// after each character and after each error, so a fresh one knows no less than one that read from the start.
fn step(encoding: &'static Encoding, before: &[u8], bytes: &[u8]) -> Unit {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = [0; 16];
    _ = decoder.decode_to_utf8_without_replacement(before, &mut text, false);
    for end in 1..=bytes.len().min(4) {
        let (result, _, written) =
            decoder.decode_to_utf8_without_replacement(&bytes[end - 1..end], &mut text, end == bytes.len());
        if let DecoderResult::Malformed(len, _) = result {
            return Unit { len: usize::from(len).clamp(1, end), what: What::Bad };
        }
        let mut chars = std::str::from_utf8(&text[..written]).unwrap_or_default().chars();
        match (chars.next(), chars.next()) {
            (Some(first), Some(second)) => return Unit { len: end, what: What::Pair(first, second) },
            (Some(c), None) => return Unit { len: end, what: What::Char(c) },
            (None, _) => {}
        }
    }
    Unit { len: 1, what: What::Bad }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(charset: Charset, bytes: &[u8]) -> String {
        let mut text = String::new();
        Units::new(charset, bytes).for_each(|unit| unit.what.each(|c| text.push(c)));
        text
    }

    #[test]
    fn a_pair_of_bytes_may_be_two_characters() {
        let units: Vec<Unit> = Units::new("big5".parse().unwrap(), b"\x88\x62a").collect();
        assert_eq!(units[0], Unit { len: 2, what: What::Pair('\u{CA}', '\u{304}') });
        assert_eq!(units[1], Unit { len: 1, what: What::Char('a') });
    }

    #[test]
    fn shifts_are_no_characters_and_lines_begin_without() {
        let units: Vec<What> = Units::new(Charset::ISO_2022_JP, b"a\x1B$B4A\n4A\x1B(B\x1B(Bb\x1B[0m")
            .map(|unit| unit.what)
            .collect();
        let chars = "4A".chars().map(What::Char);
        let mut expected = vec![What::Char('a'), What::Shift, What::Char('漢'), What::Char('\n')];
        expected.extend(chars);
        expected.extend([What::Shift, What::Bad, What::Char('b'), What::Bad]);
        expected.extend("[0m".chars().map(What::Char));
        assert_eq!(units, expected);
    }

    proptest! {
        /// Any bytes: what the web's decoder shows, and every byte belongs to one unit.
        #[test]
        fn step_by_step_is_the_same_as_at_once(
            name in proptest::sample::select(Charset::NAMES),
            bytes in proptest::collection::vec(prop_oneof![
                any::<u8>(), 0x30..0x3A_u8, 0x80..0xFF_u8, Just(0x81), Just(0x8F), Just(0xD8), Just(0xDC), Just(0),
            ], 0..24),
        ) {
            let charset: Charset = name.parse().unwrap();
            let total: usize = Units::new(charset, &bytes).map(|unit| unit.len).sum();
            prop_assert_eq!(total, bytes.len());
            // UTF-32 is not known to encoding_rs, ISO-2022-JP is reset at line ends here, and half a unit of UTF-16 is
            // a fault of its own.
            let bytes = &bytes[..bytes.len() - bytes.len() % charset.unit()];
            if let Some(encoding) = charset.foreign().filter(|encoding| *encoding != ISO_2022_JP) {
                let expected = encoding.decode_without_bom_handling(bytes).0;
                prop_assert_eq!(shown(charset, bytes), expected);
            }
        }

        #[test]
        fn japanese_mail_line_by_line(
            parts in proptest::collection::vec(proptest::sample::select(
                vec![&b"\x1B$B"[..], b"\x1B(B", b"\x1B(J", b"\x1B(I", b"\x1B$@", b"\x1B", b"4A", b"$\"", b"a", b"\\~", b"!", b"\x0E", b"\xE9"],
            ), 0..12),
        ) {
            let bytes = parts.concat();
            let expected = ISO_2022_JP.decode_without_bom_handling(&bytes).0;
            prop_assert_eq!(shown(Charset::ISO_2022_JP, &bytes), expected);
        }
    }
}
