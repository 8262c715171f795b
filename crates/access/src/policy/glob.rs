//! Globs over the names of a path: `*`, `?`, `[a-z]`, `{a,b}` and `**`, matched name by name.
//!
//! Knows neither rules nor roots. A pattern is expanded into one [`Glob`] per alternative when it is read, within the
//! bounds below, so that matching needs no compiled expression and takes at most the product of both lengths.

use std::fmt;

use super::fold;

/// The longest pattern, in bytes.
pub(super) const MAX_LENGTH: usize = 1024;
/// How many alternatives a pattern may have once all braces are expanded.
pub(super) const MAX_ALTERNATIVES: usize = 256;
/// How deep braces may be nested.
pub(super) const MAX_NESTING: usize = 4;

/// What is wrong with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Error {
    Empty,
    TooLong,
    TooManyAlternatives,
    TooDeep,
    UnclosedClass,
    InvalidRange(char, char),
    UnclosedBrace,
    UnopenedBrace,
    DanglingEscape,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::TooLong => write!(f, "it is longer than {MAX_LENGTH} bytes"),
            Self::TooManyAlternatives => {
                write!(f, "its braces have more than {MAX_ALTERNATIVES} alternatives")
            }
            Self::TooDeep => write!(f, "its braces are nested more than {MAX_NESTING} deep"),
            Self::UnclosedClass => f.write_str("a ']' is missing"),
            Self::InvalidRange(start, end) => write!(f, "the range '{start}-{end}' is empty"),
            Self::UnclosedBrace => f.write_str("a '}' is missing"),
            Self::UnopenedBrace => f.write_str("a '{' is missing"),
            Self::DanglingEscape => f.write_str("nothing follows the last '\\'"),
        }
    }
}

/// One alternative of a pattern: what the names of a path must be like, from the first to the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob {
    pub(super) parts: Vec<Part>,
}

/// A part of a glob between two slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// `**`: any number of names, none included.
    AnyDepth,
    Name(NamePattern),
}

/// What one name must be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NamePattern {
    Literal(Box<str>),
    /// Only `*` beside letters, as nearly all have: what a name begins and ends with, and what it has between in this order.
    Stars {
        start: Box<str>,
        middle: Vec<Box<str>>,
        end: Box<str>,
    },
    Wild(Vec<Token>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Char(char),
    /// `?`
    One,
    /// `*`
    Many,
    Class(Box<Class>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    negated: bool,
    ranges: Vec<(char, char)>,
}

/// Reads a pattern: one glob for each of its alternatives.
pub(super) fn parse(pattern: &str) -> Result<Vec<Glob>, Error> {
    if pattern.is_empty() {
        return Err(Error::Empty);
    }
    if !pattern.bytes().any(|byte| matches!(byte, b'?' | b'[' | b'{' | b'}' | b'\\')) {
        return Ok(vec![Glob::plain(pattern)]);
    }
    let mut parser = Parser { rest: pattern.chars().peekable() };
    let nodes = parser.sequence(0)?;
    if count(&nodes) > MAX_ALTERNATIVES {
        return Err(Error::TooManyAlternatives);
    }
    Ok(expand(&nodes).into_iter().map(Glob::new).collect())
}

impl Glob {
    /// The glob of exactly this path.
    pub(super) fn literal<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        Self { parts: names.map(|name| Part::Name(NamePattern::Literal(name.into()))).collect() }
    }

    /// The glob of everything below this one.
    pub(super) fn below(mut self) -> Self {
        self.parts.extend([Part::AnyDepth, Part::Name(NamePattern::any())]);
        self
    }

    /// A pattern in which only stars are no letters.
    fn plain(pattern: &str) -> Self {
        Self::of_parts(pattern.split('/').filter_map(|name| match name {
            "" | "." => None,
            "**" => Some(Part::AnyDepth),
            name => Some(Part::Name(NamePattern::plain(name))),
        }))
    }

    fn new(steps: Vec<Step>) -> Self {
        Self::of_parts(steps.split(|step| *step == Step::Slash).filter_map(|name| {
            let tokens = name.iter().filter_map(|step| match step {
                Step::Token(token) => Some(token.clone()),
                Step::Slash => None,
            });
            name_part(tokens.collect())
        }))
    }

    fn of_parts(all: impl Iterator<Item = Part>) -> Self {
        let mut parts = Vec::with_capacity(4);
        for part in all {
            if part != Part::AnyDepth || parts.last() != Some(&Part::AnyDepth) {
                parts.push(part);
            }
        }
        // What lies below a directory has at least one name more.
        if parts.last() == Some(&Part::AnyDepth) {
            parts.push(Part::Name(NamePattern::any()));
        }
        Self { parts }
    }

    /// Whether these names are matched, the first by the first part and the last by the last. `is_like` compares one name.
    pub(super) fn matches<N>(&self, names: &[N], is_like: impl Fn(&N, &NamePattern) -> bool) -> bool {
        let (mut part, mut name) = (0, 0);
        // After a mismatch only the latest `**` takes one name more, so that no pattern can make it slow.
        let mut latest: Option<(usize, usize)> = None;
        loop {
            match self.parts.get(part) {
                Some(Part::AnyDepth) => {
                    part += 1;
                    latest = Some((part, name));
                    continue;
                }
                Some(Part::Name(pattern)) if name < names.len() && is_like(&names[name], pattern) => {
                    part += 1;
                    name += 1;
                    continue;
                }
                None if name == names.len() => return true,
                _ => {}
            }
            let Some((after, from)) = latest.filter(|(_, from)| *from < names.len()) else { return false };
            latest = Some((after, from + 1));
            part = after;
            name = from + 1;
        }
    }

    /// The same for names that are folded.
    pub(super) fn folded(&self) -> Self {
        let fold = |part: &Part| match part {
            Part::AnyDepth => Part::AnyDepth,
            Part::Name(name) => Part::Name(name.folded()),
        };
        Self { parts: self.parts.iter().map(fold).collect() }
    }
}

