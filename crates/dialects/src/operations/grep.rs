//! Lines in files, and files by what is in them.

use schemars::JsonSchema;
use serde::Deserialize;
use toolcrib_access::Proposed;
use toolcrib_files::{
    Case, Found, FoundBy, GrepMode, GrepRequest, Grepped, Line, OwnContext, QueryOptions, Refused, Skipped,
    Sort,
};
use toolcrib_tool::{Effect, ToolError};

use super::{Caller, Operation, some};
use crate::facts::{Facts, facts};

/// Searches the contents of files.
pub struct Grep;

parameters! {
    /// What to find, and where.
    pub struct GrepInput;
    pattern: String => "Regular expression, such as fn \\w+; look-around and back-references work";
    path: Option<String>, schemars(length(min = 1)) =>
        "File or directory (default: the working directory)";
    glob: Option<String>, schemars(length(min = 1)) =>
        "Files to search, such as *.py or src/**/*.{ts,tsx}";
    r#type: Option<String>, schemars(length(min = 1)) =>
        "File type, such as py, js, ts, rust, go, cpp, md, yaml";
    output_mode: OutputMode, serde(default) =>
        "Lines, paths, or path: count";
    names_only: bool, serde(default) => "Show the paths of files only, whatever the mode is";
    ignore_case: bool, serde(default) => "Case-insensitive";
    case_sensitive: bool, serde(default) => "Search case-sensitively";
    line_numbers: bool, serde(default = "yes") => "Line numbers";
    after: Option<usize>, schemars(range(max = GrepRequest::MAX_CONTEXT)) => "Context lines after";
    before: Option<usize>, schemars(range(max = GrepRequest::MAX_CONTEXT)) => "Context lines before";
    context: Option<usize>, schemars(range(max = GrepRequest::MAX_CONTEXT)) => "Context lines around";
    context_of_one: Option<usize>, schemars(range(max = GrepRequest::MAX_CONTEXT)) =>
        "Lines of context to add around a single match";
    context_of_few: Option<usize>, schemars(range(max = GrepRequest::MAX_CONTEXT)) =>
        "Lines of context to add around each of two or three matches";
    multiline: bool, serde(default) =>
        "Match across lines; . matches a newline";
    limit: usize, serde(default = "default_limit"), schemars(range(max = GrepRequest::MAX_LIMIT)) =>
        "Most results; 0: all that fit";
    offset: usize, serde(default), schemars(range(max = GrepRequest::MAX_OFFSET)) => "Results to skip";
    literal: bool, serde(default) => "Pattern is plain text";
    word: bool, serde(default) => "Whole words only";
    smart_case: bool, serde(default) => "Case-insensitive unless the pattern has a capital";
    invert: bool, serde(default) => "Lines that do not match";
    except: Option<String>, schemars(length(min = 1)) => "Regular expression of matching lines to leave out";
    exclude: Vec<String>, serde(default) => "Globs to leave out";
    sort: Order, serde(default) =>
        "relevance (default): file name matches, more matches, newer; modified: newest";
    max_count: Option<u64>, schemars(range(min = 1)) => "Most matches per file";
    only_matching: bool, serde(default) => "Show only the parts of lines that match";
    include_hidden: bool, serde(default) => "Search hidden files too";
    no_ignore: bool, serde(default) => "Search ignored files too, and node_modules and the like";
    max_file_size: Option<u64> =>
        "In bytes; no limit for a file given by path";
}

#[derive(Clone, Copy, Default, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OutputMode {
    Content,
    #[default]
    FilesWithMatches,
    Count,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    #[default]
    Relevance,
    Path,
    Modified,
}

fn yes() -> bool {
    true
}

fn default_limit() -> usize {
    GrepRequest::DEFAULT_LIMIT
}

/// What was found.
pub struct GrepOutcome {
    /// The files and lines.
    pub found: Grepped,
    /// The pattern.
    pub pattern: String,
    /// What was wanted.
    pub mode: GrepMode,
    /// Whether lines are shown with their numbers.
    pub line_numbers: bool,
}

impl Operation for Grep {
    type Input = GrepInput;
    type Outcome = GrepOutcome;
    const NAME: &'static str = "grep";
    const TITLE: &'static str = "Search file contents";
    const EFFECT: Effect = Effect::Reads;

    fn run(input: GrepInput, caller: &Caller<'_>) -> Result<Proposed<GrepOutcome>, Refused> {
        let line_numbers = input.line_numbers;
        let request = input.request(caller)?;
        let found = toolcrib_files::grep(caller.sandbox, &request)?;
        Ok(GrepOutcome { found, pattern: request.pattern, mode: request.mode, line_numbers }.into())
    }

