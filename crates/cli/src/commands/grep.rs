//! `toolcrib grep`: matching lines, grouped by file on a terminal, `path:line:text` in a pipe.

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Map, Value, json};
use toolcrib::{Case, Dialect, Query, QueryOptions, ToolResult};

use super::tool_command::{Shown, ToolCommand, left_out, number, path};
use crate::args::Common;
use crate::failure::Failure;
use crate::paint::{Paint, Part, plain};

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct GrepArgs {
    /// The regular expression to search for; put -- before it if it starts with -
    pattern: String,
    /// The file or directory to search [default: the root]
    path: Option<PathBuf>,
    /// Search case-insensitively
    #[arg(short = 'i', long)]
    ignore_case: bool,
    /// Search case-insensitively unless the pattern contains an uppercase letter
    #[arg(short = 'S', long)]
    smart_case: bool,
    /// Treat the pattern as literal text, not as a regular expression
    #[arg(short = 'F', long)]
    literal: bool,
    /// Match whole words only
    #[arg(short = 'w', long)]
    word: bool,
    /// Show the lines that do not match
    #[arg(short = 'v', long)]
    invert: bool,
    /// Let matches span several lines, and let . match a newline
    #[arg(short = 'U', long)]
    multiline: bool,
    /// Show line numbers; accepted for compatibility with grep, since they are always shown
    #[arg(short = 'n', long)]
    line_number: bool,
    /// Search only files that match this glob
    #[arg(short = 'g', long, value_name = "GLOB")]
    glob: Option<String>,
    /// Skip files that match this glob; repeatable
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// Search only files of this type, such as py or rust
    #[arg(short = 't', long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Show this many lines after each match
    #[arg(short = 'A', long, value_name = "LINES")]
    after: Option<usize>,
    /// Show this many lines before each match
    #[arg(short = 'B', long, value_name = "LINES")]
    before: Option<usize>,
    /// Show this many lines before and after each match
    #[arg(short = 'C', long, value_name = "LINES")]
    context: Option<usize>,
    /// Show only the paths of files with a match
    #[arg(short = 'l', long, conflicts_with = "count")]
    files: bool,
    /// Show only the number of matches in each file
    #[arg(short = 'c', long)]
    count: bool,
    /// Stop after this many matches in each file
    #[arg(short = 'm', long, value_name = "COUNT")]
    max_count: Option<u64>,
    /// Sort by path, modified (newest first) or relevance
    #[arg(long, value_name = "ORDER", default_value = "path")]
    sort: String,
    /// Search hidden files too
    #[arg(long)]
    hidden: bool,
    /// Search files that ignore rules exclude, and folders such as node_modules
    #[arg(long)]
    no_ignore: bool,
    /// Skip files larger than this many bytes [default: 10 MiB]
    #[arg(long, value_name = "BYTES")]
    max_file_size: Option<u64>,
    /// Show at most this many results [default: 10000 matches or 100000 files]
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    /// Skip this many results
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    offset: usize,
    /// Print the complete result as one JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  toolcrib grep 'fn \\w+_blocking'
  toolcrib grep -F 'a.b(' src --type rust -C 2
  toolcrib grep -l TODO --exclude 'docs/**'

On a terminal, matches are grouped under the path of their file. In a pipe, a match is printed as path:line:text and a \
context line as path-line-text.

Exit status: 0 success (even without a match), 1 the tool failed, 2 usage error";

pub(crate) fn run(common: &Common, args: &GrepArgs) -> Result<ExitCode, Failure> {
    let mode = if args.files {
        "filesWithMatches"
    } else if args.count {
        "count"
    } else {
        "content"
    };
    let mut parameters = Map::from_iter([
        ("pattern".to_owned(), json!(args.pattern)),
        ("outputMode".to_owned(), json!(mode)),
        ("ignoreCase".to_owned(), json!(args.ignore_case)),
        ("smartCase".to_owned(), json!(args.smart_case)),
        ("literal".to_owned(), json!(args.literal)),
        ("word".to_owned(), json!(args.word)),
        ("invert".to_owned(), json!(args.invert)),
        ("multiline".to_owned(), json!(args.multiline)),
        ("exclude".to_owned(), json!(args.exclude)),
        // Lines that nobody asked for would be in the way of a pipe.
        ("context".to_owned(), json!(args.context.unwrap_or(0))),
        ("sort".to_owned(), json!(args.sort)),
        ("includeHidden".to_owned(), json!(args.hidden)),
        ("noIgnore".to_owned(), json!(args.no_ignore)),
        ("limit".to_owned(), json!(args.limit.unwrap_or(if mode == "content" { 10_000 } else { 100_000 }))),
        ("offset".to_owned(), json!(args.offset)),
    ]);
    let optional = [
        ("path", args.path.as_deref().map(path).transpose()?),
        ("glob", args.glob.as_ref().map(|glob| json!(glob))),
        ("type", args.kind.as_ref().map(|kind| json!(kind))),
        ("after", args.after.map(|lines| json!(lines))),
        ("before", args.before.map(|lines| json!(lines))),
        ("maxCount", args.max_count.map(|count| json!(count))),
        ("maxFileSize", args.max_file_size.map(|bytes| json!(bytes))),
    ];
    for (name, value) in optional {
        parameters.extend(value.map(|value| (name.to_owned(), value)));
    }
    let page = Page { paint: Paint::new(common.color), args };
    // This dialect's answer is an object with every line apart.
    let dialect = Dialect::Ekacode;
    ToolCommand { common, dialect, tool: "grep", parameters, json: args.json }
        .run(|result, _| page.show(result))
}

struct Page<'a> {
    paint: Paint,
    args: &'a GrepArgs,
}

