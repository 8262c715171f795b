//! `toolcrib multiedit`: several edits of one file, from arguments or as JSON.

use std::path::PathBuf;
use std::process::ExitCode;

use serde::Deserialize;
use toolcrib::dialects::operations::{Caller, MultiEdit};
use toolcrib::files::{Edit, Edited, edit};
use toolcrib::{ErrorKind, ToolError};

use super::edit::request;
use super::from_here;
use super::operation::{ChangeArgs, Given, change};
use crate::args::Common;
use crate::failure::Failure;
use crate::input;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib multiedit src/main.rs --edit foo bar --edit 'x = 1' 'x = 2'
  toolcrib multiedit src/main.rs < edits.json

Applies all edits or none. Each edit applies to the result of the one before it.")]
pub(crate) struct MultieditArgs {
    /// The file to edit
    path: PathBuf,
    /// Replace OLD, which must occur exactly once, with NEW; repeatable
    #[arg(short = 'e', long = "edit", value_names = ["OLD", "NEW"], num_args = 2, allow_hyphen_values = true)]
    edits: Vec<String>,
    /// Replace every occurrence of each OLD
    #[arg(short = 'a', long, requires = "edits")]
    all: bool,
    /// Read the edits from this file, as a JSON list of {"old_string", "new_string", "replace_all"}; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "edits")]
    from: Option<PathBuf>,
    #[command(flatten)]
    change: ChangeArgs,
}

pub(crate) fn run(common: &Common, args: &MultieditArgs) -> Result<ExitCode, Failure> {
    let (path, edits) = (from_here(&args.path)?, edits(args)?);
    let replace = |caller: &Caller<'_>| edit(caller.sandbox, &request(&path, &edits, &args.change, caller));
    let given = if args.edits.is_empty() { Given::Json } else { Given::Arguments };
    change::<MultiEdit>(common, &args.change, given, replace, Edited::level)
}

/// An edit as the JSON list has it, under the names that the tools use.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

fn edits(args: &MultieditArgs) -> Result<Vec<Edit>, ToolError> {
    if !args.edits.is_empty() {
        let pairs = args.edits.chunks_exact(2);
        return Ok(pairs
            .map(|pair| Edit { old: pair[0].clone(), new: pair[1].clone(), all: args.all })
            .collect());
    }
    let wrong = |message: String| {
        ToolError::new(ErrorKind::InvalidParameter, message)
            .hint(r#"pass a list, such as [{"old_string": "a", "new_string": "b"}], or use --edit OLD NEW"#)
    };
    let text = input::text(None, args.from.as_deref())?;
    if text.trim().is_empty() {
        return Err(wrong("There are no edits".to_owned()));
    }
    let listed: Vec<Listed> = serde_json::from_str(&text)
        .map_err(|error| wrong(format!("The edits are not valid JSON: {error}")))?;
    if listed.is_empty() {
        return Err(wrong("The list of edits is empty".to_owned()));
    }
    let edit = |edit: Listed| Edit { old: edit.old_string, new: edit.new_string, all: edit.replace_all };
    Ok(listed.into_iter().map(edit).collect())
}
