//! How each tool is aimed at a file, for the tests that attack all of them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolcrib::{Dialect, Settings};

/// A tool, or one command of a tool, and how it is aimed at a file.
#[derive(Clone, Copy)]
pub(crate) struct Probe {
    pub(crate) dialect: Dialect,
    pub(crate) tool: &'static str,
    pub(crate) does: Does,
    call: fn(&Path, &Path) -> Value,
}

/// What a call does with the file that it is aimed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    Read,
    /// Gives the bytes as they are.
    Media,
    /// Several files at once: one that cannot be read is told among the others.
    ReadMany,
    /// Reads a file, or looks into a directory.
    ReadOrList,
    /// Looks at a file or directory without reading it.
    Stat,
    /// Looks into the file's directory.
    List,
    Search,
    Replace,
    /// Refuses what exists.
    Create,
    Edit,
    Insert,
    /// Changes by a patch, which names the file from the root.
    Patch,
    Delete,
    /// Deletes a directory too, with everything in it.
    DeleteAll,
    Move,
    MakeDirectory,
    /// Changes a notebook, and refuses any other text.
    NotebookEdit,
}

impl Probe {
    /// A call that reads or changes `file` below `root`, or looks into its directory.
    pub(crate) fn aim(&self, root: &Path, file: &Path) -> Value {
        let directory = file.parent().filter(|_| self.does == Does::List);
        (self.call)(root, directory.unwrap_or(file))
    }

    /// A call on exactly this path, whatever is there.
    pub(crate) fn aim_exactly(&self, root: &Path, path: &Path) -> Value {
        (self.call)(root, path)
    }

    /// Whether it takes the file away, so that there is nothing to aim at any more.
    pub(crate) fn takes_away(&self) -> bool {
        matches!(self.does, Does::Delete | Does::DeleteAll | Does::Move)
    }

    /// Whether it takes paths as patches have them, in which `..` cancels a name.
    pub(crate) fn is_patch(&self) -> bool {
        self.does == Does::Patch || self.dialect == Dialect::ApplyPatchV4a
    }

    /// Every so many cases: all dialects stand on the same operations, so a case is tried in one of them, in turns.
    pub(crate) fn in_turns<T>(&self, cases: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        let turn = Dialect::ALL.iter().position(|dialect| *dialect == self.dialect).unwrap_or_default();
        // The first two share the cases; of the others, each tries some.
        let (skip, step) = if turn < 2 { (turn, 2) } else { (turn, 6) };
        cases.into_iter().skip(skip % step).step_by(step)
    }
}

/// Reads a file in the standard dialect.
pub(crate) fn read(file: &Path) -> Value {
    json!({"file_path": file})
}

/// Every tool of every dialect, also those that are off by default.
///
/// # Panics
///
/// For a tool that is not in the list of its dialect: it would escape the attacks.
pub(crate) fn every_tool() -> Vec<Probe> {
    let settings = Settings { more_tools: true, ..Settings::default() };
    let probes = |dialect: Dialect| -> Vec<Probe> {
        let list = list(dialect);
        for tool in dialect.tools(settings) {
            // A tool that names the roots is aimed at nothing.
            let known =
                tool.descriptor().parameters.is_empty() || list.iter().any(|(name, ..)| *name == tool.name());
            assert!(known, "say in tests/it/probes.rs how {dialect} {} is aimed at a file", tool.name());
        }
        let probe = |(tool, does, call): &(&'static str, Does, Call)| Probe {
            dialect,
            tool,
            does: *does,
            call: *call,
        };
        list.iter().map(probe).collect()
    };
    Dialect::ALL.into_iter().flat_map(probes).collect()
}

type Call = fn(&Path, &Path) -> Value;

fn list(dialect: Dialect) -> &'static [(&'static str, Does, Call)] {
    match dialect {
        Dialect::Standard => STANDARD,
        Dialect::Ekacode => EKACODE,
        Dialect::Filesystem => FILESYSTEM,
        Dialect::ApplyPatch => APPLY_PATCH,
        Dialect::ApplyPatchV4a => APPLY_PATCH_V4A,
        Dialect::TextEditor => TEXT_EDITOR,
        Dialect::TextEditor20250124 => TEXT_EDITOR_20250124,
        Dialect::Memory => MEMORY,
        Dialect::ClaudeCode => CLAUDE_CODE,
        Dialect::Opencode => OPENCODE,
        Dialect::Gemini => GEMINI,
    }
}

const CHANGED: &str = "changed inside";

