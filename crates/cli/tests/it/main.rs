//! The command line as a process: what it prints, where, and with which exit status.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod budget;
mod call;
mod changes;
mod damage;
mod desk;
mod doctor;
mod fingers;
mod flags;
mod history;
mod hostile_config;
mod init;
mod limits;
mod mcp;
mod own_files;
mod pages;
mod people;
mod record;
mod record_adverse;
mod scenarios;
mod sessions;
mod terminal;
mod ui;

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use terminal::Terminal;

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
    // A command that does not read its input may have ended before it is written.
    match child.stdin.take().unwrap().write_all(input.as_bytes()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written.unwrap(),
    }
    child.wait_with_output().unwrap()
}

fn toolcrib(dir: &Path, args: &[&str]) -> Output {
    toolcrib_with_input(dir, args, "")
}

/// Runs it on a terminal, for a test that types.
fn on_a_terminal_with(dir: &Path, args: &str, variables: &[(&str, &str)]) -> Terminal {
    Terminal::start(dir, args, variables)
}

/// Runs it on a terminal and types this beforehand. What comes back is the status, and all that the terminal showed.
fn on_a_terminal(dir: &Path, args: &str, variables: &[(&str, &str)], typed: &str) -> (Option<i32>, String) {
    let mut terminal = Terminal::start(dir, args, variables);
    terminal.type_in(typed);
    let (status, shown) = terminal.end();
    (status.code(), shown)
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

/// What was printed, without the breaks of lines that make it fit.
fn unwrapped(output: &Output) -> String {
    stdout(output).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}
