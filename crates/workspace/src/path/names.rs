//! How names are written for readers of text, and understood when they come back.
//!
//! A name on Linux is bytes; an agent reads and writes text. [`escape`] turns a name or path into text that
//! [`unescape`] turns back into exactly the same bytes. It knows no disk.
//!
//! # The escaped form
//! Text stays as it is. Each byte that is not part of valid UTF-8, or belongs to a control character (a newline in
//! a name would forge a line of a listing), is written `\xHH` with two upper-case hexadecimal digits. A name may
//! really contain the four characters `\xFF`; there, and only there, the backslash itself is written `\x5C`.
//! Every other backslash stays alone, so that `a\b`, `\x41` and `\n` mean themselves.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use unicode_normalization::UnicodeNormalization;

/// Writes a name or path as text, escaped where it has to be.
///
/// ```
/// use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
/// use toolcrib_workspace::names;
///
/// assert_eq!(names::escape(OsStr::new("ordinary name.txt")), "ordinary name.txt");
/// assert_eq!(names::escape(OsStr::from_bytes(b"caf\xE9.txt")), r"caf\xE9.txt");
/// assert_eq!(names::escape(OsStr::new(r"a\xE9")), r"a\x5CxE9");
/// ```
pub fn escape(name: &(impl AsRef<OsStr> + ?Sized)) -> Cow<'_, str> {
    let name = name.as_ref();
    match name.to_str() {
        Some(text) if !needs_escape(text) => Cow::Borrowed(text),
        _ => Cow::Owned(escape_bytes(name.as_bytes())),
    }
}

/// Reads a name or path as written by [`escape`]; whatever is no escape is taken as it is.
///
/// ```
/// use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
/// use toolcrib_workspace::names;
///
/// assert_eq!(names::unescape(OsStr::new(r"caf\xE9.txt")).as_bytes(), b"caf\xE9.txt");
/// assert_eq!(names::unescape(OsStr::new(r"\x41\n")).as_bytes(), br"\x41\n");
/// ```
pub fn unescape(given: &(impl AsRef<OsStr> + ?Sized)) -> Cow<'_, OsStr> {
    let bytes = given.as_ref().as_bytes();
    if !(0..bytes.len()).any(|at| escaped_byte(&bytes[at..]).is_some()) {
        return Cow::Borrowed(given.as_ref());
    }
    let mut name = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        if let Some(byte) = escaped_byte(rest) {
            name.push(byte);
            rest = &rest[ESCAPE_LENGTH..];
        } else {
            name.push(*first);
            rest = after;
        }
    }
    Cow::Owned(OsString::from_vec(name))
}

/// The form under which two spellings of a name count as the same: composed, every odd space an ordinary one.
pub(crate) fn fold(name: &str) -> String {
    name.nfc().map(|c| if is_odd_space(c) { ' ' } else { c }).collect()
}

const ESCAPE_LENGTH: usize = r"\xHH".len();

fn needs_escape(text: &str) -> bool {
    // Nearly every name is one of these.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'\\') {
        return false;
    }
    text.char_indices().any(|(at, c)| c.is_control() || escaped_byte(&text.as_bytes()[at..]).is_some())
}

fn escape_bytes(bytes: &[u8]) -> String {
    let mut shown = String::with_capacity(bytes.len() + ESCAPE_LENGTH);
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() || escaped_byte(&bytes[at..]).is_some() {
                push_escaped(&mut shown, c.encode_utf8(&mut [0; 4]).as_bytes());
            } else {
                shown.push(c);
            }
            at += c.len_utf8();
        }
        push_escaped(&mut shown, chunk.invalid());
        at += chunk.invalid().len();
    }
    shown
}

fn push_escaped(shown: &mut String, bytes: &[u8]) {
    for byte in bytes {
        shown.push_str(&format!("\\x{byte:02X}"));
    }
}

/// The byte that an escape at the start of `bytes` stands for. Only bytes that [`escape`] would write count, so
/// that no escape can spell a slash, a dot, a NUL or a letter.
fn escaped_byte(bytes: &[u8]) -> Option<u8> {
    let [b'\\', b'x', high, low, ..] = bytes else { return None };
    let byte = hex(*high)? << 4 | hex(*low)?;
    matches!(byte, 0x01..=0x1F | b'\\' | 0x7F..=0xFF).then_some(byte)
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

/// White space that looks like a space and is not one: no-break spaces, the typographic widths, the ideographic one.
fn is_odd_space(c: char) -> bool {
    matches!(c, '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}')
}
