//! The specification, executed: every scenario of `features/` against a real toolbox on a real disk.
//!
//! Prints how many scenarios of each feature ran, and fails unless all of them passed: one that fails, one with a step that
//! nobody defined, and one that is in a file but did not run are all the same to it.
//!
//! It brings its own harness. For nextest, which wants to know the tests first, it is one test. A word on the command line
//! chooses the scenarios with that word in their name.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod steps;
mod tally;
mod text;
mod tools;
mod world;

use std::path::Path;
use std::process::ExitCode;

use cucumber::{Cucumber, WriterExt as _, cli, parser, runner};

use tally::Tally;
use world::World;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if has("--list") {
        if !has("--ignored") {
            println!("features: test");
        }
        return ExitCode::SUCCESS;
    }
    let chosen = arguments.iter().find(|argument| !has("--exact") && !argument.starts_with('-'));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../features");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let tally = runtime.block_on(run(&folder, chosen.map_or("", String::as_str)));
    println!("{tally}");
    if tally.faults() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn run(folder: &Path, chosen: &str) -> Tally {
    let runner = runner::Basic::default().max_concurrent_scenarios(1).steps(steps::collection()).before(
        |feature, _, _, world: &mut World| {
            world.feature_file = feature.path.clone().unwrap_or_default();
            Box::pin(async {})
        },
    );
    let tally = Tally::expecting(folder, chosen);
    let cucumber: Cucumber<_, _, _, _, _, cli::Empty> =
        Cucumber::custom(parser::Basic::new(), runner, tally.assert_normalized());
    let chosen = chosen.to_owned();
    let done = cucumber
        .with_cli::<cli::Empty>(cli::Opts::default())
        .filter_run(folder.to_owned(), move |_, _, scenario| scenario.name.contains(&chosen))
        .await;
    (*done).clone()
}
