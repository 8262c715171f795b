//! The command line: every command, option and help text.

mod deferred;
mod files;
mod setup;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{ColorChoice, Parser, Subcommand};
use toolcrib::{Dialect, Format, RecordId, ToolError};

use deferred::Deferred;
pub(crate) use files::{ChangeArgs, EditArgs, MultieditArgs, PatchArgs, ReadArgs, WriteArgs};
use files::{EDIT_EXAMPLES, MULTIEDIT_EXAMPLES, PATCH_EXAMPLES, READ_EXAMPLES, WRITE_EXAMPLES};
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

/// The options that every command accepts.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Common {
    /// A directory that the tools may access; repeatable [default: the current directory]
    #[arg(long = "root", value_name = "DIR", global = true)]
    pub(crate) roots: Vec<PathBuf>,
    /// Use the tool and parameter names of this dialect: opencode or ekacode
    #[arg(long, value_name = "NAME", global = true, default_value_t, value_parser = known::<Dialect>)]
    pub(crate) dialect: Dialect,
    /// Join the session with this ID: what its calls have read is remembered across processes
    #[arg(long, value_name = "ID", global = true)]
    pub(crate) session: Option<String>,
    /// Use this configuration file [default: toolcrib/config.toml in the user's configuration folder]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Show what would change, without changing anything
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,
    /// Approve everything that a rule says to ask about; the MCP server still asks its client
    #[arg(long, global = true)]
    pub(crate) yes: bool,
    /// When to use colour; auto means on a terminal, unless NO_COLOR is set
    #[arg(long, value_name = "WHEN", global = true, default_value_t)]
    pub(crate) color: ColorChoice,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a file with line numbers
    #[command(after_help = READ_EXAMPLES)]
    Read(Deferred<ReadArgs>),
    /// Create a file or replace its whole content
    #[command(after_help = WRITE_EXAMPLES)]
    Write(Deferred<WriteArgs>),
    /// Replace text in a file
    #[command(after_help = EDIT_EXAMPLES)]
    Edit(Deferred<EditArgs>),
    /// Apply several edits to one file, all or none
    #[command(after_help = MULTIEDIT_EXAMPLES)]
    Multiedit(Deferred<MultieditArgs>),
    /// Apply a patch to one or more files, all or nothing
    #[command(after_help = PATCH_EXAMPLES)]
    Patch(Deferred<PatchArgs>),
    /// Search file contents for a pattern
    #[command(after_help = GREP_EXAMPLES)]
    Grep(Deferred<GrepArgs>),
    /// Find files whose path matches a glob, newest first
    #[command(after_help = GLOB_EXAMPLES)]
    Glob(Deferred<GlobArgs>),
    /// List a directory
    #[command(after_help = LS_EXAMPLES)]
    Ls(Deferred<LsArgs>),
    /// Call a tool by name with its parameters as JSON
    ///
    /// On a terminal and without JSON, show the tool's parameters instead.
    #[command(after_help = CALL_EXAMPLES)]
    Call(Deferred<CallArgs>),
    /// Print the tool schemas in a model provider's format
    #[command(after_help = SCHEMAS_EXAMPLES)]
    Schemas(Deferred<SchemasArgs>),
    /// Show the effective rules: what agents may read and edit, what needs approval, what is denied
    #[command(after_help = RULES_EXAMPLES)]
    Rules(Deferred<RulesArgs>),
    /// Show recorded changes: when, by which agent and session, with diffs
    #[command(after_help = LOG_EXAMPLES)]
    Log(Deferred<LogArgs>),
    /// Undo a recorded change: restore every file of it exactly as it was before
    #[command(after_help = UNDO_EXAMPLES)]
    Undo(Deferred<UndoArgs>),
    /// Redo a change that was undone
    #[command(after_help = REDO_EXAMPLES)]
    Redo(Deferred<UndoArgs>),
    /// Add the MCP server to an agent's configuration
    #[command(after_help = INIT_EXAMPLES)]
    Init(Deferred<InitArgs>),
    /// Show the effective configuration and diagnose problems
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(Deferred<DoctorArgs>),
    /// Print the completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions(Deferred<CompletionsArgs>),
    /// Print the manual page
    #[command(after_help = MAN_EXAMPLES)]
    Man(Deferred<ManArgs>),
    /// Serve the tools to an agent over MCP, on standard input and output by default
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(Deferred<McpArgs>),
}

