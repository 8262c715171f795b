//! What the changing operations share: a draft as text, and its change as a proposal with a diff.

use toolcrib_edit::{Diff, Limit, Names};
use toolcrib_text::{Change, ChangeError, Document};
use toolcrib_tool::{Call, Draft, ErrorKind, Proposal, ToolError};

use crate::FilePath;

/// How the changed file reads: shown to people and models, and told to programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The unified diff, bounded.
    pub diff: String,
    /// How many lines of the diff are left out.
    pub left_out: usize,
    /// Characters in the changed lines that a reader does not see, such as `U+202E at line 3`.
    pub hidden: Vec<String>,
}

/// The text of a file that is to be changed.
pub(crate) fn document(draft: &Draft) -> Result<Document, ToolError> {
    let before = draft.existing()?;
    Document::read(before.bytes().to_vec()).map_err(|_| {
        ToolError::new(ErrorKind::Unsupported, format!("Cannot edit binary file: {}", draft.location.show()))
            .hint("only text can be edited")
    })
}

/// The document after changes that were found on its text.
pub(crate) fn spliced(
    document: &Document,
    after: &str,
    changes: &[toolcrib_edit::Change],
    draft: &Draft,
) -> Result<Document, ToolError> {
    let changes: Vec<Change<'_>> = changes
        .iter()
        .map(|change| Change { span: change.old.clone(), text: &after[change.new.clone()] })
        .collect();
    document.apply(&changes).map_err(|error| cannot_hold(draft, &error))
}

fn cannot_hold(draft: &Draft, error: &ChangeError) -> ToolError {
    ToolError::new(ErrorKind::Unsupported, format!("Cannot edit {}: {error}", draft.location.show()))
        .hint("the file keeps its encoding; use characters that it has")
}

/// Proposes new content for a draft, and shows it.
pub(crate) fn propose(
    call: &Call<'_>,
    draft: Draft,
    before: &str,
    after: &str,
    content: Vec<u8>,
) -> (FilePath, Shown) {
    let path = FilePath::new(&draft.location);
    let names =
        if draft.before.is_some() { Names::of(&path.relative) } else { Names::created(&path.relative) };
    let shown = show(before, after, names);
    let change = draft.write(content);
    call.propose(Proposal { location: draft.location, change, diff: shown.diff.clone() });
    (path, shown)
}

/// The difference between two texts.
pub(crate) fn show(before: &str, after: &str, names: Names<'_>) -> Shown {
    let diff = Diff::between(before, after);
    let hidden = diff.hidden().into_iter().filter(|hidden| hidden.added);
    let hidden = hidden.map(|h| format!("U+{:04X} at line {}", u32::from(h.character), h.line)).collect();
    let shown = diff.shown(names, Limit::default());
    Shown { diff: shown.text, left_out: shown.left_out, hidden }
}

/// Says what is not text: the specification's tools write text only.
pub(crate) fn refuse_nul(text: &str, parameter: &str) -> Result<(), ToolError> {
    match text.find('\0') {
        None => Ok(()),
        Some(at) => Err(ToolError::new(
            ErrorKind::InvalidParameter,
            format!("{parameter} has a NUL character at byte {at}, which no text has"),
        )
        .hint("only text can be written")),
    }
}
