//! Moves a file or a directory to another name.

use std::path::PathBuf;

use toolcrib_access::{DirectoryDraft, Proposal, Proposed, Sandbox};
use toolcrib_edit::Names;
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::Change;

use crate::FilePath;
use crate::apply_patch::Heading;
use crate::changed::{draft_to_take, refuse_link};
use crate::refused::{Refused, require_version};

/// Which file or directory, and where to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveRequest {
    /// The file or directory, as the caller named it.
    pub from: PathBuf,
    /// Its new name. Directories above it are created.
    pub to: PathBuf,
    /// Whether a file that has the new name is replaced.
    pub overwrite: bool,
    /// What the file must hold before, as reading it gave it.
    pub expected_version: Option<String>,
}

/// What was moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Where it was.
    pub from: FilePath,
    /// Where it is now.
    pub to: FilePath,
    /// Whether it replaced another file.
    pub replaced: bool,
    /// Of a directory, how many files and directories are in it.
    pub entries: Option<usize>,
}

/// Proposes another name for a file, with its mode, owner and attributes, or for a directory with everything in it.
///
/// # Errors
///
/// If there is no such file, if one of the two may not be changed or is a link, if the new name is taken, or if a file is
/// not what the session has read.
pub fn move_file(sandbox: &Sandbox<'_>, request: &MoveRequest) -> Result<Proposed<Moved>, Refused> {
    if let Some(directory) = sandbox.draft_directory(&request.from)? {
        return Ok(move_directory(sandbox, directory, request)?);
    }
    let mut source = draft_to_take(sandbox, &request.from, "moved")?;
    let target = sandbox.draft(&request.to)?;
    refuse_link(&target.location, "replaced")?;
    target.refuse_unseen()?;
    require_version(&source, request.expected_version.as_deref())?;
    source.take_content(sandbox)?;
    let (from, to) = (FilePath::new(&source.location), FilePath::new(&target.location));
    let refuse = |kind, why| refused(&from, &to, kind, why);
    if from == to {
        return Err(refuse(ErrorKind::InvalidParameter, "it is there already").into());
    }
    if !source.location.is_beside(&target.location) {
        return Err(refuse(ErrorKind::Unsupported, "they lie in different roots").into());
    }
    if target.before.is_some() && !request.overwrite {
        return Err(Refused::Occupied(refuse(ErrorKind::AlreadyExists, "the target exists")));
    }
    let replaced = target.before.is_some();
    let Some(before) = &source.before else { return Ok(Moved { from, to, replaced, entries: None }.into()) };
    let mode = Some(before.stat().mode & 0o7777);
    let names = Names { old: Some(&from.relative), new: Some(&to.relative) };
    let diff = Heading { names, moved: true, modes: [mode, mode] }.to_string();
    let change = Change::Move {
        from: source.location.path.clone(),
        base: before.version(),
        over: target.base(),
        to: target.location.path,
        content: None,
        mode: None,
    };
    let proposal = Proposal { location: source.location, change, diff };
    Ok(Proposed::new(Moved { from, to, replaced, entries: None }, vec![proposal]))
}

/// A directory moves in one step, so nothing in it need have been read.
fn move_directory(
    sandbox: &Sandbox<'_>,
    directory: DirectoryDraft,
    request: &MoveRequest,
) -> Result<Proposed<Moved>, ToolError> {
    let DirectoryDraft { location, entries } = directory;
    let (target, existing) = sandbox.draft_new_directory(&request.to)?;
    let (from, to) = (FilePath::new(&location), FilePath::new(&target));
    let refuse = |kind, why| Err(refused(&from, &to, kind, why));
    if from == to {
        return refuse(ErrorKind::InvalidParameter, "it is there already");
    }
    if !location.is_beside(&target) {
        return refuse(ErrorKind::Unsupported, "they lie in different roots");
    }
    if location.is_beside(&target) && target.absolute().starts_with(location.absolute()) {
        return refuse(ErrorKind::InvalidParameter, "a directory cannot be moved into itself");
    }
    if existing.is_some() {
        let error = refused(&from, &to, ErrorKind::AlreadyExists, "the target exists");
        return Err(error.hint("give the whole new path of the directory, which nothing may have yet"));
    }
    let inside: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path).collect();
    let entries = Some(inside.len());
    let change = Change::MoveDirectory { from: location.path.clone(), to: target.path, inside };
    let proposal = Proposal { location, change, diff: String::new() };
    Ok(Proposed::new(Moved { from, to, replaced: false, entries }, vec![proposal]))
}

fn refused(from: &FilePath, to: &FilePath, kind: ErrorKind, why: &str) -> ToolError {
    ToolError::new(kind, format!("Cannot move {} to {}: {why}", from.absolute, to.absolute))
}
