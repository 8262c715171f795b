//! Reads ignore files, through the handle of the directory they lie in.

use std::ffi::OsStr;
use std::io::Read;
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use toolcrib_workspace::{Dir, FileKind};

use super::{Level, Present};

/// An ignore file is written by hand; what comes after so many bytes is not read.
pub(crate) const MAX_SIZE: u64 = 1024 * 1024;

/// Nor is what comes after so many rules, in one file and in all that hold in a directory: a path is compared with each.
const MAX_RULES: usize = 4000;
const MAX_IN_FORCE: usize = 8000;

impl Level {
    /// What a directory adds to the rules above it; nothing, for most.
    pub(super) fn load(dir: &Dir, base: usize, present: Present, above: Option<Arc<Self>>) -> Option<Self> {
        let mut room = MAX_IN_FORCE.saturating_sub(above.as_ref().map_or(0, |above| above.count));
        let mut rules = |dir: &Dir, name: &str| {
            let rules = rules_of(dir, name, room.min(MAX_RULES));
            room = room.saturating_sub(rules.len());
            rules
        };
        let repository = match present.git {
            None => false,
            // In a worktree or a submodule it is a file that names the place of the real one.
            Some(FileKind::File) => true,
            Some(_) => dir.look(OsStr::new(".git")).is_ok(),
        };
        let level = Self {
            base,
            ignore: if present.ignore { rules(dir, ".ignore") } else { Gitignore::empty() },
            gitignore: if present.gitignore { rules(dir, ".gitignore") } else { Gitignore::empty() },
            exclude: if repository { exclude_of(dir, rules) } else { Gitignore::empty() },
            repository,
            count: MAX_IN_FORCE - room,
            above,
        };
        let empty = level.ignore.is_empty() && level.gitignore.is_empty() && !level.repository;
        (!empty).then_some(level)
    }
}

fn exclude_of(dir: &Dir, mut rules: impl FnMut(&Dir, &str) -> Gitignore) -> Gitignore {
    let info = dir.open_dir(OsStr::new(".git")).and_then(|git| git.open_dir(OsStr::new("info")));
    info.map_or_else(|_| Gitignore::empty(), |info| rules(&info, "exclude"))
}

/// The rules in a file. One that cannot be read has none, and a line that is no pattern counts for nothing, as in git.
fn rules_of(dir: &Dir, name: &str, most: usize) -> Gitignore {
    let Some(text) = read(dir, name) else { return Gitignore::empty() };
    let mut builder = GitignoreBuilder::new("");
    let rules = text.trim_start_matches('\u{FEFF}').lines().filter(|line| is_rule(line));
    for line in rules.take(most) {
        // Whether it is one is the library's to say; there is no caller to tell.
        _ = builder.add_line(None, &escape_braces(line));
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Whether a line is neither blank nor a remark, nor longer than any path.
fn is_rule(line: &str) -> bool {
    const LONGEST: usize = 4096;
    !line.trim().is_empty() && !line.starts_with('#') && line.len() <= LONGEST
}

fn read(dir: &Dir, name: &str) -> Option<String> {
    let (file, _) = dir.open_unnamed(OsStr::new(name)).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_SIZE).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// To git a brace is a brace; to the library behind the patterns it is an alternative.
fn escape_braces(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    let (mut in_class, mut after_backslash) = (false, false);
    for c in line.chars() {
        let plain = !in_class && !after_backslash;
        match c {
            '{' | '}' if plain => {
                escaped.push('\\');
                escaped.push(c);
            }
            _ => escaped.push(c),
        }
        in_class = match c {
            '[' if plain => true,
            ']' if !after_backslash => false,
            _ => in_class,
        };
        after_backslash = c == '\\' && !after_backslash;
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brace_in_an_ignore_file_is_a_brace() {
        for (line, escaped) in [
            ("*.{a,b}", r"*.\{a,b\}"),
            (r"\{x", r"\{x"),
            ("[{}]x{", r"[{}]x\{"),
            (r"a\[{", r"a\[\{"),
            ("plain", "plain"),
        ] {
            assert_eq!(escape_braces(line), escaped);
        }
    }
}
