//! Holds a call's arguments against the tool's parameters.
//!
//! Each parameter is checked in the order: there if required, of the type, one of the choices, in range, of the
//! length. The first fault is the answer; it names the parameter, what was given and what is wanted. Where a model
//! slips and the meaning is certain (`"5"` for 5), the value is taken as meant, and the [`Coercion`] is reported.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::parameter::number;
use crate::quote::quote;
use crate::{Conventions, ErrorKind, Kind, Parameter, ToolError, nearest};

/// Arguments that fit the parameters, with the defaults filled in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validated {
    /// What the tool is given.
    pub arguments: Map<String, Value>,
    /// What was taken as meant.
    pub coercions: Vec<Coercion>,
    /// Names that were taken as meant.
    pub renamed: Vec<Renamed>,
}

/// A parameter that was given under another name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Renamed {
    /// Its name.
    pub parameter: String,
    /// The name that was given.
    pub given: String,
}

/// A value that was given as one type and taken as another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coercion {
    /// Which parameter, such as `limit` or `edits[1].replace_all`.
    pub parameter: String,
    /// The type it was given as.
    pub given: String,
    /// The type it was taken as.
    pub used_as: String,
}

/// Checks `arguments` against `parameters`.
///
/// # Errors
///
/// [`ErrorKind::InvalidParameter`] with the first fault.
///
/// ```
/// use serde_json::json;
/// use toolcrib_tool::{Kind, Parameter, validate};
///
/// let limit = [Parameter::new("limit", Kind::Integer).range(1, 10)];
/// assert_eq!(validate(&limit, json!({"limit": "5"}))?.arguments["limit"], 5);
/// let error = validate(&limit, json!({"limit": 50})).unwrap_err();
/// assert_eq!(error.message(), "Parameter 'limit' is out of range: got 50, wants 1 to 10");
/// # Ok::<(), toolcrib_tool::ToolError>(())
/// ```
pub fn validate(parameters: &[Parameter], arguments: Value) -> Result<Validated, ToolError> {
    validate_as(parameters, arguments, &Conventions::default())
}

/// Checks `arguments` against `parameters` by the conventions of a tool.
///
/// # Errors
///
/// [`ErrorKind::InvalidParameter`] with the first fault.
pub fn validate_as(
    parameters: &[Parameter],
    arguments: Value,
    conventions: &Conventions,
) -> Result<Validated, ToolError> {
    let arguments = match (arguments, conventions.text_is) {
        (Value::String(text), Some(parameter)) => {
            Map::from_iter([(parameter.to_owned(), text.into())]).into()
        }
        (arguments, _) => arguments,
    };
    let arguments = match arguments {
        Value::Object(map) => map,
        Value::Null => Map::new(),
        other => {
            return Err(invalid(format!("Parameters must be a JSON object, got {}", describe(&other)))
                .hint(example(parameters)));
        }
    };
    let mut arguments = arguments;
    for (alias, name) in conventions.aliases {
        if let Some(value) = arguments.shift_remove(*alias) {
            arguments.entry(*name).or_insert(value);
        }
    }
    let ignores_unknown = conventions.ignores_unknown;
    let mut check = Check { coercions: Vec::new(), renamed: Vec::new(), ignores_unknown };
    let arguments = check.object(parameters, arguments, "")?;
    Ok(Validated { arguments, coercions: check.coercions, renamed: check.renamed })
}

/// How many values that were taken as meant are reported, and how many unknown names are compared with a missing one. A
/// caller that slips slips everywhere in the same way.
const MOST_COERCIONS: usize = 100;
const MOST_COMPARED: usize = 100;

struct Check {
    coercions: Vec<Coercion>,
    renamed: Vec<Renamed>,
    ignores_unknown: bool,
}

impl Check {
    fn object(
        &mut self,
        parameters: &[Parameter],
        mut given: Map<String, Value>,
        at: &str,
    ) -> Result<Map<String, Value>, ToolError> {
        let mut checked = Map::new();
        self.rename(parameters, &mut given, at);
        for parameter in parameters {
            let name = join(at, &parameter.name);
            // A null says that there is none, which is how strict schemas leave a parameter out.
            match given
                .shift_remove(&parameter.name)
                .filter(|value| parameter.kind == Kind::Any || !value.is_null())
            {
                Some(value) => {
                    _ = checked.insert(parameter.name.clone(), self.value(parameter, value, &name)?)
                }
                None if parameter.required => return Err(missing(parameter, &name, parameters, &given)),
                None => {
                    if let Some(default) = &parameter.default {
                        checked.insert(parameter.name.clone(), default.clone());
                    }
                }
            }
        }
        match given.keys().next() {
            Some(unknown) if !self.ignores_unknown => Err(unknown_parameter(unknown, at, parameters)),
            _ => Ok(checked),
        }
    }

