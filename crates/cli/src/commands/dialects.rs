//! `toolcrib dialects`: which there are, what they offer and which agents they are for.

use std::process::ExitCode;

use serde_json::{Value, json};
use toolcrib::{Dialect, Settings};

use crate::args::Common;
use crate::failure::Failure;
use crate::layout::wrapped;
use crate::paint::{Paint, Part};
use crate::{json, output};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib dialects
  toolcrib mcp --dialect claude-code")]
pub(crate) struct DialectsArgs {
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &DialectsArgs) -> Result<ExitCode, Failure> {
    if args.json {
        let dialects = Dialect::ALL.map(|dialect| -> Value {
            json!({"name": dialect.as_str(), "for": dialect.audience(), "tools": tools(dialect)})
        });
        return json::print(&overview(Paint::none()), &json!({"dialects": dialects}));
    }
    output::answer(&overview(Paint::new(common.color)))?;
    Ok(ExitCode::SUCCESS)
}

fn tools(dialect: Dialect) -> Vec<String> {
    dialect.tools(Settings::default()).iter().map(|tool| tool.name().to_owned()).collect()
}

fn overview(paint: Paint) -> String {
    let width = Dialect::ALL.iter().map(|dialect| dialect.as_str().len()).max().unwrap_or_default();
    let lines = Dialect::ALL.map(|dialect| {
        let name = format!("{:width$}", dialect.as_str());
        let tools = tools(dialect);
        let tools = wrapped(tools.iter().map(String::as_str), " ", width + 2);
        let audience = wrapped(dialect.audience().split(' '), " ", width + 2);
        format!("{}  {}\n{tools}", paint.show(Part::Heading, &name), audience.trim_start())
    });
    lines.join("\n")
}
