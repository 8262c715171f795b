//! Errors of the disk and of the journal, as the caller of a tool reads them.

use toolcrib_journal::UndoError;
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{CommitError, Error, Version};

/// What a failure of the workspace means for a call.
#[must_use]
pub fn disk_error(error: Error) -> ToolError {
    let failure = ToolError::new(kind_of(error.kind()), bounded(error.to_string()));
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// What a failed commit means for a call.
pub(crate) fn commit_error(error: CommitError) -> ToolError {
    if error.nothing_changed() {
        return disk_error(error.into_error());
    }
    let left: Vec<String> = error.left().iter().map(|path| path.show()).collect();
    ToolError::new(ErrorKind::Conflict, error.to_string())
        .hint("look at these files before anything else is done")
        .with("not_put_back", left)
}

/// Why a change cannot be undone or redone.
#[must_use]
pub fn undo_error(error: UndoError) -> ToolError {
    let kind = match error {
        UndoError::Failed(error) => return commit_error(error),
        UndoError::Unknown(_) | UndoError::NothingSelected(_) | UndoError::NothingToDo => ErrorKind::NotFound,
        UndoError::Conflict(_) | UndoError::Outrun => ErrorKind::Conflict,
        _ => ErrorKind::InvalidParameter,
    };
    let failure = ToolError::new(kind, capitalised(&error.to_string()));
    let failure = match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    };
    let UndoError::Conflict(conflict) = &error else { return failure };
    let version = |version: Option<Version>| version.map(|version| version.to_string());
    failure
        .with("path", conflict.path.to_string_lossy().into_owned())
        .with("current_version", version(conflict.current))
        .with("expected_version", version(conflict.expected))
        .with("restored_version", version(conflict.before))
}

/// A sentence as the other errors begin.
fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A path can be as long as a caller likes, a sentence cannot.
fn bounded(sentence: String) -> String {
    const MOST: usize = 5000;
    if sentence.len() <= MOST {
        return sentence;
    }
    format!("{}…", &sentence[..sentence.floor_char_boundary(MOST)])
}

fn kind_of(kind: toolcrib_workspace::ErrorKind) -> ErrorKind {
    use toolcrib_workspace::ErrorKind as At;
    match kind {
        At::NotFound | At::DanglingLink | At::RootGone => ErrorKind::NotFound,
        At::Outside | At::OtherMount => ErrorKind::OutsideWorkspace,
        At::IsDirectory => ErrorKind::IsDirectory,
        At::NotDirectory => ErrorKind::NotDirectory,
        At::NotRegular(_) => ErrorKind::NotRegular,
        At::PermissionDenied | At::Protected | At::ReadOnly => ErrorKind::PermissionDenied,
        At::InvalidName | At::TooLong | At::LinkLoop => ErrorKind::InvalidParameter,
        At::AlreadyExists | At::NotEmpty => ErrorKind::AlreadyExists,
        At::Changed | At::InUse => ErrorKind::Conflict,
        At::TooLarge { .. } | At::FileSizeLimit => ErrorKind::TooLarge,
        At::NoSpace => ErrorKind::NoSpace,
        _ => ErrorKind::Io,
    }
}
