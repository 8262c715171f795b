//! What must hold after.

use serde_json::Value;
use toolcrib::Category;

use super::Sentence;
use crate::text::{cell, object, rows};
use crate::tools::tool;
use crate::world::{World, exists};

pub(super) const SENTENCES: &[Sentence] = &[
    // The answer.
    ("the call succeeds", |world, _| assert!(world.result().success, "{:#?}", world.result())),
    ("the call fails", |world, _| assert!(!world.result().success, "{:#?}", world.result())),
    ("the output is \"TEXT\"", |world, words| equal(&world.output(), &words.text(0))),
    ("the output is:", |world, words| equal(&world.output(), &words.below(world))),
    ("the output has \"TEXT\"", |world, words| has(&world.output(), &words.text(0))),
    ("the output does not have \"TEXT\"", |world, words| has_not(&world.output(), &words.text(0))),
    ("the output has \"TEXT\" N times", |world, words| {
        let output = world.output();
        assert_eq!(output.matches(&words.text(0)).count(), words.number(1), "{output}");
    }),
    ("the output has N lines", |world, words| {
        let output = world.output();
        assert_eq!(output.lines().count(), words.number(0), "{output}");
    }),
    ("line N of the output is \"TEXT\"", |world, words| {
        let output = world.output();
        assert_eq!(output.lines().nth(words.number(0) - 1), Some(words.text(1).as_str()), "{output}");
    }),
    ("the output is the object:", |world, words| {
        let expected = Value::Object(object(&world.feature_file, words.step));
        let output = world.shown_value(&world.result().output);
        assert_eq!(output, expected, "the output is\n{output:#}");
    }),
    ("the output has the fields:", |world, words| {
        let output = world.shown_value(&world.result().output);
        for (name, expected) in object(&world.feature_file, words.step) {
            field(output.as_object().unwrap_or_else(|| panic!("no object: {output}")), &name, &expected);
        }
    }),
    ("the metadata in the output has:", |world, words| {
        let output = world.shown_value(&world.result().output);
        for (name, expected) in object(&world.feature_file, words.step) {
            field(output["metadata"].as_object().unwrap_or_else(|| panic!("{output:#}")), &name, &expected);
        }
    }),
    ("the entries in the output are:", |world, words| {
        let output = &world.result().output;
        let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
        let entries = output["entries"].as_array().unwrap_or_else(|| panic!("{output:#}"));
        let entries: Vec<_> =
            entries.iter().map(|entry| ["type", "name", "path"].map(|name| text(entry, name))).collect();
        let expected: Vec<_> = rows(words.step).collect();
        assert_eq!(entries.iter().map(<[_; 3]>::as_slice).collect::<Vec<_>>(), expected);
    }),
    ("the error is \"TEXT\"", |world, words| equal(&world.error(), &words.text(0))),
    ("the error has \"TEXT\"", |world, words| has(&world.error(), &words.text(0))),
    ("the hint has \"TEXT\"", |world, words| {
        has(&world.shown(world.result().metadata["hint"].as_str().unwrap()), &words.text(0));
    }),
    ("the metadata has:", |world, words| {
        let metadata = world.shown_value(&Value::Object(world.result().metadata.clone()));
        for (name, expected) in object(&world.feature_file, words.step) {
            field(metadata.as_object().unwrap(), &name, &expected);
        }
    }),
    ("the metadata has no \"TEXT\"", |world, words| {
        assert_eq!(world.result().metadata.get(&words.text(0)), None);
    }),
    // The disk.
    ("the file \"PATH\" has \"TEXT\"", |world, words| equal(&world.text(&words.text(0)), &words.text(1))),
    ("the file \"PATH\" has:", |world, words| {
        equal(&world.text(&words.text(0)), &(words.below(world) + "\n"));
    }),
    ("the file \"PATH\" has \"TEXT\" N times", |world, words| {
        let text = world.text(&words.text(0));
        assert_eq!(text.matches(&words.text(1)).count(), words.number(2), "{text}");
    }),
    ("\"PATH\" is a directory", |world, words| assert!(world.path(&words.text(0)).is_dir())),
    ("there is nothing at \"PATH\"", |world, words| assert!(!exists(&world.path(&words.text(0))))),
    ("\"PATH\" may still be run by all", |world, words| {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = world.path(&words.text(0)).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755, "{mode:o}");
    }),
    // The record, the person, the registry.
    ("the record says \"TEXT\"", |world, words| {
        let states = serde_json::to_value(&world.record().states).unwrap();
        let states: Vec<_> = states.as_array().unwrap().iter().map(|state| state.as_str().unwrap()).collect();
        equal(&states.join(", "), &words.text(0));
    }),
    ("the record has:", |world, words| {
        let record = serde_json::to_value(&*world.record()).unwrap();
        let record = world.shown_value(&record);
        for (name, expected) in object(&world.feature_file, words.step) {
            let (given, what) = (record.pointer(&name).cloned(), format!("{name} of the record\n{record:#}"));
            value(given.as_ref(), &expected, &what);
        }
    }),
    ("N calls are recorded", |world, words| {
        assert_eq!(world.toolbox().executions().len(), words.number(0));
    }),
    ("the person was asked once", |world, _| assert_eq!(questions(world).len(), 1)),
    ("the person was asked N times", |world, words| assert_eq!(questions(world).len(), words.number(0))),
    ("the person was not asked", |world, _| assert_eq!(questions(world).len(), 0)),
    ("the question had:", |world, words| {
        let question = serde_json::to_value(questions(world).last().unwrap()).unwrap();
        let question = world.shown_value(&question);
        for (name, expected) in object(&world.feature_file, words.step) {
            field(question.as_object().unwrap(), &name, &expected);
        }
    }),
    ("the diff in the question is:", |world, words| {
        let diff = questions(world).last().unwrap().diff().unwrap();
        equal(world.shown(&diff).trim_end(), &words.below(world));
    }),
    ("these tools are registered:", |world, words| {
        let names = world.toolbox().executor().registry().list_names();
        let wanted: Vec<_> = rows(words.step).map(|row| row[0].clone()).collect();
        assert_eq!(names, wanted);
    }),
    ("another tool named WORD is refused with \"TEXT\"", |world, words| {
        let refused = world.toolbox().executor().registry().register_many([tool(&words.text(0))]);
        equal(refused.unwrap_err().message(), &words.text(1));
    }),
    ("all tools are of the category file", |world, _| {
        let registry = world.toolbox().executor().registry().clone();
        assert_eq!(registry.list_by_category(Category::File).len(), registry.count());
    }),
    ("there is one schema for each tool, and it is that of its parameters", |world, _| schemas_fit(world)),
    ("the schema of WORD has:", |world, words| {
        let schema = schema_of(world, &words.text(0));
        for row in rows(words.step) {
            value(schema.pointer(&row[0]), &cell(&row[1]), &format!("{} of\n{schema:#}", row[0]));
        }
    }),
];

