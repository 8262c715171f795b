//! What the searcher reports to.

use std::fmt::Display;
use std::io;

use grep_matcher::Matcher as _;
use grep_searcher::{ConfigError, Searcher, Sink, SinkError, SinkMatch};

use super::engine::Finding;
use super::matcher::{Halt, Watched};
use super::query::Query;
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

/// What a match must not hold, as one search uses it.
pub(crate) struct Except<'a>(Option<Watched<'a>>);

impl<'a> Except<'a> {
    pub(crate) fn of(query: &'a Query, stop: &'a dyn Stop) -> Self {
        Self(query.except.as_deref().map(|matcher| Watched::new(matcher, stop)))
    }

    /// Whether what was found is no match after all.
    pub(crate) fn leaves_out(&self, found: &SinkMatch<'_>) -> Result<bool, Failure> {
        let Some(watched) = &self.0 else { return Ok(false) };
        watched.is_match(without_ending(found.bytes())).map_err(|halt| match halt {
            Halt::TooComplex => Failure::TooComplex,
            Halt::Stopped => Failure::Stopped,
        })
    }
}

/// A line without its newline.
pub(crate) fn without_ending(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Counts matches up to a limit.
pub(crate) struct Count<'a> {
    pub(crate) count: u64,
    most: u64,
    except: Except<'a>,
    stop: &'a dyn Stop,
}

impl<'a> Count<'a> {
    pub(crate) fn new(query: &'a Query, stop: &'a dyn Stop) -> Self {
        let most = query.options.max_count.unwrap_or(u64::MAX);
        Self { count: 0, most, except: Except::of(query, stop), stop }
    }
}

impl Finding for Count<'_> {
    fn found(&self) -> bool {
        self.count > 0
    }
}

impl Sink for Count<'_> {
    type Error = Failure;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Failure> {
        if self.except.leaves_out(found)? {
            return Ok(true);
        }
        self.count += 1;
        if self.count.is_multiple_of(1024) && self.stop.stopped() {
            return Err(Failure::Stopped);
        }
        Ok(self.count < self.most)
    }
}
