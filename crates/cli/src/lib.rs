//! The `toolcrib` command: translates between a terminal and a toolbox, and decides nothing.
//!
//! A library, so that another program can be the command too: the Python package is, and carries no second copy of it.

mod args;
mod clock;
mod commands;
mod failure;
mod flags;
mod input;
mod json;
mod layout;
mod output;
mod pager;
mod paint;
mod program;
mod progress;
mod prompt;
mod starter;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

pub use program::Host;

/// Runs the command with these arguments, of which the first is its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>, host: Option<Host>) -> ExitCode {
    json::start_clock();
    if let Some(host) = host {
        program::remember(host);
    }
    // A full limit is an answer, and not the end of a server with all its calls.
    toolcrib::survive_file_size_limit();
    // A fault in a tool is caught and answered; the person gets one line of it, not a trace.
    std::panic::set_hook(Box::new(|fault| {
        output::say(&format!("toolcrib: internal fault: {fault}").replace('\n', " "))
    }));
    let arguments: Vec<OsString> = commands::by_program_name(arguments).collect();
    let as_json = json::is_wanted(&arguments);
    let args = match args::Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => return usage::explain(&error, as_json),
    };
    match commands::run(args) {
        Ok(code) => code,
        Err(failure) => failure.report(as_json),
    }
}
