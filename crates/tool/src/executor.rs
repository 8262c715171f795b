//! Carries a call out: looks it up, validates it, runs it, bounds its answer and records it.
//!
//! What holds for every tool lives here and in no tool: dry run, deadline and cancellation, the bound of the output,
//! panics, the record. A tool that is asked to stop and does not is not waited for longer than [`GRACE`]; the answer
//! says that it may still be running, and whatever it finds afterwards is dropped.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolcrib_text::Reserved;
use toolcrib_workspace::{Beside, Lockdown, Workspace};

use crate::bound::bound;
use crate::call::{Services, cancelled, timed_out};
use crate::clock::Clock;
use crate::execution::milliseconds;
use crate::gate::Gate;
use crate::policy::{Access, Action, Approvals, Origin, Policy};
use crate::settle::settle;
use crate::weight::weight;
use crate::{
    Approver, Call, Category, DynTool, Effect, ErrorKind, ExecutionContext, ExecutionLog, Format, History,
    Ledger, Registry, Reply, State, ToolError, ToolExecution, ToolResult, validate,
};

/// How long a tool that was asked to stop is waited for.
const GRACE: Duration = Duration::from_millis(500);

/// Runs tools by name. Cheap to clone; clones share the registry and the log.
///
/// Calls run at the same time, each on a thread of its own; none waits for another.
#[derive(Clone)]
pub struct Executor {
    registry: Arc<Registry>,
    services: Arc<Services>,
    log: Arc<ExecutionLog>,
}

impl Executor {
    /// An executor of the tools in `registry`, with the defaults for everything else.
    #[must_use]
    pub fn new(registry: Arc<Registry>) -> Self {
        Self::builder(registry).build()
    }

    /// For an executor with a workspace, rules, or somebody to ask.
    #[must_use]
    pub fn builder(registry: Arc<Registry>) -> ExecutorBuilder {
        ExecutorBuilder { registry, services: Services::default(), log_limit: ExecutionLog::DEFAULT_LIMIT }
    }

    /// The tools it runs.
    #[must_use]
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Carries a call out on a thread of the runtime's blocking pool.
    ///
    /// Dropping the future takes the call back, as [`ExecutionContext::cancel`] does. Needs a tokio runtime with time
    /// enabled.
    pub async fn execute(&self, tool_name: &str, arguments: Value, context: &ExecutionContext) -> ToolResult {
        let cancel = context.cancel.child_token();
        let _ends_the_work = cancel.clone().drop_guard();
        let ticket = Arc::new(Ticket::new(tool_name, arguments, context));
        let mut work = {
            let (executor, ticket, cancel) = (self.clone(), Arc::clone(&ticket), cancel.clone());
            tokio::task::spawn_blocking(move || executor.carry_out(&ticket, &cancel))
        };
        let reason = tokio::select! {
            done = &mut work => return self.done(&ticket, done),
            reason = overdue(&cancel, &ticket.clock) => reason,
        };
        if !ticket.gate.shut() {
            // It is committing, which is soon over, and what was done must be told.
            return self.done(&ticket, work.await);
        }
        let abandoned = reason
            .hint("the tool did not stop when asked and may still be running; what it finds is dropped")
            .with("still_running", true);
        self.finish(&ticket, Err(abandoned))
    }

    fn done(&self, ticket: &Ticket, done: Result<ToolResult, tokio::task::JoinError>) -> ToolResult {
        done.unwrap_or_else(|_| self.finish(ticket, Err(cancelled())))
    }

    /// Carries a call out on this thread. Its deadline ends a tool that asks [`Call::checkpoint`], and no other.
    pub fn execute_blocking(
        &self,
        tool_name: &str,
        arguments: Value,
        context: &ExecutionContext,
    ) -> ToolResult {
        let ticket = Ticket::new(tool_name, arguments, context);
        self.carry_out(&ticket, &context.cancel)
    }

