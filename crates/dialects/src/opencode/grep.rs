//! `Grep`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_files::{GrepMode, GrepRequest, Grepped, QueryOptions};
use toolcrib_tool::{Call, Category, Effect, Tool, ToolError};

use crate::matches::{Order, SkippedFiles, case, content, counts, missing, paths};

pub(crate) struct Grep;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct GrepInput {
    /// Regular expression pattern to search for
    pattern: String,
    /// File or directory to search in (default: the working directory)
    #[schemars(length(min = 1))]
    path: Option<String>,
    /// Glob pattern to filter files (e.g., '*.py', 'src/**/*.{ts,tsx}')
    #[schemars(length(min = 1))]
    glob: Option<String>,
    /// Type of files to search, such as py, js, ts, rust, go, java, c, cpp, md, json, yaml
    #[serde(rename = "type")]
    #[schemars(length(min = 1))]
    file_type: Option<String>,
    /// What to show: matching lines, paths of files, or the number of matches in each file
    #[serde(default)]
    output_mode: OutputMode,
    /// Case insensitive search
    #[serde(rename = "-i", default)]
    ignore_case: bool,
    /// Show line numbers
    #[serde(rename = "-n", default = "yes")]
    line_numbers: bool,
    /// Lines of context after match
    #[schemars(range(max = GrepRequest::MAX_CONTEXT))]
    #[serde(rename = "-A")]
    after: Option<usize>,
    /// Lines of context before match
    #[schemars(range(max = GrepRequest::MAX_CONTEXT))]
    #[serde(rename = "-B")]
    before: Option<usize>,
    /// Lines of context before and after
    #[schemars(range(max = GrepRequest::MAX_CONTEXT))]
    #[serde(rename = "-C")]
    context: Option<usize>,
    /// Enable multiline matching mode: the pattern can match across lines, and . matches a newline
    #[serde(default)]
    multiline: bool,
    /// Limit output to first N results (0 for as many as fit)
    #[serde(default = "default_limit")]
    #[schemars(range(max = GrepRequest::MAX_LIMIT))]
    head_limit: usize,
    /// Skip first N results
    #[serde(default)]
    #[schemars(range(max = GrepRequest::MAX_OFFSET))]
    offset: usize,
    /// Search for the pattern as text, not as a regular expression
    #[serde(default)]
    literal: bool,
    /// Match whole words only
    #[serde(default)]
    word: bool,
    /// Case insensitive unless the pattern has a capital
    #[serde(default)]
    smart_case: bool,
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
#[serde(rename_all = "snake_case")]
pub(crate) enum OutputMode {
    Content,
    #[default]
    FilesWithMatches,
    Count,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct GrepOutput {
    #[serde(skip)]
    content: String,
    /// How many matches there are in all files; absent where sort is path and the first files had enough for the page
    #[serde(skip_serializing_if = "Option::is_none")]
    total_matches: Option<u64>,
    /// How many results are shown: lines in content mode, files otherwise
    returned_matches: u64,
    /// How many files have matches; absent likewise
    #[serde(skip_serializing_if = "Option::is_none")]
    total_files: Option<u64>,
    /// How many files were searched
    files_searched: u64,
    /// How many files were not searched, by reason
    skipped: SkippedFiles,
    /// Whether there are more results than shown
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
}

impl Tool for Grep {
    type Input = GrepInput;
    type Output = GrepOutput;
    const NAME: &'static str = "Grep";
    const TITLE: &'static str = "Search file contents";
    const DESCRIPTION: &'static str = "\
Searches file contents with regular expressions, fast in trees of any size.

Usage:
- Supports full regex syntax (e.g., \"log.*Error\", \"fn \\w+\"), look-around and back-references too; literal searches for \
text as it is
- Filter files with the glob or type parameter, leave some out with exclude
- Output modes: files_with_matches (default) shows paths, content shows lines with path:line, count shows path: N
- In content mode, matching lines begin with > and context lines (-A, -B, -C) with a space; one to three matches bring \
context of themselves
- multiline lets a pattern match across lines
- Leaves out hidden files, what .gitignore ignores, binary files, and files over 10 MB, unless asked; the metadata counts \
what was left out
- Use head_limit and offset to page; the metadata has total_matches and next_offset";
    const CATEGORY: Category = Category::File;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: GrepInput, call: &mut Call<'_>) -> Result<GrepOutput, ToolError> {
        let (mode, numbers) = (input.output_mode, input.line_numbers);
        let request = input.request(call);
        Ok(GrepOutput::new(&toolcrib_files::grep(call, &request)?, mode, numbers))
    }

    fn render(&self, output: &GrepOutput) -> Option<String> {
        Some(output.content.clone())
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
            limit: if self.head_limit == 0 { GrepRequest::MAX_LIMIT } else { self.head_limit },
            hidden: self.include_hidden,
            ignored: self.no_ignore,
            max_file_size: self.max_file_size,
        }
    }
}

impl GrepOutput {
    fn new(grepped: &Grepped, mode: OutputMode, numbers: bool) -> Self {
        let mut lines = match mode {
            OutputMode::Content => content(grepped, numbers),
            OutputMode::FilesWithMatches => paths(grepped),
            OutputMode::Count => counts(grepped),
        };
        let results = if matches!(mode, OutputMode::Content) { "matches" } else { "files" };
        lines.extend(missing(grepped, results));
        Self {
            content: lines.join("\n"),
            total_matches: grepped.total_matches,
            returned_matches: grepped.returned,
            total_files: grepped.total_files,
            files_searched: grepped.searched,
            skipped: grepped.skipped.into(),
            truncated: grepped.next.is_some() || grepped.partial,
            next_offset: grepped.next,
            context_added: grepped.context_added.then_some(GrepRequest::FEW_CONTEXT),
            partial: grepped.partial.then_some(true),
        }
    }
}

fn yes() -> bool {
    true
}

fn default_limit() -> usize {
    GrepRequest::DEFAULT_LIMIT
}
