//! Finds files by a pattern over their paths.

use std::path::{Path, PathBuf};

use toolcrib_access::{OpenedDir, Sandbox, disk_error};
use toolcrib_search::{Blocked, Exclude, GlobOptions, GlobPattern, Globbed, Start};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{Links, names};

use crate::FilePath;
use crate::bounds::reserve;
use crate::finding::{Deadline, FoundBy};
use crate::list::invalid;
use crate::path::Beginning;

/// What to find, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobRequest {
    /// The pattern.
    pub pattern: String,
    /// The directory that it is relative to.
    pub path: PathBuf,
    /// Whether capitals and small letters in it are the same.
    pub ignore_case: bool,
    /// Whether hidden files are found that the pattern does not spell out.
    pub hidden: bool,
    /// Whether files are found that ignore files ignore, or that lie in excluded directories.
    pub ignored: bool,
    /// Whether directories are found beside files.
    pub directories: bool,
    /// Patterns of what to leave out, as in an ignore file.
    pub exclude: Vec<String>,
    /// How many to skip.
    pub offset: usize,
    /// How many at the most.
    pub limit: usize,
}

impl GlobRequest {
    /// How many paths one call may give.
    pub const MAX_LIMIT: usize = 100_000;
    /// How many it may skip: all of them are kept in memory to find the newest.
    pub const MAX_OFFSET: usize = 100_000;
}

/// The paths that match, the newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matches {
    /// The directory that the pattern is relative to.
    pub within: FilePath,
    /// As many as were asked for.
    pub files: Vec<FilePath>,
    /// How many there are.
    pub total: u64,
    /// How many to skip to go on, if there are more.
    pub next: Option<usize>,
    /// How many more the policy withholds.
    pub withheld: u64,
    /// How many directories could not be read.
    pub unreadable: u64,
    /// The time was up before the end, so there may be more and newer ones.
    pub partial: bool,
    /// What told which files there are; none if no file was looked for.
    pub found_by: Option<FoundBy>,
    /// How many files and directories ignore rules leave out, where nothing was found.
    pub ignored: u64,
    /// How many match further down, where a pattern without directories found nothing here.
    pub further_down: u64,
    /// The directory in the pattern that ignore rules leave out, so that nothing below it was looked for.
    pub left_out: Option<String>,
}

/// Finds the files that match a pattern.
///
/// # Errors
///
/// `Directory not found: PATH`, or if the pattern is none or leads outside.
pub fn glob(sandbox: &Sandbox<'_>, request: &GlobRequest) -> Result<Matches, ToolError> {
    let matches = find(sandbox, request)?;
    let looked_here_alone = !request.pattern.contains('/') && !request.pattern.contains("**");
    if matches.total > 0 || matches.partial || !looked_here_alone {
        return Ok(matches);
    }
    let deep =
        GlobRequest { pattern: format!("**/{}", request.pattern), offset: 0, limit: 1, ..request.clone() };
    Ok(Matches { further_down: find(sandbox, &deep)?.total, ..matches })
}

fn find(sandbox: &Sandbox<'_>, request: &GlobRequest) -> Result<Matches, ToolError> {
    let top = sandbox.open_dir(&request.path)?;
    let pattern = understand(&top, request)?;
    let within = FilePath::new(&top.location);
    let begins_in = pattern.begins_in();
    let named = if begins_in.is_absolute() { 0 } else { depth(&top) };
    let opened = if begins_in.as_os_str().is_empty() {
        top
    } else {
        match sandbox.open_dir(&top.location.absolute().join(begins_in)) {
            Ok(opened) => opened,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotDirectory) => {
                return Ok(Matches::none(within, None));
            }
            Err(error) => return Err(error),
        }
    };
    let (visibility, index) = (sandbox.visibility(&opened), sandbox.index(&opened));
    let OpenedDir { dir, location } = opened;
    // What is named in full is meant, whatever the rules say about finding it.
    let named = if pattern.is_literal() { usize::MAX } else { named };
    let start = match Start::new(&location.workspace, dir, named, request.ignored || pattern.is_literal())
        .map_err(disk_error)?
    {
        Ok(start) => start.with_index(index),
        Err(Blocked(directory)) => {
            return Ok(Matches::none(within, Some(names::escape(&directory).into_owned())));
        }
    };
    let options = GlobOptions {
        hidden: request.hidden,
        directories: request.directories,
        exclude: Exclude::new(request.exclude.iter().map(String::as_str)).map_err(invalid)?,
        most: request.offset.min(GlobRequest::MAX_OFFSET).saturating_add(request.limit),
        threads: toolcrib_search::threads(),
    };
    let _memory = reserve(to_keep(options.most))?;
    let deadline = Deadline::of(sandbox);
    let globbed = toolcrib_search::glob(&start, &pattern, &options, &visibility, &deadline);
    deadline.unless_cancelled()?;
    // A quarter is left for what is said beside the paths. One path is given in any case.
    let mut room = sandbox.context().max_output_size / 4 * 3;
    let beginning = Beginning::of(&location);
    let found = globbed.found.iter().skip(request.offset);
    let files = found.map(|found| beginning.path(found.path())).take_while(|path| {
        let fits = room > 0;
        room = room.saturating_sub(path.absolute.len() + PER_PATH);
        fits
    });
    Ok(Matches::new(request, within, files.collect(), &globbed))
}

/// How much memory it takes to find so many paths: a path is kept by the thread that found it, and once more where all of
/// them meet.
fn to_keep(most: usize) -> usize {
    const EACH: usize = 256;
    // Where paths come to this much, further ones are counted and not kept.
    const ENOUGH: usize = 128 << 20;
    most.saturating_mul(EACH).min(ENOUGH)
}

/// What a path of the answer takes beside itself.
const PER_PATH: usize = 4;

impl Matches {
    fn new(request: &GlobRequest, within: FilePath, files: Vec<FilePath>, globbed: &Globbed) -> Self {
        let end = request.offset.saturating_add(files.len());
        Self {
            within,
            files,
            total: globbed.total,
            next: ((end as u64) < globbed.total).then_some(end),
            withheld: globbed.withheld,
            unreadable: globbed.unreadable,
            partial: globbed.stopped,
            found_by: Some(FoundBy::index(globbed.indexed)),
            ignored: if globbed.total == 0 { globbed.ignored } else { 0 },
            further_down: 0,
            left_out: None,
        }
    }

    fn none(within: FilePath, left_out: Option<String>) -> Self {
        Self {
            within,
            files: Vec::new(),
            total: 0,
            next: None,
            withheld: 0,
            unreadable: 0,
            partial: false,
            found_by: None,
            ignored: 0,
            further_down: 0,
            left_out,
        }
    }
}

/// A path with brackets or braces in it that exists is meant as it is written.
fn understand(top: &OpenedDir, request: &GlobRequest) -> Result<GlobPattern, ToolError> {
    let pattern = request.pattern.as_str();
    let location = &top.location;
    let exists = |path: &str| {
        let path = location.workspace.path(Path::new(path), &location.absolute());
        path.is_ok_and(|path| location.workspace.stat(&path, Links::Keep).is_ok())
    };
    if pattern.contains(['[', '{', '*', '?', '\\']) && !pattern.ends_with('/') && exists(pattern) {
        return GlobPattern::literal(pattern).map_err(invalid);
    }
    let understood =
        if request.ignore_case { GlobPattern::ignoring_case(pattern) } else { GlobPattern::new(pattern) };
    understood.map_err(invalid)
}

fn depth(opened: &OpenedDir) -> usize {
    opened.dir.reached().relative().components().count()
}
