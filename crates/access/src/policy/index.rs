//! Which rules may be about a path, found without asking every rule.
//!
//! A search asks about every file of a tree, and a user may have thousands of rules. Nearly every pattern ends with a name
//! (`**/.env`), an extension (`*.pem`) or a directory (`**/.ssh/**`), or begins with one (`private/**`), and is found by the
//! hash of that. The same table answers the quick questions of a search: can any rule be about this name, wherever it lies,
//! or about this directory, whatever is in it? It may say yes for nothing; it never misses a rule.

use std::ffi::OsStr;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use foldhash::{HashMap, HashMapExt};

use super::copies;
use super::glob::{self, NamePattern, Token};
use super::pattern::{Pattern, Reach, Shape, Start, least};
use super::subject::{Names, Part};

/// The rules about one kind of access, by what a path must have for them to be about it. A rule is its number.
#[derive(Debug)]
pub(super) struct Index {
    hasher: RandomState,
    /// By the hash of a [`Key`] and a text: the latest of these rules in `chains`.
    heads: HashMap<u64, u32>,
    /// A rule, and the one before it under the same hash.
    chains: Vec<(u32, Option<u32>)>,
    /// By a pattern of the last name.
    wild: Wild,
    wild_under: Vec<(NamePattern, u32)>,
    has_starts: bool,
    /// Whether one of them begins at a root.
    starts_at_roots: bool,
    /// About any path.
    any: Vec<u32>,
    #[cfg(test)]
    keys: Vec<(u8, String)>,
}

/// What of a path a rule is found by.
#[derive(Clone, Copy, Hash)]
enum Key {
    /// Its last name.
    Last,
    /// What follows the last dot of it.
    Extension,
    /// A directory that it lies under, anywhere.
    Under,
    /// The names it begins with, from the top.
    FromTop,
    /// The same, from a root.
    FromRoot,
    /// A directory above those from the top.
    Above,
}

/// Patterns of names, by a part of them that has no wildcard.
#[derive(Debug, Default)]
struct Wild {
    by_first: HashMap<u8, Vec<(NamePattern, u32)>>,
    by_extension: HashMap<Box<str>, Vec<(NamePattern, u32)>>,
    by_last: HashMap<u8, Vec<(NamePattern, u32)>>,
    others: Vec<(NamePattern, u32)>,
}

impl Index {
    /// With room for so many rules.
    pub(super) fn with_capacity(rules: usize) -> Self {
        Self {
            hasher: RandomState::default(),
            heads: HashMap::with_capacity(rules),
            chains: Vec::with_capacity(rules),
            wild: Wild::default(),
            wild_under: Vec::new(),
            has_starts: false,
            starts_at_roots: false,
            any: Vec::new(),
            #[cfg(test)]
            keys: Vec::new(),
        }
    }

    /// Adds the rule that has this pattern.
    pub(super) fn add(&mut self, pattern: &Pattern, rule: u32) {
        pattern.folded_shapes().iter().for_each(|shape| self.add_shape(shape, rule));
    }

    /// Adds the rule that has this pattern, if what it is found by can be read off the text: the last name of `**/a/b*`, the
    /// directory of `**/a/b/**`.
    pub(super) fn add_simple(&mut self, pattern: &mut str, rule: u32) -> bool {
        pattern.make_ascii_lowercase();
        let plain = |byte: u8| byte.is_ascii() && !matches!(byte, b'?' | b'[' | b'{' | b'\\' | b'$');
        let Some(names) = pattern.strip_prefix("**/").filter(|names| names.bytes().all(plain)) else {
            return false;
        };
        let (names, below) = names.strip_suffix("/**").map_or((names, false), |names| (names, true));
        let last = names.bytes().rposition(|byte| byte == b'/').map_or(names, |slash| &names[slash + 1..]);
        let is_wild = last.bytes().any(|byte| byte == b'*');
        if last.is_empty() || last.ends_with(['.', ' ']) || (below && (is_wild || names.contains("**"))) {
            return false;
        }
        match (below, is_wild) {
            (true, _) => self.insert(Key::Under, last, rule),
            (false, false) => self.insert(Key::Last, last, rule),
            (false, true) => self.add_last(Some(&NamePattern::plain(last)), rule),
        }
        true
    }

    /// Shows every rule that may be about a path, some of them more than once.
    pub(super) fn candidates(&self, names: &Names, mut each: impl FnMut(u32)) {
        self.any.iter().copied().for_each(&mut each);
        let Some((last, parents)) = names.parts.split_last() else { return };
        last.all().for_each(|name| self.of_name(name, &mut each));
        for directory in parents {
            directory.all().for_each(|name| self.of_directory(name, &mut each));
        }
        self.of_starts(names, &mut each);
    }

    /// Whether a rule may be about an entry of this name, wherever it lies.
    pub(super) fn may_mean(&self, name: &OsStr) -> bool {
        let mut found = !self.any.is_empty();
        if !found {
            in_all_spellings(name, |name| self.of_name(name, &mut |_| found = true));
        }
        found
    }

