//! What stands in a feature, as values.

use std::fs;
use std::path::Path;

use cucumber::gherkin::Step;
use serde_json::{Map, Value};

/// The text between the `"""` below a step, indented as they are.
///
/// Read from the file: the parser takes away whatever indentation all lines have, and the numbered lines of `Read` have some.
pub(crate) fn docstring(file: &Path, step: &Step) -> Option<String> {
    step.docstring.as_ref()?;
    let text = fs::read_to_string(file).unwrap();
    let mut lines = text.lines().skip(step.position.line);
    let mark = lines.find(|line| !line.trim().is_empty())?;
    let indent = mark.len() - mark.trim_start().len();
    let inside = lines.take_while(|line| line.trim() != mark.trim());
    Some(inside.map(|line| line.get(indent..).unwrap_or_default()).collect::<Vec<_>>().join("\n"))
}

/// A text in quotes, with JSON's escapes.
pub(crate) fn unquoted(text: &str) -> String {
    serde_json::from_str(&format!("\"{text}\"")).unwrap_or_else(|error| panic!("\"{text}\": {error}"))
}

/// A cell of a table: a number, true, false, a list or an object if it is one in JSON, otherwise the text as it stands.
pub(crate) fn cell(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::String(_)) | Err(_) => text.into(),
        Ok(value) => value,
    }
}

/// A table of names and values, or an object in JSON between `"""`.
pub(crate) fn object(file: &Path, step: &Step) -> Map<String, Value> {
    if let Some(json) = docstring(file, step) {
        return serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error} in\n{json}"));
    }
    rows(step)
        .map(|row| match row {
            [name, value] => (name.clone(), cell(value)),
            _ => panic!("a name and a value are wanted, not {row:?}"),
        })
        .collect()
}

/// The rows of the table below a step.
pub(crate) fn rows(step: &Step) -> impl Iterator<Item = &[String]> {
    let table = step.table.as_ref().unwrap_or_else(|| panic!("a table is wanted below this step"));
    table.rows.iter().map(Vec::as_slice)
}
