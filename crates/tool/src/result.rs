//! What a call gives back.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Conventions, ToolError};

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
        self.display(&Conventions::default())
    }

    /// The answer as one text for those who call a tool with these conventions.
    #[must_use]
    pub fn display(&self, conventions: &Conventions) -> String {
        match (&self.error, &self.output) {
            (Some(error), _) => {
                let [before, between] =
                    if conventions.plain_errors { ["", "\n"] } else { ["Error: ", "\nHint: "] };
                let hint = self.metadata.get("hint").and_then(Value::as_str);
                let hint = hint.map(|hint| format!("{between}{hint}")).unwrap_or_default();
                format!("{before}{error}{hint}")
            }
            (None, Value::String(text)) => text.clone(),
            (None, Value::Null) => String::new(),
            (None, other) => format!("{other:#}"),
        }
    }
}

/// An image that goes with an answer, for a door that can show one.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// What it is, such as `image/png`.
    pub mime_type: String,
    /// Its bytes, in base64.
    pub base64_data: String,
}

impl ToolResult {
    /// Takes the images out of the metadata, so that a door can hand them over in its own way and not twice.
    ///
    /// An image is `base64_data` beside a `mime_type`: in the metadata itself, or in an entry of its list `images`. What
    /// else is said of it stays.
    ///
    /// ```
    /// use toolcrib_tool::ToolResult;
    ///
    /// let mut result = ToolResult::ok("a picture").with("mime_type", "image/png").with("base64_data", "iVBORw0K");
    /// assert_eq!(result.take_images()[0].base64_data, "iVBORw0K");
    /// assert_eq!(result.metadata["mime_type"], "image/png");
    /// assert!(result.take_images().is_empty());
    /// ```
    pub fn take_images(&mut self) -> Vec<Image> {
        let mut images: Vec<Image> = take_image(&mut self.metadata).into_iter().collect();
        if let Some(Value::Array(entries)) = self.metadata.get_mut("images") {
            images.extend(entries.iter_mut().filter_map(|entry| take_image(entry.as_object_mut()?)));
        }
        images
    }
}

fn take_image(facts: &mut Map<String, Value>) -> Option<Image> {
    let mime_type = facts.get("mime_type")?.as_str()?.to_owned();
    match facts.remove("base64_data") {
        Some(Value::String(base64_data)) => Some(Image { mime_type, base64_data }),
        _ => None,
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mime_type, base64_data } = self;
        f.debug_struct("Image")
            .field("mime_type", mime_type)
            .field("bytes", &(base64_data.len() / 4 * 3))
            .finish()
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
    fn images_are_taken_in_order_and_their_facts_stay() {
        let image = |data: &str| json!({"cell": 1, "mime_type": "image/png", "base64_data": data});
        let mut result = ToolResult::ok("x").with("images", json!([image("one"), {"cell": 2}, image("two")]));
        let taken: Vec<String> = result.take_images().into_iter().map(|image| image.base64_data).collect();
        assert_eq!(taken, ["one", "two"]);
        assert_eq!(result.metadata["images"][2], json!({"cell": 1, "mime_type": "image/png"}));
    }

    #[test]
    fn an_object_is_displayed_as_json() {
        assert_eq!(ToolResult::ok(json!({"a": 1})).to_display(), "{\n  \"a\": 1\n}");
        assert_eq!(ToolResult::ok(Value::Null).to_display(), "");
    }
}
