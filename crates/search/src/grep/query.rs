//! What is looked for: a pattern and how it is to be understood.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use grep_matcher::Matcher as _;
use grep_regex::RegexMatcherBuilder;
use memchr::memmem::Finder;
use regex_syntax::ast::{self, ErrorKind as Fault};
use regex_syntax::hir::{Class, Hir, HirKind, Look};

use super::lookaround::Lookaround;
use super::matcher::{Linear, Matcher, Watched};
use super::required::required;
use super::syntax::{self, MAX_CLASSES, MAX_PATTERN, Syntax, positions};

/// How much memory a compiled pattern may take, and again the states it makes while it searches, for each thread. A pattern
/// that needs more is refused, or searched for without keeping states.
pub(crate) const SIZE_LIMIT: usize = 10 * 1024 * 1024;

/// How a pattern is understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryOptions {
    /// It is text, and no character means anything else.
    pub literal: bool,
    /// Whether capitals and small letters are the same.
    pub case: Case,
    /// It matches whole words only.
    pub word: bool,
    /// It may match across lines, and `.` matches a newline.
    pub multiline: bool,
    /// Lines that do not match are looked for.
    pub invert: bool,
    /// How many matches of a file count.
    pub max_count: Option<u64>,
    /// What matches is shown, and not the whole line.
    pub only_matching: bool,
    /// What also matches this pattern is no match. It is a regular expression, whatever the other one is.
    pub except: Option<String>,
}

/// Whether capitals and small letters are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// They are not.
    #[default]
    Sensitive,
    /// They are.
    Insensitive,
    /// They are, unless the pattern has a capital.
    Smart,
}

/// A pattern, ready to be searched for.
///
/// ```
/// use toolcrib_search::{Query, QueryOptions};
///
/// assert!(Query::new(r"fn \w+\(", QueryOptions::default()).is_ok());
/// let error = Query::new("[invalid(regex", QueryOptions::default()).unwrap_err();
/// assert_eq!(error.to_string(), "Invalid regex pattern: unclosed character class at character 1");
/// assert!(Query::new("[invalid(regex", QueryOptions { literal: true, ..QueryOptions::default() }).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct Query {
    pub(crate) matcher: Arc<Matcher>,
    pub(crate) options: QueryOptions,
    /// What a match must not hold.
    pub(crate) except: Option<Arc<Matcher>>,
    /// Whether a text that is not UTF-8 may match once it is decoded, and not as it is.
    pub(crate) needs_text: bool,
}

impl Query {
    /// Understands a pattern.
    ///
    /// # Errors
    ///
    /// If it is none, or too large.
    pub fn new(pattern: &str, mut options: QueryOptions) -> Result<Self, InvalidQuery> {
        let Some(except) = options.except.take() else { return Self::understand(pattern, options) };
        let case = options.case;
        let except = Self::understand(&except, QueryOptions { case, ..QueryOptions::default() })
            .map_err(|error| InvalidQuery { in_except: true, remedy: None, ..error })?;
        let query = Self::understand(pattern, options)?;
        let needs_text = query.needs_text || except.needs_text;
        Ok(Self { except: Some(except.matcher), needs_text, ..query })
    }

    fn understand(pattern: &str, options: QueryOptions) -> Result<Self, InvalidQuery> {
        if pattern.len() > MAX_PATTERN {
            return Err(InvalidQuery::too_long(pattern.len()));
        }
        let escaped = if options.literal { regex_syntax::escape(pattern) } else { pattern.to_owned() };
        let syntax = match Syntax::parse(&escaped) {
            Ok(syntax) => syntax,
            Err(error) if looks_around(&error) => {
                let regex = Lookaround::new(pattern, &options)
                    .map_err(|error| InvalidQuery::new(error, None, pattern))?;
                let matcher = Arc::new(Matcher::Lookaround(regex));
                return Ok(Self { matcher, options, except: None, needs_text: true });
            }
            Err(error) => return Err(InvalidQuery::syntax(error.kind(), error.span(), pattern)),
        };
        if syntax.classes(options.case) > MAX_CLASSES {
            return Err(InvalidQuery::too_many_classes(syntax.classes(options.case)));
        }
        let plain = QueryOptions { case: Case::Sensitive, multiline: false, ..options.clone() };
        let translate = |options: &QueryOptions| {
            let translated = syntax.translate(options);
            translated.map_err(|error| InvalidQuery::syntax(error.kind(), error.span(), pattern))
        };
        let hir = translate(&plain)?;
        let any_case = syntax.any_case(options.case);
        let regex = builder(&options, any_case)
            .build(pattern)
            .map_err(|error| InvalidQuery::build(&error, pattern))?;
        let by_line = options.case == Case::Sensitive && !options.multiline;
        let required = by_line.then(|| required(&hir)).flatten();
        let required = required.map(|text| Box::new(Finder::new(&text).into_owned()));
        let needs_text = may_match_beyond_ascii(&hir);
        let meant = translate(&options)?;
        let meant = if options.word { syntax::as_word(meant) } else { meant };
        let meant = if options.multiline { meant } else { syntax::within_line(meant) };
        let positions = positions(&meant);
        let linear = Linear { regex, required, positions, hir: meant, stepwise: OnceLock::new() };
        let matcher = Arc::new(Matcher::Linear(Box::new(linear)));
        Ok(Self { matcher, options, except: None, needs_text })
    }

