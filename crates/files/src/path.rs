//! How an operation names the file it worked on.

use std::path::Path;

use toolcrib_tool::Location;

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
        Self { absolute: location.show(), relative: location.show_relative(&location.path) }
    }

    /// Of something that was found below a directory.
    pub(crate) fn below(directory: &Location, path: &Path) -> Self {
        let path = directory.path.join(path);
        Self { absolute: directory.workspace.show(&path), relative: directory.show_relative(&path) }
    }
}