#[derive(Debug, clap::Args)]
pub(crate) struct GrepArgs {
    /// The regular expression to search for; put -- before it if it starts with -
    pub(crate) pattern: String,
    /// The file or directory to search [default: the root]
    pub(crate) path: Option<PathBuf>,
    /// Search case-insensitively
    #[arg(short = 'i', long)]
    pub(crate) ignore_case: bool,
    /// Search case-insensitively unless the pattern contains an uppercase letter
    #[arg(short = 'S', long)]
    pub(crate) smart_case: bool,
    /// Treat the pattern as literal text, not as a regular expression
    #[arg(short = 'F', long)]
    pub(crate) literal: bool,
    /// Match whole words only
    #[arg(short = 'w', long)]
    pub(crate) word: bool,
    /// Show the lines that do not match
    #[arg(short = 'v', long)]
    pub(crate) invert: bool,
    /// Let matches span several lines, and let . match a newline
    #[arg(short = 'U', long)]
    pub(crate) multiline: bool,
    /// Show line numbers; accepted for compatibility with grep, since they are always shown
    #[arg(short = 'n', long)]
    pub(crate) line_number: bool,
    /// Search only files that match this glob
    #[arg(short = 'g', long, value_name = "GLOB")]
    pub(crate) glob: Option<String>,
    /// Skip files that match this glob; repeatable
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Search only files of this type, such as py or rust
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    /// Show this many lines after each match
    #[arg(short = 'A', long, value_name = "LINES")]
    pub(crate) after: Option<usize>,
    /// Show this many lines before each match
    #[arg(short = 'B', long, value_name = "LINES")]
    pub(crate) before: Option<usize>,
    /// Show this many lines before and after each match
    #[arg(short = 'C', long, value_name = "LINES")]
    pub(crate) context: Option<usize>,
    /// Show only the paths of files with a match
    #[arg(short = 'l', long, conflicts_with = "count")]
    pub(crate) files: bool,
    /// Show only the number of matches in each file
    #[arg(short = 'c', long)]
    pub(crate) count: bool,
    /// Stop after this many matches in each file
    #[arg(short = 'm', long, value_name = "COUNT")]
    pub(crate) max_count: Option<u64>,
    /// Sort by path, modified (newest first) or relevance
    #[arg(long, value_name = "ORDER", default_value = "path")]
    pub(crate) sort: String,
    /// Search hidden files too
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Search files that ignore rules exclude, and folders such as node_modules
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Skip files larger than this many bytes [default: 10 MiB]
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_file_size: Option<u64>,
    /// Show at most this many results [default: 10000 matches or 100000 files]
    #[arg(long, value_name = "COUNT")]
    pub(crate) limit: Option<usize>,
    /// Skip this many results
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub(crate) offset: usize,
    /// Print the complete result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct GlobArgs {
    /// The glob: *, ?, **, [abc] and {a,b} are special
    pub(crate) pattern: String,
    /// The directory to search, which the glob is relative to [default: the root]
    pub(crate) path: Option<PathBuf>,
    /// Include directories
    #[arg(long)]
    pub(crate) directories: bool,
    /// Include hidden files
    #[arg(long)]
    pub(crate) hidden: bool,
    /// Include files that ignore rules exclude, and folders such as node_modules
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Show at most this many paths
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    pub(crate) limit: usize,
    /// Skip this many paths
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub(crate) offset: usize,
    /// Print the complete result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LsArgs {
    /// The directory to list [default: the root]
    pub(crate) path: Option<PathBuf>,
    /// List subdirectories too
    #[arg(short = 'r', long)]
    pub(crate) recursive: bool,
    /// Descend at most this many levels; 1 lists the directory alone
    #[arg(long, value_name = "LEVELS")]
    pub(crate) depth: Option<usize>,
    /// Leave out entries that match this glob; repeatable
    #[arg(long, value_name = "GLOB")]
    pub(crate) ignore: Vec<String>,
    /// Include entries that ignore rules exclude
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Show at most this many entries
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    pub(crate) limit: usize,
    /// Skip this many entries
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub(crate) offset: usize,
    /// Print the complete result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CallArgs {
    /// The name of the tool in the dialect
    pub(crate) tool: String,
    /// The parameters as a JSON object; - reads them from standard input
    #[arg(value_name = "JSON")]
    pub(crate) parameters: Option<String>,
    /// Print the complete result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SchemasArgs {
    /// The format: openai, openai-strict, anthropic, mcp or langchain
    #[arg(long, value_name = "NAME", default_value = "openai", value_parser = known::<Format>)]
    pub(crate) format: Format,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RulesArgs {
    /// Print the rules as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct LogArgs {
    /// Show only the change with this number
    #[arg(value_name = "ID")]
    pub(crate) change: Option<RecordId>,
    /// Show at most this many changes, newest first
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Show which files changed, without diffs
    #[arg(long)]
    pub(crate) brief: bool,
    /// Print the changes as a JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct UndoArgs {
    /// The number of the change [default: the latest, or with --session the latest of that session]
    #[arg(value_name = "ID")]
    pub(crate) change: Option<RecordId>,
    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Serve over HTTP on this loopback address (port 0 picks a free port) instead of standard input and output
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) http: Option<std::net::SocketAddr>,
    /// Offer only these tools, including those that are off by default; repeatable, or separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) tools: Vec<String>,
    /// Offer only tools that do not change files
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Serve all roots, even if the client names narrower ones
    #[arg(long)]
    pub(crate) ignore_client_roots: bool,
    /// Add structured content to answers, for programs; many agents then show their model nothing else
    #[arg(long)]
    pub(crate) structured: bool,
    /// Put this prefix before the name of every tool, for agents whose own tools have the same names
    #[arg(long, value_name = "TEXT", value_parser = setup::name)]
    pub(crate) prefix: Option<String>,
    /// Limit answers to this many characters [default: the known limit of the client, or 30000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_characters: Option<usize>,
}

