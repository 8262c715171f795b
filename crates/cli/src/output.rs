//! The two streams: answers to standard output, everything said beside them to standard error.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::ops::ControlFlow;

use crate::flags::hint_for_person;
use crate::paint::{plain_json, plain_text};
use crate::progress;

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

/// An answer that is written as it comes, so that it need not fit in memory.
pub(crate) struct Stream {
    out: BufWriter<Stdout>,
    /// A person watches, and sees each piece at once.
    watched: bool,
    state: io::Result<()>,
}

impl Stream {
    pub(crate) fn new() -> Self {
        let out = BufWriter::with_capacity(64 * 1024, io::stdout());
        Self { out, watched: io::stdout().is_terminal(), state: Ok(()) }
    }

    /// Writes a piece of it. It breaks where nobody reads any more, or where it cannot be written.
    pub(crate) fn put(&mut self, text: &str) -> ControlFlow<()> {
        let _line = progress::quiet();
        let written = self.out.write_all(text.as_bytes());
        self.state = written.and_then(|()| if self.watched { self.out.flush() } else { Ok(()) });
        if self.state.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// Writes the rest.
    ///
    /// # Errors
    ///
    /// If not all of it could be written; a reader that went away early is no error.
    pub(crate) fn end(mut self) -> io::Result<()> {
        match self.state.and_then(|()| self.out.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                // What is left in the buffer has no reader.
                _ = self.out.into_parts();
                Ok(())
            }
            other => other,
        }
    }
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
    hint.into_iter().for_each(advise);
}

/// Says what to do next.
pub(crate) fn advise(hint: &str) {
    say(&format!("hint: {}", hint_for_person(hint)));
}
