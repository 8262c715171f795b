//! Which paths a rule is about.
//!
//! - `*.pem` has no slash: a name anywhere.
//! - `src/**` is relative to the root of a workspace; for a path outside every root it is a part of the path.
//! - `/opt/reference/**` is from the top of the file system, `~/notes/**` from the user's home.
//! - `build/` is everything in that directory.
//!
//! Rules are made at every start and asked for every file of a search. So the common shape (names anywhere, `**/a/b*/**`)
//! is compared name by name, and a regular expression is compiled only for the others, when one is first asked.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use globset::{Glob, GlobBuilder, GlobMatcher};
use serde::{Serialize, Serializer};

use super::fold;
use crate::{ErrorKind, ToolError};

/// A path, as patterns see it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    absolute: PathBuf,
    /// From the root it lies in; for one that lies in none, from the top of the file system.
    relative: PathBuf,
    /// The names of the relative path.
    names: Vec<String>,
}

impl Place {
    pub(crate) fn new(absolute: PathBuf, relative: Option<&Path>) -> Self {
        let relative = relative.unwrap_or_else(|| absolute.strip_prefix("/").unwrap_or(&absolute)).to_owned();
        let names = relative.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        Self { absolute, relative, names }
    }

    pub(crate) fn folded(&self) -> Self {
        let names: Vec<String> = self.names.iter().map(|name| fold::name(name)).collect();
        Self { absolute: fold::path(&self.absolute), relative: names.iter().collect(), names }
    }
}

/// A glob over paths.
///
/// ```
/// use toolcrib_tool::Pattern;
///
/// let pattern: Pattern = "src/*.{rs,toml}".parse()?;
/// assert_eq!(pattern.to_string(), "src/*.{rs,toml}");
/// assert!("src/[a".parse::<Pattern>().is_err());
/// # Ok::<(), toolcrib_tool::ToolError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    exact: Arc<[Shape]>,
    folded: Arc<[Shape]>,
}

impl Pattern {
    /// The pattern of this one path.
    #[must_use]
    pub fn literal(path: &Path) -> Option<Self> {
        globset::escape(path.to_str()?).parse().ok()
    }

    /// The pattern of everything below this directory.
    #[must_use]
    pub fn below(directory: &Path) -> Option<Self> {
        format!("{}/**", globset::escape(directory.to_str()?)).parse().ok()
    }

    /// The directory that everything it matches lies in, if it names one from the top of the file system.
    #[must_use]
    pub fn directory(&self) -> Option<PathBuf> {
        let full = complete(&self.text);
        let literal = full.split(['*', '?', '[', '{', '\\']).next()?;
        let directory = &literal[..literal.rfind('/')?];
        full.starts_with('/').then(|| Path::new("/").join(directory))
    }

    pub(crate) fn matches(&self, place: &Place) -> bool {
        self.exact.iter().any(|shape| shape.matches(place))
    }

    /// What it is about, for names that are folded.
    pub(super) fn folded_shapes(&self) -> &[Shape] {
        &self.folded
    }

    /// As [`matches`](Self::matches), for a place whose names are folded.
    pub(crate) fn matches_folded(&self, place: &Place) -> bool {
        self.folded.iter().any(|shape| shape.matches(place))
    }
}

impl FromStr for Pattern {
    type Err = ToolError;

