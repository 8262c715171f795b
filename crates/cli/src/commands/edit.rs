//! `toolcrib edit`: one text for another.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toolcrib::dialects::operations::{self, Caller};
use toolcrib::files::{Edit, EditRequest, Edited, edit};
use toolcrib::{ErrorKind, ToolError};

use super::from_here;
use super::operation::{ChangeArgs, Given, change};
use crate::args::Common;
use crate::failure::Failure;
use crate::input;

#[derive(Debug, clap::Args)]
#[command(
    override_usage = "toolcrib edit [OPTIONS] <PATH> [OLD] [NEW]",
    after_help = "\
Examples:
  toolcrib edit src/main.rs 'let x = 1;' 'let x = 2;'
  toolcrib edit src/main.rs old_name new_name --all --dry-run
  toolcrib edit src/main.rs --old-from old.txt --new-from new.txt

If the old text occurs more than once, nothing is changed: include more of the surrounding text, or pass --all."
)]
pub(crate) struct EditArgs {
    /// The file to edit
    path: PathBuf,
    /// The text to replace, which must occur exactly once, and its replacement; put -- before them if one starts with -
    #[arg(value_names = ["OLD", "NEW"], num_args = 0..=2)]
    texts: Vec<String>,
    /// Read the old text from this file; - is standard input
    #[arg(long, value_name = "FILE")]
    old_from: Option<PathBuf>,
    /// Read the new text from this file; - is standard input
    #[arg(long, value_name = "FILE")]
    new_from: Option<PathBuf>,
    /// Replace every occurrence of the old text
    #[arg(short = 'a', long)]
    all: bool,
    #[command(flatten)]
    change: ChangeArgs,
}

pub(crate) fn run(common: &Common, args: &EditArgs) -> Result<ExitCode, Failure> {
    let (old, new) = texts(args)?;
    let (path, edits) = (from_here(&args.path)?, vec![Edit { old, new, all: args.all }]);
    let replace = |caller: &Caller<'_>| edit(caller.sandbox, &request(&path, &edits, &args.change, caller));
    change::<operations::Edit>(common, &args.change, Given::Arguments, replace, Edited::level)
}

/// The request of a command that edits a file.
pub(super) fn request(path: &Path, edits: &[Edit], args: &ChangeArgs, caller: &Caller<'_>) -> EditRequest {
    EditRequest {
        path: path.to_owned(),
        edits: edits.to_vec(),
        matching: caller.settings.matching,
        max_growth: caller.settings.max_growth,
        expected_version: args.expected_version.clone(),
    }
}

/// The old and the new text: those that come from no file are arguments, in this order.
fn texts(args: &EditArgs) -> Result<(String, String), ToolError> {
    let wrong = |message: &str| {
        ToolError::new(ErrorKind::InvalidParameter, message).hint(
            "usage: toolcrib edit FILE OLD NEW; OLD and NEW can also come from files, with --old-from and --new-from",
        )
    };
    let mut given = args.texts.iter();
    let mut text = |file: Option<&Path>, missing: &str| match file {
        Some(file) => input::from(file),
        None => given.next().cloned().ok_or_else(|| wrong(missing)),
    };
    let old = text(args.old_from.as_deref(), "Missing OLD, the text to replace")?;
    let new = text(args.new_from.as_deref(), "Missing NEW, the replacement text")?;
    if given.next().is_some() {
        return Err(wrong("Too many arguments: expected OLD and NEW"));
    }
    Ok((old, new))
}
