//! What a tool is: the typed form that authors write, and the erased form that the registry holds.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Answer, Call, ErrorKind, Parameter, Reply, ToolError, derive};

/// What a tool works on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Category {
    /// Files and directories.
    File,
    /// Running programs.
    Execution,
    /// The web.
    Web,
    /// Tasks and plans.
    Task,
    /// Notebooks.
    Notebook,
    /// Tools of another MCP server.
    Mcp,
    /// Anything else.
    #[default]
    Other,
}

/// What a call of the tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// It only reads. A dry run runs it as usual.
    Reads,
    /// It proposes changes to files, and the executor commits them. A dry run shows them.
    Proposes,
    /// It changes something by itself. A dry run can only say that it would be run.
    Acts,
}

impl Effect {
    /// Whether anything may be different after a call.
    #[must_use]
    pub fn changes(self) -> bool {
        self != Self::Reads
    }
}

/// A tool, as its author writes it: a typed input, a typed output and one function.
///
/// The input's fields are the parameters and their doc comments the descriptions; schemas, validation and help all
/// come from there. See the [crate's example](crate#a-tool-of-your-own).
pub trait Tool: Send + Sync + 'static {
    /// The parameters.
    type Input: DeserializeOwned + JsonSchema;
    /// The facts of the answer.
    type Output: Serialize + JsonSchema;

    /// The name a model calls it by.
    const NAME: &'static str;
    /// The name people see.
    const TITLE: &'static str = Self::NAME;
    /// What it does and when to use it, for a model.
    const DESCRIPTION: &'static str;
    /// What it works on.
    const CATEGORY: Category = Category::Other;
    /// What it does to the world.
    const EFFECT: Effect;

    /// Does the work, and returns what it found out. A tool that changes files returns the changes as
    /// [proposals](Answer::proposals), and the executor makes them. A tool that loops calls [`Call::checkpoint`] in the loop.
    ///
    /// # Errors
    ///
    /// Whatever the tool cannot do, as an error that says what to do next.
    fn run(&self, input: Self::Input, call: &Call<'_>) -> Result<Answer<Self::Output>, ToolError>;

    /// The text that a model reads. With one, the facts stand in the metadata; without, they are the output.
    fn render(&self, output: &Self::Output) -> Option<String> {
        _ = output;
        None
    }
}

/// Everything there is to know about a tool without calling it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Descriptor {
    /// The name a model calls it by.
    pub name: String,
    /// The name people see.
    pub title: String,
    /// What it does and when to use it, for a model.
    pub description: String,
    /// What it works on.
    pub category: Category,
    /// What it does to the world.
    pub effect: Effect,
    /// What it takes.
    pub parameters: Vec<Parameter>,
    /// The JSON schema of the facts it answers with, if they are an object.
    pub output_schema: Option<Value>,
    /// What its callers are used to.
    #[serde(skip)]
    pub conventions: Conventions,
}

/// What the callers of a tool are used to, where that differs from one family of agents to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Conventions {
    /// An error is its sentence, with what to do next on the lines below, and nothing in front.
    pub plain_errors: bool,
    /// Parameters that the tool does not have are ignored, and not refused.
    pub ignores_unknown: bool,
    /// A call with one text instead of an object means this parameter.
    pub text_is: Option<&'static str>,
    /// Other names of parameters, each with the name that it stands for.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Over MCP, structured content goes with every answer: an object with the text, or the media, in this field alone.
    pub structured_as: Option<&'static str>,
    /// The type by which Anthropic's API knows the tool, so that it is described without a schema.
    pub anthropic_type: Option<&'static str>,
    /// Hints for MCP clients; without them, they follow from the effect.
    pub hints: Option<Hints>,
}

impl Conventions {
    /// None that differ from the usual.
    pub const NONE: Self = Self {
        plain_errors: false,
        ignores_unknown: false,
        text_is: None,
        aliases: &[],
        structured_as: None,
        anthropic_type: None,
        hints: None,
    };
}

/// What an MCP client is told of a tool that changes files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hints {
    /// Whether it may change or remove what is there.
    pub destructive: bool,
    /// Whether a second call with the same arguments changes nothing more.
    pub idempotent: bool,
}

/// A tool with its types erased. [`erase`] makes one of a [`Tool`]; a tool whose parameters are known only at run time
/// (one that was registered from Python, say) implements it directly.
pub trait DynTool: Any + Send + Sync {
    /// The name. Cheap, unlike the first [`descriptor`](Self::descriptor).
    fn name(&self) -> &str;

    /// Everything there is to know about it.
    fn descriptor(&self) -> &Descriptor;

    /// Puts a failure that the tool itself had no part in (wrong arguments, no approval, time is up) into its callers' words.
    fn rephrase(&self, error: ToolError) -> ToolError {
        error
    }

    /// Does the work with arguments that fit the parameters.
    ///
    /// # Errors
    ///
    /// Whatever the tool cannot do.
    fn call(&self, arguments: Map<String, Value>, call: &Call<'_>) -> Result<Answer<Reply>, ToolError>;
}

/// The typed input that arguments stand for.
///
/// # Errors
///
/// [`ErrorKind::InvalidParameter`]. The frame has validated the arguments already; what only the type knows (a range of its
/// own, a pattern) fails here.
pub fn input<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, ToolError> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let message = format!("Invalid value for parameter '{}': {}", error.path(), error.inner());
        ToolError::new(ErrorKind::InvalidParameter, message)
    })
}

/// Erases the types of a tool.
pub fn erase<T: Tool>(tool: T) -> Arc<dyn DynTool> {
    Arc::new(Erased { tool, descriptor: OnceLock::new() })
}

struct Erased<T> {
    tool: T,
    // Made at the first use: a process that answers one call should not pay for the schemas of every tool.
    descriptor: OnceLock<Descriptor>,
}

impl<T: Tool> DynTool for Erased<T> {
    fn name(&self) -> &str {
        T::NAME
    }

    fn descriptor(&self) -> &Descriptor {
        self.descriptor.get_or_init(|| Descriptor {
            name: T::NAME.to_owned(),
            title: T::TITLE.to_owned(),
            description: T::DESCRIPTION.to_owned(),
            category: T::CATEGORY,
            effect: T::EFFECT,
            parameters: derive::parameters::<T::Input>(),
            output_schema: derive::output_schema::<T::Output>(),
            conventions: Conventions::default(),
        })
    }

    fn call(&self, arguments: Map<String, Value>, call: &Call<'_>) -> Result<Answer<Reply>, ToolError> {
        let input = input(arguments)?;
        self.tool.run(input, call)?.try_map(|output| {
            let facts = serde_json::to_value(&output).map_err(|error| {
                let message = format!("{} gave an answer that is not JSON: {error}", T::NAME);
                ToolError::new(ErrorKind::Internal, message)
            })?;
            Ok(match (self.tool.render(&output), facts) {
                (Some(text), Value::Object(metadata)) => Reply { output: text.into(), metadata },
                (Some(text), _) => Reply { output: text.into(), metadata: Map::new() },
                (None, output) => Reply { output, metadata: Map::new() },
            })
        })
    }
}
