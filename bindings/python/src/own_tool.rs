//! A tool that is written in Python.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolcrib::{
    Answer, Call, Conventions, Descriptor, DynTool, ErrorKind, Reply, ToolError, ToolResult, parameters_of,
};

use crate::convert::{parsed, result, to_json, to_python};

/// A function of Python that takes the arguments and the call, and gives the five fields of a result back. It raises
/// nothing: what went wrong is a result too.
pub(crate) struct OwnTool {
    descriptor: Descriptor,
    function: Py<PyAny>,
}

impl OwnTool {
    /// `about` has the name, title, description, category, effect and the JSON schema of the parameters.
    pub(crate) fn new(about: &Bound<'_, PyDict>, function: Py<PyAny>) -> PyResult<Self> {
        let about = to_json(about)?;
        let text = |key: &str| about[key].as_str().unwrap_or_default().to_owned();
        let descriptor = Descriptor {
            name: text("name"),
            title: text("title"),
            description: text("description"),
            category: parsed(&about["category"])?,
            effect: parsed(&about["effect"])?,
            parameters: parameters_of(&about["parameters"]),
            output_schema: None,
            conventions: Conventions::default(),
        };
        Ok(Self { descriptor, function })
    }

    fn run(&self, py: Python<'_>, arguments: Map<String, Value>, call: &Call<'_>) -> PyResult<ToolResult> {
        let arguments = to_python(py, &Value::Object(arguments))?;
        let answer = self.function.bind(py).call1((arguments, Running::of(py, call)))?;
        result(&answer.extract()?)
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
        let answer = Python::try_attach(|py| {
            self.run(py, arguments, call).map_err(|error| {
                let message = format!("{} gave no answer that is one: {error}", self.name());
                ToolError::new(ErrorKind::Internal, message)
            })
        });
        let shutting_down = || Err(ToolError::new(ErrorKind::Cancelled, "The interpreter is shutting down"));
        let ToolResult { success, output, error, mut metadata, .. } = answer.unwrap_or_else(shutting_down)?;
        if success {
            return Ok(Reply { output, metadata }.into());
        }
        let mut take = |key: &str| match metadata.shift_remove(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let kind = take("error_kind").and_then(|name| ErrorKind::named(&name));
        let hint = take("hint");
        let failure = ToolError::new(kind.unwrap_or(ErrorKind::Internal), error.unwrap_or_default());
        let failure = metadata.iter().fold(failure, |failure, (key, value)| failure.with(key, value.clone()));
        Err(match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        })
    }
}

/// What is attached to a call: an object of the Python half.
pub(crate) struct Attached(pub(crate) Py<PyAny>);

/// The call that a tool or an approver of Python works for.
#[pyclass(frozen, module = "toolcrib._toolcrib")]
pub(crate) struct Running {
    cancelled: CancellationToken,
    deadline: Option<Instant>,
    about: Arc<About>,
}

/// What does not change during a call.
#[derive(Default)]
struct About {
    tool: String,
    working_dir: String,
    session: Option<String>,
    agent: Option<String>,
    dry_run: bool,
    attached: Option<Py<PyAny>>,
}

impl Running {
    /// A call of which only this is known.
    pub(crate) fn until(cancelled: CancellationToken) -> Self {
        Self { cancelled, deadline: None, about: Arc::default() }
    }

    fn of(py: Python<'_>, call: &Call<'_>) -> Self {
        let context = call.context();
        let about = About {
            tool: call.tool().to_owned(),
            working_dir: context.working_dir.to_string_lossy().into_owned(),
            session: context.session_id.clone(),
            agent: context.agent_id.clone(),
            dry_run: context.dry_run,
            attached: context.attachment::<Attached>().map(|attached| attached.0.clone_ref(py)),
        };
        Self {
            cancelled: call.cancellation().clone(),
            deadline: Instant::now().checked_add(call.remaining()),
            about: Arc::new(about),
        }
    }
}

#[pymethods]
impl Running {
    /// Whether no caller waits for the answer any more.
    #[getter]
    fn cancelled(&self) -> bool {
        self.cancelled.is_cancelled()
    }

    /// The seconds that are left; none if there is no limit.
    #[getter]
    fn remaining(&self) -> Option<f64> {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline.map(left).as_ref().map(Duration::as_secs_f64)
    }

    #[getter]
    fn tool(&self) -> &str {
        &self.about.tool
    }

    #[getter]
    fn working_dir(&self) -> &str {
        &self.about.working_dir
    }

    #[getter]
    fn session(&self) -> Option<&str> {
        self.about.session.as_deref()
    }

    #[getter]
    fn agent(&self) -> Option<&str> {
        self.about.agent.as_deref()
    }

    #[getter]
    fn dry_run(&self) -> bool {
        self.about.dry_run
    }

    #[getter]
    fn attached(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.about.attached.as_ref().map(|attached| attached.clone_ref(py))
    }
}
