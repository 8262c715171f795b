//! `toolcrib patch`: a patch from a file or standard input.

use std::path::PathBuf;
use std::process::ExitCode;

use toolcrib::dialects::operations::{ApplyPatch, Caller};
use toolcrib::files::{PatchRequest, Patched, apply_patch};

use super::operation::{ChangeArgs, Given, change};
use crate::args::{Common, within};
use crate::failure::Failure;
use crate::input;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  git diff | toolcrib patch --root ~/copy
  toolcrib patch change.diff --dry-run

Accepts unified diffs, git diffs and the *** Begin Patch format. Paths are relative to the first root. Applies the whole \
patch or nothing.")]
pub(crate) struct PatchArgs {
    /// The patch file [default: standard input]
    patch: Option<PathBuf>,
    /// Overwrite existing files where the patch adds or moves a file
    #[arg(long)]
    overwrite: bool,
    /// Ignore up to this many context lines at either end of a hunk that does not match otherwise
    #[arg(long, value_name = "LINES", default_value_t = 0, value_parser = within(0, PatchRequest::MAX_FUZZ))]
    fuzz: usize,
    #[command(flatten)]
    change: ChangeArgs,
}

pub(crate) fn run(common: &Common, args: &PatchArgs) -> Result<ExitCode, Failure> {
    let patch = input::text(None, args.patch.as_deref())?;
    let apply = |caller: &Caller<'_>| {
        let request = PatchRequest {
            append: false,
            patch: patch.clone(),
            file: None,
            overwrite: args.overwrite,
            fuzz: args.fuzz,
            matching: caller.settings.matching,
            max_growth: caller.settings.max_growth,
            expected_version: args.change.expected_version.clone(),
        };
        apply_patch(caller.sandbox, &request)
    };
    change::<ApplyPatch>(common, &args.change, Given::Arguments, apply, Patched::level)
}
