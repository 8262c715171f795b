//! `toolcrib apply-patch`: a patch as models hand it to the command `apply_patch`, answered as Codex answers it.

use std::process::ExitCode;

use serde_json::Value;
use toolcrib::{Conventions, Dialect};

use super::call;
use crate::args::Common;
use crate::commands::open_for_person;
use crate::failure::Failure;
use crate::{input, output};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib apply-patch \"$PATCH\"
  toolcrib apply-patch < change.patch
  ln -s \"$(command -v toolcrib)\" /usr/local/bin/apply_patch     # for models that call it by that name

Applies the whole patch or nothing. Paths are relative to the working directory.

Exit status: 0 success, 1 the patch was not applied, 2 usage error")]
pub(crate) struct ApplyPatchArgs {
    /// The patch, from *** Begin Patch to *** End Patch [default: standard input]
    #[arg(value_name = "PATCH")]
    patch: Option<String>,
}

/// The names by which models call it.
pub(crate) const PROGRAMS: [&str; 2] = ["apply_patch", "applypatch"];

pub(crate) fn run(common: &Common, args: &ApplyPatchArgs) -> Result<ExitCode, Failure> {
    let patch = input::text(args.patch.as_deref(), None)?;
    let toolbox = open_for_person(common, Dialect::ApplyPatch)?;
    let mut context = toolbox.context().agent("apply_patch").dry_run(common.dry_run);
    context.session_id.clone_from(&common.session);
    let result = toolbox.call_blocking("apply_patch", Value::String(patch), &context);
    if result.success {
        return call::print(result, false);
    }
    // As Codex says it: the model that called the command reads it.
    let conventions = Conventions { plain_errors: true, ..Conventions::NONE };
    output::say(&result.display(&conventions));
    Ok(ExitCode::FAILURE)
}
