//! A text piece by piece: as [`read`](super::read()) gives it, but all of it, one answer after the other.

use toolcrib_formats::Kind;
use toolcrib_text::Start;
use toolcrib_tool::{Call, ToolError};

use super::text::Reader;
use super::{Part, Place, ReadRequest, Text, extent, fault};

/// The pieces of a text, in order. [`read_chunks`] makes it.
///
/// All pieces are of one version: if the file is changed meanwhile, the next item is an error and the last.
pub struct Chunks<'c> {
    reader: Reader<'c>,
    place: Place,
    limit: usize,
    budget: usize,
    next: Next,
}

enum Next {
    /// The first piece.
    Part(Part),
    /// A line whose place is known.
    At {
        line: u64,
        start: Start,
    },
    Nothing,
}

/// Reads a text from a line on, in pieces of at most `limit` lines and `budget` bytes each. Nothing is read before it
/// is asked for, so a file of any size passes through little memory.
///
/// The last lines of a file come as one piece.
///
/// # Errors
///
/// If there is no such file that may be read, or if it is not a text. What goes wrong later is an item.
pub fn read_chunks<'c>(call: &'c Call<'c>, request: &ReadRequest) -> Result<Chunks<'c>, ToolError> {
    let (source, place) = super::open(call, request)?;
    let kind = super::kind(&source, request)?;
    if kind != Kind::Unknown {
        return Err(fault::binary(source.path(), kind, source.size()));
    }
    let limit = match request.part {
        Part::From { limit, .. } | Part::Last(limit) => limit.max(1),
        Part::Pages(_) | Part::Cells(_) => {
            return Err(fault::no_such_part(source.path(), &request.part, fault::Holds::Text));
        }
    };
    let reader = Reader::new(source, request.encoding.as_deref(), 0)?;
    Ok(Chunks { reader, place, limit, budget: request.limits.budget, next: Next::Part(request.part.clone()) })
}

impl Iterator for Chunks<'_> {
    type Item = Result<Text, ToolError>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Nothing | Next::Part(Part::Pages(_) | Part::Cells(_)) => return None,
            Next::Part(Part::Last(lines)) => self.reader.last(lines, self.budget),
            Next::Part(Part::From { first, .. }) => {
                self.reader.find(first).and_then(|start| self.piece(first, start))
            }
            Next::At { line, start } => self.piece(line, start),
        };
        if self.reader.source().changed() {
            self.next = Next::Nothing;
            return Some(Err(fault::changed(self.reader.source().path())));
        }
        Some(text.and_then(|text| {
            let (call, extent) = (self.reader.source().call(), extent::of_text(&text));
            self.place.saw(call, self.reader.seen(), extent).map(|()| text)
        }))
    }
}

impl Chunks<'_> {
    fn piece(&mut self, first: u64, start: Start) -> Result<Text, ToolError> {
        let (text, offset) = self.reader.range_at(start, first, self.limit, self.budget)?;
        if let Some(line) = text.next {
            self.next = Next::At { line, start: Start { offset, newlines: line - 1 } };
        }
        Ok(text)
    }
}
