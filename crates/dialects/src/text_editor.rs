//! Anthropic's text editor tool: one tool with commands, whose schema the models know by its type.

use std::sync::Arc;

use toolcrib_access::Unread;
use toolcrib_files::{Refused, RestoreAction, Settings, Shown};
use toolcrib_tool::{Conventions, DynTool, ErrorKind};

use crate::changes::with_hunks;
use crate::operations::{Create, Edit, Insert, UndoFile, View, ViewOutcome};
use crate::table::{As, Habits, Naming, Paths, Row, Table};
use crate::viewed::{directory, file, given, hidden, occurrences, past_the_end, snippet};
use crate::words::Words;

/// The version of all current models.
pub(crate) fn current(settings: Settings) -> Vec<Arc<dyn DynTool>> {
    const ABOUT: &str = "Views files and directories, creates files and edits them. An edit is made only if it is certain \
        which text is meant, and every other byte of the file stays as it is.";
    let rows = |rows: Table| rows.with(VIEW).with(CREATE).with(STR_REPLACE).with(INSERT);
    Table::new(habits("text_editor_20250728"), settings)
        .fold("str_replace_based_edit_tool", ABOUT, rows)
        .tools()
}

/// The version of January 2025, which can undo edits.
pub(crate) fn january_2025(settings: Settings) -> Vec<Arc<dyn DynTool>> {
    const ABOUT: &str = "Views files and directories, creates files, edits them and undoes edits. An edit is made only \
        if it is certain which text is meant, and every other byte of the file stays as it is.";
    const INSERT_NEW_STR: Row<Insert> =
        Row { parameters: &[PATH, LINE, As::Named("content", "new_str")], ..INSERT };
    let rows =
        |rows: Table| rows.with(VIEW).with(CREATE).with(STR_REPLACE).with(INSERT_NEW_STR).with(UNDO_EDIT);
    Table::new(habits("text_editor_20250124"), settings).fold("str_replace_editor", ABOUT, rows).tools()
}

fn habits(anthropic_type: &'static str) -> Habits {
    let conventions = Conventions {
        plain_errors: true,
        ignores_unknown: true,
        anthropic_type: Some(anthropic_type),
        ..Conventions::NONE
    };
    Habits {
        sentence,
        unread: Unread::AllowedIfRecorded,
        conventions,
        ..Habits::new(Naming::Snake, Paths::Any)
    }
}

fn sentence(refused: &Refused, words: &Words<'_>) -> Option<String> {
    if let Some(shared) = crate::viewed::sentence(refused, words) {
        return Some(shared);
    }
    let path = words.given("file_path")?;
    match refused {
        Refused::Exists { .. } => {
            Some(format!("File already exists at: {path}. Cannot overwrite files using command `create`."))
        }
        Refused::Edit(refused) => {
            let (old, lines) = occurrences(refused)?;
            Some(format!(
                "No replacement was performed. Multiple occurrences of old_str `{old}` in lines [{lines}]. Please ensure \
                 it is unique"
            ))
        }
        Refused::Failed(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::Unsupported if words.called() == UNDO_EDIT.name => {
                Some(format!("No edit history found for {path}."))
            }
            ErrorKind::NotFound => {
                Some(format!("The path {path} does not exist. Please provide a valid path."))
            }
            ErrorKind::IsDirectory => Some(format!(
                "The path {path} is a directory and only the `view` command can be used on directories"
            )),
            _ => {
                let (line, total) = past_the_end(error)?;
                Some(format!(
                    "Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {total}]"
                ))
            }
        },
        _ => None,
    }
}

const PATH: As = As::Named("file_path", "path");
const NEW_STR: &str = "The new text; omit it in str_replace to delete old_str";
const LINE: As = As::Named("line", "insert_line");

const VIEW: Row<View> = Row {
    parameters: &[
        PATH,
        As::Described("file_path", "The path to the file, or to a directory to view"),
        As::Named("range", "view_range"),
    ],
    text: |it, words| {
        let path = given(words, "file_path");
        Some(match it {
            ViewOutcome::File(read) => {
                file(&format!("Here's the result of running `cat -n` on {path}:"), read, words)
            }
            ViewOutcome::Directory(listing) => {
                let heading = format!(
                    "Here's the files and directories up to 2 levels deep in {path}, excluding hidden items and \
                     node_modules:"
                );
                directory(&heading, path, listing, |path, _| path)
            }
        })
    },
    ..Row::new("view", "Shows a file with line numbers, or two levels of a directory")
};

const CREATE: Row<Create> = Row {
    parameters: &[PATH, As::Named("content", "file_text")],
    text: |it, words| {
        let created = format!("File created successfully at: {}", given(words, "file_path"));
        Some(created + &hidden(&it.shown))
    },
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
        As::Described("new_string", NEW_STR),
        As::MayBeAbsent("new_string"),
    ],
    text: |it, words| {
        let path = given(words, "file_path");
        Some(edited(path, &format!("a snippet of {path}"), &it.shown, ""))
    },
    ..Row::new("str_replace", "Replaces a text that stands in a file once")
};

const INSERT: Row<Insert> = Row {
    takes: "file_path line content",
    parameters: &[PATH, LINE, As::Named("content", "insert_text")],
    text: |it, words| {
        let check = " (correct indentation, no duplicate lines, etc)";
        Some(edited(given(words, "file_path"), "a snippet of the edited file", &it.shown, check))
    },
    ..Row::new("insert", "Inserts lines after a line of a file")
};

const UNDO_EDIT: Row<UndoFile> = Row {
    parameters: &[PATH],
    text: |it, words| {
        let sentence = format!("Last edit to {} undone successfully.", given(words, "file_path"));
        let file = it.taken.files.first()?;
        let now = match file.action {
            RestoreAction::Removed => " That edit created the file, so the file was removed.".to_owned(),
            RestoreAction::MovedBack => format!(" The file is at {} again.", words.path(&file.path)),
            RestoreAction::Restored | RestoreAction::Recreated => String::new(),
        };
        Some(with_hunks(&(sentence + &now), &file.shown))
    },
    ..Row::new("undo_edit", "Undoes the latest change to a file")
};

/// An edit in the words that models expect, with the lines around it.
fn edited(path: &str, what: &str, shown: &Shown, check: &str) -> String {
    format!(
        "The file {path} has been edited. Here's the result of running `cat -n` on {what}:\n{}\nReview the changes and make \
         sure they are as expected{check}. Edit the file again if necessary.{}",
        snippet(shown, toolcrib_files::Excerpt::AROUND),
        hidden(shown)
    )
}
