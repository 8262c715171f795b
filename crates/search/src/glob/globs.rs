//! Several globs over paths, compared character by character.
//!
//! The library compares bytes, so that `?` would be half an `é`. Where bytes and characters are the same it is asked; for
//! the other paths the globs are compiled a second time, over characters.

use std::path::Path;

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind, PatternSet};

/// Globs in order.
#[derive(Clone, Debug)]
pub(crate) struct Globs {
    bytes: GlobSet,
    /// Over characters, where a glob counts them or ignores their case.
    characters: Option<Regex>,
    /// Which of the globs given each belongs to: one with brackets is here twice.
    given: Vec<usize>,
}

impl Globs {
    /// Understands globs. The error says which one is none, and why.
    pub(crate) fn new<'g>(globs: impl IntoIterator<Item = &'g str>) -> Result<Self, (usize, String)> {
        Self::build(globs, false)
    }

    /// The same, where capitals and small letters are the same.
    pub(crate) fn ignoring_case<'g>(
        globs: impl IntoIterator<Item = &'g str>,
    ) -> Result<Self, (usize, String)> {
        Self::build(globs, true)
    }

    fn build<'g>(
        globs: impl IntoIterator<Item = &'g str>,
        ignore_case: bool,
    ) -> Result<Self, (usize, String)> {
        let (mut all, mut given) = (Vec::new(), Vec::new());
        for (number, glob) in globs.into_iter().enumerate() {
            all.push(one(glob, ignore_case).map_err(|error| (number, error.kind().to_string()))?);
            given.push(number);
            if glob.contains('[')
                && let Ok(exact) = one(&brackets_as_they_are(glob), ignore_case)
            {
                all.push(exact);
                given.push(number);
            }
        }
        let last = given.last().copied().unwrap_or(0);
        // Bytes know the two cases of ASCII letters only.
        let counts = ignore_case || all.iter().any(|glob| glob.glob().contains(['?', '[']));
        let mut bytes = GlobSetBuilder::new();
        let characters = if counts { Some(over_characters(&all)) } else { None };
        all.into_iter().for_each(|glob| _ = bytes.add(glob));
        let too_large = || (last, "together they are too large".to_owned());
        Ok(Self {
            bytes: bytes.build().map_err(|_| too_large())?,
            characters: characters.transpose().map_err(|_| too_large())?,
            given,
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    pub(crate) fn is_match(&self, path: &Path) -> bool {
        match self.by_characters(path) {
            Some(regex) => regex.is_match(&*path.to_string_lossy()),
            None => self.bytes.is_match(path),
        }
    }

    /// The last glob that matches and for which `counts` holds.
    pub(crate) fn last_match(&self, path: &Path, counts: impl Fn(usize) -> bool) -> Option<usize> {
        let last = |matches: &mut dyn Iterator<Item = usize>| {
            matches.map(|at| self.given[at]).filter(|at| counts(*at)).max()
        };
        match self.by_characters(path) {
            Some(regex) => {
                let mut matches = PatternSet::new(regex.pattern_len());
                regex.which_overlapping_matches(&Input::new(&*path.to_string_lossy()), &mut matches);
                last(&mut matches.iter().map(|pattern| pattern.as_usize()))
            }
            None => last(&mut self.bytes.matches(path).into_iter()),
        }
    }

    fn by_characters(&self, path: &Path) -> Option<&Regex> {
        self.characters.as_ref().filter(|_| !path.as_os_str().is_ascii())
    }
}

fn one(glob: &str, ignore_case: bool) -> Result<Glob, globset::Error> {
    let mut builder = GlobBuilder::new(glob);
    builder.literal_separator(true).backslash_escape(true).empty_alternates(true);
    builder.case_insensitive(ignore_case).build()
}

/// A bracket may be a class or, as in the routes of web frameworks, part of a name.
fn brackets_as_they_are(glob: &str) -> String {
    let mut exact = String::with_capacity(glob.len() + 4);
    for c in glob.chars() {
        if matches!(c, '[' | ']') {
            exact.push('\\');
        }
        exact.push(c);
    }
    exact
}

fn over_characters(globs: &[Glob]) -> Result<Regex, Box<regex_automata::meta::BuildError>> {
    const LARGEST: usize = 10 << 20;
    let patterns: Vec<String> = globs.iter().map(|glob| in_characters(glob.regex())).collect();
    Regex::builder()
        .syntax(syntax::Config::new().dot_matches_new_line(true))
        .configure(Regex::config().match_kind(MatchKind::All).nfa_size_limit(Some(LARGEST)))
        .build_many(&patterns)
        .map_err(Box::new)
}

/// The library's regular expression of a glob, which spells characters as bytes (`\xc3\xa9`), with the characters.
fn in_characters(regex: &str) -> String {
    let mut bytes = Vec::with_capacity(regex.len());
    let mut rest = regex.strip_prefix("(?-u)").unwrap_or(regex).as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let spelled = |hex: &[u8]| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok();
        match (byte, after) {
            (b'\\', [b'x', high, low, after @ ..]) if let Some(byte) = spelled(&[*high, *low]) => {
                bytes.push(byte);
                rest = after;
            }
            (b'\\', [escaped, after @ ..]) => {
                bytes.extend([byte, *escaped]);
                rest = after;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn a_wildcard_is_one_character() {
        for (glob, matching, other) in [
            ("?.txt", &["a.txt", "é.txt", "日.txt", "🦀.txt"][..], &["éé.txt", "ab.txt", ".txt"][..]),
            ("??.txt", &["éa.txt", "日本.txt"], &["é.txt", "🦀.txt"]),
            ("[äöü].txt", &["ä.txt", "ü.txt", "[äöü].txt"], &["a.txt", "Ã.txt"]),
            ("[à-ü]?", &["éa", "öö"], &["aa", "é"]),
            ("[!a]é", &["bé", "éé"], &["aé", "é"]),
            ("**/é?.{rs,日}", &["éa.rs", "x/éé.日"], &["x/é.rs"]),
            (r"\?é", &["?é"], &["aé"]),
            (r"\\xc3?é", &[r"\xc3aé"], &["Ãaé"]),
        ] {
            let globs = Globs::new([glob]).unwrap();
            for path in matching {
                assert!(globs.is_match(Path::new(path)), "{glob} {path}");
                assert_eq!(globs.last_match(Path::new(path), |_| true), Some(0), "{glob} {path}");
            }
            for path in other {
                assert!(!globs.is_match(Path::new(path)), "{glob} {path}");
                assert_eq!(globs.last_match(Path::new(path), |_| true), None, "{glob} {path}");
            }
        }
    }

    #[test]
    fn capitals_and_small_letters_are_the_same_if_wanted() {
        for (glob, path) in
            [("src/*.RS", "SRC/a.rs"), ("[a-c].md", "B.MD"), ("é*", "ÉTÉ"), ("{Read,Make}*", "makefile")]
        {
            assert!(Globs::ignoring_case([glob]).unwrap().is_match(Path::new(path)), "{glob} {path}");
            assert!(!Globs::new([glob]).unwrap().is_match(Path::new(path)), "{glob} {path}");
        }
    }

    #[test]
    fn what_is_no_text_is_compared_too() {
        let globs = Globs::new(["?.txt"]).unwrap();
        assert!(globs.is_match(Path::new(OsStr::from_bytes(b"\xe9.txt"))));
        assert!(!globs.is_match(Path::new(OsStr::from_bytes(b"\xe9\xe9.txt"))));
    }

    #[test]
    fn the_last_that_counts_wins() {
        let globs = Globs::new(["*", "[a]", "é?"]).unwrap();
        assert_eq!(globs.last_match(Path::new("a"), |_| true), Some(1));
        assert_eq!(globs.last_match(Path::new("éa"), |_| true), Some(2));
        assert_eq!(globs.last_match(Path::new("éa"), |at| at < 2), Some(0));
    }
}
