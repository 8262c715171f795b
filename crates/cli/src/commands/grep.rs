//! `toolcrib grep`: matching lines, grouped by file on a terminal, `path:line:text` in a pipe.

use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;

use toolcrib::Dialect;
use toolcrib::dialects::operations::{Caller, Grep, GrepOutcome};
use toolcrib::files::{
    Case, Found, GrepMode, GrepRequest, Grepped, OwnContext, Query, QueryOptions, Sort, grep,
};

use super::operation::{LeftOut, Shown, look, start};
use crate::args::{Common, at_least, within};
use crate::failure::Failure;
use crate::paint::{Paint, Part, plain};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  toolcrib grep 'fn \\w+_blocking'
  toolcrib grep -F 'a.b(' src --type rust -C 2
  toolcrib grep -l TODO --exclude 'docs/**'

On a terminal, matches are grouped under the path of their file. In a pipe, a match is printed as path:line:text and a \
context line as path-line-text.

Exit status: 0 success (even without a match), 1 the tool failed, 2 usage error")]
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
    #[arg(short = 'A', long, value_name = "LINES", value_parser = within(0, GrepRequest::MAX_CONTEXT))]
    after: Option<usize>,
    /// Show this many lines before each match
    #[arg(short = 'B', long, value_name = "LINES", value_parser = within(0, GrepRequest::MAX_CONTEXT))]
    before: Option<usize>,
    /// Show this many lines before and after each match
    #[arg(short = 'C', long, value_name = "LINES", value_parser = within(0, GrepRequest::MAX_CONTEXT))]
    context: Option<usize>,
    /// Show only the paths of files with a match
    #[arg(short = 'l', long, conflicts_with = "count")]
    files: bool,
    /// Show only the number of matches in each file
    #[arg(short = 'c', long)]
    count: bool,
    /// Stop after this many matches in each file
    #[arg(short = 'm', long, value_name = "COUNT", value_parser = at_least::<u64>(1))]
    max_count: Option<u64>,
    /// Sort by path, modified (newest first) or relevance
    #[arg(long, value_name = "ORDER", default_value = "path", value_parser = order)]
    sort: Sort,
    /// Search hidden files too
    #[arg(long)]
    hidden: bool,
    /// Search files that ignore rules exclude, and folders such as node_modules
    #[arg(long)]
    no_ignore: bool,
    /// Skip files larger than this many bytes [default: 10 MiB]
    #[arg(long, value_name = "BYTES", value_parser = at_least::<u64>(0))]
    max_file_size: Option<u64>,
    /// Show at most this many results [default: 10000 matches or 100000 files]
    #[arg(long, value_name = "COUNT", value_parser = within(0, GrepRequest::MAX_LIMIT))]
    limit: Option<usize>,
    /// Skip this many results
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = within(0, GrepRequest::MAX_OFFSET))]
    offset: usize,
    /// Print the complete result as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(common: &Common, args: &GrepArgs) -> Result<ExitCode, Failure> {
    let request = request(args)?;
    let search = |caller: &Caller<'_>| {
        let found = grep(caller.sandbox, &request)?;
        let (pattern, mode) = (request.pattern.clone(), request.mode);
        Ok(GrepOutcome { found, pattern, mode, line_numbers: true }.into())
    };
    let page = Page { paint: Paint::new(common.color), request: &request };
    // In this dialect, the JSON has every line apart.
    look::<Grep>(common, Dialect::Ekacode, args.json, search, |outcome| page.show(&outcome.found))
}

