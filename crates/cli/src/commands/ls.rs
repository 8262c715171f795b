//! `toolcrib ls`: a tree on a terminal, paths in a pipe.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, Value, json};
use toolcrib::{Dialect, ToolResult};

use super::tool_command::{Shown, ToolCommand, left_out, path};
use crate::args::Common;
use crate::failure::Failure;
use crate::paint::{Paint, Part, plain};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LsArgs {
    /// The directory to list [default: the root]
    path: Option<PathBuf>,
    /// List subdirectories too
    #[arg(short = 'r', long)]
    recursive: bool,
    /// Descend at most this many levels; 1 lists the directory alone
    #[arg(long, value_name = "LEVELS")]
    depth: Option<usize>,
    /// Leave out entries that match this glob; repeatable
    #[arg(long, value_name = "GLOB")]
    ignore: Vec<String>,
    /// Include entries that ignore rules exclude
    #[arg(long)]
    no_ignore: bool,
    /// Show at most this many entries
    #[arg(long, value_name = "COUNT", default_value_t = 10_000)]
    limit: usize,
    /// Skip this many entries
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    offset: usize,
    /// Print the complete result as one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  toolcrib ls
  toolcrib ls -r src --depth 2

On a terminal, prints a tree with sizes; in a pipe, one path per line.";

pub(crate) fn run(common: &Common, args: &LsArgs) -> Result<ExitCode, Failure> {
    let mut parameters = Map::from_iter([
        ("recursive".to_owned(), json!(args.recursive)),
        ("ignore".to_owned(), json!(args.ignore)),
        ("no_ignore".to_owned(), json!(args.no_ignore)),
        ("limit".to_owned(), json!(args.limit)),
        ("offset".to_owned(), json!(args.offset)),
    ]);
    if let Some(depth) = args.depth {
        parameters.insert("depth".to_owned(), json!(depth));
    }
    if let Some(typed) = &args.path {
        parameters.insert("path".to_owned(), path(typed)?);
    }
    let paint = Paint::new(common.color);
    // This dialect tells links from files.
    let dialect = Dialect::Opencode;
    ToolCommand { common, dialect, tool: "LS", parameters, json: args.json }
        .run(|result, _| show(result, paint))
}

fn show(result: &ToolResult, paint: Paint) -> Shown {
    let facts = Value::Object(result.metadata.clone());
    let top = facts["path"].as_str().unwrap_or_default();
    let entries = facts["entries"].as_array().map_or(&[][..], Vec::as_slice);
    let mut answer = String::new();
    if paint.for_people {
        answer.push_str(&paint.show(Part::Heading, format_args!("{}/", plain(top.trim_end_matches('/')))));
        answer.push('\n');
    }
    for entry in entries.iter().map(|entry| Entry::new(entry, top)) {
        answer.push_str(&if paint.for_people { entry.in_tree(paint) } else { entry.as_path(paint) });
        answer.push('\n');
    }
    let total = facts.get("total").and_then(Value::as_u64);
    Shown { answer, notes: left_out(&facts, entries.len() as u64, total, "entries") }
}

struct Entry<'a> {
    /// From the directory that is listed.
    path: &'a str,
    name: &'a str,
    directory: bool,
    size: Option<u64>,
    target: Option<&'a str>,
}

impl<'a> Entry<'a> {
    fn new(entry: &'a Value, top: &str) -> Self {
        let path = entry["path"].as_str().unwrap_or_default();
        Self {
            path: path.strip_prefix(top).unwrap_or(path).trim_start_matches('/'),
            name: entry["name"].as_str().unwrap_or_default(),
            directory: entry["type"] == "directory",
            size: entry.get("size").and_then(Value::as_u64),
            target: entry.get("target").and_then(Value::as_str),
        }
    }

    fn as_path(&self, paint: Paint) -> String {
        self.named(self.path, paint)
    }

    fn in_tree(&self, paint: Paint) -> String {
        let indent = "  ".repeat(self.path.matches('/').count() + 1);
        let rest = match (self.target, self.size) {
            (Some(target), _) => format!(" -> {}", plain(target)),
            (None, Some(size)) => format!("  {size}"),
            (None, None) => String::new(),
        };
        format!("{indent}{}{}", self.named(self.name, paint), paint.show(Part::Faint, rest))
    }

    fn named(&self, name: &str, paint: Paint) -> String {
        let name = plain(name);
        if self.directory { paint.show(Part::Directory, format_args!("{name}/")) } else { name.into_owned() }
    }
}
