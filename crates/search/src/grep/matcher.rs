//! What a pattern became: a regular expression that runs in linear time, or one that looks around and has a limit; and the
//! same as one file's search uses it, which can be stopped.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::OnceLock;

use grep_matcher::{ByteSet, LineMatchKind, LineTerminator, Match, Matcher as _, NoCaptures};
use grep_regex::RegexMatcher;
use memchr::memmem::Finder;
use memchr::{memchr, memrchr};
use regex_syntax::hir::Hir;
use toolcrib_text::{Meter, Stop, Stopped};

use super::lookaround::Lookaround;
use super::stepwise::{Caches, Stepwise, Trouble};

/// A compiled pattern.
#[derive(Debug)]
pub(crate) enum Matcher {
    Linear(Box<Linear>),
    Lookaround(Lookaround),
}

/// A pattern whose search takes time in proportion to the text, and to its own size.
#[derive(Debug)]
pub(crate) struct Linear {
    pub(crate) regex: RegexMatcher,
    /// What every line that matches has in it, see [`required`](super::required::required).
    pub(crate) required: Option<Box<Finder<'static>>>,
    /// How often a byte may be looked at.
    pub(crate) positions: usize,
    /// What the pattern means, for the search that can be stopped.
    pub(crate) hir: Hir,
    /// That search, once it is needed; none if the pattern is too large for it.
    pub(crate) stepwise: OnceLock<Option<Stepwise>>,
}

impl Matcher {
    /// What the pattern means; none where it looks around.
    pub(crate) fn hir(&self) -> Option<&Hir> {
        match self {
            Self::Linear(linear) => Some(&linear.hir),
            Self::Lookaround(_) => None,
        }
    }

    /// How many bytes the engine may be given at once, so that it comes to an end in any case.
    pub(crate) fn at_once(&self) -> usize {
        match self {
            Self::Linear(linear) => linear.piece(AT_ONCE),
            Self::Lookaround(_) => 0,
        }
    }
}

/// How much work the engine is given at once: bytes times the positions of the pattern. It takes a hundredth of a second,
/// and ten times as long where it goes badly.
const AT_ONCE: usize = 4_000_000;

/// How much it is given where no other engine can decide.
const AT_MOST: usize = 5 * AT_ONCE;

impl Linear {
    /// How many bytes the engine may be given for so much work.
    fn piece(&self, work: usize) -> usize {
        (work / self.positions.max(1)).max(1)
    }

    /// What it may cost to search so many bytes.
    fn cost(&self, bytes: usize) -> usize {
        bytes.saturating_mul(1 + self.positions / 8)
    }

    fn stepwise(&self) -> Option<&Stepwise> {
        self.stepwise.get_or_init(|| Stepwise::new(&self.hir, self.positions)).as_ref()
    }
}

/// Why a search has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Halt {
    /// The pattern went back and forth too often to come to an end.
    #[error("the pattern takes too long here")]
    TooComplex,
    /// No caller waits for it any more.
    #[error("the search was stopped")]
    Stopped,
}

impl From<Stopped> for Halt {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

/// A compiled pattern as one search uses it.
pub(crate) struct Watched<'a> {
    matcher: &'a Matcher,
    meter: Meter<'a>,
    caches: OnceCell<RefCell<Caches>>,
    stopped: Cell<bool>,
    /// How much work the engine is given at once.
    at_once: usize,
}

impl<'a> Watched<'a> {
    pub(crate) fn new(matcher: &'a Matcher, stop: &'a dyn Stop) -> Self {
        let (meter, caches) = (Meter::new(stop), OnceCell::new());
        Self { matcher, meter, caches, stopped: Cell::new(false), at_once: AT_ONCE }
    }

    /// Whether an error was that no caller waits any more.
    pub(crate) fn was_stopped(&self) -> bool {
        self.stopped.get()
    }

    /// Remembers that the search was stopped: the searcher passes on only what an error says.
    fn noted<T>(&self, result: Result<T, Halt>) -> Result<T, Halt> {
        self.stopped.set(self.stopped.get() || matches!(result, Err(Halt::Stopped)));
        result
    }

    fn find(&self, text: &[u8], at: usize) -> Result<Option<Match>, Halt> {
        let linear = match self.matcher {
            Matcher::Linear(linear) => linear,
            Matcher::Lookaround(regex) => return regex.find_at(text, at, &self.meter),
        };
        let length = text.len().saturating_sub(at);
        self.meter.spend(linear.cost(length.min(linear.piece(self.at_once))))?;
        if length > linear.piece(self.at_once) {
            let found = self.step(linear, |stepwise, caches| stepwise.find(caches, text, at, &self.meter))?;
            if let Some(found) = found {
                return Ok(found.map(|(start, end)| Match::new(start, end)));
            }
            self.refuse_long(linear, length)?;
        }
        linear.regex.find_at(text, at).map_err(|_| Halt::TooComplex)
    }

