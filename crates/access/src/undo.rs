//! Undoing changes of the history: proposed like any other change, so that rules, approval, dry run and record are
//! those of every tool.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use toolcrib_journal::{
    Conflict, FileHunks, Only, Record, RecordId, Reversal, Selection, Side, State, Texts, UndoError,
    UndoKind, Which,
};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Base, Change, WorkspacePath, names};

use crate::error::{disk_error, undo_error};
use crate::policy::Access;
use crate::proposal::Proposal;
use crate::review::digest;
use crate::{Location, Sandbox};

/// What is undone or redone, in a caller's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoSelection {
    /// Which changes.
    pub which: UndoWhich,
    /// How much of them.
    pub only: UndoOnly,
}

/// Which changes are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoWhich {
    /// The latest of the call's session, or of all if it has none.
    Latest,
    /// These. For a redo, changes that were undone, or their undos.
    Changes(Vec<u64>),
    /// All that this session made.
    Session(String),
    /// All that were made since then, by whomever.
    Since(SystemTime),
    /// None is undone: a file gets back what it held before or after a change.
    Restore {
        /// The change.
        change: u64,
        /// The file: its place among those of the change.
        file: usize,
        /// Before or after it.
        side: Side,
    },
}

/// How much of the changes is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoOnly {
    /// All of them.
    Everything,
    /// One file, as the caller names it.
    File(PathBuf),
    /// Some hunks of one change.
    Hunks(Vec<FileHunks>),
}

impl From<UndoWhich> for UndoSelection {
    fn from(which: UndoWhich) -> Self {
        Self { which, only: UndoOnly::Everything }
    }
}

/// What undoing a selection would do.
pub struct UndoPlan {
    /// The numbers of the changes that are undone or redone, the newest first.
    pub changes: Vec<u64>,
    /// The tool that had made the newest.
    pub tool: String,
    /// What leads back, in this order; each is to be proposed.
    pub steps: Vec<UndoStep>,
    /// Files that have been changed since, in other lines: those changes are kept.
    pub merged: Vec<Location>,
    /// What the proposals stand for; see [`Proposed::undoing`](crate::Proposed::undoing).
    pub undoing: Undoing,
}

/// What becomes of one file.
pub struct UndoStep {
    /// Where it is.
    pub location: Location,
    /// What is done.
    pub change: Change,
    /// What it holds now; none if it is made anew.
    pub now: Option<Vec<u8>>,
}

/// The reversal that the proposals of a call stand for.
pub struct Undoing {
    pub(crate) reversal: Reversal,
    /// Why the user is asked first: another session or a person made the change.
    pub(crate) foreign: Option<String>,
}

/// A file that an undo and a later change, or another program, would both change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoConflict {
    /// The file, as an absolute path.
    pub path: String,
    /// The change that is not undone.
    pub change: u64,
    /// Later changes of the journal that touched the same lines, the newest first; with them it could be undone.
    pub later: Vec<u64>,
    /// What is in the way.
    pub reason: String,
    /// What to do about it.
    pub hint: String,
    /// The contents: as the change left it, as it is now, and as the undo would have made it.
    pub texts: Texts,
}

