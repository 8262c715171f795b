//! What was done, for people to look at and undo: the journal's records, told with paths and differences.
//!
//! [`log`](crate::log) says which of them.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use toolcrib_access::disk_error;
use toolcrib_edit::Hunks;
use toolcrib_files::{Names, difference, whole_difference};
use toolcrib_journal::{FileRecord, Kept, PastChange, RecordId, Reverts, State, UndonePart};
use toolcrib_tool::ToolError;
use toolcrib_workspace::{Subject, names};

use crate::Toolbox;

/// A change that was made.
#[derive(Clone, Debug, Serialize)]
pub struct Past {
    /// Its number.
    pub id: u64,
    /// When, in seconds since 1970.
    pub time: u64,
    /// The same in milliseconds.
    pub time_ms: u64,
    /// The tool that made it.
    pub tool: String,
    /// The agent that called it.
    pub agent: Option<String>,
    /// The session in which it was called.
    pub session: Option<String>,
    /// Whether it stands: `done`, `undone`, `rolled back` (it failed), `under way`, or `unknown` (that part of the journal
    /// is damaged). It is `done` as long as a part of it stands.
    pub state: &'static str,
    /// The change that undid it.
    pub undone_by: Option<u64>,
    /// The change that this one undoes.
    pub takes_back: Option<u64>,
    /// All changes that this one undoes, or undos that it redoes, wholly or in part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reverts: Vec<RevertsPast>,
    /// Whether it undoes changes, so that it can be redone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_undo: bool,
    /// What of it was undone, if that was not all of it at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undone_parts: Vec<UndonePast>,
    /// What became of each file.
    pub files: Vec<FilePast>,
}

/// A change that another one reverts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RevertsPast {
    /// The change.
    pub change: u64,
    /// Its files, by their places among those of the change, with the hunks that were chosen; none if it is all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileHunksPast>>,
}

/// A file of a change, or some hunks of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileHunksPast {
    /// Its place among the files of the change.
    pub file: usize,
    /// The hunks; none if it is all of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hunks: Option<Vec<String>>,
}

/// A part of a change that was undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UndonePast {
    /// Which part.
    #[serde(flatten)]
    pub part: FileHunksPast,
    /// The changes that undid it.
    pub by: Vec<u64>,
}

/// What a change did to a file.
#[derive(Clone, Debug, Serialize)]
pub struct FilePast {
    /// `add`, `update`, `delete` or `move`.
    pub action: &'static str,
    /// `file`, `directory` or `link`.
    pub kind: &'static str,
    /// The file.
    pub path: String,
    /// The same from the root that it is in.
    pub relative: String,
    /// Of a move, where it was before.
    pub from: Option<String>,
    /// The version before.
    pub before: Option<String>,
    /// The version after.
    pub after: Option<String>,
    /// What changed in it, bounded; none if that is not kept, or was not asked for.
    pub diff: Option<String>,
    /// How many lines were added; none if that was not asked for, or it is not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<usize>,
    /// How many lines were removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<usize>,
    /// Whether the contents are kept, so that it can be shown and undone.
    pub kept: bool,
    /// Whether the contents were kept and are damaged, so that it can be neither shown nor undone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub damaged: bool,
}

/// What is told of the contents of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Nothing: they are not read.
    Unread,
    /// How many lines changed.
    Counted,
    /// What changed, as much as a reader takes in.
    Shown,
    /// All that changed.
    Whole,
}

