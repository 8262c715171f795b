//! Anthropic's memory tool: the files below `/memories`, which stands for the root of the workspace.

use std::sync::Arc;

use toolcrib_access::Unread;
use toolcrib_files::{Refused, Settings};
use toolcrib_tool::{Conventions, DynTool, ErrorKind, ToolError};

use crate::operations::{Create, Delete, Edit, Insert, Move, View, ViewOutcome};
use crate::table::{As, Fixed, Habits, Naming, Paths, Row, Table};
use crate::units::short_bytes;
use crate::viewed::{directory, file, given, hidden, occurrences, past_the_end, snippet};
use crate::words::Words;

/// Where paths begin.
const TOP: &str = "/memories";

pub(crate) fn tools(settings: Settings) -> Vec<Arc<dyn DynTool>> {
    const ABOUT: &str = "Keeps files between conversations: views, creates, edits, deletes and renames them. All paths begin \
        with /memories. The user can undo deletions and replacements.";
    let conventions = Conventions {
        plain_errors: true,
        ignores_unknown: true,
        anthropic_type: Some("memory_20250818"),
        ..Conventions::NONE
    };
    let habits = Habits {
        sentence,
        unread: Unread::AllowedIfRecorded,
        conventions,
        ..Habits::new(Naming::Snake, Paths::Virtual(TOP))
    };
    let rows =
        |rows: Table| rows.with(VIEW).with(CREATE).with(STR_REPLACE).with(INSERT).with(DELETE).with(RENAME);
    Table::new(habits, settings).fold("memory", ABOUT, rows).tools()
}

fn sentence(refused: &Refused, words: &Words<'_>) -> Option<String> {
    if let Some(shared) = crate::viewed::sentence(refused, words) {
        return Some(shared);
    }
    let renamed = words.called() == RENAME.name;
    let path = words.given(if renamed { "from" } else { "file_path" })?;
    match refused {
        Refused::Exists { .. } => Some(format!("Error: File {path} already exists")),
        Refused::Occupied(_) => Some(format!("Error: The destination {} already exists", words.given("to")?)),
        Refused::Edit(refused) => {
            let (old, lines) = occurrences(refused)?;
            Some(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. Please ensure it \
                 is unique"
            ))
        }
        Refused::Failed(error) => failed(error, path, words),
        _ => None,
    }
}

fn failed(error: &ToolError, path: &str, words: &Words<'_>) -> Option<String> {
    let command = words.called();
    let says = match (error.kind(), command) {
        _ if error.fact("is_root").is_some() => format!("Cannot {command} the {TOP} directory itself"),
        (ErrorKind::OutsideWorkspace, _) => {
            let inside = |path: &&str| {
                path.strip_prefix(TOP).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let to = words.given("to");
            // The error itself names a path that does not begin with the top.
            if ![Some(path), to].iter().flatten().all(inside) {
                return None;
            }
            let leaves = to.filter(|to| to.contains("..")).unwrap_or(path);
            format!("Path {leaves} would escape {TOP} directory")
        }
        (ErrorKind::NotFound, "view") => {
            format!("The path {path} does not exist. Please provide a valid path.")
        }
        (ErrorKind::NotFound, "delete" | "rename") => format!("Error: The path {path} does not exist"),
        (ErrorKind::NotFound, _) => {
            format!("Error: The path {path} does not exist. Please provide a valid path.")
        }
        (ErrorKind::IsDirectory, "create") => format!("Error: File {path} already exists"),
        (ErrorKind::IsDirectory | ErrorKind::AlreadyExists, "rename") => {
            format!("Error: The destination {} already exists", words.given("to")?)
        }
        (ErrorKind::IsDirectory, _) => format!("Error: The path {path} is not a file."),
        _ => {
            let (line, total) = past_the_end(error)?;
            format!(
                "Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {total}]"
            )
        }
    };
    Some(says)
}

const PATH: As = As::Named("file_path", "path");

const VIEW: Row<View> = Row {
    parameters: &[
        PATH,
        As::Described("file_path", "The file; to view or delete it, a directory too. Begins with /memories"),
        As::Named("range", "view_range"),
    ],
    text: |it, words| {
        let path = given(words, "file_path");
        Some(match it {
            ViewOutcome::File(read) => {
                file(&format!("Here's the content of {path} with line numbers:"), read, words)
            }
            ViewOutcome::Directory(listing) => {
                let heading = format!(
                    "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and \
                     node_modules:"
                );
                directory(&heading, path, listing, |path, entry| {
                    // What a directory itself takes depends on the file system and says nothing about its files.
                    let size =
                        entry.and_then(|entry| entry.size).map_or_else(|| "4K".to_owned(), short_bytes);
                    format!("{size}\t{path}")
                })
            }
        })
    },
    ..Row::new("view", "Shows a file with line numbers, or two levels of a directory with sizes")
};

const CREATE: Row<Create> = Row {
    parameters: &[PATH, As::Named("content", "file_text")],
    text: |_, words| Some(format!("File created successfully at: {}", given(words, "file_path"))),
    ..Row::new("create", "Creates a file")
};

const STR_REPLACE: Row<Edit> = Row {
    takes: "file_path old_string new_string",
    parameters: &[
        PATH,
        As::Named("old_string", "old_str"),
        As::Described("old_string", "The text to replace, which must occur in the file exactly once"),
        As::NotEmpty("old_string"),
        As::Named("new_string", "new_str"),
        As::Described("new_string", "The replacement text; omit it to delete old_str"),
        As::MayBeAbsent("new_string"),
    ],
    text: |it, _| {
        Some(format!(
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{}{}",
            snippet(&it.shown, 2),
            hidden(&it.shown)
        ))
    },
    ..Row::new("str_replace", "Replaces a text that stands in a file once")
};

const INSERT: Row<Insert> = Row {
    takes: "file_path line content",
    parameters: &[PATH, As::Named("line", "insert_line"), As::Named("content", "insert_text")],
    text: |_, words| Some(format!("The file {} has been edited.", given(words, "file_path"))),
    ..Row::new("insert", "Inserts lines after a line of a file")
};

const DELETE: Row<Delete> = Row {
    takes: "file_path",
    parameters: &[PATH, As::Fixed("recursive", Fixed::Yes)],
    text: |_, words| Some(format!("Successfully deleted {}", given(words, "file_path"))),
    ..Row::new("delete", "Deletes a file, or a directory with everything in it")
};

const RENAME: Row<Move> = Row {
    takes: "from to",
    parameters: &[As::Named("from", "old_path"), As::Named("to", "new_path")],
    text: |_, words| Some(format!("Successfully renamed {} to {}", given(words, "from"), given(words, "to"))),
    ..Row::new("rename", "Moves a file or a directory to another path")
};
