//! `toolcrib write`: a whole file, from an argument, another file or standard input.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use toolcrib::dialects::operations::{Caller, Write};
use toolcrib::files::{Level, WriteRequest, Written, write};
use toolcrib::{ErrorKind, ToolError};

use super::from_here;
use super::operation::{ChangeArgs, Given, change};
use crate::args::Common;
use crate::failure::Failure;
use crate::input;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib write notes.txt 'one line without a final newline'
  date | toolcrib write today.txt
  toolcrib write config.json --from /tmp/new.json --dry-run

An existing file keeps its encoding and line endings.")]
pub(crate) struct WriteArgs {
    /// The file to write; missing parent directories are created
    path: PathBuf,
    /// The new content, written exactly as given [default: standard input]
    #[arg(conflicts_with = "from")]
    content: Option<String>,
    /// Read the content from this file; - is standard input
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Accept an empty standard input, which empties an existing file
    #[arg(long)]
    empty: bool,
    #[command(flatten)]
    change: ChangeArgs,
}

pub(crate) fn run(common: &Common, args: &WriteArgs) -> Result<ExitCode, Failure> {
    let request = WriteRequest {
        path: from_here(&args.path)?,
        content: input::text(args.content.as_deref(), args.from.as_deref())?,
        expected_version: args.change.expected_version.clone(),
    };
    let from_pipe = args.content.is_none() && args.from.as_deref().is_none_or(|file| file == Path::new("-"));
    // More likely, the command before the pipe has failed.
    let doubtful = request.content.is_empty() && from_pipe && !args.empty;
    let write = |caller: &Caller<'_>| {
        let proposed = write(caller.sandbox, &request)?;
        let Written { created, unchanged, path, .. } = &proposed.outcome;
        if doubtful && !created && !unchanged {
            let message = format!("Standard input is empty, and {} is not", path.absolute);
            let error = ToolError::new(ErrorKind::InvalidParameter, message);
            return Err(error.hint("to empty the file, pass --empty").into());
        }
        Ok(proposed)
    };
    change::<Write>(common, &args.change, Given::Arguments, write, |_| Level::Exact)
}
