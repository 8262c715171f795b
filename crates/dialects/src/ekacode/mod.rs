//! The ekacode dialect: lower-case names, camelCase parameters, paths relative to the workspace's root, answers as
//! objects.

use std::sync::Arc;

use toolcrib_files::{EntryKind, Settings};
use toolcrib_tool::DynTool;

use crate::facts::Facts;
use crate::operations::{
    ApplyPatch, Delete, Edit, Glob, Grep, Insert, List, ListOutcome, MakeDirectory, Move, MultiEdit,
    Operation, Read, ReadMany, ReadManyOutcome, ReadOutcome, Stat, Undo, Write,
};
use crate::table::{As, Habits, Naming, Paths, Row, Table};

const HABITS: Habits =
    Habits { not_found: |old, _| not_found(old), ..Habits::new(Naming::Camel, Paths::Relative) };

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

/// Shows the beginning of the text that is not there.
fn not_found(old: &str) -> String {
    /// How many characters of it.
    const SHOWN: usize = 50;
    let start: String = old.chars().take(SHOWN).collect();
    let rest = if start.len() < old.len() { "..." } else { "" };
    format!("String not found in file: {:?}", start + rest)
}

/// What the answer of a changing tool begins with.
fn success<T: 'static>() -> Facts<T> {
    Facts::new().fact("success", "Always true: a failure is an error", |_, _| true)
}

/// What is said of the path of a file that is changed, and of its version.
const FILE: As = As::Described("file_path", "Relative to the workspace root, or absolute");
const VERSION: As = As::Described("expected_version", "Required version of the file");

/// What the answer of an edit has no place for.
const EDIT_NOTES: &str = "match hidden_characters changed_since_read lines";

/// The facts about a file, in order.
const READ_FACTS: &str = "truncated line_count file_path size version total_lines next_skip encoding bom line_ending \
    final_newline undecodable is_image mime_type width height scaled original_mime_type original_width original_height \
    original_size is_pdf page_count pages next_pages has_text is_notebook cell_count language cells next_cells note";

const READ: Row<Read> = Row {
    takes: "file_path skip limit tail column encoding pages cells",
    parameters: &[
        As::Named("skip", "offset"),
        As::Described("file_path", "Relative to the workspace root, or absolute"),
    ],
    facts: || {
        let content = "The lines with their numbers, or the text of pages or cells; of an image, what it is";
        Facts::new()
            .fact("content", content, |it: &ReadOutcome, words| it.shown('→', words))
            .and(
                Read::facts()
                    .pick(READ_FACTS)
                    .rename("next_skip", "next_offset")
                    .describe("file_path", "The file that was read, relative to the workspace")
                    .describe("undecodable", "How many characters of the content stand for bytes that do not decode; absent when there is none")
                    .within("metadata", "Facts about them"),
            )
    },
    ..Row::new(
        "read",
        "\
Reads text in any encoding, with line numbers, and images, PDFs and Jupyter notebooks.",
    )
};

const WRITE: Row<Write> = Row {
    takes: "content file_path expected_version",
    parameters: &[As::Described("content", "Whole content"), FILE, VERSION],
    facts: || {
        success()
            .and(Write::facts().pick("file_path diff created"))
            .describe("file_path", "The file that was written, relative to the workspace")
            .describe("created", "Whether the file was not there before")
    },
    beside: || Write::facts().pick("hidden_characters"),
    ..Row::new(
        "write",
        "\
Creates a file, and directories above it, or replaces its whole content, atomically. Read an existing file first: refused if another \
program has changed it since. Encoding stays, and CRLF if all lines have it.",
    )
};

const EDIT: Row<Edit> = Row {
    parameters: &[
        FILE,
        As::Described("old_string", "Exact text, unique unless replaceAll; empty creates a file"),
        As::Described("new_string", "Replacement"),
        VERSION,
    ],
    facts: || {
        success()
            .and(Edit::facts().pick("file_path replacements"))
            .describe("file_path", "The file that was edited, relative to the workspace")
    },
    beside: || Edit::facts().pick(EDIT_NOTES),
    ..Row::new(
        "edit",
        "\
Replaces text in a file read before, only if it is certain which is meant. All other bytes, the encoding and line endings stay.",
    )
};

const MULTI_EDIT: Row<MultiEdit> = Row {
    takes: "file_path edits expected_version",
    parameters: &[
        FILE,
        As::Described("edits", "Applied in order: each sees the text that those before left"),
        As::Described(
            "edits.old_string",
            "Exact text, unique unless replaceAll; empty in the first edit creates a file",
        ),
        As::Described("edits.new_string", "Replacement"),
        VERSION,
    ],
    facts: || {
        success()
            .and(MultiEdit::facts().pick("file_path total_replacements"))
            .describe("file_path", "The file that was edited, relative to the workspace")
            .list("results", "What each edit did", MultiEdit::result().pick("replacements"), |it| {
                it.steps.iter().collect()
            })
    },
    beside: || {
        let unchanged = "Whether the edits cancel each other out";
        MultiEdit::facts()
            .pick(EDIT_NOTES)
            .fact("unchanged", unchanged, |it, _| Some(true).filter(|_| it.unchanged))
    },
    ..Row::new(
        "multiedit",
        "\
Edits a file read before in several places, all or none.",
    )
};

