//! The filesystem dialect: the tools of the MCP reference server (`@modelcontextprotocol/server-filesystem`), with its
//! names, parameters, answers and error sentences. docs/dialects/filesystem.md says where it differs, and why.

mod text;

use std::sync::Arc;

use toolcrib_access::Unread;
use toolcrib_files::{EditError, Refused, Settings};
use toolcrib_tool::{Conventions, DynTool, ErrorKind, Hints, ToolError};

use crate::facts::Facts;
use crate::operations::{
    Glob, List, MakeDirectory, Move, MultiEdit, ReadMedia, ReadText, ReadTexts, Roots, Stat, Undo, Write,
};
use crate::table::{As, Fixed, Habits, Naming, Paths, Row, Table};
use crate::words::Words;

const HABITS: Habits = Habits {
    sentence,
    unread: Unread::AllowedIfRecorded,
    conventions: Conventions {
        plain_errors: true,
        ignores_unknown: true,
        structured_as: Some("content"),
        ..Conventions::NONE
    },
    ..Habits::new(Naming::Camel, Paths::Any)
};

pub(crate) fn tools(settings: Settings) -> Vec<Arc<dyn DynTool>> {
    Table::new(HABITS, Settings { more_tools: true, ..settings })
        .with(READ_TEXT_FILE)
        .with(READ_FILE)
        .with(READ_MEDIA_FILE)
        .with(READ_MULTIPLE_FILES)
        .with(WRITE_FILE)
        .with(EDIT_FILE)
        .with(CREATE_DIRECTORY)
        .with(LIST_DIRECTORY)
        .with(LIST_DIRECTORY_WITH_SIZES)
        .with(DIRECTORY_TREE)
        .with(MOVE_FILE)
        .with(SEARCH_FILES)
        .with(GET_FILE_INFO)
        .with(LIST_ALLOWED_DIRECTORIES)
        .with(UNDO)
        .tools()
}

/// What went wrong, in the words of the reference server and of Node.
fn sentence(refused: &Refused, words: &Words<'_>) -> Option<String> {
    let error = match refused {
        Refused::Edit(refused) => {
            return match &refused.why {
                EditError::NotFound(diagnosis) => {
                    let old = words.parameter("old_string");
                    let instead = diagnosis.instead_of(&old);
                    Some(format!("Could not find exact match for edit:\n{}{instead}", refused.old))
                }
                EditError::NotUnique { count, lines, level } => {
                    let places = EditError::places(*count, lines, *level);
                    let old = &refused.old;
                    Some(format!("Could not find exact match for edit: the text is found {places}:\n{old}"))
                }
                _ => None,
            };
        }
        Refused::Occupied(_) => {
            return Some(format!("Destination already exists: {}", words.given("to").unwrap_or_default()));
        }
        Refused::Failed(error) => error,
        _ => return None,
    };
    let path = ["file_path", "path", "from"].iter().find_map(|name| words.given(name));
    let path = path.unwrap_or_default();
    match error.kind() {
        ErrorKind::NotFound => {
            let call = match words.called() {
                "list_directory" | "list_directory_with_sizes" | "directory_tree" => "scandir",
                "get_file_info" => "stat",
                "move_file" => "rename",
                _ => "open",
            };
            let to = words.given("to").map(|to| format!(" -> '{to}'")).unwrap_or_default();
            Some(format!("ENOENT: no such file or directory, {call} '{path}'{to}"))
        }
        ErrorKind::IsDirectory => Some("EISDIR: illegal operation on a directory, read".to_owned()),
        ErrorKind::NotDirectory => Some(format!("ENOTDIR: not a directory, scandir '{path}'")),
        ErrorKind::OutsideWorkspace => {
            Some(format!("Access denied - path outside allowed directories: {}", details(error)))
        }
        ErrorKind::AlreadyExists => Some(format!("EEXIST: {error}")),
        ErrorKind::InvalidParameter if words.nothing_given() => {
            Some(format!("MCP error -32602: Input validation error: {error}"))
        }
        _ => None,
    }
}

/// What an error says of the path, after its first words.
fn details(error: &ToolError) -> &str {
    error.message().split_once(": ").map_or(error.message(), |(_, details)| details)
}

/// Answers have no facts beside their text.
fn none<T: 'static>() -> Facts<T> {
    Facts::new()
}

const PATH: As = As::Named("file_path", "path");
const CHANGES: Hints = Hints { destructive: true, idempotent: false };

const READ_TEXT_FILE: Row<ReadText> = Row {
    title: "Read Text File",
    parameters: &[PATH],
    facts: none,
    text: text::read_text,
    ..Row::new(
        "read_text_file",
        "\
Reads a file as text, in any encoding, with its own line endings. Use head for its first lines and tail for its last ones. An \
answer that would be too long is cut and says how to go on.",
    )
};

const READ_FILE: Row<ReadText> = Row {
    name: "read_file",
    title: "Read File (Deprecated)",
    description: "Reads a file as text. Deprecated: use read_text_file instead.",
    ..READ_TEXT_FILE
};

const READ_MEDIA_FILE: Row<ReadMedia> = Row {
    title: "Read Media File",
    parameters: &[PATH],
    facts: none,
    text: |_, _| Some(String::new()),
    ..Row::new(
        "read_media_file",
        "\
Returns a file's bytes as they are, base64-encoded, with its MIME type: images and audio as such, any other file as an embedded \
resource.",
    )
};

const READ_MULTIPLE_FILES: Row<ReadTexts> = Row {
    title: "Read Multiple Files",
    parameters: &[As::Named("file_paths", "paths")],
    facts: none,
    text: text::read_texts,
    ..Row::new(
        "read_multiple_files",
        "\
Reads several files at once, each below its path. Reports files that cannot be read. Files that do not fit \
into the answer are listed at the end.",
    )
};

