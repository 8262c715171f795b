//! The folder in which a row is measured: a workspace, Toolcrib's state and the user's configuration.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use serde_json::Value;
use toolcrib::{Config, ToolResult, Toolbox, state_folder};

use crate::Result;

/// What is measured, with everything that has to be there before it.
pub(crate) type Act = Box<dyn FnOnce() -> Result<()>>;

/// A folder of its own for each ground.
pub(crate) struct Place(PathBuf);

/// No call of a row may end because its time is up.
const TIMEOUT: Duration = Duration::from_secs(3600);

impl Place {
    /// In this folder, with a configuration that lets everything be measured: all tools, files that were not read first, and no
    /// index but the one that a row builds.
    pub(crate) fn new(folder: &Path) -> Result<Self> {
        let place = Self(folder.to_owned());
        for part in ["root", "state", "config/toolcrib", "originals"] {
            fs::create_dir_all(folder.join(part))?;
        }
        place.configure("")?;
        Ok(place)
    }

    /// One that was made before.
    pub(crate) fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// Puts more into the configuration.
    pub(crate) fn configure(&self, more: &str) -> Result<()> {
        let text = format!(
            "more_tools = true\nundo_tool = true\nread_before_write = false\n[search]\nindex = \"off\"\n{more}"
        );
        Ok(fs::write(self.0.join("config/toolcrib/config.toml"), text)?)
    }

    /// Has a process use its state and its configuration.
    pub(crate) fn lend<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("HOME", &self.0).env("XDG_STATE_HOME", self.0.join("state"));
        command.env("XDG_CONFIG_HOME", self.0.join("config")).current_dir(self.root())
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.0.join("root")
    }

    /// A path in the workspace.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// A path beside the workspace.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file of the workspace, and the directories above it.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<()> {
        let path = self.path(name);
        fs::create_dir_all(path.parent().ok_or("no parent")?)?;
        Ok(fs::write(path, content)?)
    }

    /// Writes a file of the workspace that [`restore`](Self::restore) brings back.
    pub(crate) fn keep(&self, name: &str, content: impl AsRef<[u8]>) -> Result<()> {
        fs::write(self.0.join("originals").join(name), content)?;
        self.restore(name)
    }

    /// Brings a file back that was changed.
    pub(crate) fn restore(&self, name: &str) -> Result<()> {
        fs::copy(self.0.join("originals").join(name), self.path(name))?;
        Ok(())
    }

    /// Empties the workspace.
    pub(crate) fn clear(&self) -> Result<()> {
        fs::remove_dir_all(self.root())?;
        Ok(fs::create_dir(self.root())?)
    }

    pub(crate) fn toolbox(&self) -> Result<Toolbox> {
        self.toolbox_on(&[self.root()])
    }

    pub(crate) fn toolbox_on(&self, roots: &[PathBuf]) -> Result<Toolbox> {
        let state = state_folder().ok_or("no state folder")?;
        let builder =
            Toolbox::builder().config(Config::load_default()?).journal_in(&state).keep_sessions_in(&state);
        Ok(kept(roots.iter().fold(builder, |builder, root| builder.root(root)).open()?))
    }

    /// A call whose answer has to hold a text.
    pub(crate) fn call(&self, tool: &'static str, arguments: Value, holds: &'static str) -> Result<Act> {
        let toolbox = self.toolbox()?;
        Ok(Box::new(move || call(&toolbox, tool, arguments, holds)))
    }

    /// A call that changes a file, which is brought back first.
    pub(crate) fn change(
        &self,
        file: &str,
        tool: &'static str,
        arguments: Value,
        holds: &'static str,
    ) -> Result<Act> {
        self.restore(file)?;
        self.call(tool, arguments, holds)
    }

    /// A command, as it is typed.
    pub(crate) fn command(&self, arguments: &[&str]) -> Result<Act> {
        let mut all = vec![OsString::from("toolcrib")];
        all.extend(arguments.iter().map(OsString::from));
        all.extend(["--root".into(), self.root().into_os_string()]);
        Ok(Box::new(move || {
            let code = toolcrib_cli::run(all, None);
            if code == ExitCode::SUCCESS {
                Ok(())
            } else {
                Err(format!("the command ended with {code:?}").into())
            }
        }))
    }
}

/// A toolbox that is there until the process ends, so that its end is not measured.
pub(crate) fn kept(toolbox: Toolbox) -> Toolbox {
    std::mem::forget(toolbox.clone());
    toolbox
}

/// Calls a tool; the answer has to hold a text.
pub(crate) fn call(toolbox: &Toolbox, tool: &str, mut arguments: Value, holds: &str) -> Result<()> {
    make_absolute(&toolbox.context().working_dir, &mut arguments);
    let result =
        toolbox.call_blocking(tool, arguments, &toolbox.context().session("growth").timeout(TIMEOUT));
    let said = said(&result);
    if said.contains(holds) { Ok(()) } else { Err(format!("{tool}: {:.500}", said).into()) }
}

/// Names files as agents have to.
pub(crate) fn make_absolute(root: &Path, arguments: &mut Value) {
    for name in ["file_path", "path", "from", "to"] {
        if let Some(path) = arguments.get_mut(name)
            && let Some(given) = path.as_str()
        {
            *path = root.join(given).to_string_lossy().into();
        }
    }
}

fn said(result: &ToolResult) -> String {
    let hint = result.metadata.get("hint").and_then(Value::as_str).unwrap_or_default();
    format!("{}\n{hint}", result.to_display())
}

/// Lines of 64 bytes, each with its number.
pub(crate) fn lines(count: usize) -> String {
    numbered(0..count)
}

pub(crate) fn numbered(numbers: std::ops::Range<usize>) -> String {
    let mut text = String::with_capacity(numbers.len() * LINE);
    for number in numbers {
        text.push_str(&line(number));
    }
    text
}

/// How many bytes a line has.
pub(crate) const LINE: usize = 64;

pub(crate) fn line(number: usize) -> String {
    let mut line = String::with_capacity(LINE);
    _ = writeln!(line, "line {number:>10} of a text that is long, and says only a little");
    line
}
