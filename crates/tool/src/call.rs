//! One call, as the tool sees it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolcrib_workspace::{Beside, Stat, Workspace};

use crate::clock::Clock;
use crate::gate::Gate;
use crate::policy::{Access, ApprovalRequest, Approvals, Approver, Decision, Policy};
use crate::undo::Undoing;
use crate::{ErrorKind, ExecutionContext, HalfDone, History, Ledger, Proposal, Sandbox, ToolError};

/// What a tool may use while it runs: the caller's context, the files it may reach, and the clock that ends it.
pub struct Call<'a> {
    tool: &'a str,
    context: &'a ExecutionContext,
    services: &'a Services,
    cancel: &'a CancellationToken,
    clock: &'a Clock,
    gate: &'a Gate,
    notes: Mutex<Map<String, Value>>,
    proposals: Mutex<Vec<Proposal>>,
    /// The reversal that the proposals stand for, where a change is undone.
    undoing: Mutex<Option<Undoing>>,
}

/// What all calls of an executor share.
#[derive(Clone, Default)]
pub(crate) struct Services {
    pub(crate) workspace: Option<Workspace>,
    pub(crate) policy: Policy,
    pub(crate) approvals: Arc<Approvals>,
    pub(crate) ledger: Arc<Ledger>,
    /// Where changes are written down.
    pub(crate) history: Option<Arc<History>>,
    /// Whether a session may change only what it has read.
    pub(crate) unread_writes: bool,
    /// The process can reach nothing outside any more, whatever a person says.
    pub(crate) locked: Arc<AtomicBool>,
    /// What every thread is locked in with before it works for a call, if threads lock themselves.
    pub(crate) thread_lock: Arc<OnceLock<(Workspace, Beside)>>,
}

