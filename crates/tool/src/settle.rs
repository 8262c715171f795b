//! What becomes of the changes that a tool proposed: shown, asked for, committed.

use toolcrib_workspace::{Base, Change, ChangeSet, CommitError, Durability, Workspace};

use crate::call::Call;
use crate::draft::Proposal;
use crate::{ErrorKind, Reply, Seen, ToolError};

/// Carries the proposals out, or shows them in a dry run, and says in the reply what was done.
pub(crate) fn settle(call: &Call<'_>, reply: &mut Reply) -> Result<(), ToolError> {
    let proposals = call.take_proposals();
    let diff: String = proposals.iter().map(|proposal| proposal.diff.as_str()).collect();
    if call.context().dry_run {
        show(&proposals, &diff, reply);
    } else if !proposals.is_empty() {
        commit(call, &proposals, &diff, reply)?;
    }
    if !proposals.is_empty() {
        reply.metadata.insert("diff".into(), diff.into());
    }
    Ok(())
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

fn commit(call: &Call<'_>, proposals: &[Proposal], diff: &str, reply: &mut Reply) -> Result<(), ToolError> {
    let sandbox = call.sandbox()?;
    sandbox.permit_changes(proposals, diff)?;
    let mut changes = ChangeSet::default();
    proposals.iter().for_each(|proposal| changes.push(proposal.change.clone()));
    let workspace = one_workspace(proposals)?;
    // From here on it is done or not done: a call that was taken back is taken back now, or not at all.
    call.begin_commit()?;
    let committed = workspace.commit(&changes, Durability::Safe).map_err(not_done)?;
    for (outcome, proposal) in committed.changes().iter().zip(proposals) {
        if let Some(version) = outcome.after {
            sandbox.saw(&proposal.location, &outcome.reached, Seen::Version(version));
        }
    }
    if let [only] = committed.changes()
        && let Some(version) = only.after
    {
        reply.metadata.insert("version".into(), version.to_string().into());
    }
    Ok(())
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

fn not_done(error: CommitError) -> ToolError {
    if error.nothing_changed() {
        return error.into_error().into();
    }
    let left: Vec<String> = error.left().iter().map(|path| path.show()).collect();
    ToolError::new(ErrorKind::Conflict, error.to_string())
        .hint("look at these files before anything else is done")
        .with("not_put_back", left)
}
