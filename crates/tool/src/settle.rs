//! What becomes of the changes that a tool proposed: shown, asked for, committed.
//!
//! With a [`History`], changes of one file queue. A tool reads without a lock, and what it proposes is made if the file is
//! still what it read. If somebody was faster, it runs once more while its files are locked, so that nobody is faster again.
//! Locks are taken when all files of a call are known, in one order, so that no two calls wait for each other.

use serde_json::Value;
use toolcrib_journal::{Entry, Journal, RecordId, Reversal, UndoError};
use toolcrib_workspace::{
    Base, Change, ChangeSet, CommitError, Committed, Durability, Error, ErrorKind as DiskError, Held,
    LockSet, Outcome, Workspace, WorkspacePath,
};

use crate::call::Call;
use crate::draft::Proposal;
use crate::policy::{Access, Action};
use crate::sandbox::Location;
use crate::{ErrorKind, History, Reply, ToolError};

/// Lets a tool propose, and carries its proposals out, or shows them in a dry run. The reply says what was done.
pub(crate) fn settle<'c>(
    call: &mut Call<'c>,
    mut run: impl FnMut(&mut Call<'c>) -> Result<Reply, ToolError>,
) -> Result<Reply, ToolError> {
    let proposed = match propose(call, &mut run)? {
        Answer::Final(reply) => return Ok(reply),
        Answer::Proposed(proposed) => proposed,
    };
    if let Some(history) = call.history() {
        return commit_in_turn(call, history, proposed, run);
    }
    // From here on it is done or not done: a call that was taken back is taken back now, or not at all.
    call.begin_commit()?;
    let committed = proposed.workspace.commit(&proposed.changes, Durability::Safe).map_err(not_done)?;
    proposed.tell(call, &committed, None)
}

/// What a run of the tool led to.
enum Answer {
    /// There is nothing to commit.
    Final(Reply),
    Proposed(Box<Proposed>),
}

/// Changes that may be made, and the reply of the tool that wants them.
struct Proposed {
    reply: Reply,
    diff: String,
    /// Where each of the changes is made.
    locations: Vec<Location>,
    changes: ChangeSet,
    workspace: Workspace,
    /// The reversal that the changes are, where a change is undone.
    reversal: Option<Reversal>,
}

/// Runs the tool and asks for what it proposes.
fn propose<'c>(
    call: &mut Call<'c>,
    run: &mut impl FnMut(&mut Call<'c>) -> Result<Reply, ToolError>,
) -> Result<Answer, ToolError> {
    let mut reply = run(call)?;
    let (proposals, undoing) = (call.take_proposals(), call.take_undoing());
    let diff: String = proposals.iter().map(|proposal| proposal.diff.as_str()).collect();
    if call.context().dry_run {
        show(&proposals, &diff, &mut reply);
        if !proposals.is_empty() {
            reply.metadata.insert("diff".into(), diff.into());
        }
        return Ok(Answer::Final(reply));
    }
    if proposals.is_empty() {
        return Ok(Answer::Final(reply));
    }
    let foreign = undoing.as_ref().and_then(|undoing| undoing.foreign.as_deref());
    call.sandbox()?.permit_changes(&proposals, foreign)?;
    let workspace = one_workspace(&proposals)?.clone();
    let (mut changes, mut locations) = (ChangeSet::default(), Vec::new());
    for Proposal { location, change, .. } in proposals {
        changes.push(change);
        locations.push(location);
    }
    let reversal = undoing.map(|undoing| undoing.reversal);
    Ok(Answer::Proposed(Box::new(Proposed { reply, diff, locations, changes, workspace, reversal })))
}

fn commit_in_turn<'c>(
    call: &mut Call<'c>,
    history: &History,
    mut proposed: Box<Proposed>,
    mut run: impl FnMut(&mut Call<'c>) -> Result<Reply, ToolError>,
) -> Result<Reply, ToolError> {
    let journal = match proposed.reversal {
        Some(_) => history.journal()?,
        None => history.journal_of(&proposed.workspace)?,
    };
    let mut set = proposed.lock_set()?;
    let mut held = lock(call, &journal, &set)?;
    let mut attempts = 1;
    loop {
        call.begin_commit()?;
        match proposed.commit(call, &journal, &held, history.waits_for()) {
            Ok((committed, id)) => return proposed.tell(call, &committed, Some(id)),
            Err(UndoError::Failed(error)) if was_outrun(&error) && attempts < ATTEMPTS => {
                call.back_from_commit();
            }
            Err(UndoError::Failed(error)) => return Err(ended(call, error)),
            Err(error) => return Err(error.into()),
        }
        attempts += 1;
        proposed = match propose(call, &mut run)? {
            Answer::Final(reply) => return Ok(reply),
            Answer::Proposed(proposed) => proposed,
        };
        let needed = proposed.lock_set()?;
        if !set.covers(&needed) {
            drop(held);
            held = lock(call, &journal, &needed)?;
            set = needed;
        }
    }
}

