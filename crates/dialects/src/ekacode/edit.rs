//! `edit`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{EditRequest, Edited, Settings};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::shown::{line_ranges, note_facts};

pub(crate) struct Edit {
    pub(crate) settings: Settings,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditInput {
    /// Path to the file: relative to the workspace root, or absolute
    #[schemars(length(min = 1))]
    file_path: String,
    /// Exact text to replace; empty to create a file
    old_string: String,
    /// Replacement text
    new_string: String,
    /// Replace all occurrences (default: false)
    #[serde(default)]
    replace_all: bool,
    /// The version that the file must have; the call fails if it has another
    expected_version: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditOutput {
    /// Always true: a failure is an error
    success: bool,
    /// The file that was edited, relative to the workspace
    file_path: String,
    /// In how many places text was replaced
    replacements: usize,
}

impl Tool for Edit {
    type Input = EditInput;
    type Output = EditOutput;
    const NAME: &'static str = "edit";
    const TITLE: &'static str = "Edit";
    const DESCRIPTION: &'static str = "\
Replaces text in a file. oldString must be found exactly once, or everywhere with replaceAll; read the file first. \
Encoding and line endings are kept. An empty oldString creates a new file.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Proposes;

    fn run(&self, input: EditInput, call: &mut Call<'_>) -> Result<EditOutput, ToolError> {
        let edit =
            toolcrib_files::Edit { old: input.old_string, new: input.new_string, all: input.replace_all };
        let request = EditRequest {
            path: input.file_path.into(),
            edits: vec![edit],
            matching: self.settings.matching,
            max_growth: self.settings.max_growth,
            expected_version: input.expected_version,
            terms: super::TERMS,
        };
        let edited = toolcrib_files::edit(call, &request)?;
        note_facts(call, edited.level(), &edited.shown.hidden, edited.changed_since_read);
        call.note("lines", line_ranges(&edited.lines));
        Ok(edited.into())
    }
}

impl From<Edited> for EditOutput {
    fn from(edited: Edited) -> Self {
        Self { success: true, replacements: edited.replacements(), file_path: edited.path.relative }
    }
}
