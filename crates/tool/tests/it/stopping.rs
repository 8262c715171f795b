//! Timeout and cancellation end the work, not only the wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio_util::sync::CancellationToken;
use toolcrib_tool::{ExecutionContext, Executor, State};

use crate::tools::{Counted, Deaf, Endless, executor};

/// An executor with a tool that stops when told, and how many are at work.
fn endless() -> (Executor, Arc<AtomicUsize>) {
    let at_work = Arc::new(AtomicUsize::new(0));
    let executor = executor(|registry| registry.register(Endless(Arc::clone(&at_work))).unwrap());
    (executor, at_work)
}

fn context() -> ExecutionContext {
    ExecutionContext::new("/").timeout(Duration::from_millis(50))
}

/// Paused, tokio's clock stands still for as long as a tool works: however busy the machine, the tool is not abandoned before it has
/// been told. The deadline of the call is real.
#[tokio::test(start_paused = true)]
async fn after_a_timeout_nothing_is_at_work() {
    let (executor, at_work) = endless();
    let result = executor.execute("Endless", json!({}), &context()).await;
    assert_eq!(at_work.load(Ordering::SeqCst), 0, "a thread is still running");
    assert_eq!(result.error.as_deref(), Some("Timed out after 50ms"));
    assert_eq!(result.metadata["error_kind"], "timed_out");
    assert!(!result.metadata.contains_key("still_running"));
    let states = &executor.get_executions()[0].states;
    assert_eq!(states[states.len() - 2..], [State::Executing, State::TimedOut]);
}

#[test]
fn a_timeout_also_ends_a_call_on_the_callers_own_thread() {
    let (executor, at_work) = endless();
    let result = executor.execute_blocking("Endless", json!({}), &context());
    assert_eq!(result.metadata["error_kind"], "timed_out");
    assert_eq!(at_work.load(Ordering::SeqCst), 0);
}

/// The control: a tool that does not ask is not ended by its deadline, and the answer says so.
#[tokio::test]
async fn a_tool_that_does_not_listen_is_given_up_on_and_named() {
    let deaf = Deaf::default();
    let executor = executor(|registry| registry.register(deaf.clone()).unwrap());
    let result = executor.execute("Deaf", json!({}), &context()).await;
    let at_work = &deaf.at_work;
    assert_eq!(at_work.load(Ordering::SeqCst), 1, "the test above would not see a thread that runs on");
    assert_eq!(result.metadata["still_running"], true);
    assert_eq!(result.metadata["error_kind"], "timed_out");
    deaf.let_go.store(true, Ordering::SeqCst);
    while at_work.load(Ordering::SeqCst) > 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(executor.get_executions().len(), 1, "what it answered in the end is dropped");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_ends() {
    let (executor, at_work) = endless();
    let token = CancellationToken::new();
    let context = ExecutionContext::new("/").cancelled_by(token.clone());
    let (result, ()) = tokio::join!(executor.execute("Endless", json!({}), &context), async {
        while at_work.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        token.cancel();
    });
    assert_eq!(result.error.as_deref(), Some("Cancelled by the caller"));
    assert_eq!(at_work.load(Ordering::SeqCst), 0);
    assert_eq!(executor.get_executions()[0].state(), State::Cancelled);
}

#[tokio::test]
async fn a_call_whose_caller_goes_away_ends_and_is_recorded() {
    let (executor, at_work) = endless();
    let context = ExecutionContext::new("/");
    let call =
        tokio::time::timeout(Duration::from_millis(50), executor.execute("Endless", json!({}), &context));
    assert!(call.await.is_err(), "the call was dropped while it worked");
    let began = Instant::now();
    while at_work.load(Ordering::SeqCst) > 0 || executor.get_executions().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "it goes on without anybody to answer");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(executor.get_executions()[0].state(), State::Cancelled);
}

#[test]
fn a_call_that_was_cancelled_before_it_began_does_not_begin() {
    let begun = Arc::new(AtomicUsize::new(0));
    let executor = executor(|registry| registry.register(Counted(Arc::clone(&begun))).unwrap());
    let token = CancellationToken::new();
    token.cancel();
    let context = ExecutionContext::new("/").cancelled_by(token);
    let result = executor.execute_blocking("Counted", json!({}), &context);
    assert_eq!(result.metadata["error_kind"], "cancelled");
    assert_eq!(begun.load(Ordering::SeqCst), 0);
    executor.execute_blocking("Counted", json!({}), &ExecutionContext::new("/"));
    assert_eq!(begun.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_hundred_calls_time_out_together() {
    let (executor, at_work) = endless();
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let executor = executor.clone();
            tokio::spawn(async move { executor.execute("Endless", json!({}), &context()).await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap().metadata["error_kind"], "timed_out");
    }
    assert_eq!(at_work.load(Ordering::SeqCst), 0);
}
