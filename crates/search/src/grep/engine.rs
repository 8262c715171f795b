//! Searches one file after the other, with what can be kept between them.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Cursor, Read};
use std::os::unix::ffi::OsStrExt;

use grep_matcher::{LineTerminator, Matcher as _};
use grep_searcher::{BinaryDetection, Encoding, Searcher, SearcherBuilder, Sink};
use toolcrib_index::{Glance, HEAD, IN_ONE_PIECE, glance, glance_at_head, read_whole};
use toolcrib_text::{Charset, Meter, Reserved, Stop, Stopped};

use super::collect::Context;
use super::matcher::Watched;
use super::query::Query;
use super::sinks::{Count, Failure};
use super::source::{Stoppable, decode, decode_if_needed, with_newlines};

/// What became of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was searched, and has so many matches.
    Searched(u64),
    /// It is no text.
    Binary,
    /// It has too many bytes.
    TooLarge,
    /// It cannot be read.
    Unreadable,
    /// The pattern takes too long on it.
    TooComplex,
    /// The search was stopped.
    Stopped,
}

/// Across lines only a whole file can be searched, so it has to fit into memory.
const MOST_AT_ONCE: u64 = 128 * 1024 * 1024;

/// How much memory a single line may take in a file that comes in pieces, with the lines that are kept around it; less, if
/// there is not so much.
const LONGEST_LINE: usize = 256 * 1024 * 1024;

/// What the lines of a file always may take.
const SHORTEST_LINE: usize = 1024 * 1024;

/// How often a file is held that is searched as a whole: as it is, decoded, and with other line endings.
const COPIES: usize = 4;

pub(crate) struct Engine<'q> {
    query: &'q Query,
    max_file_size: u64,
    context: Context,
    searcher: Searcher,
    buffer: Vec<u8>,
}

/// A sink that says whether anything was found.
pub(crate) trait Finding: Sink<Error = Failure> {
    fn found(&self) -> bool;
}

impl<'q> Engine<'q> {
    pub(crate) fn new(query: &'q Query, max_file_size: u64, context: Context) -> Self {
        let searcher = builder(query, context).build();
        Self { query, max_file_size, context, searcher, buffer: Vec::new() }
    }

    /// Counts the matches of a file.
    pub(crate) fn count(&mut self, file: &File, size: u64, stop: &dyn Stop) -> Outcome {
        let query = self.query;
        match self.search(file, size, stop, || Count::new(query, stop)) {
            Ok(count) => Outcome::Searched(count.count),
            Err(outcome) => outcome,
        }
    }

    /// Whether a name matches.
    pub(crate) fn matches(&self, name: &OsStr) -> bool {
        Watched::new(&self.query.matcher, &|| false).is_match(name.as_bytes()).unwrap_or(false)
    }

    /// Reports what is found in a file to a sink. If the text turns out to be in another encoding, a second sink gets
    /// everything from the start, and the first is dropped.
    pub(crate) fn search<S: Finding>(
        &mut self,
        file: &File,
        size: u64,
        stop: &dyn Stop,
        mut sink: impl FnMut() -> S,
    ) -> Result<S, Outcome> {
        let most = if self.query.options.multiline { MOST_AT_ONCE } else { u64::MAX };
        let most = self.max_file_size.min(most);
        if size > most {
            return Err(Outcome::TooLarge);
        }
        if size > IN_ONE_PIECE && !self.query.options.multiline {
            return self.search_in_pieces(file, size, stop, sink());
        }
        let Ok(_memory) = Reserved::new(to_search(size)) else { return Err(Outcome::TooLarge) };
        let Self { query, searcher, buffer, .. } = self;
        let meter = Meter::new(stop);
        let bytes = read_whole(file, size, most, buffer).map_err(|_| Outcome::Unreadable)?;
        let bytes = bytes.ok_or(Outcome::TooLarge)?;
        let watched = Watched::new(&query.matcher, stop);
        let mut run = |text: &[u8]| {
            let mut sink = sink();
            let searched = searcher.search_slice(&watched, &with_newlines(text), &mut sink);
            searched.map_err(|failure| outcome_of(failure, &watched))?;
            Ok(sink)
        };
        let stopped = |_: Stopped| Outcome::Stopped;
        let text = match glance(bytes) {
            Glance::Binary => return Err(Outcome::Binary),
            Glance::Other(charset) => return run(&decode(bytes, charset, &meter).map_err(stopped)?),
            Glance::Text(text) => text,
        };
        let found = run(text)?;
        if (found.found() || query.needs_text)
            && let Some(decoded) = decode_if_needed(text, &meter).map_err(stopped)?
        {
            return run(&decoded);
        }
        Ok(found)
    }

