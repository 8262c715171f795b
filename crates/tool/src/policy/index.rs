//! Which rules may be about a path, found without asking every rule.
//!
//! A search asks about every file of a tree, and a user may have thousands of rules. Nearly every pattern ends with a name
//! (`**/.env`), an extension (`*.pem`) or a directory (`**/.ssh/**`), or begins with one (`private/**`), and is found by
//! that. The same table answers the quick questions of a search: can any rule be about this name, wherever it lies, or about
//! this directory, whatever is in it? It may say yes for nothing; it never misses a rule.

use std::ffi::OsStr;
use std::hash::Hash;

use foldhash::{HashMap, HashMapExt};

use super::copies;
use super::glob::{NamePattern, Part, Token};
use super::pattern::{Shape, Start, least};
use super::subject::{Folded, Names};
use super::{Access, Action, Rule};

/// The rules about one kind of access, by what a path must have for them to be about it. A rule is its number.
#[derive(Debug)]
pub(super) struct Index {
    /// By the last name of the path.
    last: HashMap<Box<str>, Vec<u32>>,
    /// By what follows the last dot of it.
    extensions: HashMap<Box<str>, Vec<u32>>,
    /// By a pattern of it.
    wild: Wild,
    /// By a directory that the path lies under, anywhere.
    under: HashMap<Box<str>, Vec<u32>>,
    wild_under: Vec<(NamePattern, u32)>,
    /// By the names it begins with: `/home/ada` from the top, `src/main` from a root.
    starts: HashMap<Box<str>, Vec<u32>>,
    /// About any path.
    any: Vec<u32>,
}

/// Patterns of names, by a part of them that has no wildcard.
#[derive(Debug, Default)]
struct Wild {
    by_first: HashMap<char, Vec<(NamePattern, u32)>>,
    by_extension: HashMap<Box<str>, Vec<(NamePattern, u32)>>,
    others: Vec<(NamePattern, u32)>,
}

impl Index {
    /// Of the rules about this access whose action is wanted.
    pub(super) fn new(rules: &[Rule], access: Access, wanted: impl Fn(Action) -> bool) -> Self {
        let mut index = Self {
            last: HashMap::new(),
            extensions: HashMap::new(),
            wild: Wild::default(),
            under: HashMap::new(),
            wild_under: Vec::new(),
            starts: HashMap::new(),
            any: Vec::new(),
        };
        for (rule, number) in rules.iter().zip(0..) {
            if rule.kind != access || !wanted(rule.action) {
                continue;
            }
            rule.pattern.folded_shapes().iter().for_each(|shape| index.add(shape, number));
        }
        index
    }

    /// Shows every rule that may be about a path, some of them more than once.
    pub(super) fn candidates(&self, names: &Names, mut each: impl FnMut(u32)) {
        self.any.iter().copied().for_each(&mut each);
        let Some((last, parents)) = names.folded.split_last() else { return };
        last.all().for_each(|name| self.of_name(name, &mut each));
        for directory in parents {
            directory.all().for_each(|name| self.of_directory(name, &mut each));
        }
        self.of_starts(names, &mut each);
    }

    /// Whether a rule may be about an entry of this name, wherever it lies.
    pub(super) fn may_mean(&self, name: &OsStr) -> bool {
        if !self.any.is_empty() {
            return true;
        }
        let mut found = false;
        let mut look = |name: &str| self.of_name(name, &mut |_| found = true);
        let mut room = [0; 255];
        match plainly_folded(name, &mut room) {
            Some(folded) => {
                look(folded);
                copies::originals(folded).iter().for_each(|name| look(name));
            }
            None => Folded::new(&name.to_string_lossy()).all().for_each(look),
        }
        found
    }

    /// Whether a rule may be about any entry of this directory, whatever its name is.
    pub(super) fn may_mean_all_in(&self, directory: &Names, rules: &[Rule]) -> bool {
        let mut found = !self.any.is_empty();
        for (name, end) in directory.folded.iter().zip(1..) {
            let mut counts = |rule: u32| found |= end >= least(directory, rules[rule as usize].reach());
            name.all().for_each(|name| self.of_directory(name, &mut counts));
        }
        self.of_starts(directory, &mut |_| found = true);
        found
    }

    fn of_name(&self, name: &str, each: &mut impl FnMut(u32)) {
        show(&self.last, name, each);
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        if let Some(extension) = extension {
            show(&self.extensions, extension, each);
        }
        self.wild.of_name(name, extension, each);
    }

    fn of_directory(&self, name: &str, each: &mut impl FnMut(u32)) {
        show(&self.under, name, each);
        likes(&self.wild_under, name, each);
    }

