//! The two streams: answers to standard output, everything said beside them to standard error.

use std::io::{self, Write};

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

/// Says something beside the answer.
pub(crate) fn say(text: &str) {
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
