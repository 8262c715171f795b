//! The commands that the README gives for a clone, as they stand there.

use super::artefacts::{scratch, text};
use crate::job::{Failure, Outcome};
use crate::shell::{program, root, run};
use crate::stages::contents::{TEST_COMMAND, clone_commands};

/// Runs every command but the one for the tests, which is what runs for every change (`.ci/run`).
pub(super) fn check() -> Outcome {
    let folder = scratch("clone")?;
    let commands = clone_commands(&text(&root().join("README.md"))?);
    for command in commands.iter().filter(|command| *command != TEST_COMMAND) {
        run(program("sh").args(["-c", command]).env("CARGO_INSTALL_ROOT", &folder))?;
    }
    let installed = folder.join("bin/toolcrib");
    if !installed.exists() {
        return Err(Failure::Faults(format!("{commands:?} put no program into {}", folder.display())));
    }
    run(program(installed).arg("--version"))
}
