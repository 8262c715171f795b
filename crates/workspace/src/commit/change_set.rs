//! What is to be changed, as a value: nothing here touches the disk.
//!
//! Each change names the content it is based on. A commit carries all of them out or none, and only if every file still
//! holds what its change was based on.

use std::path::PathBuf;

use crate::open::version::Version;
use crate::path::WorkspacePath;

/// What a change finds in its place, or it is not carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Nothing: the file is new.
    Absent,
    /// A file with this content.
    Version(Version),
}

/// What is to become of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is created, with the directories above it, or gets other content.
    Write {
        /// The file. A link that stays inside is followed: its target changes and the link stays.
        path: WorkspacePath,
        /// What must be there.
        base: Base,
        /// What it holds afterwards.
        content: Vec<u8>,
        /// Its permission bits afterwards. None keeps those of an existing file.
        mode: Option<u32>,
    },
    /// It is removed; directories that this empties stay.
    Remove {
        /// The file.
        path: WorkspacePath,
        /// What must be there.
        base: Version,
    },
    /// It gets another name, with its mode, owner and attributes, and maybe other content.
    Move {
        /// The file.
        from: WorkspacePath,
        /// What must be there.
        base: Version,
        /// Its new name.
        to: WorkspacePath,
        /// What must be at the new name.
        over: Base,
        /// What it holds afterwards; none keeps the content.
        content: Option<Vec<u8>>,
        /// Its permission bits afterwards; none keeps them.
        mode: Option<u32>,
    },
    /// A directory is made, with those above it.
    MakeDirectory {
        /// The directory. Nothing may have the name.
        path: WorkspacePath,
    },
    /// A directory is removed. The same set removes everything that is in it.
    RemoveDirectory {
        /// The directory.
        path: WorkspacePath,
    },
    /// A directory gets another name, with everything in it. Both names are on one file system.
    MoveDirectory {
        /// The directory.
        from: WorkspacePath,
        /// Its new name, which nothing may have.
        to: WorkspacePath,
        /// What is in it, as far as it was looked at: for those who decide about the change, not for the commit.
        inside: Vec<PathBuf>,
    },
    /// A symbolic link is made, as it was once.
    MakeLink {
        /// The link. Nothing may have the name.
        path: WorkspacePath,
        /// What it says.
        target: PathBuf,
    },
    /// A symbolic link is removed; what it leads to stays.
    RemoveLink {
        /// The link.
        path: WorkspacePath,
        /// What it must say.
        target: PathBuf,
    },
}

/// What a change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Subject {
    /// A regular file.
    #[default]
    File,
    /// A directory.
    Directory,
    /// A symbolic link itself, not what it leads to.
    Link,
}

impl Change {
    /// The file as it is called before.
    pub fn path(&self) -> &WorkspacePath {
        match self {
            Self::Write { path, .. }
            | Self::Remove { path, .. }
            | Self::Move { from: path, .. }
            | Self::MakeDirectory { path }
            | Self::RemoveDirectory { path }
            | Self::MoveDirectory { from: path, .. }
            | Self::MakeLink { path, .. }
            | Self::RemoveLink { path, .. } => path,
        }
    }

    /// Of a move, where the file or directory goes.
    pub fn target(&self) -> Option<&WorkspacePath> {
        match self {
            Self::Move { to, .. } | Self::MoveDirectory { to, .. } => Some(to),
            _ => None,
        }
    }

    /// What it is about.
    pub fn subject(&self) -> Subject {
        match self {
            Self::Write { .. } | Self::Remove { .. } | Self::Move { .. } => Subject::File,
            Self::MakeDirectory { .. } | Self::RemoveDirectory { .. } | Self::MoveDirectory { .. } => {
                Subject::Directory
            }
            Self::MakeLink { .. } | Self::RemoveLink { .. } => Subject::Link,
        }
    }
}

/// Changes that belong together: all of them happen, or none.
///
/// ```
/// use std::path::Path;
/// use toolcrib_workspace::{ChangeSet, Workspace};
/// # let dir = tempfile::tempdir()?;
/// # let root = dir.path();
///
/// let workspace = Workspace::open(root)?;
/// let mut changes = ChangeSet::default();
/// changes.create(workspace.path(Path::new("notes/a.txt"), root)?, "hello\n");
/// assert_eq!(changes.changes().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeSet {
    changes: Vec<Change>,
}

impl ChangeSet {
    /// A new file.
    pub fn create(&mut self, path: WorkspacePath, content: impl Into<Vec<u8>>) {
        self.push(Change::Write { path, base: Base::Absent, content: content.into(), mode: None });
    }

    /// Other content for the file that holds `base` now.
    pub fn update(&mut self, path: WorkspacePath, base: Version, content: impl Into<Vec<u8>>) {
        self.push(Change::Write { path, base: Base::Version(base), content: content.into(), mode: None });
    }

    /// Removes the file that holds `base` now.
    pub fn remove(&mut self, path: WorkspacePath, base: Version) {
        self.push(Change::Remove { path, base });
    }

    /// Adds a change.
    pub fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// The changes, in the order in which they were added.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}
