//! How each tool is aimed at a file, for the tests that attack all of them.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib::{Dialect, DynTool, Settings};

/// A call of the tool that reads or changes `file` below `root`, or looks into its directory.
///
/// # Panics
///
/// For a tool that nobody has said how to aim: it would escape the attacks.
pub(crate) fn aim(tool: &str, root: &Path, file: &Path) -> Value {
    match tool {
        "Read" => json!({"file_path": file}),
        "read" => json!({"filePath": file}),
        "Write" => json!({"file_path": file, "content": "changed inside\n"}),
        "write" => json!({"filePath": file, "content": "changed inside\n"}),
        "Edit" => json!({"file_path": file, "old_string": "inside", "new_string": "changed inside"}),
        "edit" => json!({"filePath": file, "oldString": "inside", "newString": "changed inside"}),
        "MultiEdit" => {
            json!({"file_path": file, "edits": [{"old_string": "inside", "new_string": "changed inside"}]})
        }
        "multiedit" => {
            json!({"filePath": file, "edits": [{"oldString": "inside", "newString": "changed inside"}]})
        }
        "ApplyPatch" => json!({"patch_text": patch(root, file)}),
        "apply_patch" => json!({"patchText": patch(root, file)}),
        "LS" => json!({"path": directory(file)}),
        "ls" => json!({"dirPath": directory(file)}),
        "Glob" | "glob" => json!({"pattern": "**/*", "path": directory(file)}),
        "Grep" => json!({"pattern": "", "path": file, "output_mode": "content"}),
        "grep" => json!({"pattern": "", "path": file, "outputMode": "content"}),
        "Stat" | "stat" => json!({"path": file}),
        "Insert" => json!({"file_path": file, "line": 0, "content": "changed inside"}),
        "insert" => json!({"filePath": file, "line": 0, "content": "changed inside"}),
        "ReadMany" => json!({"file_paths": [file]}),
        "readMany" => json!({"filePaths": [file]}),
        "Delete" => json!({"file_path": file}),
        "delete" => json!({"filePath": file}),
        "Move" | "move" => json!({"from": file, "to": root.join("moved-here")}),
        "MakeDirectory" | "makeDirectory" => json!({"path": file}),
        unknown => panic!("say in tests/it/probes.rs how {unknown} is aimed at a file"),
    }
}

/// A call of a tool that looks into directories, aimed at one; nothing for other tools.
pub(crate) fn aim_at_directory(tool: &str, directory: &Path) -> Option<Value> {
    Some(match tool {
        "LS" => json!({"path": directory}),
        "ls" => json!({"dirPath": directory}),
        "Glob" | "glob" => json!({"pattern": "**", "path": directory}),
        _ => return None,
    })
}

/// A patch that adds a line at the end of a file, which it names from the root.
fn patch(root: &Path, file: &Path) -> String {
    let path = file.strip_prefix(root).unwrap_or(file).display();
    format!("*** Begin Patch\n*** Update File: {path}\n@@\n+changed inside\n*** End of File\n*** End Patch\n")
}

/// Whether a tool takes the file away, so that there is nothing to aim at any more.
pub(crate) fn takes_away(tool: &str) -> bool {
    matches!(tool, "Delete" | "delete" | "Move" | "move")
}

/// Whether a tool takes paths relative to the root only, without `..`.
pub(crate) fn is_patch(tool: &str) -> bool {
    matches!(tool, "ApplyPatch" | "apply_patch")
}

fn directory(file: &Path) -> &Path {
    file.parent().unwrap_or(file)
}

/// Every tool of every dialect, also those that are off by default.
pub(crate) fn every_tool() -> Vec<(Dialect, Arc<dyn DynTool>)> {
    let settings = Settings { more_tools: true, ..Settings::default() };
    Dialect::ALL
        .into_iter()
        .flat_map(|dialect| dialect.tools(settings).into_iter().map(move |tool| (dialect, tool)))
        .collect()
}

/// Every second case. Both dialects stand on the same operations, so a case is tried in one of them, in turns.
pub(crate) fn in_turns<T>(dialect: Dialect, cases: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    cases.into_iter().skip(usize::from(dialect == Dialect::Ekacode)).step_by(2)
}
