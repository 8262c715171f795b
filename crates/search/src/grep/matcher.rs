//! What a pattern became: a regular expression that runs in linear time, or one that looks around and has a limit.

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, NoCaptures};
use grep_regex::RegexMatcher;
use memchr::memmem::Finder;

use super::lookaround::Lookaround;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    Linear {
        regex: RegexMatcher,
        /// What every line that matches has in it, see [`required`](super::required::required).
        required: Option<Box<Finder<'static>>>,
    },
    Lookaround(Lookaround),
}

/// The pattern went back and forth too often to come to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pattern takes too long here")]
pub(crate) struct TooComplex;

impl grep_matcher::Matcher for Matcher {
    type Captures = NoCaptures;
    type Error = TooComplex;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, TooComplex> {
        match self {
            Self::Linear { regex, .. } => regex.find_at(haystack, at).map_err(|_| TooComplex),
            Self::Lookaround(regex) => regex.find_at(haystack, at),
        }
    }

    fn new_captures(&self) -> Result<NoCaptures, TooComplex> {
        Ok(NoCaptures::new())
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, TooComplex> {
        match self {
            Self::Linear { regex, .. } => regex.shortest_match_at(haystack, at).map_err(|_| TooComplex),
            Self::Lookaround(regex) => Ok(regex.find_at(haystack, at)?.map(|found| found.end())),
        }
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        match self {
            Self::Linear { regex, .. } => regex.non_matching_bytes(),
            Self::Lookaround(_) => None,
        }
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        match self {
            Self::Linear { regex, .. } => regex.line_terminator(),
            Self::Lookaround(_) => None,
        }
    }

    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, TooComplex> {
        match self {
            Self::Linear { required: Some(text), .. } => {
                Ok(text.find(haystack).map(LineMatchKind::Candidate))
            }
            Self::Linear { regex, .. } => regex.find_candidate_line(haystack).map_err(|_| TooComplex),
            Self::Lookaround(regex) => {
                Ok(regex.find_at(haystack, 0)?.map(|found| LineMatchKind::Confirmed(found.start())))
            }
        }
    }
}
