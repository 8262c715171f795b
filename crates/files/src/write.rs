//! Writes a whole file: a new one, or over one that is there.

use std::path::PathBuf;

use toolcrib_access::{Draft, Proposed, Sandbox};
use toolcrib_text::{Document, Encoding, Meter};

use crate::FilePath;
use crate::bounds::{reserve, stopped, to_change, until_over};
use crate::changed::{NewContent, Replaced, Shown, propose, replaced};
use crate::refused::{Refused, refuse_nul, require_version};

/// Which file, and what it holds afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteRequest {
    /// The file, as the caller named it.
    pub path: PathBuf,
    /// The text.
    pub content: String,
    /// What the file must hold before, as Read gave it.
    pub expected_version: Option<String>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub path: FilePath,
    /// Whether it was not there before.
    pub created: bool,
    /// Whether it held the same already, so that nothing was done.
    pub unchanged: bool,
    /// How many bytes it has now.
    pub bytes: usize,
    /// Whether the content's LF became CRLF, because that is how the file's lines end.
    pub crlf_kept: bool,
    /// The encoding it is written in.
    pub encoding: Encoding,
    /// How the change reads.
    pub shown: Shown,
}

/// Proposes a file's whole content. A file that exists keeps its encoding, byte order mark and, if all its lines end with
/// CRLF and the content has only LF, its line endings.
///
/// # Errors
///
/// If the path may not be written, if the content is not text, if the file's encoding cannot hold it, or if the file is not
/// what the caller has seen.
pub fn write(sandbox: &Sandbox<'_>, request: &WriteRequest) -> Result<Proposed<Written>, Refused> {
    refuse_nul(&request.content)?;
    replace(sandbox, sandbox.draft(&request.path)?, request)
}

/// Proposes a file that does not exist yet.
///
/// # Errors
///
/// If there is such a file, if the path may not be written, or if the content is not text.
pub fn create(sandbox: &Sandbox<'_>, request: &WriteRequest) -> Result<Proposed<Written>, Refused> {
    refuse_nul(&request.content)?;
    let draft = sandbox.draft(&request.path)?;
    if draft.before.is_some() {
        return Err(Refused::Exists { path: draft.location.show() });
    }
    replace(sandbox, draft, request)
}

fn replace(
    sandbox: &Sandbox<'_>,
    draft: Draft,
    request: &WriteRequest,
) -> Result<Proposed<Written>, Refused> {
    draft.refuse_unseen()?;
    draft.refuse_seen_in_part()?;
    require_version(&draft, request.expected_version.as_deref())?;

    // What is not text has no encoding to keep; it is replaced by text as a new file would be.
    let bytes = draft.before.as_ref().map_or(0, |before| before.bytes().len());
    let _memory = reserve(to_change(&request.content, bytes).saturating_add(bytes.saturating_mul(4)))?;
    let stop = until_over(sandbox);
    let before = match &draft.before {
        None => None,
        Some(before) => Document::read_metered(before.bytes().to_vec(), &Meter::new(&stop))
            .map_err(stopped(sandbox))?
            .ok(),
    };
    let Replaced { text: after, bytes: content, encoding, crlf_kept } =
        replaced(sandbox, before.as_ref(), &request.content, &draft)?;
    let created = draft.before.is_none();
    let (bytes, unchanged) = (content.len(), draft.before.as_ref().is_some_and(|old| old.bytes() == content));
    if unchanged {
        let path = FilePath::new(&draft.location);
        let shown = Shown::default();
        return Ok(Written { path, created, unchanged, bytes, crlf_kept, encoding, shown }.into());
    }
    let old_text = before.as_ref().map_or("", Document::text);
    let NewContent { path, shown, proposal } = propose(sandbox, draft, old_text, &after, content)?;
    let written = Written { path, created, unchanged, bytes, crlf_kept, encoding, shown };
    Ok(Proposed::new(written, vec![proposal]))
}
