//! The user's configuration as a file that the user changes through a program: read, shown, replaced.

use std::path::{Path, PathBuf};

use toolcrib_access::disk_error;
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{
    ChangeSet, Durability, ErrorKind as DiskError, Version, Workspace, WorkspacePath, names,
};

use crate::Config;

/// A configuration is written by hand; one that is larger than this is something else.
const MAX_SIZE: u64 = 1024 * 1024;

/// The text of a configuration file, which may not be there yet. No agent reaches this: it is for the user's own programs.
///
/// ```
/// # let dir = std::env::temp_dir().join(format!("toolcrib-config-{}", std::process::id()));
/// # std::fs::create_dir_all(&dir)?;
/// use toolcrib::ConfigFile;
///
/// let file = ConfigFile::open(&dir.join("toolcrib/config.toml"))?;
/// assert_eq!(file.text(), "");
/// file.replace("undo_tool = true\n")?;
/// assert!(file.replace("undo_tool = false\n").is_err(), "it is another file by now");
/// # std::fs::remove_dir_all(&dir)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ConfigFile {
    path: PathBuf,
    workspace: Workspace,
    place: WorkspacePath,
    text: String,
    version: Option<Version>,
}

impl ConfigFile {
    /// Reads the file, if it is there.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or is no text.
    pub fn open(path: &Path) -> Result<Self, ToolError> {
        let (workspace, place) = reaching(path)?;
        let (text, version) = match workspace.snapshot_within(&place, MAX_SIZE) {
            Ok(snapshot) => {
                let version = snapshot.version();
                let text = String::from_utf8(snapshot.into_bytes()).map_err(|_| {
                    ToolError::new(ErrorKind::Unsupported, format!("{} is not UTF-8", names::escape(path)))
                })?;
                (text, Some(version))
            }
            Err(error) if error.kind() == DiskError::NotFound => (String::new(), None),
            Err(error) => return Err(disk_error(error)),
        };
        Ok(Self { path: path.to_owned(), workspace, place, text, version })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds; nothing if it is not there.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Gives the file this text, whole or not at all.
    ///
    /// # Errors
    ///
    /// If the text is not a configuration, or if the file is not what was read any more.
    pub fn replace(&self, text: &str) -> Result<(), ToolError> {
        Config::parse(text)?;
        let mut changes = ChangeSet::default();
        match self.version {
            Some(version) => changes.update(self.place.clone(), version, text),
            None => changes.create(self.place.clone(), text),
        }
        let committed = self.workspace.commit(&changes, Durability::Safe);
        committed.map(|_| ()).map_err(|error| {
            ToolError::new(
                ErrorKind::Conflict,
                format!("{} cannot be changed: {error}", names::escape(&self.path)),
            )
            .hint("look at the file, and try again")
        })
    }
}

/// A workspace that reaches the file: the home, so that links of those who keep such files elsewhere in it lead on, or else the
/// nearest directory that is there.
fn reaching(file: &Path) -> Result<(Workspace, WorkspacePath), ToolError> {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| file.starts_with(home));
    let folders = home.as_deref().into_iter().chain(file.ancestors().skip(1));
    let opened = folders.into_iter().find_map(|folder| {
        let workspace = Workspace::open(folder).ok()?;
        let place = workspace.path(file, folder).ok()?;
        Some((workspace, place))
    });
    opened.ok_or_else(|| {
        ToolError::new(ErrorKind::NotFound, format!("There is no folder for {}", names::escape(file)))
    })
}
