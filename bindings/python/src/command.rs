//! The `toolcrib` command, run by Python.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pyo3::prelude::*;
use toolcrib_cli::Host;

/// Runs the command and gives its exit status. The first argument is the program that an agent would start.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let program = arguments.first().map(PathBuf::from).filter(|path| path.is_absolute());
    let host = Host { program, package: package(py) };
    let code = py.detach(|| toolcrib_cli::run(arguments, Some(host)));
    // The standard library does not tell what is in a code, but whether two are the same.
    (0..=u8::MAX).find(|status| ExitCode::from(*status) == code).unwrap_or(1)
}

/// The folder of the package that this module belongs to.
pub(crate) fn package(py: Python<'_>) -> Option<PathBuf> {
    let file: PathBuf = py.import("toolcrib").ok()?.filename().ok()?.extract().ok()?;
    file.parent().map(Path::to_owned)
}
