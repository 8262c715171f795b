//! What listing, globbing and grepping share: when they end.

use std::time::{Duration, Instant};

use toolcrib_access::Sandbox;
use toolcrib_search::Stop;
use toolcrib_tool::{Call, ToolError};

/// What told which files there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoundBy {
    /// An index that is up to date.
    Index,
    /// A walk over all directories.
    Scan,
}

impl FoundBy {
    pub(crate) fn index(indexed: bool) -> Self {
        if indexed { Self::Index } else { Self::Scan }
    }

    /// In one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Index => "warm",
            Self::Scan => "scan",
        }
    }
}

/// Ends a search shortly before the call's time is up, so that there is time to answer with what was found.
pub(crate) struct Deadline<'a> {
    call: &'a Call<'a>,
    at: Instant,
}

impl<'a> Deadline<'a> {
    /// What an answer takes at the most. It is no more than a tenth of the time there is.
    const TO_ANSWER: Duration = Duration::from_millis(200);

    pub(crate) fn of(sandbox: &Sandbox<'a>) -> Self {
        let call = sandbox.call();
        let left = call.remaining();
        let at = Instant::now().checked_add(left - Self::TO_ANSWER.min(left / 10));
        // A time that no clock can show is no limit.
        Self { call, at: at.unwrap_or_else(|| Instant::now() + Duration::from_secs(u32::MAX.into())) }
    }

    /// The error of a call that was cancelled. One whose time is up answers with what it has.
    pub(crate) fn unless_cancelled(&self) -> Result<(), ToolError> {
        if self.call.is_cancelled() { self.call.checkpoint() } else { Ok(()) }
    }
}

impl Stop for Deadline<'_> {
    fn stopped(&self) -> bool {
        Instant::now() >= self.at || self.call.is_cancelled()
    }
}
