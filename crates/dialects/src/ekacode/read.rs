//! `read`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{ReadRequest, Text};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::gutter::numbered;

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
    /// Whether the file goes on after the last line shown
    truncated: bool,
    /// How many lines the content has
    line_count: usize,
    /// The file that was read, relative to the workspace
    file_path: String,
    /// How many lines to skip to go on reading
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
}

impl Tool for Read {
    type Input = ReadInput;
    type Output = ReadOutput;
    const NAME: &'static str = "read";
    const TITLE: &'static str = "Read";
    const DESCRIPTION: &'static str = "\
Reads a text file and shows it with line numbers. Paths are relative to the workspace root, or absolute. \
Reads up to 2000 lines unless limit says otherwise; offset skips lines.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: ReadInput, call: &mut Call<'_>) -> Result<ReadOutput, ToolError> {
        let request = ReadRequest {
            path: input.file_path.into(),
            first: input.offset.saturating_add(1),
            limit: input.limit,
        };
        Ok(toolcrib_files::read(call, &request)?.into())
    }
}

impl From<Text> for ReadOutput {
    fn from(text: Text) -> Self {
        Self {
            content: numbered(&text, '→'),
            metadata: ReadMetadata {
                truncated: text.next.is_some(),
                line_count: text.lines.len(),
                file_path: text.path.relative,
                next_offset: text.next.map(|line| line - 1),
            },
        }
    }
}

fn default_limit() -> usize {
    ReadRequest::DEFAULT_LIMIT
}
