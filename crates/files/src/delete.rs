//! Deletes a file, a symbolic link, or a directory with everything in it.

use std::path::PathBuf;

use toolcrib_access::{DirectoryDraft, Draft, LinkDraft, Proposal, Proposed, Sandbox};
use toolcrib_edit::Names;
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Change, FileKind, Version};

use crate::FilePath;
use crate::apply_patch::Heading;
use crate::bounds::{stopped, until_over};
use crate::changed::{Shown, draft_to_take};
use crate::refused::{Refused, require_version};
use crate::undo::difference_within;

/// Which file or directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeleteRequest {
    /// The file or directory, as the caller named it.
    pub path: PathBuf,
    /// Whether a directory is deleted with everything in it.
    pub recursive: bool,
    /// What the file must hold before, as reading it gave it.
    pub expected_version: Option<String>,
}

/// What was deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// The file, link or directory.
    pub path: FilePath,
    /// Whether it was a symbolic link.
    pub link: bool,
    /// Of a directory, how many files and links were in it.
    pub files: Option<usize>,
    /// How many bytes it had in all.
    pub bytes: usize,
    /// How the change reads.
    pub shown: Shown,
}

/// Proposes that a file or a symbolic link is removed, or a directory with everything in it. Directories above stay, and so
/// does what a link leads to.
///
/// # Errors
///
/// If there is no such file, if it may not be changed, if it is not what the session has read, or if it is a
/// directory and the request does not say `recursive`.
pub fn delete(sandbox: &Sandbox<'_>, request: &DeleteRequest) -> Result<Proposed<Deleted>, Refused> {
    if let Some(directory) = sandbox.draft_directory(&request.path)? {
        if !request.recursive {
            return Err(Refused::IsDirectory { path: directory.location.show() });
        }
        return Ok(delete_directory(sandbox, &directory)?);
    }
    if let Some(link) = sandbox.draft_link(&request.path)? {
        return delete_link(link, request.expected_version.as_deref());
    }
    let mut draft = draft_to_take(sandbox, &request.path, "deleted")?;
    require_version(&draft, request.expected_version.as_deref())?;
    let before = draft.take_content(sandbox)?;
    let path = FilePath::new(&draft.location);
    let names = Names { old: Some(&path.relative), new: None };
    let shown =
        difference_within(Some(&before), None, names, &until_over(sandbox)).map_err(stopped(sandbox))?;
    let version = Version::of(&before);
    let change = Change::Remove { path: draft.location.path.clone(), base: version };
    let proposal = Proposal { location: draft.location, change, diff: shown.diff.clone() };
    Ok(Proposed::new(Deleted { path, link: false, files: None, bytes: before.len(), shown }, vec![proposal]))
}

/// A link goes by its own name, and what it leads to stays.
fn delete_link(link: LinkDraft, expected_version: Option<&str>) -> Result<Proposed<Deleted>, Refused> {
    let LinkDraft { location, target } = link;
    // A link has no version that a caller could know.
    let draft = Draft { location, before: None, standing: None };
    require_version(&draft, expected_version)?;
    let location = draft.location;
    let path = FilePath::new(&location);
    let shown = Shown { diff: Heading::of_deleted_link(&path.relative).to_string(), ..Shown::default() };
    let bytes = target.as_os_str().len();
    let change = Change::RemoveLink { path: location.path.clone(), target };
    let proposal = Proposal { location, change, diff: shown.diff.clone() };
    Ok(Proposed::new(Deleted { path, link: true, files: None, bytes, shown }, vec![proposal]))
}

/// Every file and directory is a proposal of its own, the directories after what is in them, so that rules, approval, record
/// and undo know each of them.
fn delete_directory(
    sandbox: &Sandbox<'_>,
    directory: &DirectoryDraft,
) -> Result<Proposed<Deleted>, ToolError> {
    let location = &directory.location;
    let (path, shown) = (FilePath::new(location), Shown::default());
    let mut deleted = Deleted { path, link: false, files: Some(0), bytes: 0, shown };
    let mut proposals = Vec::new();
    for entry in &directory.entries {
        sandbox.call().checkpoint()?;
        let path = location.path.join(&entry.path);
        let (location, change) = match entry.kind {
            FileKind::File => {
                let draft = sandbox.draft_in(directory, entry)?;
                draft.refuse_unseen()?;
                let Some(before) = &draft.before else { continue };
                deleted.bytes = deleted.bytes.saturating_add(before.bytes().len());
                if deleted.bytes as u64 > Sandbox::MAX_CHANGED {
                    return Err(too_large(&deleted.path));
                }
                let change = Change::Remove { path, base: before.version() };
                (draft.location, change)
            }
            FileKind::Symlink => {
                let target = location.workspace.read_link(&path).map_err(toolcrib_access::disk_error)?;
                (location.inside(&entry.path), Change::RemoveLink { path, target })
            }
            FileKind::Directory => (location.inside(&entry.path), Change::RemoveDirectory { path }),
            other => return Err(special(&location.inside(&entry.path).show(), other)),
        };
        *deleted.files.get_or_insert(0) += usize::from(entry.kind != FileKind::Directory);
        proposals.push(Proposal { location, change, diff: String::new() });
    }
    let change = Change::RemoveDirectory { path: location.path.clone() };
    proposals.push(Proposal { location: location.clone(), change, diff: String::new() });
    Ok(Proposed::new(deleted, proposals))
}

fn too_large(path: &FilePath) -> ToolError {
    let most = Sandbox::MAX_CHANGED / (1024 * 1024);
    let message = format!(
        "The files in {} have more than {most} MB, and what is deleted is kept for undo",
        path.absolute
    );
    ToolError::new(ErrorKind::TooLarge, message).hint("delete what is in it in several calls")
}

fn special(path: &str, kind: FileKind) -> ToolError {
    let message = format!("Cannot delete {path}: it is a {kind}, which undo could not bring back");
    ToolError::new(ErrorKind::Unsupported, message).hint("ask the user to remove it")
}
