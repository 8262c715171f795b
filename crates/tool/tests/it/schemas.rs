//! The providers' forms: snapshots, and the rules that each provider publishes.

use serde_json::{Value, json};
use toolcrib_tool::{Category, ErrorKind, Format};

use crate::tools::{Clumsy, Echo, executor};

fn echo(format: Format) -> Value {
    let executor = executor(|registry| registry.register(Echo).unwrap());
    executor.get_all_schemas(format).remove(0)
}

#[test]
fn openai() {
    insta::assert_json_snapshot!(echo(Format::OpenAi));
}

#[test]
fn openai_strict() {
    insta::assert_json_snapshot!(echo(Format::OpenAiStrict));
}

#[test]
fn anthropic() {
    insta::assert_json_snapshot!(echo(Format::Anthropic));
}

#[test]
fn mcp() {
    insta::assert_json_snapshot!(echo(Format::Mcp));
}

#[test]
fn langchain() {
    insta::assert_json_snapshot!(echo(Format::LangChain));
}

#[test]
fn every_schema_is_a_valid_json_schema_of_the_draft_that_providers_use() {
    for format in Format::ALL {
        for schema in input_schemas(format) {
            jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{format}: {error}"));
        }
    }
    assert!(jsonschema::meta::validate(&json!({"type": "text"})).is_err(), "the check itself works");
}

#[test]
fn no_schema_has_a_keyword_that_a_provider_rejects() {
    for format in Format::ALL {
        for schema in input_schemas(format) {
            let found = keywords(&schema);
            for rejected in ["$ref", "$defs", "$schema", "oneOf", "anyOf", "allOf", "const", "format", "not"]
            {
                assert!(!found.iter().any(|keyword| keyword == rejected), "{format}: {rejected} in {schema}");
            }
        }
    }
}

/// <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>
#[test]
fn the_strict_form_follows_the_rules_of_strict_mode() {
    let tool = echo(Format::OpenAiStrict);
    assert_eq!(tool["function"]["strict"], true);
    let parameters = &tool["function"]["parameters"];
    check_strict(parameters);
    assert_eq!(parameters["properties"]["times"]["type"], json!(["integer", "null"]));
    assert_eq!(parameters["properties"]["voice"]["enum"], json!(["plain", "loud", null]));
    for unsupported in ["default", "minLength", "maxLength"] {
        assert!(!keywords(parameters).contains(&unsupported.to_owned()), "{unsupported}");
    }
}

#[test]
fn what_strict_schemas_make_models_send_is_accepted() {
    let executor = executor(|registry| registry.register(Echo).unwrap());
    let arguments = json!({"word": "x", "times": null, "voice": null, "marks": null});
    let result = executor.execute_blocking("Echo", arguments, &toolcrib_tool::ExecutionContext::new("/"));
    assert_eq!(result.output, "x");
}

#[test]
fn schemas_come_by_category_too() {
    let executor = executor(|registry| {
        registry.register(Clumsy).unwrap();
        registry.register(Echo).unwrap();
    });
    assert_eq!(executor.get_all_schemas(Format::Anthropic).len(), 2);
    let tasks = executor.get_schemas_by_category(Category::Task, Format::Anthropic);
    assert_eq!(tasks.iter().map(|tool| &tool["name"]).collect::<Vec<_>>(), ["Echo"]);
    assert!(executor.get_schemas_by_category(Category::Web, Format::Anthropic).is_empty());
}

#[test]
fn a_format_is_known_by_its_name() {
    for format in Format::ALL {
        assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
    }
    let error = "opanai".parse::<Format>().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidParameter);
    assert_eq!(error.message(), "Unknown schema format 'opanai', did you mean 'openai'?");
}

fn input_schemas(format: Format) -> Vec<Value> {
    let tool = echo(format);
    match format {
        Format::OpenAi | Format::OpenAiStrict => vec![tool["function"]["parameters"].clone()],
        Format::Anthropic => vec![tool["input_schema"].clone()],
        Format::Mcp => vec![tool["inputSchema"].clone(), tool["outputSchema"].clone()],
        Format::LangChain => vec![tool],
    }
}

/// Every keyword of a schema; the names of properties are not keywords.
fn keywords(schema: &Value) -> Vec<String> {
    let Some(fields) = schema.as_object() else { return Vec::new() };
    let mut found = Vec::new();
    for (keyword, value) in fields {
        found.push(keyword.clone());
        match keyword.as_str() {
            "properties" => found.extend(value.as_object().unwrap().values().flat_map(keywords)),
            "items" => found.extend(keywords(value)),
            _ => {}
        }
    }
    found
}

fn check_strict(schema: &Value) {
    if let Some(items) = schema.get("items") {
        check_strict(items);
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    assert_eq!(schema["additionalProperties"], false, "{schema}");
    let names: Vec<&String> = properties.keys().collect();
    assert_eq!(json!(names), schema["required"], "every property is required");
    properties.values().for_each(check_strict);
}
