//! Which paths a rule is about.
//!
//! - `*.pem` has no slash: a name anywhere, as `**/*.pem`.
//! - `src/**` is relative to the root of a workspace, and to every root that this one lies in; for a path outside every
//!   root it is relative to the top of the file system.
//! - `/opt/reference/**` is from the top of the file system, `~/notes/**` from the user's home.
//! - `build/` is everything in that directory.
//!
//! A pattern that begins with `**/` means names anywhere in the absolute path, so that opening `~/.aws` as a root does not
//! make `**/.aws/credentials` mean nothing. How far above a root a directory still counts is the rule's [`Reach`].

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::glob::{self, Glob, NamePattern};
use super::subject::{Names, Part};
use toolcrib_tool::{ErrorKind, ToolError};

/// A glob over paths.
///
/// ```
/// use toolcrib_access::Pattern;
///
/// let pattern: Pattern = "src/*.{rs,toml}".parse()?;
/// assert_eq!(pattern.to_string(), "src/*.{rs,toml}");
/// assert!("src/[a".parse::<Pattern>().is_err());
/// # Ok::<(), toolcrib_tool::ToolError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pattern(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    text: String,
    exact: Vec<Shape>,
    /// For names that are folded, where that makes a difference.
    folded: Option<Vec<Shape>>,
}

/// How far above a root a directory counts for what is in the root (`**/.claude/**` for a root `~/.claude/worktrees/x`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// All the way up.
    Everywhere,
    /// All the way up, unless the root is a checkout of its own: then only the root and what is below.
    Projects,
    /// The root itself and what is below.
    Roots,
    /// Only what is below the root.
    Inside,
}

impl Pattern {
    /// The pattern of this one path.
    #[must_use]
    pub fn literal(path: &Path) -> Option<Self> {
        let text = path.to_str()?;
        Some(Self::absolute(escape(text), Glob::literal(text.split('/').filter(|name| !name.is_empty()))))
    }

    /// The pattern of everything below this directory.
    #[must_use]
    pub fn below(directory: &Path) -> Option<Self> {
        let text = directory.to_str()?;
        let glob = Glob::literal(text.split('/').filter(|name| !name.is_empty())).below();
        Some(Self::absolute(format!("{}/**", escape(text)), glob))
    }

    /// The directory that everything it matches lies in, if it names one from the top of the file system.
    #[must_use]
    pub fn directory(&self) -> Option<PathBuf> {
        let full = self.complete();
        let literal = full.split(['*', '?', '[', '{', '\\']).next()?;
        let directory = &literal[..literal.rfind('/')?];
        full.starts_with('/').then(|| Path::new("/").join(directory))
    }

    /// How many alternatives it has once its braces are expanded.
    #[must_use]
    pub fn alternatives(&self) -> usize {
        self.0.exact.len()
    }

    /// Whether it means everything in a directory.
    pub(super) fn is_below(&self) -> bool {
        self.0.text.ends_with("/**")
    }

    /// Whether these names are meant, to the letter.
    pub(super) fn matches(&self, names: &Names, reach: Reach) -> bool {
        self.0.exact.iter().any(|shape| shape.matches(names, reach, |part, name| name.is_like(part.given())))
    }

    /// Whether these names are meant however they are spelt, and if wanted also in a copy of what is meant.
    pub(super) fn matches_folded(&self, names: &Names, reach: Reach, or_copy: bool) -> bool {
        self.folded_shapes().iter().any(|shape| {
            // Of a glob only the last name may be a copy: the others are what it is found by.
            let anywhere = matches!(shape, Shape::Anywhere { .. });
            let is_last = |part: &Arc<Part>| names.parts.last().is_some_and(|last| Arc::ptr_eq(last, part));
            shape.matches(names, reach, |part, name| {
                part.is_like(name, or_copy && (anywhere || is_last(part)))
            })
        })
    }

    /// What it is about, for names that are folded.
    pub(super) fn folded_shapes(&self) -> &[Shape] {
        self.0.folded.as_ref().unwrap_or(&self.0.exact)
    }

