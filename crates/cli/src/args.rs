//! What can be typed.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, Subcommand};
use toolcrib::{Dialect, Format, ToolError};

/// File tools for AI agents: contained, exact, fast.
#[derive(Debug, Parser)]
#[command(
    name = "toolcrib",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// A directory the tools may reach; can be given several times [default: the current directory]
    #[arg(long = "root", value_name = "DIR", global = true)]
    pub(crate) roots: Vec<PathBuf>,
    /// Which tool names and parameters: opencode or ekacode
    #[arg(long, value_name = "NAME", global = true, default_value_t, value_parser = known::<Dialect>)]
    pub(crate) dialect: Dialect,
    /// The conversation this call belongs to
    #[arg(long, value_name = "ID", global = true)]
    pub(crate) session: Option<String>,
    /// The user's configuration [default: toolcrib/config.toml in the configuration folder]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Show what would be changed, and change nothing
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Call a tool by name with its parameters as JSON
    ///
    /// Without JSON, on a terminal, shows the tool's parameters.
    #[command(after_help = CALL_EXAMPLES)]
    Call(CallArgs),
    /// Print the tools in the form a model's provider wants
    #[command(after_help = SCHEMAS_EXAMPLES)]
    Schemas(SchemasArgs),
    /// Show the rules in force: what may be read and changed, what is asked for, what is refused
    #[command(after_help = RULES_EXAMPLES)]
    Rules(RulesArgs),
    /// Serve the tools to an agent over MCP, on standard input and output
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(McpArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct CallArgs {
    /// The tool, as its dialect calls it
    pub(crate) tool: String,
    /// The parameters as a JSON object, or - to read them from standard input
    #[arg(value_name = "JSON")]
    pub(crate) parameters: Option<String>,
    /// Print the whole result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SchemasArgs {
    /// openai, openai-strict, anthropic, mcp or langchain
    #[arg(long, value_name = "NAME", default_value = "openai", value_parser = known::<Format>)]
    pub(crate) format: Format,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RulesArgs {
    /// Print them as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Serve all of the roots, whatever roots the client names; otherwise those narrow it
    #[arg(long)]
    pub(crate) ignore_client_roots: bool,
}

/// Parses a name; the error says which names there are.
fn known<T: FromStr<Err = ToolError>>(name: &str) -> Result<T, String> {
    name.parse().map_err(|error: ToolError| match error.next_step() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    })
}

const CALL_EXAMPLES: &str = "\
Examples:
  toolcrib call Read '{\"file_path\": \"/home/ada/project/README.md\", \"limit\": 20}'
  toolcrib call Read --json - < call.json
  toolcrib call Read          what it takes

Exit status: 0 done, 1 the tool failed, 2 wrong usage";

const SCHEMAS_EXAMPLES: &str = "\
Examples:
  toolcrib schemas --format anthropic
  toolcrib schemas --dialect ekacode --format openai-strict";

const RULES_EXAMPLES: &str = "\
Examples:
  toolcrib rules
  toolcrib rules --json --root ~/project

To change a default rule, repeat its kind and pattern with another action in toolcrib/config.toml:
  [[rules]]
  kind = \"read\"
  pattern = \"**/.env\"
  action = \"ask\"";

const MCP_EXAMPLES: &str = "\
Examples:
  toolcrib mcp --root ~/project
  claude mcp add toolcrib -- toolcrib mcp --root ~/project";
