//! `toolcrib patch`: a patch from a file or standard input.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, json};

use super::tool_command::{ChangeArgs, change};
use crate::args::Common;
use crate::failure::Failure;
use crate::input;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PatchArgs {
    /// The patch file [default: standard input]
    patch: Option<PathBuf>,
    /// Overwrite existing files where the patch adds or moves a file
    #[arg(long)]
    overwrite: bool,
    /// Ignore up to this many context lines at either end of a hunk that does not match otherwise
    #[arg(long, value_name = "LINES", default_value_t = 0)]
    fuzz: usize,
    #[command(flatten)]
    change: ChangeArgs,
}

const EXAMPLES: &str = "\
Examples:
  git diff | toolcrib patch --root ~/copy
  toolcrib patch change.diff --dry-run

Accepts unified diffs, git diffs and the *** Begin Patch format. Paths are relative to the first root. Applies the whole \
patch or nothing.";

pub(crate) fn run(common: &Common, args: &PatchArgs) -> Result<ExitCode, Failure> {
    let patch = input::text(None, args.patch.as_deref())?;
    let parameters = Map::from_iter([
        ("patch_text".to_owned(), json!(patch)),
        ("overwrite".to_owned(), json!(args.overwrite)),
        ("fuzz".to_owned(), json!(args.fuzz)),
    ]);
    change(common, "ApplyPatch", parameters, &args.change)
}