    /// The pattern as a glob over whole paths: what two patterns that mean the same have in common.
    pub(super) fn complete(&self) -> Cow<'_, str> {
        complete(&self.0.text)
    }

    /// A pattern of ours. A test sees that every one is; what is none would match nothing.
    pub(super) fn built_in(text: String) -> Self {
        Self::parse(&text).unwrap_or_else(|_| Self::of_shapes(text, Vec::new()))
    }

    fn absolute(text: String, glob: Glob) -> Self {
        let exact = vec![Shape::Glob { glob, from: Start::Top }];
        Self::of_shapes(text, exact)
    }

    fn parse(text: &str) -> Result<Self, glob::Error> {
        if text.len() > glob::MAX_LENGTH {
            return Err(glob::Error::TooLong);
        }
        let full = complete(text);
        let from_top = full.starts_with('/');
        let exact = glob::parse(&full)?.into_iter().map(|glob| Shape::new(glob, from_top)).collect();
        Ok(Self::of_shapes(text.to_owned(), exact))
    }

    fn of_shapes(text: String, exact: Vec<Shape>) -> Self {
        // What names lose at their end, and what follows `::$`, is all that is folded in small ASCII letters.
        let small = text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase() && byte != b'$');
        let is_trimmed = |pair: &[u8]| matches!(pair, [b'.' | b' ', b'/' | b',' | b'}']);
        let same = small && !text.ends_with(['.', ' ']) && !text.as_bytes().windows(2).any(is_trimmed);
        let folded =
            (!same).then(|| exact.iter().map(Shape::folded).collect()).filter(|folded| *folded != exact);
        Self(Arc::new(Inner { text, exact, folded }))
    }
}

impl FromStr for Pattern {
    type Err = ToolError;

    fn from_str(text: &str) -> Result<Self, ToolError> {
        Self::parse(text).map_err(|error| {
            /// How much of a pattern that is too long is worth repeating.
            const SHOWN: usize = 80;
            let shown = &text[..text.floor_char_boundary(SHOWN)];
            let rest = if shown.len() < text.len() { "…" } else { "" };
            ToolError::new(ErrorKind::InvalidParameter, format!("Invalid pattern '{shown}{rest}': {error}"))
                .hint("patterns are globs such as '**/.env', 'src/**' or '/opt/reference/**'")
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.text == other.0.text
    }
}

impl Eq for Pattern {}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// One alternative of a pattern, by how it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `**/a/b`: the path ends with these names. With `below`, `**/a/b/**`: it lies somewhere under them.
    Anywhere { names: Vec<NamePattern>, below: bool },
    /// Any other glob.
    Glob { glob: Glob, from: Start },
}

/// Where a glob begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// At the top of the file system.
    Top,
    /// At a root.
    Root,
    /// Anywhere.
    Anywhere,
}

impl Shape {
    fn new(glob: Glob, from_top: bool) -> Self {
        match glob.parts.first() {
            _ if from_top => Self::Glob { glob, from: Start::Top },
            Some(glob::Part::AnyDepth) => {
                Self::anywhere(&glob).unwrap_or(Self::Glob { glob, from: Start::Anywhere })
            }
            _ => Self::Glob { glob, from: Start::Root },
        }
    }

    fn anywhere(glob: &Glob) -> Option<Self> {
        let parts = glob.parts.get(1..)?;
        let (parts, below) = match parts {
            [names @ .., glob::Part::AnyDepth, glob::Part::Name(last)] if *last == NamePattern::any() => {
                (names, true)
            }
            names => (names, false),
        };
        let name = |part: &glob::Part| match part {
            glob::Part::Name(name) => Some(name.clone()),
            glob::Part::AnyDepth => None,
        };
        let names: Vec<NamePattern> = parts.iter().map(name).collect::<Option<_>>()?;
        (!names.is_empty()).then_some(Self::Anywhere { names, below })
    }

    fn folded(&self) -> Self {
        match self {
            Self::Anywhere { names, below } => {
                Self::Anywhere { names: names.iter().map(NamePattern::folded).collect(), below: *below }
            }
            Self::Glob { glob, from } => Self::Glob { glob: glob.folded(), from: *from },
        }
    }

    /// The names that it begins with.
    pub(super) fn literal_start(&self) -> impl Iterator<Item = &str> {
        let parts = match self {
            Self::Glob { glob, .. } => glob.parts.as_slice(),
            Self::Anywhere { .. } => &[],
        };
        parts.iter().map_while(|part| match part {
            glob::Part::Name(NamePattern::Literal(name)) => Some(&**name),
            _ => None,
        })
    }

