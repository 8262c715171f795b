//! `multiedit`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{EditRequest, Edited, Settings};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::shown::{line_ranges, note_facts};

pub(crate) struct MultiEdit {
    pub(crate) settings: Settings,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MultiEditInput {
    /// Path to the file: relative to the workspace root, or absolute
    #[schemars(length(min = 1))]
    file_path: String,
    /// Array of edit operations to apply sequentially
    #[schemars(length(min = 1))]
    edits: Vec<OneEdit>,
    /// The version that the file must have; the call fails if it has another
    expected_version: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OneEdit {
    /// Exact text to replace; empty in the first edit to create the file
    old_string: String,
    /// Replacement text
    new_string: String,
    /// Replace all occurrences (default: false)
    #[serde(default)]
    replace_all: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MultiEditOutput {
    /// Always true: a failure is an error
    success: bool,
    /// The file that was edited, relative to the workspace
    file_path: String,
    /// In how many places text was replaced, by all edits together
    total_replacements: usize,
    /// What each edit did
    results: Vec<EditResult>,
}

#[derive(Serialize, JsonSchema)]
struct EditResult {
    /// In how many places text was replaced
    replacements: usize,
}

impl Tool for MultiEdit {
    type Input = MultiEditInput;
    type Output = MultiEditOutput;
    const NAME: &'static str = "multiedit";
    const TITLE: &'static str = "MultiEdit";
    const DESCRIPTION: &'static str = "\
Makes several replacements in one file, in order, all of them or none; each edit sees the text that those before it left. \
Read the file first. Each oldString must be found exactly once, or everywhere with its replaceAll.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Proposes;

    fn run(&self, input: MultiEditInput, call: &mut Call<'_>) -> Result<MultiEditOutput, ToolError> {
        let edits = input.edits.into_iter().map(|edit| toolcrib_files::Edit {
            old: edit.old_string,
            new: edit.new_string,
            all: edit.replace_all,
        });
        let request = EditRequest {
            path: input.file_path.into(),
            edits: edits.collect(),
            matching: self.settings.matching,
            max_growth: self.settings.max_growth,
            expected_version: input.expected_version,
            terms: super::TERMS,
        };
        let edited = toolcrib_files::edit(call, &request)?;
        note_facts(call, edited.level(), &edited.shown.hidden, edited.changed_since_read);
        call.note("lines", line_ranges(&edited.lines));
        if edited.unchanged {
            call.note("unchanged", true);
        }
        Ok(edited.into())
    }
}

impl From<Edited> for MultiEditOutput {
    fn from(edited: Edited) -> Self {
        let results =
            edited.steps.iter().map(|step| EditResult { replacements: step.replacements }).collect();
        let total_replacements = edited.replacements();
        Self { success: true, file_path: edited.path.relative, total_replacements, results }
    }
}
