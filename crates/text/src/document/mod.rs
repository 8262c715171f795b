//! [`Document`]: a text that remembers its bytes, so that a change touches nothing else.
//!
//! The bytes of a text that is valid UTF-8 are the text, and a change of one is a change of the other. In any other
//! encoding a [`map`] leads from each character back to its bytes: only the new text is encoded, and what stands around
//! it is copied as it was, also bytes that mean nothing in that encoding.

mod change;
mod map;

use std::ops::Range;

pub use change::{Change, ChangeError};

use crate::charset::{Charset, Scheme};
use crate::detect::{Binary, Content, detect};
use crate::encoding::Encoding;
use crate::endings::LineEndings;
use crate::stop::{Meter, Stopped};
use map::Map;

/// A text with the bytes it was decoded from.
///
/// ```
/// use toolcrib_text::{Change, Document};
///
/// // Latin-1, a line ending of each kind, no newline at the end.
/// let document = Document::read(b"caf\xE9\r\nth\xE9 vert\nfin".to_vec()).unwrap();
/// assert_eq!(document.text(), "café\r\nthé vert\nfin");
/// assert_eq!(document.encoding().charset.name(), "windows-1252");
///
/// let changed = document.apply(&[Change { span: 12..16, text: "glacé" }])?;
/// assert_eq!(changed.text(), "café\r\nthé glacé\nfin");
/// assert_eq!(changed.bytes(), b"caf\xE9\r\nth\xE9 glac\xE9\nfin");
///
/// // What the encoding cannot hold is refused, and says which character it is.
/// let error = document.apply(&[Change { span: 0..0, text: "☕ " }]).unwrap_err();
/// assert_eq!(error.to_string(), "'☕' (U+2615) does not exist in windows-1252");
/// # Ok::<(), toolcrib_text::ChangeError>(())
/// ```
///
/// Bytes that do not decode are shown as U+FFFD and survive every change around them:
///
/// ```
/// use toolcrib_text::{Change, Charset, Document};
///
/// let document = Document::decode(b"key=\xFF\nname=old\n".to_vec(), Charset::UTF_8);
/// assert_eq!(document.text(), "key=\u{FFFD}\nname=old\n");
/// assert_eq!(document.undecodable(), 1);
/// let at = document.text().find("old").unwrap();
/// let changed = document.apply(&[Change { span: at..at + 3, text: "new" }])?;
/// assert_eq!(changed.bytes(), b"key=\xFF\nname=new\n");
/// # Ok::<(), toolcrib_text::ChangeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Document {
    encoding: Encoding,
    store: Store,
}

#[derive(Clone, Debug)]
enum Store {
    /// Valid UTF-8, the mark included: text and bytes are one.
    Same(String),
    Mapped {
        bytes: Vec<u8>,
        text: String,
        map: Map,
    },
}

impl Document {
    /// Decodes bytes in the encoding that they seem to have, see [`detect`](crate::detect).
    ///
    /// # Errors
    ///
    /// If they are no text.
    pub fn read(bytes: Vec<u8>) -> Result<Self, Binary> {
        Self::read_metered(bytes, &Meter::unlimited()).unwrap_or_else(Stopped::cannot_be)
    }

    /// The same, as long as it is wanted.
    ///
    /// # Errors
    ///
    /// If it was stopped; else as [`read`](Self::read).
    pub fn read_metered(bytes: Vec<u8>, meter: &Meter<'_>) -> Result<Result<Self, Binary>, Stopped> {
        meter.spend(bytes.len())?;
        match detect(&bytes) {
            Content::Text(encoding) => Self::decode_metered(bytes, encoding.charset, meter).map(Ok),
            Content::Binary(binary) => Ok(Err(binary)),
        }
    }

    /// Decodes bytes in this charset. A byte order mark of it is taken as one.
    #[must_use]
    pub fn decode(bytes: Vec<u8>, charset: Charset) -> Self {
        Self::decode_metered(bytes, charset, &Meter::unlimited()).unwrap_or_else(Stopped::cannot_be)
    }

    /// The same, as long as it is wanted.
    ///
    /// # Errors
    ///
    /// If it was stopped.
    pub fn decode_metered(bytes: Vec<u8>, charset: Charset, meter: &Meter<'_>) -> Result<Self, Stopped> {
        meter.spend(bytes.len())?;
        let encoding = Encoding::of(charset, &bytes);
        let bytes = match (charset.0, bytes) {
            (Scheme::Utf8, bytes) => match String::from_utf8(bytes) {
                Ok(text) => return Ok(Self { encoding, store: Store::Same(text) }),
                Err(error) => error.into_bytes(),
            },
            (_, bytes) => bytes,
        };
        let (text, map) = Map::decode(charset, &bytes, encoding.mark().len(), meter)?;
        Ok(Self { encoding, store: Store::Mapped { bytes, text, map } })
    }

    /// The text, without a byte order mark.
    #[must_use]
    pub fn text(&self) -> &str {
        match &self.store {
            Store::Same(text) => &text[self.encoding.mark().len()..],
            Store::Mapped { text, .. } => text,
        }
    }

    /// The bytes, all of them.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.store {
            Store::Same(text) => text.as_bytes(),
            Store::Mapped { bytes, .. } => bytes,
        }
    }

    /// The bytes alone.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        match self.store {
            Store::Same(text) => text.into_bytes(),
            Store::Mapped { bytes, .. } => bytes,
        }
    }

    /// The text alone, without a byte order mark.
    #[must_use]
    pub fn into_text(self) -> String {
        match self.store {
            Store::Same(text) if !self.encoding.bom => text,
            Store::Same(text) => text[self.encoding.mark().len()..].to_owned(),
            Store::Mapped { text, .. } => text,
        }
    }

    /// The encoding.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// How many characters of the text stand for bytes that do not decode.
    #[must_use]
    pub fn undecodable(&self) -> usize {
        match &self.store {
            Store::Same(_) => 0,
            Store::Mapped { map, .. } => map.undecodable(),
        }
    }

    /// How its lines end.
    #[must_use]
    pub fn line_endings(&self) -> LineEndings {
        LineEndings::of(self.text())
    }

    /// The bytes that a span of the text was decoded from. The span lies in the text and cuts no character.
    #[must_use]
    pub fn bytes_of(&self, span: Range<usize>) -> Range<usize> {
        match &self.store {
            Store::Same(_) => {
                let mark = self.encoding.mark().len();
                span.start + mark..span.end + mark
            }
            Store::Mapped { bytes, map, .. } => {
                let at = |offset| map.find(self.encoding.charset, bytes, offset);
                if span.is_empty() {
                    let at = at(span.start).begins;
                    return at..at;
                }
                at(span.start).begins..at(span.end).previous
            }
        }
    }
}