fn request(args: &GrepArgs) -> Result<GrepRequest, Failure> {
    let (mode, limit) = match (args.files, args.count) {
        (true, _) => (GrepMode::Files, 100_000),
        (_, true) => (GrepMode::Count, 100_000),
        _ => (GrepMode::Content, 10_000),
    };
    // Lines that were not asked for would be in the way of a pipe.
    let around = |side: Option<usize>| side.or(args.context).unwrap_or(0);
    Ok(GrepRequest {
        pattern: args.pattern.clone(),
        query: QueryOptions {
            literal: args.literal,
            word: args.word,
            multiline: args.multiline,
            invert: args.invert,
            case: match (args.ignore_case, args.smart_case) {
                (true, _) => Case::Insensitive,
                (false, true) => Case::Smart,
                (false, false) => Case::Sensitive,
            },
            max_count: args.max_count,
            only_matching: false,
            except: None,
        },
        path: start(args.path.as_deref())?,
        include: args.glob.clone().into_iter().collect(),
        exclude: args.exclude.clone(),
        types: args.kind.clone(),
        mode,
        context: Some((around(args.before), around(args.after))),
        own_context: OwnContext::default(),
        sort: args.sort,
        offset: args.offset,
        limit: match args.limit {
            Some(0) => GrepRequest::MAX_LIMIT,
            given => given.unwrap_or(limit),
        },
        hidden: args.hidden,
        ignored: args.no_ignore,
        max_file_size: args.max_file_size,
    })
}

fn order(name: &str) -> Result<Sort, String> {
    match name {
        "path" => Ok(Sort::Path),
        "modified" => Ok(Sort::Modified),
        "relevance" => Ok(Sort::Relevance),
        _ => Err("expected path, modified or relevance".to_owned()),
    }
}

struct Page<'a> {
    paint: Paint,
    request: &'a GrepRequest,
}

impl Page<'_> {
    fn show(&self, found: &Grepped) -> Shown {
        let query = self.highlights();
        let mut answer = String::new();
        for file in &found.files {
            let path = self.paint.show(Part::Heading, plain(&file.path.relative));
            match self.request.mode {
                GrepMode::Content => {
                    self.lines(&path, file, found.context != (0, 0), query.as_ref(), &mut answer)
                }
                GrepMode::Files => answer.push_str(&format!("{path}\n")),
                GrepMode::Count => {
                    answer.push_str(&format!("{path}:{}\n", self.paint.show(Part::Number, file.count)));
                }
            }
        }
        Shown { answer, notes: self.notes(found) }
    }

    /// What to highlight, if anything is.
    fn highlights(&self) -> Option<Query> {
        let GrepRequest { pattern, query, .. } = self.request;
        let shown = self.paint.has_colour() && !query.invert;
        shown.then(|| Query::new(pattern, query.clone()).ok()).flatten()
    }

    fn lines(&self, path: &str, file: &Found, in_groups: bool, query: Option<&Query>, answer: &mut String) {
        if self.paint.for_people {
            let between = if answer.is_empty() { "" } else { "\n" };
            answer.push_str(&format!("{between}{path}\n"));
        } else if in_groups && !answer.is_empty() {
            answer.push_str("--\n");
        }
        let mut expected = None;
        for line in &file.lines {
            if in_groups && expected.is_some_and(|expected| expected != line.number) {
                answer.push_str("--\n");
            }
            expected = Some(line.number + 1);
            let sign = if line.matches { ':' } else { '-' };
            if !self.paint.for_people {
                answer.push_str(&format!("{path}{sign}"));
            }
            answer.push_str(&format!("{}{sign}", self.paint.show(Part::Number, line.number)));
            self.text(&line.text, query.filter(|_| line.matches), answer);
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

    fn notes(&self, found: &Grepped) -> Vec<String> {
        let (total, results) = match self.request.mode {
            GrepMode::Content => (found.total_matches, "matches"),
            GrepMode::Files | GrepMode::Count => (found.total_files, "files"),
        };
        let Grepped { returned, next, partial, .. } = *found;
        let mut notes =
            LeftOut { shown: returned, total, next, partial, ..LeftOut::default() }.notes(results);
        if total == Some(0) {
            notes.insert(0, "No matches found".to_owned());
        }
        if found.all_ignored {
            notes.push(
                "ignore rules leave out all that could be searched: pass --no-ignore to search it".to_owned(),
            );
        }
        let skipped = found.skipped;
        for (count, reason) in [
            (skipped.too_large, "too large"),
            (skipped.unreadable, "unreadable"),
            (skipped.denied, "hidden by rules"),
            (skipped.too_complex, "too complex for this pattern"),
        ] {
            if count > 0 {
                notes.push(format!("not searched: {count} {reason}"));
            }
        }
        notes
    }
}
