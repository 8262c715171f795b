//! What becomes of the changes that a tool proposes: shown, asked for, committed.
//!
//! With a [`History`], changes of one file queue. A tool reads without a lock, and what it proposes is committed if the file is
//! still what the tool read. If another call was faster, the tool runs once more while its files are locked, so that no call is
//! faster again. Locks are taken when all files of a call are known, in a fixed order, so that no two calls wait for each other.

use serde_json::json;
use toolcrib_journal::{Entry, Journal, RecordId, Reversal, UndoError};
use toolcrib_text::Reserved;
use toolcrib_tool::{Call, ErrorKind, Notes, Proposals, Settled, ToolError, short_of_memory};
use toolcrib_workspace::{
    Base, Change, ChangeSet, CommitError, Committed, Durability, ErrorKind as DiskError, Held, LockSet,
    Outcome, Workspace, WorkspacePath,
};

use crate::History;
use crate::edited::Edits;
use crate::error::{commit_error, disk_error, undo_error};
use crate::file_access::FileAccess;
use crate::policy::ApprovalRequest;
use crate::proposal::{Changes, Proposal};
use crate::sandbox::{Location, Sandbox};

/// Lets a tool propose, and commits its proposals, or shows them in a dry run.
pub(crate) fn settle(
    access: &FileAccess,
    call: &Call<'_>,
    attempt: &mut dyn FnMut() -> Result<Option<Proposals>, ToolError>,
) -> Result<Settled, ToolError> {
    let settling = Settling { access, call };
    let proposed = match settling.propose(attempt)? {
        Attempted::Settled(settled) => return Ok(settled),
        Attempted::Proposed(proposed) => proposed,
    };
    if let Some(history) = access.history() {
        return settling.commit_in_turn(history, proposed, attempt);
    }
    // From here on it is done or not done: a call that is cancelled is cancelled now, or not at all.
    call.begin_commit()?;
    let committed = proposed.workspace.commit(&proposed.changes, Durability::Safe).map_err(commit_error)?;
    settling.settled(&proposed, &committed, None)
}

struct Settling<'a> {
    access: &'a FileAccess,
    call: &'a Call<'a>,
}

/// What one run of the tool led to.
enum Attempted {
    /// There is nothing to commit.
    Settled(Settled),
    Proposed(Box<Proposed>),
}

/// Changes that may be made.
struct Proposed {
    diff: String,
    /// What the person has made of what the tool proposed.
    edits: Option<Edits>,
    /// Where each of the changes is made.
    locations: Vec<Location>,
    changes: ChangeSet,
    workspace: Workspace,
    /// The reversal that the changes are, where a recorded change is undone.
    reversal: Option<Reversal>,
    /// Memory for the commit. Once it has begun, it is too late to find that there is none.
    _memory: Reserved,
}

