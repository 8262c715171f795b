//! `toolcrib dialects`: which there are, what they offer and which agents they are for.

use std::process::ExitCode;

use serde_json::json;
use toolcrib::{Dialect, Settings};

use crate::args::Common;
use crate::failure::Failure;
use crate::output;
use crate::paint::{Paint, Part};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib dialects
  toolcrib mcp --dialect claude-code")]
pub(crate) struct DialectsArgs {
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &DialectsArgs) -> Result<ExitCode, Failure> {
    let tools = |dialect: Dialect| {
        let tools = dialect.tools(Settings::default());
        tools.iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>()
    };
    if args.json {
        let dialects: Vec<_> = Dialect::ALL
            .into_iter()
            .map(|dialect| json!({"name": dialect.as_str(), "for": dialect.audience(), "tools": tools(dialect)}))
            .collect();
        output::answer(&serde_json::to_string_pretty(&dialects).map_err(Failure::failed)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let paint = Paint::new(common.color);
    let width = Dialect::ALL.iter().map(|dialect| dialect.as_str().len()).max().unwrap_or_default();
    let lines = Dialect::ALL.map(|dialect| {
        let name = format!("{:width$}", dialect.as_str());
        format!(
            "{}  {}\n{:width$}  {}",
            paint.show(Part::Heading, &name),
            dialect.audience(),
            "",
            tools(dialect).join(" ")
        )
    });
    output::answer(&lines.join("\n"))?;
    Ok(ExitCode::SUCCESS)
}
