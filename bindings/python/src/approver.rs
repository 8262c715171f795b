//! A function of Python as the one who is asked.

use std::sync::Arc;

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use tokio_util::sync::CancellationToken;
use toolcrib::{ApprovalRequest, Approver, Decision, ExecutionContext};

use crate::convert::to_python;
use crate::own_tool::Running;
use crate::signals::Interrupt;

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
        asked.unwrap_or_else(|| Decision::No(Some("the interpreter is shutting down".to_owned())))
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
                Decision::No(Some(reason))
            }
        }
    }

    fn answer(
        &self,
        py: Python<'_>,
        request: &ApprovalRequest,
        cancelled: &CancellationToken,
    ) -> PyResult<(bool, bool, Option<String>)> {
        let request = serde_json::to_value(request).unwrap_or_default();
        let running = Running::until(cancelled.clone());
        self.function.bind(py).call1((to_python(py, &request)?, running))?.extract()
    }
}
