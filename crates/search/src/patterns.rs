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
    let mut patterns = Patterns::new();
    for (given, line) in lines {
        // In an ignore file it would be a remark.
        let line = if line.starts_with('#') { format!("\\{line}") } else { line };
        patterns.add(&line).map_err(|reason| InvalidPattern { pattern: given.to_owned(), reason })?;
    }
    Ok(patterns.build())
}