impl Sandbox<'_> {
    /// Finds out what undoing a selection would do.
    ///
    /// # Errors
    ///
    /// If there is no history or no such change, if it cannot be undone, or if a rule denies one of its files.
    pub fn plan_undo(&self, kind: UndoKind, selection: &UndoSelection) -> Result<UndoPlan, ToolError> {
        let history = self.history().ok_or_else(no_history)?;
        let journal = history.journal().map_err(disk_error)?;
        let reversal = journal.reversal(kind, &self.meant(selection)?);
        let reversal = reversal.map_err(|error| self.why_not(selection, error))?;
        let mut records = Vec::new();
        for change in journal.changes().map_err(disk_error)? {
            if records.len() == reversal.ids.len() {
                break;
            }
            let change = change.map_err(disk_error)?;
            if reversal.ids.contains(&change.id()) {
                records.push(change.record());
            }
        }
        let locate = |path: &WorkspacePath| self.locate_to_change(&reversal.workspace.absolute(path));
        let steps = reversal.changes.changes().iter().map(|change| step(change, &locate));
        let steps = steps.collect::<Result<_, _>>()?;
        let merged = reversal.merged.iter().map(locate).collect::<Result<_, _>>()?;
        let of_others = records.iter().find(|record| !self.made(record));
        let foreign = of_others.filter(|_| !self.is_persons()).map(made_by_others);
        let tool = records.first().map(|record| record.tool.clone()).unwrap_or_default();
        let changes = reversal.ids.iter().map(|id| id.number()).collect();
        let undoing = Undoing { reversal, foreign };
        Ok(UndoPlan { changes, tool, steps, merged, undoing })
    }

    /// The conflicts that keep a selection from being undone, with the contents. Empty if it can be undone.
    ///
    /// # Errors
    ///
    /// If something else keeps it, or a rule denies one of the files.
    pub fn undo_conflicts(
        &self,
        kind: UndoKind,
        selection: &UndoSelection,
    ) -> Result<Vec<UndoConflict>, ToolError> {
        let history = self.history().ok_or_else(no_history)?;
        let journal = history.journal().map_err(disk_error)?;
        let mut first = match journal.reversal(kind, &self.meant(selection)?) {
            Ok(_) => return Ok(Vec::new()),
            Err(UndoError::Conflict(first)) => *first,
            Err(error) => return Err(self.why_not(selection, error)),
        };
        let also = std::mem::take(&mut first.also);
        let told = |conflict: Conflict| {
            self.locate_to_change(&conflict.path)?;
            Ok(UndoConflict {
                path: names::escape(&conflict.path).into_owned(),
                change: conflict.id.number(),
                later: conflict.later.iter().map(|id| id.number()).collect(),
                reason: conflict.reason(),
                hint: conflict.hint(),
                texts: conflict.texts,
            })
        };
        std::iter::once(first).chain(also).map(told).collect()
    }

    /// The selection, as the journal takes it.
    fn meant(&self, selection: &UndoSelection) -> Result<Selection, ToolError> {
        let which = match &selection.which {
            UndoWhich::Latest => Which::Latest(self.context().session_id.clone()),
            UndoWhich::Changes(ids) => Which::Changes(ids.iter().copied().map(RecordId::new).collect()),
            UndoWhich::Session(session) => Which::Session(session.clone()),
            UndoWhich::Since(since) => Which::Since(*since),
            UndoWhich::Restore { change, file, side } => {
                Which::Restore { change: RecordId::new(*change), file: *file, side: *side }
            }
        };
        let only = match &selection.only {
            UndoOnly::Everything => Only::Everything,
            UndoOnly::File(given) => Only::File(self.recorded_name(given)?),
            UndoOnly::Hunks(hunks) => Only::Hunks(hunks.clone()),
        };
        Ok(Selection { which, only })
    }

    /// What the journal calls a file: links on the way are followed, also if the file is gone.
    fn recorded_name(&self, given: &Path) -> Result<PathBuf, ToolError> {
        let location = self.locate(given)?;
        let reached = location.workspace.locate_new(&location.path).map_err(disk_error)?;
        Ok(location.identity(reached.reached()))
    }

    /// Why it was not undone, in the words of what was asked for.
    fn why_not(&self, selection: &UndoSelection, error: UndoError) -> ToolError {
        let UndoError::NothingSelected(kind) = error else { return undo_error(error) };
        let what = match kind {
            UndoKind::Undo => "nothing to undo",
            UndoKind::Redo => "nothing to redo",
        };
        let whose = match (&selection.which, &selection.only) {
            (UndoWhich::Session(session), _) => format!(" in session {session}"),
            (UndoWhich::Since(_), _) => " since then".to_owned(),
            (_, UndoOnly::File(file)) => format!(" in {}", names::escape(file)),
            _ if self.context().session_id.is_some() => " in this session".to_owned(),
            _ => String::new(),
        };
        ToolError::new(ErrorKind::NotFound, format!("There is {what}{whose}"))
            .hint("`toolcrib log` shows the changes that are kept for this directory")
    }

    /// The number of the latest change of a file that still stands: of the session, or of all if the call has no session.
    ///
    /// # Errors
    ///
    /// If there is no history, or no such change.
    pub fn latest_change_of(&self, given: &Path) -> Result<u64, ToolError> {
        let history = self.history().ok_or_else(no_history)?;
        let file = self.recorded_name(given)?;
        let session = self.context().session_id.as_deref();
        let journal = history.journal().map_err(disk_error)?;
        for change in journal.changes().map_err(disk_error)? {
            self.checkpoint()?;
            let record = change.map_err(disk_error)?.record();
            let ours = session.is_none() || record.session.as_deref() == session;
            let stands = record.undoes.is_none() && matches!(record.state, State::Done | State::Unknown);
            if ours && stands && record.files.iter().any(|changed| changed.path == file) {
                return Ok(record.id.number());
            }
        }
        let shown = self.locate(given)?.show();
        Err(ToolError::new(ErrorKind::NotFound, format!("There is no change of {shown} to undo")))
    }

    /// Whether a change was made by this session, or without one by the same caller.
    fn made(&self, record: &Record) -> bool {
        let context = self.context();
        record.session == context.session_id && (record.session.is_some() || record.agent == context.agent_id)
    }

    /// A file that may be changed and shown.
    fn locate_to_change(&self, given: &Path) -> Result<Location, ToolError> {
        let location = self.locate(given)?;
        self.refuse(Access::Edit, &location, &location.path)?;
        self.refuse(Access::Read, &location, &location.path)?;
        Ok(location)
    }
}

