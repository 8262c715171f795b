//! Unified diffs, as `diff -u` and git write them, and as models do.
//!
//! ```text
//! section := git? names? hunk*
//! git     := "diff --git a/NAME b/NAME" ("old mode" | "new mode" | "new file mode" | "deleted file mode" | "rename from" |
//!            "rename to" | "copy from" | "copy to" | "similarity" | "dissimilarity" | "index")*
//! names   := "--- " NAME "+++ " NAME
//! hunk    := "@@" (" -" LINE ("," COUNT)? " +" LINE ("," COUNT)? " @@")? SECTION? line*
//! line    := (" " | "+" | "-") TEXT ("\ No newline at end of file")?
//! ```
//!
//! What stands between sections is passed over. Counts are believed where they fit; where they do not, a hunk goes on as
//! long as its lines look like it.

mod header;
mod hunk;
mod names;

use crate::error::{Error, ErrorKind};
use crate::patch::{FileChange, Format, Patch};
use crate::rows::Rows;
use header::Header;

/// Whether the next row begins something of this grammar.
pub(crate) fn begins(rows: &Rows<'_>) -> bool {
    section_begins(rows) || hunk::begins(rows)
}

fn section_begins(rows: &Rows<'_>) -> bool {
    rows.peek().is_some_and(|row| row.text.starts_with("diff --git ")) || header::names_begin(rows)
}

pub(crate) fn parse(rows: &mut Rows<'_>) -> Result<Patch, Error> {
    let mut files = Vec::new();
    while rows.peek().is_some() {
        refuse(rows)?;
        if section_begins(rows) {
            files.push(section(rows)?);
        } else {
            rows.next();
        }
    }
    if files.is_empty() {
        return Err(Error::new(1, ErrorKind::NoPatch));
    }
    Ok(Patch { format: Format::Unified, files })
}

fn section(rows: &mut Rows<'_>) -> Result<FileChange, Error> {
    let mut header = Header::read(rows)?;
    loop {
        rows.skip_blanks_before(|text| text.starts_with("@@"));
        if !hunk::begins(rows) {
            return header.finish();
        }
        header.hunks.push(hunk::read(rows)?);
    }
}

/// Refuses what stands between sections and is more than prose: nothing that may be part of a patch is passed over.
fn refuse(rows: &Rows<'_>) -> Result<(), Error> {
    let Some(row) = rows.peek() else {
        return Ok(());
    };
    let next = rows.ahead(1).map_or("", |row| row.text);
    let starts = |signs: &[&str]| signs.iter().any(|sign| row.text.starts_with(sign));
    let kind = if starts(&["@@@ ", "diff --cc ", "diff --combined "]) {
        ErrorKind::Grammar { name: "a combined diff" }
    } else if starts(&["*** "]) && next.starts_with("--- ") {
        ErrorKind::Grammar { name: "a context diff" }
    } else if hunk::begins(rows) {
        ErrorKind::NoFile
    } else if starts(&["GIT binary patch"]) || starts(&["Binary files "]) && row.text.ends_with(" differ") {
        ErrorKind::Binary { path: row.text.to_owned() }
    } else if starts(&["-"]) && next.starts_with('+') && !header::names_begin(rows) {
        ErrorKind::Unexpected { expected: "@@ before the lines of a hunk" }
    } else {
        return Ok(());
    };
    Err(Error::new(row.number, kind))
}