impl Services {
    /// Refuses to work in a directory that is not the workspace any more.
    pub(crate) fn check_roots(&self) -> Result<(), ToolError> {
        Ok(self.workspace.as_ref().map_or(Ok(()), Workspace::check_roots)?)
    }
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        tool: &'a str,
        context: &'a ExecutionContext,
        services: &'a Services,
        cancel: &'a CancellationToken,
        clock: &'a Clock,
        gate: &'a Gate,
    ) -> Self {
        Self {
            tool,
            context,
            services,
            cancel,
            clock,
            gate,
            notes: Mutex::default(),
            proposals: Mutex::default(),
            undoing: Mutex::default(),
        }
    }

    /// The name of the tool that was called.
    #[must_use]
    pub fn tool(&self) -> &'a str {
        self.tool
    }

    /// Under which circumstances the call is made.
    #[must_use]
    pub fn context(&self) -> &'a ExecutionContext {
        self.context
    }

    /// The files this call may reach.
    ///
    /// # Errors
    ///
    /// If the executor was made without a workspace.
    pub fn sandbox(&self) -> Result<Sandbox<'_, 'a>, ToolError> {
        let workspace = self.services.workspace.as_ref().ok_or_else(|| {
            ToolError::new(ErrorKind::Internal, "This tool needs a workspace, and the executor has none")
                .hint("make the executor with a workspace (Executor::builder), or open a Toolbox")
        })?;
        Ok(Sandbox::new(self, workspace))
    }

    /// Ends the call when its time is up or the caller took it back. A tool that loops asks in the loop; it costs
    /// some tens of nanoseconds.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Cancelled`] or [`ErrorKind::TimedOut`]; pass it on with `?`.
    pub fn checkpoint(&self) -> Result<(), ToolError> {
        if self.clock.remaining().is_none() {
            return Err(timed_out(self.clock.timeout()));
        }
        if self.is_cancelled() {
            return Err(cancelled());
        }
        Ok(())
    }

    /// Whether the caller took the call back. For what stops at its deadline in a way of its own; anything else asks
    /// [`checkpoint`](Self::checkpoint).
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        if let Some(look_up) = &self.context.look_up.0 {
            look_up();
        }
        self.cancel.is_cancelled()
    }

    /// The time that is left. A tool with no loop of its own passes it to what it waits for.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.clock.remaining().unwrap_or_default()
    }

    /// What ends the call, for tools that wait on something else as well.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        self.cancel
    }

    /// Adds a fact to the answer's metadata, also if the call fails later.
    pub fn note(&self, key: &str, value: impl Into<Value>) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), value.into());
    }

    /// Proposes a change. The executor shows it, asks for it and carries it out, when the tool is done and all of its
    /// proposals are known.
    pub fn propose(&self, proposal: Proposal) {
        self.proposals.lock().unwrap_or_else(PoisonError::into_inner).push(proposal);
    }

    pub(crate) fn take_proposals(&self) -> Vec<Proposal> {
        std::mem::take(&mut self.proposals.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn set_undoing(&self, undoing: Undoing) {
        *self.undoing.lock().unwrap_or_else(PoisonError::into_inner) = Some(undoing);
    }

    pub(crate) fn take_undoing(&self) -> Option<Undoing> {
        self.undoing.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Goes past the point of no return, unless the call has been taken back.
    pub(crate) fn begin_commit(&self) -> Result<(), ToolError> {
        self.checkpoint()?;
        if self.gate.pass() { Ok(()) } else { Err(cancelled()) }
    }

    /// Comes back from there: nothing was changed, and the call may be taken back again.
    pub(crate) fn back_from_commit(&self) {
        self.gate.back();
    }

    pub(crate) fn history(&self) -> Option<&'a History> {
        self.services.history.as_deref()
    }

    pub(crate) fn requires_reading(&self) -> bool {
        !self.services.unread_writes
    }

    pub(crate) fn into_notes(self) -> Map<String, Value> {
        self.notes.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says in the answer that files may be half changed.
    pub(crate) fn note_half_done(&self, half_done: &[HalfDone]) {
        if half_done.is_empty() {
            return;
        }
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let said = notes.entry("half_done").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(said) = said {
            for one in half_done.iter().map(|one| Value::from(one.to_string())) {
                if !said.contains(&one) {
                    said.push(one);
                }
            }
        }
    }

    /// Says in the answer that the file has other names, by which it may be reached and changed too.
    pub(crate) fn note_links(&self, stat: &Stat) {
        if stat.nlink > 1 {
            self.note("hard_links", stat.nlink);
        }
    }

    pub(crate) fn policy(&self) -> &'a Policy {
        &self.services.policy
    }

    pub(crate) fn approvals(&self) -> &'a Approvals {
        &self.services.approvals
    }

    /// Whether asking to reach a directory outside can lead anywhere.
    pub(crate) fn may_ask_for_outside(&self) -> bool {
        self.approver().is_some() && !self.services.locked.load(Ordering::Acquire)
    }

    pub(crate) fn ledger(&self) -> &'a Ledger {
        &self.services.ledger
    }

    /// Asks the person; the clock stands still meanwhile. A dry run changes nothing, so nobody is asked for a change; what
    /// it shows is as much to be asked for as ever.
    pub(crate) fn ask(&self, request: &ApprovalRequest, is_granted: &dyn Fn() -> bool) -> Decision {
        if self.context.dry_run && request.access == Access::Edit {
            return Decision::Once;
        }
        let Some(approver) = self.approver() else {
            return Decision::Unavailable("there is nobody to ask".to_owned());
        };
        self.clock.paused(|| self.services.approvals.ask(approver.as_ref(), request, is_granted, self.cancel))
    }

    /// Who is asked where a rule says ask.
    pub(crate) fn approver(&self) -> Option<&'a Arc<dyn Approver>> {
        self.context.approver.0.as_ref().or_else(|| self.services.approvals.approver())
    }
}

pub(crate) fn timed_out(timeout: Duration) -> ToolError {
    ToolError::new(ErrorKind::TimedOut, format!("Timed out after {}", humantime::format_duration(timeout)))
        .hint("ask for less at once, or allow more time")
}

pub(crate) fn cancelled() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, "Cancelled by the caller")
}
