//! Tells from the bytes alone whether they are text, and in which encoding.
//!
//! The rules, in order; the first that applies decides:
//!
//! 1. A byte order mark names the encoding, if what follows can be read in it.
//! 2. A magic number means other data.
//! 3. NULs near the start, or control characters that no text has, mean UTF-16 or UTF-32 without a mark if that makes
//!    sense, else (for NULs) other data.
//! 4. What is UTF-8 is UTF-8; Japanese mail is ISO-2022-JP.
//! 5. What has more of valid UTF-8 than of invalid is damaged UTF-8.
//! 6. Otherwise chardetng guesses from the passages that are not ASCII, wherever in the text they stand.
//!
//! A name does not count here: a picture called `.txt` is a picture, and a text called `.png` is a text.

mod legacy;
mod magic;
mod wide;

use memchr::{memchr, memmem};

use crate::charset::Charset;
use crate::encoding::Encoding;

/// What bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A text in this encoding.
    Text(Encoding),
    /// Something else.
    Binary(Binary),
}

/// Why bytes are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// They begin as no text does.
    Magic,
    /// A NUL stands at this offset.
    Nul(u64),
}

/// What is known of a content: all of it, or its head and pieces from elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The first begins where the content begins, the others at any multiple of 4.
    pieces: &'a [&'a [u8]],
    whole: bool,
}

impl<'a> Sample<'a> {
    /// The whole content, as one piece.
    #[must_use]
    pub fn whole(content: &'a &'a [u8]) -> Self {
        Self { pieces: std::slice::from_ref(content), whole: true }
    }

    /// The head of a content, and pieces of what follows. Each piece after the first must begin at a multiple of 4
    /// bytes, so that wide characters are not torn.
    #[must_use]
    pub fn pieces(pieces: &'a [&'a [u8]]) -> Self {
        Self { pieces, whole: false }
    }

    fn head(&self) -> &'a [u8] {
        let head = self.pieces.first().copied().unwrap_or_default();
        &head[..head.len().min(HEAD)]
    }
}

/// How much of the start is looked at for NULs and wide characters.
const HEAD: usize = 64 * 1024;

/// Tells what a whole content is.
///
/// ```
/// use toolcrib_text::{Charset, Content, detect};
///
/// let Content::Text(encoding) = detect("naïve café".as_bytes()) else { panic!() };
/// assert_eq!(encoding.charset, Charset::UTF_8);
/// let Content::Text(encoding) = detect(b"na\xEFve caf\xE9") else { panic!() };
/// assert_eq!(encoding.charset.name(), "windows-1252");
/// assert!(matches!(detect(b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR"), Content::Binary(_)));
/// ```
#[must_use]
pub fn detect(content: &[u8]) -> Content {
    detect_sample(Sample::whole(&content))
}

/// Tells what a content is of which only a sample is known.
#[must_use]
pub fn detect_sample(sample: Sample<'_>) -> Content {
    let head = sample.head();
    if let Some(encoding) = Encoding::by_mark(head) {
        let rest = &head[encoding.mark().len()..];
        if encoding.charset == Charset::UTF_8 || wide::holds_no_nul(encoding.charset, rest) {
            return Content::Text(encoding);
        }
    }
    if magic::is_other_data(head) {
        return Content::Binary(Binary::Magic);
    }
    let nul = memchr(0, head);
    if nul.is_some() || wide::has_odd_controls(head) {
        match (wide::detect(head), nul) {
            (Some(charset), _) => return Content::Text(charset.into()),
            (None, Some(at)) => return Content::Binary(Binary::Nul(at as u64)),
            (None, None) => {}
        }
    }
    Content::Text(narrow(sample).into())
}

/// The charset of a text that is neither UTF-16 nor UTF-32.
fn narrow(sample: Sample<'_>) -> Charset {
    let mut pieces = sample.pieces.iter().enumerate();
    if pieces.all(|(at, piece)| is_utf8(piece, at > 0, !sample.whole)) {
        return if is_japanese_mail(sample.head()) { Charset::ISO_2022_JP } else { Charset::UTF_8 };
    }
    legacy::detect(sample.pieces)
}