    /// Whether a rule may be about everything in a directory of this name, wherever it lies below a root.
    pub(super) fn may_mean_below(&self, directory: &OsStr) -> bool {
        let mut found = false;
        in_all_spellings(directory, |name| self.of_directory(name, &mut |_| found = true));
        found
    }

    /// Whether a rule may be about any entry of this directory, whatever its name is.
    pub(super) fn may_mean_all_in(&self, directory: &Names, reach: impl Fn(u32) -> Reach) -> bool {
        let mut found = !self.any.is_empty();
        for (part, end) in directory.parts.iter().zip(1..) {
            let mut counts = |rule: u32| found |= end >= least(directory, reach(rule));
            part.all().for_each(|name| self.of_directory(name, &mut counts));
        }
        self.of_starts(directory, &mut |_| found = true);
        found
    }

    /// Whether a rule spells out where below this directory it begins.
    pub(super) fn may_begin_below(&self, directory: &Names) -> bool {
        let path: String = directory.parts.iter().flat_map(|part| ["/", part.folded()]).collect();
        let mut found = self.starts_at_roots;
        self.show(Key::Above, &path, &mut |_| found = true);
        found
    }

    fn of_name(&self, name: &str, each: &mut impl FnMut(u32)) {
        self.show(Key::Last, name, each);
        let extension = name.bytes().rposition(|byte| byte == b'.').and_then(|dot| name.get(dot + 1..));
        if let Some(extension) = extension {
            self.show(Key::Extension, extension, each);
        }
        self.wild.of_name(name, extension, each);
    }

    fn of_directory(&self, name: &str, each: &mut impl FnMut(u32)) {
        self.show(Key::Under, name, each);
        likes(&self.wild_under, name, each);
    }

    fn of_starts(&self, names: &Names, each: &mut impl FnMut(u32)) {
        if !self.has_starts {
            return;
        }
        let mut start = String::new();
        let mut go = |from: usize, key: Key| {
            start.clear();
            self.show(key, "", each);
            for part in names.parts.iter().skip(from) {
                start.push('/');
                start.push_str(part.folded());
                self.show(key, &start, each);
            }
        };
        go(0, Key::FromTop);
        names.roots.iter().for_each(|root| go(*root, Key::FromRoot));
    }

    fn add_shape(&mut self, shape: &Shape, rule: u32) {
        match shape {
            Shape::Anywhere { names, below: true } => match names.last() {
                Some(NamePattern::Literal(name)) => self.insert(Key::Under, name, rule),
                Some(wild) if !is_odd(wild) => self.wild_under.push((wild.clone(), rule)),
                _ => self.any.push(rule),
            },
            Shape::Anywhere { names, below: false } => self.add_last(names.last(), rule),
            Shape::Glob { glob, from } => match glob.parts.last() {
                // A path that is spelt out, or one that is found by its end alone.
                Some(glob::Part::Name(name @ NamePattern::Literal(_))) => self.add_last(Some(name), rule),
                Some(glob::Part::Name(name)) if *from == Start::Anywhere => self.add_last(Some(name), rule),
                _ => {
                    let mut start = String::new();
                    for name in shape.literal_start() {
                        if *from == Start::Top {
                            self.insert(Key::Above, &start, rule);
                        }
                        start.extend(["/", name]);
                    }
                    let key = if *from == Start::Top { Key::FromTop } else { Key::FromRoot };
                    self.insert(key, &start, rule);
                    self.has_starts = true;
                    self.starts_at_roots |= *from != Start::Top;
                }
            },
        }
    }

    fn add_last(&mut self, name: Option<&NamePattern>, rule: u32) {
        match name {
            Some(NamePattern::Literal(name)) => self.insert(Key::Last, name, rule),
            Some(NamePattern::Stars { start, middle, end }) if start.is_empty() && middle.is_empty() => {
                match end.strip_prefix('.') {
                    Some(extension)
                        if is_plain(end) && !extension.contains('.') && !extension.ends_with(' ') =>
                    {
                        self.insert(Key::Extension, extension, rule);
                    }
                    _ => self.add_wild(name, rule),
                }
            }
            _ => self.add_wild(name, rule),
        }
    }

    fn add_wild(&mut self, name: Option<&NamePattern>, rule: u32) {
        match name {
            Some(name) if !is_odd(name) => self.wild.add(name, rule),
            _ => self.any.push(rule),
        }
    }

    fn insert(&mut self, key: Key, text: &str, rule: u32) {
        #[cfg(test)]
        self.keys.push((key as u8, text.to_owned()));
        let latest = u32::try_from(self.chains.len()).unwrap_or(u32::MAX);
        let before = self.heads.insert(self.hasher.hash_one((key, text)), latest);
        self.chains.push((rule, before));
    }

