//! Counts with an index: only files that may match are opened, and of all others it is known what a search would say.
//!
//! The outcome of a file that is not opened is certain: it is text without a match, it is no text, or it is too large. Whatever
//! is not certain (a file that may have changed, one whose content is in another charset, one that the policy may withhold, one
//! with a line that is too long for the pattern) is visited as a walk would visit it, by the same code.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use toolcrib_index::{
    DirId, Directory, Entry, EntryId, Flags, IN_ONE_PIECE, INDEXED, LARGE, Plan, Tree, View,
};
use toolcrib_text::{Reserved, Stop};

use super::count::{Counting, GrepOptions, Tally};
use super::engine::to_search;
use super::query::Query;
use crate::best::Best;
use crate::visibility::Visibility;
use crate::walk::{Group, Start, WalkOptions, visit_chosen};

/// Counts the matches of every file below `start`, as a walk would. Nothing, if the index cannot tell.
pub(super) fn count_indexed(
    start: &Start,
    query: &Query,
    walking: &WalkOptions,
    options: &GrepOptions,
    visibility: &dyn Visibility,
    stop: &dyn Stop,
) -> Option<Tally> {
    let plan = query.plan()?;
    // Where there is so little memory that a search would give files up as too large, it is the one to say so.
    let whole = if query.options.multiline { INDEXED } else { IN_ONE_PIECE };
    let memory = Reserved::new(to_search(whole.min(options.max_file_size))).ok()?;
    let mut view = start.index()?.view()?;
    let dir = view.tree().directory_at(start.path())?;
    let mut candidates = view.candidates(&plan).ok()?;
    candidates.iter_mut().for_each(|candidates| candidates.sort_unstable());
    let question = Question { start, query, walking, options, visibility, stop, candidates };
    let selection = if question.is_about_everything(view.tree(), dir) {
        question.select_by_flags(&mut view)?
    } else {
        question.select_by_paths(view.tree(), dir)?
    };
    let groups = groups(view.tree(), selection.chosen);
    drop(view);
    drop(memory);
    let counter = || Counting::new(query, options, stop);
    let (counters, walked) =
        visit_chosen(start, walking, visibility, stop, options.threads, &groups, counter);
    let mut tally = selection.tally;
    tally.stopped |= walked.stopped;
    tally.skipped.unreadable += walked.unreadable;
    let mut best = Best::new(options.most);
    for counting in counters {
        tally += counting.tally;
        best = best.merge(counting.best);
    }
    tally.files = best.into_sorted();
    tally.indexed = true;
    Some(tally)
}

struct Question<'a> {
    start: &'a Start,
    query: &'a Query,
    walking: &'a WalkOptions,
    options: &'a GrepOptions,
    visibility: &'a dyn Visibility,
    stop: &'a dyn Stop,
    /// Files that may match, sorted; none if any may.
    candidates: Option<Vec<EntryId>>,
}

/// What is known without opening anything, and what has to be opened.
#[derive(Default)]
struct Selection {
    tally: Tally,
    chosen: Vec<EntryId>,
}

