//! The second step: the matches themselves, with the lines around them.

use std::collections::VecDeque;
use std::fs::File;

use grep_matcher::Matcher as _;
use grep_searcher::{Searcher, Sink, SinkContext, SinkMatch};

use super::engine::{Engine, Finding, Outcome};
use super::matcher::Watched;
use super::query::Query;
use super::sinks::{Except, Failure, without_ending};
use toolcrib_text::Stop;

/// How many lines around a match are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Lines before it.
    pub before: usize,
    /// Lines after it.
    pub after: usize,
    /// Whether lines are wanted at all.
    pub(crate) wanted: bool,
}

impl Context {
    /// No lines at all: matches are only counted.
    pub(crate) const NONE: Self = Self { before: 0, after: 0, wanted: false };

    /// So many lines around each match.
    #[must_use]
    pub fn new(before: usize, after: usize) -> Self {
        Self { before, after, wanted: true }
    }
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number, counted from 1.
    pub number: u64,
    /// What it says, without its ending, and cut around the match if it is long.
    pub text: String,
    /// Whether it matches; the others stand around one that does.
    pub matches: bool,
}

/// Matches of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The lines in order. Where a number is left out, lines are left out.
    pub lines: Vec<Line>,
    /// How many matches are among them; one across several lines is one.
    pub matches: u64,
}

/// Which matches of a file are wanted, and how much of them.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Lines around them.
    pub context: Context,
    /// How many to skip.
    pub skip: u64,
    /// How many at the most.
    pub most: u64,
    /// How many bytes all lines together may have; the first match is shown in any case.
    pub room: usize,
    /// What each line takes beside its text: its number, and the path in front of it.
    pub line_cost: usize,
    /// How many characters of a line are shown.
    pub line_length: usize,
}

/// Takes matches out of a file, as many as are wanted and as there is room for.
///
/// # Errors
///
/// Why the file cannot be searched.
pub fn lines(file: &File, query: &Query, wanted: Wanted, stop: &dyn Stop) -> Result<Lines, Outcome> {
    let size = file.metadata().map_err(|_| Outcome::Unreadable)?.len();
    let mut engine = Engine::new(query, u64::MAX, wanted.context);
    let collector = engine.search(file, size, stop, || Collector::new(query, wanted, stop))?;
    Ok(collector.found)
}

struct Collector<'a> {
    query: &'a Query,
    except: Except<'a>,
    wanted: Wanted,
    stop: &'a dyn Stop,
    found: Lines,
    /// Matches so far, also those that are skipped.
    seen: u64,
    /// Lines that may turn out to stand before a wanted match.
    recent: VecDeque<(u64, Vec<u8>)>,
    /// How much memory they take.
    recent_size: usize,
    /// How many lines after the last wanted match are still to be taken.
    after: usize,
    used: usize,
}

impl<'a> Collector<'a> {
    fn new(query: &'a Query, wanted: Wanted, stop: &'a dyn Stop) -> Self {
        let (found, recent) = (Lines::default(), VecDeque::new());
        let except = Except::of(query, stop);
        Self { query, except, wanted, stop, found, seen: 0, recent, recent_size: 0, after: 0, used: 0 }
    }

    /// A line that does not match, or whose match is not wanted here. False if nothing more is to come.
    fn beside(&mut self, number: u64, bytes: &[u8]) -> bool {
        if self.after > 0 {
            // Lines around a match take no more room than matches do.
            self.after = if self.used < self.wanted.room { self.after - 1 } else { 0 };
            self.push(number, bytes, false);
        } else if !self.is_full() && self.wanted.context.before > 0 {
            if self.recent.len() == self.wanted.context.before {
                self.forget_one();
            }
            // A line that is shown is cut, so more of it need not be kept.
            let kept =
                bytes.len().min(self.wanted.line_length.saturating_mul(LONGEST_CHARACTER).saturating_add(1));
            self.recent.push_back((number, bytes[..kept].to_vec()));
            self.recent_size += kept + self.wanted.line_cost;
            while self.recent_size > self.wanted.room && self.recent.len() > 1 {
                self.forget_one();
            }
        }
        !self.is_full() || self.after > 0
    }

    fn forget_one(&mut self) {
        if let Some((_, line)) = self.recent.pop_front() {
            self.recent_size -= line.len() + self.wanted.line_cost;
        }
    }

    /// A match that is wanted, on one line or several.
    fn take(&mut self, first: u64, bytes: &[u8]) {
        let nearest = first.saturating_sub(self.wanted.context.before as u64);
        self.recent_size = 0;
        for (number, bytes) in std::mem::take(&mut self.recent) {
            if number >= nearest {
                self.push(number, &bytes, false);
            }
        }
        if self.query.options.only_matching && !self.query.options.invert && self.push_parts(first, bytes) {
            self.found.matches += 1;
            return;
        }
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        for (number, line) in (first..).zip(lines) {
            if self.used > self.wanted.room && number > first {
                let left = bytes.split_inclusive(|byte| *byte == b'\n').count() as u64 - (number - first);
                let text = format!("… ({left} more lines of this match)");
                self.found.lines.push(Line { number, text, matches: true });
                break;
            }
            self.push(number, line, true);
        }
        self.found.matches += 1;
        self.after = self.wanted.context.after;
    }

    fn push(&mut self, number: u64, bytes: &[u8], matches: bool) {
        let bytes = without_ending(bytes);
        let at = if matches && !self.query.options.invert {
            let watched = Watched::new(&self.query.matcher, self.stop);
            watched.find(bytes).ok().flatten().map(|found| found.start())
        } else {
            None
        };
        let text = cut(bytes, at.unwrap_or(0), self.wanted.line_length);
        self.used += text.len() + self.wanted.line_cost;
        self.found.lines.push(Line { number, text, matches });
    }

