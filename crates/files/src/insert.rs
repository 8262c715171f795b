//! Inserts text between two lines of a file.

use std::path::PathBuf;

use toolcrib_access::{Proposed, Sandbox};
use toolcrib_edit::{Change, LineSpan};
use toolcrib_text::{LineEndings, Newline};
use toolcrib_tool::{ErrorKind, ToolError};

use crate::FilePath;
use crate::bounds::{reserve, to_change};
use crate::changed::{Excerpt, NewContent, Shown, document, propose, spliced};
use crate::refused::{Refused, refuse_nul, require_version};

/// Which file, what to insert, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsertRequest {
    /// The file, as the caller named it.
    pub path: PathBuf,
    /// The line after which the text stands afterwards; 0 is before the first.
    pub line: usize,
    /// The text. It becomes whole lines that end as the file's lines do.
    pub content: String,
    /// What the file must hold before, as reading it gave it.
    pub expected_version: Option<String>,
}

/// What was inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The file.
    pub path: FilePath,
    /// The new lines, as they are counted afterwards.
    pub lines: LineSpan,
    /// How the change reads.
    pub shown: Shown,
}

/// Proposes the new lines. Every other byte of the file stays as it is.
///
/// # Errors
///
/// If the file may not be changed, is no text, has fewer lines, or is not what the session has read: then the line may be
/// another one.
pub fn insert(sandbox: &Sandbox<'_>, request: &InsertRequest) -> Result<Proposed<Inserted>, Refused> {
    refuse_nul(&request.content)?;
    let mut draft = sandbox.draft(&request.path)?;
    draft.refuse_unseen()?;
    require_version(&draft, request.expected_version.as_deref())?;
    let document = document(sandbox, &mut draft)?;
    let before = document.text();
    let memory =
        [to_change(before, document.bytes().len()), to_change(&request.content, request.content.len())];
    let _memory = reserve(memory.into_iter().fold(0, usize::saturating_add))?;
    let (at, new) = placed(before, request.line, &request.content)?;
    let after = [&before[..at], &new, &before[at..]].concat();
    let count = request.content.lines().count().max(1);
    let lines = LineSpan { first: request.line + 1, last: request.line + count };
    let change = Change { old: at..at, new: at..at + new.len(), lines };
    let content = spliced(sandbox, &document, &after, &[change], &draft)?.into_bytes();
    let NewContent { path, mut shown, proposal } = propose(sandbox, draft, before, &after, content)?;
    shown.excerpt = Excerpt::of(&after, Some(lines));
    Ok(Proposed::new(Inserted { path, lines, shown }, vec![proposal]))
}

/// The offset after a line, and the text as whole lines with the endings of those around it.
fn placed(before: &str, line: usize, content: &str) -> Result<(usize, String), ToolError> {
    let endings = LineEndings::of(before);
    let ending = if endings.newline() == Newline::Cr {
        "\r"
    } else if endings.is_wholly_crlf() {
        "\r\n"
    } else {
        "\n"
    };
    let ends: Vec<usize> = before.match_indices(&ending[ending.len() - 1..]).map(|(at, _)| at + 1).collect();
    let unended = before.len() > ends.last().copied().unwrap_or(0);
    let total = ends.len() + usize::from(unended);
    if line > total {
        let lines = if total == 1 { "1 line".to_owned() } else { format!("{total} lines") };
        let message = format!("Line {line} is past the end: the file has {lines}");
        return Err(ToolError::new(ErrorKind::InvalidParameter, message)
            .hint(format!("insert after line {total} to append"))
            .with("line", line)
            .with("total_lines", total));
    }
    // If the last line has no end, the new one has none either.
    let at_end = line == total && unended;
    let mut new = String::with_capacity(content.len() + ending.len());
    for line in content.lines() {
        let (above, below) = if at_end { (ending, "") } else { ("", ending) };
        new.extend([above, line, below]);
    }
    let at = line.checked_sub(1).map_or(0, |above| if at_end { before.len() } else { ends[above] });
    Ok((at, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_lines_end_as_the_others_do() {
        let after = |before: &str, line, content: &str| {
            let (at, new) = placed(before, line, content).unwrap();
            [&before[..at], &new, &before[at..]].concat()
        };
        assert_eq!(after("a\nb\n", 0, "x"), "x\na\nb\n");
        assert_eq!(after("a\nb\n", 1, "x\ny\n"), "a\nx\ny\nb\n");
        assert_eq!(after("a\r\nb\r\n", 1, "x\ny"), "a\r\nx\r\ny\r\nb\r\n");
        assert_eq!(after("a\rb\r", 1, "x"), "a\rx\rb\r");
        assert_eq!(after("a\nb", 2, "x\n"), "a\nb\nx");
        assert_eq!(after("", 0, "x"), "x\n");
        assert_eq!(placed("a\n", 2, "x").unwrap_err().kind(), ErrorKind::InvalidParameter);
    }
}
