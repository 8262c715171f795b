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
//!
//! What could mean two things is refused: a divider that stands twice in a block, a path that is not directly above its
//! block, and outside of blocks every line that looks like a part of one, or of another grammar.

use crate::envelope;
use crate::error::{Error, ErrorKind};
use crate::patch::{Action, FileChange, Format, Hunk, Line, Location, Patch};
use crate::path::checked_or_absolute as checked;
use crate::rows::{Row, Rows};

/// Whether a line begins a block.
pub(crate) fn begins(text: &str) -> bool {
    is_marker(text, &['<', '-'], "SEARCH")
}

/// Whether a line divides a block whose markers have so many characters. A heading in the text may be underlined with others.
fn is_divider(text: &str, length: usize) -> bool {
    is_marker(text, &['='], "") && text.trim_end().len() == length
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
    // A line that may be a path, and is not directly above a block.
    let mut distant: Option<usize> = None;
    while let Some(row) = rows.next() {
        if !begins(row.text) {
            refuse_stray(row)?;
            let above = name(row, named);
            let lost = if is_fence(row.text) { fenced_path(row) } else { named.filter(|_| above.is_none()) };
            distant = lost.filter(|(text, _)| looks_like_path(text)).map(|(_, line)| line).or(distant);
            named = above;
            continue;
        }
        let (hunk, creates) = block(row, rows)?;
        let path = named
            .take()
            .map(|(path, line)| checked_name(path, creates).map_err(|kind| Error::new(line, kind)));
        let path = path.transpose()?;
        if let Some(line) = distant.take().filter(|_| path.is_none()) {
            let expected = "the path of a file directly above its block";
            return Err(Error::new(line, ErrorKind::Unexpected { expected }));
        }
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

/// Refuses a line outside of all blocks that looks like a part of one, or of a patch in another grammar: it would be passed over.
fn refuse_stray(row: Row<'_>) -> Result<(), Error> {
    let text = row.text.trim();
    let marks = |sign: char| text.len() - text.trim_start_matches(sign).len() >= 5;
    let of_a_block = marks('<') || marks('>') || begins(text) || is_end(text) || is_marker(text, &['='], "");
    let of_another = envelope::begins(row.text)
        || ["diff --git ", "--- ", "+++ ", "@@ "].iter().any(|start| row.text.starts_with(start));
    let expected = if of_a_block {
        "<<<<<<< SEARCH, =======, >>>>>>> REPLACE, at the beginning of their lines"
    } else if of_another {
        "SEARCH/REPLACE blocks only: send other patches in another call"
    } else {
        return Ok(());
    };
    Err(Error::new(row.number, ErrorKind::Unexpected { expected }))
}

/// What a fence has behind the name of a language.
fn fenced_path(row: Row<'_>) -> Option<(&str, usize)> {
    let words = row.text.trim_start().trim_start_matches('`').split_whitespace();
    Some((words.last()?, row.number))
}

/// One word with a dot or a slash in it.
fn looks_like_path(text: &str) -> bool {
    let text = text.trim_end_matches('.');
    !text.contains(char::is_whitespace) && text.contains(['.', '/'])
}

/// A path that a patch may name. One that is to be created must not be prose: nothing else shows that it is a path.
fn checked_name(path: &str, creates: bool) -> Result<String, ErrorKind> {
    let odd = |character: char| character.is_whitespace() || character == '`';
    let is_name = !path.contains(odd) && path.contains(char::is_alphanumeric) && !path.starts_with('~');
    if creates && !is_name {
        let problem = "does not look like the path of a new file";
        return Err(ErrorKind::Path { path: path.to_owned(), problem });
    }
    checked(path)
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
    let text = start.text.trim_end();
    let length = text.len() - text.trim_start_matches(['<', '-']).len();
    let is_divider = |text: &str| is_divider(text, length);
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
