//! A toolbox, as the Python half sees it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use toolcrib::{
    Builder, Config, Dialect, DynTool, ErrorKind, ExecutionContext, Format, Origin, RecordId, Rule,
    ToolError, ToolResult, Toolbox, UndoKind, UndoRequest, state_folder,
};

use crate::approver::Asked;
use crate::command::package;
use crate::convert::{Fields, fields, to_json, to_python};
use crate::failure::raise;
use crate::own_tool::{Attached, OwnTool};
use crate::signals::Interrupt;
use crate::wait::{runtime, wait};

/// Under which context calls are made.
#[pyclass(frozen, module = "toolcrib._toolcrib")]
pub(crate) struct CallContext(ExecutionContext);

/// The tools on some directories.
#[pyclass(frozen, module = "toolcrib._toolcrib")]
pub(crate) struct NativeToolbox {
    toolbox: Toolbox,
    /// The names of the tools of Python, which may not stop when they are asked to.
    own: RwLock<HashSet<String>>,
}

/// The names of all dialects.
#[pyfunction]
pub(crate) fn dialects() -> Vec<&'static str> {
    Dialect::ALL.iter().map(|dialect| dialect.as_str()).collect()
}

/// A call that was started and can be cancelled.
#[pyclass(frozen, module = "toolcrib._toolcrib")]
pub(crate) struct Work(CancellationToken);

/// Kind, pattern, action, and the patterns of what it does not cover.
type PlainRule = (String, String, String, Vec<String>);

#[pymethods]
impl NativeToolbox {
    /// Opens the directories. `journal` is a folder, or true for the user's own.
    #[new]
    fn open(
        py: Python<'_>,
        roots: Vec<PathBuf>,
        dialect: &str,
        config: Option<PathBuf>,
        rules: Vec<PlainRule>,
        journal: Journal,
    ) -> PyResult<Self> {
        let package = package(py);
        let open = || -> Result<Toolbox, ToolError> {
            let mut builder = Toolbox::builder().dialect(dialect.parse::<Dialect>()?);
            let mut configuration = config.as_deref().map(Config::load).transpose()?.unwrap_or_default();
            for rule in &rules {
                configuration = configuration.rule(as_rule(rule)?);
            }
            builder = builder.config(configuration);
            builder = roots.into_iter().fold(builder, Builder::root);
            builder = package.into_iter().fold(builder, Builder::protect);
            match journal {
                Journal::Wanted(false) => {}
                Journal::Wanted(true) => {
                    builder = state_folder().into_iter().fold(builder, Builder::journal_in)
                }
                Journal::In(folder) => builder = builder.journal_in(folder),
            }
            builder.open()
        };
        let toolbox = py.detach(open).map_err(|error| raise(py, error))?;
        Ok(Self { toolbox, own: RwLock::default() })
    }

    /// The context of calls from the first root.
    fn context(
        &self,
        session: Option<String>,
        agent: Option<String>,
        dry_run: bool,
        timeout: Option<f64>,
        max_output_size: Option<usize>,
    ) -> PyResult<CallContext> {
        let mut context = self.toolbox.context().dry_run(dry_run);
        context.session_id = session;
        context.agent_id = agent;
        if let Some(seconds) = timeout {
            context.timeout = Duration::try_from_secs_f64(seconds).map_err(|_| {
                PyValueError::new_err(format!("timeout is {seconds}, which is no number of seconds"))
            })?;
        }
        if let Some(bytes) = max_output_size {
            context.max_output_size = bytes;
        }
        Ok(CallContext(context))
    }

