//! The words of a line, so that a change inside it touches only what it means to.

use std::ops::Range;

use crate::align::Row;
use crate::parts::{Edges, Parts};
use crate::words::Words;

/// What a token is. White space at the edges of a line is not that between words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Indent,
    Body,
    Trailing,
    /// All of a blank line.
    Blank,
    /// Trailing white space of an old line that no new line has.
    Forgotten,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
}

/// The tokens of a line. Indentation and trailing white space are tokens even where they are empty, so that what the
/// text has there is kept.
pub(super) fn tokens<'t>(text: &'t str, parts: &Parts, edges: Edges) -> Vec<Token<'t>> {
    if parts.is_blank() && edges.start && edges.end {
        return vec![Token { kind: Kind::Blank, text: &text[parts.trailing.clone()] }];
    }
    let indent = edges.start.then(|| Token { kind: Kind::Indent, text: &text[parts.indent.clone()] });
    let trailing = edges.end.then(|| Token { kind: Kind::Trailing, text: &text[parts.trailing.clone()] });
    let words = Words(&text[parts.body.clone()]).map(|text| Token { kind: Kind::Body, text });
    indent.into_iter().chain(words).chain(trailing).collect()
}

/// Lets the trailing white space of an old line be no part of the new one.
pub(super) fn forget_trailing(tokens: &mut [Token<'_>]) {
    for token in tokens.iter_mut().filter(|token| token.kind == Kind::Trailing) {
        token.kind = Kind::Forgotten;
    }
}

/// The spans in the text that the tokens of the caller's old line mean.
pub(super) fn spans(text: &str, row: &Row, tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    let mut at = row.text.body.start;
    let mut body = |token: &Token<'_>| {
        let rest = &text[at..row.text.body.end];
        let length: usize = rest.chars().take(token.text.chars().count()).map(char::len_utf8).sum();
        at += length;
        at - length..at
    };
    tokens
        .iter()
        .map(|token| match token.kind {
            Kind::Indent => row.text.indent.clone(),
            Kind::Body => body(token),
            Kind::Trailing | Kind::Blank | Kind::Forgotten => row.text.trailing.clone(),
        })
        .collect()
}
