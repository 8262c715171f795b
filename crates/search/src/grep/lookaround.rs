//! Patterns that look around or back: `(?<=a)b`, `(\w+) \1`.
//!
//! No engine runs these in linear time. This one goes back and forth a limited number of times for each line, looks at the
//! line a limited number of times, and then gives up with an error, so that no pattern can run away. It is written in Rust,
//! so there is nothing to link.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fancy_regex::{BytesMode, Input, Regex, RegexBuilder};
use grep_matcher::Match;
use toolcrib_text::Meter;

use super::matcher::Halt;
use super::query::{Case, QueryOptions};
use super::syntax::MAX_CLASSES;

/// How often the engine may go back while it looks for one match. It takes some ten milliseconds.
const MOST_STEPS: usize = 200_000;

/// How much it may look at meanwhile, in nanoseconds or so. Every look may go over the whole line.
const MOST_WORK: usize = 300_000_000;

/// How many groups that look around a pattern may have. Each of them is a compiled pattern of its own.
const MOST_GROUPS: usize = 100;

/// How many characters a pattern may come to if its repetitions are written out. One that looks behind is compiled without
/// any other limit.
const MOST_REPEATED: usize = 20_000;

/// How many classes in brackets there may be where capitals and small letters are the same: each character of each range is
/// looked up before anything is searched.
const MOST_BRACKETS: usize = 100;

/// How much memory one of these may take, and the states that it makes while it searches.
const GROUP_SIZE: usize = 512 * 1024;

#[derive(Clone, Debug)]
pub(crate) struct Lookaround(Regex);

impl Lookaround {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub(crate) fn new(pattern: &str, options: &QueryOptions) -> Result<Self, String> {
        let groups = pattern.matches("(?").count();
        if groups > MOST_GROUPS {
            return Err(format!("it has {groups} groups that look around, and may have {MOST_GROUPS}"));
        }
        let classes = classes(pattern);
        if classes > MAX_CLASSES {
            return Err(format!("it has {classes} classes such as \\w, and may have {MAX_CLASSES}"));
        }
        let repeated = written_out(pattern);
        if repeated > MOST_REPEATED {
            return Err(format!(
                "its repetitions come to {repeated} characters, and may come to {MOST_REPEATED} in a pattern that looks around"
            ));
        }
        let whole = if options.word { format!(r"(?<!\w)(?:{pattern})(?!\w)") } else { pattern.to_owned() };
        let any_case = match options.case {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => !has_upper_case(pattern),
        };
        let brackets = brackets(pattern);
        if any_case && brackets > MOST_BRACKETS {
            return Err(format!(
                "it has {brackets} classes in brackets, and may have {MOST_BRACKETS} where it looks around and case does not count"
            ));
        }
        RegexBuilder::new(&whole)
            .bytes_mode(BytesMode::UnicodeBytes)
            .case_insensitive(any_case)
            .multi_line(true)
            .crlf(true)
            .dot_matches_new_line(options.multiline)
            .backtrack_limit(MOST_STEPS)
            .delegate_size_limit(GROUP_SIZE)
            .delegate_dfa_size_limit(GROUP_SIZE)
            .build()
            .map(Self)
            .map_err(|error| error.to_string())
    }

    pub(crate) fn find_at(
        &self,
        haystack: &[u8],
        at: usize,
        meter: &Meter<'_>,
    ) -> Result<Option<Match>, Halt> {
        let text =
            Guarded { bytes: haystack, meter, cost: 16 + haystack.len() / 32, left: Cell::new(MOST_WORK) };
        text.look()?;
        // What the engine keeps for the next search is made anew by it, so nothing is left half done.
        let found = catch_unwind(AssertUnwindSafe(|| self.0.find_from_pos(&text, at)));
        match found {
            Ok(found) => found.map_err(|_| Halt::TooComplex),
            Err(panic) => Err(halt(panic)),
        }
    }
}

/// A text that counts how often it is looked at. The engine has no other place to be interrupted at, and no way to be told;
/// so the search is left by unwinding, as salsa leaves a query that was cancelled.
struct Guarded<'a> {
    bytes: &'a [u8],
    meter: &'a Meter<'a>,
    /// What a look may cost.
    cost: usize,
    left: Cell<usize>,
}