impl Question<'_> {
    /// Whether it is about every file that is not hidden, so that no path has to be looked at.
    fn is_about_everything(&self, tree: &Tree, dir: DirId) -> bool {
        dir == Tree::ROOT
            && self.options.include.is_everything()
            && self.options.types.is_none()
            && self.walking.exclude.is_nothing()
            && self.options.max_file_size >= LARGE
            && !self.query.options.multiline
            && self.candidates.is_some()
            && tree.unreadable() == 0
            && self.visibility.identity().is_some()
    }

    /// Looks at one byte of each file.
    fn select_by_flags(&self, view: &mut View<'_>) -> Option<Selection> {
        self.judge(view.tree_mut()?)?;
        let tree = view.tree();
        let mut counts = [0_u64; 256];
        for flags in tree.all_flags() {
            counts[usize::from(flags.bits())] += 1;
        }
        let mut tally = Tally::default();
        for (bits, count) in (0_u8..=255).zip(counts) {
            let flags = Flags::from_bits(bits);
            if flags.has(self.hidden()) || !flags.has(Flags::FILE.and(Flags::DIRECTORY)) {
                continue;
            }
            match () {
                () if flags.has(Flags::IGNORED) => tally.ignored += count,
                () if flags.has(Flags::DIRECTORY) || !is_certain(flags) => {}
                () if flags.has(Flags::BINARY) => tally.skipped.binary += count,
                () => tally.searched += count,
            }
        }
        for id in tree.large().filter(|id| self.is_wanted(tree, *id) && self.is_too_large(tree, *id)) {
            let counted = if tree.flags(id).has(Flags::BINARY) {
                &mut tally.skipped.binary
            } else {
                &mut tally.searched
            };
            *counted -= 1;
            tally.skipped.too_large += 1;
        }
        let certain = self.candidates.iter().flatten().copied().chain(tree.long_lines());
        let mut chosen: Vec<EntryId> = certain
            .filter(|id| self.is_wanted(tree, *id) && !tree.flags(*id).has(Flags::BINARY))
            .filter(|id| !self.is_too_large(tree, *id) && self.may_match(tree, *id))
            .collect();
        chosen.sort_unstable();
        chosen.dedup();
        tally.searched -= chosen.len() as u64;
        let uncertain = tree.unknown().chain(tree.wary());
        chosen.extend(uncertain.filter(|id| !tree.flags(*id).has(self.hidden())));
        chosen.sort_unstable();
        chosen.dedup();
        Some(Selection { tally, chosen })
    }

    /// Which files the policy wants to be asked about does not change while the policy is the same.
    fn judge(&self, tree: &mut Tree) -> Option<()> {
        let mut last: Option<(DirId, bool)> = None;
        tree.judge(self.visibility.identity()?, |directory, entry| {
            let wary = match last {
                Some((dir, wary)) if dir == entry.dir() => wary,
                _ => self.visibility.may_hide_in(as_path(directory.path())),
            };
            last = Some((entry.dir(), wary));
            wary || self.visibility.may_hide(entry.name())
        });
        Some(())
    }

    /// Goes over the table as a walk goes over the directories.
    fn select_by_paths(&self, tree: &Tree, dir: DirId) -> Option<Selection> {
        let mut selection = Selection::default();
        let mut left = vec![dir];
        let mut path = Vec::new();
        while let Some(dir) = left.pop() {
            if self.stop.stopped() {
                return None;
            }
            let directory = tree.directory(dir)?;
            selection.tally.skipped.unreadable += u64::from(directory.is_unreadable());
            let wary = self.visibility.may_hide_in(as_path(directory.path()));
            for id in directory.entries() {
                let (entry, flags) = (tree.entry(*id)?, tree.flags(*id));
                if flags.has(Flags::HIDDEN) && !self.walking.hidden {
                    continue;
                }
                if flags.has(Flags::DIRECTORY) {
                    let left_out =
                        flags.has(Flags::IGNORED) || self.excludes(directory, entry, true, &mut path);
                    selection.tally.ignored += u64::from(left_out);
                    left.extend(entry.inside().filter(|_| !left_out));
                } else if flags.has(Flags::FILE) && self.includes(directory, entry, &mut path) {
                    let left_out =
                        flags.has(Flags::IGNORED) || self.excludes(directory, entry, false, &mut path);
                    if left_out {
                        selection.tally.ignored += 1;
                    } else {
                        let wary = wary || self.visibility.may_hide(entry.name());
                        self.add(&mut selection, tree, *id, flags, wary);
                    }
                }
            }
        }
        Some(selection)
    }

    fn add(&self, selection: &mut Selection, tree: &Tree, id: EntryId, flags: Flags, wary: bool) {
        let Selection { tally, chosen } = selection;
        match () {
            () if wary || flags.has(Flags::UNKNOWN) => chosen.push(id),
            () if self.is_too_large(tree, id) => tally.skipped.too_large += 1,
            () if flags.has(Flags::BINARY) => tally.skipped.binary += 1,
            () if self.may_match(tree, id) => chosen.push(id),
            () => tally.searched += 1,
        }
    }

    /// Whether a certain file has to be searched: it may hold what is looked for, or the pattern may take too long on it.
    fn may_match(&self, tree: &Tree, id: EntryId) -> bool {
        let listed = self.candidates.as_ref().is_none_or(|candidates| candidates.binary_search(&id).is_ok());
        listed
            || tree.entry(id).is_none_or(|entry| {
                // What crosses lines may cross parts too.
                let apart = self.query.options.multiline && entry.is_in_parts();
                apart || !self.query.decides(entry.facts().size, entry.longest_line())
            })
    }

    fn is_too_large(&self, tree: &Tree, id: EntryId) -> bool {
        tree.entry(id).is_some_and(|entry| entry.facts().size > self.options.max_file_size)
    }

    /// Whether it is a file that a search looks at, and the outcome of which is certain.
    fn is_wanted(&self, tree: &Tree, id: EntryId) -> bool {
        let flags = tree.flags(id);
        flags.has(Flags::FILE) && !flags.has(self.hidden().and(Flags::IGNORED)) && is_certain(flags)
    }

    fn hidden(&self) -> Flags {
        if self.walking.hidden { Flags::default() } else { Flags::HIDDEN.and(Flags::BELOW_HIDDEN) }
    }

    fn includes(&self, directory: &Directory, entry: &Entry, path: &mut Vec<u8>) -> bool {
        let (include, types) = (&self.options.include, &self.options.types);
        if include.is_everything() && types.is_none() {
            return true;
        }
        let path = self.path_of(directory, entry, path);
        include.includes(path) && types.as_ref().is_none_or(|types| types.include(path))
    }

    fn excludes(&self, directory: &Directory, entry: &Entry, is_directory: bool, path: &mut Vec<u8>) -> bool {
        let exclude = &self.walking.exclude;
        !exclude.is_nothing() && exclude.excludes(self.path_of(directory, entry, path), is_directory)
    }

    /// The path from where the search starts.
    fn path_of<'p>(&self, directory: &Directory, entry: &Entry, path: &'p mut Vec<u8>) -> &'p Path {
        path.clear();
        if let Some(below) = directory.path().get(self.start.skip()..).filter(|below| !below.is_empty()) {
            path.extend_from_slice(below);
            path.push(b'/');
        }
        path.extend_from_slice(entry.name().as_bytes());
        as_path(path)
    }
}

