//! Long answers on a terminal go through a pager, as with git. In a pipe nothing is paged.

use std::io::{self, IsTerminal, Write};
use std::process::{Command, Stdio};

use crate::output;

/// Writes a text that is laid out already: through `$PAGER`, or `less`, if a person looks at it.
///
/// # Errors
///
/// If it cannot be written.
pub(crate) fn show(text: &str, wanted: bool) -> io::Result<()> {
    match pager().filter(|_| wanted && io::stdout().is_terminal() && io::stdin().is_terminal()) {
        Some(pager) if paged(&pager, text) => Ok(()),
        _ => output::answer(text),
    }
}

/// The user's pager; none if that is to be none.
fn pager() -> Option<String> {
    let chosen = std::env::var("TOOLCRIB_PAGER").or_else(|_| std::env::var("PAGER"));
    let pager = chosen.unwrap_or_else(|_| "less".to_owned());
    let is_none =
        matches!(pager.trim(), "" | "cat") || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    (!is_none).then_some(pager)
}

/// Whether the pager has shown it.
fn paged(pager: &str, text: &str) -> bool {
    let mut command = Command::new("sh");
    command.arg("-c").arg(pager).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // Quit if it fits on the screen, show colours, leave it on the screen.
        command.env("LESS", "FRX");
    }
    let Ok(mut process) = command.spawn() else { return false };
    if let Some(mut input) = process.stdin.take() {
        // A person who has seen enough quits early.
        _ = input.write_all(text.as_bytes());
        if !text.ends_with('\n') {
            _ = input.write_all(b"\n");
        }
    }
    // The shell says 127 where there is no such program.
    process.wait().is_ok_and(|status| status.code() != Some(127))
}
