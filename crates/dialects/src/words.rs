//! What the caller calls things.

use toolcrib_files::FilePath;
use toolcrib_tool::Parameter;

use crate::table::{Paths, Shared};

/// The names that one tool's caller knows, for sentences.
pub struct Words<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) canonical: &'a [Parameter],
    pub(crate) named: &'a [Parameter],
}

impl Words<'_> {
    /// The caller's name of a parameter.
    #[must_use]
    pub fn parameter(&self, canonical: &str) -> String {
        let at = self.canonical.iter().position(|own| own.name == canonical);
        match at.and_then(|at| self.named.get(at)) {
            Some(named) => named.name.clone(),
            None => self.shared.habits.naming.spell(canonical),
        }
    }

    /// The parameter that says where to begin reading: a line's number, or how many to skip.
    pub(crate) fn first_line(&self) -> &'static str {
        if self.canonical.iter().any(|own| own.name == "skip") { "skip" } else { "offset" }
    }

    /// The tool, or the command of one, that carries an operation out.
    #[must_use]
    pub fn tool(&self, operation: &'static str) -> &'static str {
        let tool = self.shared.names.iter().find(|(name, _)| *name == operation);
        tool.map_or(operation, |(_, tool)| tool)
    }

    /// A path as the caller's dialect shows it.
    #[must_use]
    pub fn path(&self, path: &FilePath) -> String {
        match self.shared.habits.paths {
            Paths::Absolute => path.absolute.clone(),
            Paths::Relative => path.relative.clone(),
        }
    }
}
