//! `Glob`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{GlobRequest, Matches};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::facts::counted;
use crate::matches::why_none;

pub(crate) struct Glob;

/// How many paths are given unless the caller says otherwise.
const DEFAULT_LIMIT: usize = 1000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct GlobInput {
    /// The glob pattern to match files against, such as **/*.py, src/**/*.{ts,tsx} or docs/[a-c]*.md
    #[schemars(length(min = 1))]
    pattern: String,
    /// Directory to search in (default: the working directory)
    #[schemars(length(min = 1))]
    path: Option<String>,
    /// Maximum number of files
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = GlobRequest::MAX_LIMIT))]
    limit: usize,
    /// How many files to skip
    #[serde(default)]
    #[schemars(range(max = GlobRequest::MAX_OFFSET))]
    offset: usize,
    /// Whether to find hidden files too; those that the pattern spells out are found anyway
    #[serde(default)]
    include_hidden: bool,
    /// Whether to find what .gitignore leaves out, and what is in node_modules and the like
    #[serde(default)]
    no_ignore: bool,
    /// Whether to find directories too
    #[serde(default)]
    include_directories: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct GlobOutput {
    #[serde(skip)]
    content: String,
    /// How many files are shown
    count: usize,
    /// How many files match
    total: u64,
    /// Whether more files match than are shown
    truncated: bool,
    /// The offset to go on with
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// The pattern
    pattern: String,
    /// How many matching files the rules withhold
    #[serde(skip_serializing_if = "Option::is_none")]
    withheld: Option<u64>,
    /// How many directories could not be read
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<u64>,
    /// Whether the time was up before everything was searched
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<bool>,
    /// Why nothing was found, where that may surprise
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for Glob {
    type Input = GlobInput;
    type Output = GlobOutput;
    const NAME: &'static str = "Glob";
    const TITLE: &'static str = "Find files";
    const DESCRIPTION: &'static str = "\
Finds files by name, fast in trees of any size.

Usage:
- Supports glob patterns like \"**/*.py\" or \"src/**/*.ts\", with *, ?, **, [abc] and {a,b}
- Returns absolute paths of matching files, newest first
- Leaves out hidden files, what .gitignore ignores, and .git, node_modules, __pycache__ and the like, unless asked
- Use Grep to find files by what is in them";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: GlobInput, call: &mut Call<'_>) -> Result<GlobOutput, ToolError> {
        let request = GlobRequest {
            pattern: input.pattern,
            path: input.path.map_or_else(|| call.context().working_dir.clone(), Into::into),
            hidden: input.include_hidden,
            ignored: input.no_ignore,
            directories: input.include_directories,
            offset: input.offset,
            limit: input.limit,
        };
        Ok(GlobOutput::new(toolcrib_files::glob(call, &request)?, request.pattern))
    }

    fn render(&self, output: &GlobOutput) -> Option<String> {
        Some(output.content.clone())
    }
}

impl GlobOutput {
    fn new(matches: Matches, pattern: String) -> Self {
        Self {
            content: content(&matches),
            count: matches.files.len(),
            total: matches.total,
            truncated: matches.next.is_some() || matches.partial,
            next_offset: matches.next,
            pattern,
            withheld: (matches.withheld > 0).then_some(matches.withheld),
            unreadable: (matches.unreadable > 0).then_some(matches.unreadable),
            partial: matches.partial.then_some(true),
            note: why_none(&matches, "no_ignore"),
        }
    }
}

/// One path a line, and what is missing.
fn content(matches: &Matches) -> String {
    let mut lines: Vec<String> = matches.files.iter().map(|file| file.absolute.clone()).collect();
    if let Some(next) = matches.next {
        let (shown, total) = (matches.files.len(), matches.total);
        lines.push(format!("({shown} of {total} files shown: go on with offset {next})"));
    }
    if matches.withheld > 0 {
        let withheld = usize::try_from(matches.withheld).unwrap_or(usize::MAX);
        lines.push(format!("({} withheld by rules)", counted(withheld, "file", "files")));
    }
    if matches.partial {
        lines.push("(the time was up before everything was searched)".to_owned());
    }
    lines.extend(why_none(matches, "no_ignore").map(|why| format!("({why})")));
    lines.join("\n")
}

fn default_limit() -> usize {
    DEFAULT_LIMIT
}
