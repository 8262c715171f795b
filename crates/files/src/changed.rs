//! What the changing operations share: a draft as text, and its change as a proposal with a diff.

use toolcrib_edit::{Diff, Limit, Names};
use toolcrib_text::{Change, ChangeError, Document, Encoding, LineEndings, Meter, Stop, Stopped};
use toolcrib_tool::{Call, Draft, ErrorKind, Proposal, ToolError};

use crate::FilePath;
use crate::bounds::{stopped, until_over};

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
pub(crate) fn document(call: &Call<'_>, draft: &mut Draft) -> Result<Document, ToolError> {
    let content = draft.take_content(&call.sandbox()?)?;
    let stop = until_over(call);
    let document = Document::read_metered(content, &Meter::new(&stop)).map_err(stopped(call))?;
    document.map_err(|_| {
        ToolError::new(ErrorKind::Unsupported, format!("Cannot edit binary file: {}", draft.location.show()))
            .hint("only text can be edited")
    })
}

/// The document after changes that were found on its text.
pub(crate) fn spliced(
    call: &Call<'_>,
    document: &Document,
    after: &str,
    changes: &[toolcrib_edit::Change],
    draft: &Draft,
) -> Result<Document, ToolError> {
    let changes: Vec<Change<'_>> = changes
        .iter()
        .map(|change| Change { span: change.old.clone(), text: &after[change.new.clone()] })
        .collect();
    let stop = until_over(call);
    document.apply_metered(&changes, &Meter::new(&stop)).map_err(|error| match error {
        ChangeError::Stopped => stopped(call)(Stopped),
        error => cannot_hold(draft, &error),
    })
}

/// A text that takes the place of all that a file holds.
pub(crate) struct Replaced {
    /// The text as it is written.
    pub(crate) text: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) encoding: Encoding,
    /// LF became CRLF, because that is how the file's lines end.
    pub(crate) crlf_kept: bool,
}

/// Gives a text the encoding, byte order mark and, if all lines of the file end with CRLF and the text has only LF, the
/// line endings of the file that it replaces.
pub(crate) fn replaced(
    call: &Call<'_>,
    before: Option<&Document>,
    text: &str,
    draft: &Draft,
) -> Result<Replaced, ToolError> {
    let encoding = before.map_or(Encoding::UTF_8, Document::encoding);
    let crlf_kept = before.is_some_and(|document| keeps_crlf(document, text));
    let text = if crlf_kept { text.replace('\n', "\r\n") } else { text.to_owned() };
    let text = match text.strip_prefix('\u{FEFF}') {
        Some(text) if encoding.bom => text.to_owned(),
        _ => text,
    };
    let stop = until_over(call);
    let bytes = encoding.encode_metered(&text, &Meter::new(&stop)).map_err(stopped(call))?;
    let bytes = bytes.map_err(|error| {
        ToolError::new(ErrorKind::Unsupported, format!("Cannot write {}: {error}", draft.location.show()))
            .hint("the file keeps its encoding; use characters that it has, or delete it and write it anew as UTF-8")
    })?;
    Ok(Replaced { text, bytes, encoding, crlf_kept })
}

fn keeps_crlf(before: &Document, content: &str) -> bool {
    let content = LineEndings::of(content);
    before.line_endings().is_wholly_crlf() && content.lf > 0 && content.crlf == 0 && content.cr == 0
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
) -> Result<(FilePath, Shown), ToolError> {
    let path = FilePath::new(&draft.location);
    let names =
        if draft.before.is_some() { Names::of(&path.relative) } else { Names::created(&path.relative) };
    let shown = show_within(before, after, names, room(call), &until_over(call)).map_err(stopped(call))?;
    note_left_out(call, shown.left_out);
    let change = draft.write(content);
    call.propose(Proposal { location: draft.location, change, diff: shown.diff.clone() });
    Ok((path, shown))
}

/// How much of an answer a diff may take: whoever made the change knows most of it.
pub(crate) fn room(call: &Call<'_>) -> Limit {
    /// A change of a few lines is shown however little there is.
    const LEAST: usize = 1500;
    let usual = Limit::default();
    let bytes = (call.context().max_output_size / 12).clamp(LEAST, usual.bytes);
    Limit { bytes, ..usual }
}

/// Says beside the diff how many of its lines are not in it.
pub(crate) fn note_left_out(call: &Call<'_>, lines: usize) {
    if lines > 0 {
        call.note("diff_left_out", lines);
    }
}

/// The difference between two texts, as much as the limit allows.
pub(crate) fn show_within(
    before: &str,
    after: &str,
    names: Names<'_>,
    limit: Limit,
    stop: &dyn Stop,
) -> Result<Shown, Stopped> {
    let diff = Diff::shortened(before, after, stop)?;
    let hidden = diff.hidden().into_iter().filter(|hidden| hidden.added);
    let hidden = hidden.map(|h| format!("U+{:04X} at line {}", u32::from(h.character), h.line)).collect();
    let shown = diff.shown(names, limit);
    Ok(Shown { diff: shown.text, left_out: shown.left_out, hidden })
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
