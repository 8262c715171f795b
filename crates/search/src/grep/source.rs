//! From a file to the text that is searched.
//!
//! Most files are read in one piece and searched as they are. What is not UTF-8 is decoded first, so that a pattern matches
//! characters and lines are those that a reader sees. Large files come in pieces.

use std::borrow::Cow;
use std::io::{self, Read};

use toolcrib_text::{Charset, Content, Document, Meter, Newline, Stop, Stopped, detect};

use super::sinks::STOPPED;

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
