//! The standard dialect: capitalised names, snake_case parameters, absolute paths, answers as text with the facts in
//! the metadata.

mod text;

pub(crate) use text::undo as undone;

use std::sync::Arc;

use toolcrib_files::Settings;
use toolcrib_tool::DynTool;

use crate::operations::{
    ApplyPatch, Delete, Edit, Glob, Grep, Insert, List, MakeDirectory, Move, MultiEdit, Operation, Read,
    ReadMany, Stat, Undo, Write,
};
use crate::table::{As, Habits, Naming, Paths, Row, Table};
use crate::units::{bytes, counted, time};

const HABITS: Habits = Habits::new(Naming::Snake, Paths::Absolute);

pub(crate) fn tools(settings: Settings) -> Vec<Arc<dyn DynTool>> {
    let table = Table::new(HABITS, settings).with(READ).with(WRITE).with(EDIT).with(MULTI_EDIT);
    table
        .with(APPLY_PATCH)
        .with(LIST)
        .with(GLOB)
        .with(GREP)
        .with(UNDO)
        .with(STAT)
        .with(INSERT)
        .with(READ_MANY)
        .with(DELETE)
        .with(MOVE)
        .with(MAKE_DIRECTORY)
        .tools()
}

pub(crate) const READ: Row<Read> = Row {
    takes: "file_path offset limit tail column encoding pages cells",
    facts: || Read::facts().without("line_count next_skip note"),
    text: text::read,
    ..Row::new(
        "Read",
        "\
Reads text in any encoding, with line numbers, and images, PDFs and Jupyter notebooks. A long answer says where to go on.

Usage:
- The file_path parameter must be an absolute path
- By default, reads up to 2000 lines from the beginning
- Optionally specify offset and limit for partial reads, or tail for the last lines; the answer says where to go on
- Lines longer than 2000 characters are cut; read on in them with column
- Results include line numbers starting at 1
- Images are shown to you, scaled down if they are large
- Of a PDF, up to 20 pages are shown as text at once; of a notebook, the cells with their outputs. Choose others with pages \
or cells
- To see a notebook as the JSON that Edit works on, name its encoding: utf-8",
    )
};

pub(crate) const WRITE: Row<Write> = Row {
    facts: || Write::facts().without("diff"),
    text: text::write,
    ..Row::new(
        "Write",
        "\
Creates a file or replaces its whole content, atomically. Refuses if another program has changed the file since you read it.

Usage:
- The file_path must be an absolute path
- Will overwrite existing files
- Creates parent directories if needed
- Existing files must be read first before writing
- An existing file keeps its encoding, and CRLF line endings if all its lines have them
- Use Edit tool for find/replace operations",
    )
};

pub(crate) const EDIT: Row<Edit> = Row {
    facts: || Edit::facts().without("results"),
    text: text::edit,
    ..Row::new(
        "Edit",
        "\
Replaces text only if it is certain which text is meant. Every other byte of the file stays as it is.

Usage:
- The file must be read first before editing
- old_string must be found exactly in the file
- Without replace_all, old_string must be unique
- Use replace_all=true to replace all occurrences
- Preserves file encoding and line endings
- An empty old_string creates a new file",
    )
};

const MULTI_EDIT: Row<MultiEdit> = Row {
    takes: "file_path edits expected_version",
    text: text::multi_edit,
    ..Row::new(
        "MultiEdit",
        "\
Makes several replacements in one file, all of them or none.

Usage:
- The file must be read first before editing
- The edits are applied in order; each sees the text that those before it left
- If one edit fails, the file stays as it was, and the error says which one and why
- Each old_string must be found exactly and be unique, unless its replace_all is true
- An empty old_string in the first edit creates a new file",
    )
};

const APPLY_PATCH: Row<ApplyPatch> = Row {
    takes: "patch_text overwrite fuzz expected_version",
    text: text::patch,
    ..Row::new(
        "ApplyPatch",
        "\
Applies a patch to one file or many, all of it or nothing.

Usage:
- patch_text is a unified diff (--- a/path, +++ b/path, @@) with or without git's headers, or an envelope: *** Begin Patch, \
*** Update File: path, @@, lines that start with a space, - or +, *** End Patch; or, under the path of a file, SEARCH/REPLACE \
blocks (<<<<<<< SEARCH, =======, >>>>>>> REPLACE)
- Paths are relative to the working directory
- Files can be added, updated, deleted, moved, copied and made executable
- Existing files must be read first
- Line numbers may be off; the lines themselves must be those of the file, and stand there once or nearest to the line number
- Adding or moving onto a file that exists needs overwrite=true
- If anything does not fit, no file changes, and the error names every hunk that does not fit",
    )
};

const LIST: Row<List> = Row {
    takes: "path recursive depth ignore no_ignore limit offset",
    facts: || List::facts().without("note"),
    text: text::list,
    ..Row::new(
        "LS",
        "\
Lists a directory: directories first, then files, by name.

Usage:
- path is absolute or relative to the working directory, which is the default
- recursive lists what is in the directories too, down to depth levels; it leaves out what .gitignore ignores and does \
not go into .git, node_modules and the like
- ignore takes patterns of what to leave out
- Sizes, times and link targets are in the metadata
- Use Glob to find files by name, and Grep to find them by content",
    )
};

