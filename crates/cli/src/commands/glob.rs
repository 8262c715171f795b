//! `toolcrib glob`: files by a pattern over their paths, one a line.

use std::process::ExitCode;

use serde_json::{Map, Value, json};
use toolcrib::{Dialect, ToolResult};

use super::tool_command::{Shown, ToolCommand, left_out, number, path};
use crate::args::{Common, GlobArgs};
use crate::failure::Failure;
use crate::paint::plain;

pub(crate) fn run(common: &Common, args: &GlobArgs) -> Result<ExitCode, Failure> {
    let mut parameters = Map::from_iter([
        ("pattern".to_owned(), json!(args.pattern)),
        ("include_directories".to_owned(), json!(args.directories)),
        ("include_hidden".to_owned(), json!(args.hidden)),
        ("no_ignore".to_owned(), json!(args.no_ignore)),
        ("limit".to_owned(), json!(args.limit)),
        ("offset".to_owned(), json!(args.offset)),
    ]);
    if let Some(typed) = &args.path {
        parameters.insert("path".to_owned(), path(typed)?);
    }
    // This dialect's answer is a text with one path a line.
    let dialect = Dialect::Opencode;
    ToolCommand { common, dialect, tool: "Glob", parameters, json: args.json }.run(show)
}

fn show(result: &ToolResult, root: &str) -> Shown {
    let facts = Value::Object(result.metadata.clone());
    let (count, total) = (number(&facts, "count"), number(&facts, "total"));
    let paths = result.output.as_str().unwrap_or_default().lines();
    let mut answer = String::new();
    for path in paths.take(usize::try_from(count).unwrap_or(usize::MAX)) {
        let below = path.strip_prefix(root).and_then(|path| path.strip_prefix('/'));
        answer.push_str(&plain(below.unwrap_or(path)));
        answer.push('\n');
    }
    let mut notes = left_out(&facts, count, Some(total), "files");
    if total == 0 {
        notes.insert(0, "No files found".to_owned());
    }
    Shown { answer, notes }
}
