//! From a place in a text back to the place in its bytes.
//!
//! Every thousand bytes or so a mark says which offset of the text that is; between two marks the bytes are decoded
//! once more, character by character. So a map costs little, and decoding goes at the speed of encoding_rs.

use crate::charset::{Charset, Scheme};
use crate::stop::{Meter, Stopped};
use crate::units::{Mode, Units, What};

/// Where the characters of a text are in its bytes.
#[derive(Clone, Debug)]
pub(super) struct Map {
    marks: Vec<Mark>,
    undecodable: usize,
}

/// A place after a character, or the start.
#[derive(Clone, Copy, Debug)]
struct Mark {
    text: usize,
    byte: usize,
    mode: Mode,
}

/// What is known of a place between two characters of a text.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Where the bytes of the character before it end, and the mode of ISO-2022-JP there.
    pub(super) previous: usize,
    pub(super) mode_previous: Mode,
    /// Where the bytes of the character after it begin. Between the two there are only shifts.
    pub(super) begins: usize,
    pub(super) mode: Mode,
    /// Set if the place is inside of what one pair of bytes stands for: the text and the bytes of all of it.
    pub(super) inside: Option<(std::ops::Range<usize>, std::ops::Range<usize>)>,
}

/// How many bytes lie between two marks, at least.
const STEP: usize = 1024;

/// What a byte costs that is decoded character by character.
const EACH: usize = 64;

impl Map {
    /// Decodes the bytes from `start` on.
    pub(super) fn decode(
        charset: Charset,
        bytes: &[u8],
        start: usize,
        meter: &Meter<'_>,
    ) -> Result<(String, Self), Stopped> {
        let mut text = String::with_capacity(bytes.len());
        let mut at = Mark { text: 0, byte: start, mode: Mode::Ascii };
        let mut map = Self { marks: vec![at], undecodable: 0 };
        while at.byte < bytes.len() {
            let end = block_end(charset, bytes, at.byte);
            let valid = end.and_then(|end| charset.decode_valid(&bytes[at.byte..end]));
            match (valid, end) {
                (Some(valid), Some(end)) => {
                    meter.spend(end - at.byte)?;
                    text.push_str(&valid);
                    at.byte = end;
                }
                (_, end) => {
                    meter.spend(STEP * EACH)?;
                    at = map.decode_each(charset, &bytes[..end.unwrap_or(bytes.len())], at, &mut text)
                }
            }
            at.text = text.len();
            // The end may come after a shift, and needs no mark.
            if at.byte < bytes.len() {
                map.marks.push(at);
            }
        }
        Ok((text, map))
    }

    /// Decodes a block, or of a long one at least [`STEP`] bytes, character by character.
    fn decode_each(&mut self, charset: Charset, bytes: &[u8], from: Mark, text: &mut String) -> Mark {
        let mut units = Units::new(charset, &bytes[from.byte..]).with_mode(from.mode);
        let mut at = from;
        for unit in units.by_ref() {
            at.byte += unit.len;
            unit.what.each(|c| text.push(c));
            self.undecodable += usize::from(unit.what == What::Bad);
            if at.byte >= from.byte + STEP && unit.what != What::Shift {
                break;
            }
        }
        at.mode = units.mode();
        at
    }

    pub(super) fn undecodable(&self) -> usize {
        self.undecodable
    }

    /// What it costs to find a place.
    pub(super) const FIND: usize = STEP * EACH;

    /// Finds a place of the text in the bytes that it was decoded from.
    pub(super) fn find(&self, charset: Charset, bytes: &[u8], offset: usize) -> Found {
        let after = self.marks.partition_point(|mark| mark.text <= offset);
        let mark = self.marks[after.saturating_sub(1)];
        let mut units = Units::new(charset, &bytes[mark.byte..]).with_mode(mark.mode);
        let (mut text, mut byte) = (mark.text, mark.byte);
        let mut found =
            Found { previous: byte, mode_previous: mark.mode, begins: byte, mode: mark.mode, inside: None };
        loop {
            (found.begins, found.mode) = (byte, units.mode());
            let Some(unit) = units.next() else { return found };
            let (shown, from) = (unit.what.shown(), byte);
            byte += unit.len;
            if shown > 0 && text >= offset {
                return found;
            }
            if text + shown > offset {
                found.inside = Some((text..text + shown, from..byte));
                return found;
            }
            text += shown;
            if shown > 0 {
                (found.previous, found.mode_previous) = (byte, units.mode());
            }
        }
    }
}

/// The end of a block that can be decoded on its own; `None` if there is none near, or if modes matter.
fn block_end(charset: Charset, bytes: &[u8], from: usize) -> Option<usize> {
    const NEAR: usize = 16 * STEP;
    let least = from + STEP;
    let Some(rest) = bytes.get(least..) else {
        return (charset.0 != Scheme::Iso2022Jp).then_some(bytes.len());
    };
    let rest = &rest[..rest.len().min(NEAR)];
    match charset.0 {
        Scheme::Iso2022Jp => None,
        // No character goes on for more than three bytes after its first.
        Scheme::Utf8 => Some(least + rest.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count()),
        Scheme::Utf16(_) | Scheme::Utf32(_) => {
            let pair = Units::new(charset, &bytes[least - charset.unit()..]).next();
            let cut = pair.is_some_and(|unit| unit.len > charset.unit());
            Some(if cut { least + charset.unit() } else { least })
        }
        Scheme::Legacy(encoding) if encoding.is_single_byte() => Some(least),
        // Bytes below 0x30 are never the second half of a character.
        Scheme::Legacy(_) => rest.iter().position(|byte| *byte < 0x30).map(|at| least + at + 1),
    }
}
