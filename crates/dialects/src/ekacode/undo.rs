//! `undo`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{FileBack, UndoRequest};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::shown::way;

pub(crate) struct Undo;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UndoInput {
    /// The number of the change, as the tool that made it gave it in its metadata (default: the latest change)
    change: Option<u64>,
    /// Whether to make a change again that was undone
    #[serde(default)]
    redo: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UndoOutput {
    /// Always true: a failure is an error
    success: bool,
    /// The change that was taken back
    taken_back: u64,
    /// The files that were brought back
    files: Vec<FileResult>,
    /// Files that somebody else has changed since, in other lines: their changes are kept
    merged: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileResult {
    /// The file, relative to the workspace
    file_path: String,
    /// restored, recreated, removed or moved back
    action: String,
    /// What changed, as a unified diff
    diff: String,
}

impl Tool for Undo {
    type Input = UndoInput;
    type Output = UndoOutput;
    const NAME: &'static str = "undo";
    const TITLE: &'static str = "Undo";
    const DESCRIPTION: &'static str = "\
Takes back a change that a tool has made, exactly: every file of it is as it was before. Without a number the latest \
change; with redo, a change that was undone is made again. What somebody has changed since in other lines is kept; in the \
same lines, nothing is taken back.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Proposes;

    fn run(&self, input: UndoInput, call: &mut Call<'_>) -> Result<UndoOutput, ToolError> {
        let taken = toolcrib_files::undo(call, UndoRequest { way: way(input.redo), change: input.change })?;
        let file = |file: FileBack| FileResult {
            file_path: file.path.relative,
            action: file.action.name().to_owned(),
            diff: file.shown.diff,
        };
        Ok(UndoOutput {
            success: true,
            taken_back: taken.change,
            files: taken.files.into_iter().map(file).collect(),
            merged: taken.merged.into_iter().map(|path| path.relative).collect(),
        })
    }
}
