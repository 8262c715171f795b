//! The form of OpenAI's Responses API (V4A): what happens to which file is said beside the diff, which has no envelope.
//!
//! ```text
//! diff of a new file  := ("+" TEXT)*
//! diff of another one := chunk*                       as in an envelope
//! ```
//!
//! The lines of a new file are joined, so it has a final newline only if the diff ends with a lone `+`.

use toolcrib_text::Stop;

use crate::envelope::{self, END};
use crate::error::{Error, ErrorKind};
use crate::parse::refuse_nul;
use crate::patch::{Action, FileChange, Format, Hunk, Line, Location, Patch};
use crate::path::checked_or_absolute as checked;
use crate::rows::Rows;

/// What a diff without an envelope is said to do, and to which file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedFile {
    /// It is created with the lines of the diff.
    Created {
        /// The file.
        path: String,
    },
    /// It is changed as the diff says.
    Updated {
        /// The file.
        path: String,
        /// Its new path, if it is moved too.
        move_to: Option<String>,
    },
    /// It is deleted; the diff says nothing.
    Deleted {
        /// The file.
        path: String,
    },
}

/// Reads the diff of one file, as long as it is wanted.
///
/// ```
/// use toolcrib_patch::{NamedFile, parse_diff_within};
///
/// let file = NamedFile::Created { path: "greeting.txt".to_owned() };
/// let patch = parse_diff_within(&file, "+Hello,\n+World", &|| false)?;
/// assert_eq!(patch.files[0].hunks[0].new_text(), "Hello,\nWorld");
/// # Ok::<(), toolcrib_patch::Error>(())
/// ```
///
/// # Errors
/// If it is no such diff, or speaks of another file. Nothing was changed.
pub fn parse_diff_within(file: &NamedFile, diff: &str, stop: &dyn Stop) -> Result<Patch, Error> {
    refuse_nul(diff)?;
    let change = |action, path: &str, hunks| {
        let path = checked(path).map_err(|kind| Error::new(1, kind))?;
        Ok(FileChange { hunks, ..envelope::change(action, path, 1) })
    };
    let change = match file {
        NamedFile::Created { path } => change(Action::Add, path, created(diff)?),
        NamedFile::Deleted { path } => change(Action::Delete, path, Vec::new()),
        NamedFile::Updated { path, move_to } => {
            let mut change = change(Action::Update, path, Vec::new())?;
            if let Some(path) = move_to {
                envelope::move_to(&mut change, path).map_err(|kind| Error::new(1, kind))?;
            }
            updated(change, diff, stop)
        }
    }?;
    Ok(Patch { format: Format::Envelope, files: vec![change] })
}

/// The text of a new file. If the diff has CRLF anywhere, all its lines end so, as OpenAI's own functions have it.
fn created(diff: &str) -> Result<Vec<Hunk>, Error> {
    let mut texts: Vec<&str> = diff.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    texts.pop_if(|last| last.is_empty());
    let end = texts.iter().position(|text| text.starts_with(END)).unwrap_or(texts.len());
    let ending = if diff.contains("\r\n") { "\r\n" } else { "\n" };
    let line = |(index, text): (usize, &&str)| {
        let text = text.strip_prefix('+').ok_or_else(|| {
            Error::new(index + 1, ErrorKind::Unexpected { expected: "+ before each line of a new file" })
        })?;
        let ending = if index + 1 < end { ending } else { "" };
        Ok(Line::Added(format!("{text}{ending}")))
    };
    let lines = texts[..end].iter().enumerate().map(line).collect::<Result<Vec<_>, _>>()?;
    if let Some(index) = texts[end..].iter().skip(1).position(|text| !text.trim().is_empty()) {
        return Err(Error::new(end + index + 2, AFTER_THE_END));
    }
    let hunk = Hunk { location: Location::Line(0), lines, to_end: false, miscounted: false, line: 1 };
    Ok(if hunk.lines.is_empty() { Vec::new() } else { vec![hunk] })
}

fn updated(change: FileChange, diff: &str, stop: &dyn Stop) -> Result<FileChange, Error> {
    let mut rows = Rows::of(diff, stop);
    let change = envelope::chunks(change, &mut rows);
    if rows.is_stopped() {
        return Err(Error::new(1, ErrorKind::Stopped));
    }
    let change = change?;
    let ended = rows.next_if(|text| text.trim() == END).is_some();
    match rows.after_blanks() {
        None => Ok(change),
        Some(row) if ended => Err(Error::new(row.number, AFTER_THE_END)),
        Some(row) => {
            Err(Error::new(row.number, ErrorKind::Unexpected { expected: "only hunks for the given file" }))
        }
    }
}

const AFTER_THE_END: ErrorKind = ErrorKind::Unexpected { expected: "nothing after *** End Patch" };
