//! A directory of the walk, held open for as long as something below it is yet to be opened.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use toolcrib_workspace::{Dir, Error};

use super::Start;
use toolcrib_index::Rules;

#[derive(Debug)]
pub(crate) struct Node {
    /// Opened when something in it is looked at, if it is not open yet.
    dir: OnceLock<(Arc<Dir>, Open)>,
    /// The path from the root of the workspace, and how deep below the start it lies.
    pub(crate) path: Vec<u8>,
    pub(crate) depth: usize,
    /// What holds for its entries.
    pub(crate) rules: Rules,
    /// Whether the policy wants to be asked about every entry.
    pub(crate) wary: bool,
    /// Which files of it are withheld and have more names, by device and inode; looked up when one may be among them.
    pub(crate) withheld: OnceLock<Vec<(u64, u64)>>,
}

impl Node {
    pub(crate) fn new(dir: Arc<Dir>, path: Vec<u8>, depth: usize, rules: Rules, wary: bool) -> Self {
        let node = Self::closed(path, depth, rules, wary);
        node.dir.get_or_init(|| (dir, Open::new()));
        node
    }

    /// One that is not open yet.
    pub(crate) fn closed(path: Vec<u8>, depth: usize, rules: Rules, wary: bool) -> Self {
        Self { dir: OnceLock::new(), path, depth, rules, wary, withheld: OnceLock::new() }
    }

    /// The same, not open.
    pub(crate) fn to_closed(&self) -> Self {
        Self::closed(self.path.clone(), self.depth, self.rules.clone(), self.wary)
    }

    /// The directory itself.
    pub(crate) fn dir(&self, start: &Start) -> Result<&Arc<Dir>, Error> {
        if let Some((dir, _)) = self.dir.get() {
            return Ok(dir);
        }
        let dir = open_far(start, &self.path)?;
        Ok(&self.dir.get_or_init(|| (dir, Open::new())).0)
    }
}

/// Whether so many directories are open that no more should be held.
pub(crate) fn many_open() -> bool {
    OPEN.load(Ordering::Relaxed) > MANY
}

/// Opens the directory at this path from the root, step by step from the start.
pub(crate) fn open_far(start: &Start, path: &[u8]) -> Result<Arc<Dir>, Error> {
    let below = path.get(start.skip()..).unwrap_or_default();
    let mut dir = Arc::clone(start.dir());
    for name in Path::new(OsStr::from_bytes(below)) {
        dir = Arc::new(dir.open_dir(name)?);
    }
    Ok(dir)
}

/// Shells commonly allow a process 1024 open files. A deep tree must not use them up, nor must several walks at once.
const MANY: usize = 384;

static OPEN: AtomicUsize = AtomicUsize::new(0);

/// Counts as one open directory while it lives.
#[derive(Debug)]
struct Open;

impl Open {
    fn new() -> Self {
        OPEN.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where a task finds the directory it is about.
pub(crate) enum Place {
    /// By one step from the directory above it.
    In(Arc<Node>),
    /// Step by step from the start, since too many directories are open.
    Far { path: Vec<u8>, depth: usize, rules: Rules },
}
