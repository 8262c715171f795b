//! Why a patch was not applied, in terms of the call.

use toolcrib_patch::{Error, ErrorKind as Unreadable, FileFailure, Format, Problem, Reason};
use toolcrib_tool::{ErrorKind, ToolError};

use super::files::{Files, is_binary};
use crate::refused::Refused;

/// How many faults are told. More would not help.
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

/// The files are not what the patch was made for. Every hunk that does not fit is named.
pub(super) fn unfit(files: &Files, format: Format, failures: &[FileFailure]) -> Refused {
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
        next_step(&first.problem, format, stale)
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
fn next_step(problem: &Problem, format: Format, stale: bool) -> (ErrorKind, Option<&'static str>) {
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
            Some(Reason::Ambiguous { .. }) => (ErrorKind::NotUnique, more_context(format)),
            Some(Reason::NoContext) if format == Format::Envelope => (
                ErrorKind::NotFound,
                "or put the line above them after @@, or *** End of File after them if they go to the end",
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

/// How the grammar says which of several places is meant.
fn more_context(format: Format) -> &'static str {
    match format {
        Format::Unified => "give more lines around the change, or the line number in @@ -LINE +LINE @@",
        Format::Envelope => "give more lines around the change, or a line above it after @@",
        Format::Blocks => "give more lines around the change",
    }
}
