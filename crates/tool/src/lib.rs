//! What a tool is, and how a call to one is carried out.
//!
//! A [`Tool`] is written once, as a typed input, a typed output and one function. The [`Registry`] holds
//! tools by name, the [`Executor`] looks a call up, validates it, runs it under a deadline and a cancellation
//! token, bounds its answer and keeps one [`ToolExecution`] of it.
//!
//! This crate must not know any tool in particular, nor JSON-RPC, terminals or agents: those are the doors'.
//! It may know the [`Workspace`](toolcrib_workspace::Workspace), because **tools propose and the executor
//! commits**.
//!
//! # A tool of your own
//!
//! ```
//! use std::sync::Arc;
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//! use toolcrib_tool::{Call, Effect, Executor, ExecutionContext, Registry, Tool, ToolError};
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
//!     const DESCRIPTION: &'static str = "Greets somebody by name.";
//!     const EFFECT: Effect = Effect::Reads;
//!
//!     fn run(&self, input: Greeting, _call: &mut Call<'_>) -> Result<String, ToolError> {
//!         Ok(format!("Hello, {}!", input.name))
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

mod bound;
mod call;
mod clock;
mod context;
mod derive;
mod draft;
mod error;
mod execution;
mod executor;
mod gate;
mod history;
mod ledger;
mod links;
mod nearest;
mod parameter;
mod policy;
mod quote;
mod registry;
mod result;
mod review;
mod sandbox;
mod schema;
mod screen;
mod settle;
mod subject;
mod tool;
mod undo;
mod validate;
mod weight;

pub use call::Call;
pub use context::ExecutionContext;
pub use derive::parameters_of;
pub use draft::{Draft, Proposal};
pub use error::{ErrorKind, ToolError};
pub use execution::{ExecutionLog, State, ToolExecution};
pub use executor::{Executor, ExecutorBuilder};
pub use history::{HalfDone, History};
pub use ledger::{Extent, Ledger, Parts, Seen, Standing, Unit, Written};
pub use nearest::nearest;
pub use parameter::{Kind, Parameter};
pub use policy::{
    Access, Action, ApprovalRequest, Approver, Decision, Group, Origin, Pattern, Policy, Rule, Subject,
    Verdict,
};
pub use registry::Registry;
pub use result::{Image, Reply, ToolResult};
pub use review::{Page, PageSize, ProposedChange};
pub use sandbox::{Location, Opened, Sandbox};
pub use schema::Format;
pub use screen::{OpenedDir, Screen};
pub use tool::{Category, Descriptor, DynTool, Effect, Tool, erase};
pub use toolcrib_journal::Way;
pub use undo::{StepBack, TakingBack};
pub use validate::{Coercion, Renamed, Validated, validate};
