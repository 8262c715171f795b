//! The pictures in the documentation that are made by running the program.

use crate::job::{Job, Outcome};
use crate::metadata::Metadata;
use crate::shell::{program, run, toolcrib};

pub(crate) const PICTURES: &[Job] = &[
    Job::new("session", "the terminal session of the README, docs/session.svg", || draw("session", "docs")),
    Job::new("commands", "help, answers and errors of commands, docs/terminal/*.svg", commands),
];

fn commands() -> Outcome {
    ["help", "files", "history", "errors"].into_iter().try_for_each(|picture| draw(picture, "docs/terminal"))
}

fn draw(picture: &str, folder: &str) -> Outcome {
    let built = toolcrib(&Metadata::load()?.target)?;
    let file = format!("{folder}/{picture}.svg");
    run(program("python3").arg("xtask/picture/terminal.py").arg(built).args([picture, &file]))
}
