//! `toolcrib glob`: files by a pattern over their paths, one a line.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, Value, json};
use toolcrib::{Dialect, ToolResult};

use super::tool_command::{Shown, ToolCommand, left_out, number, path};
use crate::args::Common;
use crate::failure::Failure;
use crate::paint::plain;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GlobArgs {
    /// The glob: *, ?, **, [abc] and {a,b} are special
    pattern: String,
    /// The directory to search, which the glob is relative to [default: the root]
    path: Option<PathBuf>,
    /// Include directories
    #[arg(long)]
    directories: bool,
    /// Include hidden files
    #[arg(long)]
    hidden: bool,
    /// Include files that ignore rules exclude, and folders such as node_modules
    #[arg(long)]
    no_ignore: bool,
    /// Show at most this many paths
    #[arg(long, value_name = "COUNT", default_value_t = 100_000)]
    limit: usize,
    /// Skip this many paths
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    offset: usize,
    /// Print the complete result as one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  toolcrib glob '**/*.rs'
  toolcrib glob 'src/**/*.{ts,tsx}' --limit 20";

pub(crate) fn run(common: &Common, args: &GlobArgs) -> Result<ExitCode, Failure> {
    let mut parameters = Map::from_iter([
        ("pattern".to_owned(), json!(args.pattern)),
        ("include_directories".to_owned(), json!(args.directories)),
        ("include_hidden".to_owned(), json!(args.hidden)),
        ("no_ignore".to_owned(), json!(args.no_ignore)),
        ("limit".to_owned(), json!(args.limit)),
        ("offset".to_owned(), json!(args.offset)),
    ]);
    if let Some(typed) = &args.path {
        parameters.insert("path".to_owned(), path(typed)?);
    }
    // This dialect's answer is a text with one path a line.
    let dialect = Dialect::Opencode;
    ToolCommand { common, dialect, tool: "Glob", parameters, json: args.json }.run(show)
}

fn show(result: &ToolResult, root: &str) -> Shown {
    let facts = Value::Object(result.metadata.clone());
    let (count, total) = (number(&facts, "count"), number(&facts, "total"));
    let paths = result.output.as_str().unwrap_or_default().lines();
    let mut answer = String::new();
    for path in paths.take(usize::try_from(count).unwrap_or(usize::MAX)) {
        let below = path.strip_prefix(root).and_then(|path| path.strip_prefix('/'));
        answer.push_str(&plain(below.unwrap_or(path)));
        answer.push('\n');
    }
    let mut notes = left_out(&facts, count, Some(total), "files");
    if total == 0 {
        notes.insert(0, "No files found".to_owned());
    }
    Shown { answer, notes }
}
