//! What can be typed.

mod files;
mod later;
mod setup;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{ColorChoice, Parser, Subcommand};
use toolcrib::{Dialect, Format, RecordId, ToolError};

pub(crate) use files::{ChangeArgs, EditArgs, MultieditArgs, PatchArgs, ReadArgs, WriteArgs};
use files::{EDIT_EXAMPLES, MULTIEDIT_EXAMPLES, PATCH_EXAMPLES, READ_EXAMPLES, WRITE_EXAMPLES};
use later::Later;
use setup::{COMPLETIONS_EXAMPLES, DOCTOR_EXAMPLES, INIT_EXAMPLES, MAN_EXAMPLES};
pub(crate) use setup::{Client, CompletionsArgs, DoctorArgs, InitArgs, ManArgs};

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
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Common {
    /// A directory the tools may reach; can be given several times [default: the current directory]
    #[arg(long = "root", value_name = "DIR", global = true)]
    pub(crate) roots: Vec<PathBuf>,
    /// Which tool names and parameters: opencode or ekacode
    #[arg(long, value_name = "NAME", global = true, default_value_t, value_parser = known::<Dialect>)]
    pub(crate) dialect: Dialect,
    /// The conversation this call belongs to: what it has read is kept, so that calls can share it
    #[arg(long, value_name = "ID", global = true)]
    pub(crate) session: Option<String>,
    /// The user's configuration [default: toolcrib/config.toml in the configuration folder]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Show what would be changed, and change nothing
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,
    /// Say yes wherever a rule says ask; the server asks its client all the same
    #[arg(long, global = true)]
    pub(crate) yes: bool,
    /// When to use colour; auto is on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", global = true, default_value_t)]
    pub(crate) color: ColorChoice,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a file, with the numbers of its lines
    #[command(after_help = READ_EXAMPLES)]
    Read(Later<ReadArgs>),
    /// Create a file, or replace all it holds
    #[command(after_help = WRITE_EXAMPLES)]
    Write(Later<WriteArgs>),
    /// Replace a text in a file
    #[command(after_help = EDIT_EXAMPLES)]
    Edit(Later<EditArgs>),
    /// Make several edits of one file, all or none
    #[command(after_help = MULTIEDIT_EXAMPLES)]
    Multiedit(Later<MultieditArgs>),
    /// Apply a patch, to one file or many, all or nothing
    #[command(after_help = PATCH_EXAMPLES)]
    Patch(Later<PatchArgs>),
    /// Find lines in files
    #[command(after_help = GREP_EXAMPLES)]
    Grep(Later<GrepArgs>),
    /// Find files by a pattern over their paths, newest first
    #[command(after_help = GLOB_EXAMPLES)]
    Glob(Later<GlobArgs>),
    /// List a directory
    #[command(after_help = LS_EXAMPLES)]
    Ls(Later<LsArgs>),
    /// Call a tool by name with its parameters as JSON
    ///
    /// Without JSON, on a terminal, shows the tool's parameters.
    #[command(after_help = CALL_EXAMPLES)]
    Call(Later<CallArgs>),
    /// Print the tools in the form a model's provider wants
    #[command(after_help = SCHEMAS_EXAMPLES)]
    Schemas(Later<SchemasArgs>),
    /// Show the rules in force: what may be read and changed, what is asked for, what is refused
    #[command(after_help = RULES_EXAMPLES)]
    Rules(Later<RulesArgs>),
    /// Show the changes that were made: when, by which agent and session, and the difference
    #[command(after_help = LOG_EXAMPLES)]
    Log(Later<LogArgs>),
    /// Take a change back, exactly: every file of it is as it was before
    #[command(after_help = UNDO_EXAMPLES)]
    Undo(Later<TakeBackArgs>),
    /// Make a change again that was undone
    #[command(after_help = REDO_EXAMPLES)]
    Redo(Later<TakeBackArgs>),
    /// Put the server into an agent's configuration
    #[command(after_help = INIT_EXAMPLES)]
    Init(Later<InitArgs>),
    /// Say what is in force here, and what is wrong with it
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(Later<DoctorArgs>),
    /// Print the completions for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(Later<CompletionsArgs>),
    /// Print the manual page
    #[command(after_help = MAN_EXAMPLES)]
    Man(Later<ManArgs>),
    /// Serve the tools to an agent over MCP, on standard input and output
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(Later<McpArgs>),
}

