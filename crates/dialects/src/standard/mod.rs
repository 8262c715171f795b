//! The standard dialect: capitalised names, snake_case parameters, absolute paths, answers as text with the facts in
//! the metadata.

mod text;

pub(crate) use text::{grep_by_line, undo as undone};

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
Reads text in any encoding, with line numbers. Images are shown to you, scaled down if large; PDFs (20 pages at once) and Jupyter \
notebooks as text. A long answer says where to go on.",
    )
};

pub(crate) const WRITE: Row<Write> = Row {
    text: text::write,
    ..Row::new(
        "Write",
        "\
Creates a file, with directories above it, or replaces all of it, atomically. Read an existing one first: refused if another program \
has changed it since. Keeps encoding, and CRLF if all lines have it. Edit changes a part.",
    )
};

pub(crate) const EDIT: Row<Edit> = Row {
    facts: || Edit::facts().without("results"),
    text: text::edit,
    ..Row::new(
        "Edit",
        "\
Replaces text in a file read before, only if it is certain which is meant. All other bytes, the encoding and line endings stay.",
    )
};

const MULTI_EDIT: Row<MultiEdit> = Row {
    takes: "file_path edits expected_version",
    text: text::multi_edit,
    ..Row::new(
        "MultiEdit",
        "\
Edits a file read before in several places, all or none; an error says which edit failed and why.",
    )
};

const APPLY_PATCH: Row<ApplyPatch> = Row {
    takes: "patch_text overwrite fuzz expected_version",
    text: text::patch,
    ..Row::new(
        "ApplyPatch",
        "\
Applies a patch to files read before, all or nothing: adds, updates, deletes, moves, copies, makes executable. Its lines must be those \
of the file, once or nearest to the line number, which may be off. An error names every hunk that does not fit.",
    )
};

const LIST: Row<List> = Row {
    takes: "path recursive no_ignore depth ignore limit offset",
    facts: || List::facts().without("note"),
    text: text::list,
    ..Row::new(
        "LS",
        "\
Lists a directory with sizes and link targets: directories, then files, by name. Glob finds files by name, Grep by content.",
    )
};

pub(crate) const GLOB: Row<Glob> = Row {
    takes: "pattern path limit offset include_hidden no_ignore include_directories",
    facts: || Glob::facts().without("files"),
    text: text::glob,
    ..Row::new(
        "Glob",
        "\
Finds files by name: absolute paths, newest first.",
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
Searches file contents in any encoding, fast in any tree. Hidden, ignored and binary files and those over 10 MB are left out unless \
asked for. Lines stand below their file; if context is shown, matches begin with >, other lines with a space. One to three matches \
bring context of themselves. The answer says what was left out and the next offset.",
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
Undoes a change that a tool has made, exactly: every file of it is as it was before. Called again, undoes the one before. What another \
program has changed since in other lines is kept; in the same lines, nothing is undone.",
    )
};

const STAT: Row<Stat> = Row {
    text: |it, words| {
        let kind = it.size.map_or_else(|| "directory".to_owned(), |size| format!("file, {}", bytes(size)));
        Some(format!("{}: {kind}, changed {}, mode {:o}", words.path(&it.path), time(it.modified), it.mode))
    },
    ..Row::new(
        "Stat",
        "\
Returns size, time of the last change, permissions and kind of a file or directory, without reading it.",
    )
};

const INSERT: Row<Insert> = Row {
    text: text::insert,
    ..Row::new(
        "Insert",
        "\
Inserts lines into a file read before, by the line numbers that Read shows, with the line endings of the file.",
    )
};

const READ_MANY: Row<ReadMany> = Row {
    facts: || ReadMany::facts().pick("left_out"),
    text: text::read_many,
    ..Row::new(
        "ReadMany",
        "\
Reads several files at once, each from its beginning, in one bounded answer. Names at the end what did not fit, and reports what cannot \
be read among the others.",
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
Deletes a file read before, or with recursive a directory with everything in it, but nothing through a symbolic link. Undo brings it back.",
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
Moves or renames a file read before, or a directory with everything in it, in one step. Permissions stay.",
    )
};

const MAKE_DIRECTORY: Row<MakeDirectory> = Row {
    text: |it, words| {
        let did = if it.existed { "Already there:" } else { "Created the directory" };
        Some(format!("{did} {}", words.path(&it.path)))
    },
    ..Row::new(
        "MakeDirectory",
        "\
Creates a directory. Write needs none of this: it creates directories itself.",
    )
};