    fn shortest(&self, text: &[u8], at: usize) -> Result<Option<usize>, Halt> {
        let linear = match self.matcher {
            Matcher::Linear(linear) => linear,
            Matcher::Lookaround(regex) => {
                return Ok(regex.find_at(text, at, &self.meter)?.map(|found| found.end()));
            }
        };
        let length = text.len().saturating_sub(at);
        self.meter.spend(linear.cost(length.min(linear.piece(self.at_once))))?;
        if length > linear.piece(self.at_once) {
            let found =
                self.step(linear, |stepwise, caches| stepwise.shortest(caches, text, at, &self.meter))?;
            if let Some(found) = found {
                return Ok(found);
            }
            self.refuse_long(linear, length)?;
        }
        linear.regex.shortest_match_at(text, at).map_err(|_| Halt::TooComplex)
    }

    /// Refuses what the engine would be busy with for too long, where no other can decide.
    fn refuse_long(&self, linear: &Linear, length: usize) -> Result<(), Halt> {
        self.meter.ask()?;
        if length > linear.piece(AT_MOST) { Err(Halt::TooComplex) } else { Ok(()) }
    }

    /// Searches with the engine that can be stopped. Nothing, if it cannot decide.
    fn step<T>(
        &self,
        linear: &Linear,
        search: impl FnOnce(&Stepwise, &mut Caches) -> Result<T, Trouble>,
    ) -> Result<Option<T>, Halt> {
        let Some(stepwise) = linear.stepwise() else { return Ok(None) };
        let caches = self.caches.get_or_init(|| RefCell::new(stepwise.caches()));
        match search(stepwise, &mut caches.borrow_mut()) {
            Ok(found) => Ok(Some(found)),
            Err(Trouble::Stopped) => Err(Halt::Stopped),
            Err(Trouble::Undecided) => Ok(None),
        }
    }

    /// The same in so many lines as the engine may be given.
    fn in_lines(&self, linear: &Linear, lines: &[u8]) -> Result<Option<LineMatchKind>, Halt> {
        self.meter.spend(linear.cost(lines.len()))?;
        linear.regex.find_candidate_line(lines).map_err(|_| Halt::TooComplex)
    }

    /// A line that matches or may, in a text of whole lines, of which the engine is given as many at once as it may have.
    fn candidate(&self, linear: &Linear, text: &[u8]) -> Result<Option<LineMatchKind>, Halt> {
        if let Some(required) = &linear.required {
            self.meter.spend(text.len() / 4)?;
            return Ok(required.find(text).map(LineMatchKind::Candidate));
        }
        let most = linear.piece(self.at_once);
        let mut from = 0;
        while from < text.len() {
            let rest = &text[from..];
            let (end, found) = if rest.len() <= most {
                (rest.len(), self.in_lines(linear, rest)?)
            } else if let Some(newline) = memrchr(b'\n', &rest[..most]) {
                (newline + 1, self.in_lines(linear, &rest[..=newline])?)
            } else {
                // A line that is too long for the engine is looked at by itself.
                let end = memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
                (end, self.shortest(&rest[..end], 0)?.map(LineMatchKind::Confirmed))
            };
            let found = found.map(|found| match found {
                LineMatchKind::Confirmed(at) => (at, LineMatchKind::Confirmed(from + at)),
                LineMatchKind::Candidate(at) => (at, LineMatchKind::Candidate(from + at)),
            });
            match found {
                // What is empty behind the last newline belongs to what comes next.
                Some((at, found)) if at < end || from + end == text.len() => return Ok(Some(found)),
                _ => from += end,
            }
        }
        Ok(None)
    }
}

