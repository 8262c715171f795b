//! Reads a file: opens it, looks at what it holds, and shows that.
//!
//! What a file is, its content decides ([`sniff`], [`survey`]), never its name; only a notebook is looked for by name, since
//! it is a text that could as well be meant as one. Text is shown line by line ([`text`]), an image is made fit for a model
//! ([`image`]), a document gives pages ([`pdf`]), a notebook cells ([`notebook`]); anything else is refused with what it is.
//!
//! A file of up to 8 MiB ([`source`]) is read whole: the answer is then of one version, which it names, and knows the
//! number of lines. A larger one is read only where needed. Finding a line in it costs one pass of counting newlines;
//! where lines are is remembered ([`cache`]), so the next range costs almost nothing. Its version is not given, since
//! that would mean reading all of it.

mod cache;
#[cfg(test)]
mod documented;
mod extent;
mod fault;
mod image;
mod media;
mod notebook;
mod pdf;
mod source;
mod survey;
mod text;
mod verbatim;

use std::path::PathBuf;

use toolcrib_access::{Extent, Location, Opened, Sandbox, Seen};
use toolcrib_formats::image::{DECODED, Image};
use toolcrib_formats::{Kind, Ranges, sniff};
use toolcrib_text::{Encoding, Line, LineEnding};
use toolcrib_tool::ToolError;
use toolcrib_workspace::{Version, WorkspacePath};

use crate::FilePath;
use crate::bounds::reserve;
use crate::refused::Refused;
use source::Source;
use text::Reader;

pub use media::{Media, read_media};
pub use notebook::{CellImage, Notebook};
pub use pdf::Pdf;
pub use verbatim::{ReadTextRequest, TextPart, VerbatimText, read_text};

/// Which file, and what of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRequest {
    /// The file, as the caller named it.
    pub path: PathBuf,
    /// Which of its lines, pages or cells.
    pub part: Part,
    /// How many characters at the start of each line are left out, to read on in lines that were cut.
    pub column: usize,
    /// The name of its encoding, if it is not to be found out. A caller that names one says that it is a text.
    pub encoding: Option<String>,
    /// How much the answer may hold.
    pub limits: ReadLimits,
}

/// How much one reading gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// How many bytes of text, numbers included. One line is always given.
    pub budget: usize,
    /// How many characters of a line.
    pub line: usize,
    /// How many pages of a document.
    pub pages: usize,
    /// The longest side of an image, in pixels.
    pub image_side: u32,
    /// How many bytes an image may have, or all those of a notebook together.
    pub image_bytes: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        let images = toolcrib_formats::image::Limits::default();
        Self {
            budget: 50 * 1024,
            line: ReadRequest::MAX_LINE_LENGTH,
            pages: 20,
            image_side: images.side,
            image_bytes: images.bytes,
        }
    }
}

/// Which part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Lines, from one on.
    From {
        /// The number of the first line, counted from 1.
        first: u64,
        /// How many lines at the most.
        limit: usize,
    },
    /// The last lines.
    Last(usize),
    /// Pages of a PDF document.
    Pages(Ranges),
    /// Cells of a notebook, under whatever name.
    Cells(Ranges),
}

impl Part {
    /// What a file begins with, of whatever kind it is.
    pub const START: Self = Self::From { first: 1, limit: ReadRequest::DEFAULT_LIMIT };

    /// Whether it is that, or more lines of it: then what has no lines is read as it is.
    fn is_start(&self) -> bool {
        matches!(self, Self::From { first: 1, limit } if *limit >= ReadRequest::DEFAULT_LIMIT)
    }
}

impl ReadRequest {
    /// How many lines are read unless the caller says otherwise.
    pub const DEFAULT_LIMIT: usize = 2000;
    /// How many lines one call may read.
    pub const MAX_LIMIT: usize = 10_000;
    /// How many characters of a line are shown unless the caller says otherwise.
    pub const MAX_LINE_LENGTH: usize = 2000;
    /// How many characters of a line may be left out before them.
    pub const MAX_COLUMN: usize = 10_000_000;

    /// The start of this file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            part: Part::START,
            column: 0,
            encoding: None,
            limits: ReadLimits::default(),
        }
    }
}

/// How many bytes a character has at the most.
const LONGEST_CHARACTER: usize = 4;

/// How much room a dialect may want for what it says beside the lines.
const REMARKS: usize = 1024;

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text, or rather some lines of it.
    Text(Text),
    /// An image that a model can take.
    Image(Document<Image>),
    /// Pages of a PDF document.
    Pdf(Document<Pdf>),
    /// Cells of a notebook.
    Notebook(Document<Notebook>),
}

/// What was read of a file that had to be read whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document<T> {
    /// The file.
    pub path: FilePath,
    /// How many bytes it has.
    pub size: u64,
    /// The version of its content.
    pub version: Version,
    /// What it holds.
    pub content: T,
}