const APPLY_PATCH: Row<ApplyPatch> = Row {
    takes: "patch_text overwrite fuzz expected_version",
    parameters: &[
        As::Described(
            "patch_text",
            "Unified or git diff, or *** Begin Patch with *** Add File, *** Update File, *** Delete File and *** Move to, then *** End Patch. Paths are relative to the workspace root",
        ),
        As::Described("expected_version", "Required version of the only file"),
    ],
    facts: || {
        let file = ApplyPatch::file()
            .pick("path action from")
            .describe("path", "Where it is now, or was before it was deleted, relative to the workspace");
        success().and(ApplyPatch::facts().pick("files_modified")).list(
            "files",
            "The files that were changed",
            file,
            |it| it.files.iter().collect(),
        )
    },
    beside: || ApplyPatch::facts().pick("match hidden_characters changed_since_read already_applied"),
    ..Row::new(
        "apply_patch",
        "\
Applies a patch to files read before, all or nothing.",
    )
};

const LIST: Row<List> = Row {
    takes: "path recursive no_ignore depth ignore limit offset",
    parameters: &[
        As::Named("path", "dirPath"),
        As::Described("path", "Relative to the workspace root, or absolute"),
        As::Required("path"),
    ],
    facts: || {
        let entry = List::entry()
            .pick("name path")
            .describe("path", "The path relative to the workspace")
            .fact("type", "file or directory", |it, _| match it.kind {
                EntryKind::Directory => "directory",
                _ => "file",
            })
            .and(List::entry().pick("size modified target"));
        Facts::new()
            .list(
                "entries",
                "The entries: directories first, then files, by name",
                entry,
                ListOutcome::entries,
            )
            .and(List::facts().without("path entries index"))
            .describe("total", "How many entries there are, where they were all counted")
    },
    ..Row::new(
        "ls",
        "\
Lists a directory, directories first.",
    )
};

const GLOB: Row<Glob> = Row {
    takes: "pattern path limit offset include_hidden no_ignore include_directories",
    parameters: &[
        As::Described("pattern", "Such as src/**/*.ts"),
        As::Described("path", "Directory that it is relative to (default: the workspace root)"),
        As::Default("limit", 100),
        As::Max("limit", 1000),
    ],
    facts: || {
        Glob::facts().pick("files count pattern total truncated next_offset withheld unreadable partial note")
    },
    ..Row::new(
        "glob",
        "\
Finds files by a glob pattern, newest first. Leaves out hidden and ignored files unless asked.",
    )
};

const GREP: Row<Grep> = Row {
    takes: "pattern path glob type output_mode ignore_case smart_case after before context multiline limit offset literal \
            word invert exclude sort max_count include_hidden no_ignore max_file_size",
    parameters: &[
        As::Described("path", "File or directory (default: the workspace root)"),
        As::Described("output_mode", "Matching lines, files, or files with their number of matches"),
    ],
    facts: || {
        Grep::facts()
            .without("index")
            .describe("count", "How many results are returned: lines in content mode, files otherwise")
            .describe("truncated", "Whether there are more results")
    },
    ..Row::new(
        "grep",
        "\
Searches file contents in any encoding. Leaves out hidden, ignored and binary files, and files over 10 MB, unless asked, and counts \
them. One to three matches bring context of themselves.",
    )
};

const UNDO: Row<Undo> = Row {
    facts: || {
        let file = Undo::file()
            .rename("path", "file_path")
            .describe("file_path", "The file, relative to the workspace");
        success()
            .and(Undo::facts().pick("taken_back"))
            .list("files", "The files that were restored", file, |it| it.taken.files.iter().collect())
            .fact(
                "merged",
                "Files that another program has changed since, in other lines: its changes are kept",
                |it, words| it.taken.merged.iter().map(|path| words.path(path)).collect::<Vec<_>>(),
            )
    },
    ..Row::new(
        "undo",
        "\
Undoes a change that a tool has made, exactly: every file of it is as it was before. What other programs have changed since in other \
lines is kept; if they changed the same lines, nothing is undone.",
    )
};

const STAT: Row<Stat> = Row::new(
    "stat",
    "Returns size, time of the last change, permissions and kind of a file or directory, without reading it.",
);

const INSERT: Row<Insert> = Row {
    parameters: &[FILE],
    facts: || success().and(Insert::facts()),
    ..Row::new("insert", "Inserts lines into a file read before, by the line numbers that read shows.")
};

const READ_MANY: Row<ReadMany> = Row {
    facts: || {
        let file = ReadMany::file().without("next_offset").rename("next_skip", "next_offset");
        Facts::new()
            .list("files", "The files, in order", file, |it: &ReadManyOutcome| it.files.iter().collect())
            .and(ReadMany::facts().pick("left_out"))
    },
    ..Row::new(
        "readMany",
        "Reads several files at once, each from its beginning, in one bounded answer; names the files that do not fit.",
    )
};

const DELETE: Row<Delete> = Row {
    parameters: &[As::Described(
        "file_path",
        "File or directory, relative to the workspace root, or absolute",
    )],
    facts: || success().and(Delete::facts()),
    ..Row::new(
        "delete",
        "\
Deletes a file read before, or with recursive a directory with everything in it, but nothing through a symbolic link. Undo brings it \
back.",
    )
};

const MOVE: Row<Move> = Row {
    facts: || success().and(Move::facts()),
    ..Row::new(
        "move",
        "\
Moves or renames a file read before, or a directory with everything in it, in one step. Permissions stay.",
    )
};

const MAKE_DIRECTORY: Row<MakeDirectory> = Row {
    facts: || success().and(MakeDirectory::facts()),
    ..Row::new(
        "makeDirectory",
        "Creates a directory. write needs none of this: it creates directories itself.",
    )
};
