//! Patterns that look around or back: `(?<=a)b`, `(\w+) \1`.
//!
//! No engine runs these in linear time. This one goes back and forth a limited number of times for each line, and then
//! gives up with an error, so that no pattern can run away. It is written in Rust, so there is nothing to link.

use fancy_regex::{BytesMode, Regex, RegexBuilder};
use grep_matcher::Match;

use super::matcher::TooComplex;
use super::query::{Case, QueryOptions, SIZE_LIMIT};

/// How often the engine may go back while it looks for one match. It takes some ten milliseconds.
const MOST_STEPS: usize = 200_000;

#[derive(Clone, Debug)]
pub(crate) struct Lookaround(Regex);

impl Lookaround {
    pub(crate) fn new(pattern: &str, options: &QueryOptions) -> Result<Self, fancy_regex::Error> {
        let whole = if options.word { format!(r"(?<!\w)(?:{pattern})(?!\w)") } else { pattern.to_owned() };
        let any_case = match options.case {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => !has_upper_case(pattern),
        };
        RegexBuilder::new(&whole)
            .bytes_mode(BytesMode::UnicodeBytes)
            .case_insensitive(any_case)
            .multi_line(true)
            .crlf(true)
            .dot_matches_new_line(options.multiline)
            .backtrack_limit(MOST_STEPS)
            .delegate_size_limit(SIZE_LIMIT)
            .delegate_dfa_size_limit(SIZE_LIMIT)
            .build()
            .map(Self)
    }

    pub(crate) fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, TooComplex> {
        let found = self.0.find_from_pos(haystack, at).map_err(|_| TooComplex)?;
        Ok(found.map(|found| Match::new(found.start(), found.end())))
    }
}

/// Whether a letter that stands for itself is a capital.
fn has_upper_case(pattern: &str) -> bool {
    let mut after_backslash = false;
    pattern.chars().any(|c| {
        let itself = !after_backslash && c.is_uppercase();
        after_backslash = c == '\\' && !after_backslash;
        itself
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_no_capital() {
        assert!(has_upper_case("Foo") && has_upper_case(r"\\W"));
        assert!(!has_upper_case(r"foo\W\S") && !has_upper_case(""));
    }
}
