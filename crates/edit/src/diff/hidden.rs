//! Characters in changed lines that a reader does not see, or that change the order in which others are seen.

use super::{Diff, Hunk, Line};
use crate::diagnosis::is_hidden;

/// An invisible or direction-changing character in a line that was added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The character.
    pub character: char,
    /// The line it is in, counted from 1: of the new text if it was added, else of the old one.
    pub line: usize,
    /// Whether it was added.
    pub added: bool,
}

/// How many are listed. One is reason enough to look.
const MOST: usize = 50;

impl Diff<'_> {
    /// The hidden characters in changed lines; the first few.
    #[must_use]
    pub fn hidden(&self) -> Vec<Hidden> {
        self.hunks.iter().flat_map(in_hunk).take(MOST).collect()
    }
}

fn in_hunk<'h>(hunk: &'h Hunk<'_>) -> impl Iterator<Item = Hidden> + 'h {
    let (mut old, mut new) = (hunk.old.start, hunk.new.start);
    hunk.lines.iter().flat_map(move |line| {
        old += usize::from(!matches!(line, Line::Added(_)));
        new += usize::from(!matches!(line, Line::Removed(_)));
        let added = matches!(line, Line::Added(_));
        let text = if matches!(line, Line::Context(_)) { "" } else { line.text() };
        let number = if added { new } else { old };
        in_line(text).map(move |character| Hidden { character, line: number, added })
    })
}

/// Tabs and line endings are no secret, nor is what joins and colours emoji.
fn in_line(line: &str) -> impl Iterator<Item = char> {
    let line = line.trim_end_matches(['\r', '\n']);
    let mut before = '\0';
    line.chars().filter(move |&c| {
        let joins = matches!(c, '\u{200D}' | '\u{FE0F}') && !before.is_ascii();
        before = c;
        c != '\t' && c != '\u{3000}' && is_hidden(c) && !joins
    })
}
