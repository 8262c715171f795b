//! Work off the thread of JavaScript, and its answer as text.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::{Map, Value, json};
use toolcrib::{
    Conventions, ErrorKind, ExecutionContext, Image, ToolError, ToolResult, Toolbox, WithApprover,
};

use crate::approver::Asked;
use crate::link::Inner;
use crate::own_tool::Work;
use crate::ready::{Awaited, Place, Ready, Start};
use crate::supervise::{run, runtime};

/// Some work: its number, and the thread of JavaScript that it is for.
pub(crate) struct Job {
    pub(crate) link: Arc<Inner>,
    pub(crate) work: u32,
    pub(crate) toolbox: Toolbox,
    pub(crate) context: ExecutionContext,
}

impl Job {
    /// Starts work that can be cancelled. `asks` says whether it has an approver.
    pub(crate) fn new(
        link: &Arc<Inner>,
        work: u32,
        toolbox: &Toolbox,
        context: &ExecutionContext,
        asks: bool,
        awaited: Option<Arc<Awaited>>,
    ) -> Self {
        let link = Arc::clone(link);
        let context = context.clone().cancelled_by(link.begin(work, awaited)).attach(Work(work));
        let context = match asks {
            true => context.approver(Arc::new(Asked { link: Arc::clone(&link), work })),
            false => context,
        };
        Self { link, work, toolbox: toolbox.clone(), context }
    }

    /// Calls a tool with arguments in JSON.
    pub(crate) fn call(self, tool: String, arguments: String) {
        let Self { link, work, toolbox, context } = self;
        let no_thread = Arc::clone(&link);
        let start = move |place| {
            let arguments = match serde_json::from_str(&arguments) {
                Ok(arguments) => arguments,
                Err(error) => return answer(&link, work, no_json(&error).into(), &Conventions::NONE),
            };
            let conventions = conventions(&toolbox, &tool);
            let call = toolbox.executor().begin(&tool, arguments, &context);
            run(call, place, move |result| answer(&link, work, result, &conventions));
        };
        on_a_thread(start, |error| answer(&no_thread, work, error.into(), &Conventions::NONE));
    }

    /// Does what has a result like a call.
    pub(crate) fn answer(
        self,
        perform: impl FnOnce(&Toolbox, &ExecutionContext) -> ToolResult + Send + 'static,
    ) {
        let Self { link, work, toolbox, context } = self;
        let no_thread = Arc::clone(&link);
        let start = move |place| {
            let result = perform(&toolbox, &context);
            drop::<Place>(place);
            answer(&link, work, result, &Conventions::NONE);
        };
        on_a_thread(start, |error| answer(&no_thread, work, error.into(), &Conventions::NONE));
    }

    /// Does anything else, and gives its value, or its bytes, or its failure.
    pub(crate) fn perform(
        self,
        perform: impl FnOnce(&Toolbox, &ExecutionContext) -> Result<Performed, ToolError> + Send + 'static,
    ) {
        let Self { link, work, toolbox, context } = self;
        let no_thread = Arc::clone(&link);
        let start = move |place| {
            let done = catch_unwind(AssertUnwindSafe(|| perform(&toolbox, &context)));
            drop::<Place>(place);
            performed(&link, work, done.unwrap_or_else(|_| Err(bug())));
        };
        on_a_thread(start, |error| performed(&no_thread, work, Err(error)));
    }
}

/// What work led to.
pub(crate) enum Performed {
    Value(Value),
    Bytes(Vec<u8>),
}

impl Performed {
    pub(crate) fn of(value: impl Serialize) -> Self {
        Self::Value(serde_json::to_value(value).unwrap_or_default())
    }
}

fn performed(link: &Inner, work: u32, performed: Result<Performed, ToolError>) {
    let (text, bytes) = match performed {
        Ok(Performed::Value(value)) => (json!({"value": value}), Vec::new()),
        Ok(Performed::Bytes(bytes)) => (json!({}), vec![bytes]),
        Err(error) => (failure(error), Vec::new()),
    };
    link.done(work, text.to_string(), bytes);
}

/// A failure outside of a call, as the TypeScript half throws it.
pub(crate) fn failure(error: ToolError) -> Value {
    let ToolResult { error, metadata, .. } = error.into();
    json!({"error": error, "metadata": metadata})
}

/// The fields of a result. The text of a failure depends on the tool, so it is written here; that of a success is its output.
#[derive(Serialize)]
struct Answer<'a> {
    success: bool,
    output: &'a Value,
    error: &'a Option<String>,
    duration_ms: Option<f64>,
    metadata: &'a Map<String, Value>,
    text: Option<String>,
    /// The types of the images, whose bytes are beside the text.
    images: Vec<String>,
}

fn answer(link: &Inner, work: u32, mut result: ToolResult, conventions: &Conventions) {
    let images = result.take_images();
    let text = (!result.success).then(|| result.display(conventions));
    let (types, bytes) = images.into_iter().filter_map(decoded).unzip();
    let ToolResult { success, output, error, duration_ms, metadata } = &result;
    let answer =
        Answer { success: *success, output, error, duration_ms: *duration_ms, metadata, text, images: types };
    link.done(work, serde_json::to_string(&answer).unwrap_or_default(), bytes);
}

fn decoded(image: Image) -> Option<(String, Vec<u8>)> {
    Some((image.mime_type, STANDARD.decode(image.base64_data).ok()?))
}

fn conventions(toolbox: &Toolbox, tool: &str) -> Conventions {
    let tool = toolbox.executor().registry().get(tool);
    tool.map(|tool| tool.descriptor().conventions).unwrap_or_default()
}

/// Arguments that no model could have written: an answer like every other, since it may well come from one.
fn no_json(error: &serde_json::Error) -> ToolError {
    ToolError::new(ErrorKind::InvalidParameter, format!("The parameters are not JSON: {error}"))
}

/// Somebody waits for the answer, whatever happens.
fn bug() -> ToolError {
    ToolError::new(ErrorKind::Internal, "The engine failed unexpectedly").hint("this is a bug in toolcrib")
}

/// Runs on a thread of the engine; without one, `refuse` gets the reason.
fn on_a_thread(start: impl FnOnce(Place) + Send + 'static, refuse: impl FnOnce(ToolError)) {
    match runtime() {
        Ok(runtime) => {
            let start: Start = Box::new(start);
            let busy = match Ready::get(runtime) {
                Some(ready) => ready.offer(start).err(),
                None => Some(start),
            };
            if let Some(start) = busy {
                drop(runtime.spawn_blocking(|| start(Place::in_the_pool())));
            }
        }
        Err(why) => refuse(no_runtime(why)),
    }
}

fn no_runtime(why: String) -> ToolError {
    ToolError::new(ErrorKind::Io, why).hint("raise the limit of processes (ulimit -u), or end some")
}