/// Names what proposals would do: two that have the same name write the same bytes over the same versions.
#[must_use]
pub fn digest_of(proposals: &[Proposal]) -> String {
    digest(Access::Edit, &[], proposals).to_string()
}

fn made_by_others(record: &Record) -> String {
    let whom = match (&record.agent, &record.session) {
        (Some(agent), Some(session)) => format!("{agent}, in session {session}"),
        (Some(agent), None) => agent.clone(),
        (None, Some(session)) => format!("session {session}"),
        (None, None) => "another caller".to_owned(),
    };
    format!("change {} was made by {whom}, not in this session", record.id)
}

/// The same change, as the workspace of the call knows its paths.
fn step(
    change: &Change,
    locate: &impl Fn(&WorkspacePath) -> Result<Location, ToolError>,
) -> Result<UndoStep, ToolError> {
    let location = locate(change.path())?;
    let path = location.path.clone();
    let (change, is_there) = match change.clone() {
        Change::Write { base, content, mode, .. } => {
            (Change::Write { path, base, content, mode }, base != Base::Absent)
        }
        Change::Remove { base, .. } => (Change::Remove { path, base }, true),
        Change::Move { base, to, over, content, mode, .. } => {
            let to = locate(&to)?.path;
            (Change::Move { from: path, base, to, over, content, mode }, true)
        }
        Change::MakeDirectory { .. } => (Change::MakeDirectory { path }, false),
        Change::RemoveDirectory { .. } => (Change::RemoveDirectory { path }, false),
        Change::MoveDirectory { to, inside, .. } => {
            let to = locate(&to)?.path;
            (Change::MoveDirectory { from: path, to, inside }, false)
        }
        Change::MakeLink { target, .. } => (Change::MakeLink { path, target }, false),
        Change::RemoveLink { target, .. } => (Change::RemoveLink { path, target }, false),
    };
    let now = match is_there {
        true => Some(location.workspace.snapshot(&location.path).map_err(disk_error)?.into_bytes()),
        false => None,
    };
    Ok(UndoStep { location, change, now })
}

fn no_history() -> ToolError {
    ToolError::new(ErrorKind::Unsupported, "Changes are not recorded here, so none can be undone")
        .hint("the user can enable the journal in the configuration")
}