    fn search_in_pieces<S: Finding>(
        &mut self,
        file: &File,
        size: u64,
        stop: &dyn Stop,
        mut sink: S,
    ) -> Result<S, Outcome> {
        let mut head = Vec::with_capacity(HEAD);
        file.take(HEAD as u64).read_to_end(&mut head).map_err(|_| Outcome::Unreadable)?;
        let encoding = glance_at_head(&head).ok_or(Outcome::Binary)?;
        let start = if encoding.charset == Charset::UTF_8 { encoding.mark().len() } else { 0 };
        let head = Cursor::new(head.split_off(start));
        let reader = Stoppable { reader: head.chain(file), stop };
        let watched = Watched::new(&self.query.matcher, stop);
        let (_memory, most) = for_lines(size).ok_or(Outcome::TooLarge)?;
        let mut builder = builder(self.query, self.context);
        builder.heap_limit(Some(most));
        if encoding.charset != Charset::UTF_8 {
            // The one encoding that cannot be decoded in pieces is UTF-32, which is not used for large files.
            let decoder = Encoding::new(encoding.charset.name()).map_err(|_| Outcome::Binary)?;
            builder.encoding(Some(decoder)).bom_sniffing(true);
        }
        let searched = builder.build().search_reader(&watched, reader, &mut sink);
        searched.map_err(|failure| outcome_of(failure, &watched))?;
        Ok(sink)
    }
}

fn builder(query: &Query, context: Context) -> SearcherBuilder {
    let mut builder = SearcherBuilder::new();
    builder
        .line_terminator(LineTerminator::crlf())
        .binary_detection(BinaryDetection::none())
        // A byte order mark is dealt with before the search.
        .bom_sniffing(false)
        .multi_line(query.options.multiline)
        .invert_match(query.options.invert)
        .line_number(context.wanted)
        .before_context(context.before)
        .after_context(context.after);
    builder
}

/// How much memory it takes to search a file of so many bytes in one piece.
pub(super) fn to_search(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX).saturating_mul(COPIES)
}

/// Memory for the lines of a file of so many bytes: as much as they may need, or as there is.
fn for_lines(size: u64) -> Option<(Reserved, usize)> {
    let most = usize::try_from(size).unwrap_or(usize::MAX).saturating_mul(2);
    let mut most = most.clamp(SHORTEST_LINE, LONGEST_LINE);
    loop {
        // While the buffer grows, the old one is there too.
        match Reserved::new(most + most / 2) {
            Ok(memory) => return Some((memory, most)),
            Err(_) if most > SHORTEST_LINE => most = (most / 2).max(SHORTEST_LINE),
            Err(_) => return None,
        }
    }
}

fn outcome_of(failure: Failure, watched: &Watched<'_>) -> Outcome {
    match failure {
        Failure::Unreadable => Outcome::Unreadable,
        Failure::TooLarge => Outcome::TooLarge,
        Failure::TooComplex if watched.was_stopped() => Outcome::Stopped,
        Failure::TooComplex => Outcome::TooComplex,
        Failure::Stopped => Outcome::Stopped,
    }
}
