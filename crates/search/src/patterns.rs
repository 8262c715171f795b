//! Patterns that a caller gives to choose among what is found, written as lines of an ignore file.
//!
//! `*.rs` is a name anywhere, `src/*.rs` a path from where the search starts, `{a,b}` an alternative. They only choose among
//! what the ignore rules leave: none of them brings anything back.

use std::fmt;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::Gitignore;

use crate::rules::Patterns;

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
#[derive(Clone, Debug)]
pub struct Exclude(Gitignore);

impl Default for Exclude {
    fn default() -> Self {
        Self(Gitignore::empty())
    }
}

impl Exclude {
    /// Leaves out what matches any of these.
    ///
    /// # Errors
    ///
    /// If one of them is no pattern.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<Self, InvalidPattern> {
        build(patterns.into_iter().map(|pattern| (pattern, pattern.to_owned()))).map(Self)
    }

    /// Whether this path from the start of the search is left out.
    #[must_use]
    pub fn excludes(&self, path: &Path, directory: bool) -> bool {
        self.0.matched(path, directory).is_ignore()
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
#[derive(Clone, Debug)]
pub struct Include {
    patterns: Gitignore,
    /// What counts where no pattern matches: yes, if all of them leave out.
    otherwise: bool,
}

impl Default for Include {
    fn default() -> Self {
        Self { patterns: Gitignore::empty(), otherwise: true }
    }
}

impl Include {
    /// Takes what matches any of these.
    ///
    /// # Errors
    ///
    /// If one of them is no pattern.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<Self, InvalidPattern> {
        // A directory means the files in it.
        let whole = |pattern: &str| pattern.strip_suffix('/').map(|dir| format!("{dir}/**"));
        let lines =
            patterns.into_iter().map(|given| (given, whole(given).unwrap_or_else(|| given.to_owned())));
        let patterns = build(lines)?;
        Ok(Self { otherwise: patterns.num_ignores() == 0, patterns })
    }

    /// Whether the file at this path from the start of the search is taken.
    #[must_use]
    pub fn includes(&self, path: &Path) -> bool {
        match self.patterns.matched(path, false) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => self.otherwise,
        }
    }
}

fn build<'p>(lines: impl Iterator<Item = (&'p str, String)>) -> Result<Gitignore, InvalidPattern> {
    let (mut patterns, mut allowance) = (Patterns::new(), Allowance::default());
    for (given, line) in lines {
        allowance.spend(given)?;
        // In an ignore file it would be a remark.
        let line = if line.starts_with('#') { format!("\\{line}") } else { line };
        patterns.add(&line).map_err(|reason| InvalidPattern { pattern: given.to_owned(), reason })?;
    }
    patterns.build().map_err(|reason| InvalidPattern { pattern: "all of them".to_owned(), reason })
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
}
