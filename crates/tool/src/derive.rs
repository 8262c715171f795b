//! Reads the parameters off an input struct.
//!
//! The struct is what the author writes: its fields are the parameters, its doc comments their descriptions, its
//! serde defaults their defaults. schemars turns it into a JSON schema; this module turns that schema into
//! [`Parameter`]s, from which every provider's form is made. So the parts of JSON schema that providers disagree
//! about (`$ref`, `oneOf`, `const`, `format`, nullable types) never reach one.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

use crate::{Kind, Parameter};

/// The parameters of a tool that takes `Input`: its fields.
#[must_use]
pub fn parameters<Input: JsonSchema>() -> Vec<Parameter> {
    properties(plain_schema::<Input>(SchemaSettings::draft2020_12()).as_object().unwrap_or(&Map::new()))
}

/// A value of type `T` as a field of an answer; one that may be null may be left out.
#[must_use]
pub fn field<T: JsonSchema>(name: &str) -> Parameter {
    let schema = plain_schema::<T>(SchemaSettings::draft2020_12().for_serialize()).to_value();
    let may_be_null =
        schema.get("type").and_then(Value::as_array).is_some_and(|types| types.contains(&"null".into()));
    Parameter { required: !may_be_null, ..parameter(name, &unwrap_option(&schema)) }
}

/// The schema of a tool's output, if it is an object: anything else has no structured form.
pub(crate) fn output_schema<Output: JsonSchema>() -> Option<Value> {
    let schema = plain_schema::<Output>(SchemaSettings::draft2020_12().for_serialize());
    let object = schema.as_object()?;
    (object.get("type")? == "object" && object.contains_key("properties"))
        .then(|| Value::Object(crate::parameter::object_schema(&properties(object))))
}

/// The parameters that an object's JSON schema describes, for a tool whose input is no struct of ours. What the schema
/// says with `$ref` must have been put in place; what no provider takes alike (a choice between types, say) becomes a
/// parameter that takes anything.
///
/// ```
/// use serde_json::json;
/// use toolcrib_tool::{Kind, parameters_of};
///
/// let schema = json!({"properties": {"most": {"type": "integer", "maximum": 9}}, "required": ["most"]});
/// let most = &parameters_of(&schema)[0];
/// assert_eq!((most.kind, most.maximum, most.required), (Kind::Integer, Some(9.0), true));
/// ```
#[must_use]
pub fn parameters_of(schema: &Value) -> Vec<Parameter> {
    schema.as_object().map(properties).unwrap_or_default()
}

fn plain_schema<T: JsonSchema>(settings: SchemaSettings) -> Schema {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>()
}

fn properties(schema: &Map<String, Value>) -> Vec<Parameter> {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let fields = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    fields
        .map(|(name, field)| Parameter {
            required: required.contains(&name.as_str()),
            ..parameter(name, &unwrap_option(field))
        })
        .collect()
}

fn parameter(name: &str, schema: &Map<String, Value>) -> Parameter {
    let text = |key: &str| schema.get(key).and_then(Value::as_str);
    let whole = |keys: [&str; 2]| keys.into_iter().find_map(|key| schema.get(key)?.as_u64());
    let choices = choices(schema);
    Parameter {
        description: one_paragraph(text("description").unwrap_or_default()),
        default: schema.get("default").filter(|value| !value.is_null()).cloned(),
        min_length: whole(["minLength", "minItems"]),
        max_length: whole(["maxLength", "maxItems"]),
        minimum: schema.get("minimum").and_then(Value::as_f64),
        maximum: schema.get("maximum").and_then(Value::as_f64),
        items: schema.get("items").map(|items| Box::new(parameter("", &unwrap_option(items)))),
        properties: properties(schema),
        required: true,
        name: name.to_owned(),
        kind: kind(schema, choices.as_deref()),
        choices,
    }
}

fn kind(schema: &Map<String, Value>, choices: Option<&[Value]>) -> Kind {
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => Kind::String,
        Some("integer") => Kind::Integer,
        Some("number") => Kind::Number,
        Some("boolean") => Kind::Boolean,
        Some("array") => Kind::Array,
        Some("object") => Kind::Object,
        _ if choices.is_some_and(|all| all.iter().all(Value::is_string)) => Kind::String,
        _ => Kind::Any,
    }
}

/// The values of an enum, which schemars writes as `enum`, or as a `oneOf` of `const`s where they are documented.
fn choices(schema: &Map<String, Value>) -> Option<Vec<Value>> {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return Some(values.iter().filter(|value| !value.is_null()).cloned().collect());
    }
    let variants = schema.get("oneOf")?.as_array()?;
    variants.iter().map(|variant| variant.get("const").cloned()).collect()
}

/// The schema of `T` for a field of type `Option<T>`: leaving it out says the same as null.
fn unwrap_option(schema: &Value) -> Map<String, Value> {
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(mut options)) = schema.remove("anyOf") {
        options.retain(|option| option.get("type").is_none_or(|kind| kind != "null"));
        match options.as_slice() {
            [Value::Object(only)] => {
                // What stands on the field is more to the point than what stands on its type.
                let mut merged = only.clone();
                merged.extend(schema);
                return merged;
            }
            _ => _ = schema.insert("anyOf".into(), options.into()),
        }
    }
    schema
}

/// Doc comments are wrapped for the editor; a description is one line per paragraph.
fn one_paragraph(text: &str) -> String {
    text.split("\n\n")
        .map(|part| part.lines().map(str::trim).collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    /// How to sort.
    #[derive(Deserialize, JsonSchema, Default)]
    #[serde(rename_all = "lowercase")]
    #[allow(dead_code, reason = "only its schema is used")]
    enum Sort {
        /// By name.
        #[default]
        Name,
        /// By time.
        Time,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Edit {
        /// What is there.
        old: String,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Input {
        /// Where to
        /// look.
        path: String,
        /// How many.
        #[schemars(range(min = 1, max = 10))]
        limit: Option<u32>,
        /// The order.
        sort: Option<Sort>,
        /// A flag.
        #[serde(default, rename = "-i")]
        ignore_case: bool,
        #[schemars(length(min = 1))]
        edits: Vec<Edit>,
    }

    #[test]
    fn a_struct_gives_its_parameters() {
        let schema = Value::Object(crate::parameter::object_schema(&parameters::<Input>()));
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Where to look."},
                    "limit": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 10},
                    "sort": {"type": "string", "description": "The order.", "enum": ["name", "time"]},
                    "-i": {"type": "boolean", "description": "A flag.", "default": false},
                    "edits": {
                        "type": "array", "minItems": 1,
                        "items": {
                            "type": "object",
                            "properties": {"old": {"type": "string", "description": "What is there."}},
                            "required": ["old"],
                        },
                    },
                },
                "required": ["path", "edits"],
            })
        );
    }

    #[test]
    fn only_an_object_has_an_output_schema() {
        assert!(output_schema::<Edit>().is_some());
        assert!(output_schema::<String>().is_none());
        assert!(output_schema::<Value>().is_none());
    }
}