    fn from_str(text: &str) -> Result<Self, ToolError> {
        let alternatives = alternatives(&complete(text));
        let shapes = |fold: fn(&str) -> String| -> Result<Arc<[Shape]>, ToolError> {
            alternatives.iter().map(|glob| Shape::new(text, &fold(glob))).collect()
        };
        Ok(Self { exact: shapes(str::to_owned)?, folded: shapes(folded)?, text: text.to_owned() })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[derive(Debug)]
pub(super) enum Shape {
    /// `**/a/b`: the path ends with these names. With `below`, `**/a/b/**`: it lies somewhere under them.
    Anywhere { names: Vec<String>, below: bool },
    /// Any other glob.
    Glob { glob: Glob, absolute: bool, matcher: OnceLock<GlobMatcher> },
}

impl Shape {
    fn new(text: &str, glob: &str) -> Result<Self, ToolError> {
        if let Some(shape) = Self::anywhere(glob) {
            return Ok(shape);
        }
        let parsed = GlobBuilder::new(glob)
            .literal_separator(true)
            .backslash_escape(true)
            .empty_alternates(true)
            .build();
        let parsed = parsed.map_err(|error| {
            ToolError::new(ErrorKind::InvalidParameter, format!("Invalid pattern '{text}': {}", error.kind()))
                .hint("patterns are globs such as '**/.env', 'src/**' or '/opt/reference/**'")
        })?;
        Ok(Self::Glob { glob: parsed, absolute: glob.starts_with('/'), matcher: OnceLock::new() })
    }

    fn anywhere(glob: &str) -> Option<Self> {
        let names = glob.strip_prefix("**/")?;
        let (names, below) = names.strip_suffix("/**").map_or((names, false), |names| (names, true));
        let plain = !names.is_empty() && !names.contains("**") && !names.contains(['[', ']', '{', '}', '\\']);
        plain.then(|| Self::Anywhere { names: names.split('/').map(str::to_owned).collect(), below })
    }

    fn matches(&self, place: &Place) -> bool {
        match self {
            Self::Anywhere { names, below: false } => ends_with(&place.names, names),
            Self::Anywhere { names, below: true } => {
                // Every part of the path but its last name may be the directory that it lies under.
                let parents = place.names.len().saturating_sub(1);
                (names.len()..=parents).any(|end| ends_with(&place.names[..end], names))
            }
            Self::Glob { glob, absolute, matcher } => {
                let path = if *absolute { &place.absolute } else { &place.relative };
                matcher.get_or_init(|| glob.compile_matcher()).is_match(path)
            }
        }
    }
}

fn ends_with(path: &[String], names: &[String]) -> bool {
    path.len() >= names.len()
        && path[path.len() - names.len()..].iter().zip(names).all(|(name, wanted)| is_like(name, wanted))
}

/// Whether a name is like a pattern in which `*` is any text and `?` any character.
///
/// After a mismatch only the latest `*` takes one character more, so that no pattern can make it slow.
pub(super) fn is_like(name: &str, pattern: &str) -> bool {
    if !pattern.contains(['*', '?']) {
        return name == pattern;
    }
    let (mut name, mut pattern) = (name.chars(), pattern.chars());
    let mut latest_star = None;
    loop {
        let rest = name.clone();
        match (name.next(), pattern.next()) {
            (_, Some('*')) => {
                name = rest;
                latest_star = Some((name.clone(), pattern.clone()));
            }
            (None, None) => return true,
            (Some(c), Some(w)) if w == '?' || w == c => {}
            _ => {
                let Some((mut longer, after_star)) = latest_star.take() else { return false };
                if longer.next().is_none() {
                    return false;
                }
                name = longer.clone();
                pattern = after_star.clone();
                latest_star = Some((longer, after_star));
            }
        }
    }
}

/// The pattern as a glob over whole paths.
fn complete(text: &str) -> String {
    let from_home = text.strip_prefix("~/").zip(std::env::home_dir());
    let text = from_home.map_or_else(|| text.to_owned(), |(rest, home)| format!("{}/{rest}", home.display()));
    let text = if text.ends_with('/') { format!("{text}**") } else { text };
    if text.contains('/') { text } else { format!("**/{text}") }
}

/// One glob for each alternative of `{a,b}`; a nested one is left to the glob library.
fn alternatives(glob: &str) -> Vec<String> {
    let parts = glob.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match parts {
        Some((before, (choices, after))) if !choices.contains('{') && !glob.contains('\\') => {
            choices.split(',').flat_map(|choice| alternatives(&format!("{before}{choice}{after}"))).collect()
        }
        _ => vec![glob.to_owned()],
    }
}

/// The glob whose names are folded; in a name with wildcards only what cannot change its meaning is.
fn folded(glob: &str) -> String {
    let fold =
        |name: &str| if name.contains(['*', '?', '[', '{']) { name.to_lowercase() } else { fold::name(name) };
    glob.split('/').map(fold).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, relative: &str, expected: bool) {
        let place = Place::new(Path::new("/ws").join(relative), Some(Path::new(relative)));
        assert_eq!(pattern.parse::<Pattern>().unwrap().matches(&place), expected, "{pattern} {relative}");
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
        check("a*b*c", "aXbYc", true);
        check("a*b*c", "aXbY", false);
        check("*.{pem,key}", "x.key", true);
        check("{a,b}/{c,d}", "b/c", true);
        check("*", "anything", true);
        check("*a*a*a*a*a*a*a*a*b", &"a".repeat(200), false);
        check("**b", "aab", true);
        check("a?*", "a", false);
        check("**/x/*/y", "x/1/y", true);
        check("**/x/*/y", "x/1/2/y", false);
        check("[a-c].txt", "b.txt", true);
        check("[a-c].txt", "d.txt", false);
    }

    #[test]
    fn an_absolute_pattern_begins_at_the_top() {
        check("/ws/src/*", "src/a", true);
        check("/src/*", "src/a", false);
        let outside = Place::new("/opt/x/.env".into(), None);
        assert!("/opt/**".parse::<Pattern>().unwrap().matches(&outside));
        assert!("**/.env".parse::<Pattern>().unwrap().matches(&outside));
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
    fn what_is_no_pattern_says_so() {
        let error = "a[".parse::<Pattern>().unwrap_err();
        assert!(error.message().starts_with("Invalid pattern 'a['"), "{error}");
    }
}
