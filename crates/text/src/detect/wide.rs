//! UTF-16 and UTF-32 without a byte order mark.
//!
//! Bytes are taken for one of them if every unit is a character that texts have (a random unit of UTF-16 is one with a
//! chance of three in five), and if they show what only texts show: one alphabet where they are short, at least some
//! space, newline or punctuation where they are long.

use crate::charset::Charset;
use crate::units::{Units, What};

/// The wide charset that the bytes make sense in.
pub(super) fn detect(head: &[u8]) -> Option<Charset> {
    const WIDE: [Charset; 4] = [Charset::UTF_32LE, Charset::UTF_32BE, Charset::UTF_16LE, Charset::UTF_16BE];
    let sense = |charset: Charset| Some((look(charset, head)?, charset));
    // In UTF-32 next to nothing makes sense by chance, so it goes first.
    let (narrow, wide): (Vec<_>, Vec<_>) =
        WIDE.into_iter().filter_map(sense).partition(|(_, c)| c.unit() == 2);
    let best = |found: Vec<(usize, Charset)>| found.into_iter().max_by_key(|(sense, _)| *sense);
    best(wide).or_else(|| best(narrow)).map(|(_, charset)| charset)
}

/// Whether what follows a byte order mark can be the text that it announces.
pub(super) fn holds_no_nul(charset: Charset, bytes: &[u8]) -> bool {
    Units::new(charset, bytes).take(LOOKED_AT).all(|unit| unit.what != What::Char('\0'))
}

/// Whether there are control characters that texts in narrow charsets do not have: the low halves of wide ones.
pub(super) fn has_odd_controls(head: &[u8]) -> bool {
    let head = &head[..head.len().min(4096)];
    let odd = |byte: &&u8| matches!(**byte, 1..=6 | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F);
    head.iter().filter(odd).count() * 50 > head.len()
}

/// How many characters are looked at.
const LOOKED_AT: usize = 4096;

/// Below so many characters, all must be of one alphabet.
const SHORT: usize = 32;

/// How many characters are such as structure a text; `None` if the bytes make no sense.
fn look(charset: Charset, head: &[u8]) -> Option<usize> {
    let mut seen = Seen::default();
    let mut units = Units::new(charset, head).take(LOOKED_AT);
    let odd = units.find(|unit| match unit.what {
        What::Char(c) if is_usual(c) => {
            seen.add(c);
            false
        }
        _ => true,
    });
    // The head may end between two halves.
    let cut =
        odd.is_some_and(|odd| odd.what == What::Bad && odd.len <= charset.unit() && units.next().is_none());
    (odd.is_none() || cut && seen.all >= SHORT).then_some(seen)?.structure()
}

#[derive(Default)]
struct Seen {
    all: usize,
    structure: usize,
    /// How many are from the first 256 characters.
    latin: usize,
    /// How many are from other blocks of 256, and the first such block.
    other: Option<(u32, usize)>,
}

impl Seen {
    fn add(&mut self, c: char) {
        self.all += 1;
        let spacing = matches!(c, '\u{3000}'..='\u{3002}' | '\u{FF0C}' | '\u{2010}'..='\u{2026}');
        self.structure += usize::from(c.is_ascii() || spacing);
        let block = u32::from(c) >> 8;
        if block == 0 {
            self.latin += 1;
        } else {
            let (first, count) = self.other.get_or_insert((block, 0));
            *count += usize::from(*first == block);
        }
    }

    fn structure(&self) -> Option<usize> {
        let blocks = self.latin + self.other.map_or(0, |(_, count)| count);
        let enough = match self.all {
            0..2 => false,
            2..4 => self.latin == self.all,
            4..SHORT => blocks == self.all,
            _ => self.structure * 200 >= self.all,
        };
        (self.structure > 0 && enough).then_some(self.structure)
    }
}

/// Characters that texts are made of. What is missing: controls, unassigned and private ones, and what is so rare that
/// it is more often half of two others.
fn is_usual(c: char) -> bool {
    matches!(c,
        '\t' | '\n' | '\r' | '\u{C}' | '\u{1B}' | ' '..='~'
        | '\u{A0}'..='\u{52F}' // Latin, Greek, Cyrillic
        | '\u{531}'..='\u{6FF}' // Armenian, Hebrew, Arabic
        | '\u{900}'..='\u{EFF}' // India, Thai, Lao
        | '\u{10A0}'..='\u{11FF}' // Georgian, Hangul letters
        | '\u{1E00}'..='\u{27BF}' // accents, punctuation, symbols, frames
        | '\u{3000}'..='\u{30FF}' // Japanese
        | '\u{3105}'..='\u{318E}'
        | '\u{4E00}'..='\u{9FFF}' // Han
        | '\u{AC00}'..='\u{D7A3}' // Hangul
        | '\u{FB00}'..='\u{FB06}'
        | '\u{FE30}'..='\u{FE4F}'
        | '\u{FEFF}'
        | '\u{FF01}'..='\u{FFEE}'
        | '\u{FFFD}'
        | '\u{1F000}'..='\u{1FAFF}' // pictures
        | '\u{20000}'..='\u{2FA1D}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXTS: [&str; 8] = [
        "hi",
        "Привет\n",
        "Hello, world.\r\nSecond line.\n",
        "Съешь же ещё этих мягких французских булок, да выпей чаю.\n",
        "色は匂へど散りぬるを、我が世誰ぞ常ならむ。有為の奥山今日越えて、浅き夢見じ酔ひもせず。",
        "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.\n",
        "人人生而自由，在尊嚴和權利上一律平等。他們賦有理性和良心，並應以兄弟關係的精神互相對待。",
        "emoji 😀 and more text around them, enough of it\n",
    ];

    #[test]
    fn text_without_a_mark_is_recognised() {
        for charset in [Charset::UTF_16LE, Charset::UTF_16BE, Charset::UTF_32LE, Charset::UTF_32BE] {
            for text in TEXTS {
                assert_eq!(detect(&charset.encode(text).unwrap()), Some(charset), "{charset} {text}");
            }
        }
    }

    #[test]
    fn numbers_are_no_text() {
        let small: Vec<u8> = (0..500_u16).flat_map(u16::to_le_bytes).collect();
        assert_eq!(detect(&small), None);
        let pairs: Vec<u8> = (0..500_u32).flat_map(|n| (n * 7919).to_le_bytes()).collect();
        assert_eq!(detect(&pairs), None);
        assert_eq!(detect(&[0; 64]), None);
        assert_eq!(detect(b""), None);
    }

    #[test]
    fn a_long_text_has_punctuation() {
        let mut bytes = b"\x4E\x61".repeat(300);
        bytes.extend_from_slice(b"\0\x41");
        assert_eq!(detect(&bytes), None);
        bytes.extend_from_slice(b"\x30\x02");
        assert_eq!(detect(&bytes), Some(Charset::UTF_16BE));
    }

    #[test]
    fn a_short_text_is_of_one_alphabet() {
        assert_eq!(detect(b"\0\x41\x4E\x61\x55\x62\x30\x63\xAC\x20"), None);
        assert_eq!(detect(b"\0\x41\x04\x10\x04\x11\x04\x12"), Some(Charset::UTF_16BE));
    }

    proptest! {
        #[test]
        fn random_bytes_are_no_text(mut bytes in proptest::collection::vec(any::<u8>(), 6..200)) {
            bytes[0] = 0;
            prop_assert_eq!(detect(&bytes), None);
        }
    }
}
