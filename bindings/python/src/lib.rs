//! The native half of the Python package `toolcrib`: translates between Python and a toolbox, and decides nothing.
//!
//! What people use is written in Python, in `bindings/python/python/toolcrib`. This module is what that stands on, and no
//! face of its own: a call takes plain values and gives the five fields of a result back.

mod approver;
mod command;
mod convert;
mod failure;
mod own_tool;
mod signals;
mod toolbox;
mod wait;

/// The native half of `toolcrib`; use that instead.
#[pyo3::pymodule]
mod _toolcrib {
    #[pymodule_export]
    use crate::approver::Review;
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::convert::{display, take_images};
    #[pymodule_export]
    use crate::failure::{Failure, error_kinds};
    #[pymodule_export]
    use crate::own_tool::Running;
    #[pymodule_export]
    use crate::toolbox::{CallContext, NativeToolbox, Work, dialects};
    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "the name is Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
