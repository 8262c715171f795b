//! What the tests stand on: a workspace in a temporary directory, and the paths that a walk over it finds.

use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tempfile::TempDir;
use toolcrib_search::{
    Blocked, Entry, Everything, Start, Stop, Visibility, Visitor, WalkOptions, Walked, walk,
};
use toolcrib_workspace::{Mounts, Workspace};

/// Held by tests that count the handles of the whole process.
pub(crate) static HANDLES: Mutex<()> = Mutex::new(());

pub(crate) fn open_handles() -> usize {
    fs::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

pub(crate) struct World {
    pub(crate) workspace: Workspace,
    base: TempDir,
    root: PathBuf,
}

impl World {
    /// A workspace with these files; each is its own name and a newline.
    pub(crate) fn with<const N: usize>(files: [&str; N]) -> Self {
        let world = Self::at("ws");
        files.iter().for_each(|file| world.write(file, format!("{file}\n")));
        world
    }

    /// An empty workspace whose root is this path below a temporary directory.
    pub(crate) fn at(path: &str) -> Self {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().join(path);
        fs::create_dir_all(&root).unwrap();
        Self { workspace: Workspace::open(&root).unwrap(), base, root }
    }

    /// The same, where what is mounted below the root belongs to it.
    pub(crate) fn with_mounts(mut self) -> Self {
        self.workspace = Workspace::builder().mounts(Mounts::Follow).root(&self.root).open().unwrap();
        self
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// What lies beside the root.
    pub(crate) fn outside(&self) -> &Path {
        self.base.path()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn link(&self, name: &str, target: impl AsRef<Path>) {
        symlink(target, self.root.join(name)).unwrap();
    }

    pub(crate) fn start(&self, path: &str, named: usize, ignored: bool) -> Result<Start, Blocked> {
        let given = self.workspace.path(Path::new(path), &self.root).unwrap();
        let dir = self.workspace.open_dir(&given).unwrap();
        Start::new(&self.workspace, dir, named, ignored).unwrap()
    }

    /// What a walk finds from the root with the default options, sorted.
    pub(crate) fn found(&self) -> Vec<String> {
        self.found_by(&Search::default())
    }

    pub(crate) fn found_by(&self, search: &Search<'_>) -> Vec<String> {
        self.walked(search).0
    }

    pub(crate) fn walked(&self, search: &Search<'_>) -> (Vec<String>, Walked) {
        let start = self.start(search.path, usize::MAX, search.ignored).unwrap();
        let (visitors, walked) =
            walk(&start, &search.options, search.visibility, search.stop, search.threads, Collect::default);
        let mut found: Vec<String> = visitors.into_iter().flat_map(|visitor| visitor.0).collect();
        found.sort();
        (found, walked)
    }
}

pub(crate) struct Search<'a> {
    pub(crate) path: &'a str,
    pub(crate) ignored: bool,
    pub(crate) options: WalkOptions,
    pub(crate) threads: usize,
    pub(crate) visibility: &'a dyn Visibility,
    pub(crate) stop: &'a dyn Stop,
}

impl Default for Search<'_> {
    fn default() -> Self {
        Self {
            path: ".",
            ignored: false,
            options: WalkOptions::default(),
            threads: 2,
            visibility: &Everything,
            stop: &|| false,
        }
    }
}

#[derive(Default)]
struct Collect(Vec<String>);

impl Visitor for Collect {
    fn visit(&mut self, entry: &Entry<'_>) -> ControlFlow<()> {
        assert!(entry.path().ends_with(entry.name()));
        if entry.may_show() {
            self.0.push(entry.path().to_str().unwrap().to_owned());
        }
        ControlFlow::Continue(())
    }
}
