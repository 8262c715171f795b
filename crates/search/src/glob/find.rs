//! Walks, and keeps the newest of what matches.

use std::cmp::Reverse;
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Instant, SystemTime};

use toolcrib_workspace::{FileKind, Links};

use super::indexed::glob_indexed;
use super::pattern::{GlobPattern, is_hidden};
use crate::Exclude;
use crate::best::{Best, Weighs};
use crate::visibility::Visibility;
use crate::walk::{Entry, Start, Visitor, WalkOptions, walk};
use toolcrib_text::Stop;

/// What to look for beside the pattern.
#[derive(Clone, Debug)]
pub struct GlobOptions {
    /// Whether hidden files are wanted, also where the pattern does not spell them out.
    pub hidden: bool,
    /// Whether directories are wanted beside files.
    pub directories: bool,
    /// What is left out.
    pub exclude: Exclude,
    /// How many paths are kept, the newest.
    pub most: usize,
    /// How many threads may work on it.
    pub threads: usize,
}

/// What a pattern matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Globbed {
    /// The newest of what was found, the newest first; what is equally new by path.
    pub found: Vec<Found>,
    /// How many there are.
    pub total: u64,
    /// How many more may not be shown.
    pub withheld: u64,
    /// How many directories could not be read.
    pub unreadable: u64,
    /// How many files and directories the rules leave out.
    pub ignored: u64,
    /// It was stopped before the end.
    pub stopped: bool,
    /// An index had the names.
    pub indexed: bool,
}

/// Something that matches. The order is the order in which matches are shown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    modified: Reverse<SystemTime>,
    // Compared byte by byte: many files of a tree are often equally new.
    path: OsString,
}

impl Weighs for Found {
    fn weight(&self) -> usize {
        size_of::<Self>() + self.path.len()
    }
}

impl Found {
    /// The path from where the search started.
    #[must_use]
    pub fn path(&self) -> &std::path::Path {
        std::path::Path::new(&self.path)
    }

    /// When it last changed.
    #[must_use]
    pub fn modified(&self) -> SystemTime {
        self.modified.0
    }
}

/// Finds what matches below `start`, where the pattern [begins](GlobPattern::begins_in).
pub fn glob(
    start: &Start,
    pattern: &GlobPattern,
    options: &GlobOptions,
    visibility: &dyn Visibility,
    stop: &dyn Stop,
) -> Globbed {
    let walking = WalkOptions {
        hidden: options.hidden || pattern.names_hidden() || pattern.is_literal(),
        depth: pattern.deepest(),
        exclude: options.exclude.clone(),
    };
    if let Some(globbed) = glob_indexed(start, pattern, options, &walking, visibility, stop) {
        return globbed;
    }
    let began = Instant::now();
    let finder = || Finder::new(pattern, options);
    let (finders, walked) = walk(start, &walking, visibility, stop, options.threads, finder);
    let mut globbed = Globbed {
        unreadable: walked.unreadable,
        ignored: walked.ignored,
        stopped: walked.stopped,
        ..Globbed::default()
    };
    let mut best = Best::new(options.most);
    for finder in finders {
        globbed.total += finder.total;
        globbed.withheld += finder.withheld;
        best = best.merge(finder.best);
    }
    globbed.found = best.into_sorted();
    start.walked(walked.seen, began.elapsed());
    globbed
}

pub(super) struct Finder<'a> {
    pub(super) pattern: &'a GlobPattern,
    options: &'a GlobOptions,
    pub(super) best: Best<Found>,
    pub(super) total: u64,
    pub(super) withheld: u64,
}

impl Visitor for Finder<'_> {
    fn wants(&self, entry: &Entry<'_>) -> bool {
        self.means_file(entry.name())
            && matches!(entry.kind(), FileKind::File | FileKind::Symlink)
            && self.pattern.matches(entry.path())
    }

    fn visit(&mut self, entry: &Entry<'_>) -> ControlFlow<()> {
        self.take(entry);
        ControlFlow::Continue(())
    }

    fn enter(&mut self, entry: &Entry<'_>) -> bool {
        if !self.means_directory(entry.name(), entry.path()) {
            return false;
        }
        if self.takes_directory(entry.path()) {
            self.take(entry);
        }
        self.pattern.leads_into(entry.path(), entry.depth())
    }
}

impl<'a> Finder<'a> {
    pub(super) fn new(pattern: &'a GlobPattern, options: &'a GlobOptions) -> Self {
        Self { pattern, options, best: Best::new(options.most), total: 0, withheld: 0 }
    }

    /// Whether a file of this name is meant, hidden or not, if it matches.
    pub(super) fn means_file(&self, name: &OsStr) -> bool {
        self.options.hidden
            || self.pattern.is_literal()
            || self.pattern.means_hidden_file()
            || !is_hidden(name)
    }

    /// The same of a directory.
    pub(super) fn means_directory(&self, name: &OsStr, path: &Path) -> bool {
        self.options.hidden
            || !is_hidden(name)
            || self.pattern.means_hidden_directory(name)
            || (self.pattern.means_hidden_file() && self.pattern.matches(path))
    }

    /// Whether a directory is itself what is looked for.
    pub(super) fn takes_directory(&self, path: &Path) -> bool {
        self.options.directories && self.pattern.matches(path)
    }

    /// Something that matches and may be shown.
    pub(super) fn keep(&mut self, modified: SystemTime, path: &Path) {
        self.total += 1;
        self.best.push(Found { modified: Reverse(modified), path: path.into() });
    }

    fn take(&mut self, entry: &Entry<'_>) {
        // What vanished meanwhile is not there.
        let Ok(dir) = entry.dir() else { return };
        let Ok(stat) = dir.look(entry.name()) else { return };
        if stat.kind == FileKind::Symlink && !self.options.directories {
            let target = dir.stat(entry.name(), Links::Follow);
            if target.is_ok_and(|target| target.kind == FileKind::Directory) {
                return;
            }
        }
        if !entry.may_show() || !entry.may_show_linked(&stat) {
            self.withheld += 1;
            return;
        }
        self.keep(stat.mtime, entry.path());
    }
}
