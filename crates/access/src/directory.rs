//! A directory that a tool means to make, move or delete, with everything in it; and a link that it means to delete.

use std::path::{Path, PathBuf};

use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Dir, FileKind, Links, NewWriteTarget};

use crate::draft::Draft;
use crate::error::disk_error;
use crate::policy::Access;
use crate::sandbox::{Location, Sandbox};

/// A directory and what is in it. [`Sandbox::draft_directory`] gives it.
pub struct DirectoryDraft {
    /// Where it is.
    pub location: Location,
    /// What is in it at any depth, each directory after what it contains.
    pub entries: Vec<DirectoryEntry>,
}

/// Something in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// The way from the directory.
    pub path: PathBuf,
    /// What it is; a link is a link.
    pub kind: FileKind,
}

/// A symbolic link that is to be deleted. [`Sandbox::draft_link`] gives it.
pub struct LinkDraft {
    /// Where it is.
    pub location: Location,
    /// What it says.
    pub target: PathBuf,
}

/// How many entries a directory may have that is moved or deleted in one call. Each is judged, and shown to the person who
/// is asked.
const MOST_ENTRIES: usize = 10_000;

/// How deep they may lie.
const DEEPEST: usize = 200;

impl Sandbox<'_> {
    /// Looks at a directory that is to be moved or deleted, and at everything in it. None if it is not a directory.
    ///
    /// # Errors
    ///
    /// If a rule denies changing or reading something in it, or if there is too much.
    pub fn draft_directory(&self, given: &Path) -> Result<Option<DirectoryDraft>, ToolError> {
        let location = self.locate(given)?;
        let is_directory = |links| {
            let stat = location.workspace.stat(&location.path, links);
            stat.is_ok_and(|stat| stat.kind == FileKind::Directory)
        };
        if !is_directory(Links::Keep) {
            return Ok(None);
        }
        let directory = location.workspace.open_dir(&location.path).map_err(disk_error)?;
        let location = location.at(directory.reached().clone());
        if location.path.relative().as_os_str().is_empty() {
            return Err(is_root(&location));
        }
        let mut draft = DirectoryDraft { location, entries: Vec::new() };
        self.refuse_both(&draft.location)?;
        self.add_entries(&directory, Path::new(""), 0, &mut draft)?;
        Ok(Some(draft))
    }

    /// Looks at a symbolic link that is to be deleted. None if the path does not name one. Only the link is judged: what it
    /// leads to stays, wherever that is.
    ///
    /// # Errors
    ///
    /// If it lies outside, or if a rule denies it.
    pub fn draft_link(&self, given: &Path) -> Result<Option<LinkDraft>, ToolError> {
        let location = self.locate(given)?;
        let stat = location.workspace.stat(&location.path, Links::Keep);
        if !stat.is_ok_and(|stat| stat.kind == FileKind::Symlink) {
            return Ok(None);
        }
        self.refuse_both(&location)?;
        let place = location.workspace.locate_link(&location.path).map_err(disk_error)?;
        self.refuse_both(&location.at(place.reached().clone()))?;
        let target = location.workspace.read_link(&location.path).map_err(disk_error)?;
        Ok(Some(LinkDraft { location, target }))
    }

    /// A name for a directory that is to be made, and what has it now.
    ///
    /// # Errors
    ///
    /// If it lies outside, or if a rule denies it.
    pub fn draft_new_directory(&self, given: &Path) -> Result<(Location, Option<FileKind>), ToolError> {
        let location = self.locate(given)?;
        self.refuse(Access::Edit, &location, &location.path)?;
        let place: NewWriteTarget = location.workspace.locate_new(&location.path).map_err(disk_error)?;
        self.refuse(Access::Edit, &location, place.reached())?;
        Ok((location, place.existing().map(|stat| stat.kind)))
    }

    /// A name that is free once the same call has removed what has it, or what is on the way to it. Only the name is judged:
    /// the commit finds out whether it is free.
    ///
    /// # Errors
    ///
    /// If it lies outside, or if a rule denies it.
    pub fn draft_freed(&self, given: &Path) -> Result<Draft, ToolError> {
        let location = self.locate(given)?;
        self.refuse(Access::Edit, &location, &location.path)?;
        Ok(Draft { location, before: None, standing: None })
    }

    /// A file in a directory that is to be deleted. It need not have been read: who deletes a directory means all of it.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn draft_in(&self, directory: &DirectoryDraft, entry: &DirectoryEntry) -> Result<Draft, ToolError> {
        let location = directory.location.at(directory.location.path.join(&entry.path));
        let snapshot = location.workspace.snapshot_within(&location.path, Self::MAX_CHANGED);
        let before = snapshot.map_err(disk_error)?;
        let standing = self.standing(&location, &before)?;
        Ok(Draft { location, before: Some(before), standing })
    }

    fn add_entries(
        &self,
        directory: &Dir,
        way: &Path,
        depth: usize,
        draft: &mut DirectoryDraft,
    ) -> Result<(), ToolError> {
        self.call().checkpoint()?;
        let mut entries =
            directory.entries().and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(disk_error)?;
        entries.sort();
        for entry in entries {
            let path = way.join(&entry.name);
            if draft.entries.len() >= MOST_ENTRIES || depth >= DEEPEST {
                return Err(too_much(&draft.location));
            }
            self.refuse_both(&draft.location.at(draft.location.path.join(&path)))?;
            if entry.kind == FileKind::Directory {
                let inner = directory.open_dir(&entry.name).map_err(disk_error)?;
                self.add_entries(&inner, &path, depth + 1, draft)?;
            }
            draft.entries.push(DirectoryEntry { path, kind: entry.kind });
        }
        Ok(())
    }

    /// What is moved or deleted is changed, and shown to the person who is asked.
    fn refuse_both(&self, location: &Location) -> Result<(), ToolError> {
        self.refuse(Access::Edit, location, &location.path)?;
        self.refuse(Access::Read, location, &location.path)
    }
}

fn too_much(location: &Location) -> ToolError {
    let message = format!(
        "The directory has too much in it for one call (more than {MOST_ENTRIES} entries, or deeper than {DEEPEST} \
         levels): {}",
        location.show()
    );
    ToolError::new(ErrorKind::TooLarge, message).hint("move or delete what is in it in several calls")
}

fn is_root(location: &Location) -> ToolError {
    let message =
        format!("{} is a root of the workspace, which is neither moved nor deleted", location.show());
    ToolError::new(ErrorKind::InvalidParameter, message).hint("name what is in it").with("is_root", true)
}
