//! The text of PDF documents, page by page.
//!
//! [hayro](https://github.com/LaurenzV/hayro) reads the file and its fonts. What it draws with is not used: text needs
//! neither colours nor images nor shadings, and an interpreter of our own (`content`) can ask whether it is still
//! wanted after every few operators and never unpacks a stream whose size it has not bounded. `layout` then makes
//! lines, columns and words of glyphs that stand anywhere in any order.
//!
//! # What a hostile file can do
//!
//! A fault stays in the thread that reads the file (see `isolate.rs`): a panic is [`Error::Fault`], work that hangs is
//! left behind. Memory cannot be held that way, so every way in which hayro lets a file choose a size is closed before
//! hayro gets there, each by the module that knows it:
//!
//! | a file that … | is bounded by |
//! | --- | --- |
//! | unpacks a stream to gigabytes (Flate, LZW, one in the other) | `filter`: a stream is measured before hayro unpacks it |
//! | has millions of objects, cross-reference entries or names | `survey`: counted in the raw bytes first |
//! | hides that in object streams, encrypted or not | `open`: opened once with them masked, to measure them |
//! | has a page tree of millions of pages | `open` gives hayro an empty tree; `pages` walks the real one |
//! | states widths for four billion characters | `fonts`: checks a font before hayro loads it |
//! | draws forms in forms in forms | `content`: a depth, and a number of operators and glyphs a page |
//!
//! With at most [`MAX_BYTES`] of input a call stays below 256 MB; the tests measure it.

#[cfg(feature = "decoders")]
mod decoder;

use crate::{RangeError, Ranges, Stop};

/// How many bytes a document may have to be read within 256 MB of memory.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// What was read of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// How many pages the document has.
    pub page_count: usize,
    /// The pages that were asked for, in order.
    pub pages: Vec<Page>,
    /// The pages that were asked for and are not here, if any: what to ask for next.
    pub rest: Option<Ranges>,
}

/// One page of a [`Document`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Its number, counted from 1.
    pub number: usize,
    /// Its text, in lines. Empty if it has none.
    pub text: String,
    /// How many images it shows.
    pub images: usize,
    /// How many of its characters no font gives a meaning. They stand in the text as U+FFFD.
    pub unknown: usize,
    /// Whether the page has more than was read: it is too large, or a part of it is.
    pub cut: bool,
}

impl Document {
    /// Whether any of the pages has text.
    #[must_use]
    pub fn has_text(&self) -> bool {
        self.pages.iter().any(|page| !page.text.is_empty())
    }

    /// Whether the pages are images without text: what a scanner makes.
    #[must_use]
    pub fn is_scanned(&self) -> bool {
        !self.has_text() && self.pages.iter().any(|page| page.images > 0)
    }

    /// The pages as one text, as [`Page::render`] shows each.
    #[must_use]
    pub fn render(&self) -> String {
        self.pages.iter().map(Page::render).collect::<Vec<_>>().join("\n")
    }
}

impl Page {
    /// The text of the page under `--- Page N ---`.
    #[must_use]
    pub fn render(&self) -> String {
        let Self { number, text, images, .. } = self;
        let text = match (text.as_str(), images) {
            ("", 0) => "[no text]",
            ("", 1) => "[no text, 1 image]",
            ("", images) => return format!("--- Page {number} ---\n[no text, {images} images]\n"),
            (text, _) => text.strip_suffix('\n').unwrap_or(text),
        };
        format!("--- Page {number} ---\n{text}\n")
    }
}

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are no PDF, or so broken that no page is left.
    #[error("the PDF is damaged: {0}")]
    Damaged(&'static str),
    /// A password is needed.
    #[error("the PDF is encrypted and needs a password")]
    Encrypted,
    /// It is encrypted in a way that is not known here.
    #[error("the PDF is encrypted in a way that is not supported")]
    UnknownEncryption,
    /// More than a limit allows.
    #[error("the PDF is too large to read: {0}")]
    TooLarge(&'static str),
    /// There are no such pages.
    #[error("no such page: {0}")]
    Range(#[from] RangeError),
    /// The caller no longer wants it.
    #[error("it takes too long to decode")]
    Stopped,
    /// The decoder failed, not the file alone.
    #[error("the PDF's decoder failed")]
    Fault,
    /// Earlier decoding still hangs.
    #[error("too many files are being decoded; try again later")]
    Busy,
    /// The decoder was left out when the program was built.
    #[error("this build of Toolcrib has no support for PDF")]
    NotInThisBuild,
}

/// Reads the text of some pages, `max_pages` at the most. With none, it only counts them.
///
/// A document that is encrypted opens if the password is empty, as it is if only printing is restricted.
///
/// # Errors
///
/// If it cannot be opened, if there are no such pages, or if `stop` says so. Without the feature `decoders`, always.
pub fn read(bytes: Vec<u8>, pages: &Ranges, max_pages: usize, stop: &dyn Stop) -> Result<Document, Error> {
    if bytes.len() > MAX_BYTES {
        return Err(Error::TooLarge("it has more than 64 MB"));
    }
    read_pages(bytes, pages, max_pages, stop)
}

#[cfg(feature = "decoders")]
use decoder::read_pages;

#[cfg(not(feature = "decoders"))]
fn read_pages(_: Vec<u8>, _: &Ranges, _: usize, _: &dyn Stop) -> Result<Document, Error> {
    Err(Error::NotInThisBuild)
}
