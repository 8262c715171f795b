//! Undoing changes of the history.

use std::path::Path;

use toolcrib_access::{
    Proposal, Proposed, Sandbox, UndoKind, UndoPlan, UndoSelection, UndoStep, UndoWhich, digest_of,
};
use toolcrib_edit::{Diff, Limit, Names};
use toolcrib_text::{Document, Meter, Stop, Stopped};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Change, Subject};

use crate::FilePath;
use crate::bounds::{stopped, until_over};
use crate::changed::{Shown, show_within};

/// What is to be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoRequest {
    /// Whether changes are undone or undos are.
    pub kind: UndoKind,
    /// Which, and how much of them.
    pub selection: UndoSelection,
    /// The digest of a preview: if it would do something else by now, nothing is done.
    pub digest: Option<String>,
}

impl UndoRequest {
    /// A selection, whatever it comes to.
    #[must_use]
    pub fn new(kind: UndoKind, selection: impl Into<UndoSelection>) -> Self {
        Self { kind, selection: selection.into(), digest: None }
    }

    /// The change with this number, or the latest.
    #[must_use]
    pub fn of(kind: UndoKind, change: Option<u64>) -> Self {
        Self::new(kind, change.map_or(UndoWhich::Latest, |change| UndoWhich::Changes(vec![change])))
    }
}

/// Changes that were undone or redone, as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneChange {
    /// Their numbers, the newest first.
    pub changes: Vec<u64>,
    /// The tool that had made the newest.
    pub tool: String,
    /// The files that were brought back.
    pub files: Vec<RestoredFile>,
    /// Files that have been changed since, in other lines: those changes are kept.
    pub merged: Vec<FilePath>,
    /// Names exactly this, for [`UndoRequest::digest`].
    pub digest: String,
}

impl UndoneChange {
    /// The number of the newest of them.
    #[must_use]
    pub fn change(&self) -> u64 {
        self.changes.first().copied().unwrap_or_default()
    }
}

/// What became of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoredFile {
    /// The file, under the name it has now or had before it was removed.
    pub path: FilePath,
    /// What was done to it.
    pub action: RestoreAction,
    /// How its content changed.
    pub shown: Shown,
    /// What it held; none if it was not there, or is no file.
    pub before: Option<Vec<u8>>,
    /// What it holds; none if it is gone, or is no file.
    pub after: Option<Vec<u8>>,
}

/// What undoing a change does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreAction {
    /// It got its old content.
    Restored,
    /// It was there again.
    Recreated,
    /// It was not there before, so it was removed.
    Removed,
    /// It went back to its old name.
    MovedBack,
}

impl RestoreAction {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Restored => "restored",
            Self::Recreated => "recreated",
            Self::Removed => "removed",
            Self::MovedBack => "moved back",
        }
    }
}

/// Proposes what leads back from a selection of changes.
///
/// # Errors
///
/// If there is no such change, if it cannot be undone, or if a rule denies one of its files.
pub fn undo(sandbox: &Sandbox<'_>, request: &UndoRequest) -> Result<Proposed<UndoneChange>, ToolError> {
    let UndoPlan { changes, tool, steps, merged, undoing } =
        sandbox.plan_undo(request.kind, &request.selection)?;
    let merged = merged.iter().map(FilePath::new).collect();
    let steps = steps.into_iter().map(|step| propose(sandbox, step)).collect::<Result<Vec<_>, _>>()?;
    let (files, proposals): (Vec<_>, Vec<_>) = steps.into_iter().unzip();
    let digest = digest_of(&proposals);
    if request.digest.as_ref().is_some_and(|shown| *shown != digest) {
        return Err(ToolError::new(ErrorKind::Conflict, "The files have changed since this was shown")
            .hint("look at the preview again"));
    }
    let outcome = UndoneChange { changes, tool, files, merged, digest };
    Ok(Proposed::undoing(outcome, proposals, undoing))
}

