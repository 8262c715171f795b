//! Walks, and keeps the newest of what matches.

use std::cmp::Reverse;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::time::SystemTime;

use toolcrib_workspace::{FileKind, Links};

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
    let finder = || Finder { pattern, options, best: Best::new(options.most), total: 0, withheld: 0 };
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
    globbed
}

struct Finder<'a> {
    pattern: &'a GlobPattern,
    options: &'a GlobOptions,
    best: Best<Found>,
    total: u64,
    withheld: u64,
}

impl Visitor for Finder<'_> {
    fn wants(&self, entry: &Entry<'_>) -> bool {
        let meant = self.options.hidden
            || self.pattern.is_literal()
            || self.pattern.means_hidden_file()
            || !is_hidden(entry.name());
        meant
            && matches!(entry.kind(), FileKind::File | FileKind::Symlink)
            && self.pattern.matches(entry.path())
    }

    fn visit(&mut self, entry: &Entry<'_>) -> ControlFlow<()> {
        self.take(entry);
        ControlFlow::Continue(())
    }

    fn enter(&mut self, entry: &Entry<'_>) -> bool {
        let meant = self.options.hidden
            || !is_hidden(entry.name())
            || self.pattern.means_hidden_directory(entry.name())
            || (self.pattern.means_hidden_file() && self.pattern.matches(entry.path()));
        if !meant {
            return false;
        }
        if self.options.directories && self.pattern.matches(entry.path()) {
            self.take(entry);
        }
        self.pattern.leads_into(entry.path(), entry.depth())
    }
}

impl Finder<'_> {
    fn take(&mut self, entry: &Entry<'_>) {
        // What vanished meanwhile is not there.
        let Ok(stat) = entry.dir().look(entry.name()) else { return };
        if stat.kind == FileKind::Symlink && !self.options.directories {
            let target = entry.dir().stat(entry.name(), Links::Follow);
            if target.is_ok_and(|target| target.kind == FileKind::Directory) {
                return;
            }
        }
        if !entry.may_show() || !entry.may_show_linked(&stat) {
            self.withheld += 1;
            return;
        }
        self.total += 1;
        self.best.push(Found { modified: Reverse(stat.mtime), path: entry.path().into() });
    }
}
