//! `toolcrib read`: the lines of a file with their numbers.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, json};
use toolcrib::{Dialect, ToolResult};

use super::tool_command::{Shown, ToolCommand, path};
use crate::args::Common;
use crate::failure::Failure;
use crate::paint::{Paint, Part, plain, plain_text};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReadArgs {
    /// The file to show
    path: PathBuf,
    /// Start at this line, counted from 1
    #[arg(long, value_name = "LINE")]
    offset: Option<u64>,
    /// Show at most this many lines [default: 2000]
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    /// Show the last COUNT lines instead
    #[arg(long, value_name = "COUNT", conflicts_with_all = ["offset", "limit"])]
    tail: Option<usize>,
    /// Start each line at this character, counted from 1
    #[arg(long, value_name = "CHARACTER")]
    column: Option<usize>,
    /// Decode the file with this encoding, such as utf-16le or shift_jis [default: detected]
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    /// Print the complete result as one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  toolcrib read src/main.rs
  toolcrib read src/main.rs --offset 100 --limit 20
  toolcrib read server.log --tail 50";

pub(crate) fn run(common: &Common, args: &ReadArgs) -> Result<ExitCode, Failure> {
    let mut parameters = Map::from_iter([("file_path".to_owned(), path(&args.path)?)]);
    let optional = [
        ("offset", args.offset.map(|line| json!(line))),
        ("limit", args.limit.map(|lines| json!(lines))),
        ("tail", args.tail.map(|lines| json!(lines))),
        ("column", args.column.map(|character| json!(character))),
        ("encoding", args.encoding.as_ref().map(|name| json!(name))),
    ];
    for (name, value) in optional {
        parameters.extend(value.map(|value| (name.to_owned(), value)));
    }
    let paint = Paint::new(common.color);
    // This dialect's answer is a text with one line a line.
    let dialect = Dialect::Opencode;
    ToolCommand { common, dialect, tool: "Read", parameters, json: args.json }
        .run(|result, _| show(result, paint))
}

/// The lines, and beside them what the answer says after an empty line.
fn show(result: &ToolResult, paint: Paint) -> Shown {
    let text = result.to_display();
    let Some(count) = result.metadata.get("lines_read").and_then(serde_json::Value::as_u64) else {
        return Shown { answer: plain_text(&text).into_owned(), notes: Vec::new() };
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut answer = String::with_capacity(text.len());
    for line in text.split('\n').take(count) {
        match line.split_once('\t') {
            Some((number, line)) => {
                answer.push_str(&format!("{}\t{}\n", paint.show(Part::Number, number), plain(line)));
            }
            None => answer.push_str(&format!("{}\n", plain(line))),
        }
    }
    let notes = text.split('\n').skip(count).filter(|remark| !remark.is_empty());
    Shown { answer, notes: notes.map(|remark| remark.trim_matches(['(', ')']).to_owned()).collect() }
}
