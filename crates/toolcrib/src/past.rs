//! What was done, for people to look at and take back: the journal's records, told with paths and differences.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use toolcrib_files::{Names, difference};
use toolcrib_journal::{Entry, FileRecord, Kept, PastChange, RecordId, State, Undone, Way};
use toolcrib_tool::ToolError;
use toolcrib_workspace::{Change, names};

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
    /// Whether it stands: `done`, `undone`, `taken back` (it failed), `under way`, or `unknown` (that part of the journal
    /// is damaged).
    pub state: &'static str,
    /// The change that undid it.
    pub undone_by: Option<u64>,
    /// The change that this one took back.
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
        for change in journal.changes()? {
            if told.len() >= query.limit {
                break;
            }
            let change = change?;
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
        for change in journal.changes()? {
            let change = change?;
            if change.id() == id {
                return self.told(&change, true);
            }
        }
        Err(toolcrib_journal::UndoError::Unknown(id).into())
    }

    /// Undoes or redoes a change for a person, who needs no permission for that: this one, or the latest of a session, or
    /// the latest of all.
    ///
    /// # Errors
    ///
    /// If there is none, or it cannot be taken back. Then nothing was changed.
    pub fn take_back(
        &self,
        way: Way,
        id: Option<RecordId>,
        session: Option<&str>,
        agent: &str,
    ) -> Result<(RecordId, Undone), ToolError> {
        let history = self.history()?;
        let id = history.meant(way, id, session)?;
        let tool = match way {
            Way::Undo => "undo",
            Way::Redo => "redo",
        };
        let entry = Entry { session, agent: Some(agent), ..Entry::new(tool) };
        Ok((id, history.journal()?.take_back(way, id, history.waits_for(), &entry)?))
    }

    /// What taking a change back would do now, as a difference.
    ///
    /// # Errors
    ///
    /// As [`take_back`](Toolbox::take_back).
    pub fn preview(
        &self,
        way: Way,
        id: Option<RecordId>,
        session: Option<&str>,
    ) -> Result<(RecordId, String), ToolError> {
        let history = self.history()?;
        let id = history.meant(way, id, session)?;
        let reversal = history.journal()?.reversal(way, id)?;
        let mut text = String::new();
        for change in reversal.changes.changes() {
            let workspace = &reversal.workspace;
            let now = workspace.snapshot(change.path()).ok().map(|snapshot| snapshot.into_bytes());
            let (to, after) = match change {
                Change::Write { path, content, .. } => (path, Some(content)),
                Change::Remove { path, .. } => (path, None),
                Change::Move { to, content, .. } => (to, content.as_ref().or(now.as_ref())),
            };
            let (old, new) = (workspace.show_relative(change.path()), workspace.show_relative(to));
            let names = Names { old: now.as_ref().map(|_| old.as_str()), new: after.map(|_| new.as_str()) };
            text.push_str(&difference(now.as_deref(), after.map(Vec::as_slice), names).diff);
        }
        Ok((id, text))
    }

    fn told(&self, change: &PastChange<'_>, diffs: bool) -> Result<Past, ToolError> {
        let record = change.record();
        let files = record.files.iter().enumerate();
        let files = files.map(|(index, file)| {
            let kept = if diffs { change.contents(index)? } else { Kept::Nothing };
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
                State::TakenBack => "taken back",
                State::Unknown => "unknown",
            },
            undone_by: match record.state {
                State::Undone(by) => Some(by.number()),
                _ => None,
            },
            takes_back: record.takes_back.map(RecordId::number),
            files: files.collect::<Result<_, ToolError>>()?,
        })
    }

    fn told_of(&self, file: &FileRecord, kept: Kept) -> FilePast {
        let shown = |path: &Path| names::show(path).into_owned();
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