#[derive(Debug, clap::Args)]
pub(crate) struct GrepArgs {
    /// A regular expression; after -- if it begins with -
    pub(crate) pattern: String,
    /// A file or directory [default: the root]
    pub(crate) path: Option<PathBuf>,
    /// Capitals and small letters are the same
    #[arg(short = 'i', long)]
    pub(crate) ignore_case: bool,
    /// They are, unless the pattern has a capital
    #[arg(short = 'S', long)]
    pub(crate) smart_case: bool,
    /// The pattern is text
    #[arg(short = 'F', long)]
    pub(crate) literal: bool,
    /// Whole words only
    #[arg(short = 'w', long)]
    pub(crate) word: bool,
    /// Lines that do not match
    #[arg(short = 'v', long)]
    pub(crate) invert: bool,
    /// The pattern may match across lines, and . matches a newline
    #[arg(short = 'U', long)]
    pub(crate) multiline: bool,
    /// Only files that match a glob
    #[arg(short = 'g', long, value_name = "GLOB")]
    pub(crate) glob: Option<String>,
    /// No files that match a glob; can be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Only files of a kind, such as py or rust
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Lines to show after each match
    #[arg(short = 'A', long, value_name = "LINES")]
    pub(crate) after: Option<usize>,
    /// Lines to show before each match
    #[arg(short = 'B', long, value_name = "LINES")]
    pub(crate) before: Option<usize>,
    /// Lines to show around each match
    #[arg(short = 'C', long, value_name = "LINES")]
    pub(crate) context: Option<usize>,
    /// Only the paths of files that match
    #[arg(short = 'l', long, conflicts_with = "count")]
    pub(crate) files: bool,
    /// Only how many matches each file has
    #[arg(short = 'c', long)]
    pub(crate) count: bool,
    /// At most so many matches of each file
    #[arg(short = 'm', long, value_name = "COUNT")]
    pub(crate) max_count: Option<u64>,
    /// What comes first: path, modified or relevance
    #[arg(long, value_name = "ORDER", default_value = "path")]
    pub(crate) sort: String,
    /// Hidden files too
    #[arg(long)]
    pub(crate) hidden: bool,
    /// What ignore files leave out too, and what is in node_modules and the like
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// No files of more than so many bytes [default: 10 MiB]
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_file_size: Option<u64>,
    /// At most so many results [default: 10000 matches, 100000 files]
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<usize>,
    /// How many results to skip
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub(crate) offset: usize,
    /// Print the whole result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct GlobArgs {
    /// A pattern with *, ?, **, [abc] and {a,b}
    pub(crate) pattern: String,
    /// The directory it is relative to [default: the root]
    pub(crate) path: Option<PathBuf>,
    /// Directories too
    #[arg(long)]
    pub(crate) directories: bool,
    /// Hidden files too
    #[arg(long)]
    pub(crate) hidden: bool,
    /// What ignore files leave out too, and what is in node_modules and the like
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// At most so many paths
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    pub(crate) limit: usize,
    /// How many paths to skip
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub(crate) offset: usize,
    /// Print the whole result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LsArgs {
    /// The directory [default: the root]
    pub(crate) path: Option<PathBuf>,
    /// What is in its directories too
    #[arg(short = 'r', long)]
    pub(crate) recursive: bool,
    /// How many levels to go down; 1 is the directory alone
    #[arg(long, value_name = "LEVELS")]
    pub(crate) depth: Option<usize>,
    /// What to leave out; can be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) ignore: Vec<String>,
    /// What ignore files leave out too
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// At most so many entries
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    pub(crate) limit: usize,
    /// How many entries to skip
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub(crate) offset: usize,
    /// Print the whole result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
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
pub(crate) struct LogArgs {
    /// The number of one change
    #[arg(value_name = "ID")]
    pub(crate) change: Option<RecordId>,
    /// At most so many changes, the latest first
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Only what was done to which file, without the difference
    #[arg(long)]
    pub(crate) brief: bool,
    /// Print them as a JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct TakeBackArgs {
    /// The number of the change [default: the latest; with --session, the latest of that session]
    #[arg(value_name = "ID")]
    pub(crate) change: Option<RecordId>,
    /// Print what was done as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Serve over HTTP on this address of this machine (port 0: any that is free), instead of on standard input and output
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<std::net::SocketAddr>,
    /// Offer only these tools; can be given several times, or with commas between
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// Offer only the tools that change nothing
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Serve all of the roots, whatever roots the client names; otherwise those narrow it
    #[arg(long)]
    pub(crate) ignore_client_roots: bool,
    /// Give answers as structured content too, for clients that are programs; many agents show their model that form alone
    #[arg(long)]
    pub(crate) structured: bool,
    /// At most so many characters an answer [default: what the client is known to take, or 30000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_characters: Option<usize>,
}

/// Parses a name; the error says which names there are.
fn known<T: FromStr<Err = ToolError>>(name: &str) -> Result<T, String> {
    name.parse().map_err(|error: ToolError| match error.next_step() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    })
}

const GREP_EXAMPLES: &str = "\
Examples:
  toolcrib grep 'fn \\w+_blocking'
  toolcrib grep -F 'a.b(' src --type rust -C 2
  toolcrib grep -l TODO --exclude 'docs/**'

On a terminal each file is a heading; piped, a match is path:line:text and a line around it path-line-text.
Exit status: 0 done (also when nothing matches), 1 the tool failed, 2 wrong usage";

const GLOB_EXAMPLES: &str = "\
Examples:
  toolcrib glob '**/*.rs'
  toolcrib glob 'src/**/*.{ts,tsx}' --limit 20";

const LS_EXAMPLES: &str = "\
Examples:
  toolcrib ls
  toolcrib ls -r src --depth 2

On a terminal it is a tree with sizes; piped, one path a line.";

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

const REDO_EXAMPLES: &str = "\
Examples:
  toolcrib redo               what was undone last
  toolcrib redo 12";

const LOG_EXAMPLES: &str = "\
Examples:
  toolcrib log
  toolcrib log --brief --limit 100
  toolcrib log 12";

const UNDO_EXAMPLES: &str = "\
Examples:
  toolcrib undo               the latest change
  toolcrib undo 12
  toolcrib undo 12 --dry-run  what it would do

Where somebody has changed a file since, their changes are kept if they are in other lines; otherwise nothing is taken
back. It touches only files that the change has written, and never runs git.";

const MCP_EXAMPLES: &str = "\
Examples:
  toolcrib mcp --root ~/project
  toolcrib mcp --root ~/project --read-only
  toolcrib mcp --root ~/project --http 127.0.0.1:0      prints the address and the token
  claude mcp add toolcrib -- toolcrib mcp --root ~/project

Over HTTP the token is random, or the one in TOOLCRIB_TOKEN.";
