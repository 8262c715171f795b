//! From a file to the text that is searched.
//!
//! Most files are read in one piece and searched as they are. What is not UTF-8 is decoded first, so that a pattern matches
//! characters and lines are those that a reader sees. Large files come in pieces.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};

use memchr::memchr;
use toolcrib_text::{
    Charset, Content, Document, Encoding, Meter, Newline, Sample, Stop, Stopped, detect, detect_sample,
};

use super::sinks::STOPPED;

/// A file of at most this size is read in one piece.
pub(crate) const IN_ONE_PIECE: u64 = 1024 * 1024;

/// How much of the start tells text from other data.
pub(crate) const HEAD: usize = 64 * 1024;

/// Reads a whole file into a buffer that is kept for the next. Nothing, if it has more than `most` bytes.
pub(crate) fn read_whole<'b>(
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
pub(crate) enum Glance<'a> {
    /// Most likely UTF-8, or something that is ASCII for the most part.
    Text(&'a [u8]),
    /// In this charset.
    Other(Charset),
    Binary,
}

/// Looks at a whole content.
pub(crate) fn glance(bytes: &[u8]) -> Glance<'_> {
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
pub(crate) fn glance_at_head(head: &[u8]) -> Option<Encoding> {
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

/// The text of a content that is not UTF-8, in UTF-8.
pub(crate) fn decode(bytes: &[u8], charset: Charset, meter: &Meter<'_>) -> Result<Vec<u8>, Stopped> {
    Ok(Document::decode_metered(bytes.to_vec(), charset, meter)?.into_text().into_bytes())
}

/// The same text decoded, if it is not UTF-8 and some other charset fits better.
pub(crate) fn decode_if_needed(text: &[u8], meter: &Meter<'_>) -> Result<Option<Vec<u8>>, Stopped> {
    if std::str::from_utf8(text).is_ok() {
        return Ok(None);
    }
    match detect(text) {
        Content::Text(encoding) if encoding.charset != Charset::UTF_8 => {
            decode(text, encoding.charset, meter).map(Some)
        }
        _ => Ok(None),
    }
}

/// Where a text has no newline at all, a carriage return ends a line, as on old Macintoshes.
pub(crate) fn with_newlines(text: &[u8]) -> Cow<'_, [u8]> {
    if Newline::of(text) == Newline::Lf {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.iter().map(|byte| if *byte == b'\r' { b'\n' } else { *byte }).collect())
}

/// Reads until it is told to stop.
pub(crate) struct Stoppable<'a, R> {
    pub(crate) reader: R,
    pub(crate) stop: &'a dyn Stop,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.stop.stopped() {
            return Err(STOPPED.into());
        }
        self.reader.read(buffer)
    }
}
