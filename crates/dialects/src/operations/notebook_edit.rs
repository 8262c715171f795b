//! One cell of a notebook.

use schemars::JsonSchema;
use serde::Deserialize;
use toolcrib_access::Proposed;
use toolcrib_files::{CellEdit, CellKind, NotebookEditRequest, NotebookEdited, Refused};
use toolcrib_tool::{Effect, ErrorKind, ToolError};

use super::{Caller, Operation, some};
use crate::changes::line_ranges;
use crate::facts::{Facts, facts};

/// Replaces, inserts or deletes a cell of a notebook.
pub struct NotebookEdit;

parameters! {
    /// Which cell, and what to do with it.
    pub struct NotebookEditInput;
    notebook_path: String, schemars(length(min = 1)) => "The notebook to change";
    new_source: Option<String> => "The new source of the cell; not needed to delete it";
    cell_id: Option<String> =>
        "The cell: its id, or its number as Read shows it (#2 is the number in any case). A new cell is inserted after it, or at the top if cell_id is omitted";
    cell_type: Option<CellType> => "What the cell holds; needed to insert one, otherwise it stays as it is";
    edit_mode: EditMode, serde(default) => "What to do with the cell";
}

/// What a cell holds.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum CellType {
    /// A program.
    Code,
    /// Text with markup.
    Markdown,
}

impl From<CellType> for CellKind {
    fn from(cell: CellType) -> Self {
        match cell {
            CellType::Code => Self::Code,
            CellType::Markdown => Self::Markdown,
        }
    }
}

/// What to do with a cell.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum EditMode {
    /// Give it a new source.
    #[default]
    Replace,
    /// Add one after it.
    Insert,
    /// Remove it.
    Delete,
}

impl Operation for NotebookEdit {
    type Input = NotebookEditInput;
    type Outcome = NotebookEdited;
    const NAME: &'static str = "notebook_edit";
    const TITLE: &'static str = "Edit notebook";
    const EFFECT: Effect = Effect::Proposes;

    fn run(input: NotebookEditInput, caller: &Caller<'_>) -> Result<Proposed<NotebookEdited>, Refused> {
        let path = caller.file(input.notebook_path, "notebook_path")?;
        let (cell, source) = (input.cell_id.as_deref(), input.new_source.as_deref());
        let needed = |parameter: &str, hint: &str| {
            let message = format!("{} is required for this edit", caller.words.parameter(parameter));
            ToolError::new(ErrorKind::InvalidParameter, message).hint(hint)
        };
        let which = || cell.ok_or_else(|| needed("cell_id", "name the cell by its id or its number"));
        let text = || source.ok_or_else(|| needed("new_source", "give the new source of the cell"));
        let kind = input.cell_type.map(CellKind::from);
        let edit = match input.edit_mode {
            EditMode::Replace => CellEdit::Replace { cell: which()?, source: text()?, kind },
            EditMode::Insert => {
                let kind = kind.ok_or_else(|| needed("cell_type", "a new cell is code or markdown"))?;
                CellEdit::Insert { after: cell, source: text()?, kind }
            }
            EditMode::Delete => CellEdit::Delete { cell: which()? },
        };
        let request = NotebookEditRequest { path, edit, expected_version: None };
        toolcrib_files::notebook_edit(caller.sandbox, &request)
    }

    fn facts() -> Facts<NotebookEdited> {
        facts! { NotebookEdited, |it, words|
            "notebook_path": "The notebook that was changed" => words.path(&it.path);
            "cell_number": "The cell's number" => it.number;
            "cell_id": "The cell's id" => it.id.clone();
            "cell_type": "What the cell holds" => it.kind.name();
            "lines": "The changed lines, numbered as in the new file" => line_ranges(&it.lines);
            "hidden_characters": "Invisible or direction-changing characters in the new lines" =>
                some(it.shown.hidden.clone());
        }
    }
}
