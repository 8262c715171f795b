//! Files by name.

use toolcrib_access::Proposed;
use toolcrib_files::{FoundBy, GlobRequest, Matches, Refused};
use toolcrib_tool::Effect;

use super::{Caller, Operation, some};
use crate::facts::{Facts, facts};
use crate::units::counted;
use crate::words::Words;

/// Finds files by a pattern.
pub struct Glob;

parameters! {
    /// What to find, and where.
    pub struct GlobInput;
    pattern: String, schemars(length(min = 1)) =>
        "Such as **/*.py, src/**/*.{ts,tsx} or [a-c]?.md";
    path: Option<String>, schemars(length(min = 1)) => "Directory (default: the working directory)";
    ignore_case: bool, serde(default) => "Match case-insensitively";
    case_sensitive: bool, serde(default) => "Match case-sensitively";
    limit: usize, serde(default = "default_limit"), schemars(range(min = 1, max = GlobRequest::MAX_LIMIT)) =>
        "Most files";
    offset: usize, serde(default), schemars(range(max = GlobRequest::MAX_OFFSET)) => "Files to skip";
    include_hidden: bool, serde(default) =>
        "Find hidden files too, not only those the pattern spells out";
    no_ignore: bool, serde(default) =>
        "Find ignored files too, and node_modules, __pycache__ and the like";
    respect_git_ignore: bool, serde(default = "yes") =>
        "Leave out what .gitignore ignores, and node_modules and the like";
    exclude: Vec<String>, serde(default) => "Patterns to leave out, such as *.log or build/";
    include_directories: bool, serde(default) => "Find directories too";
}

/// How many paths are given unless the caller says otherwise.
fn default_limit() -> usize {
    1000
}

fn yes() -> bool {
    true
}

/// What was found.
pub struct GlobOutcome {
    /// The files.
    pub matches: Matches,
    /// The pattern.
    pub pattern: String,
}

impl Operation for Glob {
    type Input = GlobInput;
    type Outcome = GlobOutcome;
    const NAME: &'static str = "glob";
    const TITLE: &'static str = "Find files";
    const EFFECT: Effect = Effect::Reads;

    fn run(input: GlobInput, caller: &Caller<'_>) -> Result<Proposed<GlobOutcome>, Refused> {
        let request = GlobRequest {
            pattern: input.pattern,
            path: caller.start(input.path)?,
            ignore_case: input.ignore_case && !input.case_sensitive,
            hidden: input.include_hidden,
            ignored: input.no_ignore || !input.respect_git_ignore,
            directories: input.include_directories,
            exclude: input.exclude,
            offset: input.offset,
            limit: input.limit,
        };
        let matches = toolcrib_files::glob(caller.sandbox, &request)?;
        Ok(GlobOutcome { matches, pattern: request.pattern }.into())
    }

    fn facts() -> Facts<GlobOutcome> {
        facts! { GlobOutcome, |it, words|
            "files": "Paths relative to the workspace, newest first" =>
                it.matches.files.iter().map(|file| words.path(file)).collect::<Vec<_>>();
            "count": "How many files are shown" => it.matches.files.len();
            "total": "How many files match" => it.matches.total;
            "truncated": "Whether more files match than are shown" => it.matches.next.is_some() || it.matches.partial;
            "next_offset": "The offset of the next page" => it.matches.next;
            "pattern": "The pattern" => it.pattern.clone();
            "withheld": "How many matching files the rules withhold" => some(it.matches.withheld);
            "unreadable": "How many directories could not be read" => some(it.matches.unreadable);
            "partial": "Whether the search stopped at the deadline" => some(it.matches.partial);
            "index": "How the files were found: warm, by an index, or scan, by reading all directories" =>
                it.matches.found_by.map(FoundBy::word);
            "note": "Why nothing was found, where that may surprise" => it.why_none(words);
        }
    }
}

impl GlobOutcome {
    /// Why no file was found, where ignore rules may be the reason, and the parameter that changes it.
    #[must_use]
    pub fn why_none(&self, words: &Words<'_>) -> Option<String> {
        let Matches { further_down, left_out, ignored, .. } = &self.matches;
        let way = if words.takes("respect_git_ignore") {
            format!("set {} to false", words.parameter("respect_git_ignore"))
        } else {
            format!("set {}", words.parameter("no_ignore"))
        };
        if *further_down > 0 {
            let files = counted(*further_down, "file matches", "files match");
            return Some(format!("{files} further down: put **/ in front of the pattern"));
        }
        if let Some(directory) = left_out {
            return Some(format!("'{directory}' is left out by ignore rules: {way} to look there"));
        }
        let left_out =
            some(*ignored).map(|left| counted(left, "file or directory", "files and directories"))?;
        Some(format!("{left_out} left out by ignore rules: {way} to look there too"))
    }
}