/// Whether it is known what a search would make of the file, up to whether it matches.
fn is_certain(flags: Flags) -> bool {
    !flags.has(Flags::UNKNOWN.and(Flags::WARY))
}

/// How many files of a directory are given to a thread at once.
const PORTION: usize = 64;

fn groups(tree: &Tree, mut chosen: Vec<EntryId>) -> Vec<Group> {
    chosen.sort_unstable_by_key(|id| (tree.entry(*id).map(Entry::dir), *id));
    let mut groups: Vec<Group> = Vec::new();
    let mut last = None;
    for id in chosen {
        let Some(entry) = tree.entry(id) else { continue };
        let is_full = groups.last().is_none_or(|group| group.names.len() >= PORTION);
        if is_full || last != Some(entry.dir()) {
            let path = tree.directory(entry.dir()).map_or_else(Vec::new, |dir| dir.path().to_vec());
            groups.push(Group { path, names: Vec::new() });
            last = Some(entry.dir());
        }
        if let Some(group) = groups.last_mut() {
            group.names.push((entry.name().as_bytes().into(), entry.kind()));
        }
    }
    groups
}

fn as_path(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

impl Query {
    /// Whether a search of such a file always comes to an end: the pattern is not too much for its longest piece.
    fn decides(&self, size: u64, longest_line: u32) -> bool {
        let longest = if self.options.multiline { size } else { u64::from(longest_line) };
        longest <= self.matcher.at_once() as u64
    }

    /// What a file must hold to match. Nothing, if that cannot be told: then every file has to be searched.
    fn plan(&self) -> Option<Plan> {
        if self.options.invert {
            return Some(Plan::Everything);
        }
        self.matcher.hir().map(Plan::of)
    }
}
