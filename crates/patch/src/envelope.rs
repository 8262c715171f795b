//! The envelope that Codex models write.
//!
//! ```text
//! patch  := "*** Begin Patch" file* "*** End Patch"
//! file   := "*** Add File: " PATH ("+" TEXT)*
//!         | "*** Delete File: " PATH
//!         | "*** Update File: " PATH ("*** Move to: " PATH)? chunk*
//! chunk  := ("@@" ANCHOR?)* ((" " | "+" | "-") TEXT)+ "*** End of File"?
//! ```
//!
//! The first chunk may come without its `@@`. What stands before the beginning and after the end is passed over.

use crate::error::{Error, ErrorKind};
use crate::patch::{Action, FileChange, Format, Hunk, Line, Location, Patch};
use crate::path::checked_or_absolute as checked;
use crate::rows::{Row, Rows};

const BEGIN: &str = "*** Begin Patch";
pub(crate) const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// Whether a line begins an envelope.
pub(crate) fn begins(text: &str) -> bool {
    let text = text.trim();
    text == BEGIN || [ADD, DELETE, UPDATE].iter().any(|marker| text.starts_with(marker))
}

pub(crate) fn parse(rows: &mut Rows<'_>) -> Result<Patch, Error> {
    while rows.peek().is_some_and(|row| !begins(row.text)) {
        rows.next();
    }
    let begun = rows.next_if(|text| text.trim() == BEGIN).is_some();
    let mut files = Vec::new();
    loop {
        let Some(row) = rows.next() else {
            return if begun {
                Err(Error::new(rows.number(), ErrorKind::Unfinished))
            } else {
                finished(files)
            };
        };
        let text = row.text.trim();
        if text == END || !begun && is_wrapper(text) {
            return finished(files);
        }
        if text.is_empty() || text.starts_with("*** Environment ID:") {
            continue;
        }
        files.push(file(row, rows)?);
    }
}

fn finished(files: Vec<FileChange>) -> Result<Patch, Error> {
    if files.is_empty() {
        return Err(Error::new(1, ErrorKind::NoPatch));
    }
    Ok(Patch { format: Format::Envelope, files })
}

/// The end of a code fence or a shell document around an envelope without its own end.
fn is_wrapper(text: &str) -> bool {
    text.starts_with("```") || matches!(text, "EOF" | "PATCH" | "'" | "\"")
}

fn file(row: Row<'_>, rows: &mut Rows<'_>) -> Result<FileChange, Error> {
    let text = row.text.trim();
    let path = |marker: &str| {
        let path = text.strip_prefix(marker).map(|path| checked(path.trim()));
        path.transpose().map_err(|kind| Error::new(row.number, kind))
    };
    let change = |action, path| change(action, path, row.number);
    if let Some(path) = path(ADD)? {
        return Ok(FileChange { hunks: added(rows)?, ..change(Action::Add, path) });
    }
    if let Some(path) = path(DELETE)? {
        return Ok(change(Action::Delete, path));
    }
    if let Some(path) = path(UPDATE)? {
        return update(change(Action::Update, path), rows);
    }
    let expected = "*** Add File:, *** Delete File:, *** Update File: or *** End Patch";
    Err(Error::new(row.number, ErrorKind::Unexpected { expected }))
}

/// A change without hunks so far, which is said at this line.
pub(crate) fn change(action: Action, path: String, line: usize) -> FileChange {
    FileChange { action, path, from: None, declared: true, mode: None, hunks: Vec::new(), line }
}

/// Whether the next row belongs to what comes after the file. A marker after a space is a line of the file, unless it is the end
/// of the patch and nothing comes after it.
fn is_after_file(row: Row<'_>, rows: &Rows<'_>) -> bool {
    ends_file(row.text) || row.text.trim() == END && rows.only_blanks_after_next()
}

fn ends_file(text: &str) -> bool {
    let text = text.trim_end();
    [END, ADD, DELETE, UPDATE].iter().any(|marker| text.starts_with(marker)) || text == BEGIN
}

