//! One call, as the tool sees it.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolcrib_text::is_memory_short;

use crate::clock::Clock;
use crate::gate::Gate;
use crate::{Environment, ErrorKind, ExecutionContext, ToolError};

/// What a tool may use while it runs: the caller's context, the environment, and the clock that ends it.
///
/// A tool gets nothing back through it: what it has found out and what it proposes is its [`Answer`](crate::Answer).
pub struct Call<'a> {
    tool: &'a str,
    context: &'a ExecutionContext,
    environment: &'a dyn Environment,
    cancel: &'a CancellationToken,
    clock: &'a Clock,
    gate: &'a Gate,
    /// When to check the memory next, in microseconds since the call began.
    next_check: AtomicU64,
}

/// How much time passes between two checks of the memory, in microseconds. A check takes two of them.
const BETWEEN_CHECKS: u64 = 250;

impl<'a> Call<'a> {
    pub(crate) fn new(
        tool: &'a str,
        context: &'a ExecutionContext,
        environment: &'a dyn Environment,
        cancel: &'a CancellationToken,
        clock: &'a Clock,
        gate: &'a Gate,
    ) -> Self {
        let next_check = AtomicU64::new(BETWEEN_CHECKS);
        Self { tool, context, environment, cancel, clock, gate, next_check }
    }

    /// The name of the tool that was called.
    #[must_use]
    pub fn tool(&self) -> &'a str {
        self.tool
    }

    /// What the caller decided.
    #[must_use]
    pub fn context(&self) -> &'a ExecutionContext {
        self.context
    }

    /// The environment of the executor, if it is of this type.
    #[must_use]
    pub fn environment<E: Environment>(&self) -> Option<&'a E> {
        let environment: &'a dyn Any = self.environment;
        environment.downcast_ref()
    }

    /// Ends the call when its time is up, its caller cancelled it, or the process is about to run out of memory. A tool that
    /// loops asks in the loop; it costs some tens of nanoseconds.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Cancelled`], [`ErrorKind::TimedOut`] or [`ErrorKind::TooLarge`]; pass it on with `?`.
    pub fn checkpoint(&self) -> Result<(), ToolError> {
        if self.clock.remaining().is_none() {
            return Err(timed_out(self.clock.timeout()));
        }
        if self.is_cancelled() {
            return Err(cancelled());
        }
        if self.is_short_of_memory() {
            return Err(short_of_memory());
        }
        Ok(())
    }

    /// An allocation that fails would end the process, and all other calls with it.
    fn is_short_of_memory(&self) -> bool {
        let now = u64::try_from(self.clock.elapsed().as_micros()).unwrap_or(u64::MAX);
        if now < self.next_check.load(Ordering::Relaxed) {
            return false;
        }
        let short = is_memory_short();
        // A tool that goes on all the same is told again at its next checkpoint.
        if !short {
            self.next_check.store(now.saturating_add(BETWEEN_CHECKS), Ordering::Relaxed);
        }
        short
    }

    /// Whether the caller has cancelled the call. For work that stops at its deadline in its own way; anything else asks
    /// [`checkpoint`](Self::checkpoint).
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        if let Some(on_checkpoint) = &self.context.on_checkpoint.0 {
            on_checkpoint();
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
    pub fn cancellation(&self) -> &'a CancellationToken {
        self.cancel
    }

    /// Waits for a person. The clock of the call stands still meanwhile.
    pub fn paused<R>(&self, wait: impl FnOnce() -> R) -> R {
        self.clock.paused(wait)
    }

    /// Passes the point of no return, for an environment that is about to make changes: from here on the call is completed,
    /// even if its caller cancels it.
    ///
    /// # Errors
    ///
    /// If the call has been cancelled, or its time is up.
    pub fn begin_commit(&self) -> Result<(), ToolError> {
        self.checkpoint()?;
        if self.gate.pass() { Ok(()) } else { Err(cancelled()) }
    }

    /// Returns from there, if nothing was changed: the call can be cancelled again.
    pub fn abandon_commit(&self) {
        self.gate.back();
    }
}

pub(crate) fn timed_out(timeout: Duration) -> ToolError {
    ToolError::new(ErrorKind::TimedOut, format!("Timed out after {}", humantime::format_duration(timeout)))
        .hint("ask for less at once, or allow more time")
}

pub(crate) fn cancelled() -> ToolError {
    ToolError::new(ErrorKind::Cancelled, "Cancelled by the caller")
}

/// That there is too little memory left to continue.
#[must_use]
pub fn short_of_memory() -> ToolError {
    ToolError::new(ErrorKind::TooLarge, "Not enough memory to go on")
        .hint("ask for less at once, or give the process more memory")
}