    /// Where it matches in a line, for showing that. What matches nothing at all is left out.
    ///
    /// ```
    /// use toolcrib_search::{Query, QueryOptions};
    ///
    /// let query = Query::new("o+", QueryOptions::default())?;
    /// assert_eq!(query.find_all("foo, bor"), [1..3, 6..7]);
    /// # Ok::<(), toolcrib_search::InvalidQuery>(())
    /// ```
    #[must_use]
    pub fn find_all(&self, line: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        // A pattern that takes too long here has found the line, and shows nothing in it.
        _ = Watched::new(&self.matcher, &|| false).find_iter(line.as_bytes(), |one| {
            // Within a line a match is text; it may still begin between the bytes of a character in `(?-u)`.
            if !one.is_empty() && line.get(one.start()..one.end()).is_some() {
                found.push(one.start()..one.end());
            }
            true
        });
        found
    }
}

fn builder(options: &QueryOptions, any_case: bool) -> RegexMatcherBuilder {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .case_insensitive(any_case)
        .fixed_strings(options.literal)
        .word(options.word)
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(SIZE_LIMIT)
        .nest_limit(syntax::NEST_LIMIT)
        // The end of a line is before its carriage return, too.
        .crlf(true);
    if options.multiline {
        builder.dot_matches_new_line(true).line_terminator(None);
    }
    builder
}

fn looks_around(error: &ast::Error) -> bool {
    matches!(error.kind(), Fault::UnsupportedLookAround | Fault::UnsupportedBackreference)
}

/// Whether it can match a character that is not ASCII, or depends on one that stands beside.
fn may_match_beyond_ascii(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty => false,
        HirKind::Literal(literal) => !literal.0.is_ascii(),
        HirKind::Class(Class::Unicode(class)) => class.ranges().iter().any(|range| !range.end().is_ascii()),
        HirKind::Class(Class::Bytes(class)) => class.ranges().iter().any(|range| !range.end().is_ascii()),
        HirKind::Look(look) => matches!(look, Look::WordUnicodeNegate),
        HirKind::Repetition(repetition) => may_match_beyond_ascii(&repetition.sub),
        HirKind::Capture(capture) => may_match_beyond_ascii(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(may_match_beyond_ascii),
    }
}

/// A pattern that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidQuery {
    reason: String,
    /// Which character is at fault, counted from 1.
    position: Option<usize>,
    remedy: Option<Remedy>,
    /// It is the pattern of what is left out.
    in_except: bool,
}

/// What to do instead of a search for a pattern that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Search for it as text, or escape it.
    Literal,
    /// Search across lines.
    Multiline,
    /// What this says.
    Other(&'static str),
}

impl InvalidQuery {
    /// Which character is at fault, counted from 1.
    #[must_use]
    pub fn position(&self) -> Option<usize> {
        self.position
    }

    /// What to do instead.
    #[must_use]
    pub fn remedy(&self) -> Option<Remedy> {
        self.remedy
    }

    fn new(reason: impl Into<String>, position: Option<usize>, pattern: &str) -> Self {
        // Brackets that do not match are most likely meant as text.
        let special = pattern.contains(['(', '[', '{', ')', ']', '}', '*', '+', '?', '\\']);
        let remedy = special.then_some(Remedy::Literal);
        Self { reason: reason.into(), position, remedy, in_except: false }
    }

    fn syntax(kind: &impl fmt::Display, span: &ast::Span, pattern: &str) -> Self {
        let position = pattern.get(..span.start.offset).map(|before| before.chars().count() + 1);
        Self::new(kind.to_string(), position, pattern)
    }

    fn too_long(bytes: usize) -> Self {
        Self {
            reason: format!("it has {bytes} bytes, and may have {MAX_PATTERN}"),
            position: None,
            remedy: Some(Remedy::Other("search for a part of it, or in several calls")),
            in_except: false,
        }
    }

