//! What an executor does with the proposals of its tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolcrib_tool::{
    Answer, Call, Effect, Environment, ExecutionContext, Executor, Notes, Proposals, Registry, Settled, Tool,
    ToolError, ToolResult,
};

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// Proposes a number that grows with every attempt, and notes something only in its first attempt.
struct Propose<const READS: bool>(AtomicUsize);

impl<const READS: bool> Tool for Propose<READS> {
    type Input = Nothing;
    type Output = String;
    const NAME: &'static str = "Propose";
    const DESCRIPTION: &'static str = "Proposes.";
    const EFFECT: Effect = if READS { Effect::Reads } else { Effect::Proposes };

    fn run(&self, _: Nothing, _: &Call<'_>) -> Result<Answer<String>, ToolError> {
        let attempt = self.0.fetch_add(1, Ordering::SeqCst) + 1;
        let answer = Answer::from(format!("attempt {attempt}")).propose(Proposals::new(attempt));
        Ok(if attempt == 1 { answer.note("first", true) } else { answer.note("later", true) })
    }
}

/// Runs each tool until its proposal is at least this.
struct AtLeast(usize);

impl Environment for AtLeast {
    fn enter(&self, _: &Call<'_>) -> Result<Notes, ToolError> {
        Ok([("entered".to_owned(), Value::from(true))].into_iter().collect())
    }

    fn settle(
        &self,
        _: &Call<'_>,
        attempt: &mut dyn FnMut() -> Result<Option<Proposals>, ToolError>,
    ) -> Result<Settled, ToolError> {
        loop {
            let proposed = attempt()?.and_then(Proposals::downcast::<usize>).unwrap();
            if proposed >= self.0 {
                let notes = [("made".to_owned(), Value::from(proposed))].into_iter().collect();
                return Ok(Settled { notes, preview: None, remarks: vec!["and made".to_owned()] });
            }
        }
    }
}

fn run(tool: impl Tool, environment: Option<AtLeast>) -> ToolResult {
    let registry = Registry::new();
    registry.register(tool).unwrap();
    let mut executor = Executor::builder(Arc::new(registry));
    if let Some(environment) = environment {
        executor = executor.environment(Arc::new(environment));
    }
    executor.build().execute_blocking("Propose", json!({}), &ExecutionContext::new("/"))
}

#[test]
fn what_is_proposed_is_made_by_the_environment() {
    let result = run(Propose::<false>(AtomicUsize::new(0)), Some(AtLeast(1)));
    assert_eq!(result.output, "attempt 1\nand made");
    assert_eq!(Value::Object(result.metadata), json!({"entered": true, "first": true, "made": 1}));
}

#[test]
fn a_second_attempt_starts_clean() {
    let result = run(Propose::<false>(AtomicUsize::new(0)), Some(AtLeast(3)));
    assert_eq!(result.output, "attempt 3\nand made");
    assert_eq!(Value::Object(result.metadata), json!({"entered": true, "later": true, "made": 3}));
}

#[test]
fn a_tool_that_only_reads_must_not_propose() {
    let result = run(Propose::<true>(AtomicUsize::new(0)), Some(AtLeast(1)));
    assert_eq!(
        result.error.as_deref(),
        Some("Propose proposed a change, but its effect is not to propose any")
    );
    assert_eq!(result.metadata["error_kind"], "internal");
    assert!(!result.metadata.contains_key("made"));
}

#[test]
fn without_an_environment_nothing_can_be_proposed() {
    let result = run(Propose::<false>(AtomicUsize::new(0)), None);
    assert_eq!(result.error.as_deref(), Some("Propose proposed a change, and the executor cannot make any"));
}
