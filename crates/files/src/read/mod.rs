//! Reads a file: opens it, looks at what it holds, and shows that.
//!
//! What a file is, its content decides ([`sniff`], [`survey`]), never its name. Text is shown line by line ([`text`]); anything
//! else is refused with what it is.
//!
//! A file of up to 8 MiB ([`source`]) is read whole: the answer is then of one version, which it names, and knows the
//! number of lines. A larger one is read only where needed. Finding a line in it costs one pass of counting newlines;
//! where lines are is remembered ([`cache`]), so the next range costs almost nothing. Its version is not given, since
//! that would mean reading all of it.

mod cache;
mod chunks;
mod fault;
mod source;
mod survey;
mod text;

use std::path::PathBuf;

use toolcrib_formats::{Kind, sniff};
use toolcrib_text::{Encoding, Line, LineEnding};
use toolcrib_tool::{Call, Location, Opened, ToolError};
use toolcrib_workspace::{Version, WorkspacePath};

use crate::FilePath;
use source::Source;
use text::Reader;

pub use chunks::{Chunks, read_chunks};

/// Which file, and what of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRequest {
    /// The file, as the caller named it.
    pub path: PathBuf,
    /// Which of its lines.
    pub part: Part,
    /// The name of its encoding, if it is not to be found out.
    pub encoding: Option<String>,
    /// How many bytes the answer may have, numbers included. One line is always given.
    pub budget: usize,
}

/// Which lines of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// From a line on.
    From {
        /// The number of the first line, counted from 1.
        first: u64,
        /// How many lines at the most.
        limit: usize,
    },
    /// The last lines.
    Last(usize),
}

impl ReadRequest {
    /// How many lines are read unless the caller says otherwise.
    pub const DEFAULT_LIMIT: usize = 2000;
    /// How many lines one call may read.
    pub const MAX_LIMIT: usize = 10_000;
    /// How many characters of a line are shown.
    pub const MAX_LINE_LENGTH: usize = 2000;
    /// How many bytes the answer may have unless the caller says otherwise.
    pub const BUDGET: usize = 50 * 1024;

    /// The start of this file.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            part: Part::From { first: 1, limit: Self::DEFAULT_LIMIT },
            encoding: None,
            budget: Self::BUDGET,
        }
    }
}

/// How much room a dialect may want for what it says beside the lines.
const REMARKS: usize = 1024;

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text, or rather some lines of it.
    Text(Text),
}

/// Some lines of a text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The file.
    pub path: FilePath,
    /// The number of the first line.
    pub first: LineNumber,
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
/// If there is no such file that may be read, if it is not a text, or if it ends before the first line asked for.
pub fn read(call: &Call<'_>, request: &ReadRequest) -> Result<Content, ToolError> {
    let mut opened = open(call, request)?;
    // An answer that the frame would cut in the middle of a line is cut at a line before.
    let budget = request.budget.min(call.context().max_output_size.saturating_sub(REMARKS));
    let text = match request.part {
        Part::From { first, limit } => opened.reader.range(first, limit, budget),
        Part::Last(lines) => opened.reader.last(lines, budget),
    }?;
    opened.saw(call)?;
    Ok(Content::Text(text))
}

/// A text that may be read, and where it was found.
struct OpenText<'c> {
    reader: Reader<'c>,
    location: Location,
    reached: WorkspacePath,
}

impl OpenText<'_> {
    /// Remembers that the session has seen it.
    fn saw(&self, call: &Call<'_>) -> Result<(), ToolError> {
        call.sandbox()?.saw(&self.location, &self.reached, self.reader.seen());
        Ok(())
    }
}

fn open<'c>(call: &'c Call<'c>, request: &ReadRequest) -> Result<OpenText<'c>, ToolError> {
    let Opened { file, location } = call.sandbox()?.open_file(&request.path)?;
    let reached = file.reached().clone();
    let source = Source::open(call, file, FilePath::new(&location))?;
    // Whoever names an encoding says that it is a text.
    let kind = if request.encoding.is_some() { Kind::Unknown } else { sniff(&source.head()?) };
    match kind {
        Kind::Unknown => {
            let reader = Reader::new(source, request.encoding.as_deref())?;
            Ok(OpenText { reader, location, reached })
        }
        kind => Err(fault::binary(source.path(), kind, source.size())),
    }
}