/// Proposes what leads back from the latest change of a file, of this session if the call has one.
///
/// # Errors
///
/// If there is no such change, if it changed other files too, if the file has been changed since, or if a rule denies it.
pub fn undo_file(sandbox: &Sandbox<'_>, path: &Path) -> Result<Proposed<UndoneChange>, ToolError> {
    let change = Some(sandbox.latest_change_of(path)?);
    let proposed = undo(sandbox, &UndoRequest::of(UndoKind::Undo, change))?;
    let UndoneChange { files, merged, .. } = &proposed.outcome;
    let change = proposed.outcome.change();
    let refuse =
        |why| Err(ToolError::new(ErrorKind::Conflict, format!("Cannot undo change {change}: {why}")));
    if !merged.is_empty() {
        return refuse("the file has been changed since".to_owned());
    }
    if files.len() > 1 {
        return refuse(format!("it changed {} other files too", files.len() - 1));
    }
    Ok(proposed)
}

fn propose(sandbox: &Sandbox<'_>, step: UndoStep) -> Result<(RestoredFile, Proposal), ToolError> {
    let UndoStep { location, change, now } = step;
    let mut path = FilePath::new(&location);
    let (action, after) = match &change {
        Change::Write { content, .. } if now.is_none() => (RestoreAction::Recreated, Some(content)),
        Change::Write { content, .. } => (RestoreAction::Restored, Some(content)),
        Change::Remove { .. } => (RestoreAction::Removed, None),
        Change::Move { content, .. } => (RestoreAction::MovedBack, content.as_ref().or(now.as_ref())),
        Change::MakeDirectory { .. } | Change::MakeLink { .. } => (RestoreAction::Recreated, None),
        Change::RemoveDirectory { .. } | Change::RemoveLink { .. } => (RestoreAction::Removed, None),
        Change::MoveDirectory { .. } => (RestoreAction::MovedBack, None),
    };
    let old = path.relative.clone();
    if let Some(to) = change.target() {
        path = FilePath { absolute: location.workspace.show(to), relative: location.show_relative(to) };
    }
    if change.subject() != Subject::File {
        let shown = Shown::default();
        let proposal = Proposal { location, change, diff: String::new() };
        return Ok((RestoredFile { path, action, shown, before: None, after: None }, proposal));
    }
    let names = Names { old: now.as_ref().map(|_| old.as_str()), new: after.map(|_| path.relative.as_str()) };
    let shown = difference_within(now.as_deref(), after.map(Vec::as_slice), names, &until_over(sandbox));
    let shown = shown.map_err(stopped(sandbox))?;
    let after = after.cloned();
    let proposal = Proposal { location, change, diff: shown.diff.clone() };
    Ok((RestoredFile { path, action, shown, before: now, after }, proposal))
}

/// The difference between two contents, either of which may not exist; what is not text is only named.
#[must_use]
pub fn difference(before: Option<&[u8]>, after: Option<&[u8]>, names: Names<'_>) -> Shown {
    difference_within(before, after, names, &|| false).unwrap_or_else(Stopped::cannot_be)
}

/// The whole difference, however long, as an exact patch. It may hold anything that the contents hold.
#[must_use]
pub fn whole_difference(before: Option<&[u8]>, after: Option<&[u8]>, names: Names<'_>) -> String {
    let document = |content: Option<&[u8]>| Document::read(content.unwrap_or_default().to_vec());
    match (document(before), document(after)) {
        (Ok(before), Ok(after)) => Diff::between(before.text(), after.text()).to_patch(names),
        _ => binary(names),
    }
}

fn binary(names: Names<'_>) -> String {
    let shown = |name: Option<&str>| name.map_or_else(|| "/dev/null".to_owned(), str::to_owned);
    format!("Binary files {} and {} differ\n", shown(names.old), shown(names.new))
}

pub(crate) fn difference_within(
    before: Option<&[u8]>,
    after: Option<&[u8]>,
    names: Names<'_>,
    stop: &dyn Stop,
) -> Result<Shown, Stopped> {
    let document = |content: Option<&[u8]>| {
        Document::read_metered(content.unwrap_or_default().to_vec(), &Meter::new(stop))
    };
    match (document(before)?, document(after)?) {
        (Ok(before), Ok(after)) => show_within(before.text(), after.text(), names, Limit::default(), stop),
        _ => {
            let diff = binary(names);
            Ok(Shown { diff, ..Shown::default() })
        }
    }
}
