//! A tool that is written in JavaScript.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolcrib::{
    Answer, Call, Category, Conventions, Descriptor, DynTool, Effect, ErrorKind, Reply, ToolError,
    ToolResult, parameters_of,
};

use crate::link::{Inner, Kind};

/// How long a tool whose time is up, or whose memory is, runs on at most until it is told.
const LOOK_UP: Duration = Duration::from_millis(50);

/// The number of the work that a call is, for the tools that it runs.
pub(crate) struct Work(pub(crate) u32);

/// What is said of a tool when it is registered.
#[derive(Deserialize)]
pub(crate) struct About {
    name: String,
    title: String,
    description: String,
    category: Category,
    effect: Effect,
    parameters: Value,
    output: Option<Value>,
}

/// A function of JavaScript, under its name in the toolbox of the call.
pub(crate) struct OwnTool {
    descriptor: Descriptor,
    link: Arc<Inner>,
}

impl OwnTool {
    pub(crate) fn new(about: About, link: Arc<Inner>) -> Self {
        let descriptor = Descriptor {
            name: about.name,
            title: about.title,
            description: about.description,
            category: about.category,
            effect: about.effect,
            parameters: parameters_of(&about.parameters),
            output_schema: about.output,
            conventions: Conventions::default(),
        };
        Self { descriptor, link }
    }

    fn no_answer(&self, why: &str) -> ToolError {
        ToolError::new(ErrorKind::Internal, format!("{} gave no answer: {why}", self.name()))
    }
}

impl DynTool for OwnTool {
    fn name(&self) -> &str {
        &self.descriptor.name
    }

    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    fn call(&self, arguments: Map<String, Value>, call: &Call<'_>) -> Result<Answer<Reply>, ToolError> {
        let context = call.context();
        let Some(Work(work)) = context.attachment::<Work>() else {
            return Err(self.no_answer("it was not called from JavaScript"));
        };
        let about = json!({
            "tool": call.tool(),
            "arguments": arguments,
            "workingDir": context.working_dir,
            "session": context.session_id,
            "agent": context.agent_id,
            "dryRun": context.dry_run,
            "remainingMs": milliseconds(call.remaining()),
        });
        let stop = async || {
            while call.checkpoint().is_ok() {
                tokio::select! {
                    () = call.cancellation().cancelled() => {}
                    () = tokio::time::sleep(LOOK_UP) => {}
                }
            }
        };
        let Some(answer) = self.link.ask(Kind::Run, *work, about.to_string(), None, stop) else {
            call.checkpoint()?;
            return Err(self.no_answer("the thread that it runs on has ended"));
        };
        let answer: ToolResult =
            serde_json::from_str(&answer).map_err(|error| self.no_answer(&error.to_string()))?;
        if answer.success {
            return Ok(Reply { output: answer.output, metadata: answer.metadata }.into());
        }
        Err(failure(answer))
    }
}

/// A failed result as the error that it stands for.
fn failure(answer: ToolResult) -> ToolError {
    let mut metadata = answer.metadata;
    let mut take = |key: &str| match metadata.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let kind = take("error_kind").and_then(|name| ErrorKind::named(&name));
    let hint = take("hint");
    let failure = ToolError::new(kind.unwrap_or(ErrorKind::Internal), answer.error.unwrap_or_default());
    let failure = metadata.into_iter().fold(failure, |failure, (key, value)| failure.with(&key, value));
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// None for a time that has no end.
fn milliseconds(time: Duration) -> Option<u64> {
    u64::try_from(time.as_millis()).ok().filter(|time| *time < u64::from(u32::MAX))
}
