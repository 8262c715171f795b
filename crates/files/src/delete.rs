//! Deletes a file.

use std::path::PathBuf;

use toolcrib_access::{Proposal, Proposed, Sandbox};
use toolcrib_edit::Names;
use toolcrib_workspace::{Change, Version};

use crate::FilePath;
use crate::bounds::{stopped, until_over};
use crate::changed::{Shown, draft_to_take};
use crate::refused::{Refused, require_version};
use crate::undo::difference_within;

/// Which file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeleteRequest {
    /// The file, as the caller named it.
    pub path: PathBuf,
    /// What the file must hold before, as reading it gave it.
    pub expected_version: Option<String>,
}

/// What was deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// The file.
    pub path: FilePath,
    /// How many bytes it had.
    pub bytes: usize,
    /// How the change reads.
    pub shown: Shown,
}

/// Proposes that a file is removed. Directories that this empties stay.
///
/// # Errors
///
/// If there is no such file, if it may not be changed, or if it is a link, a directory, or not what the session has read.
pub fn delete(sandbox: &Sandbox<'_>, request: &DeleteRequest) -> Result<Proposed<Deleted>, Refused> {
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
    Ok(Proposed::new(Deleted { path, bytes: before.len(), shown }, vec![proposal]))
}
