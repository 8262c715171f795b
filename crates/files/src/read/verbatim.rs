//! A text as it is: with its own line endings, without numbers, and without cutting its lines.

use std::path::PathBuf;

use toolcrib_access::{Extent, Sandbox, Unit};
use toolcrib_formats::{Kind, sniff};
use toolcrib_text::{Document, Meter};

use super::source::WHOLE;
use super::{Content, REMARKS, fault, open, read};
use crate::bounds::{reserve, stopped, until_over};
use crate::refused::Refused;
use crate::{FilePath, Part, ReadLimits, ReadRequest};

/// Which file, and which of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadTextRequest {
    /// The file, as the caller named it.
    pub path: PathBuf,
    /// Which of its lines.
    pub part: TextPart,
    /// How many bytes of text the answer may hold.
    pub budget: usize,
}

/// Which lines of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextPart {
    /// From this line on, counted from 1.
    From(u64),
    /// This many from the start.
    First(usize),
    /// This many from the end; an end of a line at the end of the text begins one more.
    Last(usize),
}

/// Some of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerbatimText {
    /// The file.
    pub path: FilePath,
    /// The text.
    pub text: String,
    /// How many bytes the file has.
    pub size: u64,
    /// The line with which it goes on, where the answer would have grown too long.
    pub next: Option<u64>,
}

/// Reads a text as it is. Of a file that is too large to be read whole, lines are given as [`read`] gives them.
///
/// # Errors
///
/// If there is no such file that may be read, or if it is no text.
pub fn read_text(sandbox: &Sandbox<'_>, request: &ReadTextRequest) -> Result<VerbatimText, Refused> {
    let budget = request.budget.min(sandbox.context().max_output_size.saturating_sub(REMARKS));
    let lines = ReadRequest::new(&request.path);
    let (source, place) = open(sandbox, &lines)?;
    let kind = sniff(&source.head()?);
    if kind != Kind::Unknown {
        return Err(fault::binary(source.path(), kind, source.size()).into());
    }
    if source.size() > WHOLE {
        let binary = fault::binary(source.path(), kind, source.size());
        return by_lines(sandbox, lines, request.part, budget).ok_or(binary)?;
    }
    let (path, size) = (source.path().clone(), source.size());
    let (bytes, _) = source.all()?;
    let _memory = reserve(bytes.len().saturating_mul(4))?;
    let stop = until_over(sandbox);
    let document =
        Document::read_metered(bytes.into_owned(), &Meter::new(&stop)).map_err(stopped(sandbox))?;
    let document = document.map_err(|_| fault::binary(&path, Kind::Unknown, size))?;
    let (text, first) = part_of(document.text(), request.part);
    let (text, next) = within(text, first, budget);
    let shown = text.split_inclusive('\n').count() as u64;
    let total = document.text().split_inclusive('\n').count() as u64;
    let extent = Extent::of(Unit::Lines, first..first + shown, Some(total));
    place.saw(sandbox, source.seen(), extent)?;
    Ok(VerbatimText { path, text, size, next })
}

/// The part, and the number of its first line.
fn part_of(text: &str, part: TextPart) -> (String, u64) {
    match part {
        TextPart::From(first) => {
            let skip = usize::try_from(first.saturating_sub(1)).unwrap_or(usize::MAX);
            (text.split_inclusive('\n').skip(skip).collect(), first)
        }
        TextPart::First(lines) => {
            let mut text: String = text.split_inclusive('\n').take(lines).collect();
            if text.ends_with('\n') {
                text.pop();
            }
            (text, 1)
        }
        TextPart::Last(lines) => {
            let pieces: Vec<&str> = text.split('\n').collect();
            let from = pieces.len().saturating_sub(lines);
            let plain = pieces[from..].iter().map(|piece| piece.strip_suffix('\r').unwrap_or(piece));
            (plain.collect::<Vec<_>>().join("\n"), from as u64 + 1)
        }
    }
}

/// As much of a text as there is room for, cut after a line where it has several, and the line to go on with.
fn within(mut text: String, first: u64, budget: usize) -> (String, Option<u64>) {
    if text.len() <= budget {
        return (text, None);
    }
    let end = text.floor_char_boundary(budget);
    let end = text[..end].rfind('\n').map_or(end, |newline| newline + 1);
    text.truncate(end);
    let next = first + text.matches('\n').count() as u64;
    (text, Some(next))
}

fn by_lines(
    sandbox: &Sandbox<'_>,
    mut lines: ReadRequest,
    part: TextPart,
    budget: usize,
) -> Option<Result<VerbatimText, Refused>> {
    lines.part = match part {
        TextPart::From(first) => Part::From { first, limit: ReadRequest::MAX_LIMIT },
        TextPart::First(limit) => Part::From { first: 1, limit },
        TextPart::Last(lines) => Part::Last(lines),
    };
    lines.limits = ReadLimits { budget, ..lines.limits };
    let wanted = if let TextPart::First(limit) = part { limit } else { usize::MAX };
    match read(sandbox, &lines) {
        Err(refused) => Some(Err(refused)),
        Ok(Content::Text(text)) => {
            let shown: Vec<&str> = text.lines.iter().map(|line| line.text.as_str()).collect();
            let next = text.next.filter(|_| shown.len() < wanted && !matches!(part, TextPart::Last(_)));
            Some(Ok(VerbatimText { text: shown.join("\n"), path: text.path, size: text.size, next }))
        }
        Ok(_) => None,
    }
}
