//! Files that a patch makes directories, and directories that it makes files.

use std::collections::BTreeSet;
use std::path::Path;

use toolcrib_access::{DirectoryDraft, Proposal, Sandbox};
use toolcrib_patch::{Action, FileChange, Patch};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Change, FileKind};

/// No path on Linux is longer (`PATH_MAX`).
const LONGEST: usize = 4096;

/// The names that are free only once the patch has taken away what has them.
pub(super) struct Swaps {
    /// Files in a directory that takes the place of a file, and files that take the place of a directory.
    freed: BTreeSet<String>,
    /// The directories that files take the place of.
    replaced: BTreeSet<String>,
    /// The files that the patch deletes.
    deleted: BTreeSet<String>,
}

impl Swaps {
    /// # Errors
    ///
    /// If a file would take the place of a directory that another file is moved out of, now or when the patch is undone: the
    /// file would have to wait in the directory that has to go.
    pub(super) fn of(sandbox: &Sandbox<'_>, patch: &Patch) -> Result<Self, ToolError> {
        let deleted = patch.files.iter().filter(|file| file.action == Action::Delete);
        let deleted: BTreeSet<String> = deleted.map(|file| file.path.clone()).collect();
        let is_move = |file: &&FileChange| file.action == Action::Move;
        let moved: BTreeSet<String> =
            patch.files.iter().filter(is_move).filter_map(|file| file.from.clone()).collect();
        let mut swaps = Self { freed: BTreeSet::new(), replaced: BTreeSet::new(), deleted };
        for file in patch.files.iter().filter(|file| file.action != Action::Delete) {
            sandbox.checkpoint()?;
            let path = &file.path;
            // Each of its directories is looked up. A path that no system takes is refused when its file is looked for.
            if path.len() > LONGEST {
                continue;
            }
            if above(path).any(|file| swaps.deleted.contains(file) || moved.contains(file)) {
                swaps.freed.insert(path.clone());
            }
            if first_in(&swaps.deleted, path).is_some() {
                swaps.freed.insert(path.clone());
                swaps.replaced.insert(path.clone());
            }
            if let Some(gone) = first_in(&moved, path) {
                return Err(moves(path, gone, "out of it"));
            }
            let from = file.from.as_ref().filter(|_| is_move(&file));
            if let Some(from) = from.filter(|from| above(path).any(|above| above == *from)) {
                return Err(moves(from, from, "into it"));
            }
        }
        Ok(swaps)
    }

    /// Whether the name may be in use by something that the patch takes away.
    pub(super) fn frees(&self, path: &str) -> bool {
        self.freed.contains(path)
    }

    /// Puts the changes in an order in which every name is free when its turn comes, with the directories that go.
    pub(super) fn order(
        &self,
        sandbox: &Sandbox<'_>,
        proposals: Vec<Proposal>,
    ) -> Result<Vec<Proposal>, ToolError> {
        if self.freed.is_empty() {
            return Ok(proposals);
        }
        let is_removal = |proposal: &Proposal| matches!(proposal.change, Change::Remove { .. });
        let (mut ordered, others): (Vec<_>, Vec<_>) = proposals.into_iter().partition(is_removal);
        for path in &self.replaced {
            if let Some(directory) = sandbox.draft_directory(Path::new(path))? {
                ordered.extend(self.emptied(path, &directory)?);
            }
        }
        ordered.extend(others);
        Ok(ordered)
    }

    /// The removal of a directory and of those in it, if the patch deletes all their files.
    fn emptied(&self, path: &str, directory: &DirectoryDraft) -> Result<Vec<Proposal>, ToolError> {
        let location = &directory.location;
        let mut directories = Vec::new();
        for entry in &directory.entries {
            let inside = location.inside(&entry.path);
            if entry.kind == FileKind::Directory {
                directories.push(inside);
                continue;
            }
            let name = entry.path.to_str().map(|rest| format!("{path}/{rest}"));
            if !name.is_some_and(|name| self.deleted.contains(&name)) {
                return Err(keeps(path, &inside.show()));
            }
        }
        directories.push(location.clone());
        let removal = |location: toolcrib_access::Location| {
            let change = Change::RemoveDirectory { path: location.path.clone() };
            Proposal { location, change, diff: String::new() }
        };
        Ok(directories.into_iter().map(removal).collect())
    }
}

/// The directories that a path names on its way.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// The first of the paths that is in the directory.
fn first_in<'p>(paths: &'p BTreeSet<String>, directory: &str) -> Option<&'p String> {
    let inside = format!("{directory}/");
    paths.range(inside.clone()..).next().filter(|path| path.starts_with(&inside))
}

fn moves(path: &str, file: &str, way: &str) -> ToolError {
    let message = format!(
        "Cannot apply the patch: {path} is a file in one state and a directory in the other, and {file} is moved {way}"
    );
    ToolError::new(ErrorKind::Unsupported, message)
        .hint("make two patches of it, and move the file by way of another name")
        .with("path", path)
}

fn keeps(path: &str, kept: &str) -> ToolError {
    let message =
        format!("Cannot apply the patch: it makes the directory {path} a file, but does not delete {kept}");
    ToolError::new(ErrorKind::Conflict, message)
        .hint("delete everything in the directory, or choose another name for the file")
        .with("path", path)
}
