//! What the tests stand on: a workspace with a journal in a temporary directory, and trees as values.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolcrib_journal::{Entry, Journal, Options, RecordId, UndoError, Undone};
use toolcrib_workspace::{
    Base, Change, ChangeSet, CommitError, Durability, TEMPORARY_PREFIX, Version, Workspace, WorkspacePath,
};

/// A root, a state folder beside it, and the journal of the one in the other.
pub(crate) struct World {
    base: TempDir,
    pub(crate) workspace: Workspace,
    pub(crate) journal: Journal,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(Options::default())
    }

    pub(crate) fn with(options: Options) -> Self {
        let base = tempfile::Builder::new().prefix("journal").tempdir().unwrap();
        fs::create_dir(base.path().join("ws")).unwrap();
        let workspace = Workspace::open(base.path().join("ws")).unwrap();
        let journal = Journal::open_with(&base.path().join("state"), &workspace, options).unwrap();
        Self { base, workspace, journal }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.path().join("ws")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.base.path().join("state")
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn link(&self, name: &str, target: &str) {
        symlink(target, self.root().join(name)).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> WorkspacePath {
        self.workspace.path(name.as_ref(), &self.root()).unwrap()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap()
    }

    pub(crate) fn commit(&self, changes: impl IntoIterator<Item = Change>) -> Result<RecordId, CommitError> {
        self.commit_as(changes, &Entry::new("test"))
    }

    pub(crate) fn commit_as(
        &self,
        changes: impl IntoIterator<Item = Change>,
        entry: &Entry<'_>,
    ) -> Result<RecordId, CommitError> {
        Ok(self.journal.commit(&set(changes), Durability::Fast, entry)?.id)
    }

    pub(crate) fn undo(&self, id: RecordId) -> Result<Undone, UndoError> {
        self.journal.undo(id, Durability::Fast, &Entry::new("undo"))
    }

    pub(crate) fn redo(&self, id: RecordId) -> Result<Undone, UndoError> {
        self.journal.redo(id, Durability::Fast, &Entry::new("redo"))
    }

    pub(crate) fn tree(&self) -> Tree {
        tree(&self.root())
    }

    pub(crate) fn create(&self, path: &str, content: &str) -> Change {
        Change::Write { path: self.path(path), base: Base::Absent, content: content.into(), mode: None }
    }

    pub(crate) fn update(&self, path: &str, old: &str, new: &str) -> Change {
        let base = Base::Version(Version::of(old.as_bytes()));
        Change::Write { path: self.path(path), base, content: new.into(), mode: None }
    }

    pub(crate) fn remove(&self, path: &str, old: &str) -> Change {
        Change::Remove { path: self.path(path), base: Version::of(old.as_bytes()) }
    }

    pub(crate) fn move_directory(&self, from: &str, to: &str) -> Change {
        Change::MoveDirectory { from: self.path(from), to: self.path(to), inside: Vec::new() }
    }

    pub(crate) fn rename(&self, from: &str, to: &str, old: &str, over: Base, new: Option<&str>) -> Change {
        Change::Move {
            from: self.path(from),
            base: Version::of(old.as_bytes()),
            to: self.path(to),
            over,
            content: new.map(Into::into),
            mode: None,
        }
    }
}

/// Whether this is a long run.
pub(crate) fn soak() -> bool {
    std::env::var_os("TOOLCRIB_SOAK").is_some()
}

pub(crate) fn set(changes: impl IntoIterator<Item = Change>) -> ChangeSet {
    let mut set = ChangeSet::default();
    changes.into_iter().for_each(|change| set.push(change));
    set
}

/// Everything below a directory that an undo has to give back.
pub(crate) type Tree = BTreeMap<PathBuf, Node>;

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Directory { mode: u32 },
    Link { target: PathBuf },
    File { content: Vec<u8>, mode: u32, owner: (u32, u32), comment: Option<Vec<u8>> },
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Directory { mode } => write!(f, "directory {mode:o}"),
            Self::Link { target } => write!(f, "link to {target:?}"),
            Self::File { content, mode, owner, comment } => {
                let shown = String::from_utf8_lossy(&content[..content.len().min(20)]);
                write!(f, "{shown:?} {mode:o} {owner:?} {comment:?}")
            }
        }
    }
}

pub(crate) fn tree(root: &Path) -> Tree {
    tree_but(root, None)
}

/// Without what has this name in the root.
pub(crate) fn tree_but(root: &Path, left_out: Option<&str>) -> Tree {
    let mut found = Tree::new();
    for entry in fs::read_dir(root).unwrap().map(Result::unwrap) {
        if left_out.is_none_or(|name| entry.file_name() != name) {
            collect(root, entry.path(), &mut found);
        }
    }
    found
}

pub(crate) fn temporary_names(root: &Path) -> Vec<PathBuf> {
    let is_temporary = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TEMPORARY_PREFIX))
    };
    tree(root).into_keys().filter(is_temporary).collect()
}

pub(crate) fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn comment(path: &Path, text: &str) {
    rustix::fs::setxattr(path, "user.comment", text.as_bytes(), rustix::fs::XattrFlags::empty()).unwrap();
}

fn collect(root: &Path, path: PathBuf, found: &mut Tree) {
    let metadata = fs::symlink_metadata(&path).unwrap();
    let mode = metadata.mode() & 0o7777;
    let node = if metadata.is_dir() {
        fs::read_dir(&path).unwrap().for_each(|entry| collect(root, entry.unwrap().path(), found));
        Node::Directory { mode }
    } else if metadata.is_symlink() {
        Node::Link { target: fs::read_link(&path).unwrap() }
    } else {
        let mut value = vec![0; 256];
        let length = rustix::fs::getxattr(&path, "user.comment", &mut value[..]);
        let comment = length.ok().map(|length| value[..length].to_vec());
        let owner = (metadata.uid(), metadata.gid());
        Node::File { content: fs::read(&path).unwrap(), mode, owner, comment }
    };
    found.insert(path.strip_prefix(root).unwrap().to_owned(), node);
}

/// Numbers that are the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
