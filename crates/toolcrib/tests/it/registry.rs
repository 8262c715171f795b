//! What must hold for every tool of every dialect, so that a new one cannot forget it.

use serde_json::{Value, json};
use toolcrib::{Category, Config, Descriptor, Dialect, DynTool, Format, Kind, Parameter, Settings, Toolbox};

/// All that can be offered.
fn all() -> Settings {
    Settings { undo: true, more_tools: true, ..Settings::default() }
}

fn toolbox(dialect: Dialect) -> Toolbox {
    let config = Config::parse("undo_tool = true\nmore_tools = true").unwrap();
    Toolbox::builder().root(env!("CARGO_MANIFEST_DIR")).dialect(dialect).config(config).open().unwrap()
}

fn every_tool(mut check: impl FnMut(Dialect, &Descriptor)) {
    for dialect in Dialect::ALL {
        for tool in dialect.tools(all()) {
            assert_eq!(tool.name(), tool.descriptor().name);
            check(dialect, tool.descriptor());
        }
    }
}

#[test]
fn standard_and_ekacode_have_the_same_tools() {
    let names = |dialect: Dialect| {
        let plain = |tool: &std::sync::Arc<dyn DynTool>| tool.name().to_lowercase().replace('_', "");
        dialect.tools(all()).iter().map(plain).collect::<Vec<_>>()
    };
    assert_eq!(names(Dialect::Standard), names(Dialect::Ekacode));
}

#[test]
fn some_tools_are_offered_only_if_the_user_says_so() {
    for dialect in [Dialect::Standard, Dialect::Ekacode] {
        let count = |settings| dialect.tools(settings).len();
        let more = count(Settings { more_tools: true, ..Settings::default() });
        assert_eq!((count(Settings::default()), more, count(all())), (8, 14, 15), "{dialect}");
    }
}

/// The schema of such a tool is known to the models already, so it cannot lack a command.
#[test]
fn a_tool_with_commands_has_all_of_them_whatever_the_user_says() {
    for dialect in [Dialect::TextEditor, Dialect::TextEditor20250124, Dialect::Memory] {
        let commands = |settings| dialect.tools(settings)[0].descriptor().parameters[0].choices.clone();
        assert_eq!(commands(Settings::default()), commands(all()), "{dialect}");
    }
}

