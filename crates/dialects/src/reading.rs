//! What both dialects' Read has in common: which lines are meant, and what is said about them.

use toolcrib_files::{LineNumber, Part, ReadRequest, Text};
use toolcrib_tool::{ErrorKind, ToolError};

pub(crate) fn default_limit() -> usize {
    ReadRequest::DEFAULT_LIMIT
}

/// The lines from `first` on, or the last ones; both at once mean nothing.
pub(crate) fn part(first: u64, limit: usize, tail: Option<usize>) -> Result<Part, ToolError> {
    match tail {
        None => Ok(Part::From { first, limit }),
        Some(lines) if first == 1 && limit == default_limit() => Ok(Part::Last(lines)),
        Some(_) => {
            let message = "Parameter 'tail' cannot be combined with 'offset' or 'limit'";
            Err(ToolError::new(ErrorKind::InvalidParameter, message)
                .hint("give tail alone for the last lines, or offset and limit for others"))
        }
    }
}

/// What a reader must know beside the lines, in sentences without a full stop.
pub(crate) fn remarks(text: &Text) -> Vec<String> {
    let mut remarks = Vec::new();
    if text.lines.is_empty() {
        remarks.push("the file is empty".to_owned());
    }
    if let LineNumber::FromEnd(_) = text.first {
        remarks.push("numbered from the end, the last line is -1".to_owned());
    }
    if text.left_out > 0 {
        let (shown, asked) = (text.lines.len(), text.lines.len() + text.left_out);
        remarks.push(format!(
            "only the last {shown} of {asked} lines fit in one answer: use offset and limit to read the others"
        ));
    }
    if text.undecodable > 0 {
        let (count, encoding) = (text.undecodable, text.encoding.charset);
        let characters = if count == 1 { "place does" } else { "places do" };
        remarks.push(format!("{count} {characters} not decode as {encoding} and stand here as \u{FFFD}"));
    }
    if text.changed {
        remarks
            .push("the file was changed while it was read: not all lines need be of one version".to_owned());
    }
    remarks
}
