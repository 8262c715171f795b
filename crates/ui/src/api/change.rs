//! A change of the journal, as the page gets it.

use std::path::Path;

use serde::Serialize;
use toolcrib::{FileRecord, Record, RecordId, RecordState, Toolbox, names};

use crate::app::{is_denied, milliseconds};

/// How many files of a change stand in a list. Of one change alone, all can be had.
const MOST_FILES: usize = 200;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Change {
    pub(crate) id: u64,
    time: u64,
    tool: String,
    agent: Option<String>,
    session: Option<String>,
    state: &'static str,
    undone_by: Option<u64>,
    /// The change that this one undoes, or redoes the undo of; the changes if they are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reverts: Vec<u64>,
    undoes: Option<u64>,
    is_undo: bool,
    /// What of it was undone, if not all of it at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    undone_parts: Vec<UndonePart>,
    files: Vec<FileEntry>,
    /// How many more there are.
    more_files: usize,
}

#[derive(Clone, Debug, Serialize)]
struct UndonePart {
    file: usize,
    /// None if it is all of the file.
    hunks: Option<Vec<String>>,
    by: Vec<u64>,
}

#[derive(Clone, Debug, Serialize)]
struct FileEntry {
    n: usize,
    action: &'static str,
    kind: &'static str,
    path: String,
    from: Option<String>,
    before: Option<String>,
    after: Option<String>,
    added: Option<usize>,
    removed: Option<usize>,
    kept: bool,
    /// A rule denies reading it, so its content is shown only on request.
    denied: bool,
}

impl Change {
    /// The change with its first files.
    pub(crate) fn of(record: &Record, toolbox: &Toolbox) -> Self {
        Self::with_files(record, toolbox, 0)
    }

    /// The change with its files from this one on.
    pub(crate) fn with_files(record: &Record, toolbox: &Toolbox, first: usize) -> Self {
        let files = record.files.iter().enumerate().skip(first).take(MOST_FILES);
        let undone_by = match record.state {
            RecordState::Undone(by) => Some(by.number()),
            _ => None,
        };
        let files: Vec<_> = files.map(|(n, file)| FileEntry::of(n, file, toolbox)).collect();
        Self {
            id: record.id.number(),
            time: milliseconds(record.time),
            tool: record.tool.clone(),
            agent: record.agent.clone(),
            session: record.session.clone(),
            state: match record.state {
                RecordState::UnderWay => "under_way",
                RecordState::Done => "done",
                RecordState::Undone(_) => "undone",
                RecordState::RolledBack => "rolled_back",
                RecordState::Unknown => "unknown",
            },
            undone_by,
            reverts: record.reverts.iter().map(|reverts| reverts.id.number()).collect(),
            undoes: record.undoes.map(RecordId::number),
            is_undo: record.is_undo,
            undone_parts: record.undone_parts.iter().map(UndonePart::of).collect(),
            more_files: record.files.len().saturating_sub(first + files.len()),
            files,
        }
    }

    /// Whether it is not being made any more.
    pub(crate) fn is_settled(&self) -> bool {
        self.state != "under_way"
    }
}

impl UndonePart {
    fn of(part: &toolcrib::UndonePart) -> Self {
        let by = part.by.iter().map(|id| id.number()).collect();
        Self { file: part.file, hunks: part.hunks.clone(), by }
    }
}

impl FileEntry {
    fn of(n: usize, file: &FileRecord, toolbox: &Toolbox) -> Self {
        Self {
            n,
            action: action(file),
            kind: match file.subject {
                toolcrib::Subject::File => "file",
                toolcrib::Subject::Directory => "directory",
                toolcrib::Subject::Link => "link",
            },
            path: toolbox.show_path(&file.path),
            from: file.from.as_deref().map(|from| toolbox.show_path(from)),
            before: file.before.map(|version| version.to_string()),
            after: file.after.map(|version| version.to_string()),
            added: None,
            removed: None,
            kept: file.kept,
            denied: is_file_denied(file, toolbox),
        }
    }
}

/// Whether a rule denies reading a file of a change, under its old name or the new one.
pub(crate) fn is_file_denied(file: &FileRecord, toolbox: &Toolbox) -> bool {
    is_denied(toolbox, &file.path) || file.from.as_deref().is_some_and(|from| is_denied(toolbox, from))
}

fn action(file: &FileRecord) -> &'static str {
    match (&file.from, file.before, file.after) {
        (Some(_), ..) => "move",
        (None, None, _) => "add",
        (None, _, None) => "delete",
        _ => "update",
    }
}

/// Whether a path of the journal is the one that a page means, as it is [shown](Toolbox::show_path).
pub(crate) fn is_meant(toolbox: &Toolbox, path: &Path, shown: &str) -> bool {
    toolbox.show_path(path) == shown || names::escape(path) == shown
}
