//! The `toolcrib` command: translates between a terminal and a toolbox, and decides nothing.

mod args;
mod commands;
mod failure;
mod output;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = args::Args::parse();
    match commands::run(args) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
