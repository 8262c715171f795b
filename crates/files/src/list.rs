//! Lists a directory.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::SystemTime;

use toolcrib_access::{Location, PolicyVisibility, Sandbox, disk_error};
use toolcrib_search::{
    Brief, Entry, Exclude, InvalidPattern, Sorted, Start, Step, WalkOptions, walk_known, walk_sorted,
};
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::{FileKind, names};

use crate::FilePath;
use crate::finding::{Deadline, FoundBy};
use crate::path::Beginning;

/// Which directory, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRequest {
    /// The directory, as the caller named it.
    pub path: PathBuf,
    /// How many levels of directories are listed; one is the directory alone, none is all of them.
    pub depth: Option<usize>,
    /// Patterns of what to leave out, as in an ignore file.
    pub ignore: Vec<String>,
    /// Whether a listing of several levels shows what ignore files ignore, and goes into excluded directories.
    pub ignored: bool,
    /// How many entries to skip.
    pub offset: usize,
    /// How many entries at the most.
    pub limit: usize,
}

impl ListRequest {
    /// How many entries are listed unless the caller says otherwise.
    pub const DEFAULT_LIMIT: usize = 1000;
    /// How many entries one call may list.
    pub const MAX_LIMIT: usize = 10_000;
    /// How many bytes the paths of all entries may have together.
    pub const MAX_BYTES: usize = 8 << 20;
}

/// Entries of a directory: directories first, each followed by what is in it, then everything else, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The directory.
    pub path: FilePath,
    /// The entries, as many as were asked for.
    pub entries: Vec<Listed>,
    /// How many entries there are, where all were counted.
    pub total: Option<usize>,
    /// How many entries to skip to go on, if there are more.
    pub next: Option<usize>,
    /// How many of the entries passed the policy withholds.
    pub withheld: usize,
    /// How many directories could not be read.
    pub unreadable: u64,
    /// The time was up before the end.
    pub partial: bool,
    /// What had the names.
    pub found_by: FoundBy,
}

/// One entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its path.
    pub path: FilePath,
    /// What it is.
    pub kind: EntryKind,
    /// How many bytes a file has.
    pub size: Option<u64>,
    /// When its content last changed.
    pub modified: SystemTime,
    /// Its permission bits, where they are known.
    pub mode: Option<u32>,
    /// What a link says, unless it names what may not be read.
    pub target: Option<String>,
    /// How many directories lie between it and the one that is listed.
    pub depth: usize,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

/// Lists a directory, with facts about the entries that are shown.
///
/// The directory alone is listed with all that is in it, hidden and ignored entries too. A listing of several levels
/// leaves out what ignore files ignore, and shows excluded directories such as `.git` without going in.
///
/// # Errors
///
/// `Directory not found: PATH`, or if one of the patterns is none.
pub fn list(sandbox: &Sandbox<'_>, request: &ListRequest) -> Result<Listing, ToolError> {
    walk_through(sandbox, request, None)
}

/// The same for a caller who takes one entry after the other, so that all of them need not fit in memory, and with permission
/// bits in every entry. What is returned has no entries.
///
/// # Errors
///
/// As [`list`]. A caller who wants no more is no error.
pub fn list_each(
    sandbox: &Sandbox<'_>,
    request: &ListRequest,
    each: &mut dyn FnMut(Listed) -> ControlFlow<()>,
) -> Result<Listing, ToolError> {
    walk_through(sandbox, request, Some(each))
}

fn walk_through(
    sandbox: &Sandbox<'_>,
    request: &ListRequest,
    each: Option<Each<'_>>,
) -> Result<Listing, ToolError> {
    let opened = sandbox.open_dir(&request.path)?;
    let (visibility, index) = (sandbox.visibility(&opened), sandbox.index(&opened));
    let (location, alone) = (opened.location, request.depth == Some(1));
    let start = Start::new(&location.workspace, opened.dir, usize::MAX, alone || request.ignored)
        .map_err(disk_error)?;
    // All names of the path were asked for, so nothing is in the way.
    let Ok(start) = start else {
        return Err(ToolError::new(ErrorKind::Internal, "A named directory is ignored"));
    };
    let start = start.with_index(index);
    let options = WalkOptions {
        hidden: true,
        exclude: Exclude::new(request.ignore.iter().map(String::as_str)).map_err(invalid)?,
        depth: request.depth.map(|levels| levels.saturating_sub(1)),
    };
    let deadline = Deadline::of(sandbox);
    // A quarter is left for what is said beside the entries.
    let room = ListRequest::MAX_BYTES.min(sandbox.context().max_output_size / 4 * 3);
    let empty = |each| Page::new(request, &location, &visibility, room, each);
    // What was handed over cannot be taken back, so an index that gives up on the way is no help.
    let mut page = empty(None);
    let known = match &each {
        Some(_) => None,
        None => walk_known(&start, &options, &visibility, &deadline, |entry| page.take(entry)),
    };
    let walked = known.unwrap_or_else(|| {
        page = empty(each);
        let sorted = Sorted::DirectoriesFirst;
        walk_sorted(&start, &options, sorted, &visibility, &deadline, |entry| page.take(entry))
    });
    deadline.unless_cancelled()?;
    let complete = alone || !page.more;
    Ok(Listing {
        path: FilePath::new(&location),
        next: page.more.then(|| request.offset + page.count),
        total: (complete && !walked.stopped).then_some(page.passed),
        entries: page.entries,
        withheld: page.withheld,
        unreadable: walked.unreadable,
        partial: walked.stopped,
        found_by: FoundBy::index(known.is_some()),
    })
}

