//! What can be said on the command line.

use std::path::{Path, PathBuf};

use crate::Result;

/// Where the edits come from, and who makes them.
pub(crate) struct Options {
    /// Git repositories.
    pub(crate) repositories: Vec<String>,
    /// How many edits are taken from their histories together.
    pub(crate) edits: usize,
    /// Files that say how an MCP server is called.
    pub(crate) adapters: Vec<PathBuf>,
    /// Programs that take a patch on their standard input.
    pub(crate) programs: Vec<PathBuf>,
    /// Every dialect takes part, and one line is shown for each contestant.
    pub(crate) dialects: bool,
    /// Show what Toolcrib refused, too.
    pub(crate) refusals: bool,
}

impl Options {
    pub(crate) fn read(arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self {
            repositories: Vec::new(),
            edits: 400,
            adapters: Vec::new(),
            programs: Vec::new(),
            dialects: false,
            refusals: false,
        };
        let mut words = arguments;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
            match word.as_str() {
                "--edits" => options.edits = value()?.parse()?,
                "--adapter" => options.adapters.push(adapter(&value()?)),
                "--program" => options.programs.push(value()?.into()),
                "--dialects" => options.dialects = true,
                "--refusals" => options.refusals = true,
                // Cargo says so to every benchmark.
                "--bench" => {}
                option if option.starts_with('-') => return Err(format!("unknown option {option}").into()),
                _ => options.repositories.push(word),
            }
        }
        if options.repositories.is_empty() {
            options.repositories.push(format!("{}/../..", env!("CARGO_MANIFEST_DIR")));
        }
        Ok(options)
    }
}

/// An adapter by its path, or by the name of one that comes with the benchmark.
fn adapter(name: &str) -> PathBuf {
    let own =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/accuracy/adapters").join(format!("{name}.json"));
    if own.exists() { own } else { name.into() }
}
