//! Why a patch was not applied, in terms of the call.

use std::collections::BTreeSet;

use toolcrib_patch::{
    Action, Error, ErrorKind as Unreadable, FileChange, FileFailure, Patch, Problem, Reason,
};
use toolcrib_tool::{ErrorKind, ToolError};

use super::files::{Files, is_binary};
use crate::refused::Refused;

/// So many faults are told. More help nobody.
const MOST: usize = 50;

/// The text is no patch, or one that may not be applied whatever the files are.
pub(super) fn unreadable(error: &Error) -> ToolError {
    let kind = match error.kind {
        Unreadable::Binary { .. } | Unreadable::Mode { .. } | Unreadable::Grammar { .. } => {
            ErrorKind::Unsupported
        }
        _ => ErrorKind::InvalidParameter,
    };
    let refused = ToolError::new(kind, format!("Cannot apply the patch: {error}")).with("line", error.line);
    match error.hint() {
        Some(hint) => refused.hint(hint),
        None => refused,
    }
}

/// A patch that puts a directory where it takes away a file, or a file where it empties a directory. One commit cannot hold
/// both at once, and undo them.
pub(super) fn swaps(patch: &Patch) -> Result<(), ToolError> {
    let gone = |file: &FileChange| match file.action {
        Action::Delete => Some(file.path.clone()),
        Action::Move => file.from.clone(),
        _ => None,
    };
    let gone: BTreeSet<String> = patch.files.iter().filter_map(gone).collect();
    let made = patch.files.iter().filter(|file| file.action != Action::Delete);
    let made: BTreeSet<String> = made.map(|file| file.path.clone()).collect();
    let above = |path: &str, others: &BTreeSet<String>| {
        let ends = path.match_indices('/').map(|(at, _)| &path[..at]);
        ends.map(str::to_owned).find(|above| others.contains(above))
    };
    let file = made
        .iter()
        .find_map(|path| above(path, &gone))
        .map(|path| (path, "a directory, which is a file that it takes away"));
    let swapped = file.or_else(|| {
        Some((
            gone.iter().find_map(|path| above(path, &made))?,
            "a file, which is a directory that it takes files from",
        ))
    });
    match swapped {
        None => Ok(()),
        Some((path, what)) => Err(ToolError::new(
            ErrorKind::Unsupported,
            format!("Cannot apply the patch: it makes {path} {what}"),
        )
        .hint("make two patches of it: one that deletes, then one that adds")
        .with("path", path)),
    }
}

/// The files are not what the patch was made for. Every hunk that does not fit is named.
pub(super) fn unfit(files: &Files, failures: &[FileFailure]) -> Refused {
    let mut faults: Vec<String> = Vec::new();
    for failure in failures {
        if files.text(&failure.path).is_some_and(is_binary) && matches!(failure.problem, Problem::Hunks(_)) {
            faults.push(format!("{}: it is binary, and only text can be patched", failure.path));
            continue;
        }
        match &failure.problem {
            Problem::Hunks(hunks) => {
                faults.extend(hunks.iter().map(|hunk| format!("{}: {hunk}", failure.path)));
            }
            _ => faults.push(failure.to_string()),
        }
    }
    let count = faults.len();
    let mut message = format!("The patch does not fit, nothing was changed: {}", faults[0]);
    if count > 1 {
        message = format!("The patch does not fit in {count} places, nothing was changed:");
        faults.iter().take(MOST).for_each(|fault| message.push_str(&format!("\n{fault}")));
    }
    if count > MOST {
        message.push_str(&format!("\nand {} more", count - MOST));
    }
    let stale = failures
        .iter()
        .any(|failure| files.get(&failure.path).is_some_and(|file| file.draft.changed_since_read()));
    let first = &failures[0];
    let (kind, hint) = if files.text(&first.path).is_some_and(is_binary) {
        (ErrorKind::Unsupported, Some("leave the file out of the patch"))
    } else {
        next_step(&first.problem, stale)
    };
    faults.truncate(MOST);
    let error = ToolError::new(kind, message).with("failures", faults);
    match hint {
        Some(hint) => Refused::Failed(error.hint(hint)),
        None => Refused::Occupied(error),
    }
}

/// Of files that would become too large.
const TOO_LARGE: (ErrorKind, &str) =
    (ErrorKind::TooLarge, "make several patches of it, or write the files whole");

/// What kind of failure it is, and what to do now; how to replace a file that exists, the caller's dialect says.
fn next_step(problem: &Problem, stale: bool) -> (ErrorKind, Option<&'static str>) {
    if stale {
        return (ErrorKind::Conflict, Some("a file has changed since it was read: read it again"));
    }
    if matches!(problem, Problem::Exists) {
        return (ErrorKind::AlreadyExists, None);
    }
    let (kind, hint) = match problem {
        Problem::Missing => (
            ErrorKind::NotFound,
            "check the path, which is relative to the working directory; a new file is added, not updated",
        ),
        Problem::Leftover => {
            (ErrorKind::NotFound, "read the file again, and delete it if that is still meant")
        }
        Problem::TooLarge(_) => TOO_LARGE,
        Problem::Hunks(hunks) => match hunks.first().map(|hunk| &hunk.reason) {
            Some(Reason::TooLarge(_)) => TOO_LARGE,
            Some(Reason::Ambiguous { .. }) => (
                ErrorKind::NotUnique,
                "give more lines around the change, or the line number in @@ -LINE +LINE @@",
            ),
            Some(Reason::AlreadyApplied { .. } | Reason::MayBeApplied { .. }) => {
                (ErrorKind::Conflict, "leave out what is applied already")
            }
            Some(Reason::Overlaps { .. }) => {
                (ErrorKind::InvalidParameter, "make one hunk of those that share lines")
            }
            Some(Reason::NotFound(diagnosis)) => (ErrorKind::NotFound, diagnosis.hint()),
            _ => (ErrorKind::NotFound, "give the lines as they are now, character by character"),
        },
        _ => (ErrorKind::InvalidParameter, "read the files again"),
    };
    (kind, Some(hint))
}
