//! A pattern over paths: `**`, `*`, `?`, `[abc]`, `{a,b}`.
//!
//! Names at its start without wildcards say where to begin: `src/app/**/*.rs` is `**/*.rs` below `src/app`. The other names
//! say which directories need not be entered.
//!
//! A bracket may be a class or, as in the routes of web frameworks, part of a name. So a pattern with brackets also matches
//! what is written exactly so.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::Globs;
use crate::patterns::{Allowance, InvalidPattern};

/// A glob over paths from the directory it begins in.
///
/// ```
/// use std::path::Path;
/// use toolcrib_search::GlobPattern;
///
/// let pattern = GlobPattern::new("src/app/**/*.{ts,tsx}")?;
/// assert_eq!(pattern.begins_in(), Path::new("src/app"));
/// assert!(pattern.matches(Path::new("deep/page.tsx")));
/// assert!(!pattern.matches(Path::new("page.css")));
/// # Ok::<(), toolcrib_search::InvalidPattern>(())
/// ```
#[derive(Clone, Debug)]
pub struct GlobPattern {
    begins_in: PathBuf,
    whole: Globs,
    /// For each name before the first `**`: what a directory that deep must match.
    levels: Vec<Globs>,
    /// How deep a match can lie, if it has no `**`.
    deepest: Option<usize>,
    literal: bool,
    /// What every name that matches ends with.
    ending: Vec<u8>,
    /// Names in it that begin with a dot: of directories, and whether the last one does.
    dotted: Globs,
    ends_dotted: bool,
}

impl GlobPattern {
    /// Understands a pattern.
    ///
    /// # Errors
    ///
    /// If it is none, or if it goes up after a wildcard.
    pub fn new(pattern: &str) -> Result<Self, InvalidPattern> {
        Self::build(pattern, is_wild, false)
    }

    /// Understands a pattern in which capitals and small letters are the same. Only in front of a path from the top of the
    /// file system, names without wildcards are taken as they are written.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn ignoring_case(pattern: &str) -> Result<Self, InvalidPattern> {
        Self::build(pattern, is_wild, true)
    }

    /// Understands a path as itself: no character means anything else.
    ///
    /// # Errors
    ///
    /// If it is empty.
    pub fn literal(path: &str) -> Result<Self, InvalidPattern> {
        Self::build(path, |_| false, false)
    }

    /// The directory to begin in, as far as names without wildcards lead. It may be absolute or go up.
    #[must_use]
    pub fn begins_in(&self) -> &Path {
        &self.begins_in
    }

    /// Whether it has no wildcard at all, so that it is the path of one thing.
    #[must_use]
    pub fn is_literal(&self) -> bool {
        self.literal
    }

    /// Whether a path from the directory it begins in matches.
    #[must_use]
    pub fn matches(&self, path: &Path) -> bool {
        path.as_os_str().as_bytes().ends_with(&self.ending) && self.whole.is_match(path)
    }

    /// Whether something of this name can match, at a quick look.
    pub(crate) fn may_end_with(&self, name: &OsStr) -> bool {
        name.as_bytes().ends_with(&self.ending)
    }

    /// How many levels of directories a match can lie below the beginning.
    pub(crate) fn deepest(&self) -> Option<usize> {
        self.deepest
    }

    /// Whether something below a directory at this path, `depth` directories down, can match.
    pub(crate) fn leads_into(&self, path: &Path, depth: usize) -> bool {
        self.levels.get(depth).is_none_or(|level| level.is_match(path))
    }

    /// Whether it spells out hidden names, which are then meant.
    pub(crate) fn names_hidden(&self) -> bool {
        self.ends_dotted || !self.dotted.is_empty()
    }

    /// Whether a hidden directory is meant.
    pub(crate) fn means_hidden_directory(&self, name: &OsStr) -> bool {
        self.dotted.is_match(Path::new(name))
    }

    /// Whether a hidden file is meant, if it matches.
    pub(crate) fn means_hidden_file(&self) -> bool {
        self.ends_dotted
    }

    fn build(
        pattern: &str,
        is_wild: impl Fn(&str) -> bool,
        ignore_case: bool,
    ) -> Result<Self, InvalidPattern> {
        Allowance::default().spend(pattern)?;
        let invalid =
            |reason: &str| InvalidPattern { pattern: pattern.to_owned(), reason: reason.to_owned() };
        let mut names: Vec<&str> =
            pattern.split('/').filter(|name| !name.is_empty() && *name != ".").collect();
        if names.is_empty() {
            return Err(invalid("it is empty"));
        }
        // What ends in a slash is a directory, and what is meant is what is in it.
        if pattern.ends_with('/') {
            names.push("**");
        }
        let literal = !names.iter().any(|name| is_wild(name) || *name == "**");
        // A directory whose name may have capitals or not has to be looked for.
        let looked_for = |name: &str| ignore_case && !pattern.starts_with('/') && name != "..";
        let wild = names.iter().position(|name| is_wild(name) || *name == "**" || looked_for(name));
        let wild = wild.unwrap_or(names.len());
        // The last name is never a directory to begin in.
        let (start, rest) = names.split_at(wild.min(names.len() - 1));
        if rest.contains(&"..") {
            return Err(invalid("'..' can only stand before the first wildcard"));
        }
        let escaped: Vec<String> = rest
            .iter()
            .map(|name| if literal { globset::escape(name) } else { (*name).to_owned() })
            .collect();
        let top = if pattern.starts_with('/') { "/" } else { "" };
        let directories = &escaped[..escaped.len() - 1];
        let is_dotted = |name: &&String| name.starts_with('.') || name.contains("{.") || name.contains(",.");
        Ok(Self {
            begins_in: Path::new(top).join(start.iter().collect::<PathBuf>()),
            whole: set(pattern, [escaped.join("/")], ignore_case)?,
            levels: levels(pattern, directories, ignore_case)?,
            deepest: deepest(&escaped),
            ending: if ignore_case { Vec::new() } else { ending(&escaped) },
            literal,
            dotted: set(pattern, directories.iter().filter(is_dotted).cloned(), ignore_case)?,
            ends_dotted: escaped.last().is_some_and(|name| is_dotted(&name)),
        })
    }
}

