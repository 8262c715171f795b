//! How strictly a text was compared to find a place.

use std::fmt;

/// What had to be overlooked to find the place, strictest first. A looser level includes the stricter ones: a region
/// that differs in trailing white space and in indentation is found at [`Level::Indentation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing: it stands there letter by letter.
    Exact,
    /// LF against CRLF.
    LineEndings,
    /// White space at the end of lines.
    TrailingWhitespace,
    /// One shift of the indentation, the same for all lines; tabs against spaces too.
    Indentation,
    /// A newline too many or too few at the end.
    FinalNewline,
    /// Typographic dashes, quotes and spaces against their plain forms.
    Typography,
    /// The line numbers of a listing, pasted along with the lines.
    Gutter,
    /// The text was escaped once too often.
    Escapes,
}

impl Level {
    /// The name that callers and results use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::LineEndings => "line_endings",
            Self::TrailingWhitespace => "trailing_whitespace",
            Self::Indentation => "indentation",
            Self::FinalNewline => "final_newline",
            Self::Typography => "typography",
            Self::Gutter => "gutter",
            Self::Escapes => "escapes",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