fn name_part(mut tokens: Vec<Token>) -> Option<Part> {
    match tokens.as_slice() {
        [] | [Token::Char('.')] => return None,
        [Token::Many, Token::Many] => return Some(Part::AnyDepth),
        _ => {}
    }
    tokens.dedup_by(|one, other| *one == Token::Many && *other == Token::Many);
    Some(Part::Name(NamePattern::new(tokens)))
}

impl NamePattern {
    /// Any name.
    pub(super) fn any() -> Self {
        Self::plain("*")
    }

    /// A pattern in which only stars are no letters.
    pub(super) fn plain(name: &str) -> Self {
        match (name.split_once('*'), name.rsplit_once('*')) {
            (Some((start, _)), Some((before, end))) => {
                let middle = before.get(start.len() + 1..).unwrap_or_default().split('*');
                let middle = middle.filter(|piece| !piece.is_empty()).map(Box::from).collect();
                Self::Stars { start: start.into(), middle, end: end.into() }
            }
            _ => Self::Literal(name.into()),
        }
    }

    fn new(tokens: Vec<Token>) -> Self {
        let letter = |token: &Token| match token {
            Token::Char('*') | Token::One | Token::Class(_) => None,
            Token::Char(c) => Some(*c),
            Token::Many => Some('*'),
        };
        let literal = |token: &Token| if let Token::Char(c) = token { Some(*c) } else { None };
        if let Some(name) = tokens.iter().map(literal).collect::<Option<String>>() {
            return Self::Literal(name.into());
        }
        match tokens.iter().map(letter).collect::<Option<String>>() {
            Some(name) => Self::plain(&name),
            None => Self::Wild(tokens),
        }
    }

    pub(super) fn is_like(&self, name: &str) -> bool {
        match self {
            Self::Literal(wanted) => name == &**wanted,
            Self::Stars { start, middle, end } => {
                let rest = name.strip_prefix(&**start).and_then(|rest| rest.strip_suffix(&**end));
                rest.is_some_and(|rest| holds_in_order(rest, middle))
            }
            Self::Wild(tokens) => is_like(name, tokens),
        }
    }

    /// The same for a name that is folded: a literal as names are, of others each run of letters for itself.
    pub(super) fn folded(&self) -> Self {
        let run = |text: &str| -> Box<str> { fold::text(text).into() };
        let tokens = match self {
            Self::Literal(name) => return Self::Literal(fold::name(name).into()),
            Self::Stars { start, middle, end } => {
                let middle = middle.iter().map(|piece| run(piece)).collect();
                return Self::Stars { start: run(start), middle, end: run(end) };
            }
            Self::Wild(tokens) => tokens,
        };
        let mut folded = Vec::with_capacity(tokens.len());
        let mut letters = String::new();
        for token in tokens {
            if let Token::Char(c) = token {
                letters.push(*c);
                continue;
            }
            folded.extend(run(&std::mem::take(&mut letters)).chars().map(Token::Char));
            folded.push(match token {
                Token::Class(class) => Token::Class(Box::new(class.folded())),
                other => other.clone(),
            });
        }
        folded.extend(run(&letters).chars().map(Token::Char));
        Self::Wild(folded)
    }
}

/// Whether the text has all of these pieces, one after the other.
fn holds_in_order(mut text: &str, pieces: &[Box<str>]) -> bool {
    for piece in pieces {
        // Pieces are a few bytes long, so that a searcher would take longer to make than to run.
        let at = text.as_bytes().windows(piece.len()).position(|window| window == piece.as_bytes());
        let Some(rest) = at.and_then(|at| text.get(at + piece.len()..)) else { return false };
        text = rest;
    }
    true
}

impl Class {
    fn holds(&self, c: char) -> bool {
        self.ranges.iter().any(|(start, end)| (*start..=*end).contains(&c)) != self.negated
    }

    fn folded(&self) -> Self {
        let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
        let ranges = self.ranges.iter().map(|(start, end)| (lower(*start), lower(*end))).collect();
        Self { negated: self.negated, ranges }
    }
}

