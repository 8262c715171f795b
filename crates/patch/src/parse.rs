//! Recognises the grammar of a patch by its first line that means something.

use toolcrib_text::Stop;

use crate::conflict;
use crate::envelope;
use crate::error::{Error, ErrorKind};
use crate::patch::Patch;
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
    if let Some(at) = text.find('\0') {
        let line = text[..at].matches('\n').count() + 1;
        return Err(Error::new(line, ErrorKind::Nul));
    }
    let mut rows = Rows::of(text, stop);
    let is_envelope = is_envelope(&mut rows);
    rows.rewind();
    let patch = if is_envelope { envelope::parse(&mut rows) } else { unified::parse(&mut rows) };
    if rows.is_stopped() {
        return Err(Error::new(1, ErrorKind::Stopped));
    }
    let patch = patch?;
    conflict::check(&patch)?;
    Ok(patch)
}

fn is_envelope(rows: &mut Rows<'_>) -> bool {
    while let Some(row) = rows.peek() {
        if envelope::begins(row.text) {
            return true;
        }
        if unified::begins(rows) {
            return false;
        }
        rows.next();
    }
    false
}