/// Takes one entry after the other.
type Each<'e> = &'e mut dyn FnMut(Listed) -> ControlFlow<()>;

struct Page<'a, 'e> {
    each: Option<Each<'e>>,
    /// How many entries it has.
    count: usize,
    request: &'a ListRequest,
    beginning: Beginning,
    visibility: &'a PolicyVisibility,
    entries: Vec<Listed>,
    /// How many bytes further entries may have.
    room: usize,
    passed: usize,
    withheld: usize,
    more: bool,
    alone: bool,
}

impl<'a, 'e> Page<'a, 'e> {
    fn new(
        request: &'a ListRequest,
        location: &Location,
        visibility: &'a PolicyVisibility,
        room: usize,
        each: Option<Each<'e>>,
    ) -> Self {
        let alone = request.depth == Some(1);
        let (entries, passed, withheld) = (Vec::new(), 0, 0);
        let beginning = Beginning::of(location);
        let (count, more) = (0, false);
        Self { each, count, request, beginning, visibility, entries, room, passed, withheld, more, alone }
    }

    fn take(&mut self, entry: &Entry<'_>) -> Step {
        if !entry.may_show() {
            self.withheld += 1;
            return Step::Pass;
        }
        self.passed += 1;
        if self.passed > self.request.offset {
            if self.count == self.request.limit || self.room == 0 {
                self.more = true;
                // Of a single directory the names are all there, so they can be counted.
                return if self.alone { Step::Pass } else { Step::End };
            }
            match entry.brief() {
                Ok(None) => {
                    self.passed -= 1;
                    self.withheld += 1;
                }
                Ok(Some(brief)) => {
                    let listed = listed(&self.beginning, self.visibility, entry, brief);
                    self.count += 1;
                    let Some(each) = &mut self.each else {
                        self.keep(listed);
                        return Self::go_on(entry);
                    };
                    if each(listed).is_break() {
                        return Step::End;
                    }
                }
                // One that vanished meanwhile is not there.
                Err(_) => {}
            }
        }
        Self::go_on(entry)
    }

    fn go_on(entry: &Entry<'_>) -> Step {
        if entry.is_excluded() { Step::Pass } else { Step::Enter }
    }

    fn keep(&mut self, listed: Listed) {
        let size = listed.path.absolute.len() + listed.name.len() + PER_ENTRY;
        self.room = self.room.saturating_sub(size);
        self.entries.push(listed);
    }
}

/// What an entry takes beside its names: its kind, its size, its time.
const PER_ENTRY: usize = 40;

fn listed(beginning: &Beginning, visibility: &PolicyVisibility, entry: &Entry<'_>, brief: Brief) -> Listed {
    let target = match brief.kind {
        FileKind::Symlink => entry.dir().and_then(|dir| Ok((dir, dir.read_link(entry.name())?))).ok(),
        _ => None,
    };
    let shown = target.filter(|(dir, target)| visibility.shows_target(dir.reached(), target));
    Listed {
        name: names::escape(entry.name()).into_owned(),
        path: beginning.path(entry.path()),
        kind: kind(brief.kind),
        size: (brief.kind == FileKind::File).then_some(brief.size),
        modified: brief.modified,
        mode: brief.mode,
        target: shown.map(|(_, target)| names::escape(&target).into_owned()),
        depth: entry.depth(),
    }
}

fn kind(kind: FileKind) -> EntryKind {
    match kind {
        FileKind::File => EntryKind::File,
        FileKind::Directory => EntryKind::Directory,
        FileKind::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    }
}

pub(crate) fn invalid(error: InvalidPattern) -> ToolError {
    ToolError::new(ErrorKind::InvalidParameter, error.to_string())
        .hint("a pattern is a glob such as '*.min.js', 'docs/**' or '*.{ts,tsx}'; escape a literal bracket or brace with \\")
}
