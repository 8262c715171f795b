//! Patterns that a caller gives to choose among what is found, written as lines of an ignore file.
//!
//! `*.rs` is a name anywhere, `src/*.rs` a path from where the search starts, `{a,b}` an alternative. They only choose among
//! what the ignore rules leave: none of them brings anything back.

use std::fmt;
use std::path::Path;

use crate::glob::Globs;

/// A pattern that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPattern {
    /// As it was given.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for InvalidPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Invalid glob pattern '{}': {}", self.pattern, self.reason)
    }
}

impl std::error::Error for InvalidPattern {}

/// How many bytes a pattern may have.
const MAX_BYTES: usize = 4096;
/// How deep braces may be nested.
const MAX_DEPTH: usize = 16;
/// How many patterns one list may have, and how many `*` they may have together: each path is compared with all of them.
const MAX_PATTERNS: usize = 256;
const MAX_STARS: usize = 512;

/// What the patterns of one list may cost.
#[derive(Debug, Default)]
pub(crate) struct Allowance {
    patterns: usize,
    stars: usize,
}

impl Allowance {
    /// Takes one more pattern into account.
    pub(crate) fn spend(&mut self, pattern: &str) -> Result<(), InvalidPattern> {
        let refuse = |reason: String| {
            // A pattern that is too long is not repeated in full.
            let end = pattern.floor_char_boundary(80);
            let dots = if end < pattern.len() { "…" } else { "" };
            Err(InvalidPattern { pattern: format!("{}{dots}", &pattern[..end]), reason })
        };
        self.patterns += 1;
        self.stars += pattern.matches('*').count();
        if pattern.len() > MAX_BYTES {
            return refuse(format!("it has {} bytes, and may have {MAX_BYTES}", pattern.len()));
        }
        if depth(pattern) > MAX_DEPTH {
            return refuse(format!("its braces are nested {} deep, and may be {MAX_DEPTH}", depth(pattern)));
        }
        if self.patterns > MAX_PATTERNS {
            return refuse(format!("it is pattern {}, and there may be {MAX_PATTERNS}", self.patterns));
        }
        if self.stars > MAX_STARS {
            return refuse(format!("with it there are {} '*', and there may be {MAX_STARS}", self.stars));
        }
        Ok(())
    }
}

/// How deep braces are nested.
fn depth(pattern: &str) -> usize {
    let (mut deep, mut deepest) = (0_usize, 0);
    for byte in pattern.bytes() {
        match byte {
            b'{' => deep += 1,
            b'}' => deep = deep.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(deep);
    }
    deepest
}

/// What to leave out: files that match, and directories with everything in them.
///
/// ```
/// use std::path::Path;
/// use toolcrib_search::Exclude;
///
/// let exclude = Exclude::new(["*.min.js", "vendor"])?;
/// assert!(exclude.excludes(Path::new("web/a.min.js"), false));
/// assert!(exclude.excludes(Path::new("lib/vendor"), true));
/// assert!(!exclude.excludes(Path::new("web/a.js"), false));
/// # Ok::<(), toolcrib_search::InvalidPattern>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Exclude(Option<Lines>);

impl Exclude {
    /// Leaves out what matches any of these.
    ///
    /// # Errors
    ///
    /// If one of them is no pattern.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<Self, InvalidPattern> {
        Lines::new(patterns.into_iter().collect(), str::to_owned).map(Self)
    }

    /// Whether nothing is left out.
    pub(crate) fn is_nothing(&self) -> bool {
        self.0.is_none()
    }

    /// Whether this path from the start of the search is left out.
    #[must_use]
    pub fn excludes(&self, path: &Path, directory: bool) -> bool {
        self.0.as_ref().and_then(|lines| lines.choose(path, directory)) == Some(true)
    }
}

/// What to take: files that match, and no others. A pattern with `!` in front leaves out what others take.
///
/// ```
/// use std::path::Path;
/// use toolcrib_search::Include;
///
/// let include = Include::new(["*.{ts,tsx}", "!*.test.ts"])?;
/// assert!(include.includes(Path::new("src/app.tsx")));
/// assert!(!include.includes(Path::new("src/app.test.ts")));
/// assert!(!include.includes(Path::new("README.md")));
/// # Ok::<(), toolcrib_search::InvalidPattern>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Include(Option<Lines>);

impl Include {
    /// Takes what matches any of these.
    ///
    /// # Errors
    ///
    /// If one of them is no pattern.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<Self, InvalidPattern> {
        // A directory means the files in it.
        let whole = |pattern: &str| match pattern.strip_suffix('/') {
            Some(directory) => format!("{directory}/**"),
            None => pattern.to_owned(),
        };
        Lines::new(patterns.into_iter().collect(), whole).map(Self)
    }

    /// Whether all files are taken.
    pub(crate) fn is_everything(&self) -> bool {
        self.0.is_none()
    }

    /// Whether the file at this path from the start of the search is taken.
    #[must_use]
    pub fn includes(&self, path: &Path) -> bool {
        let Some(lines) = &self.0 else { return true };
        // Where no pattern matches it is taken if all of them leave out.
        lines.choose(path, false).unwrap_or_else(|| lines.lines.iter().all(|line| line.negated))
    }
}

/// Patterns, of which the last one that matches decides.
#[derive(Clone, Debug)]
struct Lines {
    globs: Globs,
    lines: Vec<Line>,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    negated: bool,
    directories_only: bool,
}

