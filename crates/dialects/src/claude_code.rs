//! The claude-code dialect: the file tools that Claude Code has built in, for agents that are built on its SDK and for models that
//! know them best. docs/dialects/claude-code.md says where it differs, and why.

use std::sync::Arc;

use toolcrib_files::{EditError, NotebookEdited, Refused, Settings};
use toolcrib_tool::{Conventions, DynTool, ErrorKind};

use crate::changes::with_hunks;
use crate::operations::{Edit, Glob, Grep, NotebookEdit, Read, Write};
use crate::standard;
use crate::table::{As, Fixed, Habits, Naming, Paths, Row, Table};
use crate::words::{Words, quoted};

const HABITS: Habits = Habits {
    sentence,
    conventions: Conventions { ignores_unknown: true, aliases: &[("context", "-C")], ..Conventions::NONE },
    ..Habits::new(Naming::Snake, Paths::Any)
};

pub(crate) fn tools(settings: Settings) -> Vec<Arc<dyn DynTool>> {
    let table = Table::new(HABITS, settings).with(READ).with(WRITE).with(EDIT).with(GLOB).with(GREP);
    table.with(NOTEBOOK_EDIT).with(standard::UNDO).tools()
}

/// The sentences that models have learned come first, and then what is known beyond them.
fn sentence(refused: &Refused, words: &Words<'_>) -> Option<String> {
    match refused {
        Refused::Edit(refused) => match &refused.why {
            EditError::NotFound(diagnosis) => Some(format!(
                "String to replace not found in file.\nString: {}{}",
                quoted(&refused.old),
                diagnosis.instead_of("old_string")
            )),
            EditError::NotUnique { count, lines, level } => Some(format!(
                "Found {count} matches of the string to replace, but replace_all is false. To replace all occurrences, set \
                 replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the \
                 instance.\nString: {}\nIt is found {}",
                quoted(&refused.old),
                EditError::places(*count, lines, *level)
            )),
            EditError::Same => {
                Some("No changes to make: old_string and new_string are exactly the same.".to_owned())
            }
            _ => None,
        },
        Refused::CreatesExisting { .. } => Some("Cannot create new file - file already exists.".to_owned()),
        Refused::Failed(error) => match error.kind() {
            ErrorKind::NotRead => {
                Some("File has not been read yet. Read it first before writing to it.".to_owned())
            }
            ErrorKind::Conflict => Some(
                "File has been unexpectedly modified. Read it again before attempting to write it."
                    .to_owned(),
            ),
            ErrorKind::NotFound => {
                let path = words.given("file_path")?;
                Some(format!("File does not exist: {path}"))
            }
            _ => None,
        },
        _ => None,
    }
}

const FILE: As = As::Described("file_path", "Absolute, or relative to the project");

const READ: Row<Read> = Row { takes: "file_path offset limit pages", parameters: &[FILE], ..standard::READ };

const WRITE: Row<Write> = Row { takes: "file_path content", parameters: &[FILE], ..standard::WRITE };

const EDIT: Row<Edit> =
    Row { takes: "file_path old_string new_string replace_all", parameters: &[FILE], ..standard::EDIT };

const GLOB: Row<Glob> = Row {
    takes: "pattern path",
    parameters: &[As::Fixed("limit", Fixed::Number(100)), As::Fixed("no_ignore", Fixed::Yes)],
    description: "\
Finds files by name, also those that .gitignore ignores, the newest first, at most 100. Use Grep to find files by content.",
    ..standard::GLOB
};

const GREP: Row<Grep> = Row {
    takes: "pattern path glob type output_mode after before context line_numbers ignore_case only_matching multiline limit offset",
    parameters: &[
        As::Named("ignore_case", "-i"),
        As::Named("line_numbers", "-n"),
        As::Named("only_matching", "-o"),
        As::Named("after", "-A"),
        As::Named("before", "-B"),
        As::Named("context", "-C"),
        As::Named("limit", "head_limit"),
        As::Default("limit", 250),
    ],
    description: "\
Searches file contents in any encoding, fast in any tree. Leaves out hidden, ignored and binary files, and files over 10 MB. A line \
is shown as path:line; matches begin with >, context lines with a space. The answer says the next offset.",
    text: standard::grep_by_line,
    ..standard::GREP
};

const NOTEBOOK_EDIT: Row<NotebookEdit> = Row {
    text: |it, words| Some(with_hunks(&notebook_edited(it, words), &it.shown)),
    ..Row::new(
        "NotebookEdit",
        "\
Replaces, inserts or deletes one cell of a Jupyter notebook read before. Every byte outside the cell stays as it is. New source for a \
code cell clears its outputs.",
    )
};

fn notebook_edited(it: &NotebookEdited, words: &Words<'_>) -> String {
    let id = it.id.as_deref().map(|id| format!(", id {id}")).unwrap_or_default();
    let cell = format!("cell {} ({}{id}) of {}", it.number, it.kind.name(), words.path(&it.path));
    match (it.unchanged, words.given("edit_mode")) {
        (true, _) => format!("Unchanged: {cell}"),
        (false, Some("insert")) => format!("Inserted {cell}"),
        (false, Some("delete")) => format!("Deleted {cell}"),
        (false, _) => format!("Updated {cell}"),
    }
}
