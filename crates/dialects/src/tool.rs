//! One row of a dialect as a tool: it takes the dialect's parameters, gives the operation its own, and renders the outcome.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};
use toolcrib_access::{Proposed, Sandbox, in_sandbox};
use toolcrib_files::Refused;
use toolcrib_tool::{
    Answer, Call, Category, Conventions, Descriptor, DynTool, ErrorKind, Kind, Parameter, Reply, ToolError,
    input, object_schema, parameters,
};

use crate::facts::Facts;
use crate::operations::{Caller, Operation};
use crate::table::{As, Fixed, Naming, Paths, Row, Shared};
use crate::words::{Given, NOTHING, Words};

/// The tool that offers an operation in a dialect.
pub struct DialectTool<O: Operation> {
    row: Row<O>,
    shared: Arc<Shared>,
    // Made at the first use: a process that answers one call should not pay for the schemas of every tool.
    described: OnceLock<Described>,
    facts: OnceLock<Facts<O::Outcome>>,
}

struct Described {
    descriptor: Descriptor,
    /// The operation's own parameters, in the order of the descriptor's.
    canonical: Vec<Parameter>,
}

impl<O: Operation> DialectTool<O> {
    pub(crate) fn new(row: Row<O>, shared: Arc<Shared>) -> Self {
        Self { row, shared, described: OnceLock::new(), facts: OnceLock::new() }
    }

    /// The tool that offers this operation among those of a dialect, and its name. For programs that have a request as a
    /// value, and want only the dialect's words for what comes of it.
    #[must_use]
    pub fn among(tools: &[Arc<dyn DynTool>]) -> Option<(&Self, &str)> {
        tools.iter().find_map(|tool| Some(((&**tool as &dyn Any).downcast_ref()?, tool.name())))
    }

    /// Runs the operation in the sandbox of a call, and puts a refusal into the dialect's words.
    ///
    /// # Errors
    ///
    /// Why it is refused.
    pub fn run(
        &self,
        call: &Call<'_>,
        run: impl FnOnce(&Caller<'_>) -> Result<Proposed<O::Outcome>, Refused>,
    ) -> Result<Answer<O::Outcome>, ToolError> {
        self.run_given(call, &NOTHING, run)
    }

    fn run_given(
        &self,
        call: &Call<'_>,
        given: &Given,
        run: impl FnOnce(&Caller<'_>) -> Result<Proposed<O::Outcome>, Refused>,
    ) -> Result<Answer<O::Outcome>, ToolError> {
        let words = self.words_given(given);
        in_sandbox(call, self.shared.habits.unread, |sandbox| {
            let caller = Caller { sandbox, settings: self.shared.settings, words: &words };
            let error = run(&caller).map_err(|refused| words.refuse(refused));
            error.map_err(|error| as_named(error, self.shared.habits.paths, sandbox))
        })
    }

    /// An outcome in the dialect's words.
    pub fn reply(&self, outcome: &O::Outcome) -> Reply {
        self.reply_given(outcome, &NOTHING)
    }

    fn reply_given(&self, outcome: &O::Outcome, given: &Given) -> Reply {
        let words = self.words_given(given);
        let facts = self.facts().of(outcome, &words);
        let beside = (self.row.beside)().spelt(outcome, &words, Naming::Snake);
        match (self.row.text)(outcome, &words) {
            Some(text) => Reply { output: text.into(), metadata: facts.into_iter().chain(beside).collect() },
            None => Reply { output: facts.into(), metadata: beside },
        }
    }

    /// What its caller calls things.
    #[must_use]
    pub fn words(&self) -> Words<'_> {
        self.words_given(&NOTHING)
    }

    fn words_given<'a>(&'a self, given: &'a Given) -> Words<'a> {
        let Described { descriptor, canonical } = self.described();
        Words { shared: &self.shared, canonical, named: &descriptor.parameters, given, called: self.row.name }
    }

    fn described(&self) -> &Described {
        self.described.get_or_init(|| {
            let naming = self.shared.habits.naming;
            let canonical = taken(parameters::<O::Input>(), self.row.takes);
            let parameters = canonical.iter().map(|own| said(own, "", naming, self.row.parameters));
            let parameters = parameters.chain(self.row.parameters.iter().filter_map(unused)).collect();
            let descriptor = Descriptor {
                name: self.row.name.to_owned(),
                title: if self.row.title.is_empty() { O::TITLE } else { self.row.title }.to_owned(),
                description: self.row.description.to_owned(),
                category: Category::File,
                effect: O::EFFECT,
                parameters,
                output_schema: self.output_schema(naming),
                conventions: Conventions { hints: self.row.hints, ..self.shared.habits.conventions },
            };
            Described { descriptor, canonical }
        })
    }

    /// A dialect whose structured content is the text alone needs no schema of facts.
    fn output_schema(&self, naming: Naming) -> Option<Value> {
        match self.shared.habits.conventions.structured_as {
            Some(field) => O::MEDIA.then(|| media_schema(field)),
            None => Some(object_schema(&self.facts().fields(naming)).into()),
        }
    }

    fn facts(&self) -> &Facts<O::Outcome> {
        self.facts.get_or_init(self.row.facts)
    }
}

impl<O: Operation> DynTool for DialectTool<O> {
    fn name(&self) -> &str {
        self.row.name
    }

