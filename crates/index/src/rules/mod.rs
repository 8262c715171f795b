//! What the ignore files of a tree say about its paths.
//!
//! A directory that has an ignore file adds a [`Level`]; all others share the level of their parent, so that a path is
//! asked about only where a file has rules. Each level sees the path from its own directory on.
//!
//! From strong to weak: `.ignore`, `.gitignore`, `.git/info/exclude`, the user's global excludes; within each, the nearest
//! directory first. Git's own files end at the repository they lie in: what an outer repository ignores says nothing
//! about a nested one. No repository is needed for a `.gitignore` to count.

mod load;

pub(crate) use load::MAX_SIZE;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder, gitconfig_excludes_path};
use toolcrib_workspace::{Dir, FileKind, read_user_file};

/// The rules that hold in a directory.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    level: Option<Arc<Level>>,
    global: Option<Arc<Gitignore>>,
    ignored: bool,
}

/// What git ignores everywhere, as the user's configuration has it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excludes {
    file: Option<PathBuf>,
    content: Option<Vec<u8>>,
}

impl Excludes {
    /// The same files that [`Rules::global`] reads.
    pub(crate) fn now() -> Self {
        const MOST: u64 = 1 << 20;
        let file = gitconfig_excludes_path();
        let content = file.as_deref().and_then(|file| read_user_file(file, MOST));
        Self { file, content }
    }
}

/// Which of the files that matter a directory has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Present {
    ignore: bool,
    gitignore: bool,
    git: Option<FileKind>,
}

impl Present {
    /// For a directory whose entries were not looked at: it may have any.
    pub const UNKNOWN: Self = Self { ignore: true, gitignore: true, git: Some(FileKind::Directory) };

    /// The ways to the ignore files.
    pub(crate) fn ignore_files(&self) -> impl Iterator<Item = &'static [&'static str]> {
        const FILES: [&[&str]; 2] = [&[".ignore"], &[".gitignore"]];
        [self.ignore, self.gitignore]
            .into_iter()
            .zip(FILES)
            .filter_map(|(present, way)| present.then_some(way))
    }

    /// Whether there is the folder of a repository, in which an ignore file may lie.
    pub(crate) fn has_repository(&self) -> bool {
        self.git == Some(FileKind::Directory)
    }

    /// Takes note of an entry.
    pub fn saw(&mut self, name: &OsStr, kind: FileKind) {
        match name.as_bytes() {
            b".ignore" => self.ignore = true,
            b".gitignore" => self.gitignore = true,
            b".git" => self.git = Some(kind),
            _ => {}
        }
    }
}

#[derive(Debug)]
struct Level {
    /// How many bytes of a path from the root name the directory of this level.
    base: usize,
    ignore: Gitignore,
    gitignore: Gitignore,
    exclude: Gitignore,
    /// The directory is the top of a repository.
    repository: bool,
    /// How many rules there are, with those above.
    count: usize,
    above: Option<Arc<Level>>,
}

impl Rules {
    /// For a walk that leaves nothing out.
    #[must_use]
    pub fn none() -> Self {
        Self { level: None, global: None, ignored: true }
    }

    /// The user's global excludes, and nothing else yet.
    #[must_use]
    pub fn global() -> Self {
        let (global, _) = GitignoreBuilder::new("").build_global();
        Self { level: None, global: (!global.is_empty()).then(|| Arc::new(global)), ignored: false }
    }

    /// Whether what is ignored is wanted, so that these rules leave nothing out.
    #[must_use]
    pub fn show_ignored(&self) -> bool {
        self.ignored
    }

    /// The same without what directories say.
    #[must_use]
    pub fn without_levels(&self) -> Self {
        Self { level: None, ..self.clone() }
    }

    /// The rules inside `directory`, whose path from the root has `base` bytes.
    #[must_use]
    pub fn enter(&self, directory: &Dir, base: usize, present: Present) -> Self {
        if self.ignored {
            return self.clone();
        }
        match Level::load(directory, base, present, self.level.clone()) {
            Some(level) => Self { level: Some(Arc::new(level)), ..self.clone() },
            None => self.clone(),
        }
    }

    /// Whether the rules leave out an entry at this path from the root.
    #[must_use]
    pub fn ignore(&self, path: &[u8], directory: bool) -> bool {
        let (mut git, mut exclude) = (None, None);
        let mut in_repository = true;
        let mut next = self.level.as_deref();
        while let Some(level) = next {
            let path = level.own_part(path);
            if let Some(verdict) = verdict(&level.ignore, path, directory) {
                return verdict;
            }
            if in_repository {
                git = git.or_else(|| verdict(&level.gitignore, path, directory));
                exclude = exclude.or_else(|| verdict(&level.exclude, path, directory));
                in_repository = !level.repository;
            }
            next = level.above.as_deref();
        }
        let global = || self.global.as_ref().and_then(|rules| verdict(rules, as_path(path), directory));
        git.or(exclude).or_else(global).unwrap_or(false)
    }
}

impl Level {
    fn own_part<'p>(&self, path: &'p [u8]) -> &'p Path {
        let start = if self.base == 0 { 0 } else { self.base + 1 };
        as_path(path.get(start..).unwrap_or_default())
    }
}

/// Whether the rules leave the path out; none where they say nothing about it.
fn verdict(rules: &Gitignore, path: &Path, directory: bool) -> Option<bool> {
    match rules.matched(path, directory) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}
