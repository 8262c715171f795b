//! `glob`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{GlobRequest, Matches};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::matches::why_none;

pub(crate) struct Glob;

/// How many paths are given unless the caller says otherwise, and at the most.
const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GlobInput {
    /// Glob pattern (e.g., 'src/**/*.ts')
    #[schemars(length(min = 1))]
    pattern: String,
    /// Directory that the pattern is relative to (default: the workspace root)
    #[schemars(length(min = 1))]
    path: Option<String>,
    /// Maximum number of results
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = MAX_LIMIT))]
    limit: usize,
    /// How many results to skip
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
#[serde(rename_all = "camelCase")]
pub(crate) struct GlobOutput {
    /// Paths relative to the workspace, newest first
    files: Vec<String>,
    /// How many files are shown
    count: usize,
    /// The pattern
    pattern: String,
    /// How many files match
    total: u64,
    /// Whether more files match than are shown
    truncated: bool,
    /// The offset to go on with
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
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
    const NAME: &'static str = "glob";
    const TITLE: &'static str = "Find files";
    const DESCRIPTION: &'static str = "\
Finds files matching a glob pattern in the workspace, newest first. Leaves out hidden files, what .gitignore ignores, and \
.git, node_modules and the like, unless asked.";
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
}

impl GlobOutput {
    fn new(matches: Matches, pattern: String) -> Self {
        let note = why_none(&matches, "noIgnore");
        Self {
            count: matches.files.len(),
            files: matches.files.into_iter().map(|file| file.relative).collect(),
            pattern,
            total: matches.total,
            truncated: matches.next.is_some() || matches.partial,
            next_offset: matches.next,
            withheld: (matches.withheld > 0).then_some(matches.withheld),
            unreadable: (matches.unreadable > 0).then_some(matches.unreadable),
            partial: matches.partial.then_some(true),
            note,
        }
    }
}

fn default_limit() -> usize {
    DEFAULT_LIMIT
}
