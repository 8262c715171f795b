//! `toolcrib schemas`: the tools as a model's provider wants them.

use std::process::ExitCode;

use toolcrib::Format;

use crate::args::{Common, known};
use crate::commands::open;
use crate::failure::Failure;
use crate::output;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib schemas --format anthropic
  toolcrib schemas --dialect ekacode --format openai-strict")]
pub(crate) struct SchemasArgs {
    /// The format: openai, openai-strict, anthropic, mcp or langchain
    #[arg(long, value_name = "NAME", default_value = "openai", value_parser = known::<Format>)]
    format: Format,
}

pub(crate) fn run(common: &Common, args: &SchemasArgs) -> Result<ExitCode, Failure> {
    let schemas = open(common)?.schemas(args.format);
    output::answer(&serde_json::to_string_pretty(&schemas).map_err(Failure::failed)?)?;
    Ok(ExitCode::SUCCESS)
}