impl Page<'_> {
    fn show(&self, result: &ToolResult) -> Shown {
        let found = &result.output;
        let query = self.highlights();
        let mut answer = String::new();
        for file in found["files"].as_array().into_iter().flatten() {
            let path = plain(file["path"].as_str().unwrap_or_default());
            let lines = file.get("lines").and_then(Value::as_array);
            match lines {
                Some(lines) => self.lines(&path, lines, query.as_ref(), &mut answer),
                None if self.args.count => {
                    let count = self.paint.show(Part::Number, number(file, "count"));
                    answer.push_str(&format!("{}:{count}\n", self.paint.show(Part::Heading, path)));
                }
                None => answer.push_str(&format!("{}\n", self.paint.show(Part::Heading, path))),
            }
        }
        Shown { answer, notes: self.notes(found) }
    }

    /// What to highlight, if anything is.
    fn highlights(&self) -> Option<Query> {
        let args = self.args;
        let case = match (args.ignore_case, args.smart_case) {
            (true, _) => Case::Insensitive,
            (false, true) => Case::Smart,
            (false, false) => Case::Sensitive,
        };
        let options = QueryOptions {
            literal: args.literal,
            word: args.word,
            multiline: args.multiline,
            case,
            ..QueryOptions::default()
        };
        (self.paint.has_colour() && !args.invert).then(|| Query::new(&args.pattern, options).ok()).flatten()
    }

    fn lines(&self, path: &str, lines: &[Value], query: Option<&Query>, answer: &mut String) {
        let in_groups =
            [self.args.after, self.args.before, self.args.context].iter().flatten().any(|n| *n > 0);
        if self.paint.for_people {
            let between = if answer.is_empty() { "" } else { "\n" };
            answer.push_str(&format!("{between}{}\n", self.paint.show(Part::Heading, path)));
        } else if in_groups && !answer.is_empty() {
            answer.push_str("--\n");
        }
        let mut expected = None;
        for line in lines {
            let at = number(line, "line");
            if in_groups && expected.is_some_and(|expected| expected != at) {
                answer.push_str("--\n");
            }
            expected = Some(at + 1);
            let matches = line["match"] == true;
            let sign = if matches { ':' } else { '-' };
            if !self.paint.for_people {
                answer.push_str(&format!("{}{sign}", self.paint.show(Part::Heading, path)));
            }
            answer.push_str(&format!("{}{sign}", self.paint.show(Part::Number, at)));
            let text = line["text"].as_str().unwrap_or_default();
            self.text(text, query.filter(|_| matches), answer);
            answer.push('\n');
        }
    }

    fn text(&self, text: &str, query: Option<&Query>, answer: &mut String) {
        let mut done = 0;
        for Range { start, end } in query.map(|query| query.find_all(text)).unwrap_or_default() {
            answer.push_str(&plain(&text[done..start]));
            answer.push_str(&self.paint.show(Part::Match, plain(&text[start..end])));
            done = end;
        }
        answer.push_str(&plain(&text[done..]));
    }

    fn notes(&self, found: &Value) -> Vec<String> {
        let lines = !self.args.files && !self.args.count;
        let total = found.get(if lines { "totalMatches" } else { "totalFiles" }).and_then(Value::as_u64);
        let what = if lines { "matches" } else { "files" };
        let mut notes = left_out(found, number(found, "count"), total, what);
        if total == Some(0) {
            notes.insert(0, "No matches found".to_owned());
        }
        let skipped = &found["skipped"];
        for (reason, words) in [
            ("tooLarge", "too large"),
            ("unreadable", "unreadable"),
            ("denied", "hidden by rules"),
            ("tooComplex", "too complex for this pattern"),
        ] {
            match number(skipped, reason) {
                0 => {}
                count => notes.push(format!("not searched: {count} {words}")),
            }
        }
        notes
    }
}
