//! `toolcrib multiedit`: several edits of one file, from arguments or as JSON.

use std::process::ExitCode;

use serde_json::{Map, Value, json};
use toolcrib::{ErrorKind, ToolError};

use super::tool_command::{change, path};
use crate::args::{Common, MultieditArgs};
use crate::failure::Failure;
use crate::input;

pub(crate) fn run(common: &Common, args: &MultieditArgs) -> Result<ExitCode, Failure> {
    let parameters =
        Map::from_iter([("file_path".to_owned(), path(&args.path)?), ("edits".to_owned(), edits(args)?)]);
    change(common, "MultiEdit", parameters, &args.change)
}

fn edits(args: &MultieditArgs) -> Result<Value, ToolError> {
    if args.edits.is_empty() {
        return serde_json::from_str(&input::text(None, args.from.as_deref())?).map_err(|error| {
            ToolError::new(ErrorKind::InvalidParameter, format!("The edits are not valid JSON: {error}"))
                .hint(
                    r#"pass a list, such as [{"old_string": "a", "new_string": "b"}], or use --edit OLD NEW"#,
                )
        });
    }
    let pairs = args.edits.chunks_exact(2);
    Ok(pairs.map(|pair| json!({"old_string": pair[0], "new_string": pair[1]})).collect())
}
