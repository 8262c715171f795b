//! What work on a text may cost.

use std::fmt;

use toolcrib_text::Stop;

/// How large a text may become, and what ends the work.
#[derive(Clone, Copy)]
pub struct Bounds<'s> {
    /// How many bytes the text may have afterwards. It is compared before anything of that size is made.
    pub size: usize,
    /// Ends the work.
    pub stop: &'s dyn Stop,
}

impl Bounds<'static> {
    /// Any size, and no end before the end.
    #[must_use]
    pub fn none() -> Self {
        Self { size: usize::MAX, stop: &|| false }
    }
}

impl fmt::Debug for Bounds<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bounds").field("size", &self.size).finish_non_exhaustive()
    }
}

/// More than the bounds allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// How many bytes the text would have, or at least so many.
    pub size: usize,
    /// How many it may have.
    pub limit: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the text would grow to {} bytes, and one call may make it {} at most",
            self.size, self.limit
        )
    }
}
