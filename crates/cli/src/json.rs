//! The one shape of `--json`: what a tool answers with, also where no tool was called.
//!
//! `output` is the text that the command prints without `--json`, `metadata` holds the same as facts for programs. A command
//! that failed has `error`, with `error_kind` and `hint` in `metadata`.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;
use toolcrib::ToolResult;

use crate::failure::Failure;
use crate::output;

static STARTED: OnceLock<Instant> = OnceLock::new();

/// The command begins.
pub(crate) fn start_clock() {
    // A process that runs several commands, as a test may, counts from the first.
    _ = STARTED.set(Instant::now());
}

/// Whether these arguments ask for JSON, also where they are wrong and what they ask for is not known.
pub(crate) fn is_wanted(arguments: &[OsString]) -> bool {
    arguments.iter().skip(1).take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

/// Prints the result of a command that calls no tool: the text that it prints without `--json`, and an object of facts.
///
/// # Errors
///
/// If it cannot be written. An error of the command itself is returned instead of being printed here: it gets the same
/// shape.
pub(crate) fn print(text: &str, facts: &impl Serialize) -> Result<ExitCode, Failure> {
    let facts = serde_json::to_value(facts).map_err(Failure::failed)?;
    let mut result = ToolResult::ok(text.trim_end_matches('\n'));
    match facts {
        Value::Object(facts) => result.metadata = facts,
        Value::Null => {}
        other => result = result.with("value", other),
    }
    print_result(result)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints a result, with the time that the command took if it is not known how long the call did.
pub(crate) fn print_result(mut result: ToolResult) -> Result<(), Failure> {
    let took = || STARTED.get().map(|started| started.elapsed().as_secs_f64() * 1000.0);
    result.duration_ms = result.duration_ms.or_else(took).map(|ms| (ms * 1000.0).round() / 1000.0);
    output::answer_json(&serde_json::to_string(&result).map_err(Failure::failed)?)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_wanted_where_the_option_stands_as_one() {
        for (typed, wanted) in [
            ("toolcrib log --json", true),
            ("toolcrib --json", true),
            ("toolcrib grep -- --json", false),
            ("--json log", false),
            ("toolcrib log", false),
        ] {
            let arguments: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
            assert_eq!(is_wanted(&arguments), wanted, "{typed}");
        }
    }
}
