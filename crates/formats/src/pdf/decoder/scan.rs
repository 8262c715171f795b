//! Looking at the raw bytes of a document, as far as that needs no document.

use hayro_syntax::object::{Dict, ObjectIdentifier};
// Not meant for others, says hayro; but nothing else finds the end of an object without keeping it.
use hayro_syntax::reader::{Reader, ReaderExt as _};

/// The dictionary that starts here, as it is written; empty if none does. hayro finds its end without keeping anything.
pub(super) fn dict_at(bytes: &[u8], at: usize) -> &[u8] {
    if bytes[at..].starts_with(b"<<") {
        Reader::new(&bytes[at..]).skip::<Dict<'_>>(false).unwrap_or_default()
    } else {
        &[]
    }
}

/// The number and the generation that stand before `obj`.
pub(super) fn id_before(bytes: &[u8], at: usize) -> Option<ObjectIdentifier> {
    let (generation, at) = integer_before(bytes, at)?;
    let (number, _) = integer_before(bytes, at)?;
    Some(ObjectIdentifier::new(number, i32::try_from(generation).ok()?))
}

fn integer_before(bytes: &[u8], end: usize) -> Option<(u32, usize)> {
    let end = end - bytes[..end].iter().rev().take_while(|byte| is_blank(**byte)).count();
    let digits = bytes[..end].iter().rev().take_while(|byte| byte.is_ascii_digit()).take(10).count();
    let (number, _) = integer(bytes, end - digits).filter(|_| digits > 0)?;
    Some((u32::try_from(number).ok()?, end - digits))
}

/// The number at `at` and where it ends.
pub(super) fn integer(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let digits = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).take(19).count();
    let text = std::str::from_utf8(&bytes[at..at + digits]).ok()?;
    Some((text.parse().ok()?, at + digits))
}

/// The place after white space and comments.
pub(super) fn skip_blank(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at += bytes.get(at..).unwrap_or_default().iter().take_while(|byte| is_blank(**byte)).count();
        if bytes.get(at) != Some(&b'%') {
            return at.min(bytes.len());
        }
        at += bytes[at..].iter().take_while(|byte| !matches!(byte, b'\r' | b'\n')).count();
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}
