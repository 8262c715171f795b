//! The command line as a process: what it prints, where, and with which exit status.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod call;
mod changes;
mod doctor;
mod init;
mod mcp;
mod people;
mod scenarios;
mod sessions;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs `toolcrib` in a directory, with something on its standard input.
fn toolcrib_with_input(dir: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolcrib"))
        .args(args)
        .env("XDG_STATE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/state"))
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn toolcrib(dir: &Path, args: &[&str]) -> Output {
    toolcrib_with_input(dir, args, "")
}

/// Runs it with a terminal around it, on which somebody types. What comes back is all that the terminal showed.
fn on_a_terminal(dir: &Path, args: &str, variables: &[(&str, &str)], typed: &str) -> Output {
    in_a_terminal(dir, &format!("{} {args}", env!("CARGO_BIN_EXE_toolcrib")), variables, typed)
}

/// The same for a whole line of a shell.
fn in_a_terminal(dir: &Path, line: &str, variables: &[(&str, &str)], typed: &str) -> Output {
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--echo", "never", "--command", line, "/dev/null"])
        .current_dir(dir)
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .env("XDG_STATE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/state"))
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}
