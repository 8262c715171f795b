//! What the searcher reports to.

use std::fmt::Display;
use std::io;

use grep_searcher::{ConfigError, Searcher, Sink, SinkError, SinkMatch};

use super::engine::Finding;
use toolcrib_text::Stop;

/// Why the search of a file did not come to its end.
#[derive(Debug)]
pub(crate) enum Failure {
    Unreadable,
    /// A line does not fit into the memory that it may take.
    TooLarge,
    TooComplex,
    Stopped,
}

impl SinkError for Failure {
    /// Only the matcher fails with a message.
    fn error_message<T: Display>(_: T) -> Self {
        Self::TooComplex
    }

    fn error_io(error: io::Error) -> Self {
        match error.kind() {
            // The reader of a large file ends it so, see `source`.
            STOPPED => Self::Stopped,
            // So the searcher says that its buffer may not grow any more; the system has other words for what it lacks.
            io::ErrorKind::Other => Self::TooLarge,
            _ => Self::Unreadable,
        }
    }

    fn error_config(_: ConfigError) -> Self {
        Self::Unreadable
    }
}

/// How a reader says that the search is to end.
pub(crate) const STOPPED: io::ErrorKind = io::ErrorKind::ConnectionAborted;

/// Counts matches up to a limit.
pub(crate) struct Count<'a> {
    pub(crate) count: u64,
    most: u64,
    stop: &'a dyn Stop,
}

impl<'a> Count<'a> {
    pub(crate) fn new(most: Option<u64>, stop: &'a dyn Stop) -> Self {
        Self { count: 0, most: most.unwrap_or(u64::MAX), stop }
    }
}

impl Finding for Count<'_> {
    fn found(&self) -> bool {
        self.count > 0
    }
}

impl Sink for Count<'_> {
    type Error = Failure;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> Result<bool, Failure> {
        self.count += 1;
        if self.count.is_multiple_of(1024) && self.stop.stopped() {
            return Err(Failure::Stopped);
        }
        Ok(self.count < self.most)
    }
}
