//! The first step: how many matches each file has.

use std::ops::{AddAssign, ControlFlow};
use std::path::Path;
use std::time::Instant;

use toolcrib_workspace::{ErrorKind, FileKind, OpenFile};

use super::collect::Context;
use super::engine::{Engine, Outcome};
use super::indexed::count_indexed;
use super::query::Query;
use super::rank::{FileMatches, Sort};
use super::types::FileTypes;
use crate::best::Best;
use crate::patterns::Include;
use crate::visibility::Visibility;
use crate::walk::{Entry, Sorted, Start, Step, Visitor, WalkOptions, walk, walk_sorted};
use toolcrib_text::Stop;

/// Which files are searched, and how many of those with matches are kept.
#[derive(Clone, Debug)]
pub struct GrepOptions {
    /// Files that match these patterns.
    pub include: Include,
    /// Files of these kinds.
    pub types: Option<FileTypes>,
    /// Files of at most so many bytes.
    pub max_file_size: u64,
    /// What comes first.
    pub sort: Sort,
    /// How many files are kept.
    pub most: usize,
    /// Whether files without a match are kept instead of those with one.
    pub without: bool,
    /// What is enough, if files come by path: where the first files have more, the others are not searched.
    pub enough: Option<Enough>,
    /// How many threads may work on it.
    pub threads: usize,
}

/// How much fills a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enough {
    /// So many matches.
    Matches(u64),
    /// So many files with matches.
    Files(u64),
}

impl Enough {
    /// How much of it there is, and how much there must be.
    fn of(self, tally: &Tally) -> (u64, u64) {
        match self {
            Self::Matches(enough) => (tally.matches, enough),
            Self::Files(enough) => (tally.matching, enough),
        }
    }

    fn is_there(self, tally: &Tally) -> bool {
        let (found, enough) = self.of(tally);
        found > enough
    }

    /// Whether it will be there before long, if the files to come are like those that were looked at.
    fn is_near(self, tally: &Tally) -> bool {
        let (found, enough) = self.of(tally);
        let looked_at = tally.searched + tally.skipped.total();
        let [found, enough] = [found, enough].map(u128::from);
        looked_at < FIRST_FILES || found * u128::from(SOON) >= enough * u128::from(looked_at)
    }
}

/// What was found in all files together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The files that come first, in order.
    pub files: Vec<FileMatches>,
    /// How many files have matches.
    pub matching: u64,
    /// How many matches there are.
    pub matches: u64,
    /// How many files were searched.
    pub searched: u64,
    /// How many were not, and why.
    pub skipped: Skipped,
    /// How many files and directories the rules leave out.
    pub ignored: u64,
    /// It was stopped before the end.
    pub stopped: bool,
    /// It ended when there was enough, so that not everything was counted.
    pub early: bool,
    /// An index told which files to look at.
    pub indexed: bool,
}

/// How many files were not searched, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// They are no text.
    pub binary: u64,
    /// They have too many bytes.
    pub too_large: u64,
    /// They, or the directories they lie in, cannot be read.
    pub unreadable: u64,
    /// They may not be shown.
    pub denied: u64,
    /// The pattern takes too long on them.
    pub too_complex: u64,
}

impl Skipped {
    fn total(&self) -> u64 {
        let Self { binary, too_large, unreadable, denied, too_complex } = self;
        binary + too_large + unreadable + denied + too_complex
    }
}

/// Counts the matches of every file below `start`.
pub fn grep(
    start: &Start,
    query: &Query,
    walking: &WalkOptions,
    options: &GrepOptions,
    visibility: &dyn Visibility,
    stop: &dyn Stop,
) -> Tally {
    if let Some(enough) = options.enough
        && options.sort == Sort::Path
        && let Some(tally) = first(start, query, walking, options, enough, visibility, stop)
    {
        return tally;
    }
    // An index does not name the files that cannot match.
    if !options.without
        && let Some(tally) = count_indexed(start, query, walking, options, visibility, stop)
    {
        return tally;
    }
    let began = Instant::now();
    let counter = || Counting::new(query, options, stop);
    let (counters, walked) = walk(start, walking, visibility, stop, options.threads, counter);
    let mut best = Best::new(options.most);
    let mut tally = Tally { stopped: walked.stopped, ignored: walked.ignored, ..Tally::default() };
    tally.skipped.unreadable = walked.unreadable;
    for counting in counters {
        tally += counting.tally;
        best = best.merge(counting.best);
    }
    tally.files = best.into_sorted();
    start.walked(tally.searched, began.elapsed());
    tally
}

/// So many files tell what the others are like.
const FIRST_FILES: u64 = 100;

/// If more files than this are needed, it is better to search all of them at the same time.
const SOON: u64 = 1_000;

/// So it is if there are more bytes in the first ones than this.
const FIRST_BYTES: u64 = 64 << 20;

