//! What a file holds, as a search takes it: text as it is, text in another charset, or other data.

use std::fs::File;
use std::io::{self, Read};

use memchr::memchr;
use toolcrib_text::{Charset, Content, Encoding, Newline, Sample, detect, detect_sample};

/// A file of at most this size is read in one piece.
pub const IN_ONE_PIECE: u64 = 1024 * 1024;

/// How much of the start tells text from other data.
pub const HEAD: usize = 64 * 1024;

/// Reads a whole file into a buffer that is kept for the next. Nothing, if it has more than `most` bytes.
///
/// # Errors
///
/// If the file cannot be read.
pub fn read_whole<'b>(
    mut file: &File,
    size: u64,
    most: u64,
    buffer: &'b mut Vec<u8>,
) -> io::Result<Option<&'b [u8]>> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    // One byte more than it has, so that the first short read is the end.
    if buffer.len() <= size {
        buffer.resize(size.saturating_add(1).max(HEAD), 0);
    }
    let mut length = 0;
    loop {
        let count = match file.read(&mut buffer[length..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        length += count;
        if length as u64 > most {
            return Ok(None);
        }
        if length < buffer.len() && (count == 0 || length >= size) {
            return Ok(Some(&buffer[..length]));
        }
        if length == buffer.len() {
            // It grew since, or the system does not tell its size.
            buffer.resize(length * 2, 0);
        }
    }
}

/// What a content is, at a first glance that costs next to nothing.
pub enum Glance<'a> {
    /// Most likely UTF-8, or something that is ASCII for the most part.
    Text(&'a [u8]),
    /// In this charset.
    Other(Charset),
    /// No text.
    Binary,
}

/// Looks at a whole content.
pub fn glance(bytes: &[u8]) -> Glance<'_> {
    let head = &bytes[..bytes.len().min(HEAD)];
    if !is_odd(head) {
        return Glance::Text(bytes);
    }
    match detect(bytes) {
        Content::Binary(_) => Glance::Binary,
        Content::Text(Encoding { charset: Charset::UTF_8, bom }) => {
            Glance::Text(if bom { &bytes[Charset::UTF_8.mark().len()..] } else { bytes })
        }
        Content::Text(encoding) => Glance::Other(encoding.charset),
    }
}

/// The charset that the start of a large file gives away; none for other data.
pub fn glance_at_head(head: &[u8]) -> Option<Encoding> {
    match detect_sample(Sample::pieces(&[head])) {
        Content::Text(encoding) => Some(encoding),
        Content::Binary(_) => None,
    }
}

/// Whether the start is worth a closer look: a byte order mark, a NUL, or what may be the start of other data.
fn is_odd(head: &[u8]) -> bool {
    let start = &head[..head.len().min(16)];
    let plain = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' '..=b'~');
    !start.iter().all(plain)
        || start.starts_with(b"%PDF-")
        || start.starts_with(b"BZh")
        || memchr(0, head).is_some()
}

/// What the index can know of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Its bytes are what is searched: UTF-8 throughout, with lines that end at newlines. The longest line has so many bytes.
    Plain { longest_line: u32 },
    /// No search looks into it.
    Binary,
    /// Only a search can tell.
    Other,
}

impl Class {
    /// Decides as a search would. A file of more than one piece is judged by its start where lines are searched, and as a whole
    /// where a pattern may cross lines; the index knows only those of which both say the same.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let whole = glance(bytes);
        if bytes.len() as u64 > IN_ONE_PIECE {
            match (glance_at_head(&bytes[..HEAD]), &whole) {
                (None, Glance::Binary) => return Self::Binary,
                (Some(Encoding { charset: Charset::UTF_8, .. }), Glance::Text(_)) => {}
                _ => return Self::Other,
            }
        }
        match whole {
            Glance::Binary => Self::Binary,
            Glance::Text(text) if Newline::of(text) == Newline::Lf && std::str::from_utf8(text).is_ok() => {
                Self::Plain { longest_line: longest_line(text) }
            }
            Glance::Text(_) | Glance::Other(_) => Self::Other,
        }
    }
}

fn longest_line(text: &[u8]) -> u32 {
    let (mut longest, mut start) = (0, 0);
    for end in memchr::memchr_iter(b'\n', text) {
        longest = longest.max(end + 1 - start);
        start = end + 1;
    }
    u32::try_from(longest.max(text.len() - start)).unwrap_or(u32::MAX)
}
