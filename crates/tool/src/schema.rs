//! How a tool is described to a model's provider.
//!
//! Every form is made of the same [`Descriptor`], with keywords that the provider is known to accept. What differs is
//! the envelope, and how `openai-strict` writes a parameter that may be left out.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value, json};

use crate::parameter::object_schema;
use crate::{Descriptor, Effect, ErrorKind, Hints, Kind, Parameter, ToolError, nearest};

/// A provider's form of a tool description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// OpenAI function calling.
    OpenAi,
    /// OpenAI function calling with `strict`: the model cannot leave the schema.
    OpenAiStrict,
    /// Anthropic tool use.
    Anthropic,
    /// The Model Context Protocol, with output schema and annotations.
    Mcp,
    /// LangChain: one JSON schema with title and description, as `bind_tools` and `args_schema` take it.
    LangChain,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 5] =
        [Self::OpenAi, Self::OpenAiStrict, Self::Anthropic, Self::Mcp, Self::LangChain];

    /// The name on the command line and in calls.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiStrict => "openai-strict",
            Self::Anthropic => "anthropic",
            Self::Mcp => "mcp",
            Self::LangChain => "langchain",
        }
    }

    /// The tool in this form.
    #[must_use]
    pub fn schema(self, tool: &Descriptor) -> Value {
        match self {
            Self::OpenAi => openai(tool),
            Self::OpenAiStrict => openai_strict(tool),
            Self::Anthropic => anthropic(tool),
            Self::Mcp => mcp(tool),
            Self::LangChain => langchain(tool),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Format {
    type Err = ToolError;

    fn from_str(name: &str) -> Result<Self, ToolError> {
        Self::ALL.into_iter().find(|format| format.as_str() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str);
            let near =
                nearest(name, names).map_or_else(String::new, |near| format!(", did you mean '{near}'?"));
            ToolError::new(ErrorKind::InvalidParameter, format!("Unknown schema format '{name}'{near}"))
                .hint(format!("known formats: {}", names.join(", ")))
        })
    }
}

fn openai(tool: &Descriptor) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": object_schema(&tool.parameters),
        },
    })
}

/// A parameter that may hold anything cannot be described strictly; such a tool is offered with `strict: false`.
fn openai_strict(tool: &Descriptor) -> Value {
    let parameters = tool.parameters.iter().map(strict).collect::<Option<Vec<_>>>();
    let (strict, parameters) = match parameters {
        Some(parameters) => (true, closed(parameters)),
        None => (false, Value::Object(object_schema(&tool.parameters))),
    };
    json!({
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "strict": strict,
            "parameters": parameters,
        },
    })
}

fn anthropic(tool: &Descriptor) -> Value {
    if let Some(known) = tool.conventions.anthropic_type {
        return json!({"type": known, "name": tool.name});
    }
    json!({
        "name": tool.name,
        "description": tool.description,
        "input_schema": object_schema(&tool.parameters),
    })
}

fn mcp(tool: &Descriptor) -> Value {
    let mut schema = json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": brief_object(&tool.parameters),
    });
    if let Some(field) = tool.conventions.structured_as {
        schema["outputSchema"] = tool.output_schema.clone().unwrap_or_else(|| {
            json!({
                "type": "object",
                "properties": {(field): {"type": "string"}},
                "required": [field],
                "additionalProperties": false,
            })
        });
    } else if let Some(output) = &tool.output_schema {
        schema["outputSchema"] = output.clone();
        // Some clients pass structured content on and drop the text, so the text stands in there too.
        schema["outputSchema"]["properties"]["output"] = json!({
            "type": "string",
            "description": "The answer as text; absent where the other fields are the whole answer",
        });
    }
    if tool.conventions.structured_as.is_some() {
        schema["annotations"] = reference_annotations(tool);
        return schema;
    }
    let changes = tool.effect.changes();
    let hints = tool.conventions.hints.unwrap_or(Hints { destructive: changes, idempotent: !changes });
    schema["annotations"] = json!({
        "title": tool.title,
        "readOnlyHint": !changes,
        "destructiveHint": hints.destructive,
        "idempotentHint": hints.idempotent,
        // A tool that proposes can reach only the workspace, which is as closed as a world gets.
        "openWorldHint": tool.effect == Effect::Acts,
    });
    schema
}

