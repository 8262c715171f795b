//! The pictures in the documentation that are made by running the program.

use crate::job::{Job, Outcome};
use crate::metadata::Metadata;
use crate::shell::{program, run, toolcrib};

pub(crate) const PICTURES: &[Job] =
    &[Job::new("session", "the terminal session of the README, docs/session.svg", session)];

fn session() -> Outcome {
    let built = toolcrib(&Metadata::load()?.target)?;
    run(program("python3").arg("xtask/picture/session.py").arg(built).arg("docs/session.svg"))
}