impl Settling<'_> {
    /// Runs the tool and asks for what it proposes.
    fn propose(
        &self,
        attempt: &mut dyn FnMut() -> Result<Option<Proposals>, ToolError>,
    ) -> Result<Attempted, ToolError> {
        let changes = match attempt()? {
            None => Changes::default(),
            Some(proposals) => {
                proposals.downcast::<Changes>().ok_or_else(|| not_changes(self.call.tool()))?
            }
        };
        let Changes { proposals, undoing } = changes;
        let diff: String = proposals.iter().map(|proposal| proposal.diff.as_str()).collect();
        let foreign = undoing.as_ref().and_then(|undoing| undoing.foreign.as_deref());
        if self.call.context().dry_run {
            let question = Sandbox::new(self.call)?.question(&proposals, foreign);
            return Ok(Attempted::Settled(previewed(&proposals, diff, question)));
        }
        if proposals.is_empty() && undoing.is_none() {
            return Ok(Attempted::Settled(Settled::default()));
        }
        let sandbox = Sandbox::new(self.call)?;
        let edited = sandbox.permit_changes(&proposals, foreign, undoing.is_none())?;
        let (proposals, edits) = match edited {
            None => (proposals, None),
            Some(edited) => {
                let (proposals, edits) = edited.apply(proposals)?;
                (proposals, Some(edits))
            }
        };
        let diff = edits
            .as_ref()
            .map_or(diff, |_| proposals.iter().map(|proposal| proposal.diff.as_str()).collect());
        let memory = Reserved::new(to_commit(&proposals)).map_err(|_| short_of_memory())?;
        let workspace = match &undoing {
            // Where the files are as they were already, it is still written down that the change is undone.
            Some(undoing) if proposals.is_empty() => undoing.reversal.workspace.clone(),
            _ => one_workspace(&proposals)?.clone(),
        };
        let (mut changes, mut locations) = (ChangeSet::default(), Vec::new());
        for Proposal { location, change, .. } in proposals {
            changes.push(change);
            locations.push(location);
        }
        let reversal = undoing.map(|undoing| undoing.reversal);
        let proposed = Proposed { diff, edits, locations, changes, workspace, reversal, _memory: memory };
        Ok(Attempted::Proposed(Box::new(proposed)))
    }

    fn commit_in_turn(
        &self,
        history: &History,
        mut proposed: Box<Proposed>,
        attempt: &mut dyn FnMut() -> Result<Option<Proposals>, ToolError>,
    ) -> Result<Settled, ToolError> {
        let journal = match proposed.reversal {
            Some(_) => history.journal(),
            None => history.journal_of(&proposed.workspace),
        };
        let journal = journal.map_err(disk_error)?;
        let mut set = proposed.lock_set()?;
        let mut held = self.lock(&journal, &set)?;
        let mut attempts = 1;
        loop {
            self.call.begin_commit()?;
            match self.commit(&proposed, &journal, &held, history.waits_for()) {
                Ok((committed, id)) => return self.settled(&proposed, &committed, Some(id)),
                Err(UndoError::Failed(error)) if was_outrun(&error) && attempts < ATTEMPTS => {
                    self.call.abandon_commit();
                }
                Err(UndoError::Failed(error)) => return Err(self.ended(error)),
                Err(error) => return Err(undo_error(error)),
            }
            attempts += 1;
            proposed = match self.propose(attempt)? {
                Attempted::Settled(settled) => return Ok(settled),
                Attempted::Proposed(proposed) => proposed,
            };
            let needed = proposed.lock_set()?;
            if !set.covers(&needed) {
                drop(held);
                held = self.lock(&journal, &needed)?;
                set = needed;
            }
        }
    }

    fn lock<'j>(&self, journal: &'j Journal, set: &LockSet) -> Result<Held<'j>, ToolError> {
        journal.lock(set, &|| self.call.checkpoint().is_err()).map_err(|error| self.ended(error.into()))
    }

    fn commit(
        &self,
        proposed: &Proposed,
        journal: &Journal,
        held: &Held<'_>,
        durability: Durability,
    ) -> Result<(Committed, RecordId), UndoError> {
        let context = self.call.context();
        let may_keep = |path: &WorkspacePath| {
            proposed
                .locations
                .first()
                .is_some_and(|location| self.access.may_keep(&location.at(path.clone())))
        };
        let entry = Entry {
            tool: self.call.tool(),
            session: context.session_id.as_deref(),
            agent: context.agent_id.as_deref(),
            may_keep: &may_keep,
            stop: &|| self.call.checkpoint().is_err(),
        };
        let Proposed { workspace, changes, reversal, .. } = proposed;
        let recorded = match reversal {
            Some(reversal) => journal.commit_reversal(held, reversal, durability, &entry)?,
            None => journal.commit_locked_in(held, workspace, changes, durability, &entry)?,
        };
        Ok((recorded.committed, recorded.id))
    }

    /// Remembers what was committed, and says it.
    fn settled(
        &self,
        proposed: &Proposed,
        committed: &Committed,
        id: Option<RecordId>,
    ) -> Result<Settled, ToolError> {
        let sandbox = Sandbox::new(self.call)?;
        for (number, (outcome, location)) in committed.changes().iter().zip(&proposed.locations).enumerate() {
            // What a person has written, the agent has to read before it changes it again.
            if !proposed.edits.as_ref().is_some_and(|edits| edits.is_edited(number)) {
                sandbox.wrote(location, outcome);
            }
        }
        let mut notes = sandbox.into_notes();
        if let [only] = committed.changes()
            && let Some(version) = only.after
        {
            notes.insert("version".into(), version.to_string().into());
        }
        if let Some(id) = id {
            notes.insert("change".into(), id.number().into());
        }
        let outcomes = committed.changes().iter().zip(&proposed.locations);
        let remarks: Vec<String> = outcomes.filter_map(|(outcome, at)| unlinked(outcome, at)).collect();
        if !remarks.is_empty() {
            notes.insert("unlinked".into(), remarks.clone().into());
        }
        notes.insert("diff".into(), proposed.diff.clone().into());
        if let Some(edits) = &proposed.edits {
            notes.insert("edited_by_user".into(), edits.notes());
        }
        // What the tool says is about the change that it proposed.
        let preview = proposed.edits.as_ref().map(|edits| {
            let told = std::iter::once(edits.told(&proposed.diff)).chain(remarks.iter().cloned());
            told.collect::<Vec<_>>().join("\n")
        });
        Ok(Settled { notes, preview, remarks })
    }

    /// Why the call ends without its changes: because it was cancelled, or because of the error.
    fn ended(&self, error: CommitError) -> ToolError {
        let stopped = matches!(error.error().kind(), DiskError::Stopped | DiskError::Busy);
        match self.call.checkpoint() {
            Err(cancelled) if stopped => cancelled,
            _ if !error.is_settled() => commit_error(error).hint(
                "the next call that changes something here, or the next process to open the workspace, repairs what is half done",
            ),
            _ => commit_error(error),
        }
    }
}

