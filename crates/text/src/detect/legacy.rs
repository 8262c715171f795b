//! Charsets from before Unicode, guessed from the passages that are not ASCII.
//!
//! chardetng takes some 150 ns for each byte, so it gets a few thousand of them. They are taken evenly from all over
//! the sample: a text that is ASCII for its first megabyte is judged by what comes then.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, KOI8_R, KOI8_U};
use memchr::memchr;

use crate::charset::Charset;

/// How many bytes are looked at.
const BUDGET: usize = 24 * 1024;
/// Into how many parts a large piece is divided, to take something of each.
const PARTS: usize = 16;
/// How far a passage reaches around what is not ASCII.
const PASSAGE: usize = 256;

/// The charset of pieces that are not UTF-8.
pub(super) fn detect(pieces: &[&[u8]]) -> Charset {
    let passages = passages(pieces);
    let (valid, invalid) = passages.iter().fold((0, 0), |(valid, invalid), passage| {
        let (more, less) = utf8_sequences(passage);
        (valid + more, invalid + less)
    });
    if valid > 0 && valid >= invalid {
        return Charset::UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    for passage in &passages {
        detector.feed(passage, false);
    }
    let guess = detector.guess(None, Utf8Detection::Deny);
    // It never says KOI8-R, which only lacks the letters that Ukrainian has and Russian has not.
    let russian = guess == KOI8_U && !passages.concat().iter().any(|byte| UKRAINIAN.contains(byte));
    Charset::of_foreign(if russian { KOI8_R } else { guess }).unwrap_or(Charset::UTF_8)
}

/// Where KOI8-U has letters and KOI8-R has frames.
const UKRAINIAN: [u8; 10] = [0xA4, 0xA6, 0xA7, 0xAD, 0xAE, 0xB4, 0xB6, 0xB7, 0xBD, 0xBE];

/// How many characters of more than one byte a passage has as UTF-8, and how many pieces that are none.
fn utf8_sequences(passage: &[u8]) -> (usize, usize) {
    passage.utf8_chunks().fold((0, 0), |(valid, invalid), chunk| {
        let wide = chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        (valid + wide, invalid + usize::from(!chunk.invalid().is_empty()))
    })
}

/// Passages around what is not ASCII, evenly from all pieces. Each begins and ends where no character is cut, but for
/// the end of the last.
fn passages<'a>(pieces: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let mut parts: Vec<Part<'a>> =
        pieces.iter().enumerate().flat_map(|(at, piece)| split(piece, at > 0)).collect();
    let mut passages = Vec::new();
    let mut cut = None;
    let mut left = BUDGET;
    while left > 0 && !parts.is_empty() {
        parts.retain_mut(|part| {
            let Some(passage) = (left > 0).then(|| part.next()).flatten() else { return false };
            left = left.saturating_sub(passage.bytes.len());
            if passage.cut {
                cut = cut.or(Some(passage.bytes))
            } else {
                passages.push(passage.bytes)
            }
            true
        });
    }
    passages.extend(cut);
    passages
}

struct Passage<'a> {
    bytes: &'a [u8],
    /// It ends within a run that has no place to end.
    cut: bool,
}

struct Part<'a> {
    bytes: &'a [u8],
    /// No character is cut at its end.
    ends_safe: bool,
}

fn split(piece: &[u8], starts_cut: bool) -> Vec<Part<'_>> {
    let step = if piece.len() > PARTS * PASSAGE { piece.len() / PARTS } else { piece.len() };
    let mut rest = if starts_cut { from_safe(piece) } else { piece };
    let mut parts = Vec::new();
    while rest.len() > step {
        let newline = memchr(b'\n', &rest[step..]).map(|at| step + at + 1);
        let safe = || rest[step..].iter().position(|byte| is_safe(*byte)).map(|at| step + at + 1);
        let Some(end) = newline.or_else(safe) else { break };
        let (bytes, after) = rest.split_at(end);
        parts.push(Part { bytes, ends_safe: true });
        rest = after;
    }
    parts.push(Part { bytes: rest, ends_safe: rest.last().is_some_and(|byte| is_safe(*byte)) });
    parts
}

/// Bytes below 0x30 (space, newline, most punctuation) are never the second half of a character.
fn is_safe(byte: u8) -> bool {
    byte < 0x30
}

/// What follows the first place where no character can be cut. Nothing, if there is none.
fn from_safe(bytes: &[u8]) -> &[u8] {
    bytes.iter().position(|byte| is_safe(*byte)).map_or(&[], |at| &bytes[at..])
}

impl<'a> Part<'a> {
    /// The next passage that is not all ASCII.
    fn next(&mut self) -> Option<Passage<'a>> {
        let foreign = Encoding::ascii_valid_up_to(self.bytes);
        if foreign == self.bytes.len() {
            return None;
        }
        let before = &self.bytes[..foreign];
        // A little of what comes before is context: the start of the word or of the line.
        let near = foreign.saturating_sub(PASSAGE / 4);
        let start = before[near..].iter().position(|byte| is_safe(*byte)).map_or(foreign, |at| near + at);
        let rest = &self.bytes[start..];
        let least = rest.len().min(foreign - start + PASSAGE);
        let newline = memchr(b'\n', &rest[foreign - start..least]).map(|at| foreign - start + at + 1);
        let safe = || {
            let most = rest.len().min(least + 16 * PASSAGE);
            rest[least..most].iter().position(|byte| is_safe(*byte)).map(|at| least + at + 1)
        };
        let all = (least == rest.len() && self.ends_safe).then_some(least);
        let end = newline.or_else(safe).or(all);
        let (bytes, rest) = rest.split_at(end.unwrap_or(least));
        self.bytes = if end.is_some() { rest } else { from_safe(rest) };
        Some(Passage { bytes, cut: end.is_none() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_ascii_is_found_wherever_it_stands() {
        let ascii = b"plain text, nothing else\n".repeat(10_000);
        let mut content = ascii.clone();
        content.extend_from_slice("Füße über Öl\n".chars().map(|c| c as u8).collect::<Vec<_>>().as_slice());
        content.extend_from_slice(&ascii);
        let passages = passages(&[&content]);
        assert_eq!(passages.len(), 1, "{passages:?}");
        assert!(passages[0].ends_with(b"\xD6l\n"));
        assert_eq!(detect(&[&content]).name(), "windows-1252");
    }

    #[test]
    fn a_large_text_is_sampled_evenly_and_within_the_budget() {
        let line = "Съешь же ещё этих мягких французских булок\n";
        let content = Charset::of_foreign(encoding_rs::KOI8_R).unwrap().encode(line).unwrap().repeat(20_000);
        let passages = passages(&[&content]);
        let total: usize = passages.iter().map(|passage| passage.len()).sum();
        assert!((BUDGET / 2..=BUDGET + 2 * PASSAGE).contains(&total), "{total}");
        let end = content.as_ptr_range().end as usize;
        let last = passages.iter().map(|passage| passage.as_ptr() as usize).max().unwrap();
        assert!(end - last < content.len() / 8, "nothing of the last part");
        assert_eq!(detect(&[&content]).name(), "koi8-r");
    }

    #[test]
    fn one_long_line_without_a_space_is_cut_only_at_its_end() {
        let charset = Charset::of_foreign(encoding_rs::SHIFT_JIS).unwrap();
        let content = charset.encode(&"吾輩は猫である名前はまだ無い".repeat(3000)).unwrap();
        assert_eq!(detect(&[&content]).name(), "shift_jis");
    }
}
