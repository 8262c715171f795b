//! The command, in place of this process.

use std::io::{self, stderr, stdin, stdout};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use napi::{Error, Result};
use napi_derive::napi;

/// Replaces this process by a program, as a shell's `exec` does. It returns only if that fails.
#[napi]
pub fn exec(program: String, arguments: Vec<String>) -> Result<()> {
    let error = command(&program, arguments).map_or_else(|error| error, |mut command| command.exec());
    Err(Error::from_reason(format!("{program}: {error}")))
}

/// Node closes its standard streams for every program that it becomes. So that this one has them, each is copied onto itself.
fn command(program: &str, arguments: Vec<String>) -> io::Result<Command> {
    let copy = |stream: &dyn AsFd| stream.as_fd().try_clone_to_owned().map(Stdio::from);
    let mut command = Command::new(program);
    command.args(arguments).stdin(copy(&stdin())?).stdout(copy(&stdout())?).stderr(copy(&stderr())?);
    Ok(command)
}