    fn matches(
        &self,
        names: &Names,
        reach: Reach,
        is_like: impl Fn(&Arc<Part>, &NamePattern) -> bool,
    ) -> bool {
        let (path, least) = (names.parts.as_slice(), least(names, reach));
        match self {
            Self::Anywhere { names, below: false } => ends_with(path, names, &is_like),
            Self::Anywhere { names, below: true } => {
                // Every part of the path but its last name may be the directory that it lies under.
                let parents = path.len().saturating_sub(1);
                (names.len().max(least)..=parents).any(|end| ends_with(&path[..end], names, &is_like))
            }
            Self::Glob { glob, from: Start::Top } => {
                let counts = reach != Reach::Projects || self.literal_start().count() >= least;
                counts && glob.matches(path, is_like)
            }
            Self::Glob { glob, from: Start::Root } => names
                .roots
                .iter()
                .any(|start| path.get(*start..).is_some_and(|path| glob.matches(path, &is_like))),
            Self::Glob { glob, from: Start::Anywhere } => {
                path.get(least.saturating_sub(1)..).is_some_and(|path| glob.matches(path, is_like))
            }
        }
    }
}

/// How many parts of the path must at least lead to a directory that counts.
pub(super) fn least(names: &Names, reach: Reach) -> usize {
    match reach {
        Reach::Everywhere => 0,
        Reach::Projects if names.project => names.outermost(),
        Reach::Projects => 0,
        Reach::Roots => names.outermost(),
        Reach::Inside => names.outermost() + 1,
    }
}

fn ends_with(
    path: &[Arc<Part>],
    names: &[NamePattern],
    is_like: &impl Fn(&Arc<Part>, &NamePattern) -> bool,
) -> bool {
    path.len() >= names.len()
        && path[path.len() - names.len()..]
            .iter()
            .zip(names)
            .rev()
            .all(|(name, pattern)| is_like(name, pattern))
}

/// The pattern as a glob over whole paths.
fn complete(text: &str) -> Cow<'_, str> {
    let mut full = Cow::Borrowed(text);
    if let Some((rest, home)) = text.strip_prefix("~/").zip(std::env::home_dir()) {
        full = Cow::Owned(format!("{}/{rest}", escape(&home.to_string_lossy())));
    }
    if full.ends_with('/') {
        full += "**";
    }
    if full.contains('/') || full.is_empty() { full } else { Cow::Owned(format!("**/{full}")) }
}

