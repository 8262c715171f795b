//! How an operation names the file it worked on.

use toolcrib_workspace::{Workspace, WorkspacePath};

/// A file's path in both forms, so that each dialect can show its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePath {
    /// From the top of the file system.
    pub absolute: String,
    /// From the workspace's root.
    pub relative: String,
}

impl FilePath {
    pub(crate) fn new(workspace: &Workspace, path: &WorkspacePath) -> Self {
        Self {
            absolute: workspace.absolute(path).display().to_string(),
            relative: path.relative().display().to_string(),
        }
    }
}