    /// Carries a call out and waits for it. What is `attached` is found by tools of Python; `signals` says whether this is
    /// the thread on which Python handles signals.
    #[allow(clippy::too_many_arguments, reason = "the Python half names them")]
    fn call<'py>(
        &self,
        py: Python<'py>,
        tool: &str,
        arguments: &Bound<'py, PyAny>,
        context: &CallContext,
        approver: Option<Py<PyAny>>,
        attached: Py<PyAny>,
        signals: bool,
    ) -> PyResult<Fields<'py>> {
        let result = match to_json(arguments) {
            Ok(arguments) => {
                let context = context.of_one_call(Some(attached));
                self.carry_out(py, tool, arguments, context, approver, signals)?
            }
            Err(error) => no_json(py, &error),
        };
        fields(py, result)
    }

    /// Starts a call; `deliver` gets the result, on a thread of its own.
    #[allow(clippy::too_many_arguments, reason = "the Python half names them")]
    fn start(
        &self,
        py: Python<'_>,
        tool: String,
        arguments: &Bound<'_, PyAny>,
        context: &CallContext,
        approver: Option<Py<PyAny>>,
        attached: Py<PyAny>,
        deliver: Py<PyAny>,
    ) -> PyResult<Work> {
        let context = Asked::by(context.of_one_call(Some(attached)), approver, None);
        let cancel = context.cancel.clone();
        let toolbox = self.toolbox.clone();
        let arguments = to_json(arguments).map_err(|error| no_json(py, &error));
        runtime()?.spawn(async move {
            let result = match arguments {
                Ok(arguments) => toolbox.call(&tool, arguments, &context).await,
                Err(failure) => failure,
            };
            // Where the interpreter is gone, so is the caller that waited.
            Python::try_attach(|py| {
                let delivered = fields(py, result).and_then(|fields| deliver.call1(py, (fields,)));
                if let Err(error) = delivered {
                    error.write_unraisable(py, Some(deliver.bind(py)));
                }
            });
        });
        Ok(Work(cancel))
    }

    /// Every tool: its facts, and the JSON schema of its parameters.
    fn tools<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let registry = self.toolbox.executor().registry();
        let about = |descriptor: &toolcrib::Descriptor| {
            let schema = Format::Mcp.schema(descriptor);
            serde_json::json!({
                "name": descriptor.name,
                "title": descriptor.title,
                "description": descriptor.description,
                "category": descriptor.category,
                "effect": descriptor.effect,
                "parameters": schema["inputSchema"],
            })
        };
        registry.list_all().iter().map(|tool| to_python(py, &about(tool.descriptor()))).collect()
    }

    /// Whether the callers of a tool read an error as a sentence alone, without a mark before it.
    fn has_plain_errors(&self, tool: &str) -> bool {
        let tool = self.toolbox.executor().registry().get(tool);
        tool.is_some_and(|tool| tool.descriptor().conventions.plain_errors)
    }

    /// Every tool in the form a model's provider wants.
    fn schemas<'py>(&self, py: Python<'py>, format: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let format: Format = format.parse().map_err(|error| raise(py, error))?;
        self.toolbox.schemas(format).iter().map(|schema| to_python(py, schema)).collect()
    }

    /// Adds a tool of Python.
    fn register(&self, py: Python<'_>, about: &Bound<'_, PyDict>, function: Py<PyAny>) -> PyResult<()> {
        let tool = OwnTool::new(about, function)?;
        let name = tool.name().to_owned();
        let registry = self.toolbox.executor().registry();
        registry.register_many([Arc::new(tool) as _]).map_err(|error| raise(py, error))?;
        self.own.write().unwrap_or_else(PoisonError::into_inner).insert(name);
        Ok(())
    }

    /// Takes a tool out, and tells whether it was there.
    fn deregister(&self, name: &str) -> bool {
        self.own.write().unwrap_or_else(PoisonError::into_inner).remove(name);
        self.toolbox.executor().registry().deregister(name)
    }

    /// The latest calls, oldest first.
    fn executions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for execution in self.toolbox.executions() {
            list.append(to_python(py, &serde_json::to_value(&*execution).unwrap_or_default())?)?;
        }
        Ok(list)
    }

    /// Forgets the calls.
    fn clear_executions(&self) {
        self.toolbox.executor().clear_executions();
    }

    /// The last changes, the latest first.
    fn changes<'py>(&self, py: Python<'py>, limit: usize) -> PyResult<Bound<'py, PyAny>> {
        let changes = py.detach(|| self.toolbox.log(limit)).map_err(|error| raise(py, error))?;
        to_python(py, &serde_json::to_value(changes).unwrap_or_default())
    }

    /// Undoes a change, or redoes it: this one, or the latest of the session, or the latest of all.
    fn reverse<'py>(
        &self,
        py: Python<'py>,
        redo: bool,
        id: Option<u64>,
        session: Option<&str>,
        agent: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kind = if redo { UndoKind::Redo } else { UndoKind::Undo };
        let mut context = self.toolbox.context().agent(agent);
        context.session_id = session.map(str::to_owned);
        let done = py.detach(|| {
            let report = self.toolbox.undo(&UndoRequest::of(kind, id), &context)?;
            self.toolbox.past(RecordId::new(report.recorded.unwrap_or(report.change())))
        });
        let change = done.map_err(|error| raise(py, error))?;
        to_python(py, &serde_json::to_value(change).unwrap_or_default())
    }

    /// All of a file's bytes, if there are at most `most`.
    fn read_bytes<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        most: u64,
        context: &CallContext,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let context = context.of_one_call(None);
        let read = py.detach(|| self.toolbox.read_file(Path::new(&path), most, &context));
        read.map(|bytes| PyBytes::new(py, &bytes)).map_err(|error| raise(py, error))
    }

    /// The directories that the tools reach.
    #[getter]
    fn roots(&self) -> Vec<PathBuf> {
        self.toolbox.workspace().roots().iter().map(|root| root.path().to_owned()).collect()
    }

    /// How the tools speak.
    #[getter]
    fn dialect(&self) -> &'static str {
        self.toolbox.dialect().as_str()
    }
}

