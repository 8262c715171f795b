//! Recognises the grammar of a patch by its first line that means something.

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
    if let Some(at) = text.find('\0') {
        let line = text[..at].matches('\n').count() + 1;
        return Err(Error::new(line, ErrorKind::Nul));
    }
    let rows = Rows::of(text);
    let patch = if is_envelope(&rows) { envelope::parse(rows)? } else { unified::parse(rows)? };
    conflict::check(&patch)?;
    Ok(patch)
}

fn is_envelope(rows: &Rows<'_>) -> bool {
    let mut rows = rows.clone();
    while let Some(row) = rows.peek() {
        if envelope::begins(row.text) {
            return true;
        }
        if unified::begins(&rows) {
            return false;
        }
        rows.next();
    }
    false
}