const STANDARD: &[(&str, Does, Call)] = &[
    ("Read", Does::Read, |_, file| read(file)),
    ("Write", Does::Replace, |_, file| json!({"file_path": file, "content": "changed inside\n"})),
    ("Edit", Does::Edit, |_, file| json!({"file_path": file, "old_string": "inside", "new_string": CHANGED})),
    (
        "MultiEdit",
        Does::Edit,
        |_, file| json!({"file_path": file, "edits": [{"old_string": "inside", "new_string": CHANGED}]}),
    ),
    ("ApplyPatch", Does::Patch, |root, file| json!({"patch_text": patch(root, file)})),
    ("LS", Does::List, |_, directory| json!({"path": directory})),
    ("Glob", Does::List, |_, directory| json!({"pattern": "**", "path": directory})),
    ("Grep", Does::Search, |_, file| json!({"pattern": "", "path": file, "output_mode": "content"})),
    ("Stat", Does::Stat, |_, file| json!({"path": file})),
    ("Insert", Does::Insert, |_, file| json!({"file_path": file, "line": 0, "content": CHANGED})),
    ("ReadMany", Does::ReadMany, |_, file| json!({"file_paths": [file]})),
    ("Delete", Does::Delete, |_, file| json!({"file_path": file})),
    ("Move", Does::Move, |root, file| json!({"from": file, "to": root.join("moved-here")})),
    ("MakeDirectory", Does::MakeDirectory, |_, file| json!({"path": file})),
];

const EKACODE: &[(&str, Does, Call)] = &[
    ("read", Does::Read, |_, file| json!({"filePath": file})),
    ("write", Does::Replace, |_, file| json!({"filePath": file, "content": "changed inside\n"})),
    ("edit", Does::Edit, |_, file| json!({"filePath": file, "oldString": "inside", "newString": CHANGED})),
    (
        "multiedit",
        Does::Edit,
        |_, file| json!({"filePath": file, "edits": [{"oldString": "inside", "newString": CHANGED}]}),
    ),
    ("apply_patch", Does::Patch, |root, file| json!({"patchText": patch(root, file)})),
    ("ls", Does::List, |_, directory| json!({"dirPath": directory})),
    ("glob", Does::List, |_, directory| json!({"pattern": "**", "path": directory})),
    ("grep", Does::Search, |_, file| json!({"pattern": "", "path": file, "outputMode": "content"})),
    ("stat", Does::Stat, |_, file| json!({"path": file})),
    ("insert", Does::Insert, |_, file| json!({"filePath": file, "line": 0, "content": CHANGED})),
    ("readMany", Does::ReadMany, |_, file| json!({"filePaths": [file]})),
    ("delete", Does::Delete, |_, file| json!({"filePath": file})),
    ("move", Does::Move, |root, file| json!({"from": file, "to": root.join("moved-here")})),
    ("makeDirectory", Does::MakeDirectory, |_, file| json!({"path": file})),
];

const FILESYSTEM: &[(&str, Does, Call)] = &[
    ("read_text_file", Does::Read, |_, file| json!({"path": file})),
    ("read_file", Does::Read, |_, file| json!({"path": file})),
    ("read_media_file", Does::Media, |_, file| json!({"path": file})),
    ("read_multiple_files", Does::ReadMany, |_, file| json!({"paths": [file]})),
    ("write_file", Does::Replace, |_, file| json!({"path": file, "content": "changed inside\n"})),
    (
        "edit_file",
        Does::Edit,
        |_, file| json!({"path": file, "edits": [{"oldText": "inside", "newText": CHANGED}]}),
    ),
    ("create_directory", Does::MakeDirectory, |_, file| json!({"path": file})),
    ("list_directory", Does::List, |_, directory| json!({"path": directory})),
    ("list_directory_with_sizes", Does::List, |_, directory| json!({"path": directory})),
    ("directory_tree", Does::List, |_, directory| json!({"path": directory})),
    ("move_file", Does::Move, |root, file| json!({"source": file, "destination": root.join("moved-here")})),
    ("search_files", Does::List, |_, directory| json!({"path": directory, "pattern": "**"})),
    ("get_file_info", Does::Stat, |_, file| json!({"path": file})),
];

const APPLY_PATCH: &[(&str, Does, Call)] =
    &[("apply_patch", Does::Patch, |root, file| json!({"input": patch(root, file)}))];

const CLAUDE_CODE: &[(&str, Does, Call)] = &[
    ("Read", Does::Read, |_, file| read(file)),
    ("Write", Does::Replace, |_, file| json!({"file_path": file, "content": "changed inside\n"})),
    ("Edit", Does::Edit, |_, file| json!({"file_path": file, "old_string": "inside", "new_string": CHANGED})),
    ("Glob", Does::List, |_, directory| json!({"pattern": "**", "path": directory})),
    ("Grep", Does::Search, |_, file| json!({"pattern": "", "path": file, "output_mode": "content"})),
    (
        "NotebookEdit",
        Does::NotebookEdit,
        |_, file| json!({"notebook_path": file, "cell_id": "1", "new_source": CHANGED}),
    ),
];

