//! `Read`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{Content, Part, ReadRequest, Text};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use super::absolute;
use crate::gutter::{first_number, numbered};
use crate::reading::{default_limit, part, remarks};

pub(crate) struct Read;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct ReadInput {
    /// The absolute path to the file to read
    #[schemars(length(min = 1))]
    file_path: String,
    /// Line number to start reading from (1-indexed)
    #[serde(default = "first_line")]
    #[schemars(range(min = 1))]
    offset: u64,
    /// Maximum number of lines to read
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = ReadRequest::MAX_LIMIT))]
    limit: usize,
    /// Read this many lines from the end of the file instead; fast for files of any size
    #[schemars(range(min = 1, max = ReadRequest::MAX_LIMIT))]
    tail: Option<usize>,
    /// The file's encoding, such as utf-8, utf-16le, windows-1252 or shift_jis; by default it is detected
    #[schemars(length(min = 1))]
    encoding: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ReadOutput {
    #[serde(skip)]
    content: String,
    /// The file that was read
    file_path: String,
    /// How many lines the output has
    lines_read: usize,
    /// The number of the first line; negative if lines are numbered from the end
    offset: i64,
    /// How many lines were asked for
    limit: usize,
    /// Whether there is more of what was asked for, or the file goes on after the last line shown
    truncated: bool,
    /// How many lines the file has; absent when counting them would mean reading on
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    /// Where to go on reading
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// The encoding of the file
    encoding: String,
    /// Whether the file begins with a byte order mark
    bom: bool,
    /// How its lines end: lf, crlf, cr or mixed; absent when there is no end of a line
    #[serde(skip_serializing_if = "Option::is_none")]
    line_ending: Option<String>,
    /// Whether the last line ends with a newline; absent when the end was not reached
    #[serde(skip_serializing_if = "Option::is_none")]
    final_newline: Option<bool>,
    /// The size of the file in bytes
    size: u64,
    /// The hash of the file's content; absent for files of more than 8 MiB
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    /// How many characters of the output stand for bytes that do not decode; absent when there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    undecodable: Option<usize>,
    /// True if the file was changed while it was read; absent otherwise
    #[serde(skip_serializing_if = "Option::is_none")]
    changed_while_read: Option<bool>,
}

impl Tool for Read {
    type Input = ReadInput;
    type Output = ReadOutput;
    const NAME: &'static str = "Read";
    const DESCRIPTION: &'static str = "\
Reads a text file, in whatever encoding, and shows it with line numbers.

Usage:
- The file_path parameter must be an absolute path
- By default, reads up to 2000 lines from the beginning
- Optionally specify offset and limit for partial reads, or tail for the last lines; the answer says where to go on
- Lines longer than 2000 characters are truncated
- Results include line numbers starting at 1";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: ReadInput, call: &mut Call<'_>) -> Result<ReadOutput, ToolError> {
        let request = ReadRequest {
            part: part(input.offset, input.limit, input.tail)?,
            encoding: input.encoding,
            ..ReadRequest::new(absolute(input.file_path, call)?)
        };
        match toolcrib_files::read(call, &request)? {
            Content::Text(text) => Ok(ReadOutput::new(text, request.part)),
        }
    }

    fn render(&self, output: &ReadOutput) -> Option<String> {
        Some(output.content.clone())
    }
}

impl ReadOutput {
    fn new(text: Text, part: Part) -> Self {
        let (Part::From { limit, .. } | Part::Last(limit)) = part;
        let goes_on = matches!(part, Part::From { .. }) && text.next.is_some();
        Self {
            content: content(&text, limit, goes_on),
            lines_read: text.lines.len(),
            offset: first_number(&text),
            limit,
            truncated: goes_on || text.left_out > 0,
            total_lines: text.total_lines,
            next_offset: text.next,
            encoding: text.encoding.charset.name().to_owned(),
            bom: text.encoding.bom,
            line_ending: text.line_ending.map(|ending| ending.as_str().to_owned()),
            final_newline: text.final_newline,
            size: text.size,
            version: text.version.map(|version| version.to_string()),
            undecodable: Some(text.undecodable).filter(|count| *count > 0),
            changed_while_read: text.changed.then_some(true),
            file_path: text.path.absolute,
        }
    }
}

fn content(text: &Text, limit: usize, goes_on: bool) -> String {
    let mut remarks = remarks(text);
    // Whoever asked for so many lines knows that there may be more; whoever got fewer than that must be told.
    let unasked = text.lines.len() < limit || limit == default_limit();
    if let Some(next) = text.next.filter(|_| goes_on && unasked) {
        let of = text.total_lines.map_or_else(String::new, |total| format!(" to line {total}"));
        remarks.push(format!("the file goes on{of}: read it from offset {next}"));
    }
    let remarks = remarks.iter().map(|remark| format!("({remark})")).collect::<Vec<_>>().join("\n");
    match (text.lines.is_empty(), remarks.is_empty()) {
        (true, _) => remarks,
        (false, true) => numbered(text, '\t'),
        (false, false) => format!("{}\n\n{remarks}", numbered(text, '\t')),
    }
}

fn first_line() -> u64 {
    1
}
