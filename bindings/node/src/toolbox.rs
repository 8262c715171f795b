//! A toolbox, as the TypeScript half sees it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use napi::bindgen_prelude::Uint8Array;
use napi::{Error, Result};
use napi_derive::napi;
use serde::Deserialize;
use serde_json::{Value, json};
use toolcrib::files::EntryKind;
use toolcrib::{
    Dialect, DynTool, Effect, ErrorKind, ExecutionContext, Format, RecordId, ToolError, Toolbox, UndoKind,
    UndoRequest, WriteBytes,
};

use crate::carry::{Job, Performed, failure};
use crate::link::{Inner, Link};
use crate::options::{Calling, Opening};
use crate::own_tool::{About, OwnTool};
use crate::ready::{Awaited, is_worth_waiting};

/// Under which context calls are made.
#[napi]
pub struct CallContext(ExecutionContext);

/// The tools on some directories.
#[napi]
pub struct NativeToolbox {
    toolbox: Toolbox,
    link: Arc<Inner>,
}

/// The version of this module.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// The names of all dialects.
#[napi]
pub fn dialects() -> Vec<&'static str> {
    Dialect::ALL.into_iter().map(Dialect::as_str).collect()
}

/// The names of all kinds of failures.
#[napi]
pub fn error_kinds() -> Vec<&'static str> {
    ErrorKind::ALL.into_iter().map(ErrorKind::as_str).collect()
}

#[napi]
impl NativeToolbox {
    /// Opens the directories.
    #[napi(constructor)]
    pub fn open(link: &Link, options: String) -> Result<Self> {
        let toolbox = parsed::<Opening>(&options)?.open().map_err(thrown)?;
        Ok(Self { toolbox, link: Arc::clone(&link.0) })
    }

    /// The context of calls from the first root.
    #[napi]
    pub fn context(&self, options: String) -> Result<CallContext> {
        parsed::<Calling>(&options)?.context(&self.toolbox).map(CallContext).map_err(thrown)
    }

    /// Starts a call. If this thread `waits` and the answer is there in a moment, it is this.
    #[napi]
    pub fn call(
        &self,
        work: u32,
        tool: String,
        arguments: String,
        context: &CallContext,
        asks: bool,
        waits: bool,
    ) -> Option<String> {
        let known = self.toolbox.executor().registry().get(&tool);
        // Changes take longer than a moment, and are announced in their order.
        let reads = known.as_ref().is_none_or(|tool| tool.descriptor().effect == Effect::Reads);
        let name = known.as_ref().map_or("", |tool| tool.name());
        self.awaited(waits && reads, name, |awaited| {
            let job = Job::new(&self.link, work, &self.toolbox, &context.0, asks, awaited);
            job.call(tool, arguments);
        })
    }

    /// Every tool: its facts, and the JSON schemas of its parameters and of its facts.
    #[napi]
    pub fn tools(&self) -> String {
        let registry = self.toolbox.executor().registry();
        let about = |tool: &Arc<dyn DynTool>| {
            let descriptor = tool.descriptor();
            let schema = Format::LangChain.schema(descriptor);
            json!({
                "name": descriptor.name,
                "title": descriptor.title,
                "description": descriptor.description,
                "category": descriptor.category,
                "effect": descriptor.effect,
                "parameters": {
                    "type": schema["type"], "properties": schema["properties"], "required": schema["required"],
                },
                "facts": descriptor.output_schema,
            })
        };
        registry.list_all().iter().map(about).collect::<Value>().to_string()
    }

    /// Every tool in the form a model's provider wants.
    #[napi]
    pub fn schemas(&self, format: String) -> Result<String> {
        let format: Format = format.parse().map_err(thrown)?;
        Ok(Value::from(self.toolbox.schemas(format)).to_string())
    }

    /// Adds a tool of JavaScript.
    #[napi]
    pub fn register(&self, about: String) -> Result<()> {
        let tool = OwnTool::new(parsed::<About>(&about)?, Arc::clone(&self.link));
        let registry = self.toolbox.executor().registry();
        registry.register_many([Arc::new(tool) as _]).map_err(thrown)
    }

    /// Takes a tool out, and tells whether it was there.
    #[napi]
    pub fn deregister(&self, name: String) -> bool {
        self.toolbox.executor().registry().deregister(&name)
    }

    /// The latest calls, oldest first.
    #[napi]
    pub fn executions(&self) -> String {
        let executions = self.toolbox.executions();
        let values =
            executions.iter().map(|execution| serde_json::to_value(&**execution).unwrap_or_default());
        values.collect::<Value>().to_string()
    }

    /// Forgets the calls.
    #[napi]
    pub fn clear_executions(&self) {
        self.toolbox.executor().clear_executions();
    }

