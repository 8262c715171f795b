//! One parameter of a tool: what it is called, what it takes, and how that reads as a JSON schema.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A text.
    String,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// A list; [`Parameter::items`] says of what.
    Array,
    /// An object; [`Parameter::properties`] says with which fields, none meaning any.
    Object,
    /// Anything: only the tool itself can tell. The built-in tools have no such parameter.
    Any,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
            Self::Any => "any",
        })
    }
}

/// One parameter: the one source of schema, validation and documentation.
///
/// Authors of typed tools never write one; it is read off their input struct. A tool whose parameters are
/// known only at run time builds it:
///
/// ```
/// use toolcrib_tool::{Kind, Parameter};
///
/// let limit = Parameter::new("limit", Kind::Integer).describe("How many lines").range(1, 10_000).default(2000);
/// assert_eq!(limit.to_json_schema()["maximum"], 10_000);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name in the call.
    pub name: String,
    /// What it takes.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// What it means, for a model and for people.
    pub description: String,
    /// Whether a call must have it.
    pub required: bool,
    /// What counts where a call does not have it.
    pub default: Option<Value>,
    /// The only values it takes, if there is such a list.
    #[serde(rename = "enum")]
    pub choices: Option<Vec<Value>>,
    /// The least number of characters, or of items.
    pub min_length: Option<u64>,
    /// The greatest number of characters, or of items.
    pub max_length: Option<u64>,
    /// The least number.
    pub minimum: Option<f64>,
    /// The greatest number.
    pub maximum: Option<f64>,
    /// What a list holds.
    pub items: Option<Box<Parameter>>,
    /// The fields of an object.
    pub properties: Vec<Parameter>,
}

impl Parameter {
    /// A required parameter without limits.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            kind,
            description: String::new(),
            required: true,
            default: None,
            choices: None,
            min_length: None,
            max_length: None,
            minimum: None,
            maximum: None,
            items: None,
            properties: Vec::new(),
        }
    }

    /// Says what it means.
    #[must_use]
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// A call may leave it out.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// A call may leave it out, and then this counts.
    #[must_use]
    pub fn default(mut self, value: impl Into<Value>) -> Self {
        self.default = Some(value.into());
        self.optional()
    }

    /// Takes only these values.
    #[must_use]
    pub fn choices<V: Into<Value>>(mut self, values: impl IntoIterator<Item = V>) -> Self {
        self.choices = Some(values.into_iter().map(Into::into).collect());
        self
    }

    /// Takes only numbers from `minimum` to `maximum`, both included.
    #[must_use]
    pub fn range(mut self, minimum: impl Into<f64>, maximum: impl Into<f64>) -> Self {
        self.minimum = Some(minimum.into());
        self.maximum = Some(maximum.into());
        self
    }

    /// Takes only texts (or lists) of `min` to `max` characters (or items).
    #[must_use]
    pub fn length(mut self, min: u64, max: u64) -> Self {
        self.min_length = Some(min);
        self.max_length = Some(max);
        self
    }

    /// A list holds these.
    #[must_use]
    pub fn items(mut self, items: Parameter) -> Self {
        self.items = Some(Box::new(items));
        self
    }

    /// An object has these fields.
    #[must_use]
    pub fn properties(mut self, properties: impl IntoIterator<Item = Parameter>) -> Self {
        self.properties = properties.into_iter().collect();
        self
    }

    /// This parameter as a JSON schema (draft 2020-12), using only keywords that every provider knows.
    #[must_use]
    pub fn to_json_schema(&self) -> Value {
        let mut schema = Map::new();
        if self.kind != Kind::Any {
            schema.insert("type".into(), self.kind.to_string().into());
        }
        if !self.description.is_empty() {
            schema.insert("description".into(), self.description.clone().into());
        }
        if let Some(choices) = &self.choices {
            schema.insert("enum".into(), choices.clone().into());
        }
        let (least, most) = match self.kind {
            Kind::Array => ("minItems", "maxItems"),
            _ => ("minLength", "maxLength"),
        };
        let numbers = [
            (least, self.min_length.map(Value::from)),
            (most, self.max_length.map(Value::from)),
            ("minimum", self.minimum.map(number)),
            ("maximum", self.maximum.map(number)),
            ("default", self.default.clone()),
        ];
        schema.extend(numbers.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        if let Some(items) = &self.items {
            schema.insert("items".into(), items.to_json_schema());
        }
        if !self.properties.is_empty() {
            schema.extend(object_schema(&self.properties));
        }
        Value::Object(schema)
    }
}

/// Parameters, or the fields of an answer, as one object schema.
#[must_use]
pub fn object_schema(parameters: &[Parameter]) -> Map<String, Value> {
    let properties: Map<String, Value> =
        parameters.iter().map(|p| (p.name.clone(), p.to_json_schema())).collect();
    let required: Vec<&str> = parameters.iter().filter(|p| p.required).map(|p| p.name.as_str()).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    schema.insert("required".into(), json!(required));
    schema
}

/// A whole number is written without a point: `10000`, not `10000.0`.
pub(crate) fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "the fraction is zero and the range is checked")]
    if value.fract() == 0.0 && value.abs() < 9e15 { Value::from(value as i64) } else { Value::from(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_its_keyword() {
        let parameter = Parameter::new("mode", Kind::String)
            .describe("How")
            .choices(["a", "b"])
            .length(1, 9)
            .default("a");
        assert_eq!(
            parameter.to_json_schema(),
            json!({"type": "string", "description": "How", "enum": ["a", "b"], "minLength": 1, "maxLength": 9, "default": "a"})
        );
        let ratio = Parameter::new("ratio", Kind::Number).range(0.5, 2);
        assert_eq!(ratio.to_json_schema(), json!({"type": "number", "minimum": 0.5, "maximum": 2}));
    }

    #[test]
    fn lists_and_objects_nest() {
        let edit = Parameter::new("edit", Kind::Object).properties([
            Parameter::new("old", Kind::String),
            Parameter::new("all", Kind::Boolean).default(false),
        ]);
        let edits = Parameter::new("edits", Kind::Array).items(edit).length(1, 100);
        assert_eq!(
            edits.to_json_schema(),
            json!({
                "type": "array", "minItems": 1, "maxItems": 100,
                "items": {
                    "type": "object",
                    "properties": {"old": {"type": "string"}, "all": {"type": "boolean", "default": false}},
                    "required": ["old"],
                },
            })
        );
    }
}