    /// Looks at files for a caller without any tool: under the same containment, rules and deadline, and without a record,
    /// since nothing can be changed. For doors that show files in a way of their own.
    ///
    /// # Errors
    ///
    /// What `look` fails with.
    pub fn look<T>(
        &self,
        context: &ExecutionContext,
        look: impl FnOnce(&mut Call<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        self.lock_this_thread();
        self.services.check_roots()?;
        let (clock, gate) = (Clock::start(context.timeout), Gate::default());
        if let Some(history) = &self.services.history {
            // What cannot be repaired is said by those who answer with more than the files.
            let _ = history.repair();
        }
        look(&mut Call::new("look", context, &self.services, &context.cancel, &clock, &gate))
    }

    /// An executor whose calls reach less: only what lies in these directories too. Everything else is shared with this
    /// one. See [`Workspace::narrow`].
    ///
    /// # Errors
    ///
    /// If nothing of the workspace would be left.
    pub fn narrow(&self, directories: &[PathBuf]) -> Result<Self, ToolError> {
        let mut services = Services::clone(&self.services);
        services.workspace = match &self.services.workspace {
            Some(workspace) => Some(workspace.narrow(directories)?),
            None => None,
        };
        Ok(Self { services: Arc::new(services), ..self.clone() })
    }

    /// The files that its calls reach.
    #[must_use]
    pub fn workspace(&self) -> Option<&Workspace> {
        self.services.workspace.as_ref()
    }

    /// Where its changes are written down.
    #[must_use]
    pub fn history(&self) -> Option<&History> {
        self.services.history.as_deref()
    }

    /// The rules that its calls obey.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.services.policy
    }

    /// Closes the door a second time: from now on the kernel keeps this thread, and every thread started later, to the
    /// workspace, the directories that a rule lets in, and what is `beside` them. See [`Workspace::lock_down`].
    pub fn lock_down(&self, beside: Beside) -> Lockdown {
        let Some(workspace) = &self.services.workspace else {
            return Lockdown::Unavailable("there is no workspace".to_owned());
        };
        let lockdown = workspace.lock_down(&self.with_let_in(beside));
        let locked = !matches!(lockdown, Lockdown::Unavailable(_));
        self.services.locked.store(locked, Ordering::Release);
        lockdown
    }

    /// With the directories that a rule lets in.
    fn with_let_in(&self, mut beside: Beside) -> Beside {
        let let_in = self.services.policy.rules().iter().filter(|rule| {
            rule.kind == Access::ExternalDirectory
                && rule.action == Action::Allow
                && rule.origin != Origin::Workspace
        });
        beside.writable.extend(let_in.filter_map(|rule| rule.pattern.directory()));
        beside
    }

    /// The same for every thread that works for a call, before its first one. For a server that learns what it serves only
    /// after it has started: threads that are there by then were not started later.
    pub fn lock_down_threads(&self, beside: Beside) -> Lockdown {
        let lockdown = self.lock_down(beside.clone());
        if let (Some(workspace), false) =
            (&self.services.workspace, matches!(lockdown, Lockdown::Unavailable(_)))
        {
            _ = self.services.thread_lock.set((workspace.clone(), self.with_let_in(beside)));
        }
        lockdown
    }

    fn lock_this_thread(&self) {
        thread_local! {
            static LOCKED: Cell<bool> = const { Cell::new(false) };
        }
        if let Some((workspace, beside)) = self.services.thread_lock.get()
            && !LOCKED.replace(true)
        {
            workspace.lock_down(beside);
        }
    }

    /// Every tool in a provider's form.
    #[must_use]
    pub fn get_all_schemas(&self, format: Format) -> Vec<Value> {
        self.registry.list_all().iter().map(|tool| format.schema(tool.descriptor())).collect()
    }

    /// The tools of one category in a provider's form.
    #[must_use]
    pub fn get_schemas_by_category(&self, category: Category, format: Format) -> Vec<Value> {
        self.registry.list_by_category(category).iter().map(|tool| format.schema(tool.descriptor())).collect()
    }

    /// The latest executions, oldest first.
    #[must_use]
    pub fn get_executions(&self) -> Vec<Arc<ToolExecution>> {
        self.log.all()
    }

    /// Forgets the executions.
    pub fn clear_executions(&self) {
        self.log.clear();
    }

    fn carry_out(&self, ticket: &Ticket, cancel: &CancellationToken) -> ToolResult {
        self.lock_this_thread();
        tracing::info!(tool = ticket.tool_name, session = ticket.context.session_id, "executing tool");
        let outcome = self.run(ticket, cancel);
        self.finish(ticket, outcome)
    }

