//! Writes a whole file: a new one, or over one that is there.

use std::path::PathBuf;

use toolcrib_text::{Document, Encoding, LineEndings};
use toolcrib_tool::{Call, ErrorKind, ToolError};

use crate::FilePath;
use crate::changed::{Shown, propose, refuse_nul};

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
pub fn write(call: &mut Call<'_>, request: &WriteRequest) -> Result<Written, ToolError> {
    refuse_nul(&request.content, "content")?;
    let draft = call.sandbox()?.draft(&request.path)?;
    draft.refuse_unseen()?;
    draft.expect(request.expected_version.as_deref())?;

    // What is not text has no encoding to keep; it is replaced by text as a new file would be.
    let before = draft.before.as_ref().map(|before| Document::read(before.bytes().to_vec()));
    let before = before.and_then(Result::ok);
    let encoding = before.as_ref().map_or(Encoding::UTF_8, Document::encoding);
    let crlf_kept = before.as_ref().is_some_and(|document| keeps_crlf(document, &request.content));
    let after = if crlf_kept { request.content.replace('\n', "\r\n") } else { request.content.clone() };
    let after = if encoding.bom { after.strip_prefix('\u{FEFF}').unwrap_or(&after) } else { &after };

    let content = encoding.encode(after).map_err(|error| {
        ToolError::new(ErrorKind::Unsupported, format!("Cannot write {}: {error}", draft.location.show()))
            .hint("the file keeps its encoding; use characters that it has, or delete it and write it anew as UTF-8")
    })?;
    let created = draft.before.is_none();
    let (bytes, unchanged) = (content.len(), draft.before.as_ref().is_some_and(|old| old.bytes() == content));
    if unchanged {
        let path = FilePath::new(&draft.location);
        return Ok(Written { path, created, unchanged, bytes, crlf_kept, encoding, shown: Shown::default() });
    }
    let old_text = before.as_ref().map_or("", Document::text).to_owned();
    let (path, shown) = propose(call, draft, &old_text, after, content);
    Ok(Written { path, created, unchanged, bytes, crlf_kept, encoding, shown })
}

fn keeps_crlf(before: &Document, content: &str) -> bool {
    let content = LineEndings::of(content);
    before.line_endings().is_wholly_crlf() && content.lf > 0 && content.crlf == 0 && content.cr == 0
}