impl Guarded<'_> {
    fn look(&self) -> Result<(), Halt> {
        self.left.set(self.left.get().checked_sub(self.cost).ok_or(Halt::TooComplex)?);
        Ok(self.meter.spend(self.cost)?)
    }

    fn bytes(&self) -> &[u8] {
        if let Err(halt) = self.look() {
            resume_unwind(Box::new(halt));
        }
        self.bytes
    }
}

/// Why the search was left. A panic of the engine goes on.
fn halt(panic: Box<dyn Any + Send>) -> Halt {
    match panic.downcast::<Halt>() {
        Ok(halt) => *halt,
        Err(panic) => resume_unwind(panic),
    }
}

impl Input for Guarded<'_> {
    type Match<'t>
        = Match
    where
        Self: 't;

    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn as_bytes(&self) -> &[u8] {
        self.bytes()
    }

    fn is_char_boundary(&self, ix: usize) -> bool {
        Input::is_char_boundary(self.bytes(), ix)
    }

    fn is_ascii(&self) -> bool {
        Input::is_ascii(self.bytes())
    }

    fn prev_codepoint_ix(&self, i: usize) -> usize {
        Input::prev_codepoint_ix(self.bytes(), i)
    }

    fn make_match(&self, start: usize, end: usize) -> Match {
        Match::new(start, end)
    }

    fn advance_position(&self, i: usize) -> usize {
        Input::advance_position(self.bytes(), i)
    }
}

/// How many classes with very many characters a pattern has, at the most.
fn classes(pattern: &str) -> usize {
    let class = |letter: &u8| b"wWdDsSpPhHX".contains(letter);
    pattern.as_bytes().windows(2).filter(|pair| pair[0] == b'\\' && class(&pair[1])).count()
}

/// How many classes in brackets a pattern has.
fn brackets(pattern: &str) -> usize {
    let mut after_backslash = false;
    let opens = pattern.bytes().filter(|byte| {
        let opens = *byte == b'[' && !after_backslash;
        after_backslash = *byte == b'\\' && !after_backslash;
        opens
    });
    opens.count()
}

/// How many characters a class such as `\w` is worth: it has hundreds of ranges.
const CLASS: usize = 50;

/// How many characters, roughly, a pattern has if its counted repetitions are written out.
fn written_out(pattern: &str) -> usize {
    // What the group comes to, without the last thing in it, which may yet be repeated; and the same of those around it.
    let (mut sum, mut last, mut around) = (0_usize, 0_usize, Vec::new());
    let mut rest = pattern.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, repetition(rest)) {
            (b'{', Some((times, length))) => {
                last = last.saturating_mul(times);
                rest = &rest[length..];
                continue;
            }
            (b'(', _) => {
                around.push(sum.saturating_add(last));
                (sum, last) = (0, 0);
                continue;
            }
            (b')', _) if !around.is_empty() => {
                last = sum.saturating_add(last).max(1);
                sum = around.pop().unwrap_or(0);
                continue;
            }
            (b'\\', _) => {
                let class = rest.first().is_some_and(|name| b"dDsSwWpP".contains(name));
                let named = rest.first().is_some_and(|name| b"pP".contains(name));
                rest = rest.get(1..).unwrap_or_default();
                // The name of a property is part of it: `\pL`, `\p{Greek}`.
                let name = match (named, rest.first()) {
                    (true, Some(b'{')) => {
                        rest.iter().position(|byte| *byte == b'}').map_or(rest.len(), |at| at + 1)
                    }
                    (true, _) => 1,
                    (false, _) => 0,
                };
                rest = rest.get(name..).unwrap_or_default();
                (sum, last) = (sum.saturating_add(last), if class { CLASS } else { 1 });
                continue;
            }
            _ => {}
        }
        (sum, last) = (sum.saturating_add(last), 1);
    }
    around.into_iter().fold(sum.saturating_add(last), usize::saturating_add)
}

