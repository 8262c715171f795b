//! [`LineEndings`]: which line endings a text has, and how many of each.

use crate::breaks::{Breaks, Newline};
use crate::charset::Charset;

/// How many lines end in which way.
///
/// ```
/// use toolcrib_text::{LineEnding, LineEndings};
///
/// let endings = LineEndings::of("a\r\nb\r\nc\n");
/// assert_eq!((endings.crlf, endings.lf), (2, 1));
/// assert_eq!(endings.kind(), Some(LineEnding::Mixed));
/// assert_eq!(endings.dominant(), "\r\n");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineEndings {
    /// Lines that end with `\n` alone.
    pub lf: u64,
    /// Lines that end with `\r\n`.
    pub crlf: u64,
    /// Carriage returns that stand alone. They end lines only where there is no `\n` at all.
    pub cr: u64,
}

/// What the line endings of a text are taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnding {
    /// `\n`.
    Lf,
    /// `\r\n`.
    Crlf,
    /// `\r`.
    Cr,
    /// Some `\n` and some `\r\n`.
    Mixed,
}

impl LineEnding {
    /// The name as it stands in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "lf",
            Self::Crlf => "crlf",
            Self::Cr => "cr",
            Self::Mixed => "mixed",
        }
    }
}

impl LineEndings {
    /// Those of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::of_bytes(text.as_bytes(), Charset::UTF_8)
    }

    /// Those of a text that is not decoded.
    #[must_use]
    pub fn of_bytes(bytes: &[u8], charset: Charset) -> Self {
        let (lines, returns) = (Breaks::new(charset, Newline::Lf), Breaks::new(charset, Newline::Cr));
        let cr = returns.count(bytes);
        if cr == 0 {
            return Self { lf: lines.count(bytes), crlf: 0, cr };
        }
        let (mut lf, mut crlf) = (0, 0);
        for at in lines.iter(bytes) {
            if returns.ends(&bytes[..at]) { crlf += 1 } else { lf += 1 }
        }
        Self { lf, crlf, cr: cr.saturating_sub(crlf) }
    }

    /// What they are taken together; `None` for a text without any.
    #[must_use]
    pub fn kind(&self) -> Option<LineEnding> {
        match self {
            Self { lf: 0, crlf: 0, cr: 0 } => None,
            Self { lf: 0, crlf: 0, .. } => Some(LineEnding::Cr),
            Self { crlf: 0, .. } => Some(LineEnding::Lf),
            Self { lf: 0, .. } => Some(LineEnding::Crlf),
            Self { .. } => Some(LineEnding::Mixed),
        }
    }

    /// Which character ends its lines.
    #[must_use]
    pub fn newline(&self) -> Newline {
        if self.kind() == Some(LineEnding::Cr) { Newline::Cr } else { Newline::Lf }
    }

    /// The ending that most lines have; `\n` where there is none.
    #[must_use]
    pub fn dominant(&self) -> &'static str {
        match self.kind() {
            Some(LineEnding::Cr) => "\r",
            _ if self.crlf > self.lf => "\r\n",
            _ => "\n",
        }
    }

    /// Whether there are lines, and all of them end with `\r\n`.
    #[must_use]
    pub fn is_wholly_crlf(&self) -> bool {
        self.crlf > 0 && self.lf == 0 && self.cr == 0
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { lf: self.lf + other.lf, crlf: self.crlf + other.crlf, cr: self.cr + other.cr }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, kind: Option<LineEnding>, dominant: &str) {
        let endings = LineEndings::of(text);
        assert_eq!((endings.kind(), endings.dominant()), (kind, dominant), "{text:?}");
        for charset in [Charset::UTF_16LE, Charset::UTF_32BE] {
            assert_eq!(LineEndings::of_bytes(&charset.encode(text).unwrap(), charset), endings);
        }
    }

    #[test]
    fn each_kind_is_told_from_the_others() {
        check("", None, "\n");
        check("a", None, "\n");
        check("a\nb\n", Some(LineEnding::Lf), "\n");
        check("a\r\nb\r\n", Some(LineEnding::Crlf), "\r\n");
        check("a\rb\r", Some(LineEnding::Cr), "\r");
        check("a\r\nb\n", Some(LineEnding::Mixed), "\n");
        check("10%\r20%\rdone\n", Some(LineEnding::Lf), "\n");
        check("\r\r\n", Some(LineEnding::Crlf), "\r\n");
    }

    #[test]
    fn wholly_crlf_is_only_crlf() {
        assert!(LineEndings::of("a\r\nb").is_wholly_crlf());
        for text in ["", "a", "a\n", "a\r\nb\n", "a\rb\r\n"] {
            assert!(!LineEndings::of(text).is_wholly_crlf(), "{text:?}");
        }
    }
}