    fn run(&self, ticket: &Ticket, cancel: &CancellationToken) -> Result<Reply, ToolError> {
        ticket.enter(State::Validating);
        let _memory = reserve(&ticket.arguments)?;
        let tool = self.registry.get_or_raise(&ticket.tool_name)?;
        let effect = tool.descriptor().effect;
        let validated = validate(&tool.descriptor().parameters, ticket.arguments.clone())?;
        ticket.enter(State::Validated);

        let dry = ticket.context.dry_run;
        let shown_only = dry && effect.changes();
        ticket.enter(if shown_only { State::DryRun } else { State::Executing });
        let mut reply = if shown_only && effect == Effect::Acts {
            Reply { output: format!("[Dry Run] Would execute {}", tool.name()).into(), metadata: Map::new() }
        } else {
            self.run_tool(tool.as_ref(), validated.arguments, ticket, cancel)?
        };
        if dry {
            reply.metadata.insert("dry_run".into(), true.into());
        }
        if !validated.renamed.is_empty() {
            reply.metadata.insert("renamed".into(), listed(&validated.renamed));
        }
        if !validated.coercions.is_empty() {
            reply.metadata.insert("coerced".into(), listed(&validated.coercions));
        }
        Ok(reply)
    }

    fn run_tool(
        &self,
        tool: &dyn DynTool,
        arguments: Map<String, Value>,
        ticket: &Ticket,
        cancel: &CancellationToken,
    ) -> Result<Reply, ToolError> {
        let mut call =
            Call::new(tool.name(), &ticket.context, &self.services, cancel, &ticket.clock, &ticket.gate);
        call.checkpoint()?;
        self.services.check_roots()?;
        if let Some(history) = &self.services.history {
            call.note_half_done(&history.repair());
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| match tool.descriptor().effect {
            Effect::Proposes => settle(&mut call, |call| tool.call(arguments.clone(), call)),
            _ => tool.call(arguments, &mut call),
        }))
        .unwrap_or_else(|panic| Err(panicked(tool.name(), panic.as_ref())));
        let notes = call.into_notes();
        match outcome {
            Ok(mut reply) => {
                reply.metadata.extend(notes);
                Ok(reply)
            }
            Err(error) => Err(notes.into_iter().fold(error, |error, (key, value)| error.with(&key, value))),
        }
    }

    /// Makes the answer and its record. The first to finish a call counts; a tool that ends after it was given up on
    /// is recorded no second time.
    fn finish(&self, ticket: &Ticket, outcome: Result<Reply, ToolError>) -> ToolResult {
        let state = match &outcome {
            Ok(_) => State::Completed,
            Err(error) => match error.kind() {
                ErrorKind::TimedOut => State::TimedOut,
                ErrorKind::Cancelled => State::Cancelled,
                _ => State::Failed,
            },
        };
        let mut result = outcome.map_or_else(ToolResult::from, ToolResult::from);
        if let Some(left_out) = bound(&mut result.output, ticket.context.max_output_size) {
            result.metadata.insert("output_bytes_left_out".into(), left_out.into());
        }
        let elapsed = ticket.clock.elapsed();
        result.duration_ms = Some(milliseconds(elapsed));
        if let Some(states) = ticket.close(state) {
            report(ticket, &result, state, elapsed);
            // The record keeps what was said of images, and not their megabytes.
            let mut recorded = result.clone();
            recorded.take_images();
            self.log.push(ToolExecution {
                tool_name: ticket.tool_name.clone(),
                parameters: ExecutionLog::kept(&ticket.arguments),
                context: ticket.context.recorded(),
                result: recorded,
                states,
                started_at: ticket.started_at,
                completed_at: ticket.started_at + elapsed,
                duration_ms: milliseconds(elapsed),
            });
        }
        result
    }
}

/// Says what an [`Executor`] works with.
pub struct ExecutorBuilder {
    registry: Arc<Registry>,
    services: Services,
    log_limit: usize,
}

impl ExecutorBuilder {
    /// Lets the tools reach these files.
    #[must_use]
    pub fn workspace(mut self, workspace: Workspace) -> Self {
        self.services.workspace = Some(workspace);
        self
    }