/// After a mismatch only the latest `*` takes one character more, so that no pattern can make it slow.
fn is_like(name: &str, tokens: &[Token]) -> bool {
    let (mut name, mut tokens) = (name.chars(), tokens);
    let mut latest = None;
    loop {
        if let [Token::Many, rest @ ..] = tokens {
            if rest.is_empty() {
                return true;
            }
            tokens = rest;
            latest = Some((name.clone(), rest));
            continue;
        }
        let fits = match (name.next(), tokens.first()) {
            (None, None) => return true,
            (Some(c), Some(Token::Char(wanted))) => c == *wanted,
            (Some(_), Some(Token::One)) => true,
            (Some(c), Some(Token::Class(class))) => class.holds(c),
            _ => false,
        };
        if fits {
            tokens = &tokens[1..];
            continue;
        }
        let Some((mut longer, after)) = latest.take() else { return false };
        if longer.next().is_none() {
            return false;
        }
        name = longer.clone();
        tokens = after;
        latest = Some((longer, after));
    }
}

/// A pattern as it is written.
enum Node {
    Step(Step),
    Braces(Vec<Vec<Node>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Slash,
    Token(Token),
}

struct Parser<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
}

impl Parser<'_> {
    /// Reads up to the end, or within braces up to the next `,` or `}` of theirs.
    fn sequence(&mut self, depth: usize) -> Result<Vec<Node>, Error> {
        let mut nodes = Vec::new();
        while let Some(c) = self.rest.next_if(|c| depth == 0 || !matches!(c, ',' | '}')) {
            nodes.push(match c {
                '/' => Node::Step(Step::Slash),
                '{' => Node::Braces(self.braces(depth + 1)?),
                '}' => return Err(Error::UnopenedBrace),
                other => Node::Step(Step::Token(self.token(other)?)),
            });
        }
        Ok(nodes)
    }

    fn braces(&mut self, depth: usize) -> Result<Vec<Vec<Node>>, Error> {
        if depth > MAX_NESTING {
            return Err(Error::TooDeep);
        }
        let mut alternatives = vec![self.sequence(depth)?];
        loop {
            match self.rest.next() {
                Some(',') => alternatives.push(self.sequence(depth)?),
                Some('}') => return Ok(alternatives),
                _ => return Err(Error::UnclosedBrace),
            }
        }
    }

    fn token(&mut self, first: char) -> Result<Token, Error> {
        Ok(match first {
            '*' => Token::Many,
            '?' => Token::One,
            '[' => Token::Class(Box::new(self.class()?)),
            '\\' => Token::Char(self.rest.next().ok_or(Error::DanglingEscape)?),
            c => Token::Char(c),
        })
    }

    fn class(&mut self) -> Result<Class, Error> {
        let negated = self.rest.next_if(|c| matches!(c, '!' | '^')).is_some();
        let mut ranges: Vec<(char, char)> = Vec::new();
        loop {
            let start = self.rest.next().ok_or(Error::UnclosedClass)?;
            if start == ']' && !ranges.is_empty() {
                return Ok(Class { negated, ranges });
            }
            let mut ahead = self.rest.clone();
            let end = match (ahead.next(), ahead.next()) {
                (Some('-'), Some(end)) if end != ']' => {
                    self.rest = ahead;
                    end
                }
                _ => start,
            };
            if start > end {
                return Err(Error::InvalidRange(start, end));
            }
            ranges.push((start, end));
        }
    }
}

/// How many alternatives there are, counted before any is made.
fn count(nodes: &[Node]) -> usize {
    let of_one = |node: &Node| match node {
        Node::Step(_) => 1,
        Node::Braces(alternatives) => {
            alternatives.iter().map(|nodes| count(nodes)).fold(0, usize::saturating_add)
        }
    };
    nodes.iter().map(of_one).fold(1, usize::saturating_mul)
}

fn expand(nodes: &[Node]) -> Vec<Vec<Step>> {
    let mut all = vec![Vec::new()];
    for node in nodes {
        match node {
            Node::Step(step) => all.iter_mut().for_each(|steps| steps.push(step.clone())),
            Node::Braces(alternatives) => {
                let endings: Vec<Vec<Step>> = alternatives.iter().flat_map(|nodes| expand(nodes)).collect();
                all = all
                    .iter()
                    .flat_map(|start| {
                        endings.iter().map(move |end| [start.as_slice(), end.as_slice()].concat())
                    })
                    .collect();
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pattern with nothing but stars is read by a shorter way, which leads to the same.
    #[test]
    fn both_ways_to_read_a_pattern_agree() {
        let mut random = toolcrib_testkit::Random(11);
        for _ in 0..5_000 {
            let pieces = ["a", "b.", "*", "**", "/", "/", ".", "ß", "*/"];
            let text: String = (0..=random.below(8)).map(|_| random.pick(&pieces)).collect();
            let mut parser = Parser { rest: text.chars().peekable() };
            let long: Vec<Glob> = expand(&parser.sequence(0).unwrap()).into_iter().map(Glob::new).collect();
            assert_eq!(parse(&text).unwrap(), long, "{text}");
        }
    }
}
