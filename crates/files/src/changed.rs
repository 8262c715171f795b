//! What the changing operations share: a draft as text, and its change as a proposal with a diff.

use std::path::Path;

use toolcrib_access::{Draft, Location, Proposal, Sandbox};
use toolcrib_edit::{Diff, Limit, LineSpan, Names};
use toolcrib_text::{Change, ChangeError, Document, Encoding, LineEndings, Meter, Stop, Stopped, line_count};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{FileKind, Links, names};

use crate::FilePath;
use crate::bounds::{stopped, until_over};

/// How the changed file reads: shown to people and models, and told to programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The unified diff, bounded.
    pub diff: String,
    /// How many lines of the diff are left out.
    pub left_out: usize,
    /// Whether the file goes on after the last line of the diff.
    pub goes_on: bool,
    /// Characters in the changed lines that a reader does not see, such as `U+202E at line 3`.
    pub hidden: Vec<String>,
    /// The file around the first place that changed, as it is afterwards.
    pub excerpt: Excerpt,
}

/// Some lines of a changed file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The lines without their ends, very long ones cut.
    pub lines: Vec<String>,
    /// The number of the first.
    pub first: usize,
    /// Which lines of the file changed, though not all of very many are here.
    pub changed: Option<LineSpan>,
}

impl Excerpt {
    /// How many lines are shown before and after those that changed.
    pub const AROUND: usize = 4;
    /// How many of the changed lines, and how many bytes of each.
    const MOST: usize = 100;
    const LONGEST: usize = 2000;

    /// The lines of a text around those that changed.
    pub(crate) fn of(text: &str, changed: Option<LineSpan>) -> Self {
        let Some(LineSpan { first, last }) = changed else { return Self::default() };
        let from = first.saturating_sub(Self::AROUND).max(1);
        let to = last.min(first.saturating_add(Self::MOST)).saturating_add(Self::AROUND);
        let cut = |line: &str| {
            let shown = &line[..line.floor_char_boundary(Self::LONGEST)];
            if shown.len() < line.len() { format!("{shown}...") } else { line.to_owned() }
        };
        let lines = text.lines().skip(from - 1).take(to + 1 - from).map(cut).collect();
        Self { lines, first: from, changed }
    }
}

/// The text of a file that is to be changed.
pub(crate) fn document(sandbox: &Sandbox<'_>, draft: &mut Draft) -> Result<Document, ToolError> {
    let content = draft.take_content(sandbox)?;
    let stop = until_over(sandbox);
    let document = Document::read_metered(content, &Meter::new(&stop)).map_err(stopped(sandbox))?;
    document.map_err(|_| {
        ToolError::new(ErrorKind::Unsupported, format!("Cannot edit binary file: {}", draft.location.show()))
    })
}

/// The document after changes that were found on its text.
pub(crate) fn spliced(
    sandbox: &Sandbox<'_>,
    document: &Document,
    after: &str,
    changes: &[toolcrib_edit::Change],
    draft: &Draft,
) -> Result<Document, ToolError> {
    let changes: Vec<Change<'_>> = changes
        .iter()
        .map(|change| Change { span: change.old.clone(), text: &after[change.new.clone()] })
        .collect();
    let stop = until_over(sandbox);
    document.apply_metered(&changes, &Meter::new(&stop)).map_err(|error| match error {
        ChangeError::Stopped => stopped(sandbox)(Stopped),
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
    sandbox: &Sandbox<'_>,
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
    let stop = until_over(sandbox);
    let bytes = encoding.encode_metered(&text, &Meter::new(&stop)).map_err(stopped(sandbox))?;
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

/// A file that is to be taken away from its name, and exists. `act` says what is done to it.
pub(crate) fn draft_to_take(sandbox: &Sandbox<'_>, path: &Path, act: &str) -> Result<Draft, ToolError> {
    let draft = sandbox.draft(path).map_err(|error| match error.kind() {
        ErrorKind::IsDirectory => {
            let shown = names::escape(path);
            let message = format!("{shown} is a symbolic link to a directory, which cannot be {act}");
            ToolError::new(ErrorKind::Unsupported, message).hint("name the directory that it leads to")
        }
        _ => error,
    })?;
    refuse_link(&draft.location, act)?;
    draft.refuse_unseen()?;
    Ok(draft)
}

/// A file that is deleted or moved is meant by its own name: what a link leads to would go, and the link stay.
pub(crate) fn refuse_link(location: &Location, act: &str) -> Result<(), ToolError> {
    let stat = location.workspace.stat(&location.path, Links::Keep);
    if stat.is_ok_and(|stat| stat.kind == FileKind::Symlink) {
        let message = format!("{} is a symbolic link, which cannot be {act}", location.show());
        return Err(ToolError::new(ErrorKind::Unsupported, message).hint("name the file that it leads to"));
    }
    Ok(())
}

/// New content for a file, proposed and shown.
pub(crate) struct NewContent {
    pub(crate) path: FilePath,
    pub(crate) shown: Shown,
    pub(crate) proposal: Proposal,
}

/// Proposes new content for a draft, and shows it.
pub(crate) fn propose(
    sandbox: &Sandbox<'_>,
    draft: Draft,
    before: &str,
    after: &str,
    content: Vec<u8>,
) -> Result<NewContent, ToolError> {
    let shown = shown(sandbox, &draft, before, after)?;
    Ok(proposed(draft, shown, content))
}

/// Shows new content for a draft.
pub(crate) fn shown(
    sandbox: &Sandbox<'_>,
    draft: &Draft,
    before: &str,
    after: &str,
) -> Result<Shown, ToolError> {
    let path = FilePath::new(&draft.location);
    let names =
        if draft.before.is_some() { Names::of(&path.relative) } else { Names::created(&path.relative) };
    let shown =
        show_within(before, after, names, room(sandbox), &until_over(sandbox)).map_err(stopped(sandbox))?;
    note_left_out(sandbox, shown.left_out);
    Ok(shown)
}

/// Proposes new content that was shown.
pub(crate) fn proposed(draft: Draft, shown: Shown, content: Vec<u8>) -> NewContent {
    let path = FilePath::new(&draft.location);
    let change = draft.write(content);
    let proposal = Proposal { location: draft.location, change, diff: shown.diff.clone() };
    NewContent { path, shown, proposal }
}

/// How much of an answer a diff may take: the agent that made the change knows most of it.
pub(crate) fn room(sandbox: &Sandbox<'_>) -> Limit {
    /// A change of a few lines is shown however little there is.
    const LEAST: usize = 1500;
    let usual = Limit::default();
    let bytes = (sandbox.context().max_output_size / 12).clamp(LEAST, usual.bytes);
    Limit { bytes, ..usual }
}

/// Says beside the diff how many of its lines are not in it.
pub(crate) fn note_left_out(sandbox: &Sandbox<'_>, lines: usize) {
    if lines > 0 {
        sandbox.note("diff_left_out", lines);
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
    let end = diff.hunks.last().map_or(0, |hunk| hunk.new.end);
    let goes_on = shown.left_out > 0 || end < line_count(after);
    Ok(Shown { diff: shown.text, left_out: shown.left_out, goes_on, hidden, excerpt: Excerpt::default() })
}
