//! The same visits without a walk: to files that are known by their paths.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use toolcrib_index::Rules;
use toolcrib_text::{Stop, room_for_threads};
use toolcrib_workspace::FileKind;

use super::node::open_far;
use super::worker::path_of;
use super::{Entry, Job, Node, Start, Visitor, WalkOptions, Walked};
use crate::visibility::Visibility;

/// Files of one directory.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// The directory, from the root.
    pub(crate) path: Vec<u8>,
    pub(crate) names: Vec<(Box<[u8]>, FileKind)>,
}

/// With fewer files than this, another thread costs more than it saves.
const WORTH_HELP: usize = 48;

/// Visits these files with at most `threads` threads, and gives the visitors back.
pub(crate) fn visit_chosen<V: Visitor>(
    start: &Start,
    options: &WalkOptions,
    visibility: &dyn Visibility,
    stop: &dyn Stop,
    threads: usize,
    groups: &[Group],
    mut visitor: impl FnMut() -> V,
) -> (Vec<V>, Walked) {
    let job = Job::new(start, options, visibility, stop);
    let work = Work { job: &job, groups, next: AtomicUsize::new(0), stopped: AtomicBool::new(false) };
    let count: usize = groups.iter().map(|group| group.names.len()).sum();
    let helpers = if count < WORTH_HELP { 0 } else { room_for_threads(threads.saturating_sub(1)) };
    let first = visitor();
    let visitors = std::thread::scope(|scope| {
        let mut started = Vec::new();
        for _ in 0..helpers {
            let (helper, work) = (visitor(), &work);
            // With fewer threads it takes longer, and that is all.
            started.extend(std::thread::Builder::new().spawn_scoped(scope, move || work.run(helper)));
        }
        let mut visitors = vec![work.run(first)];
        for helper in started {
            visitors.push(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        visitors
    });
    (visitors, job.walked(work.stopped.load(Ordering::Relaxed)))
}

struct Work<'a> {
    job: &'a Job<'a>,
    groups: &'a [Group],
    next: AtomicUsize,
    stopped: AtomicBool,
}

impl Work<'_> {
    fn run<V: Visitor>(&self, mut visitor: V) -> V {
        let mut path = Vec::new();
        while let Some(group) = self.groups.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            if self.stopped.load(Ordering::Relaxed) || self.job.stop.stopped() {
                self.stopped.store(true, Ordering::Relaxed);
                break;
            }
            self.visit(group, &mut visitor, &mut path);
        }
        visitor
    }

    fn visit<V: Visitor>(&self, group: &Group, visitor: &mut V, path: &mut Vec<u8>) {
        let dir = match open_far(self.job.start, &group.path) {
            Ok(dir) => dir,
            Err(error) => return self.job.not_read(&error),
        };
        let wary = self.job.visibility.may_hide_in(Path::new(OsStr::from_bytes(&group.path)));
        // That rules leave none of them out is known already.
        let node = Node::new(Arc::clone(&dir), group.path.clone(), 0, Rules::none(), wary);
        for (name, kind) in &group.names {
            let name = OsStr::from_bytes(name);
            path_of(path, &node, name);
            let entry = Entry { job: self.job, node: &node, path, name, kind: *kind, known: None };
            if visitor.visit(&entry).is_break() {
                self.stopped.store(true, Ordering::Relaxed);
                return;
            }
        }
    }
}
