//! Grams: three bytes in a row, of text in which case does not count.
//!
//! This module turns text into grams. It must not know files, patterns or how grams are stored.
//!
//! Both the text of a file and the literals of a pattern are folded, character by character, so that a literal that occurs in
//! a text occurs in the folded text too. What folds to the same is what a search may take for the same:
//!
//! - ASCII letters of either case, and with `k` the Kelvin sign and with `s` the long s, which `(?i)` matches as well;
//! - a carriage return and a newline, because a text that has only carriage returns is searched as if they were newlines.

use std::borrow::Cow;

use memchr::memchr2;
use memchr::memmem::Finder;

/// Three bytes of folded text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gram(u32);

impl Gram {
    /// So many grams there can be.
    pub const COUNT: u32 = 1 << 24;

    /// The gram of these bytes, which have been folded.
    pub fn new(bytes: [u8; 3]) -> Self {
        let [first, second, third] = bytes;
        Self(u32::from_be_bytes([0, first, second, third]))
    }

    /// The gram with this number, if it is less than [`Gram::COUNT`].
    pub fn from_number(number: u32) -> Option<Self> {
        (number < Self::COUNT).then_some(Self(number))
    }

    /// The number of the gram, which sorts as its bytes do.
    pub fn number(self) -> u32 {
        self.0
    }
}

/// Finds the distinct grams of one text after another.
pub struct Grams {
    /// One bit for each gram. Between two calls only those in `found` are set.
    seen: Vec<u64>,
    /// The grams of the last text, and room for more.
    found: Vec<Gram>,
    count: usize,
    letters: [Finder<'static>; 2],
}

impl Default for Grams {
    fn default() -> Self {
        Self::new()
    }
}

impl Grams {
    /// An extractor, which takes 2 MiB and is worth keeping for the next text.
    pub fn new() -> Self {
        let letters = [Finder::new(&LONG_S), Finder::new(&KELVIN)];
        Self { seen: vec![0; WORDS], found: Vec::new(), count: 0, letters }
    }

    /// The distinct grams of the folded text, in no particular order.
    pub fn of(&mut self, text: &[u8]) -> &[Gram] {
        self.clear();
        if self.letters.iter().any(|letter| letter.find(text).is_some()) {
            self.extract(&short_letters(text));
        } else {
            self.extract(text);
        }
        self.found.get(..self.count).unwrap_or_default()
    }

    fn clear(&mut self) {
        for gram in self.found.iter().take(self.count) {
            if let Some(word) = self.seen.get_mut(gram.0 as usize / BITS) {
                *word = 0;
            }
        }
        self.count = 0;
    }

    fn extract(&mut self, text: &[u8]) {
        let Some(([first, second], rest)) = text.split_first_chunk() else {
            return;
        };
        let mut window = shifted(shifted(0, *first), *second);
        for piece in rest.chunks(PIECE) {
            // Room for as many as the piece can have: each gram is written, and stays if it is a new one. That is faster than
            // a branch, which would often be predicted wrongly.
            self.found.resize(self.found.len().max(self.count + PIECE), Gram(0));
            window = self.extract_piece(window, piece);
        }
    }

    fn extract_piece(&mut self, mut window: u32, piece: &[u8]) -> u32 {
        let seen = &mut self.seen[..WORDS];
        let found = &mut self.found[self.count..][..PIECE];
        let mut count = 0;
        for byte in piece {
            window = shifted(window, *byte);
            let word = &mut seen[window as usize / BITS];
            let bit = 1 << (window as usize % BITS);
            found[count] = Gram(window);
            count += usize::from(*word & bit == 0);
            *word |= bit;
        }
        self.count += count;
        window
    }
}

/// The folded text, whose bytes make the grams.
pub(crate) fn fold(text: &[u8]) -> Vec<u8> {
    short_letters(text).iter().map(|byte| FOLDED[usize::from(*byte)]).collect()
}

/// How many bits a word of the bitmap has.
const BITS: usize = u64::BITS as usize;
const WORDS: usize = Gram::COUNT as usize / BITS;
/// So many bytes are looked at between two checks for room.
const PIECE: usize = 4096;

/// `ſ`, which is an `s` where case does not count.
const LONG_S: [u8; 2] = [0xC5, 0xBF];
/// The sign for kelvin, which is a `k` where case does not count.
const KELVIN: [u8; 3] = [0xE2, 0x84, 0xAA];

/// What each byte folds to, apart from the letters of several bytes.
const FOLDED: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).to_ascii_lowercase();
        byte += 1;
    }
    table[b'\r' as usize] = b'\n';
    table
};