const WRITE_FILE: Row<Write> = Row {
    title: "Write File",
    takes: "file_path content",
    parameters: &[PATH],
    hints: Some(Hints { destructive: true, idempotent: true }),
    facts: none,
    text: |_, words| Some(format!("Successfully wrote to {}", words.given("file_path").unwrap_or_default())),
    ..Row::new(
        "write_file",
        "\
Creates a file or replaces its whole content, atomically. Parent directories are created; an existing file keeps its encoding. \
Refused if another program has changed the file since you read it.",
    )
};

const EDIT_FILE: Row<MultiEdit> = Row {
    title: "Edit File",
    takes: "file_path edits dry_run",
    parameters: &[
        PATH,
        As::Described("edits", "The edits, applied in order; all of them or none"),
        As::Named("edits.old_string", "oldText"),
        As::Described(
            "edits.old_string",
            "Text to search for: must match exactly, and occur in the file once",
        ),
        As::Named("edits.new_string", "newText"),
        As::Described("edits.new_string", "Text to replace it with"),
        As::Described("dry_run", "Preview the changes as a diff, without making them"),
    ],
    hints: Some(CHANGES),
    facts: none,
    text: text::edited,
    ..Row::new(
        "edit_file",
        "\
Replaces text in a file, and shows the change as a diff. Each oldText must occur in the file exactly once; every other byte stays as \
it is. All edits are made or none.",
    )
};

const CREATE_DIRECTORY: Row<MakeDirectory> = Row {
    title: "Create Directory",
    hints: Some(Hints { destructive: false, idempotent: true }),
    facts: none,
    text: |_, words| {
        Some(format!("Successfully created directory {}", words.given("path").unwrap_or_default()))
    },
    ..Row::new(
        "create_directory",
        "\
Creates a directory, and those above it. Succeeds if it exists already.",
    )
};

const LIST_DIRECTORY: Row<List> = Row {
    title: "List Directory",
    takes: "path",
    parameters: &[As::Required("path"), As::Described("path", "The directory to list"), MOST],
    facts: none,
    text: text::list,
    ..Row::new(
        "list_directory",
        "\
Lists a directory: each entry with [FILE] or [DIR] before its name.",
    )
};

/// As many entries as fit.
const MOST: As = As::Fixed("limit", Fixed::Number(10_000));

const LIST_DIRECTORY_WITH_SIZES: Row<List> = Row {
    name: "list_directory_with_sizes",
    description: "\
Lists a directory with the size of each file, and the total below.",
    title: "List Directory with Sizes",
    takes: "path sort_by",
    parameters: &[As::Required("path"), As::Described("path", "The directory to list"), MOST],
    text: text::list_with_sizes,
    ..LIST_DIRECTORY
};

const DIRECTORY_TREE: Row<List> = Row {
    title: "Directory Tree",
    takes: "path ignore",
    parameters: &[
        As::Required("path"),
        As::Described("path", "The directory to show"),
        As::Named("ignore", "excludePatterns"),
        As::Fixed("recursive", Fixed::Yes),
        As::Fixed("no_ignore", Fixed::Yes),
        MOST,
    ],
    facts: none,
    text: text::tree,
    ..Row::new(
        "directory_tree",
        "\
Shows a directory and everything below it as JSON: each entry has a name, a type (file or directory), and a directory has children.",
    )
};

const MOVE_FILE: Row<Move> = Row {
    title: "Move File",
    takes: "from to",
    parameters: &[As::Named("from", "source"), As::Named("to", "destination")],
    hints: Some(CHANGES),
    facts: none,
    text: |_, words| {
        let [from, to] = ["from", "to"].map(|name| words.given(name).unwrap_or_default());
        Some(format!("Successfully moved {from} to {to}"))
    },
    ..Row::new(
        "move_file",
        "\
Moves or renames a file, or a directory with everything in it. Fails if the destination exists.",
    )
};

const SEARCH_FILES: Row<Glob> = Row {
    title: "Search Files",
    takes: "path pattern exclude",
    parameters: &[
        As::Required("path"),
        As::Described("path", "Directory to search"),
        As::Named("exclude", "excludePatterns"),
        As::Fixed("include_hidden", Fixed::Yes),
        As::Fixed("no_ignore", Fixed::Yes),
        As::Fixed("include_directories", Fixed::Yes),
        As::Fixed("limit", Fixed::Number(100_000)),
    ],
    facts: none,
    text: text::search,
    ..Row::new(
        "search_files",
        "\
Finds files and directories whose path below the given one matches a glob pattern: '*.ext' matches in that directory, '**/*.ext' \
further down too. Returns full paths, the newest first.",
    )
};

const GET_FILE_INFO: Row<Stat> = Row {
    title: "Get File Info",
    facts: none,
    text: text::info,
    ..Row::new(
        "get_file_info",
        "\
Returns a file's metadata without reading it: size, times, type and permissions.",
    )
};

const LIST_ALLOWED_DIRECTORIES: Row<Roots> = Row {
    title: "List Allowed Directories",
    facts: none,
    text: |roots, _| Some(format!("Allowed directories:\n{}", roots.0.join("\n"))),
    ..Row::new(
        "list_allowed_directories",
        "Names the directories in which all tools work, with everything below them; nothing else can be accessed.",
    )
};

const UNDO: Row<Undo> = Row {
    facts: none,
    text: crate::standard::undone,
    ..Row::new(
        "undo",
        "\
Undoes a change that a tool has made, exactly. Without a number the latest change; with redo, a change that was undone is made \
again.",
    )
};
