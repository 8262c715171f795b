//! What the frame adds to a call: look up, validate, run, bound, record.
//!
//! A tool that does nothing is called through the executor, and beside it as the bare function that it is. The aim is
//! that the frame adds less than 20 µs. An awaited call works on another thread, and the way there and back takes
//! longer than the frame; so it is held against the bare function on another thread, and the table shows the whole.
//!
//! Run it with `cargo xtask bench frame`; it ends with status 1 if the aim is missed.

#![expect(clippy::print_stdout, reason = "a benchmark shows a table")]

mod measure;

use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use measure::{Samples, aim, show, shown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use toolcrib::{Answer, Call, Effect, ExecutionContext, Executor, Registry, Tool, ToolError};

const ROUNDS: usize = 60;
const CALLS: usize = 500;
/// As many calls as fill the log of an executor; a round alone does not.
const LOG: usize = 1000;
/// In seconds.
const AIM: f64 = 20e-6;
const PATH: &str = "/home/ada/project/src/main.rs";

/// Takes what a file tool takes, and does nothing with it.
struct Nothing;

#[derive(Deserialize, JsonSchema)]
struct Input {
    /// A path.
    #[schemars(length(min = 1))]
    path: String,
    /// Where to start.
    #[serde(default)]
    #[schemars(range(min = 0))]
    offset: u64,
    /// How much.
    #[schemars(range(min = 1, max = 10_000))]
    limit: u64,
    /// How to show it.
    mode: Mode,
    /// Whether to show all.
    #[serde(default)]
    all: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Content,
    Count,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    /// How much there was.
    count: u64,
}

impl Tool for Nothing {
    type Input = Input;
    type Output = Output;
    const NAME: &'static str = "Nothing";
    const DESCRIPTION: &'static str = "Does nothing.";
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: Input, _call: &Call<'_>) -> Result<Answer<Output>, ToolError> {
        Ok(nothing(&input).into())
    }
}

#[inline(never)]
fn nothing(input: &Input) -> Output {
    let shown = matches!(input.mode, Mode::Count) || input.all;
    Output { count: input.offset + input.limit + u64::from(shown) + input.path.len() as u64 }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    println!("{ROUNDS} rounds of {CALLS} calls each, taking turns, per call; the tool has five parameters");
    let blocking = compare_blocking()?;
    let one = compare_awaited(
        "Awaited, on a runtime with one thread",
        &Builder::new_current_thread().enable_all().build()?,
    )?;
    let two = compare_awaited(
        "Awaited, on a runtime with two threads",
        &Builder::new_multi_thread().worker_threads(2).enable_all().build()?,
    )?;
    Ok(if blocking && one && two { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn compare_blocking() -> Result<bool, Box<dyn Error>> {
    let context = context();
    let long = json!({"path": "x".repeat(64 * 1024), "limit": 2000, "mode": "content"});
    let (fresh, full) = (executor()?, filled(executor()?)?);
    let mut bare = Samples::new("the bare function");
    let mut on_fresh = Samples::new("execute_blocking, the log empty at first");
    let mut on_full = Samples::new("execute_blocking, the log full");
    let mut with_long = Samples::new("execute_blocking, 64 KiB of parameters");
    for _ in 0..ROUNDS {
        bare.push(time(|| _ = black_box(nothing(black_box(&input())))), CALLS);
        fresh.clear_executions();
        on_fresh.push(time(|| _ = call(&fresh, &arguments(), &context)), CALLS);
        on_full.push(time(|| _ = call(&full, &arguments(), &context)), CALLS);
        fresh.clear_executions();
        with_long.push(time(|| _ = call(&fresh, &long, &context)), CALLS);
    }
    show("Blocking", &[&bare, &on_fresh, &on_full, &with_long]);
    Ok(frame_is_quick(&bare, &on_fresh) && frame_is_quick(&bare, &on_full))
}

fn compare_awaited(title: &str, runtime: &Runtime) -> Result<bool, Box<dyn Error>> {
    let context = context();
    let full = filled(executor()?)?;
    let mut bare = Samples::new("the bare function, by spawn_blocking");
    let mut awaited = Samples::new("execute, the log full");
    for _ in 0..ROUNDS {
        bare.push(runtime.block_on(time_spawned()), CALLS);
        awaited.push(runtime.block_on(time_awaited(&full, &context)), CALLS);
    }
    show(title, &[&bare, &awaited]);
    Ok(frame_is_quick(&bare, &awaited))
}

fn frame_is_quick(bare: &Samples, framed: &Samples) -> bool {
    let added = framed.median() - bare.median();
    aim(&format!("the frame adds less than 20 µs to {}", bare.name), &shown(added), added < AIM)
}

fn time(mut call: impl FnMut()) -> Duration {
    let started = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    started.elapsed()
}

async fn time_spawned() -> Duration {
    let started = Instant::now();
    for _ in 0..CALLS {
        let input = input();
        _ = black_box(tokio::task::spawn_blocking(move || nothing(&input)).await);
    }
    started.elapsed()
}

async fn time_awaited(executor: &Executor, context: &ExecutionContext) -> Duration {
    let started = Instant::now();
    for _ in 0..CALLS {
        black_box(executor.execute("Nothing", arguments(), context).await);
    }
    started.elapsed()
}

/// One call. It uses its arguments up, so a caller has to make them each time, and that is measured too.
fn call(executor: &Executor, arguments: &Value, context: &ExecutionContext) -> Result<Value, String> {
    let result = black_box(executor.execute_blocking("Nothing", arguments.clone(), context));
    result.error.map_or(Ok(result.output), Err)
}

fn executor() -> Result<Executor, ToolError> {
    let registry = Registry::new();
    registry.register(Nothing)?;
    Ok(Executor::new(Arc::new(registry)))
}

/// The same executor after so many calls that each new record pushes an old one out.
fn filled(executor: Executor) -> Result<Executor, String> {
    for _ in 0..LOG {
        call(&executor, &arguments(), &context())?;
    }
    Ok(executor)
}

fn context() -> ExecutionContext {
    ExecutionContext::new("/home/ada/project").session("s1").agent("bench")
}

/// One of them as a string, as models like to write it.
fn arguments() -> Value {
    json!({"path": PATH, "offset": "1", "limit": 2000, "mode": "content"})
}

fn input() -> Input {
    Input { path: PATH.to_owned(), offset: 1, limit: 2000, mode: Mode::Content, all: false }
}