/// Counts the matches of the first files in order; nothing, if there are not enough in them.
fn first(
    start: &Start,
    query: &Query,
    walking: &WalkOptions,
    options: &GrepOptions,
    enough: Enough,
    visibility: &dyn Visibility,
    stop: &dyn Stop,
) -> Option<Tally> {
    let mut counting = Counting::new(query, options, stop);
    let mut given_up = false;
    let walked = walk_sorted(start, walking, Sorted::ByPath, visibility, stop, |entry| {
        if entry.kind() == FileKind::Directory {
            return if entry.is_excluded() { Step::Pass } else { Step::Enter };
        }
        if !counting.wants(entry) {
            return Step::Pass;
        }
        counting.tally.early = enough.is_there(&counting.tally);
        given_up = !enough.is_near(&counting.tally) || counting.bytes > FIRST_BYTES;
        if counting.tally.early || given_up || counting.visit(entry).is_break() {
            Step::End
        } else {
            Step::Pass
        }
    });
    let mut tally = counting.tally;
    if given_up && !tally.early {
        return None;
    }
    tally.stopped |= walked.stopped;
    tally.ignored = walked.ignored;
    tally.skipped.unreadable += walked.unreadable;
    tally.files = counting.best.into_sorted();
    Some(tally)
}

/// Counts the matches of one file that is open. Its path is empty, for it is where the search starts.
///
/// `without` is as in [`GrepOptions`].
pub fn grep_file(
    file: &OpenFile,
    query: &Query,
    max_file_size: u64,
    without: bool,
    stop: &dyn Stop,
) -> Tally {
    let (size, modified) = (file.stat().size, file.stat().mtime);
    let mut tally = Tally::default();
    let outcome = Engine::new(query, max_file_size, Context::NONE).count(file.file(), size, stop);
    if tally.record(outcome) != without && matches!(outcome, Outcome::Searched(_)) {
        tally.files.push(FileMatches::new(Sort::Path, Path::new(""), false, tally.matches, modified));
    }
    tally
}

impl Tally {
    /// Adds what became of a file, and says whether it has matches.
    fn record(&mut self, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Searched(count) => {
                self.searched += 1;
                self.matches += count;
                self.matching += u64::from(count > 0);
                return count > 0;
            }
            Outcome::Binary => self.skipped.binary += 1,
            Outcome::TooLarge => self.skipped.too_large += 1,
            Outcome::Unreadable => self.skipped.unreadable += 1,
            Outcome::TooComplex => self.skipped.too_complex += 1,
            Outcome::Stopped => self.stopped = true,
        }
        false
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.matching += other.matching;
        self.matches += other.matches;
        self.searched += other.searched;
        self.stopped |= other.stopped;
        self.skipped.binary += other.skipped.binary;
        self.skipped.too_large += other.skipped.too_large;
        self.skipped.unreadable += other.skipped.unreadable;
        self.skipped.denied += other.skipped.denied;
        self.skipped.too_complex += other.skipped.too_complex;
    }
}

/// One thread's share.
pub(super) struct Counting<'a> {
    options: &'a GrepOptions,
    stop: &'a dyn Stop,
    engine: Engine<'a>,
    pub(super) best: Best<FileMatches>,
    pub(super) tally: Tally,
    /// How many bytes the files have that were searched.
    bytes: u64,
}

impl<'a> Counting<'a> {
    pub(super) fn new(query: &'a Query, options: &'a GrepOptions, stop: &'a dyn Stop) -> Self {
        let engine = Engine::new(query, options.max_file_size, Context::NONE);
        Self { options, stop, engine, best: Best::new(options.most), tally: Tally::default(), bytes: 0 }
    }
}

impl Visitor for Counting<'_> {
    fn wants(&self, entry: &Entry<'_>) -> bool {
        entry.kind() == FileKind::File
            && self.options.include.includes(entry.path())
            && self.options.types.as_ref().is_none_or(|types| types.include(entry.path()))
    }

    fn visit(&mut self, entry: &Entry<'_>) -> ControlFlow<()> {
        if !entry.may_show() {
            self.tally.skipped.denied += 1;
            return ControlFlow::Continue(());
        }
        let (file, stat) = match entry.dir().and_then(|dir| dir.open_unnamed(entry.name())) {
            Ok(opened) => opened,
            Err(error) => {
                self.tally.skipped.unreadable += u64::from(!is_gone(error.kind()));
                return ControlFlow::Continue(());
            }
        };
        if !entry.may_show_linked(&stat) {
            self.tally.skipped.denied += 1;
            return ControlFlow::Continue(());
        }
        let outcome = self.engine.count(&file, stat.size, self.stop);
        self.bytes = self.bytes.saturating_add(stat.size);
        let found = self.tally.record(outcome);
        if let Outcome::Searched(count) = outcome
            && found != self.options.without
        {
            let named = self.engine.matches(entry.name());
            let file = FileMatches::new(self.options.sort, entry.path(), named, count, stat.mtime);
            self.best.push(file);
        }
        if outcome == Outcome::Stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// What vanished, or became something else meanwhile, is not there.
fn is_gone(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound | ErrorKind::NotRegular(_) | ErrorKind::IsDirectory | ErrorKind::LinkLoop
    )
}