/// Whether a piece is UTF-8, but for characters that its edges cut.
fn is_utf8(piece: &[u8], starts_cut: bool, ends_cut: bool) -> bool {
    let continued = piece.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    let piece = if starts_cut { &piece[continued..] } else { piece };
    match std::str::from_utf8(piece) {
        Ok(_) => true,
        Err(error) => ends_cut && error.error_len().is_none(),
    }
}

/// It is pure ASCII, so what gives it away is that its shifts make sense.
fn is_japanese_mail(head: &[u8]) -> bool {
    const MOST: usize = 16 * 1024;
    let head = &head[..head.len().min(MOST)];
    if memmem::find(head, b"\x1B$B").or_else(|| memmem::find(head, b"\x1B$@")).is_none() {
        return false;
    }
    let lines = head.split(|byte| *byte == b'\n').rev().skip(usize::from(head.len() == MOST));
    let valid =
        |line: &[u8]| Charset::ISO_2022_JP.decode_valid(line.strip_suffix(b"\r").unwrap_or(line)).is_some();
    lines.into_iter().all(valid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(content: &[u8], name: &str) {
        let found = match detect(content) {
            Content::Text(encoding) => {
                encoding.charset.name().to_owned() + if encoding.bom { " bom" } else { "" }
            }
            Content::Binary(binary) => format!("{binary:?}"),
        };
        assert_eq!(found, name, "{}", content[..content.len().min(60)].escape_ascii());
    }

    #[test]
    fn nothing_and_ascii_are_utf8() {
        check(b"", "utf-8");
        check(b"plain\r\ntext\n", "utf-8");
        check("\u{FEFF}x".as_bytes(), "utf-8 bom");
        check("a replacement character: \u{FFFD}\n".as_bytes(), "utf-8");
    }

    #[test]
    fn nul_is_no_text() {
        check(b"a\0b", "Nul(1)");
        check(&[0; 5000], "Nul(0)");
        let late = [b"text\n".repeat(20_000), b"\0".to_vec()].concat();
        check(&late, "utf-8");
    }

    #[test]
    fn other_data_without_a_nul_is_no_text() {
        check(b"\x1F\x8B\x08\x08\xAB\xCD\xEF\x61\x02\x03notes\x01\xCB\x48\xCD", "Magic");
        check(b"\xFF\xD8\xFF\xE0\x01\x10JFIF", "Magic");
    }

    #[test]
    fn wide_text_need_not_hold_a_nul() {
        let text = "人人生而自由，在尊嚴和權利上均平等。他們賦有理性和良心，並應以兄弟關係的精神互相對待。";
        for charset in [Charset::UTF_16LE, Charset::UTF_16BE] {
            let bytes = charset.encode(text).unwrap();
            assert_eq!(memchr(0, &bytes), None);
            check(&bytes, charset.name());
        }
    }

    #[test]
    fn a_mark_before_what_it_does_not_fit_is_not_believed() {
        check(b"\xFF\xFE\x01\x02\0\0\0\0\x07\0", "Nul(4)");
    }

    #[test]
    fn a_few_bad_bytes_do_not_make_utf8_something_else() {
        check("Größe \u{fc} für ".as_bytes(), "utf-8");
        check(b"Gr\xC3\xB6\xC3\x9Fe f\xC3\xBCr \xFF", "utf-8");
        check(b"one \xC3\xA9, one \xE9", "utf-8");
        check(b"caf\xE9", "windows-1252");
    }

    #[test]
    fn a_cut_character_at_the_edge_of_a_piece_is_no_fault() {
        let text = "日本語のテキスト".as_bytes();
        for cut in 1..text.len() {
            let pieces = [&text[..cut], &text[cut..]];
            assert_eq!(detect_sample(Sample::pieces(&pieces)), Content::Text(Encoding::UTF_8), "{cut}");
        }
        // At the end of a whole content it is.
        check(b"caf\xE9", "windows-1252");
    }

    #[test]
    fn shifts_of_terminals_are_not_japanese() {
        check(b"\x1B$B4A;z\x1B(B desu\n", "iso-2022-jp");
        check(b"\x1B$B4A;z\x1B(B\r\ndesu\r\n", "iso-2022-jp");
        check(b"\x1B(B\x1B[mplain\n", "utf-8");
        check(b"\x1B$B\x1B[m not\n", "utf-8");
    }
}
