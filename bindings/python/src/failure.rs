//! Failures as exceptions that the Python half makes its own of.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use toolcrib::{ErrorKind, ToolError, ToolResult};

use crate::convert::fields;

create_exception!(toolcrib, Failure, PyException, "Carries the five fields of a failed result.");

/// The names of all kinds of failures.
#[pyfunction]
pub(crate) fn error_kinds() -> Vec<&'static str> {
    ErrorKind::ALL.into_iter().map(ErrorKind::as_str).collect()
}

/// A failure outside of a call: a toolbox that cannot be opened, a change that cannot be cancelled.
pub(crate) fn raise(py: Python<'_>, error: ToolError) -> PyErr {
    match fields(py, ToolResult::from(error)) {
        Ok(fields) => Failure::new_err(fields_of(fields)),
        Err(error) => error,
    }
}

fn fields_of(fields: crate::convert::Fields<'_>) -> impl pyo3::PyErrArguments + use<> {
    let (success, output, error, duration_ms, metadata) = fields;
    (success, output.unbind(), error, duration_ms, metadata.unbind())
}
