//! Makes a directory.

use std::path::PathBuf;

use toolcrib_access::{Proposal, Proposed, Sandbox};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Change, FileKind};

use crate::FilePath;

/// Which directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MakeDirectoryRequest {
    /// Its path, as the caller named it. Missing directories above it are made too.
    pub path: PathBuf,
}

/// A directory that exists now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeDirectory {
    /// The directory.
    pub path: FilePath,
    /// Whether it existed before.
    pub existed: bool,
}

/// Proposes a directory. One that exists is no error.
///
/// # Errors
///
/// If something else has the name, or if it may not be made.
pub fn make_directory(
    sandbox: &Sandbox<'_>,
    request: &MakeDirectoryRequest,
) -> Result<Proposed<MadeDirectory>, ToolError> {
    let (location, existing) = sandbox.draft_new_directory(&request.path)?;
    let path = FilePath::new(&location);
    match existing {
        Some(FileKind::Directory) => return Ok(MadeDirectory { path, existed: true }.into()),
        Some(_) => {
            let message = format!("Cannot create the directory {}: a file has that name", path.absolute);
            return Err(ToolError::new(ErrorKind::AlreadyExists, message).hint("choose another name"));
        }
        None => {}
    }
    let change = Change::MakeDirectory { path: location.path.clone() };
    let proposal = Proposal { location, change, diff: String::new() };
    Ok(Proposed::new(MadeDirectory { path, existed: false }, vec![proposal]))
}
