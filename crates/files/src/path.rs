//! How an operation names the file it worked on.

use std::borrow::Cow;
use std::path::{Component, Path};

use toolcrib_access::Location;
use toolcrib_workspace::{Links, WorkspacePath, names};

/// A file's path in both forms, so that each dialect can show its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePath {
    /// From the top of the file system.
    pub absolute: String,
    /// From where calls start, the first root; in full where it lies elsewhere.
    pub relative: String,
}

impl FilePath {
    /// Of what was found at this location.
    #[must_use]
    pub fn new(location: &Location) -> Self {
        let path = direct(location);
        Self { absolute: location.workspace.show(&path), relative: location.show_relative(&path) }
    }

    /// Of something that was found below a directory.
    pub(crate) fn below(directory: &Location, path: &Path) -> Self {
        let path = directory.path.join(path);
        Self { absolute: directory.workspace.show(&path), relative: directory.show_relative(&path) }
    }
}

/// How the paths of everything below a directory begin, for those who name many.
#[derive(Debug)]
pub(crate) struct Beginning(FilePath);

impl Beginning {
    pub(crate) fn of(directory: &Location) -> Self {
        let mut any = FilePath::below(directory, Path::new(ANY));
        for path in [&mut any.absolute, &mut any.relative] {
            path.truncate(path.len() - ANY.len());
        }
        Self(any)
    }

    /// The same as [`FilePath::below`], for a path of names alone.
    pub(crate) fn path(&self, below: &Path) -> FilePath {
        let below = names::escape(below);
        let [absolute, relative] =
            [&self.0.absolute, &self.0.relative].map(|start| [start, &*below].concat());
        FilePath { absolute, relative }
    }
}

/// A name that needs no escape.
const ANY: &str = "any";

/// The path without detours such as `d/../d/a.txt`. Only the disk knows where `..` leads.
fn direct(location: &Location) -> Cow<'_, WorkspacePath> {
    let path = &location.path;
    if path.relative().components().all(|part| part != Component::ParentDir) {
        return Cow::Borrowed(path);
    }
    let reached = match (path.parent(), path.relative().file_name()) {
        // The file itself need not be there yet, and may be a link.
        (Some(parent), Some(name)) => {
            location.workspace.reach(&parent, Links::Follow).map(|parent| parent.join(name))
        }
        _ => location.workspace.reach(path, Links::Follow),
    };
    reached.map_or(Cow::Borrowed(path), Cow::Owned)
}
