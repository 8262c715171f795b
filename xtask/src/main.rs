//! The project's own chores: `cargo xtask test` is everything that must hold before a change lands.
//!
//! A subcommand is a list of jobs, and a new job is one function and one line in its list:
//! [`stages::STAGES`] for `test`, [`soak::RUNS`] for `soak`, [`benches::BENCHES`] for `bench`,
//! [`coverage::RUNS`] for `coverage`, [`release::JOBS`] for `release`,
//! [`picture::PICTURES`] for `picture`.
//! Nothing here is shipped, and no crate of the product may depend on it.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's program: it reads the sources, starts cargo and talks to a terminal"
)]

mod benches;
mod busy;
mod console;
mod coverage;
mod job;
mod large_tree;
mod metadata;
mod mutants;
mod packages;
mod picture;
mod release;
mod shell;
mod soak;
mod stages;
mod subcommand;

use std::process::ExitCode;

use subcommand::Request;

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match subcommand::parse(&arguments) {
        Ok(Request::Show(text)) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Ok(Request::Run { jobs, extra }) if job::run_all(&jobs, &extra) => ExitCode::SUCCESS,
        Ok(Request::Run { .. }) => ExitCode::FAILURE,
        Err(wrong_usage) => {
            eprintln!("{wrong_usage}");
            ExitCode::from(2)
        }
    }
}
