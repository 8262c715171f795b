//! How each tool is aimed at a file, for the tests that attack all of them.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib::{Dialect, DynTool};

/// A call of the tool that reads or changes `file`, or looks into its directory.
///
/// # Panics
///
/// For a tool that nobody has said how to aim: it would escape the attacks.
pub(crate) fn aim(tool: &str, file: &Path) -> Value {
    match tool {
        "Read" => json!({"file_path": file}),
        "read" => json!({"filePath": file}),
        unknown => panic!("say in tests/it/probes.rs how {unknown} is aimed at a file"),
    }
}

/// Every tool of every dialect.
pub(crate) fn every_tool() -> Vec<(Dialect, Arc<dyn DynTool>)> {
    Dialect::ALL
        .into_iter()
        .flat_map(|dialect| dialect.tools().into_iter().map(move |tool| (dialect, tool)))
        .collect()
}
