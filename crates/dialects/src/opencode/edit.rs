//! `Edit`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{EditRequest, Edited, Settings};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use super::absolute;
use crate::shown::{line_ranges, with_diff};

pub(crate) struct Edit {
    pub(crate) settings: Settings,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct EditInput {
    /// The absolute path to the file to edit
    #[schemars(length(min = 1))]
    file_path: String,
    /// The exact text to find and replace; empty to create a file
    old_string: String,
    /// The text to replace with
    new_string: String,
    /// Replace all occurrences (default: false)
    #[serde(default)]
    replace_all: bool,
    /// The version that the file must have, as Read gave it; the call fails if it has another
    expected_version: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EditOutput {
    #[serde(skip)]
    text: String,
    /// The file that was edited
    file_path: String,
    /// In how many places text was replaced
    replacements: usize,
    /// What had to be overlooked to find the place: exact, line_endings, trailing_whitespace, final_newline, indentation, typography, gutter or escapes
    #[serde(rename = "match")]
    level: String,
    /// The changed lines, as they are counted now
    lines: Vec<String>,
    /// Whether the file was not there before
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    created: bool,
    /// Whether somebody else had changed the file since it was read
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    changed_since_read: bool,
    /// Invisible or direction-changing characters in the new lines
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hidden_characters: Vec<String>,
}

impl Tool for Edit {
    type Input = EditInput;
    type Output = EditOutput;
    const NAME: &'static str = "Edit";
    const DESCRIPTION: &'static str = "\
Performs exact string replacements in files.

Usage:
- The file must be read first before editing
- old_string must be found exactly in the file
- Without replace_all, old_string must be unique
- Use replace_all=true to replace all occurrences
- Preserves file encoding and line endings
- An empty old_string creates a new file";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Proposes;

    fn run(&self, input: EditInput, call: &mut Call<'_>) -> Result<EditOutput, ToolError> {
        let edit =
            toolcrib_files::Edit { old: input.old_string, new: input.new_string, all: input.replace_all };
        let request = EditRequest {
            path: absolute(input.file_path, call)?,
            edits: vec![edit],
            matching: self.settings.matching,
            max_growth: self.settings.max_growth,
            expected_version: input.expected_version,
            terms: super::TERMS,
        };
        Ok(toolcrib_files::edit(call, &request)?.into())
    }

    fn render(&self, output: &EditOutput) -> Option<String> {
        Some(output.text.clone())
    }
}

impl From<Edited> for EditOutput {
    fn from(edited: Edited) -> Self {
        Self {
            text: text(&edited),
            replacements: edited.replacements(),
            level: edited.level().name().to_owned(),
            lines: line_ranges(&edited.lines),
            created: edited.created,
            changed_since_read: edited.changed_since_read,
            hidden_characters: edited.shown.hidden,
            file_path: edited.path.absolute,
        }
    }
}

fn text(edited: &Edited) -> String {
    let path = &edited.path.absolute;
    if edited.created {
        return format!("Created {path}");
    }
    with_diff(&format!("Replaced {} occurrence(s) in {path}", edited.replacements()), &edited.shown)
}
