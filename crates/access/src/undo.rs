//! Undoing a change of the history: proposed like any other change, so that rules, approval, dry run and record are
//! those of every tool.

use std::path::Path;

use toolcrib_journal::{Record, RecordId, Reversal, State, UndoError, UndoKind};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Base, Change, WorkspacePath};

use crate::error::{disk_error, undo_error};
use crate::policy::Access;
use crate::{History, Location, Sandbox};

/// What undoing a change would do.
pub struct UndoPlan {
    /// The number of the change.
    pub change: u64,
    /// The tool that had made it.
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

impl Sandbox<'_> {
    /// Finds out what undoing a change would do: the one with this number, or the latest of the session, or of all if
    /// the call has no session.
    ///
    /// # Errors
    ///
    /// If there is no history or no such change, if it cannot be undone, or if a rule denies one of its files.
    pub fn plan_undo(&self, kind: UndoKind, change: Option<u64>) -> Result<UndoPlan, ToolError> {
        let history = self.history().ok_or_else(no_history)?;
        let session = self.context().session_id.as_deref();
        let id = history.meant(kind, change.map(RecordId::new), session)?;
        let journal = history.journal().map_err(disk_error)?;
        let reversal = journal.reversal(kind, id).map_err(undo_error)?;
        let record = journal.record(id).map_err(disk_error)?;
        let record = record.ok_or_else(|| undo_error(UndoError::Unknown(id)))?;
        let locate = |path: &WorkspacePath| self.locate_to_change(&reversal.workspace.absolute(path));
        let steps = reversal.changes.changes().iter().map(|change| step(change, &locate));
        let steps = steps.collect::<Result<_, _>>()?;
        let merged = reversal.merged.iter().map(locate).collect::<Result<_, _>>()?;
        let foreign = (!self.is_persons() && !self.made(&record)).then(|| made_by_others(&record));
        let undoing = Undoing { reversal, foreign };
        Ok(UndoPlan { change: id.number(), tool: record.tool, steps, merged, undoing })
    }

    /// The number of the latest change of a file that still stands: of the session, or of all if the call has no session.
    ///
    /// # Errors
    ///
    /// If there is no history, or no such change.
    pub fn latest_change_of(&self, given: &Path) -> Result<u64, ToolError> {
        let history = self.history().ok_or_else(no_history)?;
        let location = self.locate(given)?;
        let reached = location.workspace.locate_new(&location.path).map_err(disk_error)?;
        let file = location.identity(reached.reached());
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
        Err(ToolError::new(ErrorKind::NotFound, format!("There is no change of {} to undo", location.show())))
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

impl History {
    /// The change that is meant: this one, or the latest, of this session if one is given.
    ///
    /// # Errors
    ///
    /// If there is none that could be undone.
    pub fn meant(
        &self,
        kind: UndoKind,
        id: Option<RecordId>,
        session: Option<&str>,
    ) -> Result<RecordId, ToolError> {
        if let Some(id) = id {
            return Ok(id);
        }
        let latest = self.journal().and_then(|journal| journal.latest_for(kind, session));
        latest.map_err(disk_error)?.ok_or_else(|| {
            let what = match kind {
                UndoKind::Undo => "nothing to undo",
                UndoKind::Redo => "nothing to redo",
            };
            let whose = if session.is_some() { " in this session" } else { "" };
            ToolError::new(ErrorKind::NotFound, format!("There is {what}{whose}"))
                .hint("`toolcrib log` shows the changes that are kept for this directory")
        })
    }
}