    /// Gives names that are certainly meant to parameters that are not there: the same word in another spelling (`filePath`),
    /// or, for one that must be there, its last words (`path`), if only one parameter can be meant by only one name.
    fn rename(&mut self, parameters: &[Parameter], given: &mut Map<String, Value>, at: &str) {
        let known = |name: &str| parameters.iter().any(|parameter| parameter.name == name);
        let unknown: Vec<String> =
            given.keys().filter(|name| !known(name)).take(MOST_COMPARED).cloned().collect();
        if unknown.is_empty() {
            return;
        }
        let free: Vec<&Parameter> =
            parameters.iter().filter(|parameter| !given.contains_key(&parameter.name)).collect();
        let only = |found: Vec<&str>| if let [only] = found[..] { Some(only.to_owned()) } else { None };
        for parameter in &free {
            let fits = |name: &&str, meant: &dyn Fn(&Parameter, &str) -> bool| {
                meant(parameter, name) && free.iter().filter(|other| meant(other, name)).count() == 1
            };
            let by = |meant: &dyn Fn(&Parameter, &str) -> bool| {
                only(unknown.iter().map(String::as_str).filter(|name| fits(name, meant)).collect())
            };
            let name = by(&|parameter, name| words(&parameter.name).concat() == words(name).concat())
                .or_else(|| by(&|parameter, name| parameter.required && ends_with(&parameter.name, name)));
            if let Some(name) = name
                && let Some(value) = given.shift_remove(&name)
            {
                given.insert(parameter.name.clone(), value);
                if self.renamed.len() < MOST_COERCIONS {
                    self.renamed.push(Renamed { parameter: join(at, &parameter.name), given: quote(&name) });
                }
            }
        }
    }

    fn value(&mut self, parameter: &Parameter, given: Value, name: &str) -> Result<Value, ToolError> {
        let value = self.typed(parameter, given, name)?;
        check_choice(parameter, &value, name)?;
        check_range(parameter, &value, name)?;
        check_length(parameter, &value, name)?;
        match value {
            Value::Array(items) if parameter.items.is_some() => self.items(parameter, items, name),
            Value::Object(fields) if !parameter.properties.is_empty() => {
                self.object(&parameter.properties, fields, name).map(Value::Object)
            }
            other => Ok(other),
        }
    }

    fn items(&mut self, parameter: &Parameter, items: Vec<Value>, name: &str) -> Result<Value, ToolError> {
        let Some(kind) = &parameter.items else { return Ok(Value::Array(items)) };
        let checked =
            items.into_iter().enumerate().map(|(i, item)| self.value(kind, item, &format!("{name}[{i}]")));
        checked.collect::<Result<Vec<_>, _>>().map(Value::Array)
    }

    fn typed(&mut self, parameter: &Parameter, given: Value, name: &str) -> Result<Value, ToolError> {
        if is_of(parameter.kind, &given) {
            return Ok(given);
        }
        let Some(meant) = meant(parameter.kind, &given) else {
            return Err(invalid(format!(
                "Invalid type for parameter '{name}': got {}, wants {}",
                describe(&given),
                with_article(parameter.kind)
            )));
        };
        if self.coercions.len() < MOST_COERCIONS {
            self.coercions.push(Coercion {
                parameter: name.to_owned(),
                given: type_name(&given).to_owned(),
                used_as: parameter.kind.to_string(),
            });
        }
        Ok(meant)
    }
}

/// The words of a name, whichever way they are told apart: `file_path`, `filePath`, `File-Path`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        let starts = c.is_uppercase() && small || !c.is_alphanumeric();
        if starts && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        small = c.is_lowercase() || c.is_numeric();
    }
    words
}

