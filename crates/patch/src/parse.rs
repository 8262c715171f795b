//! Recognises the grammar of a patch by its first line that means something.

use toolcrib_text::Stop;

use crate::blocks;
use crate::conflict;
use crate::envelope;
use crate::error::{Error, ErrorKind};
use crate::patch::{Format, Patch};
use crate::rows::Rows;
use crate::unified;

/// Reads a patch. Prose, code fences and shell wrappers around it are passed over.
///
/// # Errors
/// If it is no patch, or one that may not be applied whatever the files are. Nothing was changed.
pub fn parse(text: &str) -> Result<Patch, Error> {
    parse_within(text, &|| false)
}

/// The same, as long as it is wanted.
///
/// # Errors
/// [`ErrorKind::Stopped`]; else as [`parse`].
pub fn parse_within(text: &str, stop: &dyn Stop) -> Result<Patch, Error> {
    refuse_nul(text)?;
    let mut rows = Rows::of(text, stop);
    let format = format(&mut rows);
    rows.rewind();
    let patch = match format {
        Format::Envelope => envelope::parse(&mut rows),
        Format::Blocks => blocks::parse(&mut rows),
        Format::Unified => unified::parse(&mut rows),
    };
    if rows.is_stopped() {
        return Err(Error::new(1, ErrorKind::Stopped));
    }
    let patch = patch?;
    conflict::check(&patch)?;
    Ok(patch)
}

pub(crate) fn refuse_nul(text: &str) -> Result<(), Error> {
    let Some(at) = text.find('\0') else { return Ok(()) };
    let line = text[..at].matches('\n').count() + 1;
    Err(Error::new(line, ErrorKind::Nul))
}

fn format(rows: &mut Rows<'_>) -> Format {
    while let Some(row) = rows.peek() {
        if envelope::begins(row.text) {
            return Format::Envelope;
        }
        if blocks::begins(row.text) {
            return Format::Blocks;
        }
        if unified::begins(rows) {
            break;
        }
        rows.next();
    }
    Format::Unified
}