    /// Puts these rules in force instead of the default ones.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.services.policy = policy;
        self
    }

    /// Says who is asked where a rule says ask. Without, ask is no.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.services.approvals = Arc::new(Approvals::new(Some(approver)));
        self
    }

    /// Remembers what sessions have seen in this ledger, instead of in memory alone.
    #[must_use]
    pub fn ledger(mut self, ledger: Ledger) -> Self {
        self.services.ledger = Arc::new(ledger);
        self
    }

    /// Writes changes down before they are made. Without, a crash in the middle of a change of several files leaves some
    /// of them changed, changes of one file at the same time are refused instead of queued, and none can be taken back.
    #[must_use]
    pub fn history(mut self, history: History) -> Self {
        self.services.history = Some(Arc::new(history));
        self
    }

    /// Lets a session change files that it has not read.
    #[must_use]
    pub fn unread_writes(mut self, allowed: bool) -> Self {
        self.services.unread_writes = allowed;
        self
    }

    /// Keeps the latest `most` executions.
    #[must_use]
    pub fn log_limit(mut self, most: usize) -> Self {
        self.log_limit = most;
        self
    }

    /// The executor.
    #[must_use]
    pub fn build(self) -> Executor {
        Executor {
            registry: self.registry,
            services: Arc::new(self.services),
            log: Arc::new(ExecutionLog::new(self.log_limit)),
        }
    }
}

/// A call on its way through the states.
struct Ticket {
    tool_name: String,
    arguments: Value,
    context: ExecutionContext,
    clock: Clock,
    gate: Gate,
    started_at: SystemTime,
    states: Mutex<Vec<State>>,
}

impl Ticket {
    fn new(tool_name: &str, arguments: Value, context: &ExecutionContext) -> Self {
        Self {
            tool_name: tool_name.to_owned(),
            arguments,
            context: context.clone(),
            clock: Clock::start(context.timeout),
            gate: Gate::default(),
            started_at: SystemTime::now(),
            states: Mutex::new(vec![State::Received]),
        }
    }

    fn enter(&self, state: State) {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        if !states.last().is_some_and(|last| last.is_final()) {
            states.push(state);
        }
    }

    /// Enters the final state and gives the way there, or nothing if the call was closed before.
    fn close(&self, state: State) -> Option<Vec<State>> {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        if states.last().is_some_and(|last| last.is_final()) {
            return None;
        }
        states.push(state);
        Some(states.clone())
    }
}

/// Waits until a call should long have ended, and tells why.
async fn overdue(cancel: &CancellationToken, clock: &Clock) -> ToolError {
    let time_is_up = async {
        // The clock may have stood still meanwhile, so there may be time left after all.
        while let Some(left) = clock.remaining() {
            tokio::time::sleep(left).await;
        }
    };
    let reason = tokio::select! {
        () = time_is_up => timed_out(clock.timeout()),
        () = cancel.cancelled() => cancelled(),
    };
    tokio::time::sleep(GRACE).await;
    reason
}

/// Makes sure of memory for the arguments: they are checked, given to the tool and recorded as values of their own.
fn reserve(arguments: &Value) -> Result<Reserved, ToolError> {
    const COPIES: usize = 4;
    /// What any call may take without asking.
    const LEAST: usize = 1 << 20;
    Reserved::new(weight(arguments).saturating_mul(COPIES).max(LEAST)).map_err(|error| {
        ToolError::new(ErrorKind::TooLarge, format!("The parameters are too large: {error}"))
            .hint("pass less at once, or give the process more memory")
    })
}

fn panicked(tool: &str, panic: &(dyn Any + Send)) -> ToolError {
    let said = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    ToolError::new(ErrorKind::Internal, format!("{tool} failed unexpectedly: {said}"))
        .hint("this is a fault of the tool, not of the call; other calls go on")
}

fn listed(taken_as_meant: &[impl Serialize]) -> Value {
    serde_json::to_value(taken_as_meant).unwrap_or_default()
}

fn report(ticket: &Ticket, result: &ToolResult, state: State, elapsed: Duration) {
    let tool = ticket.tool_name.as_str();
    let ms = milliseconds(elapsed);
    match &result.error {
        None => tracing::info!(tool, ?state, ms, "tool completed"),
        Some(error) => tracing::warn!(tool, ?state, ms, error, "tool failed"),
    }
}
