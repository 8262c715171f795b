//! What an agent has to start to get this command again.

use std::path::PathBuf;
use std::sync::OnceLock;

static HOST: OnceLock<Host> = OnceLock::new();

/// Another program that runs the command in its own process, as the Python package does.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// What starts it. It is written into the configurations of agents.
    pub program: Option<PathBuf>,
    /// Where its code lies, which no tool may reach.
    pub package: Option<PathBuf>,
}

/// Another program runs the command.
pub(crate) fn remember(host: Host) {
    // There is one command in a process; a second one is started by the same program.
    _ = HOST.set(host);
}

/// Where it is, if that can be found out.
pub(crate) fn path() -> Option<PathBuf> {
    HOST.get().and_then(|host| host.program.clone()).or_else(|| std::env::current_exe().ok())
}

/// What makes up the command, besides the program of this process.
pub(crate) fn parts() -> impl Iterator<Item = PathBuf> {
    let host = HOST.get().cloned().unwrap_or_default();
    [host.program, host.package].into_iter().flatten()
}
