//! What a tool is, and how a call to one is carried out.
//!
//! A [`Tool`] is written once, as a typed input, a typed output and one function. The [`Registry`] holds
//! tools by name, the [`Executor`] looks a call up, validates it, runs it under a deadline and a cancellation
//! token, bounds its answer and keeps one [`ToolExecution`] of it.
//!
//! This crate must not know the disk, nor any tool in particular, nor JSON-RPC, terminals or agents. **Tools propose and the
//! executor commits**: a tool returns the changes it wants as an [`Answer`], and the executor hands them to its
//! [`Environment`], which makes them or shows them.
//!
//! # A tool of your own
//!
//! ```
//! use std::sync::Arc;
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//! use toolcrib_tool::{Answer, Call, Effect, Executor, ExecutionContext, Registry, Tool, ToolError};
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Greeting {
//!     /// Who is greeted.
//!     name: String,
//! }
//!
//! struct Greet;
//!
//! impl Tool for Greet {
//!     type Input = Greeting;
//!     type Output = String;
//!     const NAME: &'static str = "Greet";
//!     const DESCRIPTION: &'static str = "Greets a person by name.";
//!     const EFFECT: Effect = Effect::Reads;
//!
//!     fn run(&self, input: Greeting, _call: &Call<'_>) -> Result<Answer<String>, ToolError> {
//!         Ok(format!("Hello, {}!", input.name).into())
//!     }
//! }
//!
//! let registry = Registry::new();
//! registry.register(Greet)?;
//! let executor = Executor::new(Arc::new(registry));
//! let result = executor.execute_blocking("Greet", json!({"name": "Ada"}), &ExecutionContext::new("/"));
//! assert_eq!(result.output, "Hello, Ada!");
//! # Ok::<(), ToolError>(())
//! ```

mod answer;
mod bound;
mod call;
mod clock;
mod context;
mod derive;
mod environment;
mod error;
mod execution;
mod executor;
mod gate;
mod nearest;
mod parameter;
mod quote;
mod registry;
mod result;
mod schema;
mod tool;
mod validate;
mod weight;

pub use answer::Answer;
pub use call::{Call, short_of_memory};
pub use context::ExecutionContext;
pub use derive::{field, parameters, parameters_of};
pub use environment::{Environment, Notes, Proposals, Settled};
pub use error::{ErrorKind, ToolError};
pub use execution::{ExecutionLog, State, ToolExecution};
pub use executor::{Executor, ExecutorBuilder, Performed, ReceivedCall};
pub use nearest::nearest;
pub use parameter::{Kind, Parameter, object_schema};
pub use registry::Registry;
pub use result::{Image, Reply, ToolResult};
pub use schema::Format;
pub use tool::{Category, Conventions, Descriptor, DynTool, Effect, Hints, Tool, erase, input};
pub use validate::{Coercion, Renamed, Validated, validate, validate_as};
