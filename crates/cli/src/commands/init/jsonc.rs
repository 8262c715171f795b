//! A server in JSON, which may have comments and trailing commas.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Map, Value};

/// The text with the entry below the names that lead to it. What the entry has beside it stays.
pub(super) fn with(
    text: &str,
    at: &[&str],
    name: &str,
    entry: &Map<String, Value>,
) -> Result<String, String> {
    let root = parse(text)?;
    let mut object = root.object_value_or_create().ok_or("it does not hold a JSON object")?;
    for name in at.iter().chain([&name]) {
        unique(&object, name)?;
        let inner = object.object_value_or_create(name);
        object = inner.ok_or_else(|| format!("\"{name}\" in it is not a JSON object"))?;
    }
    for (key, value) in entry {
        unique(&object, key)?;
        match object.get(key) {
            Some(there) if there.value().and_then(|node| node.to_serde_value()).as_ref() == Some(value) => {}
            Some(there) => there.set_value(input(value)),
            None => _ = object.append(key, input(value)),
        }
    }
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// The text with these items in the list of that name. What the list has already stays.
pub(super) fn with_items(text: &str, at: &[&str], name: &str, items: &[&str]) -> Result<String, String> {
    let root = parse(text)?;
    let mut object = root.object_value_or_create().ok_or("it does not hold a JSON object")?;
    for name in at {
        unique(&object, name)?;
        let inner = object.object_value_or_create(name);
        object = inner.ok_or_else(|| format!("\"{name}\" in it is not a JSON object"))?;
    }
    unique(&object, name)?;
    let list = object.array_value_or_create(name).ok_or_else(|| format!("\"{name}\" in it is not a list"))?;
    let there: Vec<Value> = list.elements().iter().filter_map(|node| node.to_serde_value()).collect();
    for item in items.iter().filter(|item| !there.iter().any(|there| there == **item)) {
        list.append(CstInputValue::String((*item).to_owned()));
    }
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// The text with this item in the list of that name, in the place of those that are ours. What the list has beside them stays.
pub(super) fn with_item(
    text: &str,
    at: &[&str],
    name: &str,
    item: &Value,
    is_ours: &dyn Fn(&Value) -> bool,
) -> Result<String, String> {
    let root = parse(text)?;
    let mut object = root.object_value_or_create().ok_or("it does not hold a JSON object")?;
    for name in at {
        unique(&object, name)?;
        let inner = object.object_value_or_create(name);
        object = inner.ok_or_else(|| format!("\"{name}\" in it is not a JSON object"))?;
    }
    unique(&object, name)?;
    let list = object.array_value_or_create(name).ok_or_else(|| format!("\"{name}\" in it is not a list"))?;
    let mut is_there = false;
    for node in list.elements() {
        match node.to_serde_value() {
            Some(value) if value == *item && !is_there => is_there = true,
            Some(value) if is_ours(&value) => node.remove(),
            _ => {}
        }
    }
    if !is_there {
        list.append(input(item));
    }
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// The text without the items of a list that are ours. A list, and an object around it, that this empties goes too.
pub(super) fn without_items(
    text: &str,
    at: &[&str],
    name: &str,
    is_ours: &dyn Fn(&Value) -> bool,
) -> Result<String, String> {
    let root = parse(text)?;
    let top = root.object_value();
    let object = at.iter().try_fold(top, |object, name| Some(Some(object?.object_value(name)?))).flatten();
    let Some(list) = object.as_ref().and_then(|object| object.array_value(name)) else {
        return Ok(text.to_owned());
    };
    let ours: Vec<_> = list
        .elements()
        .into_iter()
        .filter(|node| node.to_serde_value().is_some_and(|value| is_ours(&value)))
        .collect();
    if ours.is_empty() {
        return Ok(text.to_owned());
    }
    ours.into_iter().for_each(jsonc_parser::cst::CstNode::remove);
    let mut emptied = list.elements().is_empty();
    let names: Vec<&str> = at.iter().copied().chain([name]).collect();
    for (depth, name) in names.iter().enumerate().rev() {
        let above = at[..depth]
            .iter()
            .try_fold(root.object_value(), |object, name| Some(Some(object?.object_value(name)?)));
        let Some(Some(above)) = above.filter(|_| emptied) else { break };
        if let Some(property) = above.get(name) {
            property.remove();
        }
        emptied = depth > 0 && above.properties().is_empty();
    }
    Ok(root.to_string())
}

/// The text without the entry below the names that lead to it, and without the objects that are empty then. Nothing, if there is
/// no such entry.
pub(super) fn without(text: &str, at: &[&str], name: &str) -> Result<Option<String>, String> {
    let root = parse(text)?;
    let mut objects: Vec<CstObject> = root.object_value().into_iter().collect();
    for name in at {
        let Some(object) = objects.last() else { return Ok(None) };
        unique(object, name)?;
        let Some(inner) = object.object_value(name) else { return Ok(None) };
        objects.push(inner);
    }
    let names: Vec<&str> = at.iter().copied().chain([name]).collect();
    let mut removed = false;
    for (object, name) in objects.iter().zip(&names).rev() {
        let Some(property) = object.get(name) else { return Ok(None) };
        unique(object, name)?;
        property.remove();
        removed = true;
        if !object.properties().is_empty() {
            break;
        }
    }
    Ok(removed.then(|| root.to_string()))
}

/// The text without these items of the list of that name, if it has all of them, and without the list if it is empty then.
pub(super) fn without_all(
    text: &str,
    at: &[&str],
    name: &str,
    items: &[&str],
) -> Result<Option<String>, String> {
    let root = parse(text)?;
    let top = root.object_value();
    let object = at.iter().try_fold(top, |object, name| Some(Some(object?.object_value(name)?))).flatten();
    let Some(list) = object.and_then(|object| object.array_value(name)) else { return Ok(None) };
    let is = |node: &CstNode, item: &&str| node.to_serde_value().is_some_and(|value| value == **item);
    let listed: Vec<CstNode> =
        items.iter().filter_map(|item| list.elements().into_iter().find(|node| is(node, item))).collect();
    if listed.len() < items.len() {
        return Ok(None);
    }
    if listed.len() == list.elements().len() {
        return without(text, at, name);
    }
    listed.into_iter().for_each(CstNode::remove);
    Ok(Some(root.to_string()))
}

/// What it holds.
pub(super) fn value(text: &str) -> Option<Value> {
    parse(text).ok()?.value()?.to_serde_value()
}

/// Whether there is an object below these names.
pub(super) fn holds_object(text: &str, at: &[&str]) -> bool {
    let top = parse(text).ok().and_then(|root| root.object_value());
    at.iter().try_fold(top, |object, name| Some(Some(object?.object_value(name)?))).flatten().is_some()
}

/// The name of the entry below these names in which a word occurs.
pub(super) fn entry_with(text: &str, at: &[&str], word: &str) -> Option<String> {
    let top = parse(text).ok().and_then(|root| root.object_value());
    let object = at.iter().try_fold(top, |object, name| Some(Some(object?.object_value(name)?))).flatten()?;
    let holds = |value: Value| value.to_string().contains(word);
    let found = object
        .properties()
        .into_iter()
        .find(|property| property.value().and_then(|value| value.to_serde_value()).is_some_and(holds));
    found.and_then(|property| property.decoded_name())
}

fn parse(text: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| format!("it is not valid JSON: {error}"))
}

/// Of two values with one name, programs take the one or the other.
fn unique(object: &CstObject, name: &str) -> Result<(), String> {
    let named =
        object.properties().into_iter().filter(|property| property.decoded_name().as_deref() == Some(name));
    if named.count() > 1 { Err(format!("it has \"{name}\" twice")) } else { Ok(()) }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(values) => {
            CstInputValue::Object(values.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde_json::json;

    fn entry() -> Map<String, Value> {
        json!({"command": "/bin/toolcrib", "args": ["mcp", "--root", "/p \"q\""]})
            .as_object()
            .unwrap()
            .clone()
    }

    fn check(before: &str, after: &str) {
        let text = with(before, &["mcpServers"], "toolcrib", &entry()).unwrap();
        assert_eq!(text, after);
        assert_eq!(with(&text, &["mcpServers"], "toolcrib", &entry()).unwrap(), text, "the second time");
    }

    #[test]
    fn a_file_that_is_not_there_is_made() {
        let made = "{\n  \"mcpServers\": {\n    \"toolcrib\": {\n      \"command\": \"/bin/toolcrib\",\n      \
             \"args\": [\"mcp\", \"--root\", \"/p \\\"q\\\"\"]\n    }\n  }\n}\n";
        check("", made);
        check("{}", made);
        check("{\n}\n", made);
    }

    #[test]
    fn an_entry_is_found_by_what_it_holds() {
        let text = "{\"mcpServers\": {\"a\": {\"command\": \"x\"}, // c\n\"files\": {\"args\": [\"-y\", \"@m/server-filesystem\"]}}}";
        let found = |at: &[&str]| entry_with(text, at, "server-filesystem");
        assert_eq!((found(&["mcpServers"]).as_deref(), found(&["servers"])), (Some("files"), None));
        assert_eq!(entry_with("none", &["mcpServers"], "x"), None);
    }

    #[test]
    fn everything_else_stays() {
        let others = "// mine\n{\n\t/* a */ \"x\": 1.0e3, // b\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\":\"o\"}, // c\n\t\t// d\n\t},\n\t\"y\": [1,2,],\n}\n// end\n";
        let text = with(others, &["mcpServers"], "toolcrib", &entry()).unwrap();
        assert_eq!(with(&text, &["mcpServers"], "toolcrib", &entry()).unwrap(), text);
        let (mut rest, mut added) = (others.chars().peekable(), String::new());
        for c in text.chars() {
            if rest.peek() == Some(&c) { _ = rest.next() } else { added.push(c) }
        }
        assert_eq!(rest.collect::<String>(), "", "{text}");
        assert!(added.contains("toolcrib"), "{text}");
    }

    fn anything() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            ".{0,4}".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            let key =
                prop_oneof![Just("mcpServers".to_owned()), Just("toolcrib".to_owned()), "[a-z\"\\\\]{0,3}"];
            prop_oneof![
                vec(inner.clone(), 0..3).prop_map(Value::from),
                vec((key, inner), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Read again, it is what it was, and the entry; and the second time nothing is changed.
        #[test]
        fn only_the_entry_is_new(config in anything(), pretty: bool) {
            let before = if pretty { format!("{config:#}") } else { config.to_string() };
            if let Ok(after) = with(&before, &["mcpServers"], "toolcrib", &entry()) {
                let mut expected = config;
                let slot = &mut expected["mcpServers"]["toolcrib"];
                for (key, value) in entry() {
                    slot[key] = value;
                }
                prop_assert_eq!(serde_json::from_str::<Value>(&after).unwrap(), expected);
                prop_assert_eq!(with(&after, &["mcpServers"], "toolcrib", &entry()).unwrap(), after);
            }
        }
    }

    #[track_caller]
    fn check_without(before: &str, after: Option<&str>) {
        let text = without(before, &["mcpServers"], "toolcrib").unwrap();
        assert_eq!(text.as_deref(), after, "{before}");
    }

    #[test]
    fn an_entry_is_removed_and_everything_else_stays() {
        check_without("{\"mcpServers\": {\"toolcrib\": {}}}\n", Some("{}\n"));
        check_without(
            "// mine\n{\n  \"mcpServers\": {\n    \"a\": 1, // c\n    \"toolcrib\": {\"x\": [1]}\n  },\n  \"y\": 2\n}\n",
            Some("// mine\n{\n  \"mcpServers\": {\n    \"a\": 1 // c\n  },\n  \"y\": 2\n}\n"),
        );
        for text in ["", "{}", "{\"mcpServers\": {}}", "{\"mcpServers\": {\"other\": {}}}"] {
            check_without(text, None);
        }
        let items = |text: &str| without_all(text, &["p"], "deny", &["A", "B"]).unwrap();
        assert_eq!(
            items("{\"p\": {\"deny\": [\"A\", \"C\", \"B\"]}}").unwrap().replace("[ ", "["),
            "{\"p\": {\"deny\": [\"C\"]}}"
        );
        assert_eq!(items("{\"p\": {\"deny\": [\"A\", \"B\"]}}").unwrap(), "{}");
        assert_eq!(items("{\"p\": {\"deny\": [\"A\"]}}"), None, "the user's own");
    }

    proptest! {
        /// What was put in and taken out again is not there, and no other value has changed.
        #[test]
        fn taking_out_undoes_putting_in(config in anything()) {
            let before = config.to_string();
            let path = ["mcpServers"];
            if let Ok(with) = with(&before, &path, "toolcrib", &entry()) {
                let after = without(&with, &path, "toolcrib").unwrap().unwrap();
                let mut expected = config;
                let servers = expected["mcpServers"].as_object_mut();
                let empty = servers.is_none_or(|servers| {
                    servers.remove("toolcrib");
                    servers.is_empty()
                });
                if empty && let Some(all) = expected.as_object_mut() {
                    all.remove("mcpServers");
                }
                let expected = if expected.is_null() { json!({}) } else { expected };
                prop_assert_eq!(serde_json::from_str::<Value>(&after).unwrap(), expected);
            }
        }
    }

    #[test]
    fn what_the_user_added_to_the_entry_stays() {
        check(
            "{\"mcpServers\": {\"toolcrib\": {\"command\": \"old\", /* c */ \"env\": {\"A\": \"1\"}, \"args\": [\"mcp\", \"--root\", \"/p \\\"q\\\"\"]}}}\n",
            "{\"mcpServers\": {\"toolcrib\": {\"command\": \"/bin/toolcrib\", /* c */ \"env\": {\"A\": \"1\"}, \"args\": [\"mcp\", \"--root\", \"/p \\\"q\\\"\"]}}}\n",
        );
    }

    #[test]
    fn what_is_no_object_is_left_alone() {
        for text in ["[]", "{\"mcpServers\": 3}", "{\"mcpServers\": {}, \"mcpServers\": {}}", "{", "x y"] {
            assert!(with(text, &["mcpServers"], "toolcrib", &entry()).is_err(), "{text}");
        }
        assert!(holds_object("{\"a\": {\"b\": {}}}", &["a", "b"]));
        assert!(!holds_object("{\"a\": {\"b\": 1}}", &["a", "b"]) && !holds_object("", &["a"]));
    }
}
