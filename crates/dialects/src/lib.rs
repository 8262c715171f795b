//! How a family of agents speaks: tool names, parameters, and the text it reads back.
//!
//! A dialect decides nothing. It is a [`Table`]: one [`Row`] for each tool names an [operation](operations), its parameters
//! and facts, and the function that writes the outcome. This crate must not know the disk, nor any protocol.
//!
//! An operation is one file in `operations`, and one row in each dialect that offers it. A dialect is one file, and one line
//! in [`Dialect`].

mod changes;
mod ekacode;
mod facts;
mod folded;
mod gutter;
mod opencode;
pub mod operations;
mod refusals;
mod table;
mod tool;
mod units;
mod words;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use facts::Facts;
pub use table::{As, Habits, Naming, Paths, Render, Row, Table};
pub use tool::DialectTool;
pub use toolcrib_files::{Matching, ReadLimits, Settings};
use toolcrib_tool::{DynTool, ErrorKind, ToolError, nearest};
pub use words::Words;

/// A family of agents.
///
/// ```
/// use toolcrib_dialects::{Dialect, Settings};
///
/// let dialect: Dialect = "ekacode".parse()?;
/// assert!(dialect.tools(Settings::default()).iter().any(|tool| tool.name() == "read"));
/// # Ok::<(), toolcrib_tool::ToolError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// `Read`, `file_path`, absolute paths, answers as text.
    #[default]
    Opencode,
    /// `read`, `filePath`, paths relative to the workspace, answers as objects.
    Ekacode,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 2] = [Self::Opencode, Self::Ekacode];

    /// The name on the command line and in configurations.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Opencode => "opencode",
            Self::Ekacode => "ekacode",
        }
    }

    /// Its tools, as the user wants them.
    #[must_use]
    pub fn tools(self, settings: Settings) -> Vec<Arc<dyn DynTool>> {
        match self {
            Self::Opencode => opencode::tools(settings),
            Self::Ekacode => ekacode::tools(settings),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Dialect {
    type Err = ToolError;

    fn from_str(name: &str) -> Result<Self, ToolError> {
        Self::ALL.into_iter().find(|dialect| dialect.as_str() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str);
            let near =
                nearest(name, names).map_or_else(String::new, |near| format!(", did you mean '{near}'?"));
            ToolError::new(ErrorKind::InvalidParameter, format!("Unknown dialect '{name}'{near}"))
                .hint(format!("there are: {}", names.join(", ")))
        })
    }
}
