//! A quick look that spares the long one: can any rule that refuses be about this name, or about this directory?
//!
//! A search asks about every file of a tree, and judging a path takes microseconds. Nearly all rules are about a name
//! (`*.pem`) or about what lies below a directory (`.ssh/**`), so that one look at the name and one at each directory says
//! for nearly every file that no rule can be meant. It may be wary for nothing; it never misses a rule.

use std::ffi::OsStr;
use std::path::Path;

use super::pattern::{Shape, is_like};
use super::{Access, Action, Policy, fold};

/// What the rules that refuse may be about.
#[derive(Debug, Default)]
pub(crate) struct Wary {
    names: Vec<String>,
    extensions: Vec<String>,
    likes: Vec<String>,
    /// Names of directories in which everything may be meant.
    below: Vec<String>,
    /// Names at the start of a path from the root, and of a path from the top.
    relative: Vec<Vec<String>>,
    absolute: Vec<Vec<String>>,
    /// By the first byte: whether any of the names begins with it.
    starts: Vec<bool>,
}

impl Policy {
    /// What to be wary of when these accesses are asked for.
    pub(crate) fn wary(&self, accesses: &[Access]) -> Wary {
        let mut wary = Wary { starts: vec![false; 256], ..Wary::default() };
        let refusing = self.rules.iter().filter(|rule| rule.action != Action::Allow);
        for rule in refusing.filter(|rule| accesses.contains(&rule.kind)) {
            rule.pattern.folded_shapes().iter().for_each(|shape| wary.add(shape));
        }
        for name in &wary.names {
            wary.starts[usize::from(name.as_bytes().first().copied().unwrap_or_default())] = true;
        }
        wary
    }
}

impl Wary {
    /// Whether a rule may be about an entry of this name, wherever it lies.
    pub(crate) fn of(&self, name: &OsStr) -> bool {
        let mut room = [0; 255];
        match plainly_folded(name, &mut room) {
            Some(folded) => self.of_folded(folded),
            None => self.of_folded(&fold::name(&name.to_string_lossy())),
        }
    }

    /// Whether a rule may be about any entry of this directory, whatever its name.
    pub(crate) fn within(&self, relative: &Path, absolute: &Path) -> bool {
        let folded = |path: &Path| -> Vec<String> {
            path.iter().filter(|name| *name != "/").map(|name| fold::name(&name.to_string_lossy())).collect()
        };
        let names = folded(relative);
        let under = |directory: &String| names.iter().any(|name| is_like(name, directory));
        self.below.iter().any(under)
            || self.relative.iter().any(|start| on_one_way(start, &names))
            || (!self.absolute.is_empty() && {
                let names = folded(absolute);
                self.absolute.iter().any(|start| on_one_way(start, &names))
            })
    }

    fn of_folded(&self, name: &str) -> bool {
        let starts = name.as_bytes().first().is_some_and(|first| self.starts[usize::from(*first)]);
        (starts && self.names.iter().any(|known| known == name))
            || name
                .rsplit_once('.')
                .is_some_and(|(_, last)| self.extensions.iter().any(|known| known == last))
            || self.likes.iter().any(|pattern| is_like(name, pattern))
    }

    fn add(&mut self, shape: &Shape) {
        match shape {
            Shape::Anywhere { names, below } => {
                let Some(last) = names.last() else { return };
                match (below, wildcards(last)) {
                    (true, _) => self.below.push(odd_to_all(last)),
                    (false, Wildcards::None) => self.names.push(last.clone()),
                    (false, Wildcards::Extension(extension)) => self.extensions.push(extension.to_owned()),
                    (false, Wildcards::Other) => self.likes.push(odd_to_all(last)),
                }
            }
            Shape::Glob { glob, absolute, .. } => {
                let plain = |name: &&str| !name.contains(['*', '?', '[', ']', '{', '}', '\\']);
                let names = glob.glob().split('/').filter(|name| !name.is_empty());
                let start = names.take_while(plain).map(str::to_owned).collect();
                if *absolute { self.absolute.push(start) } else { self.relative.push(start) }
            }
        }
    }
}

enum Wildcards<'a> {
    None,
    Extension(&'a str),
    Other,
}

