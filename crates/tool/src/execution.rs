//! The record of what was called and how it went.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::weight::{weight, weight_of};
use crate::{ExecutionContext, ToolResult};

/// Where a call stands, or stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// A caller asked for it.
    Received,
    /// The tool is looked up and the parameters are checked.
    Validating,
    /// The parameters fit.
    Validated,
    /// It is shown instead of done.
    DryRun,
    /// The tool works.
    Executing,
    /// It went well.
    Completed,
    /// It did not.
    Failed,
    /// The deadline passed.
    TimedOut,
    /// The caller cancelled it.
    Cancelled,
}

impl State {
    /// Whether nothing comes after it.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::TimedOut | Self::Cancelled)
    }
}

/// One call from beginning to end.
#[derive(Clone, Debug, Serialize)]
pub struct ToolExecution {
    /// The name that was called, whether such a tool exists or not.
    pub tool_name: String,
    /// The arguments as they were given.
    pub parameters: Value,
    /// Under which circumstances.
    pub context: ExecutionContext,
    /// What came back.
    pub result: ToolResult,
    /// The states it went through, the last being the final one.
    pub states: Vec<State>,
    /// When it began.
    #[serde(serialize_with = "timestamp")]
    pub started_at: SystemTime,
    /// When it ended.
    #[serde(serialize_with = "timestamp")]
    pub completed_at: SystemTime,
    /// How long it took.
    pub duration_ms: f64,
}

impl ToolExecution {
    /// How it ended.
    #[must_use]
    pub fn state(&self) -> State {
        self.states.last().copied().unwrap_or(State::Received)
    }

    /// Roughly how much memory the record holds on to.
    fn weight(&self) -> usize {
        weight(&self.parameters) + weight(&self.result.output) + weight_of(&self.result.metadata)
    }
}

/// The latest executions, oldest first, bounded in number and in size.
#[derive(Debug)]
pub struct ExecutionLog {
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    executions: VecDeque<Arc<ToolExecution>>,
    bytes: usize,
}

impl ExecutionLog {
    /// How many executions are kept unless the user says otherwise.
    pub const DEFAULT_LIMIT: usize = 1000;
    /// How many bytes of arguments and answers are kept; the newest execution is kept in any case.
    pub const MAX_BYTES: usize = 16 * 1024 * 1024;

    /// Arguments as they are kept: what alone would be more than all that may be kept is left out.
    pub(crate) fn kept(arguments: &Value) -> Value {
        match weight(arguments) {
            bytes if bytes > Self::MAX_BYTES => format!("(left out: some {bytes} bytes of arguments)").into(),
            _ => arguments.clone(),
        }
    }

    /// A log of at most `most` executions.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { most, kept: Mutex::default() }
    }

    /// Adds one; the oldest go when there is no more room.
    pub fn push(&self, execution: ToolExecution) {
        let mut kept = self.lock();
        kept.bytes += execution.weight();
        kept.executions.push_back(Arc::new(execution));
        while kept.executions.len() > self.most || (kept.bytes > Self::MAX_BYTES && kept.executions.len() > 1)
        {
            let Some(oldest) = kept.executions.pop_front() else { break };
            kept.bytes -= oldest.weight();
        }
    }

    /// All that are kept, oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<ToolExecution>> {
        self.lock().executions.iter().cloned().collect()
    }

    /// Forgets all.
    pub fn clear(&self) {
        *self.lock() = Kept::default();
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Kept> {
        // Each change leaves the list whole, so a panic elsewhere while it was held is no reason to lose it.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn timestamp<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&humantime::format_rfc3339_millis(*time))
}

/// Milliseconds with a fraction, as the specification counts.
pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn execution(name: &str, output: String) -> ToolExecution {
        ToolExecution {
            tool_name: name.to_owned(),
            parameters: Value::Null,
            context: ExecutionContext::new("/"),
            result: ToolResult::ok(output),
            states: vec![State::Received, State::Completed],
            started_at: SystemTime::UNIX_EPOCH,
            completed_at: SystemTime::UNIX_EPOCH,
            duration_ms: 0.0,
        }
    }

    fn names(log: &ExecutionLog) -> Vec<String> {
        log.all().iter().map(|execution| execution.tool_name.clone()).collect()
    }

    #[test]
    fn the_oldest_go_first() {
        let log = ExecutionLog::new(2);
        for name in ["a", "b", "c"] {
            log.push(execution(name, String::new()));
        }
        assert_eq!(names(&log), ["b", "c"]);
        log.clear();
        assert!(log.all().is_empty());
    }

    #[test]
    fn large_answers_do_not_pile_up() {
        let log = ExecutionLog::new(1000);
        for name in ["a", "b", "c", "d"] {
            log.push(execution(name, "x".repeat(ExecutionLog::MAX_BYTES / 2)));
        }
        assert_eq!(names(&log), ["d"], "two of half the size and their parameters are just too much");
    }

    #[test]
    fn arguments_that_are_too_large_are_left_out() {
        let large = Value::String("x".repeat(ExecutionLog::MAX_BYTES));
        assert!(ExecutionLog::kept(&large).as_str().unwrap().starts_with("(left out: some 167"));
        assert_eq!(ExecutionLog::kept(&serde_json::json!({"a": 1})), serde_json::json!({"a": 1}));
    }

    #[test]
    fn times_are_written_so_that_people_and_programs_read_them() {
        let value = serde_json::to_value(execution("a", String::new())).unwrap();
        assert_eq!(value["started_at"], "1970-01-01T00:00:00.000Z");
        assert_eq!(value["states"], serde_json::json!(["received", "completed"]));
    }
}