    fn show(&self, key: Key, text: &str, each: &mut impl FnMut(u32)) {
        let mut next = self.heads.get(&self.hasher.hash_one((key, text))).copied();
        while let Some((rule, before)) = next.and_then(|at| self.chains.get(at as usize)) {
            each(*rule);
            next = *before;
        }
    }
}

impl Wild {
    fn add(&mut self, name: &NamePattern, rule: u32) {
        let entry = (name.clone(), rule);
        let (first, last) = ends(name);
        if let Some(first) = first {
            self.by_first.entry(first).or_default().push(entry);
        } else if let Some(extension) = extension(name) {
            self.by_extension.entry(extension.into()).or_default().push(entry);
        } else if let Some(last) = last {
            self.by_last.entry(last).or_default().push(entry);
        } else {
            self.others.push(entry);
        }
    }

    fn of_name(&self, name: &str, extension: Option<&str>, each: &mut impl FnMut(u32)) {
        if let Some(first) = name.as_bytes().first().and_then(|first| self.by_first.get(first)) {
            likes(first, name, each);
        }
        if let Some(extension) = extension.and_then(|extension| self.by_extension.get(extension)) {
            likes(extension, name, each);
        }
        if let Some(last) = name.as_bytes().last().and_then(|last| self.by_last.get(last)) {
            likes(last, name, each);
        }
        likes(&self.others, name, each);
    }
}

fn likes(patterns: &[(NamePattern, u32)], name: &str, each: &mut impl FnMut(u32)) {
    patterns.iter().filter(|(pattern, _)| pattern.is_like(name)).map(|(_, rule)| *rule).for_each(each);
}

/// The bytes that a name that is like this certainly begins and ends with.
fn ends(name: &NamePattern) -> (Option<u8>, Option<u8>) {
    let byte = |token: Option<&Token>| match token {
        Some(Token::Char(c)) => u8::try_from(*c).ok(),
        _ => None,
    };
    match name {
        NamePattern::Literal(text) => (text.bytes().next(), text.bytes().last()),
        NamePattern::Stars { start, end, .. } => (start.bytes().next(), end.bytes().last()),
        NamePattern::Wild(tokens) => (byte(tokens.first()), byte(tokens.last())),
    }
}

/// What a name that is like this certainly has after its last dot.
fn extension(name: &NamePattern) -> Option<&str> {
    match name {
        NamePattern::Literal(text) | NamePattern::Stars { end: text, .. } => Some(text.rsplit_once('.')?.1),
        NamePattern::Wild(_) => None,
    }
}

/// Whether a name could be like this as it is spelt, and not as it is folded; or whether every name is.
fn is_odd(name: &NamePattern) -> bool {
    match name {
        NamePattern::Literal(_) => false,
        NamePattern::Stars { start, middle, end } => {
            let all = start.is_empty() && middle.is_empty() && end.is_empty();
            let pieces = middle.iter().chain([start, end]);
            all || end.ends_with(['.', ' ']) || !pieces.into_iter().all(|piece| is_plain(piece))
        }
        NamePattern::Wild(tokens) => {
            let odd = |token: &Token| match token {
                Token::Char(c) => !c.is_ascii() || *c == '$',
                Token::Class(_) => true,
                Token::One | Token::Many => false,
            };
            tokens.iter().any(odd) || matches!(tokens.last(), Some(Token::Char('.' | ' ')))
        }
    }
}

fn is_plain(text: &str) -> bool {
    text.is_ascii() && !text.contains('$')
}

/// Shows a name as a rule may mean it: folded, and what it may be a copy of.
fn in_all_spellings(name: &OsStr, mut each: impl FnMut(&str)) {
    let mut room = [0; 255];
    match plainly_folded(name, &mut room) {
        Some(folded) => {
            each(folded);
            copies::originals(folded).iter().for_each(|name| each(name));
        }
        None => Part::new(&name.to_string_lossy()).all().for_each(each),
    }
}

/// A name folded without an allocation; none where it takes more than lower case.
fn plainly_folded<'r>(name: &OsStr, room: &'r mut [u8; 255]) -> Option<&'r str> {
    let bytes = name.as_encoded_bytes();
    let plain =
        bytes.is_ascii() && !bytes.contains(&b'$') && !bytes.ends_with(b".") && !bytes.ends_with(b" ");
    let folded = room.get_mut(..bytes.len()).filter(|_| plain)?;
    folded.copy_from_slice(bytes);
    folded.make_ascii_lowercase();
    std::str::from_utf8(folded).ok()
}

#[cfg(test)]
impl Index {
    /// Whether both, with one rule each, find it by the same.
    pub(super) fn finds_as(&self, other: &Self) -> bool {
        let all = |index: &Self| {
            format!("{:?}", (&index.keys, &index.wild, &index.wild_under, &index.any, index.has_starts))
        };
        all(self) == all(other)
    }
}
