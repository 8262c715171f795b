//! A configuration that is an object: the keys and values of the file, for programs that configure a toolbox in their own language.
//!
//! It is written down as TOML, one entry on a line, and read like a file. So there is one reader, with one set of bounds, and what it
//! finds wrong is told by the entry instead of the line.

use serde_json::{Map, Value};
use toolcrib_tool::{ErrorKind, ToolError};

use super::Config;

impl Config {
    /// A configuration as an object with the keys of the file. A key that is null counts as absent.
    ///
    /// ```
    /// use toolcrib::Config;
    ///
    /// let object = serde_json::json!({"rules": [{"kind": "read", "pattern": "private/**", "action": "deny"}]});
    /// let config = Config::from_object(object.as_object().unwrap())?;
    /// assert_eq!(config.rules()[0].to_string(), "deny read private/**");
    ///
    /// let error = Config::from_object(serde_json::json!({"read": {"budget": 0}}).as_object().unwrap()).unwrap_err();
    /// assert!(error.message().starts_with("Invalid configuration: read.budget: "));
    /// # Ok::<(), toolcrib::ToolError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If something in it means nothing; the error names the key.
    pub fn from_object(object: &Map<String, Value>) -> Result<Self, ToolError> {
        let mut written = Written::default();
        for (key, value) in object {
            written.entry(key, value);
        }
        Self::parse(&written.text).map_err(|error| written.named(&error))
    }
}

#[derive(Default)]
struct Written {
    text: String,
    /// What each line is, such as `read.budget` or `rules[2]`.
    lines: Vec<String>,
}

impl Written {
    fn entry(&mut self, key: &str, value: &Value) {
        match value {
            Value::Null => {}
            // A list over several lines, so that each rule has a line.
            Value::Array(items) => {
                self.line(key, format!("{} = [", quoted(key)));
                for (number, item) in items.iter().enumerate() {
                    self.line(&format!("{key}[{number}]"), format!("{},", inline(item)));
                }
                self.line(key, "]".to_owned());
            }
            Value::Object(fields) => {
                for (field, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
                    let line = format!("{}.{} = {}", quoted(key), quoted(field), inline(value));
                    self.line(&format!("{key}.{field}"), line);
                }
            }
            value => self.line(key, format!("{} = {}", quoted(key), inline(value))),
        }
    }

    fn line(&mut self, what: &str, line: String) {
        self.text.push_str(&line);
        self.text.push('\n');
        self.lines.push(what.to_owned());
    }

    /// The error with the entry in place of the line.
    fn named(&self, error: &ToolError) -> ToolError {
        let message = error.message();
        let line = message.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
        let named = line.and_then(|(number, rest)| {
            let number: usize = number.parse().ok()?;
            Some(format!("{}: {rest}", self.lines.get(number.checked_sub(1)?)?))
        });
        let message = named.unwrap_or_else(|| message.to_owned());
        ToolError::new(ErrorKind::InvalidParameter, format!("Invalid configuration: {message}"))
    }
}

/// A value as TOML has it on one line.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            let fields = fields.map(|(key, value)| format!("{} = {}", quoted(key), inline(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        // Nothing reads it, and so it is refused by its name.
        Value::Null => "\"null\"".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// A text as JSON writes it, which is a text of TOML too, but for one character.
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(object: &Value) -> String {
        Config::from_object(object.as_object().unwrap()).unwrap_err().message().to_owned()
    }

    #[test]
    fn every_kind_of_entry_is_read() {
        let object = json!({
            "matching": "exact",
            "more_tools": true,
            "read": {"budget": 1000, "pages": null},
            "journal": {"fast_in": ["/tmp/a \"b\"\u{7f}"]},
            "rules": [{"kind": "edit", "pattern": "a\\*\n", "action": "ask", "except": ["b"]}],
            "mounts": null,
        });
        let config = Config::from_object(object.as_object().unwrap()).unwrap();
        assert_eq!(config.settings().read.budget, 1000);
        assert!(config.settings().more_tools);
        assert_eq!(config.journal.fast_in, [std::path::Path::new("/tmp/a \"b\"\u{7f}")]);
        assert_eq!(config.rules().len(), 1);
    }

    #[test]
    fn what_is_wrong_is_named_by_its_key() {
        let rule = json!({"kind": "read", "pattern": "a", "action": "deny"});
        assert!(
            message(&json!({"rules": [rule, {"kind": "read", "pattern": "a", "action": "maybe"}]}))
                .starts_with("Invalid configuration: rules[1]: unknown variant `maybe`")
        );
        assert!(message(&json!({"reading": 1})).starts_with("Invalid configuration: reading: unknown field"));
        assert!(
            message(&json!({"read": {"budgets": 1}})).starts_with("Invalid configuration: read.budgets: ")
        );
        assert!(message(&json!({"more_tools": "yes"})).starts_with("Invalid configuration: more_tools: "));
    }
}
