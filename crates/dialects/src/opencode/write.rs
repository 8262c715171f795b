//! `Write`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{WriteRequest, Written};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use super::absolute;
use crate::shown::with_diff;

pub(crate) struct Write;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct WriteInput {
    /// The absolute path to the file to write
    #[schemars(length(min = 1))]
    file_path: String,
    /// The content to write to the file
    content: String,
    /// The version that the file must have, as Read gave it; the call fails if it has another
    expected_version: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct WriteOutput {
    #[serde(skip)]
    text: String,
    /// The file that was written
    file_path: String,
    /// How many bytes it has now
    bytes_written: usize,
    /// Whether it was not there before
    created: bool,
    /// Whether it held the same already, so that nothing was done
    unchanged: bool,
    /// The encoding it is written in
    encoding: String,
    /// Whether LF became CRLF, because that is how the file's lines end
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    crlf_kept: bool,
    /// Invisible or direction-changing characters in the new lines
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hidden_characters: Vec<String>,
}

impl Tool for Write {
    type Input = WriteInput;
    type Output = WriteOutput;
    const NAME: &'static str = "Write";
    const DESCRIPTION: &'static str = "\
Writes content to a file: creates it, or replaces all it holds.

Usage:
- The file_path must be an absolute path
- Will overwrite existing files
- Creates parent directories if needed
- Existing files must be read first before writing
- An existing file keeps its encoding, and CRLF line endings if all its lines have them
- Use Edit tool for find/replace operations";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Proposes;

    fn run(&self, input: WriteInput, call: &mut Call<'_>) -> Result<WriteOutput, ToolError> {
        let request = WriteRequest {
            path: absolute(input.file_path, call)?,
            content: input.content,
            expected_version: input.expected_version,
        };
        Ok(toolcrib_files::write(call, &request)?.into())
    }

    fn render(&self, output: &WriteOutput) -> Option<String> {
        Some(output.text.clone())
    }
}

impl From<Written> for WriteOutput {
    fn from(written: Written) -> Self {
        Self {
            text: text(&written),
            file_path: written.path.absolute,
            bytes_written: written.bytes,
            created: written.created,
            unchanged: written.unchanged,
            encoding: written.encoding.charset.name().to_owned(),
            crlf_kept: written.crlf_kept,
            hidden_characters: written.shown.hidden,
        }
    }
}

fn text(written: &Written) -> String {
    let path = &written.path.absolute;
    if written.unchanged {
        return format!("Unchanged: {path} holds exactly this already");
    }
    let kept = if written.crlf_kept { ", CRLF line endings kept" } else { "" };
    // Who creates a file knows what is in it.
    if written.created {
        return format!("Created {path} ({} bytes)", written.bytes);
    }
    with_diff(&format!("Updated {path} ({} bytes{kept})", written.bytes), &written.shown)
}
