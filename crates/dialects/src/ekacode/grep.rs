//! `grep`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{Found, GrepMode, GrepRequest, Grepped, QueryOptions};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::matches::{Order, all_ignored, case};

pub(crate) struct Grep;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GrepInput {
    /// Regular expression to search for
    pattern: String,
    /// File or directory to search in (default: the workspace root)
    #[schemars(length(min = 1))]
    path: Option<String>,
    /// Glob pattern of the files to search (e.g., '*.py', 'src/**/*.{ts,tsx}')
    #[schemars(length(min = 1))]
    glob: Option<String>,
    /// Type of files to search, such as py, js, ts, rust, go, java, c, cpp, md, json, yaml
    #[serde(rename = "type")]
    #[schemars(length(min = 1))]
    file_type: Option<String>,
    /// What to return: matching lines, files, or files with their number of matches
    #[serde(default)]
    output_mode: OutputMode,
    /// Case insensitive search
    #[serde(default)]
    ignore_case: bool,
    /// Case insensitive unless the pattern has a capital
    #[serde(default)]
    smart_case: bool,
    /// Lines of context after each match
    #[schemars(range(max = GrepRequest::MAX_CONTEXT))]
    after: Option<usize>,
    /// Lines of context before each match
    #[schemars(range(max = GrepRequest::MAX_CONTEXT))]
    before: Option<usize>,
    /// Lines of context before and after each match
    #[schemars(range(max = GrepRequest::MAX_CONTEXT))]
    context: Option<usize>,
    /// Whether the pattern can match across lines
    #[serde(default)]
    multiline: bool,
    /// Maximum number of results (0 for as many as fit)
    #[serde(default = "default_limit")]
    #[schemars(range(max = GrepRequest::MAX_LIMIT))]
    limit: usize,
    /// How many results to skip
    #[serde(default)]
    #[schemars(range(max = GrepRequest::MAX_OFFSET))]
    offset: usize,
    /// Search for the pattern as text, not as a regular expression
    #[serde(default)]
    literal: bool,
    /// Match whole words only
    #[serde(default)]
    word: bool,
    /// Find lines that do not match
    #[serde(default)]
    invert: bool,
    /// Glob patterns of files and directories to leave out
    #[serde(default)]
    exclude: Vec<String>,
    /// What comes first: relevance (file name matches, more matches, newer), path, or modified (newest)
    #[serde(default)]
    sort: Order,
    /// Stop after so many matches in each file
    #[schemars(range(min = 1))]
    max_count: Option<u64>,
    /// Search hidden files too
    #[serde(default)]
    include_hidden: bool,
    /// Search what .gitignore leaves out, and what is in node_modules and the like
    #[serde(default)]
    no_ignore: bool,
    /// Leave out files of more than so many bytes (default: 10 MB, and no limit for a file that is named)
    max_file_size: Option<u64>,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum OutputMode {
    Content,
    #[default]
    FilesWithMatches,
    Count,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GrepOutput {
    /// Files with matches, in order
    files: Vec<GrepFile>,
    /// How many results are returned: lines in content mode, files otherwise
    count: u64,
    /// The pattern
    pattern: String,
    /// How many matches there are in all files; absent where sort is path and the first files had enough for the page
    #[serde(skip_serializing_if = "Option::is_none")]
    total_matches: Option<u64>,
    /// How many files have matches; absent likewise
    #[serde(skip_serializing_if = "Option::is_none")]
    total_files: Option<u64>,
    /// How many files were searched
    files_searched: u64,
    /// How many files were not searched, by reason
    skipped: GrepSkipped,
    /// Whether there are more results
    truncated: bool,
    /// The offset to go on with
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// How many lines of context were added because there are few matches
    #[serde(skip_serializing_if = "Option::is_none")]
    context_added: Option<usize>,
    /// Whether the time was up before everything was searched
    #[serde(skip_serializing_if = "Option::is_none")]
    partial: Option<bool>,
    /// Why nothing was searched, where that may surprise
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GrepSkipped {
    /// Files that are no text
    binary: u64,
    /// Files that are too large
    too_large: u64,
    /// Files and directories that cannot be read
    unreadable: u64,
    /// Files that the rules withhold
    denied: u64,
    /// Files on which the pattern takes too long
    #[serde(skip_serializing_if = "Option::is_none")]
    too_complex: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct GrepFile {
    /// The path relative to the workspace
    path: String,
    /// How many matches it has
    count: u64,
    /// Its matching lines and those around them, in content mode
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<GrepLine>,
}

#[derive(Serialize, JsonSchema)]
struct GrepLine {
    /// The line number
    line: u64,
    /// The text
    text: String,
    /// Whether it matches, or stands beside a line that does
    #[serde(rename = "match")]
    matches: bool,
}

impl Tool for Grep {
    type Input = GrepInput;
    type Output = GrepOutput;
    const NAME: &'static str = "grep";
    const TITLE: &'static str = "Search file contents";
    const DESCRIPTION: &'static str = "\
Searches file contents in the workspace with a regular expression, or for text with literal. Returns files, or lines with \
outputMode content; one to three matches bring context of themselves. Leaves out hidden files, what .gitignore ignores, \
binary files, and files over 10 MB, unless asked, and counts what was left out.";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: GrepInput, call: &mut Call<'_>) -> Result<GrepOutput, ToolError> {
        let request = input.request(call);
        Ok(GrepOutput::new(toolcrib_files::grep(call, &request)?, request.pattern))
    }
}

impl GrepInput {
    fn request(self, call: &Call<'_>) -> GrepRequest {
        let around = |side: Option<usize>| side.or(self.context).unwrap_or(0);
        let asked = self.after.or(self.before).or(self.context).is_some();
        GrepRequest {
            context: asked.then(|| (around(self.before), around(self.after))),
            query: QueryOptions {
                literal: self.literal,
                case: case(self.ignore_case, self.smart_case),
                word: self.word,
                multiline: self.multiline,
                invert: self.invert,
                max_count: self.max_count,
            },
            pattern: self.pattern,
            path: self.path.map_or_else(|| call.context().working_dir.clone(), Into::into),
            include: self.glob.into_iter().collect(),
            exclude: self.exclude,
            types: self.file_type,
            mode: match self.output_mode {
                OutputMode::Content => GrepMode::Content,
                OutputMode::FilesWithMatches => GrepMode::Files,
                OutputMode::Count => GrepMode::Count,
            },
            sort: self.sort.into(),
            offset: self.offset,
            limit: if self.limit == 0 { GrepRequest::MAX_LIMIT } else { self.limit },
            hidden: self.include_hidden,
            ignored: self.no_ignore,
            max_file_size: self.max_file_size,
        }
    }
}

impl GrepOutput {
    fn new(grepped: Grepped, pattern: String) -> Self {
        let skipped = grepped.skipped;
        Self {
            count: grepped.returned,
            pattern,
            total_matches: grepped.total_matches,
            total_files: grepped.total_files,
            files_searched: grepped.searched,
            skipped: GrepSkipped {
                binary: skipped.binary,
                too_large: skipped.too_large,
                unreadable: skipped.unreadable,
                denied: skipped.denied,
                too_complex: (skipped.too_complex > 0).then_some(skipped.too_complex),
            },
            truncated: grepped.next.is_some() || grepped.partial,
            next_offset: grepped.next,
            context_added: grepped.context_added.then_some(GrepRequest::FEW_CONTEXT),
            partial: grepped.partial.then_some(true),
            note: grepped.all_ignored.then(|| all_ignored("noIgnore")),
            files: grepped.files.into_iter().map(GrepFile::from).collect(),
        }
    }
}

impl From<Found> for GrepFile {
    fn from(file: Found) -> Self {
        let lines = file.lines.into_iter();
        Self {
            path: file.path.relative,
            count: file.count,
            lines: lines
                .map(|line| GrepLine { line: line.number, text: line.text, matches: line.matches })
                .collect(),
        }
    }
}

fn default_limit() -> usize {
    GrepRequest::DEFAULT_LIMIT
}
