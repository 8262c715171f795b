//! Why an operation was refused, in the caller's words.

use std::path::Path;

use toolcrib_files::{EditError, EditRefused, Refused, Remedy};
use toolcrib_tool::{ErrorKind, ToolError};

use crate::words::Words;

/// The sentence for a refusal, and what to do next.
pub(crate) fn refuse(refused: Refused, words: &Words<'_>) -> ToolError {
    let own = (words.shared.habits.sentence)(&refused, words);
    usual(refused, words).worded(own)
}

fn usual(refused: Refused, words: &Words<'_>) -> ToolError {
    let name = |canonical| words.parameter(canonical);
    let invalid = |message: String| ToolError::new(ErrorKind::InvalidParameter, message);
    match refused {
        Refused::Failed(error) => error,
        Refused::Edit(refused) => edit(&refused, words),
        Refused::CreatesExisting { path } => ToolError::new(
            ErrorKind::AlreadyExists,
            format!("{} is empty, which creates a file, but {path} exists", name("old_string")),
        )
        .hint(format!(
            "give the text that is to be replaced, or use {} to replace the whole file",
            words.tool("write")
        )),
        Refused::Exists { path } => {
            ToolError::new(ErrorKind::AlreadyExists, format!("File already exists: {path}"))
                .hint(format!("use {} to change it", words.tool("edit")))
        }
        Refused::Nul { at } => {
            // The parameter that holds the new text is the one that this tool has.
            let content = words.canonical.iter().any(|own| own.name == "content");
            let parameter = name(if content { "content" } else { "new_string" });
            invalid(format!("{parameter} has a NUL character at byte {at}, which no text has"))
        }
        Refused::NotAVersion(given) => {
            invalid(format!("{} is not a version: '{given}'", name("expected_version")))
                .hint(format!("pass the version that {} gave, as it is", words.tool("read")))
        }
        Refused::VersionOfSeveral => invalid(format!(
            "{} names the version of one file, but the patch changes several",
            name("expected_version")
        ))
        .hint("leave it out: a patch fits only what it was made for, and all files are checked before any changes"),
        Refused::Occupied(error) if !words.takes("overwrite") => {
            error.hint("nothing was changed: choose another name, or delete what is there first")
        }
        Refused::Occupied(error) => error
            .hint(format!("update the file instead, or {} to replace it", words.set("overwrite"))),
        Refused::IsDirectory { path } => {
            ToolError::new(ErrorKind::IsDirectory, format!("{path} is a directory"))
                .hint(format!("{} to delete it with everything in it", words.set("recursive")))
        }
        Refused::NotPaged(error) => error.hint(format!(
            "choose lines by {} and {}, or {}",
            name(words.first_line()),
            name("limit"),
            name("tail")
        )),
        Refused::NotAPattern { error, remedy } => error.hint(match remedy {
            Remedy::Literal => format!(
                "to search for it as text, {}; to search for a pattern, escape literal special characters with \\",
                words.set("literal")
            ),
            Remedy::Multiline => format!("{} to search across lines", words.set("multiline")),
            Remedy::Other(hint) => hint.to_owned(),
        }),
        _ => ToolError::new(ErrorKind::Internal, "The operation was refused"),
    }
}

fn edit(refused: &EditRefused, words: &Words<'_>) -> ToolError {
    let (old, new) = (words.parameter("old_string"), words.parameter("new_string"));
    let which =
        if refused.of == 1 { String::new() } else { format!("edit {} of {}: ", refused.edit, refused.of) };
    let Some(path) = &refused.path else {
        let invalid = |message: String| ToolError::new(ErrorKind::InvalidParameter, message);
        return match refused.why {
            EditError::Same => invalid(format!("{which}{old} and {new} must be different")),
            _ => invalid(format!("{which}{old} is empty, which is for creating a file in the first edit"))
                .hint("give the text that is to be replaced"),
        };
    };
    let changed = refused.changed_since_read;
    let kind = match &refused.why {
        EditError::NotUnique { .. } => ErrorKind::NotUnique,
        EditError::NotFound(_) if changed => ErrorKind::Conflict,
        EditError::NotFound(_) => ErrorKind::NotFound,
        EditError::TooMany { .. } | EditError::TooLarge(_) | EditError::NoMemory(_) => ErrorKind::TooLarge,
        _ => ErrorKind::InvalidParameter,
    };
    let error = ToolError::new(kind, format!("{path}: {which}{}", why(refused, words)));
    let error = match &refused.why {
        EditError::NotUnique { lines, count, .. } => error.with("count", *count).with("lines", lines.clone()),
        EditError::TooLarge(large) => {
            error.with("size", large.size).with("limit", large.limit).hint(format!(
                "make the change in several calls, or use {} to replace the whole file",
                words.tool("write")
            ))
        }
        _ if changed => error.hint("the file has changed since it was read: read it again"),
        EditError::NotFound(_) if is_notebook(path) => error.hint(format!(
            "the file is JSON, and {} shows its cells: give the lines as they are in the file, with their quotes and \\n, as {} \
             shows them; the new text must be JSON too",
            words.tool("read"),
            words.tool("grep")
        )),
        other => match other.hint() {
            Some(hint) => error.hint(hint),
            None => error,
        },
    };
    if refused.of > 1 { error.with("edit", refused.edit) } else { error }
}

/// Whether Read shows something else of it than its lines.
fn is_notebook(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ipynb"))
}

/// What is wrong with an edit of a file. Where there are two ways out, both are in the sentence.
fn why(refused: &EditRefused, words: &Words<'_>) -> String {
    let old = words.parameter("old_string");
    match &refused.why {
        EditError::NotFound(diagnosis) => {
            let not_found = (words.shared.habits.not_found)(&refused.old, words);
            format!("{not_found}{}", diagnosis.instead_of(&old))
        }
        EditError::NotUnique { count, lines, level } => format!(
            "{old} found {}. Use {} or provide more context to make it unique",
            EditError::places(*count, lines, *level),
            words.switch("replace_all")
        ),
        EditError::Unshiftable { place, line } => format!(
            "{old} stands at lines {}-{} with other indentation, and line {line} of the new text cannot be shifted the \
             same way",
            place.first, place.last
        ),
        EditError::Spelling { character } => {
            format!("the file does not spell {character} as {old} does, and the new text could mean either")
        }
        EditError::TooMany { count, most } => {
            format!("{old} found {count} times, and one edit replaces {most} at most")
        }
        other => other.to_string(),
    }
}
