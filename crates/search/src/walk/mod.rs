//! Goes over a tree by handles: each directory is opened relative to the one above it, and no link is followed.
//!
//! So the walk cannot leave the directory it starts from, whatever happens to the names meanwhile, and no path is looked
//! up twice. It knows nothing of what is looked for: a [`Visitor`] does, one for each thread.
//!
//! What is left out, in this order: hidden names, what the visitor does not want, excluded directories, what the caller's
//! own patterns exclude, what the ignore files ignore. An ignored directory is not entered, so nothing in it comes back.

mod chosen;
mod entry;
mod known;
mod links;
mod listing;
mod node;
mod ordered;
mod queue;
mod start;
mod worker;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use toolcrib_workspace::{Error, ErrorKind};

use crate::patterns::Exclude;
use crate::visibility::Visibility;
use toolcrib_text::{Stop, room_for_threads};

pub use entry::{Brief, Entry};
pub use known::walk_known;
pub use ordered::{Sorted, Step, walk_sorted};
pub use start::{Blocked, Start};

pub(crate) use chosen::{Group, visit_chosen};
pub(crate) use listing::Listing;
pub(crate) use node::Node;

use queue::Queue;
use worker::Worker;

/// What a walk leaves out beside what it was told to exclude.
#[derive(Clone, Debug, Default)]
pub struct WalkOptions {
    /// Whether names that begin with a dot are wanted.
    pub hidden: bool,
    /// What the caller excludes.
    pub exclude: Exclude,
    /// How many levels of directories are entered below the start; none means all.
    pub depth: Option<usize>,
}

/// Looks at what a walk finds. Each thread of a walk has its own.
pub trait Visitor: Send {
    /// A quick look at something that is not a directory, before the rules are asked about it.
    fn wants(&self, entry: &Entry<'_>) -> bool {
        _ = entry;
        true
    }

    /// Something that is not a directory. Breaking ends the whole walk.
    fn visit(&mut self, entry: &Entry<'_>) -> ControlFlow<()>;

    /// A directory, and whether the walk shall go in, as far as its depth allows.
    fn enter(&mut self, entry: &Entry<'_>) -> bool {
        _ = entry;
        true
    }
}

/// What became of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Directories that could not be read.
    pub unreadable: u64,
    /// Files and directories that were left out by ignore files, by the caller's patterns, or by their name.
    pub ignored: u64,
    /// Entries that it came across.
    pub seen: u64,
    /// It was stopped before its end.
    pub stopped: bool,
}

/// What all threads of a walk share.
pub(crate) struct Job<'a> {
    pub(crate) start: &'a Start,
    pub(crate) options: &'a WalkOptions,
    pub(crate) visibility: &'a dyn Visibility,
    pub(crate) stop: &'a dyn Stop,
    pub(crate) unreadable: AtomicU64,
    pub(crate) ignored: AtomicU64,
    pub(crate) seen: AtomicU64,
}

impl<'a> Job<'a> {
    fn new(
        start: &'a Start,
        options: &'a WalkOptions,
        visibility: &'a dyn Visibility,
        stop: &'a dyn Stop,
    ) -> Self {
        let [unreadable, ignored, seen] = [0; 3].map(AtomicU64::new);
        Self { start, options, visibility, stop, unreadable, ignored, seen }
    }

    /// What became of it.
    fn walked(&self, stopped: bool) -> Walked {
        let [unreadable, ignored, seen] =
            [&self.unreadable, &self.ignored, &self.seen].map(|count| count.load(Ordering::Relaxed));
        Walked { unreadable, ignored, seen, stopped }
    }

    /// Counts what is left out.
    fn counted(&self, left_out: bool) -> bool {
        if left_out {
            self.ignored.fetch_add(1, Ordering::Relaxed);
        }
        left_out
    }

    /// What vanished meanwhile is not there; anything else that cannot be read is counted.
    fn not_read(&self, error: &Error) {
        if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotDirectory) {
            self.unreadable.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Walks everything below `start` with at most `threads` threads, in no particular order, and gives the visitors back.
///
/// The first visitor works on this thread; others are made when there is enough to do for them.
pub fn walk<V: Visitor>(
    start: &Start,
    options: &WalkOptions,
    visibility: &dyn Visibility,
    stop: &dyn Stop,
    threads: usize,
    mut visitor: impl FnMut() -> V,
) -> (Vec<V>, Walked) {
    let job = Job::new(start, options, visibility, stop);
    let queue = Queue::new();
    let first = Worker::new(&job, &queue, visitor());
    let visitors = std::thread::scope(|scope| {
        let mut helpers = Vec::new();
        let mut hire = || {
            for _ in 0..room_for_threads(threads.saturating_sub(1)) {
                let helper = Worker::new(&job, &queue, visitor());
                queue.join();
                match std::thread::Builder::new().spawn_scoped(scope, move || helper.help()) {
                    Ok(helper) => helpers.push(helper),
                    // With fewer threads it takes longer, and that is all.
                    Err(_) => queue.leave(),
                }
            }
        };
        let mut visitors = vec![first.lead(&mut hire)];
        for helper in helpers {
            visitors.push(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        visitors
    });
    (visitors, job.walked(queue.was_stopped()))
}

/// How many threads a search uses unless the caller says otherwise.
#[must_use]
pub fn threads() -> usize {
    // More than this wait for each other and for the memory, rather than find more.
    const MOST: usize = 12;
    std::thread::available_parallelism().map_or(1, usize::from).min(MOST)
}
