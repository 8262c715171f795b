//! `toolcrib call`: calls any tool by name, for programs.

use std::io::IsTerminal;
use std::process::ExitCode;

use serde_json::Value;
use toolcrib::{Descriptor, ErrorKind, Parameter, ToolError, ToolResult};

use crate::args::Common;
use crate::commands::{open_for_person, tell_unrecorded};
use crate::failure::Failure;
use crate::flags::result_for_person;
use crate::{input, json, output};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib call Read '{\"file_path\": \"/home/ada/project/README.md\", \"limit\": 20}'
  toolcrib call Read --json - < call.json
  toolcrib call Read          # on a terminal: show its parameters

Exit status: 0 success, 1 the tool failed, 2 usage error")]
pub(crate) struct CallArgs {
    /// The name of the tool in the dialect
    tool: String,
    /// The parameters as a JSON object; - reads them from standard input
    #[arg(value_name = "JSON")]
    parameters: Option<String>,
    /// Print the complete result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &CallArgs) -> Result<ExitCode, Failure> {
    let toolbox = open_for_person(common, common.dialect)?;
    if args.parameters.is_none() && std::io::stdout().is_terminal() && !args.json {
        let tool = toolbox.executor().registry().get_or_raise(&args.tool)?;
        output::answer(&help(tool.descriptor()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let parameters = parameters(args)?;
    let tool = toolbox.executor().registry().get_or_raise(&args.tool);
    if tool.is_ok_and(|tool| tool.descriptor().effect.changes()) {
        tell_unrecorded(common)?;
    }
    let mut context = toolbox.context().agent("cli").dry_run(common.dry_run);
    context.session_id.clone_from(&common.session);
    print(toolbox.call_blocking(&args.tool, parameters, &context), args.json)
}

/// Prints a result as it is.
pub(crate) fn print(result: ToolResult, as_json: bool) -> Result<ExitCode, Failure> {
    let success = result.success;
    if as_json {
        json::print_result(result)?;
    } else if result.error.is_some() {
        let result = result_for_person(result);
        let hint = result.metadata.get("hint").and_then(Value::as_str);
        output::complain(result.error.as_deref().unwrap_or_default(), hint);
    } else {
        output::answer_as_it_is(&result.to_display())?;
    }
    Ok(if success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn parameters(args: &CallArgs) -> Result<Value, ToolError> {
    match args.parameters.as_deref() {
        None => Ok(Value::Null),
        Some("-") => parse(&input::standard_input()?),
        Some(json) => parse(json),
    }
}

fn parse(json: &str) -> Result<Value, ToolError> {
    serde_json::from_str(json).map_err(|error| {
        ToolError::new(ErrorKind::InvalidParameter, format!("The parameters are not valid JSON: {error}"))
            .hint("pass a JSON object, such as '{\"file_path\": \"/home/ada/notes.txt\"}'")
    })
}

/// What the tool does and takes, for a person.
fn help(tool: &Descriptor) -> String {
    let parameters = tool.parameters.iter().map(|parameter| {
        format!("  {:<16} {:<9} {}\n", parameter.name, parameter.kind.to_string(), remarks(parameter))
    });
    format!("{}\n\nParameters:\n{}", tool.description, parameters.collect::<String>())
}

fn remarks(parameter: &Parameter) -> String {
    let mut remarks = parameter.description.clone();
    if let Some(choices) = &parameter.choices {
        remarks
            .push_str(&format!(" [{}]", choices.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")));
    }
    match &parameter.default {
        Some(default) => remarks.push_str(&format!(" (default: {default})")),
        None if parameter.required => remarks.push_str(" (required)"),
        None => {}
    }
    remarks
}
