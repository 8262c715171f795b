//! One thread of a walk.

use std::ffi::{OsStr, OsString};
use std::ops::{ControlFlow, Range};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use toolcrib_workspace::{Dir, FileKind};

use super::listing::Names;
use super::node::{Place, many_open, open_far};
use super::{Entry, Job, Listing, Node, Queue, Visitor};
use toolcrib_index::Rules;

/// Something to be done.
pub(crate) enum Task {
    /// Go into a directory.
    Directory { place: Place, name: OsString },
    /// Look at those of these entries that are not directories.
    Entries { node: Arc<Node>, names: Arc<Names>, range: Range<usize> },
}

/// In a directory with more entries than this, others can help.
const PORTION: usize = 256;

/// After so many entries it is worth having others help.
const WORTH_HELP: usize = 48;

/// How many entries are looked at between two questions whether to stop.
const BETWEEN_QUESTIONS: usize = 32;

pub(crate) struct Worker<'a, V> {
    job: &'a Job<'a>,
    queue: &'a Queue,
    visitor: V,
    tasks: Vec<Task>,
    listing: Listing,
    path: Vec<u8>,
    seen: usize,
}

impl<'a, V: Visitor> Worker<'a, V> {
    pub(crate) fn new(job: &'a Job<'a>, queue: &'a Queue, visitor: V) -> Self {
        Self {
            job,
            queue,
            visitor,
            tasks: Vec::new(),
            listing: Listing::default(),
            path: Vec::new(),
            seen: 0,
        }
    }

    /// Works from the start until all is done. `hire` brings helpers.
    pub(crate) fn lead(mut self, hire: &mut dyn FnMut()) -> V {
        let _panicking = EndOnPanic(self.queue);
        let start = self.job.start;
        let mut alone = true;
        self.read(Arc::clone(start.dir()), start.path().to_vec(), 0, start.rules());
        loop {
            if alone && self.seen >= WORTH_HELP && !self.tasks.is_empty() {
                alone = false;
                hire();
            }
            if !self.step() {
                return self.ended();
            }
        }
    }

    /// Works on what others give away until all is done.
    pub(crate) fn help(mut self) -> V {
        let _panicking = EndOnPanic(self.queue);
        while self.step() {}
        self.ended()
    }

    fn ended(self) -> V {
        self.job.seen.fetch_add(self.seen as u64, Ordering::Relaxed);
        self.visitor
    }

    /// Does one task. False at the end of the walk.
    fn step(&mut self) -> bool {
        if self.is_over() {
            return false;
        }
        if self.tasks.len() > 1 && self.queue.is_hungry() {
            let half = self.tasks.len() / 2;
            self.queue.give(self.tasks.drain(..half));
        }
        let Some(task) = self.tasks.pop().or_else(|| self.queue.take()) else { return false };
        match task {
            Task::Directory { place, name } => self.directory(place, &name),
            Task::Entries { node, names, range } => {
                _ = self.entries(&node, range.map(|index| names.get(index)));
            }
        }
        true
    }

    fn directory(&mut self, place: Place, name: &OsStr) {
        let (opened, mut path, depth, rules) = match place {
            Place::In(node) => {
                let opened = node.dir(self.job.start).and_then(|dir| dir.open_dir(name));
                (opened.map(Arc::new), node.path.clone(), node.depth, node.rules.clone())
            }
            Place::Far { path, depth, rules } => {
                let opened = open_far(self.job.start, &path).and_then(|dir| dir.open_dir(name));
                (opened.map(Arc::new), path, depth, rules)
            }
        };
        match opened {
            Ok(dir) => {
                push_name(&mut path, name);
                self.read(dir, path, depth + 1, &rules);
            }
            Err(error) => self.job.not_read(&error),
        }
    }

