//! Carries a call out: looks it up, validates it, runs it, bounds its answer and records it.
//!
//! What holds for every tool lives here and in no tool: dry run, deadline and cancellation, the bound of the output,
//! panics, the record. A tool that is asked to stop and does not is not waited for longer than [`GRACE`]; the answer
//! says that it may still be running, and whatever it finds afterwards is dropped.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolcrib_text::{Reserved, grow_stack};

use crate::bound::bound;
use crate::call::{cancelled, timed_out};
use crate::clock::Clock;
use crate::environment::{Environment, Notes, Nothing, Settled, merge};
use crate::execution::milliseconds;
use crate::gate::Gate;
use crate::weight::weight;
use crate::{
    Answer, Call, Category, Descriptor, DynTool, Effect, ErrorKind, ExecutionContext, ExecutionLog, Format,
    Registry, Reply, State, ToolError, ToolExecution, ToolResult, validate_as,
};

/// How long a tool that was asked to stop is waited for.
const GRACE: Duration = Duration::from_millis(500);

/// Runs tools by name. Cheap to clone; clones share the registry, the environment and the log.
///
/// Calls run at the same time, each on a thread of its own; none waits for another.
#[derive(Clone)]
pub struct Executor {
    registry: Arc<Registry>,
    environment: Arc<dyn Environment>,
    log: Arc<ExecutionLog>,
}

impl Executor {
    /// An executor of the tools in `registry`, with the defaults for everything else.
    #[must_use]
    pub fn new(registry: Arc<Registry>) -> Self {
        Self::builder(registry).build()
    }

    /// For an executor whose tools reach something, such as files.
    #[must_use]
    pub fn builder(registry: Arc<Registry>) -> ExecutorBuilder {
        ExecutorBuilder { registry, environment: Arc::new(Nothing), log_limit: ExecutionLog::DEFAULT_LIMIT }
    }

    /// The same tools and the same log in another environment.
    #[must_use]
    pub fn in_environment(&self, environment: Arc<dyn Environment>) -> Self {
        Self { environment, ..self.clone() }
    }

    /// The tools it runs.
    #[must_use]
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Carries a call out on a thread of the runtime's blocking pool.
    ///
    /// Dropping the future cancels the call, as [`ExecutionContext::cancel`] does. Needs a tokio runtime with time
    /// enabled.
    pub async fn execute(&self, tool_name: &str, arguments: Value, context: &ExecutionContext) -> ToolResult {
        let call = Arc::new(self.begin(tool_name, arguments, context));
        let _ends_the_work = call.cancel.clone().drop_guard();
        let work = {
            let call = Arc::clone(&call);
            tokio::task::spawn_blocking(move || call.run())
        };
        call.supervise(async { work.await.ok() }).await
    }

