//! Finds lines in files, and files by what is in them.

mod page;

use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;

use page::Page;
use toolcrib_access::{Location, Opened, OpenedDir, Sandbox, disk_error};
use toolcrib_search::{
    Enough, Exclude, FileTypes, GrepOptions, Include, InvalidQuery, Line, Query, QueryOptions, Skipped, Sort,
    Start, Tally, UnknownType, WalkOptions,
};
use toolcrib_tool::{ErrorKind, ToolError, nearest};

use crate::finding::{Deadline, FoundBy};
use crate::list::invalid;
use crate::{FilePath, Refused};

/// What to find, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrepRequest {
    /// The pattern.
    pub pattern: String,
    /// How it is understood.
    pub query: QueryOptions,
    /// The file or directory to search.
    pub path: PathBuf,
    /// Patterns of the files to search; none means all.
    pub include: Vec<String>,
    /// Patterns of the files not to search.
    pub exclude: Vec<String>,
    /// Kinds of files to search, separated by commas.
    pub types: Option<String>,
    /// What is wanted of what is found.
    pub mode: GrepMode,
    /// How many lines before and after each match; none means as many as are useful.
    pub context: Option<(usize, usize)>,
    /// How many lines are useful.
    pub own_context: OwnContext,
    /// What comes first.
    pub sort: Sort,
    /// How many results to skip.
    pub offset: usize,
    /// How many results at the most.
    pub limit: usize,
    /// Whether hidden files are searched.
    pub hidden: bool,
    /// Whether files are searched that ignore files ignore, or that lie in excluded directories.
    pub ignored: bool,
    /// The largest file that is searched, in bytes; none means the default, and any size for a file that is named.
    pub max_file_size: Option<u64>,
    /// How many characters of a line are shown.
    pub line_length: usize,
}

impl GrepRequest {
    /// How many results are given unless the caller says otherwise.
    pub const DEFAULT_LIMIT: usize = 100;
    /// How many results one call may give.
    pub const MAX_LIMIT: usize = 100_000;
    /// How large a file is searched unless the caller says otherwise.
    pub const DEFAULT_MAX_FILE_SIZE: u64 = 10 * 1024 * 1024;
    /// How many matches are few.
    pub const FEW: u64 = 3;
    /// How many characters of a line are shown unless the caller says otherwise.
    pub const LINE_LENGTH: usize = 500;
    /// How many lines around each match may be asked for.
    pub const MAX_CONTEXT: usize = 1000;
    /// How many results one call may skip: all of them are kept in memory to find those that come first.
    pub const MAX_OFFSET: usize = 100_000;
}

/// How many lines before and after each match are given of themselves, where there are few matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnContext {
    /// Where there is one match in all.
    pub one: usize,
    /// Where there are [a few](GrepRequest::FEW).
    pub few: usize,
}

impl Default for OwnContext {
    fn default() -> Self {
        Self { one: 5, few: 5 }
    }
}

impl OwnContext {
    fn around(self, matches: u64) -> usize {
        match matches {
            1 => self.one,
            2..=GrepRequest::FEW => self.few,
            _ => 0,
        }
    }
}

/// What is wanted of what is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrepMode {
    /// The lines.
    Content,
    /// The files.
    #[default]
    Files,
    /// The files, and how many matches each has.
    Count,
    /// The files without a match.
    FilesWithout,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grepped {
    /// The files of this page, in order.
    pub files: Vec<Found>,
    /// How many results this page has: matches if lines were asked for, otherwise files.
    pub returned: u64,
    /// How many matches there are in all files. A line counts once; across lines, what belongs together does. None where the
    /// first files had enough for the page.
    pub total_matches: Option<u64>,
    /// How many files have matches; none likewise.
    pub total_files: Option<u64>,
    /// How many results to skip to go on, if there are more.
    pub next: Option<usize>,
    /// How many files were searched.
    pub searched: u64,
    /// How many were not, by reason.
    pub skipped: Skipped,
    /// Nothing was searched, because ignore rules leave everything out.
    pub all_ignored: bool,
    /// How many lines around each match are shown.
    pub context: (usize, usize),
    /// The context was not asked for: it is shown because there are few matches.
    pub context_added: bool,
    /// The time was up before the end.
    pub partial: bool,
    /// What told which files to search; none for a file that was named.
    pub found_by: Option<FoundBy>,
}

/// A file with matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The file.
    pub path: FilePath,
    /// How many matches it has.
    pub count: u64,
    /// The lines of this page, if lines were asked for.
    pub lines: Vec<Line>,
}

/// Searches a file, or every file of a directory.
///
/// # Errors
///
/// If there is no such file or directory, or if a pattern or the kind of file is none.
pub fn grep(sandbox: &Sandbox<'_>, request: &GrepRequest) -> Result<Grepped, Refused> {
    let mut files = Vec::new();
    let mut keep = |file| {
        files.push(file);
        ControlFlow::Continue(())
    };
    let grepped = run(sandbox, request, false, &mut keep)?;
    Ok(Grepped { files, ..grepped })
}