pub(crate) const GLOB: Row<Glob> = Row {
    takes: "pattern path limit offset include_hidden no_ignore include_directories",
    facts: || Glob::facts().without("files"),
    text: text::glob,
    ..Row::new(
        "Glob",
        "\
Finds files by name, newest first, fast in trees of any size.

Usage:
- Supports glob patterns like \"**/*.py\" or \"src/**/*.ts\", with *, ?, **, [abc] and {a,b}
- Returns absolute paths of matching files, newest first
- Leaves out hidden files, what .gitignore ignores, and .git, node_modules, __pycache__ and the like, unless asked
- Use Grep to find files by what is in them",
    )
};

pub(crate) const GREP: Row<Grep> = Row {
    takes: "pattern path glob type output_mode ignore_case line_numbers after before context multiline limit offset literal word \
            smart_case invert exclude sort max_count include_hidden no_ignore max_file_size",
    parameters: &[
        As::Named("ignore_case", "-i"),
        As::Named("line_numbers", "-n"),
        As::Named("after", "-A"),
        As::Named("before", "-B"),
        As::Named("context", "-C"),
        As::Named("limit", "head_limit"),
    ],
    facts: || {
        Grep::facts()
            .pick("total_matches count total_files files_searched skipped truncated next_offset context_added partial index")
            .rename("count", "returned_matches")
    },
    text: text::grep,
    ..Row::new(
        "Grep",
        "\
Searches file contents with regular expressions, in any encoding and fast in trees of any size.

Usage:
- Supports full regex syntax (e.g., \"log.*Error\", \"fn \\w+\"), look-around and back-references too; literal searches for \
text as it is
- Filter files with the glob or type parameter, leave some out with exclude
- Output modes: files_with_matches (default) shows paths, content shows lines with path:line, count shows path: N
- In content mode, matching lines begin with > and context lines (-A, -B, -C) with a space; one to three matches bring \
context of themselves
- multiline lets a pattern match across lines
- Leaves out hidden files, what .gitignore ignores, binary files, and files over 10 MB, unless asked; the metadata counts \
what was left out
- Use head_limit and offset to page; the metadata has total_matches and next_offset",
    )
};

pub(crate) const UNDO: Row<Undo> = Row {
    facts: || {
        let file = Undo::file().without("diff");
        Undo::facts()
            .pick("taken_back")
            .list("files", "The files that were restored", file, |it| it.taken.files.iter().collect())
            .and(Undo::facts().pick("merged"))
    },
    text: text::undo,
    ..Row::new(
        "Undo",
        "\
Undoes a change that a tool has made, exactly: every file of it is as it was before.

Usage:
- Without a number, the latest change is undone; again, the one before it
- If another program has changed a file since in other lines, its changes are kept; in the same lines, nothing is undone
- With redo, a change that was undone is made again",
    )
};

const STAT: Row<Stat> = Row {
    text: |it, words| {
        let kind = it.size.map_or_else(|| "directory".to_owned(), |size| format!("file, {}", bytes(size)));
        Some(format!("{}: {kind}, changed {}, mode {:o}", words.path(&it.path), time(it.modified), it.mode))
    },
    ..Row::new(
        "Stat",
        "Returns a path's metadata without reading it: file or directory, size, time of the last change, permissions.",
    )
};

const INSERT: Row<Insert> = Row {
    text: text::insert,
    ..Row::new(
        "Insert",
        "\
Inserts lines after a line of a file, and changes nothing else.

Usage:
- The file must be read first: line numbers are those that Read shows
- The new lines end as the other lines of the file do",
    )
};

const READ_MANY: Row<ReadMany> = Row {
    facts: || ReadMany::facts().pick("left_out"),
    text: text::read_many,
    ..Row::new(
        "ReadMany",
        "\
Reads several files at once, each from its beginning, in one bounded answer.

Usage:
- Files that do not fit are named at the end; read them in another call
- A file that cannot be read is reported among the others",
    )
};

const DELETE: Row<Delete> = Row {
    text: |it, words| {
        if it.link {
            return Some(format!("Deleted the symbolic link {}", words.path(&it.path)));
        }
        let files =
            it.files.map(|files| format!("{}, ", counted(files, "file", "files"))).unwrap_or_default();
        Some(format!("Deleted {} ({files}{} bytes)", words.path(&it.path), it.bytes))
    },
    ..Row::new(
        "Delete",
        "\
Deletes a file, or with recursive a directory and everything in it. Undo brings all of it back.

Usage:
- A single file must be read first
- Nothing is deleted through a symbolic link",
    )
};

const MOVE: Row<Move> = Row {
    text: |it, words| {
        let over = if it.replaced { ", which replaced the file there" } else { "" };
        let with =
            it.entries.map(|entries| format!(" (with {} in it)", counted(entries, "entry", "entries")));
        let with = with.unwrap_or_default();
        Some(format!("Moved {} to {}{with}{over}", words.path(&it.from), words.path(&it.to)))
    },
    ..Row::new(
        "Move",
        "\
Moves or renames a file, or a directory with everything in it, in one step. Permissions stay.

Usage:
- A single file must be read first
- to is the whole new path; missing directories above it are created",
    )
};

const MAKE_DIRECTORY: Row<MakeDirectory> = Row {
    text: |it, words| {
        let did = if it.existed { "Already there:" } else { "Created the directory" };
        Some(format!("{did} {}", words.path(&it.path)))
    },
    ..Row::new(
        "MakeDirectory",
        "Creates a directory and those above it. Write needs none of this: it creates directories itself.",
    )
};
