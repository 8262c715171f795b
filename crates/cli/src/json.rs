//! The one shape of `--json`.

use std::process::ExitCode;

use serde::Serialize;
use serde_json::Value;
use toolcrib::ToolResult;

use crate::failure::Failure;
use crate::output;

/// Prints a result.
pub(crate) fn print(text: &str, facts: &impl Serialize) -> Result<ExitCode, Failure> {
    let mut result = ToolResult::ok(text.trim_end_matches('\n'));
    if let Value::Object(facts) = serde_json::to_value(facts).map_err(Failure::failed)? {
        result.metadata = facts;
    }
    output::answer_json(&serde_json::to_string(&result).map_err(Failure::failed)?)?;
    Ok(ExitCode::SUCCESS)
}
