//! What was done, for people to look at and undo: the journal's records, told with paths and differences.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use toolcrib_access::{disk_error, undo_error};
use toolcrib_files::{Names, difference};
use toolcrib_journal::{FileRecord, Kept, PastChange, RecordId, State, UndoError};
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
    /// The tool that made it.
    pub tool: String,
    /// The agent that called it.
    pub agent: Option<String>,
    /// The session in which it was called.
    pub session: Option<String>,
    /// Whether it stands: `done`, `undone`, `undone` (it failed), `under way`, or `unknown` (that part of the journal
    /// is damaged).
    pub state: &'static str,
    /// The change that undid it.
    pub undone_by: Option<u64>,
    /// The change that this one undoes.
    pub takes_back: Option<u64>,
    /// What became of each file.
    pub files: Vec<FilePast>,
}

/// What a change did to a file.
#[derive(Clone, Debug, Serialize)]
pub struct FilePast {
    /// `add`, `update`, `delete` or `move`.
    pub action: &'static str,
    /// The file.
    pub path: String,
    /// Of a move, where it was before.
    pub from: Option<String>,
    /// The version before.
    pub before: Option<String>,
    /// The version after.
    pub after: Option<String>,
    /// What changed in it, bounded; none if that is not kept, or was not asked for.
    pub diff: Option<String>,
    /// Whether the contents were kept and are damaged, so that it can be neither shown nor undone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub damaged: bool,
}

/// Which changes are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogQuery<'a> {
    /// No more than so many, the latest.
    pub limit: usize,
    /// Those of this session.
    pub session: Option<&'a str>,
    /// With what changed in each file. Without, no contents are read.
    pub diffs: bool,
}

impl Default for LogQuery<'_> {
    fn default() -> Self {
        Self { limit: usize::MAX, session: None, diffs: true }
    }
}

impl Toolbox {
    /// The last changes, the latest first, with their differences.
    ///
    /// # Errors
    ///
    /// If there is no journal, or it cannot be read.
    pub fn log(&self, limit: usize) -> Result<Vec<Past>, ToolError> {
        self.changes(&LogQuery { limit, ..LogQuery::default() })
    }

    /// The changes that are asked for, the latest first.
    ///
    /// What is read is what is shown: records as far back as it takes to find so many changes, and contents only for
    /// differences.
    ///
    /// # Errors
    ///
    /// If there is no journal, or it cannot be read.
    pub fn changes(&self, query: &LogQuery<'_>) -> Result<Vec<Past>, ToolError> {
        let journal = self.journal()?;
        let mut told = Vec::new();
        for change in journal.changes().map_err(disk_error)? {
            if told.len() >= query.limit {
                break;
            }
            let change = change.map_err(disk_error)?;
            if query.session.is_none() || query.session == change.session() {
                told.push(self.told(&change, query.diffs)?);
            }
        }
        Ok(told)
    }

    /// One change.
    ///
    /// # Errors
    ///
    /// If there is no such change.
    pub fn past(&self, id: RecordId) -> Result<Past, ToolError> {
        let journal = self.journal()?;
        for change in journal.changes().map_err(disk_error)? {
            let change = change.map_err(disk_error)?;
            if change.id() == id {
                return self.told(&change, true);
            }
        }
        Err(undo_error(UndoError::Unknown(id)))
    }

    fn told(&self, change: &PastChange<'_>, diffs: bool) -> Result<Past, ToolError> {
        let record = change.record();
        let files = record.files.iter().enumerate();
        let files = files.map(|(index, file)| {
            let kept = if diffs { change.contents(index).map_err(disk_error)? } else { Kept::Nothing };
            Ok(self.told_of(file, kept))
        });
        Ok(Past {
            id: record.id.number(),
            time: record.time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
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
            files: files.collect::<Result<_, ToolError>>()?,
        })
    }

    fn told_of(&self, file: &FileRecord, kept: Kept) -> FilePast {
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
        let diff = match kept {
            Kept::Whole(kept) => {
                let new = self.relative_to_root(&path);
                let old = from.as_deref().map_or_else(|| new.clone(), |from| self.relative_to_root(from));
                let names = Names {
                    old: kept.before.as_ref().map(|_| old.as_str()),
                    new: kept.after.as_ref().map(|_| new.as_str()),
                };
                Some(difference(kept.before.as_deref(), kept.after.as_deref(), names).diff)
            }
            Kept::Nothing | Kept::Damaged => None,
        };
        let version =
            |version: Option<toolcrib_workspace::Version>| version.map(|version| version.to_string());
        let (before, after) = (version(file.before), version(file.after));
        FilePast { action, from, before, after, diff, damaged, path }
    }

    /// A path of the journal as diffs have it; what lies in no root in full.
    fn relative_to_root(&self, path: &str) -> String {
        let workspace = self.workspace();
        let place = workspace.path(Path::new(path), Path::new("/"));
        place.map_or_else(|_| path.to_owned(), |place| workspace.show_relative(&place))
    }
}

impl Past {
    /// When it was made.
    #[must_use]
    pub fn at(&self) -> SystemTime {
        UNIX_EPOCH + std::time::Duration::from_secs(self.time)
    }
}