/// Whether the last words of a parameter's name are this name: `file_path` and `path`.
fn ends_with(parameter: &str, name: &str) -> bool {
    let (parameter, name) = (words(parameter), words(name));
    parameter.len() > name.len() && !name.concat().is_empty() && parameter.ends_with(&name)
}

fn is_of(kind: Kind, value: &Value) -> bool {
    match kind {
        Kind::String => value.is_string(),
        Kind::Integer => value.is_i64() || value.is_u64(),
        Kind::Number => value.is_number(),
        Kind::Boolean => value.is_boolean(),
        Kind::Array => value.is_array(),
        Kind::Object => value.is_object(),
        Kind::Any => true,
    }
}

/// What a value of the wrong type certainly means, if it does.
fn meant(kind: Kind, given: &Value) -> Option<Value> {
    if let Some(float) = given.as_f64() {
        return (kind == Kind::Integer).then(|| number(float)).filter(Value::is_i64);
    }
    let text = given.as_str()?.trim();
    match kind {
        Kind::Integer => {
            text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from)).ok()
        }
        Kind::Number => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(number),
        Kind::Boolean => text.to_ascii_lowercase().parse::<bool>().ok().map(Value::from),
        Kind::Array | Kind::Object => serde_json::from_str(text).ok().filter(|value| is_of(kind, value)),
        Kind::String | Kind::Any => None,
    }
}

fn check_choice(parameter: &Parameter, value: &Value, name: &str) -> Result<(), ToolError> {
    let Some(choices) = parameter.choices.as_ref().filter(|choices| !choices.contains(value)) else {
        return Ok(());
    };
    let allowed = choices.iter().map(plain).collect::<Vec<_>>();
    let error = invalid(format!(
        "Invalid value for parameter '{name}': got {}, allowed: {}",
        describe(value),
        allowed.join(", ")
    ));
    let near = value.as_str().and_then(|given| nearest(given, allowed.iter().map(String::as_str)));
    Err(match near {
        Some(near) => error.hint(format!("did you mean '{near}'?")),
        None => error,
    })
}

fn check_range(parameter: &Parameter, value: &Value, name: &str) -> Result<(), ToolError> {
    let Some(given) = value.as_f64() else { return Ok(()) };
    let within = parameter.minimum.is_none_or(|least| given >= least)
        && parameter.maximum.is_none_or(|most| given <= most);
    if within {
        return Ok(());
    }
    let wants = span(parameter.minimum.map(number), parameter.maximum.map(number));
    Err(invalid(format!("Parameter '{name}' is out of range: got {value}, wants {wants}")))
}

fn check_length(parameter: &Parameter, value: &Value, name: &str) -> Result<(), ToolError> {
    let (length, unit) = match value {
        Value::String(text) => (text.chars().count() as u64, "characters"),
        Value::Array(items) => (items.len() as u64, "items"),
        _ => return Ok(()),
    };
    let fault = match (parameter.min_length, parameter.max_length) {
        (Some(least), _) if length < least => "too short",
        (_, Some(most)) if length > most => "too long",
        _ => return Ok(()),
    };
    let wants = span(parameter.min_length, parameter.max_length);
    Err(invalid(format!("Parameter '{name}' is {fault}: got {length} {unit}, wants {wants}")))
}

fn span<N: std::fmt::Display>(least: Option<N>, most: Option<N>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "anything".to_owned(),
    }
}

fn missing(parameter: &Parameter, name: &str, known: &[Parameter], rest: &Map<String, Value>) -> ToolError {
    let error = invalid(format!("Missing required parameter '{name}' ({})", parameter.kind))
        .with("missing_parameter", name);
    let unknown = rest.keys().map(String::as_str).filter(|key| known.iter().all(|p| p.name != *key));
    match nearest(&parameter.name, unknown.take(MOST_COMPARED)) {
        Some(given) => error.hint(format!("'{}' was given; the name is '{}'", quote(given), parameter.name)),
        None if parameter.description.is_empty() => error,
        None => error.hint(format!("{}: {}", parameter.name, parameter.description)),
    }
}

fn unknown_parameter(name: &str, at: &str, known: &[Parameter]) -> ToolError {
    let names = || known.iter().map(|p| p.name.as_str());
    let given = join(at, &quote(name));
    let error = invalid(match nearest(name, names()) {
        Some(near) => format!("Unknown parameter '{given}', did you mean '{near}'?"),
        None => format!("Unknown parameter '{given}'"),
    });
    let names = names().collect::<Vec<_>>();
    if names.is_empty() {
        error.hint("it takes no parameters")
    } else {
        error.hint(format!("known: {}", names.join(", ")))
    }
}