/// The lines of a new file. A blank one may have lost its sign if more follow.
fn added(rows: &mut Rows<'_>) -> Result<Vec<Hunk>, Error> {
    let line = rows.number();
    let mut lines = Vec::new();
    while let Some(row) = rows.peek().filter(|row| !is_after_file(*row, rows) && !is_wrapper(row.text)) {
        let blank = row.text.trim().is_empty();
        let text = match row.text.strip_prefix('+') {
            Some(text) => text,
            None if blank && rows.after_blanks().is_some_and(|row| row.text.starts_with('+')) => "",
            None if blank || row.text.trim_end() == END_OF_FILE => {
                rows.next();
                continue;
            }
            None => {
                return Err(Error::new(
                    row.number,
                    ErrorKind::Unexpected { expected: "+ before each line of a new file" },
                ));
            }
        };
        lines.push(Line::Added(format!("{text}{}", row.ending)));
        rows.next();
    }
    let hunk = Hunk { location: Location::Line(0), lines, to_end: false, miscounted: false, line };
    Ok(if hunk.lines.is_empty() { Vec::new() } else { vec![hunk] })
}

fn update(mut change: FileChange, rows: &mut Rows<'_>) -> Result<FileChange, Error> {
    if let Some(row) = rows.next_if(|text| text.trim().starts_with(MOVE)) {
        let path = row.text.trim()[MOVE.len()..].trim();
        move_to(&mut change, path).map_err(|kind| Error::new(row.number, kind))?;
    }
    chunks(change, rows)
}

/// Makes a move of the update of a file.
pub(crate) fn move_to(change: &mut FileChange, path: &str) -> Result<(), ErrorKind> {
    let path = checked(path)?;
    if path != change.path {
        change.from = Some(std::mem::replace(&mut change.path, path));
        change.action = Action::Move;
    }
    Ok(())
}

/// The chunks of a file, up to what comes after it.
pub(crate) fn chunks(mut change: FileChange, rows: &mut Rows<'_>) -> Result<FileChange, Error> {
    while let Some(row) = rows.peek().filter(|row| !is_after_file(*row, rows)) {
        if row.text.trim().is_empty()
            && rows.after_blanks().is_none_or(|row| ends_file(row.text) || is_wrapper(row.text))
        {
            rows.next();
        } else if is_wrapper(row.text) {
            break;
        } else {
            change.hunks.push(chunk(rows)?);
        }
    }
    if change.action == Action::Update && change.hunks.is_empty() {
        return Err(Error::new(change.line, ErrorKind::NothingToDo { path: change.path }));
    }
    Ok(change)
}

fn chunk(rows: &mut Rows<'_>) -> Result<Hunk, Error> {
    let line = rows.number();
    let mut anchors = Vec::new();
    while let Some(row) = rows.next_if(|text| text.trim_end() == "@@" || text.starts_with("@@ ")) {
        let anchor = row.text[2..].trim();
        // A head as in a unified diff: its numbers are not to be relied on.
        let anchor = if anchor.starts_with('-') {
            anchor.split_once("@@").map_or("", |(_, section)| section.trim())
        } else {
            anchor
        };
        anchors.extend((!anchor.is_empty()).then(|| anchor.to_owned()));
    }
    let mut lines = Vec::new();
    while let Some(row) = rows.peek().filter(|row| !is_after_chunk(row.text) && !is_after_file(*row, rows)) {
        let Some(hunk_line) = chunk_line(row, rows)? else {
            break;
        };
        lines.push(hunk_line);
        rows.next();
    }
    let to_end = rows.next_if(|text| text.trim_end() == END_OF_FILE).is_some();
    if lines.is_empty() {
        return Err(Error::new(line, ErrorKind::EmptyHunk));
    }
    Ok(Hunk { location: Location::After(anchors), lines, to_end, miscounted: false, line })
}

fn is_after_chunk(text: &str) -> bool {
    ends_file(text) || text.trim_end() == END_OF_FILE || text.starts_with("@@") || is_wrapper(text)
}

/// A line of a chunk. A blank one may have lost its space if the chunk goes on after it.
fn chunk_line(row: Row<'_>, rows: &Rows<'_>) -> Result<Option<Line>, Error> {
    let text = |text: &str| format!("{text}{}", row.ending);
    if row.text.is_empty() {
        let goes_on = rows.after_blanks().is_some_and(|row| !is_after_chunk(row.text));
        return Ok(goes_on.then(|| Line::Context(text(""))));
    }
    let rest = || text(&row.text[1..]);
    match row.text.as_bytes()[0] {
        b' ' => Ok(Some(Line::Context(rest()))),
        b'+' => Ok(Some(Line::Added(rest()))),
        b'-' => Ok(Some(Line::Removed(rest()))),
        _ => Err(Error::new(row.number, ErrorKind::MissingPrefix)),
    }
}
