//! The `toolcrib` command: translates between a terminal and a toolbox, and decides nothing.
//!
//! A library, so that another program can be the command too: the Python package is, and carries no second copy of it.

mod args;
mod commands;
mod failure;
mod flags;
mod input;
mod json;
mod output;
mod pager;
mod paint;
mod program;
mod progress;
mod prompt;
mod starter;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

pub use program::Host;

/// Runs the command with these arguments, of which the first is its own name.
pub fn run(arguments: impl IntoIterator<Item = OsString>, host: Option<Host>) -> ExitCode {
    if let Some(host) = host {
        program::remember(host);
    }
    // A full limit is an answer, and not the end of a server with all its calls.
    toolcrib::survive_file_size_limit();
    // A fault in a tool is caught and answered; the person gets one line of it, not a trace.
    std::panic::set_hook(Box::new(|fault| {
        output::say(&format!("toolcrib: internal fault: {fault}").replace('\n', " "))
    }));
    let args = match args::Args::try_parse_from(commands::by_program_name(arguments)) {
        Ok(args) => args,
        Err(error) => return explain(&error),
    };
    match commands::run(args) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

/// Help as clap shows it; but what was typed may be the name of a file, which a shell put there, and is not shown raw.
fn explain(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        // As in `output`: a reader that went away early is no error.
        _ = error.print();
    } else {
        output::say(error.render().to_string().trim_end());
    }
    ExitCode::from(if error.exit_code() == 0 { 0 } else { 2 })
}