fn shifted(window: u32, byte: u8) -> u32 {
    (window << 8 | u32::from(FOLDED[usize::from(byte)])) & (Gram::COUNT - 1)
}

/// The text with `s` and `k` for the letters of several bytes that fold to them.
fn short_letters(text: &[u8]) -> Cow<'_, [u8]> {
    let mut short = Vec::new();
    let mut rest = text;
    while let Some(at) = memchr2(LONG_S[0], KELVIN[0], rest) {
        let (before, from) = rest.split_at(at);
        let (letter, length) = match from {
            [0xC5, 0xBF, ..] => (b's', LONG_S.len()),
            [0xE2, 0x84, 0xAA, ..] => (b'k', KELVIN.len()),
            _ => (from[0], 1),
        };
        short.extend_from_slice(before);
        short.push(letter);
        rest = &from[length..];
    }
    if short.is_empty() {
        return Cow::Borrowed(text);
    }
    short.extend_from_slice(rest);
    Cow::Owned(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grams(text: &str) -> Vec<String> {
        let mut grams = Grams::new();
        let mut found: Vec<_> =
            grams.of(text.as_bytes()).iter().map(|gram| gram.number().to_be_bytes()).collect();
        found.sort_unstable();
        found.iter().map(|bytes| bytes[1..].escape_ascii().to_string()).collect()
    }

    #[test]
    fn each_gram_is_found_once() {
        assert_eq!(grams("abcabcab"), ["abc", "bca", "cab"]);
        assert_eq!((grams("abc"), grams("ab"), grams("")), (vec!["abc".to_owned()], vec![], vec![]));
    }

    #[test]
    fn case_does_not_count() {
        assert_eq!(grams("FooBAR"), grams("fOObar"));
        assert_eq!(grams("\u{212A}Iſs"), grams("kiss"));
        assert_ne!(grams("É00"), grams("é00"));
    }

    #[test]
    fn a_carriage_return_is_a_newline() {
        assert_eq!(grams("a\rb"), grams("a\nb"));
    }

    #[test]
    fn folding_keeps_what_only_looks_like_a_letter_of_several_bytes() {
        assert_eq!(fold("ŏſ™\u{212A}Ab".as_bytes()), "ŏs™kab".as_bytes());
        assert_eq!(fold(b"\xC5\xE2\x84\xC5"), b"\xC5\xE2\x84\xC5");
    }

    #[test]
    fn one_text_leaves_nothing_for_the_next() {
        let mut grams = Grams::new();
        let long: Vec<u8> = (0..100_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        let count = grams.of(&long).len();
        assert_eq!(count, 1000);
        assert_eq!(grams.of(b"xyz"), [Gram::new(*b"xyz")]);
        assert!(grams.of(b"").is_empty());
        assert_eq!(grams.of(&long).len(), count);
    }

    #[test]
    fn grams_are_the_windows_of_the_folded_text() {
        let mut grams = Grams::new();
        let text: Vec<u8> = (0..20_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let folded = fold(&text);
        let mut expected: Vec<_> = folded.array_windows().map(|bytes| Gram::new(*bytes)).collect();
        expected.sort_unstable();
        expected.dedup();
        let mut found = grams.of(&text).to_vec();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}