/// The second time the files are locked, so only somebody who asks for no locks can be faster. That is a person, who does
/// not save all the time.
const ATTEMPTS: usize = 4;

fn lock<'j>(call: &Call<'_>, journal: &'j Journal, set: &LockSet) -> Result<Held<'j>, ToolError> {
    journal.lock(set, &|| call.checkpoint().is_err()).map_err(|error| ended(call, error.into()))
}

/// Whether somebody else has changed a file between the tool's reading and the commit.
fn was_outrun(error: &CommitError) -> bool {
    let raced = matches!(error.error().kind(), DiskError::Changed | DiskError::AlreadyExists);
    raced && error.nothing_changed()
}

impl Proposed {
    fn lock_set(&self) -> Result<LockSet, Error> {
        self.workspace.lock_set_of(&self.changes)
    }

    fn commit(
        &self,
        call: &Call<'_>,
        journal: &Journal,
        held: &Held<'_>,
        durability: Durability,
    ) -> Result<(Committed, RecordId), UndoError> {
        let context = call.context();
        let may_keep = |path: &WorkspacePath| {
            self.locations.first().is_some_and(|location| {
                let subject = location.subject(path);
                call.policy().judge(Access::Read, &subject).action != Action::Deny
            })
        };
        let entry = Entry {
            tool: call.tool(),
            session: context.session_id.as_deref(),
            agent: context.agent_id.as_deref(),
            may_keep: &may_keep,
            stop: &|| call.checkpoint().is_err(),
        };
        let recorded = match &self.reversal {
            Some(reversal) => journal.commit_reversal(held, reversal, durability, &entry)?,
            None => journal.commit_locked_in(held, &self.workspace, &self.changes, durability, &entry)?,
        };
        Ok((recorded.committed, recorded.id))
    }

    /// The reply, with what was done.
    fn tell(
        mut self: Box<Self>,
        call: &Call<'_>,
        committed: &Committed,
        id: Option<RecordId>,
    ) -> Result<Reply, ToolError> {
        let sandbox = call.sandbox()?;
        for (outcome, location) in committed.changes().iter().zip(&self.locations) {
            sandbox.wrote(location, outcome);
        }
        let facts = &mut self.reply.metadata;
        if let [only] = committed.changes()
            && let Some(version) = only.after
        {
            facts.insert("version".into(), version.to_string().into());
        }
        if let Some(id) = id {
            facts.insert("change".into(), id.number().into());
        }
        let unlinked: Vec<String> = committed
            .changes()
            .iter()
            .zip(&self.locations)
            .filter_map(|(outcome, at)| unlinked(outcome, at))
            .collect();
        if !unlinked.is_empty() {
            if let Value::String(output) = &mut self.reply.output {
                unlinked.iter().for_each(|sentence| output.push_str(&format!("\n{sentence}")));
            }
            facts.insert("unlinked".into(), unlinked.into());
        }
        facts.insert("diff".into(), self.diff.into());
        Ok(self.reply)
    }
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

fn show(proposals: &[Proposal], diff: &str, reply: &mut Reply) {
    let would = match proposals {
        [] => "[Dry Run] Would change nothing".to_owned(),
        _ => proposals.iter().map(would).collect::<Vec<_>>().join("\n"),
    };
    let preview = format!("{would}\n{diff}");
    // An answer that is an object keeps its shape; the preview stands beside it.
    if reply.output.is_string() {
        reply.output = preview.trim_end().into();
    } else {
        reply.metadata.insert("preview".into(), preview.trim_end().into());
    }
}

fn would(proposal: &Proposal) -> String {
    let path = proposal.location.show();
    match &proposal.change {
        Change::Write { base: Base::Absent, content, .. } => {
            format!("[Dry Run] Would create {path} ({} bytes)", content.len())
        }
        Change::Write { content, .. } => format!("[Dry Run] Would update {path} ({} bytes)", content.len()),
        Change::Remove { .. } => format!("[Dry Run] Would delete {path}"),
        Change::Move { to, .. } => {
            format!("[Dry Run] Would move {path} to {}", proposal.location.workspace.show(to))
        }
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
        .hint("they lie in different places, so both could not be changed at once; make two calls")),
    }
}

/// Why the call ends without its changes: because it was taken back, or because of the error.
fn ended(call: &Call<'_>, error: CommitError) -> ToolError {
    let stopped = matches!(error.error().kind(), DiskError::Stopped | DiskError::Busy);
    match call.checkpoint() {
        Err(taken_back) if stopped => taken_back,
        _ if !error.is_settled() => not_done(error).hint(
            "what was half done is put back by the next call that changes something here, or when the workspace is opened next",
        ),
        _ => not_done(error),
    }
}

pub(crate) fn not_done(error: CommitError) -> ToolError {
    if error.nothing_changed() {
        return error.into_error().into();
    }
    let left: Vec<String> = error.left().iter().map(|path| path.show()).collect();
    ToolError::new(ErrorKind::Conflict, error.to_string())
        .hint("look at these files before anything else is done")
        .with("not_put_back", left)
}
