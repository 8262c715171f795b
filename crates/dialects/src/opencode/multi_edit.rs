//! `MultiEdit`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{EditRequest, Edited, Settings};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use super::absolute;
use crate::shown::{line_ranges, with_diff};

pub(crate) struct MultiEdit {
    pub(crate) settings: Settings,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct MultiEditInput {
    /// The absolute path to the file to edit
    #[schemars(length(min = 1))]
    file_path: String,
    /// The edits, applied in order: each sees the text that those before it left
    #[schemars(length(min = 1))]
    edits: Vec<OneEdit>,
    /// The version that the file must have, as Read gave it; the call fails if it has another
    expected_version: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct OneEdit {
    /// The exact text to find and replace; empty in the first edit to create the file
    old_string: String,
    /// The text to replace with
    new_string: String,
    /// Replace all occurrences (default: false)
    #[serde(default)]
    replace_all: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct MultiEditOutput {
    #[serde(skip)]
    text: String,
    /// The file that was edited
    file_path: String,
    /// In how many places text was replaced, by all edits together
    total_replacements: usize,
    /// What each edit did
    results: Vec<EditResult>,
    /// The loosest of the levels at which the places were found
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

#[derive(Serialize, JsonSchema)]
struct EditResult {
    /// In how many places text was replaced
    replacements: usize,
    /// What had to be overlooked to find them
    #[serde(rename = "match")]
    level: String,
}

impl Tool for MultiEdit {
    type Input = MultiEditInput;
    type Output = MultiEditOutput;
    const NAME: &'static str = "MultiEdit";
    const DESCRIPTION: &'static str = "\
Makes several string replacements in one file, all of them or none.

Usage:
- The file must be read first before editing
- The edits are applied in order; each sees the text that those before it left
- If one edit fails, the file stays as it was, and the error says which one and why
- Each old_string must be found exactly and be unique, unless its replace_all is true
- An empty old_string in the first edit creates a new file";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Proposes;

    fn run(&self, input: MultiEditInput, call: &mut Call<'_>) -> Result<MultiEditOutput, ToolError> {
        let edits = input.edits.into_iter().map(|edit| toolcrib_files::Edit {
            old: edit.old_string,
            new: edit.new_string,
            all: edit.replace_all,
        });
        let request = EditRequest {
            path: absolute(input.file_path, call)?,
            edits: edits.collect(),
            matching: self.settings.matching,
            max_growth: self.settings.max_growth,
            expected_version: input.expected_version,
            terms: super::TERMS,
        };
        Ok(toolcrib_files::edit(call, &request)?.into())
    }

    fn render(&self, output: &MultiEditOutput) -> Option<String> {
        Some(output.text.clone())
    }
}

impl From<Edited> for MultiEditOutput {
    fn from(edited: Edited) -> Self {
        let results = edited
            .steps
            .iter()
            .map(|step| EditResult { replacements: step.replacements, level: step.level.name().to_owned() });
        Self {
            text: text(&edited),
            total_replacements: edited.replacements(),
            results: results.collect(),
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
    let (path, edits) = (&edited.path.absolute, edited.steps.len());
    if edited.created {
        return format!("Created {path} with {edits} edit(s)");
    }
    if edited.unchanged {
        return format!("Unchanged {path}: the {edits} edits cancel each other out");
    }
    let sentence = format!("Applied {edits} edit(s) ({} replacement(s)) to {path}", edited.replacements());
    with_diff(&sentence, &edited.shown)
}