const APPLY_PATCH_V4A: &[(&str, Does, Call)] = &[
    (
        "create_file",
        Does::Create,
        |root, file| json!({"path": named(root, file), "diff": "+changed inside\n+"}),
    ),
    (
        "update_file",
        Does::Patch,
        |root, file| json!({"path": named(root, file), "diff": "+changed inside\n*** End of File"}),
    ),
    ("delete_file", Does::Delete, |root, file| json!({"path": named(root, file)})),
];

const OPENCODE: &[(&str, Does, Call)] = &[
    ("read", Does::ReadOrList, |_, file| json!({"filePath": file})),
    ("write", Does::Replace, |_, file| json!({"filePath": file, "content": "changed inside\n"})),
    ("edit", Does::Edit, |_, file| json!({"filePath": file, "oldString": "inside", "newString": CHANGED})),
    ("glob", Does::List, |_, directory| json!({"pattern": "**", "path": directory})),
    ("grep", Does::Search, |_, file| json!({"pattern": "", "path": file})),
    ("apply_patch", Does::Patch, |root, file| json!({"patchText": patch(root, file)})),
];

const GEMINI: &[(&str, Does, Call)] = &[
    ("read_file", Does::Read, |_, file| json!({"file_path": file})),
    ("read_many_files", Does::ReadMany, |_, file| json!({"include": [file]})),
    ("write_file", Does::Replace, |_, file| json!({"file_path": file, "content": "changed inside\n"})),
    (
        "replace",
        Does::Edit,
        |_, file| json!({"file_path": file, "instruction": "", "old_string": "inside", "new_string": CHANGED}),
    ),
    ("glob", Does::List, |_, directory| json!({"pattern": "**", "dir_path": directory})),
    ("grep_search", Does::Search, |_, file| json!({"pattern": "", "dir_path": file})),
    ("list_directory", Does::List, |_, directory| json!({"dir_path": directory})),
];

// What undoes is aimed at a change and not at a file.
const TEXT_EDITOR: &[(&str, Does, Call)] = &[
    ("str_replace_based_edit_tool", Does::ReadOrList, |_, file| json!({"command": "view", "path": file})),
    ("str_replace_based_edit_tool", Does::Create, |_, file| create(file)),
    ("str_replace_based_edit_tool", Does::Edit, |_, file| str_replace(file)),
    ("str_replace_based_edit_tool", Does::Insert, |_, file| insert(file)),
];

const TEXT_EDITOR_20250124: &[(&str, Does, Call)] = &[
    ("str_replace_editor", Does::ReadOrList, |_, file| json!({"command": "view", "path": file})),
    ("str_replace_editor", Does::Create, |_, file| create(file)),
    ("str_replace_editor", Does::Edit, |_, file| str_replace(file)),
    ("str_replace_editor", Does::Insert, |_, file| insert(file)),
];

const MEMORY: &[(&str, Does, Call)] = &[
    ("memory", Does::ReadOrList, |root, file| json!({"command": "view", "path": remembered(root, file)})),
    ("memory", Does::Create, |root, file| create(&remembered(root, file))),
    ("memory", Does::Edit, |root, file| str_replace(&remembered(root, file))),
    ("memory", Does::Insert, |root, file| insert(&remembered(root, file))),
    ("memory", Does::DeleteAll, |root, file| json!({"command": "delete", "path": remembered(root, file)})),
    (
        "memory",
        Does::Move,
        |root, file| json!({"command": "rename", "old_path": remembered(root, file), "new_path": "/memories/moved-here"}),
    ),
];

fn create(path: &Path) -> Value {
    json!({"command": "create", "path": path, "file_text": "changed inside\n"})
}

fn str_replace(path: &Path) -> Value {
    json!({"command": "str_replace", "path": path, "old_str": "inside", "new_str": CHANGED})
}

fn insert(path: &Path) -> Value {
    json!({"command": "insert", "path": path, "insert_line": 0, "insert_text": CHANGED, "new_str": CHANGED})
}

/// A path as it is called in a memory.
fn remembered(root: &Path, path: &Path) -> PathBuf {
    let (path, root) = (path.to_str().unwrap(), root.to_str().unwrap());
    format!("/memories{}", path.strip_prefix(root).unwrap_or(path)).into()
}

/// A patch that adds a line at the end of a file, which it names from the root.
fn patch(root: &Path, file: &Path) -> String {
    let path = named(root, file).display();
    format!("*** Begin Patch\n*** Update File: {path}\n@@\n+changed inside\n*** End of File\n*** End Patch\n")
}

/// A file as a patch names it.
fn named<'f>(root: &Path, file: &'f Path) -> &'f Path {
    file.strip_prefix(root).unwrap_or(file)
}