    fn facts() -> Facts<GrepOutcome> {
        facts! { GrepOutcome, |it, words|
            "files": "Files with matches, in order", list(file()) => it.found.files.iter().collect();
            "count": "How many results are shown: lines in content mode, files otherwise" => it.found.returned;
            "pattern": "The pattern" => it.pattern.clone();
            "total_matches": "How many matches there are in all files; absent where sort is path and the first files had enough for the page" =>
                it.found.total_matches;
            "total_files": "How many files have matches; absent when total_matches is" => it.found.total_files;
            "files_searched": "How many files were searched" => it.found.searched;
        }
            .and(skipped().within("skipped", "How many files were not searched, by reason"))
            .fact("truncated", "Whether there are more results than shown", |it, _| {
                it.found.next.is_some() || it.found.partial
            })
            .fact("next_offset", "The offset of the next page", |it, _| it.found.next)
            .fact("context_added", "How many lines of context were added because there are few matches", |it, _| {
                it.found.context_added.then_some(it.found.context.0)
            })
            .fact("partial", "Whether the search stopped at the deadline", |it, _| some(it.found.partial))
            .fact("index", "How the files were found: warm, by an index, or scan, by reading all of them", |it, _| {
                it.found.found_by.map(FoundBy::word)
            })
            .fact("note", "Why nothing was searched, where that may surprise", |it, words| {
                it.found.all_ignored.then(|| all_ignored(&words.parameter("no_ignore")))
            })
    }
}

fn file() -> Facts<Found> {
    let line = facts! { Line, |it, words|
        "line": "The line number" => it.number;
        "text": "The text" => it.text.clone();
        "match": "Whether it matches; false for a line of context" => it.matches;
    };
    let file = facts! { Found, |it, words|
        "path": "The path relative to the workspace" => words.path(&it.path);
        "count": "How many matches it has" => it.count;
        "lines": "Its matching lines and those around them, in content mode", list(line) =>
            it.lines.iter().collect();
    };
    file.if_any("lines")
}

fn skipped() -> Facts<GrepOutcome> {
    fn of(it: &GrepOutcome) -> Skipped {
        it.found.skipped
    }
    facts! { GrepOutcome, |it, words|
        "binary": "Files that are no text" => of(it).binary;
        "too_large": "Files that are too large" => of(it).too_large;
        "unreadable": "Files and directories that cannot be read" => of(it).unreadable;
        "denied": "Files that the rules withhold" => of(it).denied;
        "too_complex": "Files on which the pattern takes too long" => some(of(it).too_complex);
    }
}

impl GrepInput {
    fn request(self, caller: &Caller<'_>) -> Result<GrepRequest, ToolError> {
        let around = |side: Option<usize>| side.or(self.context).unwrap_or(0);
        let asked = self.after.or(self.before).or(self.context).is_some();
        let own = OwnContext::default();
        Ok(GrepRequest {
            context: asked.then(|| (around(self.before), around(self.after))),
            own_context: OwnContext {
                one: self.context_of_one.unwrap_or(own.one),
                few: self.context_of_few.unwrap_or(own.few),
            },
            query: QueryOptions {
                literal: self.literal,
                // Ignoring the case is stronger than being smart about it.
                case: match (self.ignore_case && !self.case_sensitive, self.smart_case) {
                    (true, _) => Case::Insensitive,
                    (false, true) => Case::Smart,
                    (false, false) => Case::Sensitive,
                },
                word: self.word,
                multiline: self.multiline,
                invert: self.invert,
                max_count: self.max_count,
                only_matching: self.only_matching,
                except: self.except,
            },
            pattern: self.pattern,
            path: caller.start(self.path)?,
            include: self.glob.into_iter().collect(),
            exclude: self.exclude,
            types: self.r#type,
            mode: match self.output_mode {
                _ if self.names_only => GrepMode::Files,
                OutputMode::Content => GrepMode::Content,
                OutputMode::FilesWithMatches => GrepMode::Files,
                OutputMode::Count => GrepMode::Count,
            },
            sort: match self.sort {
                Order::Relevance => Sort::Relevance,
                Order::Path => Sort::Path,
                Order::Modified => Sort::Modified,
            },
            offset: self.offset,
            limit: if self.limit == 0 { GrepRequest::MAX_LIMIT } else { self.limit },
            hidden: self.include_hidden,
            ignored: self.no_ignore,
            max_file_size: self.max_file_size,
            line_length: GrepRequest::LINE_LENGTH,
        })
    }
}

/// Why nothing was searched, and the parameter that changes it.
pub(crate) fn all_ignored(parameter: &str) -> String {
    format!("ignore rules exclude every file here: set {parameter} to search them")
}
