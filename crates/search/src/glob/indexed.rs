//! Finds with an index: names and times are in its table, and only what it is not certain of is looked at.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use toolcrib_index::{DirId, Directory, Entry, Flags, Tree};
use toolcrib_text::Stop;
use toolcrib_workspace::FileKind;

use super::find::{Finder, GlobOptions, Globbed};
use super::pattern::GlobPattern;
use crate::best::Best;
use crate::visibility::Visibility;
use crate::walk::{Group, Start, WalkOptions, visit_chosen};

/// Finds what matches below `start`, as a walk would. Nothing, if the index cannot tell.
pub(super) fn glob_indexed(
    start: &Start,
    pattern: &GlobPattern,
    options: &GlobOptions,
    walking: &WalkOptions,
    visibility: &dyn Visibility,
    stop: &dyn Stop,
) -> Option<Globbed> {
    let view = start.index()?.view()?;
    let dir = view.tree().directory_at(start.path())?;
    let finder = || Finder::new(pattern, options);
    let (mut globbed, mut found, groups) = {
        let mut looking = Looking {
            start,
            walking,
            visibility,
            finder: finder(),
            globbed: Globbed::default(),
            groups: Vec::new(),
        };
        looking.look(view.tree(), dir, stop)?;
        (looking.globbed, looking.finder, looking.groups)
    };
    drop(view);
    let (finders, walked) = visit_chosen(start, walking, visibility, stop, options.threads, &groups, finder);
    globbed.stopped = walked.stopped;
    let mut best = std::mem::replace(&mut found.best, Best::new(0));
    globbed.total = found.total;
    for finder in finders {
        globbed.total += finder.total;
        globbed.withheld += finder.withheld;
        best = best.merge(finder.best);
    }
    globbed.found = best.into_sorted();
    globbed.indexed = true;
    Some(globbed)
}

struct Looking<'a> {
    start: &'a Start,
    walking: &'a WalkOptions,
    visibility: &'a dyn Visibility,
    finder: Finder<'a>,
    globbed: Globbed,
    /// What has to be looked at.
    groups: Vec<Group>,
}

impl Looking<'_> {
    /// Goes over the table as a walk goes over the directories.
    fn look(&mut self, tree: &Tree, dir: DirId, stop: &dyn Stop) -> Option<()> {
        let mut left = vec![(dir, 0)];
        while let Some((dir, depth)) = left.pop() {
            if stop.stopped() {
                return None;
            }
            let directory = tree.directory(dir)?;
            self.globbed.unreadable += u64::from(directory.is_unreadable());
            let mut path = directory.path().get(self.start.skip()..).unwrap_or_default().to_vec();
            if !path.is_empty() {
                path.push(b'/');
            }
            let below = path.len();
            let wary = self.visibility.may_hide_in(as_path(directory.path()));
            for id in directory.entries() {
                let (entry, flags) = (tree.entry(*id)?, tree.flags(*id));
                if flags.has(Flags::HIDDEN) && !self.walking.hidden {
                    continue;
                }
                let is_directory = flags.has(Flags::DIRECTORY);
                if !is_directory && !self.finder.may_be_meant(entry.name(), entry.kind()) {
                    continue;
                }
                path.truncate(below);
                path.extend_from_slice(entry.name().as_bytes());
                if is_directory {
                    let goes_in = self.enter(directory, entry, flags, as_path(&path), depth);
                    let deeper = self.walking.depth.is_none_or(|most| depth < most);
                    left.extend(entry.inside().filter(|_| goes_in && deeper).map(|dir| (dir, depth + 1)));
                } else {
                    self.file(directory, entry, flags, as_path(&path), wary);
                }
            }
        }
        Some(())
    }

    fn enter(
        &mut self,
        directory: &Directory,
        entry: &Entry,
        flags: Flags,
        path: &Path,
        depth: usize,
    ) -> bool {
        if self.is_left_out(flags, path, true) || !self.finder.means_directory(entry.name(), path) {
            return false;
        }
        if self.finder.takes_directory(path) {
            self.look_at(directory, entry);
        }
        self.finder.pattern.leads_into(path, depth)
    }

    fn file(&mut self, directory: &Directory, entry: &Entry, flags: Flags, path: &Path, wary: bool) {
        if !self.finder.pattern.matches(path) || self.is_left_out(flags, path, false) {
            return;
        }
        let is_certain = flags.has(Flags::FILE) && !flags.has(Flags::UNKNOWN);
        if is_certain && !wary && !self.visibility.may_hide(entry.name()) {
            self.finder.keep(entry.facts().modified, path);
        } else {
            self.look_at(directory, entry);
        }
    }

    fn is_left_out(&mut self, flags: Flags, path: &Path, is_directory: bool) -> bool {
        let left_out = flags.has(Flags::IGNORED) || self.walking.exclude.excludes(path, is_directory);
        self.globbed.ignored += u64::from(left_out);
        left_out
    }

    fn look_at(&mut self, directory: &Directory, entry: &Entry) {
        if self.groups.last().is_none_or(|group| group.path != directory.path()) {
            self.groups.push(Group { path: directory.path().to_vec(), names: Vec::new() });
        }
        if let Some(group) = self.groups.last_mut() {
            group.names.push((entry.name().as_bytes().into(), entry.kind()));
        }
    }
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

impl Finder<'_> {
    /// A first look at what is not a directory.
    fn may_be_meant(&self, name: &OsStr, kind: FileKind) -> bool {
        matches!(kind, FileKind::File | FileKind::Symlink)
            && self.pattern.may_end_with(name)
            && self.means_file(name)
    }
}
