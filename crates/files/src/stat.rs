//! Facts about a file or directory, without its content.

use std::path::PathBuf;
use std::time::SystemTime;

use toolcrib_access::{Opened, OpenedDir, Sandbox, disk_error};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Links, Stat};

use crate::{EntryKind, FilePath};

/// Which file or directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatRequest {
    /// Its path, as the caller named it. A link that stays inside is followed.
    pub path: PathBuf,
}

/// What is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStat {
    /// Where it is.
    pub path: FilePath,
    /// What it is.
    pub kind: EntryKind,
    /// How many bytes a file has.
    pub size: Option<u64>,
    /// The size as the kernel gives it, of a directory too.
    pub raw_size: u64,
    /// When its content last changed.
    pub modified: SystemTime,
    /// When it was last read, as far as the mount keeps that.
    pub accessed: SystemTime,
    /// When it was created, where the file system keeps that.
    pub created: Option<SystemTime>,
    /// Its permission bits.
    pub mode: u32,
}

/// Looks at a file or directory.
///
/// # Errors
///
/// If there is none that may be read, or if it is neither a regular file nor a directory.
pub fn stat(sandbox: &Sandbox<'_>, request: &StatRequest) -> Result<FileStat, ToolError> {
    let facts = |path, kind, size, stat: &Stat| FileStat {
        path,
        kind,
        size,
        raw_size: stat.size,
        modified: stat.mtime,
        accessed: stat.atime,
        created: stat.btime,
        mode: stat.mode & 0o7777,
    };
    match sandbox.open_file(&request.path) {
        Ok(Opened { file, location }) => {
            let stat = file.stat();
            Ok(facts(FilePath::new(&location), EntryKind::File, Some(stat.size), stat))
        }
        Err(error) if error.kind() == ErrorKind::IsDirectory => {
            let OpenedDir { location, .. } = sandbox.open_dir(&request.path)?;
            let stat = location.workspace.stat(&location.path, Links::Follow).map_err(disk_error)?;
            Ok(facts(FilePath::new(&location), EntryKind::Directory, None, &stat))
        }
        Err(error) => Err(error),
    }
}
