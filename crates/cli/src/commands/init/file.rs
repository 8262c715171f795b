//! The files that configurations are in: read as they are, and written whole or not at all.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolcrib::dialects::operations::{Delete, Write};
use toolcrib::files::{DeleteRequest, WriteRequest, delete, write};
use toolcrib::{
    Access, Action, ApprovalRequest, Config, Decision, ErrorKind, Origin, Rule, ToolError, Toolbox,
    disk_error, names,
};

use super::client::{self, Client};

/// A configuration is written by hand, or nearly; Claude Code keeps its history in it too.
const MAX_SIZE: u64 = 64 * 1024 * 1024;

/// A file and what it is to hold; nothing, if it is to go.
pub(super) struct Draft {
    config: ConfigFile,
    text: Option<String>,
}

impl Draft {
    pub(super) fn new(
        client: Client,
        file: &Path,
        with: impl FnOnce(&str) -> Result<String, String>,
    ) -> Result<Self, ToolError> {
        let config = ConfigFile::open(file)?;
        let text = with(config.before.as_deref().unwrap_or_default()).map_err(|why| {
            ToolError::new(ErrorKind::Unsupported, format!("{} was not changed: {why}", names::escape(file)))
                .hint(format!("`toolcrib init {} --print` prints what to add to it", client.typed()))
        })?;
        Ok(Self { config, text: Some(text) })
    }

    /// A file that is there with less in it, or without anything: gone. None if it is not there.
    pub(super) fn less(
        file: &Path,
        less: impl FnOnce(&str) -> Result<Option<String>, String>,
    ) -> Result<Option<Self>, ToolError> {
        let config = ConfigFile::open(file)?;
        let Some(before) = &config.before else { return Ok(None) };
        let text = less(before).map_err(|why| {
            ToolError::new(ErrorKind::Unsupported, format!("{} was not changed: {why}", names::escape(file)))
                .hint("remove the entry by hand")
        })?;
        Ok(Some(Self { config, text }))
    }

    pub(super) fn path(&self) -> &Path {
        &self.config.path
    }

    pub(super) fn before(&self) -> &str {
        self.config.before.as_deref().unwrap_or_default()
    }

    pub(super) fn is_change(&self) -> bool {
        self.config.before != self.text
    }

    /// Carries it out, or only shows it. The answer is the diff.
    pub(super) fn write(&self, dry_run: bool) -> Result<String, ToolError> {
        match &self.text {
            Some(text) => self.config.write(text, dry_run),
            None => self.config.remove(dry_run),
        }
    }
}

/// A file of the user's, which may not be there yet.
struct ConfigFile {
    path: PathBuf,
    before: Option<String>,
    version: Option<String>,
    toolbox: Toolbox,
}

impl ConfigFile {
    fn open(path: &Path) -> Result<Self, ToolError> {
        let toolbox = reaching(path)?;
        let workspace = toolbox.workspace();
        let place = workspace.path(path, &toolbox.context().working_dir).map_err(disk_error)?;
        let error = match workspace.snapshot_within(&place, MAX_SIZE) {
            Ok(snapshot) => {
                let version = Some(snapshot.version().to_string());
                let before = String::from_utf8(snapshot.into_bytes()).map_err(|_| {
                    ToolError::new(
                        ErrorKind::Unsupported,
                        format!("{} is not UTF-8 text", names::escape(path)),
                    )
                })?;
                return Ok(Self { path: path.to_owned(), before: Some(before), version, toolbox });
            }
            Err(error) => disk_error(error),
        };
        if error.kind() != ErrorKind::NotFound {
            return Err(error);
        }
        Ok(Self { path: path.to_owned(), before: None, version: None, toolbox })
    }

    /// Gives the file this content, or only shows it. The answer is the diff.
    fn write(&self, content: &str, dry_run: bool) -> Result<String, ToolError> {
        let request = WriteRequest {
            path: self.path.clone(),
            content: content.to_owned(),
            expected_version: self.version.clone(),
        };
        let context = self.toolbox.context().agent("init").dry_run(dry_run);
        let written = self.toolbox.perform::<Write>(&context, |caller| write(caller.sandbox, &request));
        written.map(|written| written.facts.shown.diff).map_err(|error| refused(&error))
    }

    /// Deletes the file, or only shows that. The answer is the diff.
    fn remove(&self, dry_run: bool) -> Result<String, ToolError> {
        let (path, expected_version) = (self.path.clone(), self.version.clone());
        let request = DeleteRequest { path, recursive: false, expected_version };
        let context = self.toolbox.context().agent("init").dry_run(dry_run);
        let deleted = self.toolbox.perform::<Delete>(&context, |caller| delete(caller.sandbox, &request));
        deleted.map(|deleted| deleted.facts.shown.diff).map_err(|error| refused(&error))
    }
}

fn refused(error: &ToolError) -> ToolError {
    let hint = error.next_step().unwrap_or("try again");
    ToolError::new(ErrorKind::Conflict, error.message()).hint(hint)
}

/// A toolbox that reaches the file: on the home, so that links of those who keep such files elsewhere in it lead on, or
/// else on the nearest directory that is there. The person is asked by this command, and so by no rule.
fn reaching(file: &Path) -> Result<Toolbox, ToolError> {
    let yes = Arc::new(|_: &ApprovalRequest| Decision::Once);
    // Claude Code keeps an account in the file that the server goes into, and Continue keys. Agents may not reach these, but
    // the person may.
    let mut config = Config::default();
    for file in ["**/.claude.json", "**/.continue/config.yaml"] {
        for access in [Access::Read, Access::Edit] {
            config = config.rule(Rule::new(access, file, Action::Ask, Origin::User)?);
        }
    }
    let open = |root: &Path| {
        let toolbox = Toolbox::builder().root(root).config(config.clone()).approver(yes.clone());
        toolbox.more_tools(true).open()
    };
    let home = client::folder("HOME").filter(|home| file.starts_with(home));
    let mut folders = home.as_deref().into_iter().chain(file.ancestors().skip(1));
    let mut last = ToolError::new(ErrorKind::NotFound, format!("Not a file: {}", names::escape(file)));
    folders
        .find_map(|folder| open(folder).map_err(|error| last = error).ok())
        .ok_or_else(|| last.hint("name the file with --file"))
}

/// What a configuration holds, if it is there and can be read.
pub(crate) fn text_of(file: &Path) -> Option<String> {
    ConfigFile::open(file).ok()?.before
}