impl grep_matcher::Matcher for Watched<'_> {
    type Captures = NoCaptures;
    type Error = Halt;

    fn find_at(&self, haystack: &[u8], at: usize) -> Result<Option<Match>, Halt> {
        self.noted(self.find(haystack, at))
    }

    fn new_captures(&self) -> Result<NoCaptures, Halt> {
        Ok(NoCaptures::new())
    }

    fn shortest_match_at(&self, haystack: &[u8], at: usize) -> Result<Option<usize>, Halt> {
        self.noted(self.shortest(haystack, at))
    }

    fn non_matching_bytes(&self) -> Option<&ByteSet> {
        match self.matcher {
            Matcher::Linear(linear) => linear.regex.non_matching_bytes(),
            Matcher::Lookaround(_) => None,
        }
    }

    fn line_terminator(&self) -> Option<LineTerminator> {
        match self.matcher {
            Matcher::Linear(linear) => linear.regex.line_terminator(),
            Matcher::Lookaround(_) => None,
        }
    }

    fn find_candidate_line(&self, haystack: &[u8]) -> Result<Option<LineMatchKind>, Halt> {
        match self.matcher {
            Matcher::Linear(linear) => self.noted(self.candidate(linear, haystack)),
            Matcher::Lookaround(_) => {
                let found = self.noted(self.find(haystack, 0))?;
                Ok(found.map(|found| LineMatchKind::Confirmed(found.start())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grep::query::{Case, Query, QueryOptions};
    use grep_searcher::{SearcherBuilder, Sink, SinkMatch};
    use proptest::prelude::*;

    /// Where matches begin and end.
    #[derive(Default)]
    struct Found(Vec<(u64, usize)>);

    impl Sink for Found {
        type Error = std::io::Error;

        fn matched(
            &mut self,
            _: &grep_searcher::Searcher,
            found: &SinkMatch<'_>,
        ) -> Result<bool, std::io::Error> {
            self.0.push((found.absolute_byte_offset(), found.bytes().len()));
            Ok(true)
        }
    }

    fn found(query: &Query, text: &[u8], at_once: usize) -> Vec<(u64, usize)> {
        let options = &query.options;
        let mut searcher = SearcherBuilder::new()
            .line_terminator(LineTerminator::crlf())
            .multi_line(options.multiline)
            .invert_match(options.invert)
            .build();
        let watched = Watched { at_once, ..Watched::new(&query.matcher, &|| false) };
        let mut found = Found::default();
        searcher.search_slice(&watched, text, &mut found).unwrap();
        found.0
    }

    const PATTERNS: &[&str] = &[
        "a",
        "ab",
        "^a",
        "a$",
        "^$",
        "^\\s*$",
        "x*",
        "",
        "[^a]b",
        "(?:a|b){2,5}x",
        "\\bab\\b",
        "\\Bb",
        "é.",
        "[^ab\\s]+",
        "a.*b",
        "(?i)É",
        "\\w+ \\w+",
        "b{3}",
        "^.{4,}$",
        "(?-u:\\xff)",
        "a|b|ab",
        "(?:ab)+?x?",
        "\\S$",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

        #[test]
        fn in_pieces_and_step_by_step_the_same_is_found(
            pattern in proptest::sample::select(PATTERNS),
            text in "[abx é\n]{0,60}|([ab\r]{0,3}\r?\n){0,12}",
            at_once in 1..120_usize,
            (word, multiline, invert) in (any::<bool>(), any::<bool>(), any::<bool>()),
            case in proptest::sample::select(&[Case::Sensitive, Case::Insensitive, Case::Smart][..]),
        ) {
            let options = QueryOptions { word, multiline, invert, case, ..QueryOptions::default() };
            let Ok(query) = Query::new(pattern, options) else { return Ok(()) };
            let whole = found(&query, text.as_bytes(), AT_ONCE);
            prop_assert_eq!(found(&query, text.as_bytes(), at_once), whole);
        }
    }

    #[test]
    fn a_pattern_with_many_positions_ends_when_it_is_stopped() {
        let text: String = (0_u64..400_000)
            .map(|n| if n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63 == 0 { 'a' } else { 'b' })
            .collect();
        // Its automaton has more states than can be counted, so each byte costs as much as the pattern is long.
        let query = Query::new("(?:a|b)*a(?:a|b){1000}x", QueryOptions::default()).unwrap();
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let stop = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 20;
        let watched = Watched::new(&query.matcher, &stop);
        assert_eq!(watched.is_match(text.as_bytes()), Err(Halt::Stopped));
        assert!(watched.was_stopped());
        // In lines the engine that cannot be stopped is asked, for a few at a time.
        let lines = text.replace("aaaa", "aaa\n");
        let query = Query::new("(?:a|b)*a(?:a|b){1000}", QueryOptions::default()).unwrap();
        let watched = Watched::new(&query.matcher, &|| true);
        assert_eq!(watched.find_candidate_line(lines.as_bytes()).err(), Some(Halt::Stopped));
    }

    /// How long a processor has worked for this thread, in milliseconds.
    #[allow(clippy::disallowed_methods, reason = "the kernel tells it in a file")]
    fn worked() -> u64 {
        let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
        told.split(' ').next().unwrap().parse::<u64>().unwrap() / 1_000_000
    }

    #[test]
    fn it_asks_often_where_an_engine_does_worst() {
        let alternatives: Vec<String> = (0..300).map(|n| format!("(((?i)a)*+)+{n}")).collect();
        // Beside a character that is not ASCII, no automaton can decide where a word ends.
        let options = QueryOptions { word: true, multiline: true, ..QueryOptions::default() };
        let query = Query::new(&alternatives.join("|"), options).unwrap();
        let text = "“a” said ‘b’ – c\n".repeat(2000);
        let asked = std::sync::Mutex::new((worked(), 0, 0));
        let stop = || {
            let (last, longest, times) = &mut *asked.lock().unwrap();
            let now = worked();
            *longest = (*longest).max(now - *last);
            (*last, *times) = (now, *times + 1);
            *times == 20
        };
        let watched = Watched::new(&query.matcher, &stop);
        assert_eq!(watched.find_candidate_line(text.as_bytes()).err(), Some(Halt::Stopped));
        let (_, longest, times) = *asked.lock().unwrap();
        assert!(longest < 100, "asked {times} times, and not for {longest} ms");
    }
}
