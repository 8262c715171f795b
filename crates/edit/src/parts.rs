//! A line taken apart: the white space before, what is said, the white space after.

use std::ops::Range;

use crate::fold::is_space;

/// The parts of a piece of a line, as offsets in the text it was taken from.
///
/// A blank piece has no indentation: its white space is trailing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) indent: Range<usize>,
    pub(crate) body: Range<usize>,
    pub(crate) trailing: Range<usize>,
}

/// Which edges of its line a piece reaches. White space is indentation or trailing only at such an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edges {
    pub(crate) start: bool,
    pub(crate) end: bool,
}

impl Parts {
    pub(crate) fn of(text: &str, range: Range<usize>, edges: Edges) -> Self {
        let piece = &text[range.clone()];
        let body_end =
            if edges.end { range.start + piece.trim_end_matches(is_space).len() } else { range.end };
        let said = &text[range.start..body_end];
        let body_start =
            if edges.start { body_end - said.trim_start_matches(is_space).len() } else { range.start };
        if body_start == body_end && edges.end {
            return Self {
                indent: range.start..range.start,
                body: range.start..range.start,
                trailing: range,
            };
        }
        Self { indent: range.start..body_start, body: body_start..body_end, trailing: body_end..range.end }
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.body.is_empty()
    }

    pub(crate) fn whole(&self) -> Range<usize> {
        self.indent.start..self.trailing.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, start: bool, end: bool) -> [&str; 3] {
        let parts = Parts::of(text, 0..text.len(), Edges { start, end });
        [&text[parts.indent], &text[parts.body], &text[parts.trailing]]
    }

    #[test]
    fn white_space_counts_only_at_an_edge() {
        assert_eq!(parts(" \ta b ", true, true), [" \t", "a b", " "]);
        assert_eq!(parts(" a ", false, true), ["", " a", " "]);
        assert_eq!(parts(" a ", true, false), [" ", "a ", ""]);
        assert_eq!(parts(" a ", false, false), ["", " a ", ""]);
        assert_eq!(parts("  ", true, true), ["", "", "  "]);
        assert_eq!(parts("  ", true, false), ["  ", "", ""]);
        assert_eq!(parts("\u{a0}a\u{3000}", true, true), ["\u{a0}", "a", "\u{3000}"]);
    }
}
