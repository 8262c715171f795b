//! The SEARCH/REPLACE blocks that aider, Cline and Roo Code taught models to write.
//!
//! ```text
//! patch   := block+
//! block   := (PATH FENCE? | FENCE PATH)? "<<<<<<< SEARCH" hint? TEXT* "=======" TEXT* ">>>>>>> REPLACE"
//! hint    := ":start_line:" NUMBER (":end_line:" NUMBER)? "-------"
//! ```
//!
//! A block without a path belongs to the file of the block before it. Whole lines are compared, and a text to search for that
//! is empty creates the file. Markers have five to nine characters; Cline also writes `------- SEARCH` and `+++++++ REPLACE`.
//! A divider that stands twice in a block could be part of either text, so the block is refused.

use crate::error::{Error, ErrorKind};
use crate::patch::{Action, FileChange, Format, Hunk, Line, Location, Patch};
use crate::path::checked_or_absolute as checked;
use crate::rows::{Row, Rows};

/// Whether a line begins a block.
pub(crate) fn begins(text: &str) -> bool {
    is_marker(text, &['<', '-'], "SEARCH")
}

fn is_divider(text: &str) -> bool {
    is_marker(text, &['='], "")
}

fn is_end(text: &str) -> bool {
    is_marker(text, &['>', '+'], "REPLACE")
}

/// Five to nine of one of the signs, then a word.
fn is_marker(text: &str, signs: &[char], word: &str) -> bool {
    let text = text.trim_end();
    signs.iter().any(|sign| {
        let rest = text.trim_start_matches(*sign);
        (5..=9).contains(&(text.len() - rest.len())) && rest.trim_start().trim_end_matches(['>', '<']) == word
    })
}

fn is_fence(text: &str) -> bool {
    text.trim_start().starts_with("```")
}

pub(crate) fn parse(rows: &mut Rows<'_>) -> Result<Patch, Error> {
    let mut files: Vec<FileChange> = Vec::new();
    let mut named = None;
    while let Some(row) = rows.next() {
        if !begins(row.text) {
            named = name(row, named);
            continue;
        }
        let (hunk, creates) = block(row, rows)?;
        let path = named
            .take()
            .map(|(path, line)| checked(path).map_err(|kind| Error::new(line, kind)))
            .transpose()?;
        let action = if creates { Action::Add } else { Action::Update };
        match (path, files.last_mut()) {
            (None, None) => return Err(Error::new(row.number, ErrorKind::NoFile)),
            (path, Some(last))
                if action == last.action
                    && action == Action::Update
                    && path.as_ref().is_none_or(|path| *path == last.path) =>
            {
                last.hunks.push(hunk);
            }
            (path, last) => {
                let before = last.map(|last| last.path.clone());
                let path = path.or(before).unwrap_or_default();
                let (from, mode) = (None, None);
                let hunks = vec![hunk];
                files.push(FileChange { action, path, from, declared: true, mode, hunks, line: row.number });
            }
        }
    }
    Ok(Patch { format: Format::Blocks, files })
}

/// The path in the line above a block. A fence may stand between them, and no blank line: what stands further up is prose.
fn name<'p>(row: Row<'p>, before: Option<(&'p str, usize)>) -> Option<(&'p str, usize)> {
    if is_fence(row.text) {
        return before;
    }
    let path = row.text.trim().trim_start_matches('#').trim_end_matches(':');
    let path = path.trim().trim_matches(['`', '*']);
    (!path.is_empty()).then_some((path, row.number))
}

/// The rest of a block, and whether it creates its file.
fn block(start: Row<'_>, rows: &mut Rows<'_>) -> Result<(Hunk, bool), Error> {
    let expected = |row: Option<Row<'_>>, expected| {
        Error::new(row.map_or_else(|| start.number, |row| row.number), ErrorKind::Unexpected { expected })
    };
    let at = hint(rows);
    let old = until(rows, is_divider)
        .ok_or_else(|| expected(None, "======= between the two texts of this block"))?;
    let new =
        until(rows, is_end).ok_or_else(|| expected(None, ">>>>>>> REPLACE at the end of this block"))?;
    if let Some(row) = old.iter().chain(&new).find(|row| begins(row.text) || is_end(row.text)) {
        return Err(expected(Some(*row), "======= and >>>>>>> REPLACE before the next block"));
    }
    if let Some(row) = new.iter().find(|row| is_divider(row.text)) {
        return Err(expected(Some(*row), "one ======= in a block: two could be part of either text"));
    }
    let creates = old.is_empty();
    let hunk = Hunk {
        location: at.map_or_else(|| Location::After(Vec::new()), Location::Line),
        lines: lines(&old, &new),
        to_end: false,
        miscounted: false,
        line: start.number,
    };
    match (creates, new.is_empty()) {
        (true, true) => Err(Error::new(start.number, ErrorKind::EmptyHunk)),
        (true, false) => Ok((Hunk { location: Location::Line(0), ..hunk }, true)),
        (false, _) => Ok((hunk, false)),
    }
}

/// The rows up to one that fits, which is passed over.
fn until<'p>(rows: &mut Rows<'p>, fits: impl Fn(&str) -> bool) -> Option<Vec<Row<'p>>> {
    let mut before = Vec::new();
    loop {
        let row = rows.next()?;
        if fits(row.text) {
            return Some(before);
        }
        before.push(row);
    }
}

/// The line at which Roo Code's blocks say that their text begins.
fn hint(rows: &mut Rows<'_>) -> Option<usize> {
    let row = rows.next_if(|text| text.trim().starts_with(":start_line:"))?;
    rows.next_if(|text| text.trim().starts_with(":end_line:"));
    rows.next_if(|text| text.trim_end() == "-------");
    row.text.trim().trim_start_matches(":start_line:").trim().parse().ok()
}

/// Lines that both texts begin or end with stay as they are in the file.
fn lines(old: &[Row<'_>], new: &[Row<'_>]) -> Vec<Line> {
    let same = |(old, new): &(&Row<'_>, &Row<'_>)| old.text == new.text;
    let head = old.iter().zip(new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let text = |row: &Row<'_>| format!("{}{}", row.text, row.ending);
    let (gone, come) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let kept = |rows: &[Row<'_>]| rows.iter().map(|row| Line::Context(text(row))).collect::<Vec<_>>();
    let mut lines = kept(&old[..head]);
    lines.extend(gone.iter().map(|row| Line::Removed(text(row))));
    lines.extend(come.iter().map(|row| Line::Added(text(row))));
    lines.extend(kept(&old[old.len() - tail..]));
    lines
}
