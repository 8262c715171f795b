//! Taking a change of the history back: proposed like any other change, so that rules, approval, dry run and record are
//! those of every tool.

use toolcrib_journal::{Record, RecordId, Reversal, UndoError, Way};
use toolcrib_workspace::{Base, Change, WorkspacePath};

use crate::call::Call;
use crate::policy::Access;
use crate::settle::not_done;
use crate::{ErrorKind, History, Location, Sandbox, ToolError};

/// What taking a change back would do.
pub struct TakingBack {
    /// The number of the change.
    pub change: u64,
    /// The tool that had made it.
    pub tool: String,
    /// What leads back, in this order; each is to be proposed.
    pub steps: Vec<StepBack>,
    /// Files that somebody has changed since, in other lines: their changes are kept.
    pub merged: Vec<Location>,
}

/// What becomes of one file.
pub struct StepBack {
    /// Where it is.
    pub location: Location,
    /// What is done.
    pub change: Change,
    /// What it holds now; none if it is made anew.
    pub now: Option<Vec<u8>>,
}

impl Call<'_> {
    /// Finds out what taking a change back would do: the one with this number, or the latest of the session, or of all if
    /// the call has no session. The proposals of this call are then carried out as this.
    ///
    /// # Errors
    ///
    /// If there is no history or no such change, if it cannot be taken back, or if a rule denies one of its files.
    pub fn take_back(&self, way: Way, change: Option<u64>) -> Result<TakingBack, ToolError> {
        let history = self.history().ok_or_else(no_history)?;
        let session = self.context().session_id.as_deref();
        let id = history.meant(way, change.map(RecordId::new), session)?;
        let journal = history.journal()?;
        let reversal = journal.reversal(way, id)?;
        let record = journal.record(id)?.ok_or(UndoError::Unknown(id))?;
        let sandbox = self.sandbox()?;
        let locate = |path: &WorkspacePath| sandbox.locate_to_change(&reversal.workspace.absolute(path));
        let steps = reversal.changes.changes().iter().map(|change| step(change, &locate));
        let taking = TakingBack {
            change: id.number(),
            tool: record.tool.clone(),
            steps: steps.collect::<Result<_, _>>()?,
            merged: reversal.merged.iter().map(locate).collect::<Result<_, _>>()?,
        };
        let foreign = (!self.made(&record)).then(|| made_by_others(&record));
        self.set_undoing(Undoing { reversal, foreign });
        Ok(taking)
    }

    /// Whether a change was made by this session, or without one by the same caller.
    fn made(&self, record: &Record) -> bool {
        let context = self.context();
        record.session == context.session_id && (record.session.is_some() || record.agent == context.agent_id)
    }
}

/// The reversal that the proposals of a call stand for.
pub(crate) struct Undoing {
    pub(crate) reversal: Reversal,
    /// Why the user is asked first: somebody else made the change.
    pub(crate) foreign: Option<String>,
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

impl Sandbox<'_, '_> {
    /// A file that may be changed and shown.
    fn locate_to_change(&self, given: &std::path::Path) -> Result<Location, ToolError> {
        let location = self.locate(given)?;
        self.refuse(Access::Edit, &location, &location.path)?;
        self.refuse(Access::Read, &location, &location.path)?;
        Ok(location)
    }
}

/// The same change, as the workspace of the call knows its paths.
fn step(
    change: &Change,
    locate: &impl Fn(&WorkspacePath) -> Result<Location, ToolError>,
) -> Result<StepBack, ToolError> {
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
    };
    let now = match is_there {
        true => Some(location.workspace.snapshot(&location.path)?.into_bytes()),
        false => None,
    };
    Ok(StepBack { location, change, now })
}

fn no_history() -> ToolError {
    ToolError::new(ErrorKind::Unsupported, "Changes are not recorded here, so none can be taken back")
        .hint("the user can enable the journal in the configuration")
}

impl History {
    /// The change that is meant: this one, or the latest, of this session if one is given.
    ///
    /// # Errors
    ///
    /// If there is none that could be taken back.
    pub fn meant(
        &self,
        way: Way,
        id: Option<RecordId>,
        session: Option<&str>,
    ) -> Result<RecordId, ToolError> {
        if let Some(id) = id {
            return Ok(id);
        }
        self.journal()?.latest_for(way, session)?.ok_or_else(|| {
            let what = match way {
                Way::Undo => "nothing to undo",
                Way::Redo => "nothing to redo",
            };
            let whose = if session.is_some() { " in this session" } else { "" };
            ToolError::new(ErrorKind::NotFound, format!("There is {what}{whose}"))
                .hint("`toolcrib log` shows the changes that are kept for this directory")
        })
    }
}

impl From<UndoError> for ToolError {
    fn from(error: UndoError) -> Self {
        let kind = match error {
            UndoError::Failed(error) => return not_done(error),
            UndoError::Unknown(_) => ErrorKind::NotFound,
            UndoError::Conflict(_) => ErrorKind::Conflict,
            _ => ErrorKind::InvalidParameter,
        };
        let failure = Self::new(kind, capitalised(&error.to_string()));
        let failure = match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        };
        let UndoError::Conflict(conflict) = &error else { return failure };
        let version =
            |version: Option<toolcrib_workspace::Version>| version.map(|version| version.to_string());
        failure
            .with("path", conflict.path.to_string_lossy().into_owned())
            .with("current_version", version(conflict.current))
            .with("expected_version", version(conflict.expected))
            .with("restored_version", version(conflict.before))
    }
}

/// A sentence as the other errors begin.
fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