    /// Each part of these lines that matches, as far as there is room. False if there is none: what a pattern looks around for
    /// may stand in other lines.
    fn push_parts(&mut self, first: u64, bytes: &[u8]) -> bool {
        let watched = Watched::new(&self.query.matcher, self.stop);
        let (mut number, mut counted, before) = (first, 0, self.found.lines.len());
        // A failure ends the parts; it ends the search at the next line.
        let _ = watched.find_iter(bytes, |found| {
            number += memchr::memchr_iter(b'\n', &bytes[counted..found.start()]).count() as u64;
            counted = found.start();
            for (number, part) in (number..).zip(bytes[found].split_inclusive(|byte| *byte == b'\n')) {
                let text = cut(without_ending(part), 0, self.wanted.line_length);
                self.used += text.len() + self.wanted.line_cost;
                self.found.lines.push(Line { number, text, matches: true });
            }
            self.used < self.wanted.room
        });
        self.found.lines.len() > before
    }

    fn is_full(&self) -> bool {
        self.found.matches >= self.wanted.most || (self.found.matches > 0 && self.used >= self.wanted.room)
    }
}

const LONGEST_CHARACTER: usize = 4;

impl Finding for Collector<'_> {
    fn found(&self) -> bool {
        self.seen > 0
    }
}

impl Sink for Collector<'_> {
    type Error = Failure;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Failure> {
        if self.seen.is_multiple_of(64) && self.stop.stopped() {
            return Err(Failure::Stopped);
        }
        let number = found.line_number().unwrap_or(0);
        let left_out = self.except.leaves_out(found)?;
        self.seen += u64::from(!left_out);
        if left_out || self.seen <= self.wanted.skip || self.is_full() {
            let mut lines = (number..).zip(found.lines());
            return Ok(lines.all(|(number, line)| self.beside(number, line)));
        }
        self.take(number, found.bytes());
        Ok(!self.is_full() || self.after > 0)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> Result<bool, Failure> {
        Ok(self.beside(line.line_number().unwrap_or(0), line.bytes()))
    }
}

/// At most `length` characters of a line, with what stands at `at` among them.
fn cut(line: &[u8], at: usize, length: usize) -> String {
    if line.len() <= length {
        return String::from_utf8_lossy(line).into_owned();
    }
    // Not more of a huge line is decoded than may be shown.
    let reach = length.saturating_mul(LONGEST_CHARACTER);
    let start = boundary(line, at.saturating_sub(reach));
    let end = boundary(line, at.saturating_add(reach).min(line.len()));
    let before = String::from_utf8_lossy(&line[start..at.clamp(start, end)]);
    let rest = String::from_utf8_lossy(&line[at.clamp(start, end)..end]);
    // A quarter of what is shown comes before the match, more where there is not enough after it.
    let (ahead, behind) = (before.chars().count(), rest.chars().count());
    let lead = (length / 4).max(length.saturating_sub(behind)).min(ahead);
    let shown: String = before.chars().skip(ahead - lead).chain(rest.chars().take(length - lead)).collect();
    let cut_before = start > 0 || lead < ahead;
    let cut_after = end < line.len() || behind > length - lead;
    match (cut_before, cut_after) {
        (false, false) => shown,
        (true, false) => format!("…{shown}"),
        (false, true) => format!("{shown}…"),
        (true, true) => format!("…{shown}…"),
    }
}

/// The next place at which no character is cut.
fn boundary(line: &[u8], at: usize) -> usize {
    let continued = line[at..].iter().take(LONGEST_CHARACTER - 1).take_while(|byte| **byte & 0xC0 == 0x80);
    at + continued.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_whole() {
        assert_eq!(cut(b"short", 2, 10), "short");
        assert_eq!(cut("äöüäöü".as_bytes(), 0, 6), "äöüäöü");
        assert_eq!(cut("äöüäöü".as_bytes(), 4, 7), "äöüäöü");
    }

    #[test]
    fn a_long_line_is_cut_around_the_match_and_never_within_a_character() {
        let line = format!("{}needle{}", "ä".repeat(100), "ö".repeat(100));
        assert_eq!(cut(line.as_bytes(), 200, 16), format!("…ääääneedle{}…", "ö".repeat(6)));
        assert_eq!(cut(line.as_bytes(), 0, 8), format!("{}…", "ä".repeat(8)));
        assert_eq!(cut(line.as_bytes(), line.len() - 2, 8), format!("…{}", "ö".repeat(8)));
        for at in 0..=line.len() {
            for length in [1, 2, 3, 7, 20, 500] {
                let shown = cut(line.as_bytes(), at, length);
                let letters = shown.chars().filter(|c| *c != '…').count();
                assert!(letters <= length, "{at} {length} {shown}");
            }
        }
    }

    #[test]
    fn a_huge_line_is_not_decoded_as_a_whole() {
        let mut line = vec![b'x'; 50_000_000];
        line[40_000_000..40_000_006].copy_from_slice(b"needle");
        // The quickest of some: others use the machine too.
        let quickest = |work: &dyn Fn() -> usize| {
            let once = |_| {
                let began = std::time::Instant::now();
                std::hint::black_box(work());
                began.elapsed()
            };
            (0..5).map(once).min()
        };
        assert_eq!(cut(&line, 40_000_000, 8), "…xxneedle…");
        let cutting = quickest(&|| cut(&line, 40_000_000, 8).len());
        let decoding = quickest(&|| String::from_utf8_lossy(&line).len());
        assert!(cutting.map(|time| time * 10) < decoding, "{cutting:?} {decoding:?}");
    }
}
