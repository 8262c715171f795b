//! The walk in order over the table of an index: no directory is read, and only what the table is not certain of is looked at.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use toolcrib_index::{DirId, Entry as Known, EntryId, Flags, Tree, is_excluded};
use toolcrib_text::Stop;
use toolcrib_workspace::FileKind;

use super::node::many_open;
use super::worker::path_of;
use super::{Brief, Entry, Job, Node, Start, Step, WalkOptions, Walked};
use crate::visibility::Visibility;

/// Shows what [`walk_sorted`](super::walk_sorted) would show, directories first. Nothing, if the index cannot tell: then what was
/// shown so far counts for nothing.
pub fn walk_known(
    start: &Start,
    options: &WalkOptions,
    visibility: &dyn Visibility,
    stop: &dyn Stop,
    each: impl FnMut(&Entry<'_>) -> Step,
) -> Option<Walked> {
    let alone = options.depth == Some(0);
    let view = if alone { start.names() } else { start.index() }?.view()?;
    let tree = view.tree();
    let dir = tree.directory_at(start.path())?;
    let job = Job::new(start, options, visibility, stop);
    let mut walker = Walker { job: &job, tree, frames: Vec::new(), unreadable: 0, each };
    let stopped = walker.run(dir)?;
    let unreadable = walker.unreadable;
    Some(Walked { unreadable, ..job.walked(stopped) })
}

struct Walker<'a, F> {
    job: &'a Job<'a>,
    tree: &'a Tree,
    frames: Vec<Frame>,
    unreadable: u64,
    each: F,
}

/// A directory on the way down, and which of its entries comes next.
struct Frame {
    node: Arc<Node>,
    entries: Vec<EntryId>,
    next: usize,
}

impl<F: FnMut(&Entry<'_>) -> Step> Walker<'_, F> {
    /// Whether it was stopped.
    fn run(&mut self, dir: DirId) -> Option<bool> {
        self.go_in(dir, 0)?;
        let (mut path, mut seen) = (Vec::new(), 0_usize);
        while let Some(frame) = self.frames.last_mut() {
            let Some(id) = frame.entries.get(frame.next).copied() else {
                self.frames.pop();
                continue;
            };
            frame.next += 1;
            seen += 1;
            if seen.is_multiple_of(32) && self.job.stop.stopped() {
                return Some(true);
            }
            let node = Arc::clone(&frame.node);
            let (known, flags) = (self.tree.entry(id)?, self.tree.flags(id));
            path_of(&mut path, &node, known.name());
            let entry = Entry {
                job: self.job,
                node: &node,
                path: &path,
                name: known.name(),
                kind: known.kind(),
                known: brief(known, flags),
            };
            if entry.is_hidden() || self.job.counted(is_ruled_out(&entry, flags)) {
                continue;
            }
            let step = (self.each)(&entry);
            // A directory that should be there could not be opened: a walk counts it.
            if self.job.unreadable.load(Ordering::Relaxed) > 0 {
                return None;
            }
            let deeper = self.job.options.depth.is_none_or(|most| node.depth < most);
            match step {
                Step::End => return Some(false),
                Step::Enter if known.kind() == FileKind::Directory && deeper => {
                    self.go_in(known.inside()?, node.depth + 1)?;
                }
                Step::Enter | Step::Pass => {}
            }
        }
        Some(self.job.stop.stopped())
    }

    fn go_in(&mut self, dir: DirId, depth: usize) -> Option<()> {
        let directory = self.tree.directory(dir)?;
        if directory.is_unreadable() {
            self.unreadable += 1;
            return Some(());
        }
        let ignored = self.job.start.rules();
        let rules = if ignored.show_ignored() { ignored } else { directory.rules() }.clone();
        let path = directory.path().to_vec();
        let wary = self.job.visibility.may_hide_in(as_path(&path));
        let is_directory = |id: &EntryId| self.tree.flags(*id).has(Flags::DIRECTORY);
        let (mut entries, others): (Vec<_>, Vec<_>) =
            directory.entries().iter().copied().partition(is_directory);
        entries.extend(others);
        if many_open()
            && let Some(above) = self.frames.last_mut()
        {
            above.node = Arc::new(above.node.to_closed());
        }
        self.frames.push(Frame { node: Arc::new(Node::closed(path, depth, rules, wary)), entries, next: 0 });
        Some(())
    }
}

/// What the table is certain of: links and the like are not watched themselves, nor is what rules leave out.
fn brief(entry: &Known, flags: Flags) -> Option<Brief> {
    let is_certain = flags.has(Flags::FILE) && !flags.has(Flags::UNKNOWN);
    let facts = entry.facts();
    is_certain.then(|| Brief { kind: entry.kind(), size: facts.size, modified: facts.modified, mode: None })
}

/// The same as [`Entry::is_ruled_out`]. The table does not tell what rules leave out from directories that a search does not go into.
fn is_ruled_out(entry: &Entry<'_>, flags: Flags) -> bool {
    let directory = entry.kind == FileKind::Directory;
    if entry.job.options.exclude.excludes(entry.path(), directory) {
        return true;
    }
    flags.has(Flags::IGNORED)
        && !entry.node.rules.show_ignored()
        && (!(directory && is_excluded(entry.name)) || entry.node.rules.ignore(entry.path, true))
}

fn as_path(bytes: &[u8]) -> &Path {
    use std::os::unix::ffi::OsStrExt;
    Path::new(OsStr::from_bytes(bytes))
}