    /// Reads a directory that was opened: looks at its entries, and puts its directories on the stack.
    fn read(&mut self, dir: Arc<Dir>, path: Vec<u8>, depth: usize, above: &Rules) {
        let mut listing = std::mem::take(&mut self.listing);
        match listing.read(&dir, self.job.stop) {
            Ok(()) => {
                let rules = above.enter(&dir, path.len(), listing.present);
                let wary = self.job.visibility.may_hide_in(Path::new(OsStr::from_bytes(&path)));
                let node = Arc::new(Node::new(dir, path, depth, rules, wary));
                self.listed(&node, &mut listing);
            }
            Err(error) => self.job.not_read(&error),
        }
        self.listing = listing;
    }

    fn listed(&mut self, node: &Arc<Node>, listing: &mut Listing) {
        let directories = listing.names().iter().filter(|(_, kind)| *kind == FileKind::Directory);
        for (count, (name, _)) in directories.enumerate() {
            if count % BETWEEN_QUESTIONS == BETWEEN_QUESTIONS - 1 && self.is_over() {
                return;
            }
            self.found_directory(node, name);
        }
        let count = listing.names().len();
        if count <= PORTION {
            _ = self.entries(node, listing.names().iter());
            return;
        }
        // Who has nothing to do may take a portion.
        let names = Arc::new(listing.take_names());
        let portions = (0..count).step_by(PORTION).map(|start| start..count.min(start + PORTION));
        self.tasks.extend(portions.map(|range| Task::Entries {
            node: Arc::clone(node),
            names: Arc::clone(&names),
            range,
        }));
    }

    fn found_directory(&mut self, node: &Arc<Node>, name: &OsStr) {
        self.seen += 1;
        let mut path = std::mem::take(&mut self.path);
        path_of(&mut path, node, name);
        let entry = Entry { job: self.job, node, path: &path, name, kind: FileKind::Directory, known: None };
        let enters =
            !entry.is_hidden() && !self.job.counted(entry.is_left_out()) && self.visitor.enter(&entry);
        if enters && self.job.options.depth.is_none_or(|most| node.depth < most) {
            let place = if many_open() {
                Place::Far { path: node.path.clone(), depth: node.depth, rules: node.rules.clone() }
            } else {
                Place::In(Arc::clone(node))
            };
            self.tasks.push(Task::Directory { place, name: name.to_owned() });
        }
        self.path = path;
    }

    fn entries<'n>(
        &mut self,
        node: &Node,
        names: impl Iterator<Item = (&'n OsStr, FileKind)>,
    ) -> ControlFlow<()> {
        let mut path = std::mem::take(&mut self.path);
        for (count, (name, kind)) in names.enumerate() {
            if count % BETWEEN_QUESTIONS == BETWEEN_QUESTIONS - 1 && self.is_over() {
                return ControlFlow::Break(());
            }
            if kind == FileKind::Directory {
                continue;
            }
            self.seen += 1;
            path_of(&mut path, node, name);
            let entry = Entry { job: self.job, node, path: &path, name, kind, known: None };
            if entry.is_hidden() || !self.visitor.wants(&entry) || self.job.counted(entry.is_left_out()) {
                continue;
            }
            if self.visitor.visit(&entry).is_break() {
                self.queue.stop();
                return ControlFlow::Break(());
            }
        }
        self.path = path;
        ControlFlow::Continue(())
    }

    fn is_over(&self) -> bool {
        if !self.queue.has_ended() && self.job.stop.stopped() {
            self.queue.stop();
        }
        self.queue.has_ended()
    }
}

pub(super) fn path_of(path: &mut Vec<u8>, node: &Node, name: &OsStr) {
    path.clear();
    path.extend_from_slice(&node.path);
    push_name(path, name);
}

fn push_name(path: &mut Vec<u8>, name: &OsStr) {
    if !path.is_empty() {
        path.push(b'/');
    }
    path.extend_from_slice(name.as_bytes());
}

/// A visitor that panics must not leave the others waiting for it.
struct EndOnPanic<'a>(&'a Queue);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}
