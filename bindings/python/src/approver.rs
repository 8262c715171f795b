//! A function of Python as the one who is asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tokio_util::sync::CancellationToken;
use toolcrib::{
    ApprovalRequest, Approver, Decision, ExecutionContext, HunkRow, Hunks, PageSize, ProposedChange,
    WithApprover,
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

    /// Whether the answer may be another change.
    fn editable(&self) -> bool {
        self.request.editable
    }

    /// The hunks of a file's change: the name of each, and its lines as in a unified diff.
    fn hunks(&self, py: Python<'_>, file: usize) -> Vec<(String, String)> {
        let change = self.request.changes.get(file);
        py.detach(|| change.map(hunks).unwrap_or_default())
    }
}

fn hunks(change: &ProposedChange) -> Vec<(String, String)> {
    /// How many lines are shown around what differs, as in a diff.
    const CONTEXT: usize = 3;
    let side = |bytes: &Option<Arc<[u8]>>| bytes.clone().unwrap_or_default();
    let (before, after) = (side(&change.before), side(&change.after));
    let hunks = Hunks::between(&before, &after);
    let text = |row: &HunkRow<'_>| {
        let (mark, line) = match row {
            HunkRow::Context(_, _, line) => (' ', line),
            HunkRow::Removed(_, line) => ('-', line),
            HunkRow::Added(_, line) => ('+', line),
        };
        let line = String::from_utf8_lossy(line);
        format!("{mark}{line}{}", if line.ends_with('\n') { "" } else { "\n" })
    };
    let shown = |hunk| hunks.rows(hunk, CONTEXT).iter().map(text).collect();
    hunks.as_slice().iter().map(|hunk| (hunk.id.clone(), shown(hunk))).collect()
}

/// Which hunks of a file are kept, and the text that a file gets instead, by the file's place among the changes.
type Edits = (BTreeMap<usize, Vec<String>>, BTreeMap<usize, String>);

/// Whether the answer is yes, whether it is for always, the reason of a no, and what is changed instead.
type Answer = (bool, bool, Option<String>, Option<Edits>);

/// Calls a function with the request and the call that needs it. It gives back an [`Answer`].
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
        match self.answer(py, request, cancelled).and_then(|answer| decision(request, answer)) {
            Ok(decision) => decision,
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
    ) -> PyResult<Answer> {
        let fields = serde_json::to_value(request).unwrap_or_default();
        let running = Running::until(cancelled.clone());
        let review = Review { request: request.clone() };
        self.function.bind(py).call1((to_python(py, &fields)?, review, running))?.extract()
    }
}

fn decision(request: &ApprovalRequest, answer: Answer) -> PyResult<Decision> {
    match answer {
        (true, _, _, Some((keep, text))) => {
            request.edited(&keep, &text).map_err(|error| PyValueError::new_err(error.to_string()))
        }
        (true, true, ..) => Ok(Decision::Always),
        (true, false, ..) => Ok(Decision::Once),
        (false, _, reason, _) => Ok(Decision::No(reason)),
    }
}
