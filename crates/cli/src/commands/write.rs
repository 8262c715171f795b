//! `toolcrib write`: a whole file, from an argument, another file or standard input.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, json};

use super::tool_command::{ChangeArgs, change, path};
use crate::args::Common;
use crate::failure::Failure;
use crate::input;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WriteArgs {
    /// The file to write; missing parent directories are created
    path: PathBuf,
    /// The new content, written exactly as given [default: standard input]
    #[arg(conflicts_with = "from")]
    content: Option<String>,
    /// Read the content from this file; - is standard input
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    #[command(flatten)]
    change: ChangeArgs,
}

const EXAMPLES: &str = "\
Examples:
  toolcrib write notes.txt 'one line without a final newline'
  date | toolcrib write today.txt
  toolcrib write config.json --from /tmp/new.json --dry-run

An existing file keeps its encoding and line endings.";

pub(crate) fn run(common: &Common, args: &WriteArgs) -> Result<ExitCode, Failure> {
    let content = input::text(args.content.as_deref(), args.from.as_deref())?;
    let parameters =
        Map::from_iter([("file_path".to_owned(), path(&args.path)?), ("content".to_owned(), json!(content))]);
    change(common, "Write", parameters, &args.change)
}
