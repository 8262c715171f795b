//! The `toolcrib` command: translates between a terminal and a toolbox, and decides nothing.

mod args;
mod commands;
mod failure;
mod input;
mod output;
mod paint;
mod progress;
mod prompt;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // A fault in a tool is caught and answered; the person gets one line of it, not a trace.
    std::panic::set_hook(Box::new(|fault| {
        output::say(&format!("toolcrib: internal fault: {fault}").replace('\n', " "))
    }));
    let args = args::Args::parse();
    match commands::run(args) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
