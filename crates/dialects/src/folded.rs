//! One tool that does what several do, told apart by a `command`.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};
use toolcrib_tool::{
    Answer, Call, Category, Descriptor, DynTool, Effect, ErrorKind, Kind, Parameter, Reply, ToolError,
    validate_as,
};

use crate::table::Shared;

/// The parameter that tells them apart.
const COMMAND: &str = "command";

pub(crate) struct Folded {
    name: &'static str,
    description: &'static str,
    commands: Vec<Arc<dyn DynTool>>,
    shared: Arc<Shared>,
    descriptor: OnceLock<Descriptor>,
}

impl Folded {
    pub(crate) fn new(
        name: &'static str,
        description: &'static str,
        commands: Vec<Arc<dyn DynTool>>,
        shared: Arc<Shared>,
    ) -> Self {
        Self { name, description, commands, shared, descriptor: OnceLock::new() }
    }

    /// The command, then every parameter that one of them takes. What a command must have and what counts where it is
    /// missing, the command itself says when it is called.
    fn parameters(&self) -> Vec<Parameter> {
        let names = self.commands.iter().map(|command| command.name());
        let command = Parameter::new(COMMAND, Kind::String).describe("What to do").choices(names);
        let mut all = vec![command];
        for parameter in self.commands.iter().flat_map(|command| &command.descriptor().parameters) {
            if all.iter().any(|known| known.name == parameter.name) {
                continue;
            }
            let takes = |command: &&Arc<dyn DynTool>| {
                command.descriptor().parameters.iter().any(|other| other.name == parameter.name)
            };
            let takers: Vec<&str> =
                self.commands.iter().filter(takes).map(|command| command.name()).collect();
            let description = format!("{} ({COMMAND}: {})", parameter.description, takers.join(", "));
            all.push(Parameter { description, required: false, default: None, ..parameter.clone() });
        }
        all
    }
}

impl DynTool for Folded {
    fn name(&self) -> &str {
        self.name
    }

    fn descriptor(&self) -> &Descriptor {
        self.descriptor.get_or_init(|| {
            let effects = self.commands.iter().map(|command| command.descriptor().effect);
            Descriptor {
                name: self.name.to_owned(),
                title: self.name.to_owned(),
                description: self.description.to_owned(),
                category: Category::File,
                effect: effects.into_iter().find(|effect| effect.changes()).unwrap_or(Effect::Reads),
                parameters: self.parameters(),
                output_schema: None,
                conventions: self.shared.habits.conventions,
            }
        })
    }

    fn call(&self, mut arguments: Map<String, Value>, call: &Call<'_>) -> Result<Answer<Reply>, ToolError> {
        let name = arguments.shift_remove(COMMAND);
        let command =
            self.commands.iter().find(|command| name.as_ref().is_some_and(|name| name == command.name()));
        let command = command.ok_or_else(|| {
            ToolError::new(
                ErrorKind::InvalidParameter,
                format!("There is no such {COMMAND} of {}", self.name),
            )
        })?;
        let Descriptor { parameters, conventions, .. } = command.descriptor();
        let given = validate_as(parameters, Value::Object(arguments), conventions);
        command.call(given.map_err(|error| command.rephrase(error))?.arguments, call)
    }
}
