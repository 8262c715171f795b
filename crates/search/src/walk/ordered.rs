//! The same walk on one thread and in order: a directory comes before what is in it.
//!
//! So a caller who wants only the first entries can end it early, and what is kept in memory is one listing for each
//! directory on the way down.

use std::cmp::Ordering as Order;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use toolcrib_workspace::{Dir, Error, FileKind};

use super::listing::Names;
use super::node::many_open;
use super::worker::path_of;
use super::{Entry, Job, Listing, Node, Start, WalkOptions, Walked};
use crate::visibility::Visibility;
use toolcrib_index::Rules;
use toolcrib_text::Stop;

/// What comes first among the entries of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sorted {
    /// Directories, then everything else, each by name.
    DirectoriesFirst,
    /// Whatever comes first when whole paths are compared.
    ByPath,
}

/// What to do after an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// If it is a directory, go in; then on.
    Enter,
    /// Go on without going in.
    Pass,
    /// End the walk.
    End,
}

/// Walks everything below `start` in order. Unlike [`walk`](super::walk) it shows directories too, and excluded ones
/// among them; what hidden names and rules leave out it does not show.
pub fn walk_sorted(
    start: &Start,
    options: &WalkOptions,
    sorted: Sorted,
    visibility: &dyn Visibility,
    stop: &dyn Stop,
    each: impl FnMut(&Entry<'_>) -> Step,
) -> Walked {
    let job = Job::new(start, options, visibility, stop);
    let mut walker = Walker { job: &job, sorted, listing: Listing::default(), frames: Vec::new(), each };
    let stopped = walker.run();
    job.walked(stopped)
}

struct Walker<'a, F> {
    job: &'a Job<'a>,
    sorted: Sorted,
    listing: Listing,
    frames: Vec<Frame>,
    each: F,
}

/// A directory on the way down, and which of its entries comes next.
struct Frame {
    node: Arc<Node>,
    names: Names,
    order: Vec<usize>,
    next: usize,
}

impl<F: FnMut(&Entry<'_>) -> Step> Walker<'_, F> {
    /// Whether it was stopped.
    fn run(&mut self) -> bool {
        let start = self.job.start;
        self.go_in(Ok(Arc::clone(start.dir())), start.path().to_vec(), 0, start.rules());
        let mut path = Vec::new();
        let mut seen = 0_usize;
        let deepest = self.job.options.depth;
        while let Some(frame) = self.frames.last_mut() {
            let Some(index) = frame.order.get(frame.next).copied() else {
                self.frames.pop();
                continue;
            };
            seen += 1;
            // A directory that was just entered may have been left in the middle.
            if (frame.next == 0 || seen.is_multiple_of(32)) && self.job.stop.stopped() {
                return true;
            }
            let node = Arc::clone(&frame.node);
            let dir = match node.dir(self.job.start) {
                Ok(dir) => dir,
                Err(error) => {
                    self.frames.pop();
                    self.job.not_read(&error);
                    continue;
                }
            };
            frame.next += 1;
            let (name, kind) = frame.names.get(index);
            path_of(&mut path, &node, name);
            let entry = Entry { job: self.job, node: &node, path: &path, name, kind, known: None };
            if entry.is_hidden() || self.job.counted(entry.is_ruled_out()) {
                continue;
            }
            match (self.each)(&entry) {
                Step::End => return false,
                Step::Enter
                    if kind == FileKind::Directory && deepest.is_none_or(|most| node.depth < most) =>
                {
                    let opened = dir.open_dir(name).map(Arc::new);
                    self.go_in(opened, path.clone(), node.depth + 1, &node.rules);
                }
                Step::Enter | Step::Pass => {}
            }
        }
        self.job.stop.stopped()
    }

    fn go_in(&mut self, opened: Result<Arc<Dir>, Error>, path: Vec<u8>, depth: usize, above: &Rules) {
        let listed = opened.and_then(|dir| self.listing.read(&dir, self.job.stop).map(|()| dir));
        let dir = match listed {
            Ok(dir) => dir,
            Err(error) => return self.job.not_read(&error),
        };
        let rules = above.enter(&dir, path.len(), self.listing.present);
        let wary = self.job.visibility.may_hide_in(Path::new(OsStr::from_bytes(&path)));
        let names = self.listing.take_names();
        let mut order: Vec<usize> = (0..names.len()).collect();
        sort(&mut order, |a, b| self.sorted.compare(names.get(*a), names.get(*b)), self.job.stop);
        if many_open()
            && let Some(above) = self.frames.last_mut()
        {
            above.node = Arc::new(above.node.to_closed());
        }
        let node = Arc::new(Node::new(dir, path, depth, rules, wary));
        self.frames.push(Frame { node, names, order, next: 0 });
    }
}

impl Sorted {
    fn compare(self, a: (&OsStr, FileKind), b: (&OsStr, FileKind)) -> Order {
        match self {
            Self::DirectoriesFirst => {
                let key = |(name, kind)| (kind != FileKind::Directory, name);
                key(a).cmp(&key(b))
            }
            Self::ByPath => whole_name(a).cmp(whole_name(b)),
        }
    }
}

/// Sorts, unless it is stopped: in runs, which are then merged, since sorting a million names takes a second.
fn sort<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Order, stop: &dyn Stop) {
    const RUN: usize = 1 << 15;
    if items.len() > RUN {
        for run in items.chunks_mut(RUN) {
            if stop.stopped() {
                return;
            }
            run.sort_unstable_by(&compare);
        }
    }
    // This finds the runs and merges them.
    items.sort_by(compare);
}

/// The name as it stands in paths: those below a directory go on with a slash.
fn whole_name<'n>((name, kind): (&'n OsStr, FileKind)) -> impl Iterator<Item = u8> + 'n {
    name.as_bytes().iter().copied().chain((kind == FileKind::Directory).then_some(b'/'))
}