    /// A call that has been received, for a caller that chooses the thread on which it [runs](ReceivedCall::run). Its clock starts
    /// now.
    #[must_use]
    pub fn begin(&self, tool_name: &str, arguments: Value, context: &ExecutionContext) -> ReceivedCall {
        let ticket = Ticket::new(tool_name, arguments, context);
        ReceivedCall { executor: self.clone(), ticket, cancel: context.cancel.child_token() }
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

    /// Runs `run` as a call on this thread, without a registered tool: under the same deadline, dry run, environment and record.
    /// For programs that have a request of their own and want its outcome as a value.
    ///
    /// # Errors
    ///
    /// What `run` fails with, or why the changes that it proposes are not made.
    pub fn perform<T>(
        &self,
        name: &str,
        effect: Effect,
        context: &ExecutionContext,
        run: impl FnMut(&Call<'_>) -> Result<Answer<T>, ToolError>,
    ) -> Result<Performed<T>, ToolError> {
        let ticket = Ticket::new(name, Value::Null, context);
        ticket.enter(if context.dry_run && effect.changes() { State::DryRun } else { State::Executing });
        let performed = self.attempt(name, effect, &ticket, &context.cancel, run);
        let outcome = match &performed {
            Ok(performed) => {
                let mut metadata = performed.notes.clone();
                merge(&mut metadata, performed.settled.notes.clone());
                Ok(Reply { output: Value::Null, metadata })
            }
            Err(error) => Err(error.clone()),
        };
        self.finish(&ticket, outcome);
        performed
    }

    /// The same for a program that wants the answer which a tool would give: with what became of its proposals, and bounded.
    pub fn answer(
        &self,
        name: &str,
        effect: Effect,
        context: &ExecutionContext,
        run: impl FnMut(&Call<'_>) -> Result<Answer<Reply>, ToolError>,
    ) -> ToolResult {
        let ticket = Ticket::new(name, Value::Null, context);
        ticket.enter(if context.dry_run && effect.changes() { State::DryRun } else { State::Executing });
        let performed = self.attempt(name, effect, &ticket, &context.cancel, run);
        let outcome = performed.map(|performed| {
            let mut reply = performed.into_reply();
            reply.note_dry_run(context);
            reply
        });
        self.finish(&ticket, outcome)
    }

    /// Runs `look` in the environment and under the deadline of a call, without a record: for what cannot change anything.
    ///
    /// # Errors
    ///
    /// What `look` fails with.
    pub fn look<T>(
        &self,
        context: &ExecutionContext,
        look: impl FnOnce(&Call<'_>) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let (clock, gate) = (Clock::start(context.timeout), Gate::default());
        let call = Call::new("look", context, &*self.environment, &context.cancel, &clock, &gate);
        self.environment.enter(&call)?;
        look(&call)
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
        tracing::info!(tool = ticket.tool_name, session = ticket.context.session_id, "executing tool");
        let outcome = self.run(ticket, cancel);
        self.finish(ticket, outcome)
    }

    fn run(&self, ticket: &Ticket, cancel: &CancellationToken) -> Result<Reply, ToolError> {
        ticket.enter(State::Validating);
        let _memory = reserve(&ticket.arguments)?;
        grow_stack();
        let tool = self.registry.get_or_raise(&ticket.tool_name)?;
        let Descriptor { effect, parameters, conventions, .. } = tool.descriptor();
        let effect = *effect;
        let validated = validate_as(parameters, ticket.arguments.clone(), conventions)?;
        ticket.enter(State::Validated);

        let shown_only = ticket.context.dry_run && effect.changes();
        ticket.enter(if shown_only { State::DryRun } else { State::Executing });
        let mut reply = if shown_only && effect == Effect::Acts {
            Reply { output: format!("[Dry Run] Would execute {}", tool.name()).into(), metadata: Map::new() }
        } else {
            self.run_tool(tool.as_ref(), validated.arguments, ticket, cancel)?
        };
        reply.note_dry_run(&ticket.context);
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
        let effect = tool.descriptor().effect;
        let mut arguments = Some(arguments);
        let performed = self.attempt(tool.name(), effect, ticket, cancel, |call| {
            // Only a tool that proposes may have to run again.
            let given = if effect == Effect::Proposes { arguments.clone() } else { arguments.take() };
            tool.call(given.unwrap_or_default(), call)
        })?;
        Ok(performed.into_reply())
    }

    /// Runs a tool, and settles what it proposes.
    fn attempt<T>(
        &self,
        name: &str,
        effect: Effect,
        ticket: &Ticket,
        cancel: &CancellationToken,
        mut run: impl FnMut(&Call<'_>) -> Result<Answer<T>, ToolError>,
    ) -> Result<Performed<T>, ToolError> {
        let Ticket { context, clock, gate, .. } = ticket;
        let call = Call::new(name, context, &*self.environment, cancel, clock, gate);
        call.checkpoint()?;
        let mut notes = self.environment.enter(&call)?;
        let mut answered = None;
        let mut attempt = || {
            let Answer { facts, proposals, notes } = run(&call)?;
            answered = Some((facts, notes));
            match proposals {
                Some(_) if effect != Effect::Proposes => Err(must_not_propose(name)),
                proposals => Ok(proposals),
            }
        };
        let settled = catch_unwind(AssertUnwindSafe(|| match effect {
            Effect::Proposes => self.environment.settle(&call, &mut attempt),
            Effect::Reads | Effect::Acts => attempt().map(|_| Settled::default()),
        }));
        let settled = settled.unwrap_or_else(|panic| Err(panicked(name, panic.as_ref())));
        let settled =
            settled.map_err(|error| notes.iter().fold(error, |error, (key, note)| error.add(key, note)))?;
        let (facts, more) = answered.ok_or_else(|| did_not_run(name))?;
        merge(&mut notes, more);
        Ok(Performed { facts, notes, settled })
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
        let outcome = outcome.map_err(|error| match self.registry.get(&ticket.tool_name) {
            Some(tool) if !error.is_worded() => tool.rephrase(error),
            _ => error,
        });
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

/// A call that has been received and is carried out by whichever thread [runs](Self::run) it. See [`Executor::begin`].
pub struct ReceivedCall {
    executor: Executor,
    ticket: Ticket,
    cancel: CancellationToken,
}

impl ReceivedCall {
    /// Carries it out on this thread. Its deadline ends a tool that asks [`Call::checkpoint`]; any other, only
    /// [`supervise`](Self::supervise) gives up on.
    #[must_use]
    pub fn run(&self) -> ToolResult {
        self.executor.carry_out(&self.ticket, &self.cancel)
    }

    /// Waits for the result of [`run`](Self::run), which is at work on another thread, and gives up on a tool that does not stop
    /// when it was asked to. None from `work` means that it will never run.
    ///
    /// Needs a tokio runtime with time enabled.
    pub async fn supervise(&self, work: impl Future<Output = Option<ToolResult>>) -> ToolResult {
        let mut work = pin!(work);
        let reason = tokio::select! {
            done = &mut work => return self.done(done),
            reason = overdue(&self.cancel, &self.ticket.clock) => reason,
        };
        if !self.ticket.gate.shut() {
            // It is committing, which is soon over, and what was done must be told.
            return self.done(work.await);
        }
        let abandoned = reason
            .hint("the tool did not stop when asked and may still be running; what it finds is dropped")
            .with("still_running", true);
        self.executor.finish(&self.ticket, Err(abandoned))
    }

    fn done(&self, done: Option<ToolResult>) -> ToolResult {
        done.unwrap_or_else(|| self.executor.finish(&self.ticket, Err(cancelled())))
    }
}

/// What a call led to.
#[derive(Debug)]
pub struct Performed<T> {
    /// What the tool answered.
    pub facts: T,
    /// What else there is to know.
    pub notes: Notes,
    /// What became of the changes that it proposed.
    pub settled: Settled,
}

impl Reply {
    fn note_dry_run(&mut self, context: &ExecutionContext) {
        if context.dry_run {
            self.metadata.insert("dry_run".into(), true.into());
        }
    }
}

impl Performed<Reply> {
    fn into_reply(self) -> Reply {
        let Self { facts: mut reply, notes, settled } = self;
        merge(&mut reply.metadata, notes);
        merge(&mut reply.metadata, settled.notes);
        match (&mut reply.output, settled.preview) {
            (Value::String(output), Some(preview)) => *output = preview,
            // An answer that is an object keeps its form; the preview is beside it.
            (_, Some(preview)) => _ = reply.metadata.insert("preview".into(), preview.into()),
            (Value::String(output), None) => {
                settled.remarks.iter().for_each(|remark| output.push_str(&format!("\n{remark}")));
            }
            (_, None) => {}
        }
        reply
    }
}

/// Says what an [`Executor`] works with.
pub struct ExecutorBuilder {
    registry: Arc<Registry>,
    environment: Arc<dyn Environment>,
    log_limit: usize,
}

impl ExecutorBuilder {
    /// Lets the tools reach this.
    #[must_use]
    pub fn environment(mut self, environment: Arc<dyn Environment>) -> Self {
        self.environment = environment;
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
            environment: self.environment,
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
        .hint("this is a bug in the tool, not in the call; other calls are not affected")
}

fn must_not_propose(tool: &str) -> ToolError {
    ToolError::new(
        ErrorKind::Internal,
        format!("{tool} proposed a change, but its effect is not to propose any"),
    )
    .hint("nothing was changed; this is a bug in the tool: its effect must be `Proposes`")
}

fn did_not_run(tool: &str) -> ToolError {
    ToolError::new(ErrorKind::Internal, format!("{tool} was not run"))
        .hint("this is a bug in the environment of the executor")
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