fn is_wild(name: &str) -> bool {
    name.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// What every name that matches ends with: the end of the last name, as far as no character of it means anything else.
fn ending(names: &[String]) -> Vec<u8> {
    let is_special = |c: char| matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!' | ',');
    let last = names.last().map_or("", String::as_str);
    if names.iter().any(|name| name.contains(['[', ']', '{', '}', '\\'])) {
        return Vec::new();
    }
    last.rsplit(is_special).next().unwrap_or_default().as_bytes().to_vec()
}

/// How many directories can lie between the beginning and a match; any number where there is `**`.
fn deepest(names: &[String]) -> Option<usize> {
    let bounded = !names.iter().any(|name| name.contains("**")) && !splits_braces(names);
    bounded.then(|| names.len() - 1)
}

/// How many levels of directories are compared with the beginning of a pattern; below these, all are entered.
const MOST_LEVELS: usize = 32;

fn levels(pattern: &str, directories: &[String], ignore_case: bool) -> Result<Vec<Globs>, InvalidPattern> {
    if splits_braces(directories) {
        return Ok(Vec::new());
    }
    let fixed = directories.iter().take_while(|name| !name.contains("**")).count();
    let level = |count: usize| set(pattern, [directories[..count].join("/")], ignore_case);
    (1..=fixed.min(MOST_LEVELS)).map(level).collect()
}

/// Whether an alternative holds a slash, so that the names between slashes are no patterns of their own.
fn splits_braces(names: &[String]) -> bool {
    names.iter().any(|name| name.matches('{').count() != name.matches('}').count())
}

fn set(
    pattern: &str,
    globs: impl IntoIterator<Item = String>,
    ignore_case: bool,
) -> Result<Globs, InvalidPattern> {
    let globs: Vec<String> = globs.into_iter().collect();
    let given = globs.iter().map(String::as_str);
    let globs = if ignore_case { Globs::ignoring_case(given) } else { Globs::new(given) };
    globs.map_err(|(_, reason)| InvalidPattern { pattern: pattern.to_owned(), reason })
}

/// Whether a name is hidden.
pub(crate) fn is_hidden(name: &OsStr) -> bool {
    name.as_bytes().first() == Some(&b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, begins_in: &str, matching: &[&str], other: &[&str]) {
        let glob = GlobPattern::new(pattern).unwrap();
        assert_eq!(glob.begins_in(), Path::new(begins_in), "{pattern}");
        for path in matching {
            assert!(glob.matches(Path::new(path)), "{pattern} {path}");
        }
        for path in other {
            assert!(!glob.matches(Path::new(path)), "{pattern} {path}");
        }
    }

    #[test]
    fn wildcards() {
        check("**/*.py", "", &["a.py", "x/y/a.py"], &["a.pyc", "a.py/x"]);
        check("*.py", "", &["a.py"], &["x/a.py"]);
        check("src/**/*.tsx", "src", &["a.tsx", "x/a.tsx"], &["a.ts"]);
        check("src/**", "src", &["a", "x/y"], &[]);
        check("**", "", &["a", "x/y"], &[]);
        check("a?c/[xy].{md,txt}", "", &["abc/x.md", "a.c/y.txt"], &["ac/x.md", "abc/z.md"]);
        check("*/*.ts", "", &["x/a.ts"], &["a.ts", "x/y/a.ts"]);
        check("a{,b}.c", "", &["a.c", "ab.c"], &["abb.c"]);
        check("{src/a,lib}/*.c", "", &["src/a/x.c", "lib/x.c"], &["src/x.c"]);
        check("[!a]*", "", &["b"], &["a"]);
    }

    #[test]
    fn names_without_wildcards_say_where_to_begin() {
        check("a/b/c.txt", "a/b", &["c.txt"], &["b/c.txt"]);
        check("./a//b/*.txt", "a/b", &["x.txt"], &[]);
        check("/ws/src/*.rs", "/ws/src", &["x.rs"], &[]);
        check("../x/*", "../x", &["a"], &[]);
        check("a/b/", "a/b", &["c", "c/d"], &[]);
        check("c.txt", "", &["c.txt"], &["d.txt"]);
        assert!(GlobPattern::new("a/b").unwrap().is_literal());
        assert!(!GlobPattern::new("a/").unwrap().is_literal());
    }

    #[test]
    fn brackets_are_a_class_or_themselves() {
        check("app/[id]/page.tsx", "app", &["[id]/page.tsx", "i/page.tsx"], &["id/page.tsx"]);
        check("**/[...slug].ts", "", &["a/[...slug].ts"], &["a/slug.ts"]);
        check(r"a/\[x\]*", "a", &["[x]y"], &["x"]);
        let literal = GlobPattern::literal("app/[id]/{a}*.ts").unwrap();
        assert_eq!(literal.begins_in(), Path::new("app/[id]"));
        assert!(literal.matches(Path::new("{a}*.ts")) && !literal.matches(Path::new("a.ts")));
    }

    #[test]
    fn what_is_no_pattern_says_so() {
        for (pattern, reason) in [
            ("", "it is empty"),
            ("./", "it is empty"),
            ("*/../a", "'..' can only stand before the first wildcard"),
            ("a{b", "unclosed alternate group"),
            (&*"{".repeat(20_000), "it has 20000 bytes, and may have 4096"),
            (&*"{".repeat(100), "its braces are nested 100 deep, and may be 16"),
            ("[z-a]", "invalid range"),
        ] {
            let error = GlobPattern::new(pattern).unwrap_err();
            assert!(error.reason.starts_with(reason), "{pattern}: {}", error.reason);
        }
    }

    #[test]
    fn directories_that_cannot_match_are_not_entered() {
        let enters = |pattern: &str, path: &str| {
            let depth = path.matches('/').count();
            let glob = GlobPattern::new(pattern).unwrap();
            glob.deepest().is_none_or(|deepest| depth < deepest) && glob.leads_into(Path::new(path), depth)
        };
        assert!(enters("*/test/**/*.c", "x") && enters("*/test/**/*.c", "x/test"));
        assert!(!enters("*/test/**/*.c", "x/src") && enters("*/test/**/*.c", "x/test/deep/er"));
        assert!(!enters("*.c", "x") && !enters("*/*.c", "x/y"));
        assert!(enters("{a/b,c}/*.c", "a") && enters("{a/b,c}/*.c", "a/b"));
    }

    #[test]
    fn where_case_is_ignored_directories_are_looked_for() {
        let glob = GlobPattern::ignoring_case("../Src/App/*.RS").unwrap();
        assert_eq!(glob.begins_in(), Path::new(".."));
        assert!(glob.matches(Path::new("src/APP/main.rs")) && !glob.matches(Path::new("lib/app/main.rs")));
        assert!(glob.leads_into(Path::new("sRC"), 0) && !glob.leads_into(Path::new("lib"), 0));
        let glob = GlobPattern::ignoring_case("/ws/Src/**/*.rs").unwrap();
        assert_eq!(glob.begins_in(), Path::new("/ws/Src"));
        let glob = GlobPattern::ignoring_case("docs/readme.md").unwrap();
        assert!(glob.is_literal() && glob.matches(Path::new("Docs/README.md")));
    }

    #[test]
    fn a_name_with_a_dot_means_what_is_hidden() {
        let glob = GlobPattern::new("**/.github/*.yml").unwrap();
        assert!(glob.names_hidden() && !glob.means_hidden_file());
        assert!(glob.means_hidden_directory(OsStr::new(".github")));
        assert!(!glob.means_hidden_directory(OsStr::new(".git")));
        assert!(GlobPattern::new("**/.eslintrc*").unwrap().means_hidden_file());
        assert!(GlobPattern::new("{a,.b}").unwrap().means_hidden_file());
        assert!(!GlobPattern::new("**/*.rs").unwrap().names_hidden());
    }
}
