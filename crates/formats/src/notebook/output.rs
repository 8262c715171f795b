//! What running a cell gave.

use std::borrow::Cow;

use super::tree::Tree;
use super::{Limits, ansi};
use crate::base64;

/// One output of a code cell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Output<'a> {
    /// What was printed.
    Stream {
        /// `stdout` or `stderr`.
        name: String,
        /// The text, without colours.
        text: Text,
    },
    /// The value of the cell, or something it displayed.
    Result(Text),
    /// The error that ended it.
    Error {
        /// Its class, such as `NameError`.
        name: String,
        /// Its message.
        message: Text,
        /// Where it came from, without colours.
        traceback: Text,
    },
    /// An image it displayed.
    Image(Image<'a>),
}

/// A text with its middle cut out if it was long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The text, or its start.
    pub start: String,
    /// How many bytes are left out after the start. Colours and overwritten lines count if the text is very long.
    pub left_out: usize,
    /// The end after what was left out.
    pub end: String,
}

/// An image in an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    /// What the notebook says that it is. The bytes may be something else.
    pub mime_type: String,
    data: Cow<'a, str>,
}

impl Image<'_> {
    /// About how many bytes it has.
    #[must_use]
    pub fn size(&self) -> usize {
        if self.is_text() { self.data.len() } else { self.data.len() / 4 * 3 }
    }

    /// The image itself, if it can be read: SVG as it is, everything else from base64.
    #[must_use]
    pub fn bytes(&self) -> Option<Vec<u8>> {
        if self.is_text() { Some(self.data.as_bytes().to_vec()) } else { base64::decode(&self.data) }
    }

    fn is_text(&self) -> bool {
        self.mime_type == "image/svg+xml"
    }
}

/// Reads one entry of a cell's `outputs`. A result can be a text and images.
pub(super) fn read<'a>(output: &Tree<'a>, limits: Limits, outputs: &mut Vec<Output<'a>>) {
    let text_of = |key: &str| output.get(key).map(|text| Text::of(text, limits)).unwrap_or_default();
    let name_of = |key: &str| output.get(key).and_then(Tree::text).map(ansi::plain);
    match output.get("output_type").and_then(Tree::text) {
        Some("stream") => outputs.push(Output::Stream {
            // nbformat 3 calls it `stream`.
            name: name_of("name").or_else(|| name_of("stream")).unwrap_or_else(|| "stdout".to_owned()),
            text: text_of("text"),
        }),
        Some("error" | "pyerr") => outputs.push(Output::Error {
            name: name_of("ename").unwrap_or_default(),
            message: text_of("evalue"),
            traceback: traceback(output, limits),
        }),
        // In nbformat 4 the forms of a value stand in `data` by media type, in 3 beside the rest by short names.
        _ => read_result(output.get("data").unwrap_or(output), limits, outputs),
    }
}

fn read_result<'a>(data: &Tree<'a>, limits: Limits, outputs: &mut Vec<Output<'a>>) {
    // Python's name for an object that shows itself in another form.
    let says_nothing =
        |text: &Tree<'_>| text.pieces().next().is_some_and(|text| text.starts_with("<IPython.core.display"));
    let plain = data.get("text/plain").or_else(|| data.get("text"));
    let other =
        ["text/markdown", "text/latex", "latex", "text/html", "html"].iter().find_map(|form| data.get(form));
    let text = plain.filter(|text| !says_nothing(text) || other.is_none()).or(other);
    outputs.extend(text.map(|text| Output::Result(Text::of(text, limits))));
    for (form, value) in data.entries() {
        let mime_type = match form.as_ref() {
            "png" => "image/png",
            "jpeg" => "image/jpeg",
            "svg" => "image/svg+xml",
            form => form,
        };
        if mime_type.starts_with("image/") {
            let data = match value {
                Tree::Text(Cow::Borrowed(text)) => Cow::Borrowed(*text),
                value => Cow::Owned(value.pieces().collect()),
            };
            outputs.push(Output::Image(Image { mime_type: mime_type.to_owned(), data }));
        }
    }
}

