//! A function of Python as the one who is asked.

use std::sync::Arc;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokio_util::sync::CancellationToken;
use toolcrib::{
    ApprovalRequest, Approver, Decision, ExecutionContext, PageSize, ProposedChange, WithApprover,
};

use crate::convert::to_python;
use crate::own_tool::Running;
use crate::signals::Interrupt;

/// What would be changed, for a function of Python to look at. Nothing of it is made before it is asked for.
#[pyclass(frozen, module = "toolcrib._toolcrib")]
pub(crate) struct Review {
    request: ApprovalRequest,
}

/// A file's path, where it was before it is moved, and what it holds before and after.
type PlainChange<'py> =
    (&'py str, Option<&'py str>, Option<Bound<'py, PyBytes>>, Option<Bound<'py, PyBytes>>);

#[pymethods]
impl Review {
    /// All of it as a unified diff; none where nothing would be changed.
    fn diff(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.request.diff())
    }

    /// A page of it for a person, from 1, and how many pages there are.
    fn page(&self, py: Python<'_>, number: usize) -> (String, usize) {
        let page = py.detach(|| self.request.page(number, PageSize::default()));
        (page.text, page.of)
    }

    /// The bytes of each file before and after.
    fn changes<'py>(&'py self, py: Python<'py>) -> Vec<PlainChange<'py>> {
        let bytes = |bytes: &Option<Arc<[u8]>>| bytes.as_deref().map(|bytes| PyBytes::new(py, bytes));
        let change = |file: &'py ProposedChange| {
            (file.path.as_str(), file.from.as_deref(), bytes(&file.before), bytes(&file.after))
        };
        self.request.changes.iter().map(change).collect()
    }
}

/// Calls a function with the request and the call that needs it. It gives back whether the answer is yes, whether it is for
/// always, and the reason of a no.
pub(crate) struct Asked {
    function: Py<PyAny>,
    /// What its answer may end, if this is the thread that looks up for signals.
    interrupt: Option<Arc<Interrupt>>,
}

impl Approver for Asked {
    fn ask(&self, request: &ApprovalRequest, cancelled: &CancellationToken) -> Decision {
        let asked = Python::try_attach(|py| self.decide(py, request, cancelled));
        asked.unwrap_or_else(|| Decision::Unavailable("the interpreter is shutting down".to_owned()))
    }
}

impl Asked {
    /// The call asks this function, if there is one.
    pub(crate) fn by(
        context: ExecutionContext,
        function: Option<Py<PyAny>>,
        interrupt: Option<&Arc<Interrupt>>,
    ) -> ExecutionContext {
        match function {
            Some(function) => context.approver(Arc::new(Self { function, interrupt: interrupt.cloned() })),
            None => context,
        }
    }

    fn decide(&self, py: Python<'_>, request: &ApprovalRequest, cancelled: &CancellationToken) -> Decision {
        match self.answer(py, request, cancelled) {
            Ok((true, true, _)) => Decision::Always,
            Ok((true, false, _)) => Decision::Once,
            Ok((false, _, reason)) => Decision::No(reason),
            Err(error) => {
                let reason = format!("the approver failed: {error}");
                match &self.interrupt {
                    Some(interrupt) if !error.is_instance_of::<PyException>(py) => interrupt.raise(error),
                    _ => error.write_unraisable(py, Some(self.function.bind(py))),
                }
                Decision::Unavailable(reason)
            }
        }
    }

    fn answer(
        &self,
        py: Python<'_>,
        request: &ApprovalRequest,
        cancelled: &CancellationToken,
    ) -> PyResult<(bool, bool, Option<String>)> {
        let fields = serde_json::to_value(request).unwrap_or_default();
        let running = Running::until(cancelled.clone());
        let review = Review { request: request.clone() };
        self.function.bind(py).call1((to_python(py, &fields)?, review, running))?.extract()
    }
}