/// Parameters without what goes without saying: a client of MCP sends the whole tool list to the model with every request. The other
/// formats give every bound and default, as the specification shows them.
fn brief_object(parameters: &[Parameter]) -> Map<String, Value> {
    let brief: Vec<Parameter> = parameters.iter().map(brief).collect();
    object_schema(&brief)
}

/// A parameter without the default that its kind has anyway (false, 0, the least number, an empty list), without a bound that only rules out
/// the senseless (fewer than none or one, an empty text), and without one that no sensible call comes near. Validation knows
/// them all, and its error names the one that a call is beyond.
fn brief(parameter: &Parameter) -> Parameter {
    /// No sensible call asks for more.
    const FAR: f64 = 10_000.0;
    let plain = |value: &Value| match value {
        Value::Bool(value) => !value,
        Value::Number(value) => value.as_f64() == Some(parameter.minimum.unwrap_or(0.0)),
        Value::String(value) => value.is_empty(),
        Value::Array(value) => value.is_empty(),
        _ => false,
    };
    Parameter {
        default: parameter.default.clone().filter(|default| !plain(default)),
        min_length: parameter.min_length.filter(|least| *least > 1),
        minimum: parameter.minimum.filter(|least| !(0.0..=1.0).contains(least)),
        maximum: parameter.maximum.filter(|most| *most <= FAR),
        items: parameter.items.as_ref().map(|items| Box::new(brief(items))),
        properties: parameter.properties.iter().map(brief).collect(),
        ..parameter.clone()
    }
}

/// The hints as the reference server gives them: those that only make sense of a change are left out where there is none.
fn reference_annotations(tool: &Descriptor) -> Value {
    match tool.conventions.hints {
        Some(Hints { destructive, idempotent }) => json!({
            "readOnlyHint": false,
            "destructiveHint": destructive,
            "idempotentHint": idempotent,
            "openWorldHint": false,
        }),
        None => json!({"readOnlyHint": !tool.effect.changes(), "openWorldHint": false}),
    }
}

fn langchain(tool: &Descriptor) -> Value {
    let mut schema = Map::new();
    schema.insert("title".into(), tool.name.clone().into());
    schema.insert("description".into(), tool.description.clone().into());
    schema.extend(object_schema(&tool.parameters));
    Value::Object(schema)
}

/// One parameter for a strict schema: every field is required, so what may be left out may be null instead; and only
/// the keywords that strict mode supports.
fn strict(parameter: &Parameter) -> Option<(String, Value)> {
    let mut schema = strict_value(parameter)?;
    if !parameter.required {
        schema["type"] = json!([parameter.kind.to_string(), "null"]);
        if let Some(choices) = schema.get_mut("enum").and_then(Value::as_array_mut) {
            choices.push(Value::Null);
        }
    }
    Some((parameter.name.clone(), schema))
}

fn strict_value(parameter: &Parameter) -> Option<Value> {
    let plain = parameter.to_json_schema();
    let mut schema = plain.as_object()?.clone();
    for unsupported in ["default", "minLength", "maxLength"] {
        schema.shift_remove(unsupported);
    }
    match parameter.kind {
        Kind::Any => return None,
        Kind::Array => _ = schema.insert("items".into(), strict_value(parameter.items.as_deref()?)?),
        Kind::Object if parameter.properties.is_empty() => return None,
        Kind::Object => {
            let fields = parameter.properties.iter().map(strict).collect::<Option<Vec<_>>>()?;
            schema.extend(closed(fields).as_object()?.clone());
        }
        _ => {}
    }
    // The default still matters to the model, so it is said in words.
    if let Some(default) = &parameter.default {
        let description = format!("{} (default: {default})", parameter.description);
        schema.insert("description".into(), description.trim().into());
    }
    Some(Value::Object(schema))
}

fn closed(fields: Vec<(String, Value)>) -> Value {
    let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
    json!({
        "type": "object",
        "properties": fields.into_iter().collect::<Map<_, _>>(),
        "required": names,
        "additionalProperties": false,
    })
}
