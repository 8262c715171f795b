//! `toolcrib patch`: a patch from a file or standard input.

use std::process::ExitCode;

use serde_json::{Map, json};

use super::tool_command::change;
use crate::args::{Common, PatchArgs};
use crate::failure::Failure;
use crate::input;

pub(crate) fn run(common: &Common, args: &PatchArgs) -> Result<ExitCode, Failure> {
    let patch = input::text(None, args.patch.as_deref())?;
    let parameters = Map::from_iter([
        ("patch_text".to_owned(), json!(patch)),
        ("overwrite".to_owned(), json!(args.overwrite)),
        ("fuzz".to_owned(), json!(args.fuzz)),
    ]);
    change(common, "ApplyPatch", parameters, &args.change)
}