fn invalid(message: String) -> ToolError {
    ToolError::new(ErrorKind::InvalidParameter, message)
}

fn join(at: &str, name: &str) -> String {
    if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") }
}

/// A call with the required parameters, to copy.
fn example(parameters: &[Parameter]) -> String {
    let fields: Vec<String> =
        parameters.iter().filter(|p| p.required).map(|p| format!("\"{}\": <{}>", p.name, p.kind)).collect();
    format!("write it as {{{}}}", fields.join(", "))
}

/// The type and, where it is short, the value: `string "abc"`, `array of 3 items`.
fn describe(value: &Value) -> String {
    const SHOWN: usize = 40;
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(items) => format!("an array of {} items", items.len()),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > SHOWN => {
            format!("a string of {} characters", text.chars().count())
        }
        other => format!("{} {}", type_name(other), quote(&other.to_string())),
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn with_article(kind: Kind) -> String {
    match kind {
        Kind::Integer | Kind::Array | Kind::Object | Kind::Any => format!("an {kind}"),
        Kind::String | Kind::Number | Kind::Boolean => format!("a {kind}"),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::new("file_path", Kind::String).describe("Where").length(1, 20),
            Parameter::new("limit", Kind::Integer).range(1, 10).default(5),
            Parameter::new("ratio", Kind::Number).optional(),
            Parameter::new("mode", Kind::String).choices(["content", "count"]).optional(),
            Parameter::new("all", Kind::Boolean).optional(),
            Parameter::new("tags", Kind::Array)
                .items(Parameter::new("", Kind::String))
                .length(0, 3)
                .optional(),
            Parameter::new("edit", Kind::Object)
                .properties([
                    Parameter::new("old", Kind::String),
                    Parameter::new("n", Kind::Integer).optional(),
                ])
                .optional(),
        ]
    }

    #[track_caller]
    fn refused(arguments: Value, message: &str, hint: Option<&str>) {
        let error = validate(&parameters(), arguments).unwrap_err();
        assert_eq!(error.message(), message);
        assert_eq!(error.next_step(), hint);
        assert_eq!(error.kind(), ErrorKind::InvalidParameter);
    }

    #[track_caller]
    fn accepted(arguments: Value, checked: Value, coerced: &[&str]) {
        let validated = validate(&parameters(), arguments).unwrap();
        assert_eq!(Value::Object(validated.arguments), checked);
        let names: Vec<_> = validated.coercions.iter().map(|c| c.parameter.as_str()).collect();
        assert_eq!(names, coerced);
    }

    #[test]
    fn defaults_are_applied_and_null_means_left_out() {
        accepted(json!({"file_path": "/a"}), json!({"file_path": "/a", "limit": 5}), &[]);
        accepted(json!({"file_path": "/a", "limit": null}), json!({"file_path": "/a", "limit": 5}), &[]);
    }

    #[test]
    fn a_slip_whose_meaning_is_certain_is_taken_as_meant() {
        accepted(
            json!({"file_path": "/a", "limit": "7", "ratio": "0.5", "all": "True", "tags": "[\"x\"]", "edit": "{\"old\": \"a\", \"n\": 2.0}"}),
            json!({"file_path": "/a", "limit": 7, "ratio": 0.5, "all": true, "tags": ["x"], "edit": {"old": "a", "n": 2}}),
            &["limit", "ratio", "all", "tags", "edit", "edit.n"],
        );
    }

    #[test]
    fn a_missing_parameter_is_named_and_explained() {
        refused(json!({}), "Missing required parameter 'file_path' (string)", Some("file_path: Where"));
        refused(
            json!({"file_pth": "/a"}),
            "Missing required parameter 'file_path' (string)",
            Some("'file_pth' was given; the name is 'file_path'"),
        );
        refused(
            json!({"file_path": "/a", "edit": {"n": 1}}),
            "Missing required parameter 'edit.old' (string)",
            None,
        );
    }

    #[test]
    fn a_name_that_is_certainly_meant_is_taken() {
        let wanted = [
            Parameter::new("file_path", Kind::String),
            Parameter::new("old_string", Kind::String),
            Parameter::new("new_string", Kind::String),
            Parameter::new("replace_all", Kind::Boolean).optional(),
        ];
        let take = |given: Value| validate(&wanted, given);
        let given = json!({"path": "/a", "oldString": "x", "NEW-STRING": "y", "replaceall": true});
        let taken = take(given).unwrap();
        let meant = json!({"file_path": "/a", "old_string": "x", "new_string": "y", "replace_all": true});
        assert_eq!(Value::Object(taken.arguments), meant);
        let names: Vec<&str> = taken.renamed.iter().map(|renamed| renamed.given.as_str()).collect();
        assert_eq!(names, ["path", "oldString", "NEW-STRING", "replaceall"]);
        // Of two that could be meant, or by two names, none is.
        for given in [
            json!({"file_path": "/a", "string": "x"}),
            json!({"filePath": "/a", "FilePath": "/b", "old_string": "x", "new_string": "y"}),
            json!({"file_path": "/a", "old_string": "x", "new_string": "y", "all": true}),
            json!({"file_path": "/a", "path": "/b", "old_string": "x", "new_string": "y"}),
        ] {
            assert!(take(given.clone()).is_err(), "{given}");
        }
    }

    #[test]
    fn a_wrong_type_says_what_was_given_and_what_is_wanted() {
        let got = |value: Value| json!({"file_path": "/a", "limit": value});
        refused(
            got(json!("many")),
            "Invalid type for parameter 'limit': got string \"many\", wants an integer",
            None,
        );
        refused(
            got(json!(2.5)),
            "Invalid type for parameter 'limit': got number 2.5, wants an integer",
            None,
        );
        refused(
            got(json!([1])),
            "Invalid type for parameter 'limit': got an array of 1 items, wants an integer",
            None,
        );
        refused(
            json!({"file_path": 5}),
            "Invalid type for parameter 'file_path': got number 5, wants a string",
            None,
        );
        refused(
            json!({"file_path": "/a", "tags": ["x", 1]}),
            "Invalid type for parameter 'tags[1]': got number 1, wants a string",
            None,
        );
    }

    #[test]
    fn a_wrong_value_lists_the_allowed_ones() {
        refused(
            json!({"file_path": "/a", "mode": "counts"}),
            "Invalid value for parameter 'mode': got string \"counts\", allowed: content, count",
            Some("did you mean 'count'?"),
        );
    }

    #[test]
    fn a_number_out_of_range_gives_the_range() {
        refused(
            json!({"file_path": "/a", "limit": 0}),
            "Parameter 'limit' is out of range: got 0, wants 1 to 10",
            None,
        );
        refused(
            json!({"file_path": "/a", "limit": u64::MAX}),
            "Parameter 'limit' is out of range: got 18446744073709551615, wants 1 to 10",
            None,
        );
    }

    #[test]
    fn too_short_and_too_long_give_the_length() {
        refused(
            json!({"file_path": ""}),
            "Parameter 'file_path' is too short: got 0 characters, wants 1 to 20",
            None,
        );
        refused(
            json!({"file_path": "ä".repeat(21)}),
            "Parameter 'file_path' is too long: got 21 characters, wants 1 to 20",
            None,
        );
        refused(
            json!({"file_path": "/a", "tags": ["", "", "", ""]}),
            "Parameter 'tags' is too long: got 4 items, wants 0 to 3",
            None,
        );
    }

    #[test]
    fn an_unknown_parameter_is_named_with_the_nearest_known_one() {
        let known = "known: file_path, limit, ratio, mode, all, tags, edit";
        refused(
            json!({"file_path": "/a", "limits": 3}),
            "Unknown parameter 'limits', did you mean 'limit'?",
            Some(known),
        );
        refused(json!({"file_path": "/a", "zzz": 3}), "Unknown parameter 'zzz'", Some(known));
    }

    #[test]
    fn only_an_object_is_a_set_of_parameters() {
        refused(
            json!(["/a"]),
            "Parameters must be a JSON object, got an array of 1 items",
            Some("write it as {\"file_path\": <string>}"),
        );
        refused(
            json!("/a"),
            "Parameters must be a JSON object, got string \"/a\"",
            Some("write it as {\"file_path\": <string>}"),
        );
    }
}
