//! `toolcrib write`: a whole file, from an argument, another file or standard input.

use std::path::PathBuf;
use std::process::ExitCode;

use toolcrib::dialects::operations::Write;
use toolcrib::files::{Level, WriteRequest, write};

use super::from_here;
use super::operation::{ChangeArgs, change};
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
    #[command(flatten)]
    change: ChangeArgs,
}

pub(crate) fn run(common: &Common, args: &WriteArgs) -> Result<ExitCode, Failure> {
    let request = WriteRequest {
        path: from_here(&args.path)?,
        content: input::text(args.content.as_deref(), args.from.as_deref())?,
        expected_version: args.change.expected_version.clone(),
    };
    change::<Write>(common, &args.change, |caller| write(caller.sandbox, &request), |_| Level::Exact)
}
