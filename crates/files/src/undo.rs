//! Taking a change of the history back.

use toolcrib_edit::{Limit, Names};
use toolcrib_text::{Document, Meter, Stop, Stopped};
use toolcrib_tool::{Call, Proposal, StepBack, ToolError, Way};
use toolcrib_workspace::Change;

use crate::FilePath;
use crate::bounds::{stopped, until_over};
use crate::changed::{Shown, show_within};

/// Which change is to be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoRequest {
    /// Whether a change is undone or an undo is.
    pub way: Way,
    /// Its number; the latest if none.
    pub change: Option<u64>,
}

/// A change that was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TakenBack {
    /// Its number.
    pub change: u64,
    /// The tool that had made it.
    pub tool: String,
    /// The files that were brought back.
    pub files: Vec<FileBack>,
    /// Files that somebody else has changed since, in other lines: their changes are kept.
    pub merged: Vec<FilePath>,
}

/// What became of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileBack {
    /// The file, under the name it has now or had before it was removed.
    pub path: FilePath,
    /// What was done to it.
    pub action: BackAction,
    /// How its content changed.
    pub shown: Shown,
}

/// What taking back does to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackAction {
    /// It got its old content.
    Restored,
    /// It was there again.
    Recreated,
    /// It was not there before, so it was removed.
    Removed,
    /// It went back to its old name.
    MovedBack,
}

impl BackAction {
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
/// If there is no such change, if it cannot be taken back, or if a rule denies one of its files.
pub fn undo(call: &Call<'_>, request: UndoRequest) -> Result<TakenBack, ToolError> {
    let taking = call.take_back(request.way, request.change)?;
    let merged = taking.merged.iter().map(FilePath::new).collect();
    let files = taking.steps.into_iter().map(|step| propose(call, step)).collect::<Result<_, _>>()?;
    Ok(TakenBack { change: taking.change, tool: taking.tool, files, merged })
}

fn propose(call: &Call<'_>, step: StepBack) -> Result<FileBack, ToolError> {
    let StepBack { location, change, now } = step;
    let mut path = FilePath::new(&location);
    let (action, after) = match &change {
        Change::Write { content, .. } if now.is_none() => (BackAction::Recreated, Some(content)),
        Change::Write { content, .. } => (BackAction::Restored, Some(content)),
        Change::Remove { .. } => (BackAction::Removed, None),
        Change::Move { content, .. } => (BackAction::MovedBack, content.as_ref().or(now.as_ref())),
    };
    let old = path.relative.clone();
    if let Change::Move { to, .. } = &change {
        path = FilePath { absolute: location.workspace.show(to), relative: location.show_relative(to) };
    }
    let names = Names { old: now.as_ref().map(|_| old.as_str()), new: after.map(|_| path.relative.as_str()) };
    let shown = difference_within(now.as_deref(), after.map(Vec::as_slice), names, &until_over(call));
    let shown = shown.map_err(stopped(call))?;
    call.propose(Proposal { location, change, diff: shown.diff.clone() });
    Ok(FileBack { path, action, shown })
}

/// The difference between two contents, either of which may not exist; what is not text is only named.
#[must_use]
pub fn difference(before: Option<&[u8]>, after: Option<&[u8]>, names: Names<'_>) -> Shown {
    difference_within(before, after, names, &|| false).unwrap_or_else(Stopped::cannot_be)
}

fn difference_within(
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
