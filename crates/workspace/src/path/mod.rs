//! [`WorkspacePath`]: a path that is understood, and not yet touched.
//!
//! It says under which root to start and which names to follow. It does not promise that anything is there, nor
//! that the way stays inside: `..` and links are resolved by the kernel at the open, never by looking at the text.

pub mod names;
pub(crate) mod narrow;
pub(crate) mod protected;
pub(crate) mod root;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

pub use protected::Protected;
pub use root::Root;

/// Which root of the workspace: an index into [`Workspace::roots`](crate::Workspace::roots).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootId(pub(crate) usize);

impl RootId {
    /// The position in [`Workspace::roots`](crate::Workspace::roots).
    pub fn index(self) -> usize {
        self.0
    }
}

/// A root and the way from there, as [`Workspace::path`](crate::Workspace::path) understood it.
///
/// It belongs to the workspace that made it: in another one, its root would be another or none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkspacePath {
    root: RootId,
    relative: PathBuf,
    /// Written with a slash or `/.` at the end: only a directory will do.
    directory: bool,
}

impl WorkspacePath {
    /// The root it starts from.
    pub fn root(&self) -> RootId {
        self.root
    }

    /// The way from the root, empty for the root itself. A path that was asked for may hold `..`; one that was
    /// [reached](crate::OpenFile::reached) does not.
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// The relative path as text for a reader, see [`names`]; `.` for the root itself.
    pub fn show(&self) -> String {
        if self.relative.as_os_str().is_empty() {
            return ".".into();
        }
        names::escape(&self.relative).into_owned()
    }

    /// The path of `name` in the directory that this path names.
    ///
    /// `name` is taken as it is, no escape is understood: it comes from the disk.
    pub fn join(&self, name: impl AsRef<Path>) -> Self {
        let names = name.as_ref().components().filter(|part| !matches!(part, Component::RootDir));
        Self::new(self.root, &self.relative.join(names.collect::<PathBuf>()))
    }

    pub(crate) fn root_itself(&self) -> Self {
        Self { root: self.root, relative: PathBuf::new(), directory: false }
    }

    /// From the rest of a path after its root.
    pub(crate) fn new(root: RootId, relative: &Path) -> Self {
        let names = relative.components().filter(|part| !matches!(part, Component::CurDir));
        Self { root, relative: names.collect(), directory: false }
    }

    /// Insists on a directory if `given`, the path it was made from, ends in a slash or `/.`.
    pub(crate) fn ending_as(mut self, given: &OsStr) -> Self {
        let bytes = given.as_bytes();
        self.directory = bytes.ends_with(b"/") || bytes.ends_with(b"/.");
        self.directory &= !self.relative.as_os_str().is_empty();
        self
    }

    /// What the kernel is given: never empty, and with the final dot that insists on a directory.
    pub(crate) fn for_kernel(&self) -> PathBuf {
        if self.directory || self.relative.as_os_str().is_empty() {
            return self.relative.join(".");
        }
        self.relative.clone()
    }

    pub(crate) fn file_name(&self) -> Option<&OsStr> {
        self.relative.file_name()
    }

    /// The directory that it lies in; none for a root.
    pub fn parent(&self) -> Option<Self> {
        Some(Self { root: self.root, relative: self.relative.parent()?.to_owned(), directory: false })
    }
}
