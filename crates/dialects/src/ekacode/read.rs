//! `read`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{Content, Part, ReadRequest, Text};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::gutter::numbered;
use crate::reading::{default_limit, part, remarks};

pub(crate) struct Read;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadInput {
    /// Path to the file to read
    #[schemars(length(min = 1))]
    file_path: String,
    /// Line offset to start reading: how many lines to skip
    #[serde(default)]
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
    /// The lines with their numbers
    content: String,
    /// Facts about them
    metadata: ReadMetadata,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ReadMetadata {
    /// Whether there is more of what was asked for, or the file goes on after the last line shown
    truncated: bool,
    /// How many lines the content has
    line_count: usize,
    /// The file that was read, relative to the workspace
    file_path: String,
    /// How many lines the file has; absent when counting them would mean reading on
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    /// How many lines to skip to go on reading
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
    /// How many characters of the content stand for bytes that do not decode; absent when there is none
    #[serde(skip_serializing_if = "Option::is_none")]
    undecodable: Option<usize>,
    /// What else there is to know
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for Read {
    type Input = ReadInput;
    type Output = ReadOutput;
    const NAME: &'static str = "read";
    const TITLE: &'static str = "Read";
    const DESCRIPTION: &'static str = "\
Reads a text file, in whatever encoding, and shows it with line numbers. Paths are relative to the workspace root, or \
absolute. Reads up to 2000 lines unless limit says otherwise; offset skips lines, tail gives the last ones.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: ReadInput, call: &mut Call<'_>) -> Result<ReadOutput, ToolError> {
        let request = ReadRequest {
            part: part(input.offset.saturating_add(1), input.limit, input.tail)?,
            encoding: input.encoding,
            ..ReadRequest::new(input.file_path)
        };
        match toolcrib_files::read(call, &request)? {
            Content::Text(text) => Ok(ReadOutput::new(text, request.part)),
        }
    }
}

impl ReadOutput {
    fn new(text: Text, part: Part) -> Self {
        let remarks = remarks(&text);
        let goes_on = matches!(part, Part::From { .. }) && text.next.is_some();
        Self {
            content: numbered(&text, '→'),
            metadata: ReadMetadata {
                truncated: goes_on || text.left_out > 0,
                line_count: text.lines.len(),
                file_path: text.path.relative,
                total_lines: text.total_lines,
                next_offset: text.next.map(|line| line - 1),
                encoding: text.encoding.charset.name().to_owned(),
                bom: text.encoding.bom,
                line_ending: text.line_ending.map(|ending| ending.as_str().to_owned()),
                final_newline: text.final_newline,
                size: text.size,
                version: text.version.map(|version| version.to_string()),
                undecodable: Some(text.undecodable).filter(|count| *count > 0),
                note: (!remarks.is_empty()).then(|| remarks.join("; ")),
            },
        }
    }
}