/// The text of a pattern for this path and no other.
fn escape(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            escaped.extend(['[', c, ']']);
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::Subject;
    use super::*;

    #[track_caller]
    fn check(pattern: &str, relative: &str, expected: bool) {
        let subject = Subject::inside(Path::new("/ws"), Path::new(relative));
        let pattern: Pattern = pattern.parse().unwrap();
        assert_eq!(pattern.matches(&subject.0[0], Reach::Roots), expected, "{pattern} {relative}");
    }

    #[test]
    fn a_name_is_found_anywhere() {
        check(".env", ".env", true);
        check(".env", "a/b/.env", true);
        check("*.pem", "a/b.pem", true);
        check(".env", "a/.env/b", false);
        check("*.pem", "a.pem/b", false);
        check("**/.aws/credentials", "home/.aws/credentials", true);
        check("**/.aws/credentials", "credentials", false);
    }

    #[test]
    fn a_relative_pattern_begins_at_the_root() {
        check("src/*", "src/a", true);
        check("src/*", "x/src/a", false);
        check("src/*", "src/a/b", false);
        check("src/**", "src/a/b", true);
        check("./src//*", "src/a", true);
        check("**/.git/**", ".git/config", true);
        check("**/.git/**", "sub/.git/hooks/x", true);
        check("**/.git/**", ".git", false);
        check("build/", "build/a/b", true);
    }

    #[test]
    fn wildcards_and_alternatives() {
        check(".env.*", ".env.local", true);
        check(".env.*", ".env", false);
        check("git~?", "git~1", true);
        check("git~?", "git~é", true);
        check("a*b*c", "aXbYc", true);
        check("a*b*c", "aXbY", false);
        check("*.{pem,key}", "x.key", true);
        check("{a,b}/{c,d}", "b/c", true);
        check("{a,{b,c}d}/x", "cd/x", true);
        check("a{,b}c", "ac", true);
        check("*", "anything", true);
        check("*a*a*a*a*a*a*a*a*b", &"a".repeat(200), false);
        check("**b", "aab", true);
        check("a?*", "a", false);
        check("**/x/*/y", "x/1/y", true);
        check("**/x/*/y", "x/1/2/y", false);
        check("**/x/**/y", "x/1/2/y", true);
        check("[a-c].txt", "b.txt", true);
        check("[a-c].txt", "d.txt", false);
        check("[!a-c].txt", "d.txt", true);
        check("[]a].txt", "].txt", true);
        check("\\*.txt", "*.txt", true);
        check("\\*.txt", "a.txt", false);
    }

    #[test]
    fn an_absolute_pattern_begins_at_the_top() {
        check("/ws/src/*", "src/a", true);
        check("/src/*", "src/a", false);
        let outside = Subject::outside(Path::new("/opt/x/.env"));
        for pattern in ["/opt/**", "**/.env", "/opt/x/.env", "opt/x/.env"] {
            let pattern: Pattern = pattern.parse().unwrap();
            assert!(pattern.matches(&outside.0[0], Reach::Roots), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_for_one_path_means_no_other() {
        for path in ["/ws/a", "/ws/*", "/ws/a b/[x]{y,z}", "/ws/back\\slash", "/ws/?"] {
            let (one, below) =
                (Pattern::literal(Path::new(path)).unwrap(), Pattern::below(Path::new(path)).unwrap());
            let is = |pattern: &Pattern, path: &str| {
                pattern.matches(&Subject::outside(Path::new(path)).0[0], Reach::Roots)
            };
            assert!(is(&one, path) && !is(&one, "/ws/b") && !is(&one, "/ws/x/y"), "{path}");
            assert!(is(&below, &format!("{path}/b/c")) && !is(&below, path), "{path}");
            // What is shown can be put into a configuration.
            let again: Pattern = one.to_string().parse().unwrap();
            assert!(is(&again, path) && !is(&again, "/ws/b"), "{again}");
        }
    }

    #[test]
    fn an_absolute_pattern_lies_in_a_directory() {
        let directory = |pattern: &str| pattern.parse::<Pattern>().unwrap().directory();
        assert_eq!(directory("/opt/ref/**"), Some("/opt/ref".into()));
        assert_eq!(directory("/opt/ref/*.txt"), Some("/opt/ref".into()));
        assert_eq!(directory("/opt/re?/x"), Some("/opt".into()));
        assert_eq!(directory("/**"), Some("/".into()));
        assert_eq!(directory("src/**"), None);
    }

    #[test]
    fn what_is_no_pattern_says_why() {
        let long = "a".repeat(glob::MAX_LENGTH + 1);
        let branched = "{a,b}".repeat(26);
        let deep = format!("{}a{}", "{".repeat(20_000), "}".repeat(20_000));
        for (pattern, why) in [
            ("a[", "Invalid pattern 'a[': a ']' is missing"),
            ("{a", "a '}' is missing"),
            ("a}", "a '{' is missing"),
            ("a\\", "nothing follows the last '\\'"),
            ("[z-a]", "the range 'z-a' is empty"),
            ("", "it is empty"),
            (&long, "it is longer than 1024 bytes"),
            (&branched, "its braces have more than 256 alternatives"),
            (&deep[..1024], "its braces are nested more than 4 deep"),
            (&deep, "it is longer than 1024 bytes"),
        ] {
            let error = pattern.parse::<Pattern>().unwrap_err();
            assert!(error.message().contains(why) && error.message().len() < 200, "{error}");
        }
    }

    /// The glob library that rules were matched with before, asked about random patterns and paths.
    #[test]
    fn globs_mean_what_they_do_elsewhere() {
        let mut random = toolcrib_testkit::Random(7);
        let pieces =
            ["a", "b", "*", "**", "?", "/", "/", "[ab]", "{a,b}", "{,b}", "{a/b,c}", ".", "\\*", "c"];
        let names = ["a", "b", "ab", "ba", "abc", "c", "a.b", "*", ".a", "cc"];
        let (mut matched, mut compared) = (0, 0);
        for _ in 0..40_000 {
            let text: String = (0..=random.below(7)).map(|_| random.pick(&pieces)).collect();
            let oracle = globset::GlobBuilder::new(&text)
                .literal_separator(true)
                .backslash_escape(true)
                .empty_alternates(true)
                .build();
            let (Ok(globs), Ok(oracle)) = (glob::parse(&text), oracle) else { continue };
            // Empty names, and stars that meet when braces are expanded, are read differently and mean nothing useful.
            let odd = ["***", "//", "/./"].iter().any(|odd| format!("/{text}/").contains(odd));
            if odd || (text.contains('{') && text.contains(['*', '/'])) {
                continue;
            }
            let oracle = oracle.compile_matcher();
            for _ in 0..8 {
                let path: Vec<&str> = (0..=random.below(3)).map(|_| random.pick(&names)).collect();
                let ours =
                    globs.iter().any(|glob| glob.matches(&path, |name, pattern| pattern.is_like(name)));
                assert_eq!(ours, oracle.is_match(path.join("/")), "{text} {path:?}");
                matched += u32::from(ours);
                compared += 1;
            }
        }
        assert!(matched > 5_000 && compared > 50_000, "{matched} of {compared}");
    }
}
