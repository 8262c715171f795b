//! What a scenario works with: a disk of its own, a toolbox on it, and what was answered.
//!
//! The paths of the features begin with `/home`. On the disk that is a folder in a temporary directory; the agent's answers
//! are shown with the features' paths again.

use std::convert::Infallible;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value};
use tempfile::TempDir;
use toolcrib::{
    ApprovalRequest, Config, Decision, Dialect, DynTool, ExecutionContext, Format, ToolExecution, ToolResult,
    Toolbox,
};
use toolcrib_testkit::as_ordinary_user;

const HOME: &str = "/home/";

/// See the module.
pub(crate) struct World {
    /// Where the scenario is written.
    pub(crate) feature_file: PathBuf,
    disk: TempDir,
    /// The agent's process is an ordinary user's.
    pub(crate) ordinary: bool,
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) dialect: Dialect,
    pub(crate) rules: String,
    /// What the person who is asked says, if there is one.
    pub(crate) answer: Option<Decision>,
    pub(crate) asked: Arc<Mutex<Vec<ApprovalRequest>>>,
    pub(crate) own_tools: Vec<Arc<dyn DynTool>>,
    pub(crate) circumstances: Circumstances,
    toolbox: Option<Toolbox>,
    pub(crate) results: Vec<ToolResult>,
    pub(crate) schemas: Vec<Value>,
}

/// Under which the next calls are made.
#[derive(Clone, Default)]
pub(crate) struct Circumstances {
    pub(crate) dry_run: bool,
    pub(crate) session: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) working_dir: Option<PathBuf>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_output_size: Option<usize>,
    /// After which time the caller cancels the call.
    pub(crate) cancelled_after: Option<Duration>,
}

impl cucumber::World for World {
    type Error = Infallible;

    async fn new() -> Result<Self, Infallible> {
        let disk = tempfile::tempdir().unwrap();
        fs::set_permissions(disk.path(), fs::Permissions::from_mode(0o755)).unwrap();
        Ok(Self {
            feature_file: PathBuf::new(),
            disk,
            ordinary: false,
            roots: Vec::new(),
            dialect: Dialect::Standard,
            rules: String::new(),
            answer: None,
            asked: Arc::default(),
            own_tools: Vec::new(),
            circumstances: Circumstances::default(),
            toolbox: None,
            results: Vec::new(),
            schemas: Vec::new(),
        })
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("results", &self.results).finish_non_exhaustive()
    }
}

impl World {
    /// A path of the features on the disk.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        PathBuf::from(self.on_disk(path))
    }

    fn on_disk(&self, text: &str) -> String {
        text.replace(HOME, &format!("{}{HOME}", self.disk.path().display()))
    }

    /// A text of the disk with the features' paths.
    pub(crate) fn shown(&self, text: &str) -> String {
        text.replace(&self.disk.path().display().to_string(), "")
    }

    /// A value with the features' paths in all its texts.
    pub(crate) fn shown_value(&self, value: &Value) -> Value {
        map_texts(value.clone(), &|text| self.shown(text))
    }

    /// Writes a file and the directories above it.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn make_directory(&self, path: &str) {
        fs::create_dir_all(self.path(path)).unwrap();
    }

    pub(crate) fn link(&self, path: &str, target: &str) {
        symlink(self.on_disk(target), self.path(path)).unwrap();
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    pub(crate) fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// The agent calls a tool, and the answer is kept.
    pub(crate) fn call(&mut self, tool: &str, arguments: Map<String, Value>) {
        let arguments = map_texts(Value::Object(arguments), &|text| self.on_disk(text));
        let toolbox = self.toolbox().clone();
        let context = self.context(&toolbox);
        let cancelled_after = self.circumstances.cancelled_after;
        let call = || {
            if let Some(time) = cancelled_after {
                let cancel = context.cancel.clone();
                thread::spawn(move || {
                    thread::sleep(time);
                    cancel.cancel();
                });
            }
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            runtime.block_on(toolbox.call(tool, arguments, &context))
        };
        self.results.push(self.as_agent(call));
    }

    /// The answer to the latest call.
    pub(crate) fn result(&self) -> &ToolResult {
        self.results.last().unwrap_or_else(|| panic!("nothing was called yet"))
    }

    /// What the agent reads: a text, with the features' paths.
    pub(crate) fn output(&self) -> String {
        match &self.result().output {
            Value::String(text) => self.shown(text),
            other => panic!("the output is no text: {other}; the call says {:?}", self.result().error),
        }
    }

    /// What went wrong, with the features' paths.
    pub(crate) fn error(&self) -> String {
        self.shown(self.result().error.as_deref().unwrap_or_else(|| panic!("the call succeeded")))
    }

    /// The record of the latest call.
    pub(crate) fn record(&mut self) -> Arc<ToolExecution> {
        self.toolbox().executions().last().unwrap().clone()
    }

    pub(crate) fn ask_for_schemas(&mut self, format: Format) {
        self.schemas = self.toolbox().schemas(format);
    }

    /// The toolbox, opened when it is first wanted: what is given before that goes into it.
    pub(crate) fn toolbox(&mut self) -> &Toolbox {
        if self.toolbox.is_none() {
            self.toolbox = Some(self.as_agent(|| self.open()));
        }
        self.toolbox.as_ref().unwrap()
    }

    fn open(&self) -> Toolbox {
        let config = Config::parse(&self.on_disk(&self.rules)).unwrap();
        let mut builder = Toolbox::builder().dialect(self.dialect).config(config);
        for root in &self.roots {
            builder = builder.root(root);
        }
        if let Some(answer) = self.answer.clone() {
            let asked = Arc::clone(&self.asked);
            builder = builder.approver(Arc::new(move |request: &ApprovalRequest| {
                asked.lock().unwrap().push(request.clone());
                answer.clone()
            }));
        }
        let toolbox = builder.open().unwrap();
        toolbox.executor().registry().register_many(self.own_tools.iter().cloned()).unwrap();
        toolbox
    }

    fn context(&self, toolbox: &Toolbox) -> ExecutionContext {
        let wanted = &self.circumstances;
        let mut context = toolbox.context().dry_run(wanted.dry_run);
        context.session_id.clone_from(&wanted.session);
        context.agent_id.clone_from(&wanted.agent);
        if let Some(working_dir) = &wanted.working_dir {
            context.working_dir.clone_from(working_dir);
        }
        context.timeout = wanted.timeout.unwrap_or(context.timeout);
        context.max_output_size = wanted.max_output_size.unwrap_or(context.max_output_size);
        context
    }

    /// Always on a thread of its own: a runtime cannot be started inside the one that runs the scenarios.
    fn as_agent<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        if self.ordinary {
            return as_ordinary_user(work);
        }
        thread::scope(|scope| scope.spawn(work).join().unwrap())
    }
}

fn map_texts(value: Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => change(&text).into(),
        Value::Array(items) => items.into_iter().map(|item| map_texts(item, change)).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, map_texts(value, change))).collect()
        }
        other => other,
    }
}

/// Whether something is there under this name, be it a link that leads nowhere.
pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
