//! The two streams: answers to standard output, everything said beside them to standard error.

use std::io::{self, IsTerminal, Write};

use crate::paint::{plain_json, plain_text};

/// Writes an answer, with a newline at its end.
///
/// # Errors
///
/// If it cannot be written; a reader that went away early (`toolcrib … | head`) is no error.
pub(crate) fn answer(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| match text.ends_with('\n') {
        true => Ok(()),
        false => out.write_all(b"\n"),
    });
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes an answer that was not laid out for a terminal: as it is, but nothing raw to a terminal.
pub(crate) fn answer_as_it_is(text: &str) -> io::Result<()> {
    if io::stdout().is_terminal() { answer(&plain_text(text)) } else { answer(text) }
}

/// Writes an answer in JSON, which stays the same JSON on a terminal.
pub(crate) fn answer_json(text: &str) -> io::Result<()> {
    if io::stdout().is_terminal() { answer(&plain_json(text)) } else { answer(text) }
}

/// Says something beside the answer.
pub(crate) fn say(text: &str) {
    say_painted(&plain_text(text));
}

/// Says something that has no raw text in it any more, and may have colours.
pub(crate) fn say_painted(text: &str) {
    // There is nowhere left to say that standard error cannot be written to.
    _ = writeln!(io::stderr(), "{text}");
}

/// Says what went wrong, and what to do next.
pub(crate) fn complain(message: &str, hint: Option<&str>) {
    say(&format!("error: {message}"));
    if let Some(hint) = hint {
        say(&format!("hint: {hint}"));
    }
}
