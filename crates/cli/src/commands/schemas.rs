//! `toolcrib schemas`: the tools as a model's provider wants them.

use std::process::ExitCode;

use crate::args::{Common, SchemasArgs};
use crate::commands::open;
use crate::failure::Failure;
use crate::output;

pub(crate) fn run(common: &Common, args: &SchemasArgs) -> Result<ExitCode, Failure> {
    let schemas = open(common)?.schemas(args.format);
    output::answer(&serde_json::to_string_pretty(&schemas).map_err(Failure::failed)?)?;
    Ok(ExitCode::SUCCESS)
}
