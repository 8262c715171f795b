//! Undoing a change of the history.

use std::path::Path;

use toolcrib_access::{Proposal, Proposed, Sandbox, UndoKind, UndoPlan, UndoStep};
use toolcrib_edit::{Limit, Names};
use toolcrib_text::{Document, Meter, Stop, Stopped};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Change, Subject};

use crate::FilePath;
use crate::bounds::{stopped, until_over};
use crate::changed::{Shown, show_within};

/// Which change is to be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoRequest {
    /// Whether a change is undone or an undo is.
    pub kind: UndoKind,
    /// Its number; the latest if none.
    pub change: Option<u64>,
}

/// A change that was undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneChange {
    /// Its number.
    pub change: u64,
    /// The tool that had made it.
    pub tool: String,
    /// The files that were brought back.
    pub files: Vec<RestoredFile>,
    /// Files that have been changed since, in other lines: those changes are kept.
    pub merged: Vec<FilePath>,
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

/// Proposes what leads back from a change.
///
/// # Errors
///
/// If there is no such change, if it cannot be undone, or if a rule denies one of its files.
pub fn undo(sandbox: &Sandbox<'_>, request: UndoRequest) -> Result<Proposed<UndoneChange>, ToolError> {
    let UndoPlan { change, tool, steps, merged, undoing } =
        sandbox.plan_undo(request.kind, request.change)?;
    let merged = merged.iter().map(FilePath::new).collect();
    let steps = steps.into_iter().map(|step| propose(sandbox, step)).collect::<Result<Vec<_>, _>>()?;
    let (files, proposals) = steps.into_iter().unzip();
    Ok(Proposed::undoing(UndoneChange { change, tool, files, merged }, proposals, undoing))
}

/// Proposes what leads back from the latest change of a file, of this session if the call has one.
///
/// # Errors
///
/// If there is no such change, if it changed other files too, if the file has been changed since, or if a rule denies it.
pub fn undo_file(sandbox: &Sandbox<'_>, path: &Path) -> Result<Proposed<UndoneChange>, ToolError> {
    let change = Some(sandbox.latest_change_of(path)?);
    let proposed = undo(sandbox, UndoRequest { kind: UndoKind::Undo, change })?;
    let UndoneChange { files, merged, change, .. } = &proposed.outcome;
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
        return Ok((RestoredFile { path, action, shown }, proposal));
    }
    let names = Names { old: now.as_ref().map(|_| old.as_str()), new: after.map(|_| path.relative.as_str()) };
    let shown = difference_within(now.as_deref(), after.map(Vec::as_slice), names, &until_over(sandbox));
    let shown = shown.map_err(stopped(sandbox))?;
    let proposal = Proposal { location, change, diff: shown.diff.clone() };
    Ok((RestoredFile { path, action, shown }, proposal))
}

/// The difference between two contents, either of which may not exist; what is not text is only named.
#[must_use]
pub fn difference(before: Option<&[u8]>, after: Option<&[u8]>, names: Names<'_>) -> Shown {
    difference_within(before, after, names, &|| false).unwrap_or_else(Stopped::cannot_be)
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
            let shown = |name: Option<&str>| name.map_or_else(|| "/dev/null".to_owned(), str::to_owned);
            let diff = format!("Binary files {} and {} differ\n", shown(names.old), shown(names.new));
            Ok(Shown { diff, ..Shown::default() })
        }
    }
}
