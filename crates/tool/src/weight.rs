//! How much memory a value takes, roughly.

use serde_json::{Map, Value};

/// What an allocation takes beside what is asked for.
const ALLOCATION: usize = 16;

/// What the table of an object takes, and each of its entries.
const TABLE: usize = 64;
const ENTRY: usize = 24 + size_of::<String>() + size_of::<Value>();

/// How many bytes a value holds on to.
pub(crate) fn weight(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::String(text) => text.len() + ALLOCATION,
            Value::Array(items) => ALLOCATION + items.iter().map(weight).sum::<usize>(),
            Value::Object(fields) => weight_of(fields),
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        }
}

/// How many bytes an object holds on to.
pub(crate) fn weight_of(fields: &Map<String, Value>) -> usize {
    let entry = |(key, value): (&String, &Value)| ENTRY + key.len() + ALLOCATION + weight(value);
    TABLE + fields.iter().map(entry).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn many_small_values_weigh_more_than_their_text() {
        let edits = Value::Array(vec![json!({"old_string": "a", "new_string": "b"}); 1000]);
        assert!(weight(&edits) > 4 * edits.to_string().len());
        let text = json!("x".repeat(100_000));
        assert!((100_000..100_200).contains(&weight(&text)));
    }
}