impl Toolbox {
    pub(crate) fn told(&self, change: &PastChange<'_>, contents: Contents) -> Result<Past, ToolError> {
        let record = change.record();
        let files = record.files.iter().enumerate();
        let files = files.map(|(index, file)| {
            let unread = contents == Contents::Unread;
            let kept = if unread { Kept::Nothing } else { change.contents(index).map_err(disk_error)? };
            Ok(self.told_of(file, kept, contents))
        });
        let since = record.time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Past {
            id: record.id.number(),
            time: since.as_secs(),
            time_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
            tool: record.tool.clone(),
            agent: record.agent.clone(),
            session: record.session.clone(),
            state: match record.state {
                State::UnderWay => "under way",
                State::Done => "done",
                State::Undone(_) => "undone",
                State::RolledBack => "rolled back",
                State::Unknown => "unknown",
            },
            undone_by: match record.state {
                State::Undone(by) => Some(by.number()),
                _ => None,
            },
            takes_back: record.undoes.map(RecordId::number),
            reverts: record.reverts.iter().map(reverted).collect(),
            is_undo: record.is_undo,
            undone_parts: record.undone_parts.iter().map(undone).collect(),
            files: files.collect::<Result<_, ToolError>>()?,
        })
    }

    fn told_of(&self, file: &FileRecord, kept: Kept, contents: Contents) -> FilePast {
        let ending = if file.subject == Subject::Directory { "/" } else { "" };
        let shown = |path: &Path| format!("{}{ending}", names::escape(path));
        let (path, from) = (shown(&file.path), file.from.as_deref().map(shown));
        let action = match (&from, file.before, file.after) {
            (Some(_), ..) => "move",
            (None, None, _) => "add",
            (None, _, None) => "delete",
            _ => "update",
        };
        let damaged = kept == Kept::Damaged;
        let relative = self.relative_to_root(&path);
        let (mut diff, mut counted) = (None, None);
        if let Kept::Whole(kept) = kept {
            let (before, after) = (kept.before.as_deref(), kept.after.as_deref());
            let old = from.as_deref().map_or_else(|| relative.clone(), |from| self.relative_to_root(from));
            let names = Names { old: before.map(|_| old.as_str()), new: after.map(|_| relative.as_str()) };
            counted = (file.subject == Subject::File).then(|| line_counts(before, after)).flatten();
            diff = match contents {
                Contents::Shown => Some(difference(before, after, names).diff),
                Contents::Whole => Some(whole_difference(before, after, names)),
                Contents::Unread | Contents::Counted => None,
            };
        }
        let version =
            |version: Option<toolcrib_workspace::Version>| version.map(|version| version.to_string());
        FilePast {
            action,
            kind: match file.subject {
                Subject::File => "file",
                Subject::Directory => "directory",
                Subject::Link => "link",
            },
            before: version(file.before),
            after: version(file.after),
            added: counted.map(|(added, _)| added),
            removed: counted.map(|(_, removed)| removed),
            kept: file.kept,
            from,
            diff,
            damaged,
            relative,
            path,
        }
    }

    /// A path of the journal as diffs have it; what lies in no root in full.
    pub(crate) fn relative_to_root(&self, path: &str) -> String {
        let workspace = self.workspace();
        let place = workspace.path(Path::new(path), Path::new("/"));
        place.map_or_else(|_| path.to_owned(), |place| workspace.show_relative(&place))
    }
}

/// How many lines were added to a content and removed from it; none if it is not text. A file that does not exist is empty.
#[must_use]
pub fn line_counts(before: Option<&[u8]>, after: Option<&[u8]>) -> Option<(usize, usize)> {
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let is_binary = |content: &[u8]| {
        let is_wide = content.starts_with(&[0xFF, 0xFE]) || content.starts_with(&[0xFE, 0xFF]);
        content.contains(&0) && !is_wide
    };
    if is_binary(before) || is_binary(after) {
        return None;
    }
    let hunks = Hunks::between(before, after);
    let differing = hunks.as_slice().iter().flat_map(|hunk| &hunk.differing);
    Some(differing.fold((0, 0), |(added, removed), (old, new)| (added + new.len(), removed + old.len())))
}

fn reverted(reverts: &Reverts) -> RevertsPast {
    let part =
        |(file, hunks): &(usize, Option<Vec<String>>)| FileHunksPast { file: *file, hunks: hunks.clone() };
    let files = reverts.files.as_ref().map(|files| files.iter().map(part).collect());
    RevertsPast { change: reverts.id.number(), files }
}

fn undone(part: &UndonePart) -> UndonePast {
    let by = part.by.iter().map(|by| by.number()).collect();
    UndonePast { part: FileHunksPast { file: part.file, hunks: part.hunks.clone() }, by }
}

impl Past {
    /// When it was made.
    #[must_use]
    pub fn at(&self) -> SystemTime {
        UNIX_EPOCH + std::time::Duration::from_secs(self.time)
    }
}