#[track_caller]
fn equal(given: &str, expected: &str) {
    assert!(given == expected, "should be\n{expected}\nand is\n{given}");
}

#[track_caller]
fn has(given: &str, wanted: &str) {
    assert!(given.contains(wanted), "{wanted:?} is missing in\n{given}");
}

#[track_caller]
fn has_not(given: &str, unwanted: &str) {
    assert!(!given.contains(unwanted), "{unwanted:?} should not be in\n{given}");
}

fn field(fields: &serde_json::Map<String, Value>, name: &str, expected: &Value) {
    value(fields.get(name), expected, &format!("{name} of {:#}", Value::Object(fields.clone())));
}

/// `*` means anything, as long as it is there.
fn value(given: Option<&Value>, expected: &Value, what: &str) {
    let fits = given == Some(expected) || (expected == "*" && given.is_some_and(|given| !given.is_null()));
    assert!(fits, "should be {expected}: {what}");
}

fn questions(world: &World) -> Vec<toolcrib::ApprovalRequest> {
    world.asked.lock().unwrap().clone()
}

fn schema_of(world: &World, tool: &str) -> Value {
    let named = |schema: &&Value| name_in(schema) == tool;
    world.schemas.iter().find(named).unwrap_or_else(|| panic!("no schema of {tool}")).clone()
}

/// The name in a schema, in whichever form it is.
fn name_in(schema: &Value) -> &str {
    let places = ["/function/name", "/name", "/title"];
    places.iter().find_map(|place| schema.pointer(place)?.as_str()).unwrap_or_default()
}

/// Every parameter of every tool is in its schema, with type and description; and the required ones are required.
fn schemas_fit(world: &mut World) {
    let tools = world.toolbox().executor().registry().list_all();
    assert_eq!(world.schemas.len(), tools.len());
    for tool in tools {
        let schema = schema_of(world, tool.name());
        let input = ["/function/parameters", "/input_schema", "/inputSchema"];
        let input = input.iter().find_map(|place| schema.pointer(place)).unwrap();
        assert_eq!(input["type"], "object", "{schema:#}");
        let parameters = &tool.descriptor().parameters;
        let properties = input["properties"].as_object().unwrap();
        assert!(properties.keys().eq(parameters.iter().map(|parameter| &parameter.name)), "{schema:#}");
        for parameter in parameters {
            let property = &properties[&parameter.name];
            assert_eq!(property["type"], parameter.kind.to_string(), "{property:#}");
            assert_eq!(property["description"], parameter.description, "{property:#}");
        }
        let required: Vec<_> = parameters
            .iter()
            .filter(|parameter| parameter.required)
            .map(|parameter| &*parameter.name)
            .collect();
        assert_eq!(input["required"], serde_json::json!(required), "{schema:#}");
    }
}