impl Lines {
    /// Understands patterns, each as `meant` says; nothing, if there are none.
    fn new(given: Vec<&str>, meant: impl Fn(&str) -> String) -> Result<Option<Self>, InvalidPattern> {
        let (mut globs, mut lines, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        let mut allowance = Allowance::default();
        for pattern in given.into_iter().filter(|pattern| !pattern.trim().is_empty()) {
            allowance.spend(pattern)?;
            let (line, glob) = Line::parse(&meant(pattern));
            globs.push(glob);
            lines.push(line);
            sources.push(pattern);
        }
        if lines.is_empty() {
            return Ok(None);
        }
        let globs = Globs::new(globs.iter().map(String::as_str))
            .map_err(|(at, reason)| InvalidPattern { pattern: sources[at].to_owned(), reason })?;
        Ok(Some(Self { globs, lines }))
    }

    /// Whether a path is chosen or left out; nothing, where no pattern matches it.
    fn choose(&self, path: &Path, directory: bool) -> Option<bool> {
        let counts = |at: usize| directory || !self.lines[at].directories_only;
        self.globs.last_match(path, counts).map(|at| !self.lines[at].negated)
    }
}

impl Line {
    /// A line of an ignore file, and the glob over paths that it stands for.
    fn parse(line: &str) -> (Self, String) {
        let (negated, line) = line.strip_prefix('!').map_or((false, line), |line| (true, line));
        let (directories_only, line) = line.strip_suffix('/').map_or((false, line), |line| (true, line));
        let glob = match line.strip_prefix('/') {
            Some(from_here) => from_here.to_owned(),
            None if line.contains('/') => line.to_owned(),
            None => format!("**/{line}"),
        };
        (Self { negated, directories_only }, glob)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_cost_too_much_is_refused() {
        let refused = |patterns: &[String]| {
            let patterns = || patterns.iter().map(String::as_str);
            let error = Exclude::new(patterns()).unwrap_err();
            assert_eq!(Include::new(patterns()).unwrap_err(), error);
            error.to_string()
        };
        let nested = |depth: usize| "{a,".repeat(depth) + "b" + &"}".repeat(depth);
        assert_eq!(
            refused(&["x".repeat(4097)]),
            format!("Invalid glob pattern '{}…': it has 4097 bytes, and may have 4096", "x".repeat(80))
        );
        assert!(refused(&[nested(17)]).ends_with("its braces are nested 17 deep, and may be 16"));
        assert!(refused(&vec!["x".to_owned(); 257]).ends_with("it is pattern 257, and there may be 256"));
        assert!(
            refused(&["*a".repeat(300), "*b".repeat(213)])
                .ends_with("there are 513 '*', and there may be 512")
        );
        assert!(Exclude::new([&*nested(16), &*"{a,b}".repeat(26), &*"*a".repeat(100)]).is_ok());
    }

    #[test]
    fn patterns_are_lines_of_an_ignore_file() {
        let excludes = |patterns: &[&str], path: &str, directory: bool| {
            Exclude::new(patterns.iter().copied()).unwrap().excludes(Path::new(path), directory)
        };
        assert!(excludes(&["*.js"], "a/b.js", false) && !excludes(&["*.js"], "a/b.ts", false));
        assert!(excludes(&["/a.js"], "a.js", false) && !excludes(&["/a.js"], "x/a.js", false));
        assert!(excludes(&["x/*.js"], "x/a.js", false) && !excludes(&["x/*.js"], "y/x/a.js", false));
        assert!(excludes(&["lib/"], "x/lib", true) && !excludes(&["lib/"], "x/lib", false));
        assert!(!excludes(&["*", "!a"], "a", false) && excludes(&["!a", "*"], "a", false));
        assert!(excludes(&["#a"], "#a", false) && excludes(&[r"\!a"], "!a", false));
        assert!(!excludes(&["", "  "], "a", false) && !excludes(&[], "a", false));
        assert!(excludes(&["?.txt"], "é.txt", false) && !excludes(&["??.txt"], "é.txt", false));
        assert!(
            excludes(&["app/[id]/x"], "app/[id]/x", false) && excludes(&["app/[id]/x"], "app/i/x", false)
        );
        let includes = |patterns: &[&str], path: &str| {
            Include::new(patterns.iter().copied()).unwrap().includes(Path::new(path))
        };
        assert!(includes(&["src/"], "src/a/b") && !includes(&["src/"], "lib/a"));
        assert!(includes(&["!*.md"], "a.rs") && !includes(&["!*.md"], "a.md") && includes(&[], "a"));
    }

    #[test]
    fn what_is_no_pattern_is_refused_by_name() {
        for (pattern, reason) in [
            ("[", "unclosed character class"),
            ("a[b", "unclosed character class"),
            ("{a", "unclosed alternate group"),
            ("a}", "unopened alternate group"),
            ("[z-a]", "invalid range"),
            ("a\\", "dangling"),
        ] {
            for error in
                [Include::new(["*.rs", pattern]).unwrap_err(), Exclude::new(["*.rs", pattern]).unwrap_err()]
            {
                assert_eq!(error.pattern, pattern);
                assert!(error.reason.starts_with(reason), "{pattern}: {}", error.reason);
            }
        }
    }
}
