//! `toolcrib multiedit`: several edits of one file, from arguments or as JSON.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, Value, json};
use toolcrib::{ErrorKind, ToolError};

use super::tool_command::{ChangeArgs, change, path};
use crate::args::Common;
use crate::failure::Failure;
use crate::input;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct MultieditArgs {
    /// The file to edit
    path: PathBuf,
    /// Replace OLD, which must occur exactly once, with NEW; repeatable
    #[arg(short = 'e', long = "edit", value_names = ["OLD", "NEW"], num_args = 2, allow_hyphen_values = true)]
    edits: Vec<String>,
    /// Read the edits from this file, as a JSON list of {"old_string", "new_string", "replace_all"}; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "edits")]
    from: Option<PathBuf>,
    #[command(flatten)]
    change: ChangeArgs,
}

const EXAMPLES: &str = "\
Examples:
  toolcrib multiedit src/main.rs --edit foo bar --edit 'x = 1' 'x = 2'
  toolcrib multiedit src/main.rs < edits.json

Applies all edits or none. Each edit applies to the result of the one before it.";

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