/// The same for a caller who takes one file after the other, so that all of them need not fit in memory. A file with very many
/// lines comes in several pieces. What is returned has no files.
///
/// # Errors
///
/// As [`grep`]. A caller who wants no more is no error.
pub fn grep_each(
    sandbox: &Sandbox<'_>,
    request: &GrepRequest,
    each: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> Result<Grepped, Refused> {
    run(sandbox, request, true, each)
}

fn run(
    sandbox: &Sandbox<'_>,
    request: &GrepRequest,
    in_pieces: bool,
    each: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> Result<Grepped, Refused> {
    let query = Query::new(&request.pattern, request.query.clone()).map_err(|error| not_a_pattern(&error))?;
    let deadline = Deadline::of(sandbox);
    let searched = search(sandbox, request, &query, &deadline)?;
    deadline.unless_cancelled()?;
    // What is left of the time after the search is for this.
    let late = || sandbox.call().is_cancelled() || sandbox.call().remaining().is_zero();
    let page = Page::new(sandbox, request, &searched, &query, in_pieces);
    let grepped = page.fill(&late, each);
    deadline.unless_cancelled()?;
    Ok(grepped)
}

/// Where the search took place, and what it counted.
struct Searched {
    place: Place,
    location: Location,
    tally: Tally,
}

enum Place {
    Directory(Start),
    File(File),
}

fn search(
    sandbox: &Sandbox<'_>,
    request: &GrepRequest,
    query: &Query,
    deadline: &Deadline<'_>,
) -> Result<Searched, ToolError> {
    let opened = match sandbox.open_dir(&request.path) {
        // What is missing, or lies outside, may have been meant as a file too.
        Err(error) if is_perhaps_a_file(error.kind()) => {
            return search_file(sandbox.open_file(&request.path)?, request, query, deadline);
        }
        opened => opened?,
    };
    let (visibility, index) = (sandbox.visibility(&opened), sandbox.index(&opened));
    let OpenedDir { dir, location } = opened;
    let start = Start::new(&location.workspace, dir, usize::MAX, request.ignored).map_err(disk_error)?;
    // All names of the path were asked for, so nothing is in the way.
    let Ok(start) = start else {
        return Err(ToolError::new(ErrorKind::Internal, "A directory that was named is ignored"));
    };
    let start = start.with_index(index);
    let walking = WalkOptions {
        hidden: request.hidden,
        exclude: Exclude::new(request.exclude.iter().map(String::as_str)).map_err(invalid)?,
        depth: None,
    };
    let end = request.offset.min(GrepRequest::MAX_OFFSET).saturating_add(request.limit);
    let options = GrepOptions {
        include: Include::new(request.include.iter().map(String::as_str)).map_err(invalid)?,
        types: request
            .types
            .as_deref()
            .map(FileTypes::new)
            .transpose()
            .map_err(|error| unknown_type(&error))?,
        max_file_size: request.max_file_size.unwrap_or(GrepRequest::DEFAULT_MAX_FILE_SIZE),
        sort: request.sort,
        // Each file has at least one match, so no more files can be on the page.
        most: end,
        without: request.mode == GrepMode::FilesWithout,
        enough: match request.mode {
            _ if request.limit == usize::MAX => None,
            GrepMode::Content => Some(Enough::Matches(end as u64)),
            GrepMode::Files => Some(Enough::Files(end as u64)),
            // Who counts wants all of them.
            GrepMode::Count | GrepMode::FilesWithout => None,
        },
        threads: toolcrib_search::threads(),
    };
    let tally = toolcrib_search::grep(&start, query, &walking, &options, &visibility, deadline);
    Ok(Searched { place: Place::Directory(start), location, tally })
}

fn is_perhaps_a_file(why_no_directory: ErrorKind) -> bool {
    matches!(why_no_directory, ErrorKind::NotDirectory | ErrorKind::NotFound | ErrorKind::OutsideWorkspace)
}

/// A file that is named is searched whatever its name and its size are.
fn search_file(
    opened: Opened,
    request: &GrepRequest,
    query: &Query,
    deadline: &Deadline<'_>,
) -> Result<Searched, ToolError> {
    let most = request.max_file_size.unwrap_or(u64::MAX);
    let without = request.mode == GrepMode::FilesWithout;
    let tally = toolcrib_search::grep_file(&opened.file, query, most, without, deadline);
    Ok(Searched { place: Place::File(opened.file.into_file()), location: opened.location, tally })
}

fn not_a_pattern(invalid: &InvalidQuery) -> Refused {
    let mut error = ToolError::new(ErrorKind::InvalidParameter, invalid.to_string());
    if let Some(position) = invalid.position() {
        error = error.with("position", position);
    }
    match invalid.remedy() {
        Some(remedy) => Refused::NotAPattern { error, remedy },
        None => error.into(),
    }
}

fn unknown_type(error: &UnknownType) -> ToolError {
    let near = nearest(&error.name, error.known.iter().map(String::as_str));
    let near = near.map_or_else(String::new, |near| format!(", did you mean '{near}'?"));
    ToolError::new(ErrorKind::InvalidParameter, format!("{error}{near}"))
        .hint(format!("known types: {}", error.known.join(", ")))
}
