//! `Undo`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{FileBack, TakenBack, UndoRequest};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::shown::{taken_back, way};

pub(crate) struct Undo;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct UndoInput {
    /// The number of the change, as the tool that made it gave it in its metadata (default: the latest change)
    change: Option<u64>,
    /// Whether to make a change again that was undone
    #[serde(default)]
    redo: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct UndoOutput {
    #[serde(skip)]
    text: String,
    /// The change that was taken back
    taken_back: u64,
    /// The files that were brought back
    files: Vec<FileResult>,
    /// Files that somebody else has changed since, in other lines: their changes are kept
    #[serde(skip_serializing_if = "Vec::is_empty")]
    merged: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct FileResult {
    /// The file
    path: String,
    /// restored, recreated, removed or moved back
    action: String,
}

impl Tool for Undo {
    type Input = UndoInput;
    type Output = UndoOutput;
    const NAME: &'static str = "Undo";
    const DESCRIPTION: &'static str = "\
Takes back a change that a tool has made, exactly: every file of it is as it was before.

Usage:
- Without a number, the latest change is taken back; again, the one before it
- If somebody has changed a file since in other lines, their changes are kept; in the same lines, nothing is taken back
- With redo, a change that was undone is made again";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Proposes;

    fn run(&self, input: UndoInput, call: &mut Call<'_>) -> Result<UndoOutput, ToolError> {
        let way = way(input.redo);
        let taken = toolcrib_files::undo(call, UndoRequest { way, change: input.change })?;
        Ok(UndoOutput { text: taken_back(&taken, way), ..taken.into() })
    }

    fn render(&self, output: &UndoOutput) -> Option<String> {
        Some(output.text.clone())
    }
}

impl From<TakenBack> for UndoOutput {
    fn from(taken: TakenBack) -> Self {
        let file =
            |file: FileBack| FileResult { path: file.path.absolute, action: file.action.name().to_owned() };
        Self {
            text: String::new(),
            taken_back: taken.change,
            files: taken.files.into_iter().map(file).collect(),
            merged: taken.merged.into_iter().map(|path| path.absolute).collect(),
        }
    }
}
