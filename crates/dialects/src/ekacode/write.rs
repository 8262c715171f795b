//! `write`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{WriteRequest, Written};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

pub(crate) struct Write;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WriteInput {
    /// Content to write to the file
    content: String,
    /// Path to the file: relative to the workspace root, or absolute
    #[schemars(length(min = 1))]
    file_path: String,
    /// The version that the file must have; the call fails if it has another
    expected_version: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WriteOutput {
    /// Always true: a failure is an error
    success: bool,
    /// The file that was written, relative to the workspace
    file_path: String,
    /// What changed, as a unified diff
    diff: String,
    /// Whether the file was not there before
    created: bool,
}

impl Tool for Write {
    type Input = WriteInput;
    type Output = WriteOutput;
    const NAME: &'static str = "write";
    const TITLE: &'static str = "Write";
    const DESCRIPTION: &'static str = "\
Creates a file, or replaces all that an existing one holds; read an existing file first. Parent directories are created. \
An existing file keeps its encoding, and CRLF line endings if all its lines have them.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Proposes;

    fn run(&self, input: WriteInput, call: &mut Call<'_>) -> Result<WriteOutput, ToolError> {
        let request = WriteRequest {
            path: input.file_path.into(),
            content: input.content,
            expected_version: input.expected_version,
        };
        let written = toolcrib_files::write(call, &request)?;
        if !written.shown.hidden.is_empty() {
            call.note("hidden_characters", written.shown.hidden.clone());
        }
        Ok(written.into())
    }
}

impl From<Written> for WriteOutput {
    fn from(written: Written) -> Self {
        Self {
            success: true,
            file_path: written.path.relative,
            diff: written.shown.diff,
            created: written.created,
        }
    }
}