fn wildcards(name: &str) -> Wildcards<'_> {
    if !name.contains(['*', '?']) {
        return Wildcards::None;
    }
    match name.strip_prefix("*.") {
        Some(extension) if !extension.contains(['*', '?', '.']) && !is_odd(extension) => {
            Wildcards::Extension(extension)
        }
        _ => Wildcards::Other,
    }
}

/// A pattern with wildcards is not folded as names are. Where that could make a difference, it counts as any name.
fn odd_to_all(pattern: &str) -> String {
    if is_odd(pattern) { "*".to_owned() } else { pattern.to_owned() }
}

fn is_odd(pattern: &str) -> bool {
    !pattern.is_ascii() || pattern.ends_with(['.', ' ']) || pattern.contains("::$")
}

/// Whether one of both lies on the way to the other.
fn on_one_way(start: &[String], names: &[String]) -> bool {
    start.iter().zip(names).all(|(wanted, name)| wanted == name)
}

/// A name folded without an allocation; none where it takes more than lower case and trimming.
fn plainly_folded<'r>(name: &OsStr, room: &'r mut [u8; 255]) -> Option<&'r str> {
    let bytes = name.as_encoded_bytes();
    let folded = room.get_mut(..bytes.len()).filter(|_| bytes.is_ascii() && !bytes.contains(&b'$'))?;
    folded.copy_from_slice(bytes);
    folded.make_ascii_lowercase();
    let folded = std::str::from_utf8(folded).ok()?;
    let trimmed = folded.trim_end_matches(['.', ' ']);
    Some(if trimmed.is_empty() { folded } else { trimmed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Origin, Rule, Subject};

    const ACCESS: &[Access] = &[Access::Read];

    #[test]
    fn names_that_no_rule_means_need_no_long_look() {
        let wary = Policy::default().wary(ACCESS);
        let plain =
            ["main.rs", "Makefile", "README.md", "index.html", ".gitignore", "x.pub", "env", "a.environment"];
        assert_eq!(plain.iter().filter(|name| wary.of(OsStr::new(name))).count(), 0);
        let suspicious =
            [".env", ".ENV", ".env. ", ".env.local", "prod.env", "x.PEM", "id_rsa", ".Netrc", "．env"];
        assert_eq!(suspicious.iter().filter(|name| !wary.of(OsStr::new(name))).count(), 0);
        let within = |path: &str| wary.within(Path::new(path), &Path::new("/ws").join(path));
        assert!(!within("") && !within("src/deep") && within(".ssh") && within("home/.SSH/deep"));
    }

    #[test]
    fn no_rule_is_missed() {
        let patterns = [
            "*.pem",
            "key",
            "private/**",
            "private/",
            "/ws/a/b/*.x",
            "**/a/b*/**",
            "a?c",
            "*.tar.gz",
            "*.Ä",
            "x. ",
            "[ab]c",
            "src/*/secret",
            "**",
            "*",
            "*.x.",
            "b*",
            "**/b/**",
            "a/**/b",
            "{a,b}/c",
            "ﬁ*",
            "FI",
        ];
        let names = [
            "a", "b", "c", "x", "abc", "key", "KEY", "private", "b.pem", "x.PEM. ", "ﬁ", "fi", "a.x",
            "secret", "src",
        ];
        let mut checked = 0;
        for pattern in patterns {
            let rule = Rule::new(Access::Read, pattern, Action::Deny, Origin::User).unwrap();
            let policy = Policy { rules: vec![rule], ..Policy::permissive() };
            let wary = policy.wary(ACCESS);
            for one in names {
                for two in names {
                    for three in names {
                        let directory = Path::new(one).join(two);
                        let subject = Subject::inside(Path::new("/ws"), &directory.join(three));
                        if policy.judge(Access::Read, &subject).action == Action::Allow {
                            continue;
                        }
                        checked += 1;
                        let within = wary.within(&directory, &Path::new("/ws").join(&directory));
                        assert!(within || wary.of(OsStr::new(three)), "{pattern} {one}/{two}/{three}");
                    }
                }
            }
        }
        assert!(checked > 1000, "{checked}");
    }
}
