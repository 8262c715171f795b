//! What a call gives back.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ToolError;

/// What a tool itself answers, before the frame adds what it knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// What the model reads: a text, or an object where the tool answers in objects.
    pub output: Value,
    /// Facts beside the output.
    pub metadata: Map<String, Value>,
}

/// The answer to a call, whether it went well or not.
///
/// ```
/// use toolcrib_tool::ToolResult;
///
/// let result = ToolResult::ok("done").with("lines", 3);
/// assert_eq!(result.to_display(), "done");
/// assert_eq!(result.metadata["lines"], 3);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Whether the call did what was asked.
    pub success: bool,
    /// What the model reads; null after a failure.
    pub output: Value,
    /// The sentence that says what went wrong.
    pub error: Option<String>,
    /// How long the call took.
    pub duration_ms: Option<f64>,
    /// Facts for programs: after a failure at least `error_kind`.
    pub metadata: Map<String, Value>,
}

impl ToolResult {
    /// The call went well.
    pub fn ok(output: impl Into<Value>) -> Self {
        Self { success: true, output: output.into(), error: None, duration_ms: None, metadata: Map::new() }
    }

    /// The call failed. Prefer converting a [`ToolError`], which carries its kind.
    pub fn fail(error: impl Into<String>) -> Self {
        Self {
            success: false,
            output: Value::Null,
            error: Some(error.into()),
            duration_ms: None,
            metadata: Map::new(),
        }
    }

    /// Adds a fact.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.to_owned(), value.into());
        self
    }

    /// The answer as one text, for a model or a person to read.
    #[must_use]
    pub fn to_display(&self) -> String {
        match (&self.error, &self.output) {
            (Some(error), _) => match self.metadata.get("hint").and_then(Value::as_str) {
                Some(hint) => format!("Error: {error}\nHint: {hint}"),
                None => format!("Error: {error}"),
            },
            (None, Value::String(text)) => text.clone(),
            (None, Value::Null) => String::new(),
            (None, other) => format!("{other:#}"),
        }
    }
}

impl From<Reply> for ToolResult {
    fn from(reply: Reply) -> Self {
        Self { metadata: reply.metadata, ..Self::ok(reply.output) }
    }
}

impl From<ToolError> for ToolResult {
    fn from(error: ToolError) -> Self {
        let (message, metadata) = error.into_parts();
        Self { metadata, ..Self::fail(message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use serde_json::json;

    #[test]
    fn a_failure_shows_its_sentence_and_the_way_on() {
        let result: ToolResult = ToolError::new(ErrorKind::NotFound, "gone").hint("look elsewhere").into();
        assert_eq!(result.to_display(), "Error: gone\nHint: look elsewhere");
        assert_eq!(result.metadata["error_kind"], "not_found");
    }

    #[test]
    fn it_serializes_as_the_five_fields() {
        let value = serde_json::to_value(ToolResult::ok("x")).unwrap();
        assert_eq!(
            value,
            json!({"success": true, "output": "x", "error": null, "duration_ms": null, "metadata": {}})
        );
    }

    #[test]
    fn an_object_is_displayed_as_json() {
        assert_eq!(ToolResult::ok(json!({"a": 1})).to_display(), "{\n  \"a\": 1\n}");
        assert_eq!(ToolResult::ok(Value::Null).to_display(), "");
    }
}