    fn descriptor(&self) -> &Descriptor {
        &self.described().descriptor
    }

    fn call(&self, arguments: Map<String, Value>, call: &Call<'_>) -> Result<Answer<Reply>, ToolError> {
        let Described { descriptor, canonical } = self.described();
        let mut arguments = own_object(arguments, canonical, &descriptor.parameters);
        arguments.extend(self.row.parameters.iter().filter_map(fixed));
        let given = Given::of(&arguments);
        let input = input(arguments)?;
        let answer = self.run_given(call, &given, |caller| O::run(input, caller))?;
        answer.try_map(|outcome| Ok(self.reply_given(&outcome, &given)))
    }

    fn rephrase(&self, error: ToolError) -> ToolError {
        self.words().refuse(Refused::Failed(error))
    }
}

/// Who knows the root by a name of the dialect's own is told no other.
fn as_named(error: ToolError, paths: Paths, sandbox: &Sandbox<'_>) -> ToolError {
    let Paths::Virtual(top) = paths else { return error };
    let root = sandbox.context().working_dir.to_string_lossy();
    let (message, hint) = (error.message().replace(&*root, top), error.next_step());
    let hint = hint.map(|hint| match error.kind() {
        ErrorKind::OutsideWorkspace => format!("use a path inside {top}"),
        _ => hint.replace(&*root, top),
    });
    let error = error.worded(Some(message));
    if let Some(hint) = hint { error.hint(hint) } else { error }
}

fn taken(all: Vec<Parameter>, names: &str) -> Vec<Parameter> {
    if names.is_empty() {
        return all;
    }
    names.split_whitespace().filter_map(|name| all.iter().find(|own| own.name == name).cloned()).collect()
}

/// An object with one list of what the protocol shows: images, sounds, or bytes with their address.
fn media_schema(field: &str) -> Value {
    let text = json!({"type": "string"});
    let shown = json!({
        "type": "object",
        "properties": {"type": {"type": "string", "enum": ["image", "audio"]}, "data": text, "mimeType": text},
        "required": ["type", "data", "mimeType"],
        "additionalProperties": false,
    });
    let resource = json!({
        "type": "object",
        "properties": {"uri": text, "mimeType": text, "blob": text},
        "required": ["uri", "blob"],
        "additionalProperties": false,
    });
    let bytes = json!({
        "type": "object",
        "properties": {"type": {"type": "string", "const": "resource"}, "resource": resource},
        "required": ["type", "resource"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {(field): {"type": "array", "items": {"anyOf": [shown, bytes]}}},
        "required": [field],
        "additionalProperties": false,
    })
}

/// The value of a parameter that callers do not know.
fn fixed(otherwise: &As) -> Option<(String, Value)> {
    let As::Fixed(name, value) = *otherwise else { return None };
    let value = match value {
        Fixed::Yes => Value::Bool(true),
        Fixed::Number(number) => number.into(),
        Fixed::Choice(choice) => choice.into(),
    };
    Some((name.to_owned(), value))
}

/// A parameter that no operation takes.
fn unused(otherwise: &As) -> Option<Parameter> {
    let As::Unused(name, description) = *otherwise else { return None };
    Some(Parameter::new(name, Kind::String).describe(description).optional())
}

/// A parameter of an operation as the dialect has it.
fn said(own: &Parameter, within: &str, naming: Naming, otherwise: &[As]) -> Parameter {
    let path = if own.name.is_empty() { within.to_owned() } else { format!("{within}{}", own.name) };
    let below = if own.name.is_empty() { String::new() } else { format!("{path}.") };
    let spell =
        |value: &Value| value.as_str().map_or_else(|| value.clone(), |name| naming.spell(name).into());
    let mut named = Parameter { name: naming.spell(&own.name), ..own.clone() };
    named.items = own.items.as_ref().map(|items| {
        let fields = items.properties.iter().map(|field| said(field, &below, naming, otherwise));
        Box::new(Parameter { properties: fields.collect(), ..(**items).clone() })
    });
    if own.choices.is_some() {
        named.choices = own.choices.as_ref().map(|choices| choices.iter().map(spell).collect());
        named.default = own.default.as_ref().map(spell);
    }
    for change in otherwise {
        match *change {
            As::Named(of, name) if of == path => name.clone_into(&mut named.name),
            As::Described(of, description) if of == path => description.clone_into(&mut named.description),
            As::Default(of, value) if of == path => named = named.default(value),
            As::Max(of, most) if of == path => named.maximum = Some(most.into()),
            As::Required(of) if of == path => named.required = true,
            As::MayBeAbsent(of) if of == path => named = named.default(""),
            As::NotEmpty(of) if of == path => named.min_length = Some(1),
            _ => {}
        }
    }
    named
}

/// Arguments under the operation's own names.
fn own_object(mut given: Map<String, Value>, own: &[Parameter], named: &[Parameter]) -> Map<String, Value> {
    let pairs = own.iter().zip(named);
    pairs
        .filter_map(|(own, named)| {
            Some((own.name.clone(), own_value(given.shift_remove(&named.name)?, own, named)))
        })
        .collect()
}

fn own_value(given: Value, own: &Parameter, named: &Parameter) -> Value {
    if let (Some(own), Some(named)) = (&own.choices, &named.choices) {
        let chosen = named.iter().position(|choice| *choice == given).and_then(|at| own.get(at));
        return chosen.cloned().unwrap_or(given);
    }
    match (given, &own.items, &named.items) {
        (Value::Array(items), Some(own), Some(named)) if !own.properties.is_empty() => {
            items.into_iter().map(|item| own_value(item, own, named)).collect()
        }
        (Value::Object(fields), ..) => own_object(fields, &own.properties, &named.properties).into(),
        (given, ..) => given,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_choices_and_lists_are_given_back_as_the_operation_has_them() {
        let edit = Parameter::new("", Kind::Object).properties([Parameter::new("old_string", Kind::String)]);
        let own = [
            Parameter::new("ignore_case", Kind::Boolean),
            Parameter::new("output_mode", Kind::String).choices(["files_with_matches", "count"]),
            Parameter::new("edits", Kind::Array).items(edit),
        ];
        let otherwise = [As::Named("ignore_case", "-i"), As::Described("edits.old_string", "Old")];
        let named: Vec<Parameter> = own.iter().map(|own| said(own, "", Naming::Camel, &otherwise)).collect();
        assert_eq!(named[2].items.as_ref().map(|items| &*items.properties[0].description), Some("Old"));
        let given = json!({"-i": true, "outputMode": "filesWithMatches", "edits": [{"oldString": "x"}]});
        let given = own_object(given.as_object().unwrap().clone(), &own, &named);
        let wanted =
            json!({"ignore_case": true, "output_mode": "files_with_matches", "edits": [{"old_string": "x"}]});
        assert_eq!(Value::Object(given), wanted);
    }
}
