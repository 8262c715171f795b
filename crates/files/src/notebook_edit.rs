//! Changes one cell of a notebook.

use std::path::PathBuf;

use toolcrib_access::{Proposed, Sandbox};
use toolcrib_edit::{LineSpan, Splice, changed_lines, changes_of, splice};
use toolcrib_formats::notebook::{self, CellEdit, CellKind, EditError};
use toolcrib_tool::{ErrorKind, ToolError};

use crate::FilePath;
use crate::bounds::{reserve, to_change};
use crate::changed::{Excerpt, NewContent, Shown, document, propose, spliced};
use crate::refused::{Refused, require_version};

/// Which notebook, and what to do with which cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotebookEditRequest<'a> {
    /// The notebook, as the caller named it.
    pub path: PathBuf,
    /// What to do.
    pub edit: CellEdit<'a>,
    /// What the file must hold before, as Read gave it.
    pub expected_version: Option<String>,
}

/// What was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotebookEdited {
    /// The notebook.
    pub path: FilePath,
    /// The cell's number, counted from 1: after the change, or before it if the cell is gone.
    pub number: usize,
    /// The cell's id, if it has one.
    pub id: Option<String>,
    /// What the cell holds.
    pub kind: CellKind,
    /// Whether the notebook was like that already.
    pub unchanged: bool,
    /// The changed lines, as they are counted afterwards.
    pub lines: Vec<LineSpan>,
    /// How the change reads.
    pub shown: Shown,
}

/// Proposes the change. Every byte that does not belong to the cell stays as it is.
///
/// # Errors
///
/// If the file may not be changed, is not a notebook, has no such cell, or is not what the session has read.
pub fn notebook_edit(
    sandbox: &Sandbox<'_>,
    request: &NotebookEditRequest<'_>,
) -> Result<Proposed<NotebookEdited>, Refused> {
    let mut draft = sandbox.draft(&request.path)?;
    draft.refuse_unseen()?;
    require_version(&draft, request.expected_version.as_deref())?;
    let document = document(sandbox, &mut draft)?;
    let before = document.text();
    let _memory = reserve(to_change(before, document.bytes().len()).saturating_add(to_write(request.edit)))?;
    let edited =
        notebook::edit(before, request.edit).map_err(|error| refused(&error, &draft.location.show()))?;
    let splices = edited.splices.into_iter().map(|(span, text)| Splice { span, text });
    let splices: Vec<Splice> = splices.filter(|splice| before[splice.span.clone()] != *splice.text).collect();
    let (number, id, kind, unchanged) = (edited.number, edited.id, edited.kind, splices.is_empty());
    if unchanged {
        let (path, lines, shown) = (FilePath::new(&draft.location), Vec::new(), Shown::default());
        return Ok(NotebookEdited { path, number, id, kind, unchanged, lines, shown }.into());
    }
    let after = splice(before, &splices);
    let changes = changes_of(&splices, &after);
    let lines = changed_lines(&changes);
    let content = spliced(sandbox, &document, &after, &changes, &draft)?.into_bytes();
    let NewContent { path, mut shown, proposal } = propose(sandbox, draft, before, &after, content)?;
    shown.excerpt = Excerpt::of(&after, lines.first().copied());
    Ok(Proposed::new(NotebookEdited { path, number, id, kind, unchanged, lines, shown }, vec![proposal]))
}

/// How much memory the new source takes: each of its lines is written with the indentation around it.
fn to_write(edit: CellEdit<'_>) -> usize {
    const EACH_LINE: usize = 100;
    let (CellEdit::Replace { source, .. } | CellEdit::Insert { source, .. }) = edit else { return 0 };
    to_change(source, source.len()).saturating_add(source.lines().count().saturating_mul(EACH_LINE))
}

fn refused(error: &EditError, path: &str) -> ToolError {
    let (kind, hint) = match error {
        EditError::NoSuchCell { .. } => {
            (ErrorKind::NotFound, "read the notebook to see its cells: name one by its id or its number")
        }
        EditError::NotUnique { .. } => (ErrorKind::NotUnique, "name the cell by its number, as #2"),
        _ => (ErrorKind::Unsupported, "edit the file as text"),
    };
    ToolError::new(kind, format!("{path}: {error}")).hint(hint)
}