    fn too_many_classes(classes: usize) -> Self {
        Self {
            reason: format!("it has {classes} classes such as \\w, and may have {MAX_CLASSES}"),
            position: None,
            remedy: Some(Remedy::Other("use a repetition such as \\w{3}, or a shorter pattern")),
            in_except: false,
        }
    }

    fn build(error: &grep_regex::Error, pattern: &str) -> Self {
        match error.kind() {
            grep_regex::ErrorKind::NotAllowed(_) => Self {
                reason: "it has a newline in it, and lines are searched one by one".to_owned(),
                position: None,
                remedy: Some(Remedy::Multiline),
                in_except: false,
            },
            grep_regex::ErrorKind::Regex(reason) if reason.contains("size limit") => Self {
                reason: format!("it takes more than {} MB when it is compiled", SIZE_LIMIT >> 20),
                position: None,
                remedy: Some(Remedy::Other("use a shorter pattern, or smaller repetitions")),
                in_except: false,
            },
            _ => Self::new(error.to_string(), None, pattern),
        }
    }
}

impl fmt::Display for InvalidQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = if self.in_except { " of lines to leave out" } else { "" };
        write!(f, "Invalid regex pattern{of}: {}", self.reason)?;
        self.position.map_or(Ok(()), |position| write!(f, " at character {position}"))
    }
}

impl std::error::Error for InvalidQuery {}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(pattern: &str, options: QueryOptions) -> InvalidQuery {
        Query::new(pattern, options).unwrap_err()
    }

    #[test]
    fn what_is_wrong_and_where() {
        let plain = QueryOptions::default;
        assert_eq!(
            refused("ä(b", plain()).to_string(),
            "Invalid regex pattern: unclosed group at character 2"
        );
        assert_eq!(refused("(?<=a", plain()).remedy(), Some(Remedy::Literal));
        assert_eq!(refused(r"a\nb", plain()).remedy(), Some(Remedy::Multiline));
        assert!(Query::new(r"a\nb", QueryOptions { multiline: true, ..plain() }).is_ok());
        assert!(Query::new("", plain()).is_ok());
        assert!(Query::new("-x", plain()).is_ok());
    }

    #[test]
    fn a_pattern_of_what_to_leave_out_is_named_in_its_error() {
        let except = |pattern: &str| QueryOptions {
            except: Some(pattern.to_owned()),
            literal: true,
            ..QueryOptions::default()
        };
        let error = refused("a(b", except("x)"));
        let reason = "Invalid regex pattern of lines to leave out: unopened group at character 2";
        assert_eq!((error.to_string().as_str(), error.remedy()), (reason, None));
        assert!(Query::new("a(b", except("é")).unwrap().needs_text);
    }

    #[test]
    fn a_pattern_that_is_too_large_is_refused() {
        let reason = "Invalid regex pattern: it takes more than 10 MB when it is compiled";
        for pattern in [r"\w{5000}", "((a{1000}){1000}){1000}"] {
            assert_eq!(refused(pattern, QueryOptions::default()).to_string(), reason);
        }
        let long = "x".repeat(MAX_PATTERN + 1);
        let literal = QueryOptions { literal: true, ..QueryOptions::default() };
        for options in [QueryOptions::default(), literal.clone()] {
            let reason = "Invalid regex pattern: it has 32769 bytes, and may have 32768";
            assert_eq!(refused(&long, options).to_string(), reason);
        }
        assert!(Query::new(&long[1..], literal).is_ok());
        let reason = "Invalid regex pattern: it has 501 classes such as \\w, and may have 500";
        assert_eq!(refused(&r"\w".repeat(501), QueryOptions::default()).to_string(), reason);
        let nested = "(".repeat(1000) + &")".repeat(1000);
        assert!(refused(&nested, QueryOptions::default()).to_string().contains("nest"));
    }

    #[test]
    fn looking_around_takes_the_other_engine() {
        for pattern in [r"(?<=a)b", r"a(?!b)", r"(\w) \1"] {
            let query = Query::new(pattern, QueryOptions::default()).unwrap();
            assert!(matches!(*query.matcher, Matcher::Lookaround(_)), "{pattern}");
        }
    }

    #[test]
    fn what_may_match_beyond_ascii_is_known() {
        let needs = |pattern: &str| Query::new(pattern, QueryOptions::default()).unwrap().needs_text;
        for plain in ["TODO", "[a-z]+_t", r"foo\(", "^x$", r"\bfoo\b"] {
            assert!(!needs(plain), "{plain}");
        }
        for beyond in ["é", "a.b", r"\w+", "[^x]", r"a\B", "(?i)ß"] {
            assert!(needs(beyond), "{beyond}");
        }
    }
}