    /// Starts to read the last changes, the latest first.
    #[napi]
    pub fn log(&self, work: u32, limit: u32, context: &CallContext) {
        let limit = limit as usize;
        self.job(work, context, false).perform(move |toolbox, _| Ok(Performed::of(toolbox.log(limit)?)));
    }

    /// Starts to read one change.
    #[napi]
    pub fn change(&self, work: u32, id: f64, context: &CallContext) {
        let id = number(id);
        self.job(work, context, false)
            .perform(move |toolbox, _| Ok(Performed::of(toolbox.past(RecordId::new(id))?)));
    }

    /// Starts to undo a change, or to redo it: this one, or the latest of the session, or the latest of all.
    #[napi]
    pub fn reverse(&self, work: u32, redo: bool, id: Option<f64>, context: &CallContext, asks: bool) {
        let kind = if redo { UndoKind::Redo } else { UndoKind::Undo };
        let request = UndoRequest::of(kind, id.map(number));
        self.job(work, context, asks).perform(move |toolbox, context| {
            let report = toolbox.undo(&request, context)?;
            let recorded = RecordId::new(report.recorded.unwrap_or(report.change()));
            Ok(Performed::of(toolbox.past(recorded)?))
        });
    }

    /// Starts to read all of a file's bytes, if there are at most `most`.
    #[napi]
    pub fn read_bytes(&self, work: u32, path: String, most: f64, context: &CallContext, asks: bool) {
        let most = number(most);
        self.job(work, context, asks).perform(move |toolbox, context| {
            toolbox.read_file(&PathBuf::from(path), most, context).map(Performed::Bytes)
        });
    }

    /// Starts to look at a file or directory. Waits as `call` does.
    #[napi]
    pub fn stat(
        &self,
        work: u32,
        path: String,
        context: &CallContext,
        asks: bool,
        waits: bool,
    ) -> Option<String> {
        let stat = move |toolbox: &Toolbox, context: &ExecutionContext| {
            let stat = toolbox.stat(&PathBuf::from(path), context)?;
            let facts = json!({
                "path": stat.path.absolute,
                "type": if stat.kind == EntryKind::Directory { "directory" } else { "file" },
                "size": stat.size.unwrap_or_default(),
                "mode": stat.mode,
                "modified": milliseconds(stat.modified),
                "created": stat.created.map(milliseconds),
            });
            Ok(Performed::Value(facts))
        };
        self.awaited(waits, "stat", |awaited| {
            Job::new(&self.link, work, &self.toolbox, &context.0, asks, awaited).perform(stat);
        })
    }

    /// Starts to write a file byte for byte, and gives a result as a call does.
    #[napi]
    pub fn write_bytes(
        &self,
        work: u32,
        path: String,
        bytes: Uint8Array,
        options: String,
        context: &CallContext,
        asks: bool,
    ) -> Result<()> {
        let Writing { append, overwrite, expected_modified_ms } = parsed(&options)?;
        let expected_modified =
            expected_modified_ms.map(|time| UNIX_EPOCH + Duration::from_millis(number(time)));
        let request =
            WriteBytes { path: path.into(), bytes: bytes.to_vec(), append, overwrite, expected_modified };
        self.job(work, context, asks).answer(move |toolbox, context| toolbox.write_bytes(&request, context));
        Ok(())
    }

    /// The directories that the tools reach.
    #[napi(getter)]
    pub fn roots(&self) -> Vec<String> {
        let roots = self.toolbox.workspace().roots();
        roots.iter().map(|root| root.path().to_string_lossy().into_owned()).collect()
    }
}

/// How a file is written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Writing {
    append: bool,
    overwrite: bool,
    expected_modified_ms: Option<f64>,
}

impl NativeToolbox {
    fn job(&self, work: u32, context: &CallContext, asks: bool) -> Job {
        Job::new(&self.link, work, &self.toolbox, &context.0, asks, None)
    }

    /// Starts some work, and waits a moment for its answer if that is worth while.
    fn awaited(&self, waits: bool, tool: &str, begin: impl FnOnce(Option<Arc<Awaited>>)) -> Option<String> {
        let late = &self.link.late;
        if !(waits && is_worth_waiting() && late.waits_for(tool)) {
            begin(None);
            return None;
        }
        let awaited = Arc::<Awaited>::default();
        begin(Some(Arc::clone(&awaited)));
        let answer = awaited.wait();
        late.waited(tool, answer.is_some());
        answer
    }
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| {
        thrown(ToolError::new(ErrorKind::InvalidParameter, format!("An option is wrong: {error}")))
    })
}

/// The TypeScript half reads the message and throws what it says.
fn thrown(error: ToolError) -> Error {
    Error::from_reason(failure(error).to_string())
}

/// A time as JavaScript has it.
fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A number of JavaScript, which has 53 bits.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn number(number: f64) -> u64 {
    number as u64
}