/// Some lines of a text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The file.
    pub path: FilePath,
    /// The number of the first line.
    pub first: LineNumber,
    /// How many characters at the start of each line are left out.
    pub column: usize,
    /// The lines, each without its ending.
    pub lines: Vec<Line>,
    /// How many lines the file has, if that is known without reading on.
    pub total_lines: Option<u64>,
    /// The first line after these, if there is one.
    pub next: Option<u64>,
    /// How many of the lines asked for are not here, because the answer would grow too long. They stand before these;
    /// only the last lines are cut so.
    pub left_out: usize,
    /// Whether the last line of the file has an ending, if that is known without reading on.
    pub final_newline: Option<bool>,
    /// How many bytes the file has.
    pub size: u64,
    /// The encoding it was read in.
    pub encoding: Encoding,
    /// How its lines end, as far as was looked; `None` if there was no end of a line.
    pub line_ending: Option<LineEnding>,
    /// How many characters of the lines stand for bytes that do not decode.
    pub undecodable: usize,
    /// The version of the whole content; not given for files of more than 8 MiB.
    pub version: Option<Version>,
    /// The file was changed while it was read, so that the lines may not all be of one version.
    pub changed: bool,
    /// Why it is shown as a text although its name says that it is a notebook.
    pub not_a_notebook: Option<String>,
}

/// A line's place in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineNumber {
    /// Counted from the first, which is 1.
    FromStart(u64),
    /// Counted back from the last, which is 1: where it would cost too much to count all.
    FromEnd(u64),
}

/// Reads a file without loading more of it than the answer needs.
///
/// # Errors
///
/// If there is no such file that may be read, if it holds nothing that can be shown, or if it has no such part.
pub fn read(sandbox: &Sandbox<'_>, request: &ReadRequest) -> Result<Content, Refused> {
    let (source, place) = open(sandbox, request)?;
    // An answer that the frame would cut in the middle of a line is cut at a line before.
    let budget = request.limits.budget.min(sandbox.context().max_output_size.saturating_sub(REMARKS));
    let (content, seen) = match kind(&source, request)? {
        Kind::Unknown if notebook::is_meant(source.path(), request) => {
            match notebook::read(&source, request, budget)? {
                Ok(notebook) => whole(Content::Notebook, notebook),
                Err(why) => text(source, request, budget, Some(why))?,
            }
        }
        Kind::Unknown => text(source, request, budget, None)?,
        Kind::Pdf => whole(Content::Pdf, pdf::read(&source, request, budget)?),
        kind if DECODED.contains(&kind) || kind == Kind::Avif => {
            whole(Content::Image, image::read(&source, kind, request)?)
        }
        kind => return Err(fault::binary(source.path(), kind, source.size()).into()),
    };
    place.saw(sandbox, seen, extent::of(&content))?;
    Ok(content)
}

fn text(
    source: Source<'_>,
    request: &ReadRequest,
    budget: usize,
    not_a_notebook: Option<String>,
) -> Result<(Content, Seen), Refused> {
    let column = request.column.min(ReadRequest::MAX_COLUMN);
    let _memory = reserve(column.saturating_mul(LONGEST_CHARACTER))?;
    let mut reader = Reader::new(source, request.encoding.as_deref(), column, request.limits.line)?;
    let text = match &request.part {
        Part::From { first, limit } => reader.range(*first, *limit, budget),
        Part::Last(lines) => reader.last(*lines, budget),
        Part::Pages(_) | Part::Cells(_) => {
            return Err(Refused::NotPaged(fault::not_paged(reader.source().path(), &request.part)));
        }
    }?;
    Ok((Content::Text(Text { not_a_notebook, ..text }), reader.seen()))
}

fn whole<T>(kind: impl FnOnce(Document<T>) -> Content, document: Document<T>) -> (Content, Seen) {
    let seen = Seen::Version(document.version);
    (kind(document), seen)
}

/// Joins texts of pages or cells as long as they fit, and says how many bytes of the last are left out, and how many
/// there are. The first is always given, if need be cut at the end of a line.
fn fitting(texts: impl Iterator<Item = String>, budget: usize) -> (String, usize, usize) {
    let (mut joined, mut count) = (String::new(), 0);
    for text in texts {
        if count == 0 && text.len() > budget {
            let kept = &text[..text.floor_char_boundary(budget)];
            let kept = kept.rfind('\n').filter(|end| *end > kept.len() / 2).map_or(kept, |end| &kept[..end]);
            return (kept.to_owned(), text.len() - kept.len(), 1);
        }
        if joined.len() + 1 + text.len() > budget {
            break;
        }
        if count > 0 {
            joined.push('\n');
        }
        joined.push_str(&text);
        count += 1;
    }
    joined.truncate(joined.trim_end_matches('\n').len());
    (joined, 0, count)
}

/// Where a file was found.
struct Place {
    location: Location,
    reached: WorkspacePath,
}

impl Place {
    /// Remembers that the session has seen this much of it.
    fn saw(&self, sandbox: &Sandbox<'_>, seen: Seen, extent: Extent) -> Result<(), ToolError> {
        sandbox.saw(&self.location, &self.reached, seen, extent);
        Ok(())
    }
}

fn open<'c>(sandbox: &'c Sandbox<'c>, request: &ReadRequest) -> Result<(Source<'c>, Place), ToolError> {
    let Opened { file, location } = sandbox.open_file(&request.path)?;
    let reached = file.reached().clone();
    let source = Source::open(sandbox, file, FilePath::new(&location))?;
    Ok((source, Place { location, reached }))
}

/// What the file holds; a text has no kind.
fn kind(source: &Source<'_>, request: &ReadRequest) -> Result<Kind, ToolError> {
    if request.encoding.is_some() { Ok(Kind::Unknown) } else { Ok(sniff(&source.head()?)) }
}
