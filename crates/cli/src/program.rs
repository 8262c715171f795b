//! What an agent has to start to get this command again.

use std::path::PathBuf;
use std::sync::OnceLock;

static GIVEN: OnceLock<PathBuf> = OnceLock::new();

/// Another program runs the command, and is started by this one.
pub(crate) fn remember(program: Option<PathBuf>) {
    if let Some(program) = program {
        // There is one command in a process; a second one is started by the same program.
        _ = GIVEN.set(program);
    }
}

/// Where it is, if that can be found out.
pub(crate) fn path() -> Option<PathBuf> {
    GIVEN.get().cloned().or_else(|| std::env::current_exe().ok())
}