/// How often something is repeated at the most, and how many bytes say so, after the brace: `3}`, `1,9}`, `1,}`.
fn repetition(text: &[u8]) -> Option<(usize, usize)> {
    let end = text.iter().position(|byte| *byte == b'}')?;
    let inside = std::str::from_utf8(&text[..end]).ok()?;
    let number = |digits: &str| digits.trim().parse::<usize>().ok();
    let times = match inside.split_once(',') {
        None => number(inside)?,
        Some((least, most)) => number(most).or_else(|| number(least))?,
    };
    Some((times, end + 1))
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

    fn find(pattern: &str, text: &str, meter: &Meter<'_>) -> Result<Option<(usize, usize)>, Halt> {
        let regex = Lookaround::new(pattern, &QueryOptions::default()).unwrap();
        Ok(regex.find_at(text.as_bytes(), 0, meter)?.map(|found| (found.start(), found.end())))
    }

    #[test]
    fn a_class_is_no_capital() {
        assert!(has_upper_case("Foo") && has_upper_case(r"\\W"));
        assert!(!has_upper_case(r"foo\W\S") && !has_upper_case(""));
    }

    #[test]
    fn repetitions_are_written_out() {
        for (pattern, length) in [
            ("abc", 3),
            ("a{3}b", 4),
            ("(?:ab){10}", 40),
            ("((a{2}){3}){4}", 24),
            (r"\{3}", 3),
            ("a{x}", 4),
            ("a{2,5}", 5),
            ("a{7,}", 7),
            (r"\w{10}\n", 501),
            (r"(?:\PL{0,2}){0,1000}", 102_000),
            (r"\p{Greek}{3}x", 151),
            ("(a", 1),
            ("a){3}", 4),
        ] {
            assert_eq!(written_out(pattern), length, "{pattern}");
        }
        assert_eq!(written_out(&"(?:".repeat(3)), 6);
        assert_eq!(written_out("(((a{9999999999}){9999999999}){9999999999})"), usize::MAX);
    }

    #[test]
    fn it_finds_what_it_finds_without_a_guard() {
        for (pattern, text) in [
            ("(?<=a)b", "xab"),
            (r"(\w+) \1", "the the"),
            ("é(?!x)", "éx éy"),
            ("(?<=é.*)z", "é..z"),
            ("a(?=$)", "a\nb"),
            ("(?<!a)b", "ab"),
        ] {
            let plain =
                RegexBuilder::new(pattern).bytes_mode(BytesMode::UnicodeBytes).multi_line(true).build();
            let expected =
                plain.unwrap().find(text.as_bytes()).unwrap().map(|found| (found.start(), found.end()));
            assert_eq!(find(pattern, text, &Meter::unlimited()), Ok(expected), "{pattern}");
        }
    }

    #[test]
    fn a_search_that_takes_too_long_is_given_up() {
        let text = "a".repeat(60_000);
        // Each looks at the rest of the line from every character of it, without ever going back.
        for pattern in ["(?:a(?=.*z?))*b(?=c)", "(?<=a.*)b", "(?:a(?=(?:a(?=.*z?))*))*(?=b)"] {
            assert_eq!(find(pattern, &text, &Meter::unlimited()), Err(Halt::TooComplex), "{pattern}");
        }
    }

    #[test]
    fn a_search_that_is_stopped_ends() {
        let text = "a".repeat(60_000);
        for pattern in ["(?:a(?=.*z?))*b(?=c)", "(?<=a.*)b", r"(a+)+\1b"] {
            assert_eq!(find(pattern, &text, &Meter::new(&|| true)), Err(Halt::Stopped), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_with_too_many_parts_is_refused() {
        let refused = |pattern: &str| Lookaround::new(pattern, &QueryOptions::default()).unwrap_err();
        assert!(refused(&"(?=a)".repeat(101)).contains("101 groups"), "{}", refused(&"(?=a)".repeat(101)));
        for pattern in [
            "(?<=((?:.){1000000})*)",
            "(?=(?:(?:a{100}){100}){3})",
            "(?<=a{0,20001})b",
            "(?<=(?:ab){10001,})b",
        ] {
            assert!(refused(pattern).contains("repetitions"), "{pattern}");
        }
        assert!(refused(&format!("(?=a){}", r"\w".repeat(501))).contains("501 classes"));
        let any_case = QueryOptions { case: Case::Insensitive, ..QueryOptions::default() };
        let wide = |count: usize| format!("(?=a){}", r"[\x00-\x{10FFFF}]\[".repeat(count));
        let refused = Lookaround::new(&wide(101), &any_case).unwrap_err();
        assert!(refused.contains("101 classes in brackets"), "{refused}");
        assert!(Lookaround::new(&wide(100), &any_case).is_ok());
    }
}