/// The entries of a traceback are lines, or groups of them, without the ends that other texts have.
fn traceback(output: &Tree<'_>, limits: Limits) -> Text {
    let entries = output.get("traceback").map(Tree::list).unwrap_or_default();
    let mut pieces = Vec::new();
    for entry in entries.iter().filter_map(Tree::text) {
        if !pieces.is_empty() {
            pieces.push("\n");
        }
        pieces.push(entry);
    }
    Text::of_pieces(&pieces, limits)
}

impl Text {
    fn of(tree: &Tree<'_>, limits: Limits) -> Self {
        Self::of_pieces(&tree.pieces().collect::<Vec<_>>(), limits)
    }

    fn of_pieces(pieces: &[&str], limits: Limits) -> Self {
        let total: usize = pieces.iter().map(|piece| piece.len()).sum();
        // Only so much is cleaned of colours; of what is longer, the two ends.
        let cleaned = limits.output.saturating_mul(32).max(64 * 1024);
        if total <= cleaned {
            return Self::cut(&ansi::plain(&pieces.concat()), 0, limits);
        }
        let (first, last) = (first_bytes(pieces, cleaned / 2), last_bytes(pieces, cleaned / 2));
        let beyond = total - first.len() - last.len();
        let (start, end) = (ansi::plain(&first), ansi::plain(&last));
        Self::cut(&(start + &end), beyond, limits)
    }

    /// Keeps three quarters of the limit from the start and one from the end. `beyond` bytes are missing in the middle
    /// already.
    fn cut(text: &str, beyond: usize, limits: Limits) -> Self {
        if beyond == 0 && text.len() <= limits.output {
            return Self { start: text.to_owned(), ..Self::default() };
        }
        let at_start = text.floor_char_boundary(limits.output / 4 * 3);
        let at_end = text.ceil_char_boundary(text.len().saturating_sub(limits.output / 4)).max(at_start);
        let (start, end) = (&text[..at_start], &text[at_end..]);
        // A whole line reads better, if there is an end of one near the cut.
        let start = start.rfind('\n').filter(|at| *at > start.len() / 2).map_or(start, |at| &start[..=at]);
        let end = end.find('\n').filter(|at| *at < end.len() / 2).map_or(end, |at| &end[at + 1..]);
        let left_out = beyond + text.len() - start.len() - end.len();
        Self { start: start.to_owned(), left_out, end: end.to_owned() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.start.is_empty() && self.left_out == 0
    }
}

fn first_bytes(pieces: &[&str], limit: usize) -> String {
    let mut text = String::new();
    for piece in pieces {
        let room = limit - text.len();
        text.push_str(&piece[..piece.floor_char_boundary(room)]);
        if piece.len() > room {
            break;
        }
    }
    text
}

fn last_bytes(pieces: &[&str], limit: usize) -> String {
    let mut parts = Vec::new();
    let mut room = limit;
    for piece in pieces.iter().rev() {
        let part = &piece[piece.ceil_char_boundary(piece.len().saturating_sub(room))..];
        parts.push(part);
        room -= part.len();
        if part.len() < piece.len() {
            break;
        }
    }
    parts.reverse();
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_text_keeps_its_two_ends_and_says_what_is_missing() {
        let limits = Limits { output: 100 };
        let lines: String = (0..100).map(|number| format!("line {number}\n")).collect();
        let text = Text::of_pieces(&[&lines], limits);
        assert!(text.start.starts_with("line 0\nline 1\n") && text.start.ends_with('\n'), "{text:?}");
        assert!(text.end.starts_with("line 9") && text.end.ends_with("line 99\n"), "{text:?}");
        assert_eq!(text.start.len() + text.left_out + text.end.len(), lines.len());
    }

    proptest! {
        #[test]
        fn nothing_is_lost_uncounted(piece in "[aü\n]{0,9}", times in 0_usize..30_000, output in 0_usize..300) {
            let pieces = vec![piece.as_str(); times];
            let total = piece.len() * times;
            let text = Text::of_pieces(&pieces, Limits { output });
            prop_assert_eq!(text.start.len() + text.left_out + text.end.len(), total);
            prop_assert!(text.start.len() + text.end.len() <= output);
        }
    }
}
