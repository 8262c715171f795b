//! Reads a range of lines of a text file.

use std::io::Read as _;
use std::path::PathBuf;

use memchr::memchr;
use toolcrib_text::{Breaks, Charset, Collector, Line, LineRange, Newline};
use toolcrib_tool::{Call, ErrorKind, Opened, ToolError};

use crate::FilePath;

/// How many bytes are read at a time.
const CHUNK: usize = 64 * 1024;
/// How much of a file is looked at to tell text from other data.
const SNIFFED: usize = 8 * 1024;

/// Which file, and which of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRequest {
    /// The file, as the caller named it.
    pub path: PathBuf,
    /// The number of the first line, counted from 1.
    pub first: u64,
    /// How many lines at the most.
    pub limit: usize,
}

impl ReadRequest {
    /// How many lines are read unless the caller says otherwise.
    pub const DEFAULT_LIMIT: usize = 2000;
    /// How many lines one call may read.
    pub const MAX_LIMIT: usize = 10_000;
    /// How many characters of a line are shown.
    pub const MAX_LINE_LENGTH: usize = 2000;
    /// How many bytes of text one call gives.
    pub const BUDGET: usize = 50 * 1024;
}

/// The lines of a text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The file.
    pub path: FilePath,
    /// The number of the first line.
    pub first: u64,
    /// The lines, each without its ending.
    pub lines: Vec<Line>,
    /// How many lines the file has, if the end was reached.
    pub total_lines: Option<u64>,
    /// The first line that is not here, if there is one.
    pub next: Option<u64>,
    /// Whether the last line has an ending, if the end was reached.
    pub final_newline: Option<bool>,
    /// How many bytes the file has.
    pub size: u64,
}

/// Reads lines of a text file without loading more of it than the answer needs.
///
/// # Errors
///
/// If there is no such file in the workspace, if it is not a text, or if it ends before the first line asked for.
pub fn read(call: &mut Call<'_>, request: &ReadRequest) -> Result<Text, ToolError> {
    let Opened { file, location } = call.sandbox()?.open_file(&request.path)?;
    let size = file.stat().size;
    let path = FilePath::new(&location);

    let found = collect(call, file.into_file(), request, &path)?;
    if let Some(total) = found.total.filter(|total| request.first > (*total).max(1)) {
        return Err(past_the_end(request.first, total));
    }
    let shown = found.lines.len() as u64;
    Ok(Text {
        path,
        first: request.first,
        lines: found.lines,
        total_lines: found.total,
        next: found.total.is_none().then_some(request.first + shown),
        final_newline: found.final_newline,
        size,
    })
}

fn collect(
    call: &Call<'_>,
    mut file: std::fs::File,
    request: &ReadRequest,
    path: &FilePath,
) -> Result<toolcrib_text::Lines, ToolError> {
    let range = LineRange {
        first: request.first,
        limit: request.limit,
        budget: ReadRequest::BUDGET,
        line_cost: 0,
        line_length: ReadRequest::MAX_LINE_LENGTH,
    };
    let mut collector = Collector::new(range, Breaks::new(Charset::UTF_8, Newline::Lf));
    let mut chunk = vec![0; CHUNK];
    let mut sniffed = 0;
    loop {
        call.checkpoint()?;
        let length = file.read(&mut chunk).map_err(|error| unreadable(path, &error))?;
        let bytes = &chunk[..length];
        if sniffed < SNIFFED && memchr(0, bytes).is_some() {
            return Err(binary(path));
        }
        sniffed += length;
        if length == 0 || collector.push(bytes).is_break() {
            return Ok(collector.finish());
        }
    }
}

fn past_the_end(first: u64, total: u64) -> ToolError {
    let lines = if total == 1 { "1 line".to_owned() } else { format!("{total} lines") };
    ToolError::new(ErrorKind::InvalidParameter, format!("Line {first} is past the end: the file has {lines}"))
        .hint(format!("start at line {} or before", total.max(1)))
        .with("total_lines", total)
}

fn binary(path: &FilePath) -> ToolError {
    ToolError::new(ErrorKind::Unsupported, format!("Cannot read binary file: {}", path.absolute))
        .hint("it holds NUL bytes, so it is not a text")
}

fn unreadable(path: &FilePath, error: &std::io::Error) -> ToolError {
    ToolError::new(ErrorKind::Io, format!("Cannot read {}: {error}", path.absolute))
}