    fn of_starts(&self, names: &Names, each: &mut impl FnMut(u32)) {
        if self.starts.is_empty() {
            return;
        }
        let mut start = String::new();
        let mut go = |from: usize, sign: &str| {
            start.clear();
            show(&self.starts, sign, each);
            for name in &names.folded[from.min(names.folded.len())..] {
                if !start.is_empty() || !sign.is_empty() {
                    start.push('/');
                }
                start.push_str(&name.name);
                show(&self.starts, &start, each);
            }
        };
        go(0, "/");
        names.roots.iter().for_each(|root| go(*root, ""));
    }

    fn add(&mut self, shape: &Shape, rule: u32) {
        match shape {
            Shape::Anywhere { names, below: true } => match names.last() {
                Some(NamePattern::Literal(name)) => insert(&mut self.under, name.as_str().into(), rule),
                Some(NamePattern::Wild(tokens)) if is_odd(tokens) => self.any.push(rule),
                Some(wild) => self.wild_under.push((wild.clone(), rule)),
                None => self.any.push(rule),
            },
            Shape::Anywhere { names, below: false } => match names.last() {
                Some(name) => self.add_last(name, rule),
                None => self.any.push(rule),
            },
            Shape::Glob { glob, from } => {
                let sign = if *from == Start::Top { "/" } else { "" };
                let mut names: Vec<&str> = shape.literal_start().collect();
                match glob.parts.last() {
                    // A path that is spelt out, or that ends with a name anyway.
                    Some(Part::Name(name @ NamePattern::Literal(_))) => self.add_last(name, rule),
                    Some(Part::Name(name)) if names.is_empty() && *from != Start::Top => {
                        self.add_last(name, rule)
                    }
                    _ => {
                        names.truncate(glob.parts.len().saturating_sub(1));
                        insert(&mut self.starts, format!("{sign}{}", names.join("/")).into(), rule);
                    }
                }
            }
        }
    }

    fn add_last(&mut self, name: &NamePattern, rule: u32) {
        match name {
            NamePattern::Literal(name) => insert(&mut self.last, name.as_str().into(), rule),
            NamePattern::Wild(tokens) if is_odd(tokens) => self.any.push(rule),
            NamePattern::Wild(tokens) => match (tokens.as_slice(), extension(tokens)) {
                ([Token::Many], _) => self.any.push(rule),
                ([Token::Many, Token::Char('.'), rest @ ..], Some(extension))
                    if rest.len() == extension.len() =>
                {
                    insert(&mut self.extensions, extension.into(), rule);
                }
                ([Token::Char(first), ..], _) => {
                    insert_with(&mut self.wild.by_first, *first, (name.clone(), rule))
                }
                (_, Some(extension)) => {
                    insert_with(&mut self.wild.by_extension, extension.into(), (name.clone(), rule));
                }
                _ => self.wild.others.push((name.clone(), rule)),
            },
        }
    }
}

impl Wild {
    fn of_name(&self, name: &str, extension: Option<&str>, each: &mut impl FnMut(u32)) {
        if let Some(first) = name.chars().next().and_then(|first| self.by_first.get(&first)) {
            likes(first, name, each);
        }
        if let Some(extension) = extension.and_then(|extension| self.by_extension.get(extension)) {
            likes(extension, name, each);
        }
        likes(&self.others, name, each);
    }
}

fn show(map: &HashMap<Box<str>, Vec<u32>>, key: &str, each: &mut impl FnMut(u32)) {
    map.get(key).into_iter().flatten().copied().for_each(each);
}

fn likes(patterns: &[(NamePattern, u32)], name: &str, each: &mut impl FnMut(u32)) {
    patterns.iter().filter(|(pattern, _)| pattern.is_like(name)).map(|(_, rule)| *rule).for_each(each);
}

fn insert(map: &mut HashMap<Box<str>, Vec<u32>>, key: Box<str>, rule: u32) {
    insert_with(map, key, rule);
}

fn insert_with<K: Hash + Eq, V>(map: &mut HashMap<K, Vec<V>>, key: K, value: V) {
    map.entry(key).or_default().push(value);
}

/// What a name that is like this certainly has after its last dot.
fn extension(tokens: &[Token]) -> Option<String> {
    let dot = tokens.iter().rposition(|token| *token == Token::Char('.'))?;
    let letters = tokens[dot + 1..].iter().map(|token| match token {
        Token::Char(c) => Some(*c),
        _ => None,
    });
    letters.collect()
}

/// Whether a name could be like this as it is spelt, and not as it is folded.
fn is_odd(tokens: &[Token]) -> bool {
    let odd = |token: &Token| match token {
        Token::Char(c) => !c.is_ascii() || *c == '$',
        Token::Class(_) => true,
        Token::One | Token::Many => false,
    };
    tokens.iter().any(odd) || matches!(tokens.last(), Some(Token::Char('.' | ' ')))
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
