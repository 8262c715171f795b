//! The process that makes the calls: one line in, one line out.

use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolcrib::{
    Answer, Call, Category, Dialect, Effect, ExecutionContext, Executor, FileAccess, History, Registry,
    Settings, Tool, ToolError, Workspace,
};
use toolcrib_testkit::limits::{limit_address_space, processor_time};

use crate::tree::size_of;

/// Set for a process that is a child, to what it is to do.
pub(crate) const CHILD: &str = "TOOLCRIB_COST_CHILD";

/// What a child is told.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Orders {
    pub(crate) root: PathBuf,
    /// Where changes are written down.
    pub(crate) state: PathBuf,
    /// How much address space it may have.
    pub(crate) megabytes: u64,
    /// How much one call may add to files.
    pub(crate) max_growth: usize,
    /// Whether memory goes back to the system as soon as it can.
    pub(crate) frugal: bool,
}

/// A call, as the child is sent it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Order {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) timeout_ms: u64,
    /// When it is cancelled, if it is.
    pub(crate) cancel_ms: Option<u64>,
    pub(crate) dry_run: bool,
}

/// What the child tells about a call.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Report {
    /// `ok`, or the kind of the error.
    pub(crate) outcome: String,
    /// What it said, the beginning of it.
    pub(crate) said: String,
    /// How long processors worked for it, in milliseconds.
    pub(crate) worked: u64,
    /// How long they did after its time was up or it was cancelled.
    pub(crate) over: u64,
    /// How long the line is that the answer would be.
    pub(crate) size: usize,
    /// How many bytes the call had.
    pub(crate) request: u64,
    /// How many bytes all files together have grown.
    pub(crate) grown: u64,
    /// How many megabytes of address space the process has afterwards.
    pub(crate) memory: u64,
}

/// So long processors may work for a call that should have ended before the child ends itself.
const RUNAWAY: Duration = Duration::from_secs(20);

pub(crate) fn run() {
    let orders: Orders = serde_json::from_str(&std::env::var(CHILD).unwrap()).unwrap();
    limit_address_space(orders.megabytes << 20);
    let executors = Dialect::ALL.map(|dialect| executor(dialect, &orders));
    let watch = Arc::new(Watch::default());
    {
        let watch = Arc::clone(&watch);
        std::thread::Builder::new().stack_size(64 * 1024).spawn(move || watch.run()).unwrap();
    }
    let stdin = std::io::stdin().lock();
    let mut size = size_of(&orders.root);
    for line in stdin.lines() {
        let line = line.unwrap();
        let order: Order = serde_json::from_str(&line).unwrap();
        let request = line.len() as u64;
        drop(line);
        let mut report = carry_out(&executors, &orders, order, &watch);
        let now = size_of(&orders.root);
        (report.request, report.grown) = (request, now.saturating_sub(size));
        report.memory = memory();
        size = now;
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{}", serde_json::to_string(&report).unwrap()).unwrap();
        stdout.flush().unwrap();
    }
}

fn executor(dialect: Dialect, orders: &Orders) -> Executor {
    let registry = Registry::new();
    let settings =
        Settings { undo: true, more_tools: true, max_growth: orders.max_growth, ..Settings::default() };
    registry.register_many(dialect.tools(settings)).unwrap();
    registry.register(Burn).unwrap();
    registry.register(Hoard).unwrap();
    registry.register(Gather).unwrap();
    registry.register(Sink).unwrap();
    let workspace = Workspace::open(&orders.root).unwrap();
    let history = History::new(&orders.state, &workspace);
    let files = FileAccess::builder(workspace).history(history).unread_writes(true).build();
    Executor::builder(Arc::new(registry)).environment(Arc::new(files)).build()
}

fn carry_out(executors: &[Executor], orders: &Orders, order: Order, watch: &Watch) -> Report {
    let executor = executors.iter().find(|executor| executor.registry().exists(&order.tool));
    let executor = executor.unwrap_or(&executors[0]);
    let context = ExecutionContext::new(&orders.root)
        .timeout(Duration::from_millis(order.timeout_ms))
        .dry_run(order.dry_run);
    let end = order.cancel_ms.unwrap_or(u64::MAX).min(order.timeout_ms);
    let before = processor_time();
    watch.begin(Instant::now() + Duration::from_millis(end), order.cancel_ms.map(|_| context.cancel.clone()));
    let result = executor.execute_blocking(&order.tool, order.arguments, &context);
    let worked = processor_time() - before;
    let over = watch.end();
    let size = serde_json::to_string(&result).map_or(0, |line| line.len());
    let kind = result.metadata.get("error_kind").and_then(Value::as_str).unwrap_or("error").to_owned();
    let (outcome, said) = match result.error {
        None => ("ok".to_owned(), result.output.to_string()),
        Some(error) => (kind, error),
    };
    let said = said.chars().take(300).collect();
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap();
    Report {
        outcome,
        said,
        worked: milliseconds(worked),
        over: milliseconds(over),
        size,
        request: 0,
        grown: 0,
        memory: 0,
    }
}