#[pymethods]
impl Work {
    /// Cancels the call. The result is delivered all the same, when it has ended.
    fn cancel(&self) {
        self.0.cancel();
    }
}

impl NativeToolbox {
    /// This thread does the work itself, which is quickest; but a tool of Python may have to be given up on, and then
    /// a user must be there to do so.
    fn carry_out(
        &self,
        py: Python<'_>,
        tool: &str,
        arguments: Value,
        context: ExecutionContext,
        approver: Option<Py<PyAny>>,
        signals: bool,
    ) -> PyResult<ToolResult> {
        if self.own.read().unwrap_or_else(PoisonError::into_inner).contains(tool) {
            let context = Asked::by(context, approver, None);
            return wait(py, &context.cancel, self.toolbox.call(tool, arguments, &context));
        }
        if !signals {
            let context = Asked::by(context, approver, None);
            return Ok(py.detach(|| self.toolbox.call_blocking(tool, arguments, &context)));
        }
        let (interrupt, context) = Interrupt::of(context);
        let context = Asked::by(context, approver, Some(&interrupt));
        let result = py.detach(|| self.toolbox.call_blocking(tool, arguments, &context));
        interrupt.check().map(|()| result)
    }
}

impl CallContext {
    fn of_one_call(&self, attached: Option<Py<PyAny>>) -> ExecutionContext {
        let context = self.0.clone().cancelled_by(CancellationToken::new());
        match attached {
            Some(attached) => context.attach(Attached(attached)),
            None => context,
        }
    }
}

#[derive(FromPyObject)]
enum Journal {
    Wanted(bool),
    In(PathBuf),
}

fn as_rule((kind, pattern, action, except): &PlainRule) -> Result<Rule, ToolError> {
    let unknown = |_| {
        ToolError::new(ErrorKind::InvalidParameter, format!("No such rule: {action} {kind} {pattern}"))
            .hint("the kind is read, edit or external_directory; the action is allow, ask or deny")
    };
    let kind = serde_json::from_value(Value::from(kind.as_str())).map_err(unknown)?;
    let action = serde_json::from_value(Value::from(action.as_str())).map_err(unknown)?;
    let rule = Rule::new(kind, pattern, action, Origin::User)?;
    except.iter().try_fold(rule, |rule, pattern| rule.except(pattern))
}

/// Arguments that no model could have written: an answer like every other, since it may well come from one.
fn no_json(py: Python<'_>, error: &PyErr) -> ToolResult {
    ToolError::new(ErrorKind::InvalidParameter, format!("The parameters are not JSON: {}", error.value(py)))
        .into()
}
