//! `Read`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{ReadRequest, Text};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use super::absolute;
use crate::gutter::numbered;

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
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ReadOutput {
    #[serde(skip)]
    content: String,
    /// The file that was read
    file_path: String,
    /// How many lines the output has
    lines_read: usize,
    /// The number of the first line
    offset: u64,
    /// How many lines were asked for
    limit: usize,
    /// Whether the file goes on after the last line shown
    truncated: bool,
    /// How many lines the file has; absent when the end was not reached
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    /// Where to go on reading
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// Whether the last line ends with a newline; absent when the end was not reached
    #[serde(skip_serializing_if = "Option::is_none")]
    final_newline: Option<bool>,
    /// The size of the file in bytes
    size: u64,
}

impl Tool for Read {
    type Input = ReadInput;
    type Output = ReadOutput;
    const NAME: &'static str = "Read";
    const DESCRIPTION: &'static str = "\
Reads a text file and shows it with line numbers.

Usage:
- The file_path parameter must be an absolute path
- By default, reads up to 2000 lines from the beginning
- Optionally specify offset and limit for partial reads; the metadata says where to go on
- Lines longer than 2000 characters are truncated
- Results include line numbers starting at 1";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: ReadInput, call: &mut Call<'_>) -> Result<ReadOutput, ToolError> {
        let path = absolute(input.file_path, call)?;
        let text =
            toolcrib_files::read(call, &ReadRequest { path, first: input.offset, limit: input.limit })?;
        Ok(ReadOutput::new(text, input.limit))
    }

    fn render(&self, output: &ReadOutput) -> Option<String> {
        Some(output.content.clone())
    }
}

impl ReadOutput {
    fn new(text: Text, limit: usize) -> Self {
        Self {
            content: content(&text, limit),
            lines_read: text.lines.len(),
            file_path: text.path.absolute,
            offset: text.first,
            limit,
            truncated: text.next.is_some(),
            total_lines: text.total_lines,
            next_offset: text.next,
            final_newline: text.final_newline,
            size: text.size,
        }
    }
}

fn content(text: &Text, limit: usize) -> String {
    if text.lines.is_empty() {
        return "(the file is empty)".to_owned();
    }
    let lines = numbered(text, '\t');
    // Whoever asked for so many lines knows that there may be more; whoever got fewer than that must be told.
    let unasked = text.lines.len() < limit || limit == ReadRequest::DEFAULT_LIMIT;
    match text.next.filter(|_| unasked) {
        Some(next) => format!("{lines}\n\n(the file goes on: read it from offset {next})"),
        None => lines,
    }
}

fn first_line() -> u64 {
    1
}

fn default_limit() -> usize {
    ReadRequest::DEFAULT_LIMIT
}
