//! How an agent starts the server.

use std::path::Path;

use serde_json::json;
use toolcrib::{Dialect, ErrorKind, ToolError, names};

use super::from_here;
use crate::args::Common;
use crate::program;

/// A command, what follows it, and what it is called.
pub(crate) struct Server {
    pub(crate) name: String,
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    /// The first of the directories that it serves.
    pub(crate) root: String,
}

/// How a configuration says which directory is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RootForm {
    /// Not at all: the agent starts the server in the project that it works on.
    Started,
    /// By a variable of the agent's.
    Variable(&'static str),
    /// By its path: the agent starts the server anywhere.
    Path,
}

/// Who reads the configuration that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    ThisMachine,
    Project,
}

impl Server {
    /// Called by this name, for this machine alone or for others too. Roots that were given are written as they are; where
    /// none was, the directory is named in the form that the agent knows.
    pub(crate) fn new(common: &Common, name: &str, reach: Reach, form: RootForm) -> Result<Self, ToolError> {
        let here = [Path::new(".").to_owned()];
        let roots = if common.roots.is_empty() { &here[..] } else { &common.roots };
        let roots = roots.iter().map(|root| text(&from_here(root)?)).collect::<Result<Vec<_>, _>>()?;
        let mut arguments = vec!["mcp".to_owned()];
        let named = match form {
            _ if !common.roots.is_empty() && reach == Reach::ThisMachine => roots.clone(),
            RootForm::Started => Vec::new(),
            RootForm::Variable(variable) => vec![variable.to_owned()],
            // A path of this machine means nothing to others who have the project.
            RootForm::Path if reach == Reach::Project => vec![".".to_owned()],
            RootForm::Path => roots.clone(),
        };
        arguments.extend(named.into_iter().flat_map(|root| ["--root".to_owned(), root]));
        if common.dialect != Dialect::default() {
            arguments.extend(["--dialect".to_owned(), common.dialect.to_string()]);
        }
        if let Some(config) = &common.config {
            arguments.extend(["--config".to_owned(), text(&from_here(config)?)?]);
        }
        // An agent with windows does not know the shell's search path, so the path is given in full. Others have it
        // elsewhere.
        let command = match program::path() {
            Some(program) if reach == Reach::ThisMachine => text(&program)?,
            _ => "toolcrib".to_owned(),
        };
        let root = roots.into_iter().next().unwrap_or_default();
        Ok(Self { name: name.to_owned(), command, args: arguments, root })
    }

    /// What most agents take.
    pub(crate) fn in_general(&self) -> String {
        let entry = json!({"command": self.command, "args": self.args});
        format!("{:#}", json!({"mcpServers": {&self.name: entry}}))
    }
}

fn text(path: &Path) -> Result<String, ToolError> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        ToolError::new(
            ErrorKind::InvalidParameter,
            format!(
                "{} is not valid UTF-8, so it cannot be written to a configuration file",
                names::escape(path)
            ),
        )
    })
}
