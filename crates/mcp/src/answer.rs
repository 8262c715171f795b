//! A tool's result as the protocol says it: a text for the model, and its images.
//!
//! The protocol has a second form, structured content, and many clients give the model that one alone: it then reads code as
//! one escaped string between facts that it does not need, and sees no image. So there is a text and nothing else, unless
//! the user who started the server wants the structured form.

use std::path::Path;

use rmcp::model::{CallToolResult, ContentBlock, ErrorData, MetaObject, ResourceContents};
use serde_json::{Map, Value, json};
use toolcrib::{Descriptor, ErrorKind, Image, ToolError, ToolResult, names};

use crate::resources::address_of;

/// What a client passes on to its model beside the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// The facts, as structured content.
    pub(crate) facts: bool,
    pub(crate) images: bool,
}

/// The answer to `tools/call`.
pub(crate) fn answer(mut result: ToolResult, tool: &Descriptor, form: Form) -> CallToolResult {
    let images = result.take_images();
    if let Some(field) = tool.conventions.structured_as.filter(|_| result.success) {
        return as_structured(&result, images, tool, field);
    }
    let mut content = vec![ContentBlock::text(text(&result, tool))];
    content.extend(half_done(&result));
    if !result.success {
        let mut answer = CallToolResult::error(content);
        // Structured content would have to match the output schema, which a failure does not.
        answer.meta = Some(MetaObject(reason(&result)));
        return answer;
    }
    if form.images {
        content
            .extend(images.into_iter().map(|image| ContentBlock::image(image.base64_data, image.mime_type)));
    } else if !images.is_empty() {
        content.push(ContentBlock::text("(this client shows no images)"));
    }
    let mut answer = CallToolResult::success(content);
    answer.structured_content = tool.output_schema.as_ref().filter(|_| form.facts).map(|_| facts(result));
    answer
}

/// The answer of a tool whose callers expect structured content that is the answer once more, and nothing else.
fn as_structured(result: &ToolResult, media: Vec<Image>, tool: &Descriptor, field: &str) -> CallToolResult {
    let mut content: Vec<ContentBlock> = media.into_iter().map(|media| block(media, result)).collect();
    let structured = if content.is_empty() {
        let text = text(result, tool);
        content.push(ContentBlock::text(text.clone()));
        Value::String(text)
    } else {
        serde_json::to_value(&content).unwrap_or_default()
    };
    let mut answer = CallToolResult::success(content);
    answer.structured_content = Some(json!({(field): structured}));
    answer
}

/// A file as the protocol shows one: an image, a sound, or bytes with their address.
fn block(media: Image, result: &ToolResult) -> ContentBlock {
    let Image { mime_type, base64_data } = media;
    match mime_type.split('/').next() {
        Some("image") => ContentBlock::image(base64_data, mime_type),
        Some("audio") => ContentBlock::audio(base64_data, mime_type),
        _ => {
            let path = result.metadata.get("media_path").and_then(Value::as_str).unwrap_or_default();
            let uri = address_of(Path::new(&names::unescape(path)));
            ContentBlock::resource(ResourceContents::blob(base64_data, uri).with_mime_type(mime_type))
        }
    }
}

/// What the model reads. An object takes as little room as it can.
fn text(result: &ToolResult, tool: &Descriptor) -> String {
    let mut text = match &result.output {
        output @ (Value::Object(_) | Value::Array(_)) if result.success => output.to_string(),
        _ => result.display(&tool.conventions),
    };
    // A model that asked for so many lines need not know that there are more.
    if let (Some(next), Value::String(_)) =
        (result.metadata.get("next_offset").and_then(Value::as_u64), &result.output)
        && !text.contains(&format!("offset {next}"))
    {
        text.push_str(&format!("\n\n(there is more: go on with offset {next})"));
    }
    for renamed in result.metadata.get("renamed").and_then(Value::as_array).into_iter().flatten() {
        if let (Some(given), Some(name)) = (renamed["given"].as_str(), renamed["parameter"].as_str()) {
            text.push_str(&format!("\n(the parameter {given} was taken as {name})"));
        }
    }
    text
}

/// That files may be half changed is for the model to know, and not every client passes the facts on to it.
fn half_done(result: &ToolResult) -> impl Iterator<Item = ContentBlock> {
    let warnings = result.metadata.get("half_done").and_then(Value::as_array).into_iter().flatten();
    warnings.filter_map(Value::as_str).map(|warning| ContentBlock::text(format!("Warning: {warning}")))
}

/// What a tool answered: an object is its own facts, a text has them in the metadata and goes with them, since some clients
/// pass only this on to the model.
fn facts(result: ToolResult) -> Value {
    match result.output {
        Value::Object(facts) => Value::Object(facts),
        text => {
            let mut facts = result.metadata;
            facts.insert("output".into(), text);
            Value::Object(facts)
        }
    }
}

/// What kind of failure it is, for programs. Some clients show the model this too, so there is nothing else in it.
fn reason(result: &ToolResult) -> Map<String, Value> {
    let kind = result.metadata.get("error_kind").map(|kind| ("toolcrib/error_kind".to_owned(), kind.clone()));
    kind.into_iter().collect()
}

/// A failure of what is no tool's call, as an error of the protocol.
pub(crate) fn failure(error: ToolError) -> ErrorData {
    let hint = error.next_step().map_or_else(String::new, |hint| format!(" ({hint})"));
    let text = format!("{error}{hint}");
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::OutsideWorkspace | ErrorKind::PermissionDenied => {
            ErrorData::resource_not_found(text, None)
        }
        ErrorKind::Io | ErrorKind::Internal => ErrorData::internal_error(text, None),
        _ => ErrorData::invalid_params(text, None),
    }
}