/// How many megabytes of address space this process has.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

/// Sees when a call should have ended, and how long processors work for it from then on.
#[derive(Default)]
struct Watch {
    current: Mutex<Option<Current>>,
    changed: Condvar,
}

struct Current {
    end: Instant,
    /// Cancels the call, if it is to be.
    cancel: Option<tokio_util::sync::CancellationToken>,
    /// How long processors had worked when it should have ended.
    at_end: Option<Duration>,
}

impl Watch {
    fn begin(&self, end: Instant, cancel: Option<tokio_util::sync::CancellationToken>) {
        *self.current.lock().unwrap() = Some(Current { end, cancel, at_end: None });
        self.changed.notify_all();
    }

    fn end(&self) -> Duration {
        let current = self.current.lock().unwrap().take();
        current.and_then(|current| current.at_end).map_or(Duration::ZERO, |at_end| processor_time() - at_end)
    }

    fn run(&self) {
        let mut guard = self.current.lock().unwrap();
        loop {
            let wait = match guard.as_mut() {
                None => Duration::from_secs(3600),
                Some(current) => match (current.end.checked_duration_since(Instant::now()), current.at_end) {
                    (Some(left), _) if !left.is_zero() => left,
                    (_, None) => {
                        current.at_end = Some(processor_time());
                        if let Some(cancel) = current.cancel.take() {
                            cancel.cancel();
                        }
                        Duration::from_millis(100)
                    }
                    (_, Some(at_end)) if processor_time() - at_end > RUNAWAY => {
                        eprintln!("the call does not end");
                        std::process::exit(RAN_AWAY);
                    }
                    (_, Some(_)) => Duration::from_millis(100),
                },
            };
            guard = self.changed.wait_timeout(guard, wait).unwrap().0;
        }
    }
}

/// How the child ends that has waited too long for a call.
pub(crate) const RAN_AWAY: i32 = 17;

/// A tool that does not ask whether to go on: the control of time.
struct Burn;

/// A tool that takes more memory than there is: the control of memory.
struct Hoard;

/// A tool that takes memory without asking for it, but asks whether to go on.
struct Gather;

/// A tool that takes all memory, and then goes deep into its stack.
struct Sink;

#[derive(Deserialize, schemars::JsonSchema)]
struct Nothing {
    /// How much.
    amount: u64,
}

impl Tool for Burn {
    type Input = Nothing;
    type Output = Value;
    const NAME: &'static str = "Burn";
    const DESCRIPTION: &'static str = "Keeps a processor busy for so many milliseconds.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: Nothing, _: &Call<'_>) -> Result<Answer<Value>, ToolError> {
        let end = processor_time() + Duration::from_millis(input.amount);
        let mut turns = 0_u64;
        while processor_time() < end {
            turns += 1;
        }
        Ok(json!(turns).into())
    }
}

impl Tool for Hoard {
    type Input = Nothing;
    type Output = Value;
    const NAME: &'static str = "Hoard";
    const DESCRIPTION: &'static str = "Takes so many megabytes.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: Nothing, _: &Call<'_>) -> Result<Answer<Value>, ToolError> {
        let megabytes = usize::try_from(input.amount).unwrap();
        Ok(json!(std::hint::black_box(vec![1_u8; megabytes << 20]).len()).into())
    }
}

impl Tool for Gather {
    type Input = Nothing;
    type Output = Value;
    const NAME: &'static str = "Gather";
    const DESCRIPTION: &'static str = "Takes so many megabytes, one after the other.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: Nothing, call: &Call<'_>) -> Result<Answer<Value>, ToolError> {
        let mut gathered = Vec::new();
        for _ in 0..input.amount {
            call.checkpoint()?;
            gathered.push(std::hint::black_box(vec![1_u8; 1 << 20]));
        }
        Ok(json!(gathered.len()).into())
    }
}

impl Tool for Sink {
    type Input = Nothing;
    type Output = Value;
    const NAME: &'static str = "Sink";
    const DESCRIPTION: &'static str = "Uses so many kilobytes of stack where no memory is left.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: Nothing, _: &Call<'_>) -> Result<Answer<Value>, ToolError> {
        let mut all: Vec<Vec<u8>> = Vec::with_capacity(1000);
        for size in [16 << 20, 1 << 20, 64 << 10, 4 << 10] {
            let take = || {
                let mut taken = Vec::new();
                taken.try_reserve_exact(size).is_ok().then_some(taken)
            };
            all.extend(std::iter::from_fn(take).take(200));
        }
        let deepest = sink(input.amount);
        drop(all);
        Ok(json!(deepest).into())
    }
}

/// Goes so many kilobytes deep.
#[inline(never)]
fn sink(kilobytes: u64) -> u64 {
    let here = std::hint::black_box([1_u8; 1024]);
    if kilobytes == 0 { 0 } else { sink(kilobytes - 1) + u64::from(here[0]) }
}
