//! One call, as the tool sees it.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolcrib_workspace::Workspace;

use crate::{ErrorKind, ExecutionContext, ToolError};

/// What a tool may use while it runs: the caller's context, the workspace, and the clock that ends it.
pub struct Call<'a> {
    context: &'a ExecutionContext,
    workspace: Option<&'a Workspace>,
    cancel: &'a CancellationToken,
    deadline: Option<Instant>,
    notes: Map<String, Value>,
}

impl<'a> Call<'a> {
    pub(crate) fn new(
        context: &'a ExecutionContext,
        workspace: Option<&'a Workspace>,
        cancel: &'a CancellationToken,
        started: Instant,
    ) -> Self {
        Self { context, workspace, cancel, deadline: started.checked_add(context.timeout), notes: Map::new() }
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
    pub fn workspace(&self) -> Result<&'a Workspace, ToolError> {
        self.workspace.ok_or_else(|| {
            ToolError::new(ErrorKind::Internal, "This tool needs a workspace, and the executor has none")
                .hint("make the executor with Executor::with_workspace, or open a Toolbox")
        })
    }

    /// Ends the call when its time is up or the caller took it back. A tool that loops asks in the loop; it costs
    /// some tens of nanoseconds.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Cancelled`] or [`ErrorKind::TimedOut`]; pass it on with `?`.
    pub fn checkpoint(&self) -> Result<(), ToolError> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(timed_out(self.context.timeout));
        }
        if self.cancel.is_cancelled() {
            return Err(cancelled());
        }
        Ok(())
    }

    /// The time that is left. A tool with no loop of its own passes it to what it waits for.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// What ends the call, for tools that wait on something else as well.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        self.cancel
    }

    /// Adds a fact to the answer's metadata, also if the call fails later.
    pub fn note(&mut self, key: &str, value: impl Into<Value>) {
        self.notes.insert(key.to_owned(), value.into());
    }

    pub(crate) fn into_notes(self) -> Map<String, Value> {
        self.notes
    }
}

pub(crate) fn timed_out(timeout: Duration) -> ToolError {
    ToolError::new(ErrorKind::TimedOut, format!("Timed out after {}", humantime::format_duration(timeout)))
        .hint("ask for less at once, or allow more time")
}

pub(crate) fn cancelled() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, "Cancelled by the caller")
}