/// Parses a name; the error lists the known names.
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

On a terminal, matches are grouped under the path of their file. In a pipe, a match is printed as path:line:text and a \
context line as path-line-text.

Exit status: 0 success (even without a match), 1 the tool failed, 2 usage error";

const GLOB_EXAMPLES: &str = "\
Examples:
  toolcrib glob '**/*.rs'
  toolcrib glob 'src/**/*.{ts,tsx}' --limit 20";

const LS_EXAMPLES: &str = "\
Examples:
  toolcrib ls
  toolcrib ls -r src --depth 2

On a terminal, prints a tree with sizes; in a pipe, one path per line.";

const CALL_EXAMPLES: &str = "\
Examples:
  toolcrib call Read '{\"file_path\": \"/home/ada/project/README.md\", \"limit\": 20}'
  toolcrib call Read --json - < call.json
  toolcrib call Read          # show its parameters

Exit status: 0 success, 1 the tool failed, 2 usage error";

const SCHEMAS_EXAMPLES: &str = "\
Examples:
  toolcrib schemas --format anthropic
  toolcrib schemas --dialect ekacode --format openai-strict";

const RULES_EXAMPLES: &str = "\
Examples:
  toolcrib rules
  toolcrib rules --json --root ~/project

To override a default rule, repeat its kind and pattern with another action in toolcrib/config.toml:
  [[rules]]
  kind = \"read\"
  pattern = \"**/.env\"
  action = \"ask\"";

const REDO_EXAMPLES: &str = "\
Examples:
  toolcrib redo               # redo what was undone last
  toolcrib redo 12";

const LOG_EXAMPLES: &str = "\
Examples:
  toolcrib log
  toolcrib log --brief --limit 100
  toolcrib log 12";

const UNDO_EXAMPLES: &str = "\
Examples:
  toolcrib undo               # undo the latest change
  toolcrib undo 12
  toolcrib undo 12 --dry-run  # show what it would do

If a file has been changed since, later changes to other lines are kept (merged). Changes to the same lines are a conflict, \
and nothing is undone. Undo touches only files that the change wrote, and never runs git.";

const MCP_EXAMPLES: &str = "\
Examples:
  toolcrib mcp --root ~/project
  toolcrib mcp --root ~/project --read-only
  toolcrib mcp --root ~/project --http 127.0.0.1:0      # prints the address and the token
  claude mcp add toolcrib -- toolcrib mcp --root ~/project

Over HTTP, clients must send the token: a random one, or the value of TOOLCRIB_TOKEN.";