impl Proposed {
    fn lock_set(&self) -> Result<LockSet, ToolError> {
        self.workspace.lock_set_of(&self.changes).map_err(disk_error)
    }
}

/// How often a tool runs. The second time its files are locked, so only a program that takes no locks can be faster: an editor,
/// in which a person does not save all the time.
const ATTEMPTS: usize = 4;

/// Whether another program has changed a file between the tool's reading and the commit.
fn was_outrun(error: &CommitError) -> bool {
    let raced = matches!(error.error().kind(), DiskError::Changed | DiskError::AlreadyExists);
    raced && error.nothing_changed()
}

/// How much memory it takes to commit changes, beside what they put into files: a record, and for each directory that may
/// have to be made its path, in what is planned, made and recorded.
fn to_commit(proposals: &[Proposal]) -> usize {
    const LEAST: usize = 1 << 20;
    const EACH_CHANGE: usize = 4 << 10;
    const COPIES: usize = 3;
    let each = proposals.iter().map(|proposal| {
        let path = proposal.location.path.relative();
        EACH_CHANGE + path.components().count().saturating_mul(path.as_os_str().len()).saturating_mul(COPIES)
    });
    each.fold(LEAST, usize::saturating_add)
}

/// Says that other names of a file did not change with it.
fn unlinked(outcome: &Outcome, location: &Location) -> Option<String> {
    let names = match outcome.other_names {
        0 => return None,
        1 => "1 other name (hard link), which keeps".to_owned(),
        several => format!("{several} other names (hard links), which keep"),
    };
    let path = location.workspace.show(&outcome.reached);
    Some(format!("Note: {path} had {names} the old content; this name has a file of its own now"))
}

/// What a dry run shows.
/// `question` is what a person will be asked before the changes are made.
fn previewed(proposals: &[Proposal], diff: String, question: Option<ApprovalRequest>) -> Settled {
    let would = match proposals {
        [] => "[Dry Run] Would change nothing".to_owned(),
        _ => proposals.iter().map(would).collect::<Vec<_>>().join("\n"),
    };
    let preview = format!("{would}\n{diff}").trim_end().to_owned();
    let mut notes = Notes::new();
    if !proposals.is_empty() {
        notes.insert("diff".into(), diff.into());
    }
    if let Some(ApprovalRequest { digest, rule, .. }) = question {
        notes.insert("approval".into(), json!({"digest": digest.to_string(), "rule": rule}));
    }
    Settled { notes, preview: Some(preview), remarks: Vec::new() }
}

fn would(proposal: &Proposal) -> String {
    let path = proposal.location.show();
    match &proposal.change {
        Change::Write { base: Base::Absent, content, .. } => {
            format!("[Dry Run] Would create {path} ({} bytes)", content.len())
        }
        Change::Write { content, .. } => format!("[Dry Run] Would update {path} ({} bytes)", content.len()),
        Change::Remove { .. } => format!("[Dry Run] Would delete {path}"),
        Change::Move { to, .. } | Change::MoveDirectory { to, .. } => {
            format!("[Dry Run] Would move {path} to {}", proposal.location.workspace.show(to))
        }
        Change::MakeDirectory { .. } => format!("[Dry Run] Would create the directory {path}"),
        Change::RemoveDirectory { .. } => format!("[Dry Run] Would delete the directory {path}"),
        Change::MakeLink { .. } => format!("[Dry Run] Would create the symbolic link {path}"),
        Change::RemoveLink { .. } => format!("[Dry Run] Would delete the symbolic link {path}"),
    }
}

/// The workspace that all proposals are for. A change that reaches over two could not be all or nothing.
fn one_workspace(proposals: &[Proposal]) -> Result<&Workspace, ToolError> {
    let mut workspaces = proposals.iter().map(|proposal| &proposal.location);
    let Some(first) = workspaces.next() else {
        return Err(ToolError::new(ErrorKind::Internal, "There is nothing to commit"));
    };
    match workspaces.find(|other| !other.is_beside(first)) {
        None => Ok(&first.workspace),
        Some(other) => Err(ToolError::new(
            ErrorKind::InvalidParameter,
            format!("One call cannot change both {} and {}", first.show(), other.show()),
        )
        .hint("the two are in different places and cannot be changed atomically; make two calls")),
    }
}

fn not_changes(tool: &str) -> ToolError {
    ToolError::new(ErrorKind::Internal, format!("{tool} proposed something that is not a change of files"))
        .hint("this is a bug in the tool: it must propose `Changes`")
}
