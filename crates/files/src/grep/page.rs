//! One page of what was found: from the files that come first, the results that are wanted and fit.

use std::io::Seek as _;
use std::ops::ControlFlow;

use toolcrib_access::Sandbox;
use toolcrib_search::{Context, FileMatches, Line, Lines, Query, Skipped, Stop, Wanted};

use super::{Found, GrepMode, GrepRequest, Grepped, Place, Searched};
use crate::FilePath;
use crate::finding::FoundBy;

pub(super) struct Page<'a> {
    request: &'a GrepRequest,
    searched: &'a Searched,
    query: &'a Query,
    context: (usize, usize),
    context_added: bool,
    /// How many bytes the answer may have, or one piece of it.
    room: usize,
    in_pieces: bool,
}

impl<'a> Page<'a> {
    pub(super) fn new(
        sandbox: &Sandbox<'_>,
        request: &'a GrepRequest,
        searched: &'a Searched,
        query: &'a Query,
        in_pieces: bool,
    ) -> Self {
        // Parts of lines have nothing around them.
        let parts = request.query.only_matching;
        let all_counted = !searched.tally.early && request.mode == GrepMode::Content && !parts;
        let own = if all_counted { request.own_context.around(searched.tally.matches) } else { 0 };
        let context_added = own > 0 && request.context.is_none();
        let (before, after) = request.context.filter(|_| !parts).unwrap_or((own, own));
        let context = (before.min(GrepRequest::MAX_CONTEXT), after.min(GrepRequest::MAX_CONTEXT));
        // A quarter is left for what is said beside the lines.
        let room = sandbox.context().max_output_size / 4 * 3;
        Self { request, searched, query, context, context_added, room, in_pieces }
    }

    pub(super) fn fill(&self, late: &dyn Stop, each: Each<'_>) -> Grepped {
        let tally = &self.searched.tally;
        let (returned, passed, total) = match self.request.mode {
            GrepMode::Content => {
                let (returned, passed) = self.contents(late, each);
                (returned, passed, tally.matches)
            }
            mode => {
                let count = self.files(each);
                let without = mode == GrepMode::FilesWithout;
                (count, count, if without { tally.searched - tally.matching } else { tally.matching })
            }
        };
        let end = (self.request.offset as u64).saturating_add(passed);
        let counted = |count: u64| (!tally.early).then_some(count);
        Grepped {
            files: Vec::new(),
            returned,
            total_matches: counted(tally.matches),
            total_files: counted(tally.matching),
            next: (end < total).then(|| usize::try_from(end).unwrap_or(usize::MAX)),
            searched: tally.searched,
            skipped: tally.skipped,
            all_ignored: tally.searched == 0 && tally.ignored > 0 && tally.skipped == Skipped::default(),
            context: self.context,
            context_added: self.context_added,
            partial: tally.stopped,
            found_by: matches!(self.searched.place, Place::Directory(_))
                .then(|| FoundBy::index(tally.indexed)),
        }
    }

    /// How many files were handed over.
    fn files(&self, each: Each<'_>) -> u64 {
        let (mut room, mut count) = (self.room, 0);
        for file in self.searched.tally.files.iter().skip(self.request.offset).take(self.request.limit) {
            if room == 0 {
                break;
            }
            let path = self.path(file);
            let taken = if self.in_pieces { 0 } else { path.absolute.len() + PER_FILE };
            room = room.saturating_sub(taken);
            count += 1;
            if each(Found { path, count: file.count(), lines: Vec::new() }).is_break() {
                break;
            }
        }
        count
    }

    /// How many matches were handed over with their lines, and how many were gone over for them.
    fn contents(&self, late: &dyn Stop, each: Each<'_>) -> (u64, u64) {
        let (mut skip, mut need) = (self.request.offset as u64, self.request.limit as u64);
        let (mut returned, mut passed, mut room) = (0, 0, self.room);
        let mut files = self.searched.tally.files.iter();
        let mut next = files.next();
        while let Some(file) = next {
            if skip >= file.count() {
                skip -= file.count();
                next = files.next();
                continue;
            }
            if need == 0 || room == 0 || (returned > 0 && late.stopped()) {
                break;
            }
            let wanted = need.min(file.count() - skip);
            let path = self.path(file);
            let lines = self.lines(file, skip, wanted, room, late);
            // A file that vanished meanwhile has none, and is passed over.
            let all = lines.matches == 0 || lines.matches >= wanted;
            passed += if lines.matches == 0 { wanted } else { lines.matches };
            returned += lines.matches;
            need -= if lines.matches == 0 { wanted } else { lines.matches };
            let size = |line: &Line| line.text.len() + path.absolute.len() + PER_FILE;
            if !self.in_pieces {
                room = room.saturating_sub(lines.lines.iter().map(size).sum());
            }
            // The rest of this file is the next piece.
            skip = if all { 0 } else { skip + lines.matches };
            let found = Found { path, count: file.count(), lines: lines.lines };
            if (lines.matches > 0 && each(found).is_break()) || (!all && !self.in_pieces) {
                break;
            }
            if all {
                next = files.next();
            }
        }
        (returned, passed)
    }

    fn lines(&self, file: &FileMatches, skip: u64, most: u64, room: usize, late: &dyn Stop) -> Lines {
        let wanted = Wanted {
            context: Context::new(self.context.0, self.context.1),
            skip,
            most,
            room,
            line_cost: self.path(file).absolute.len() + PER_FILE,
            line_length: self.request.line_length,
        };
        let opened;
        let handle = match &self.searched.place {
            Place::Directory(start) => match start.open_file(file.path()) {
                Ok(file) => {
                    opened = file;
                    &opened
                }
                Err(_) => return Lines::default(),
            },
            Place::File(file) => file,
        };
        let mut from_start = handle;
        if from_start.rewind().is_err() {
            return Lines::default();
        }
        toolcrib_search::lines(handle, self.query, wanted, late).unwrap_or_default()
    }

    fn path(&self, file: &FileMatches) -> FilePath {
        match &self.searched.place {
            Place::Directory(_) => FilePath::below(&self.searched.location, file.path()),
            Place::File(_) => FilePath::new(&self.searched.location),
        }
    }
}

/// Takes one file after the other.
type Each<'e> = &'e mut dyn FnMut(Found) -> ControlFlow<()>;

/// What a line of the answer takes beside the path and the text.
const PER_FILE: usize = 16;