#[test]
fn anthropic_knows_these_tools_by_their_type() {
    let schemas = |dialect| toolbox(dialect).schemas(Format::Anthropic);
    let editor = json!([{"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}]);
    assert_eq!(json!(schemas(Dialect::TextEditor)), editor);
    let editor = json!([{"type": "text_editor_20250124", "name": "str_replace_editor"}]);
    assert_eq!(json!(schemas(Dialect::TextEditor20250124)), editor);
    assert_eq!(json!(schemas(Dialect::Memory)), json!([{"type": "memory_20250818", "name": "memory"}]));
}

#[test]
fn every_tool_is_about_files_and_says_what_it_does() {
    every_tool(|dialect, tool| {
        assert_eq!(tool.category, Category::File, "{dialect} {}", tool.name);
        assert!(tool.description.len() > 30, "{dialect} {}: {}", tool.name, tool.description);
        // The answer of a tool with a command is that of the command.
        let folded = tool.parameters.iter().any(|parameter| parameter.name == "command");
        assert!(
            folded || tool.conventions.structured_as.is_some() || tool.output_schema.is_some(),
            "{dialect} {}: an output that is an object",
            tool.name
        );
    });
}

#[test]
fn every_parameter_has_a_type_and_a_description() {
    fn check(at: &str, parameter: &Parameter) {
        let at = format!("{at}.{}", parameter.name);
        assert_ne!(parameter.kind, Kind::Any, "{at}");
        assert!(!parameter.description.is_empty(), "{at} has no doc comment");
        assert!(parameter.kind != Kind::Array || parameter.items.is_some(), "{at} does not say of what");
        parameter.properties.iter().for_each(|field| check(&at, field));
        parameter.items.iter().flat_map(|items| &items.properties).for_each(|field| check(&at, field));
    }
    every_tool(|dialect, tool| {
        tool.parameters.iter().for_each(|parameter| check(&format!("{dialect} {}", tool.name), parameter));
    });
}

#[test]
fn parameters_are_written_as_their_dialect_writes_them() {
    every_tool(|dialect, tool| {
        for parameter in &tool.parameters {
            let name = parameter.name.as_str();
            match dialect {
                Dialect::Ekacode | Dialect::Filesystem | Dialect::Opencode => {
                    assert!(!name.contains('_'), "{} {name}", tool.name);
                }
                // `-i`, `-A` and the like are the specification's own.
                _ => {
                    let plain = |c: char| c.is_ascii_lowercase() || c == '_';
                    assert!(name.starts_with('-') || name.chars().all(plain), "{} {name}", tool.name);
                }
            }
        }
    });
}

#[test]
fn every_format_has_every_tool_under_a_name_that_providers_accept() {
    for dialect in Dialect::ALL {
        let toolbox = toolbox(dialect);
        for format in Format::ALL {
            let schemas = toolbox.schemas(format);
            assert_eq!(schemas.len(), dialect.tools(all()).len());
            for (schema, tool) in schemas.iter().zip(dialect.tools(all())) {
                let name = schema.pointer("/function/name").or(schema.get("name")).or(schema.get("title"));
                assert_eq!(name, Some(&json!(tool.name())), "{dialect} {format}");
                let accepted = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
                assert!(tool.name().len() <= 64 && tool.name().chars().all(accepted));
                assert_ne!(
                    schema.pointer("/function/strict"),
                    Some(&json!(false)),
                    "{dialect} {}",
                    tool.name()
                );
            }
        }
    }
}

/// The formats that differ in more than their envelope: MCP's leaves out what goes without saying.
const SNAPSHOTS: [Format; 3] = [Format::Mcp, Format::OpenAi, Format::OpenAiStrict];

#[test]
fn the_schemas_that_agents_are_given() {
    for dialect in Dialect::ALL {
        let toolbox = toolbox(dialect);
        for format in SNAPSHOTS {
            insta::assert_json_snapshot!(format!("{dialect}-{format}"), toolbox.schemas(format));
        }
    }
}

#[test]
fn the_other_formats_are_the_openai_schemas_in_another_envelope() {
    for dialect in Dialect::ALL {
        let toolbox = toolbox(dialect);
        let openai = toolbox.schemas(Format::OpenAi);
        // A tool that a provider knows by its type has no envelope there.
        let known = |tool: &Descriptor| tool.conventions.anthropic_type.is_some();
        let known = dialect.tools(all()).iter().any(|tool| known(tool.descriptor()));
        for format in Format::ALL.into_iter().filter(|format| !SNAPSHOTS.contains(format)) {
            if known && format == Format::Anthropic {
                continue;
            }
            let expected: Vec<Value> = openai.iter().map(|tool| in_envelope(format, tool)).collect();
            assert_eq!(toolbox.schemas(format), expected, "{dialect} {format}");
        }
    }
}

/// Name, description and parameters of a tool's OpenAI schema, as another format writes them.
fn in_envelope(format: Format, openai: &Value) -> Value {
    let tool = &openai["function"];
    let (name, description, parameters) = (&tool["name"], &tool["description"], &tool["parameters"]);
    match format {
        Format::Anthropic => {
            json!({ "name": name, "description": description, "input_schema": parameters })
        }
        Format::LangChain => {
            let mut schema = json!({ "title": name, "description": description });
            schema.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
            schema
        }
        Format::Mcp | Format::OpenAi | Format::OpenAiStrict => panic!("{format} has a snapshot"),
    }
}
