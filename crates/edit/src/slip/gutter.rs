//! Line numbers pasted along with the lines of a listing: blanks, a number, a tab or an arrow.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Wording;
use crate::Level;
use crate::find::Scope;
use crate::lines::Lines;

/// The edit without its gutter. Every line of the old text must have one, and the numbers must follow each other; then
/// those that the new text has are taken away too. A number in the new text that is written in another way, as in the
/// first column of a table, is none.
///
/// What is left are whole lines: a row of a table whose first column is a number is not found in the middle of another.
pub(super) fn without<'e>(wording: &Wording<'_>) -> Option<Wording<'e>> {
    let lines = Lines::of(&wording.old);
    let numbered = lines.count() - usize::from(wording.old.ends_with('\n'));
    let gutters: Vec<Gutter<'_>> =
        (0..numbered).map(|line| Gutter::of(lines.content_text(line))).collect::<Option<_>>()?;
    let consecutive = gutters.windows(2).all(|pair| pair[0].number.checked_add(1) == Some(pair[1].number));
    let listed = gutters.iter().any(|gutter| !gutter.bare);
    (consecutive && listed).then_some(())?;
    let unpadded = gutters.iter().all(|gutter| !gutter.padded);
    let widths: HashSet<usize> = gutters.iter().map(|gutter| gutter.width).collect();
    let ends: HashSet<Option<char>> = gutters.iter().map(|gutter| gutter.end).collect();
    let alike = |gutter: &Gutter<'_>| {
        let as_wide = widths.contains(&gutter.width) || unpadded && !gutter.padded;
        as_wide && ends.contains(&gutter.end)
    };
    let bare: HashSet<&str> =
        (0..numbered).filter(|line| gutters[*line].bare).map(|line| lines.content_text(line)).collect();
    let old = rebuilt(&lines, |line| gutters.get(line).map_or("", |gutter| gutter.rest));
    let new = Lines::of(&wording.new);
    let new = rebuilt(&new, |line| match Gutter::of(new.content_text(line)) {
        Some(gutter) if !gutter.bare && alike(&gutter) => gutter.rest,
        Some(gutter) if bare.contains(&new.content_text(line)) => gutter.rest,
        _ => new.content_text(line),
    });
    Some(Wording {
        old: Cow::Owned(old),
        new: Cow::Owned(new),
        level: Level::Gutter,
        shortened: Level::Exact,
        loosest: Level::Typography,
        scope: Scope::LineStart,
    })
}

struct Gutter<'l> {
    number: u64,
    /// There is nothing after the number: a blank line whose tab was lost.
    bare: bool,
    /// What stands after the number.
    end: Option<char>,
    /// How many characters the number takes, with the blanks before it if there are any.
    width: usize,
    padded: bool,
    rest: &'l str,
}

impl<'l> Gutter<'l> {
    fn of(line: &'l str) -> Option<Self> {
        let padded = line.trim_start_matches(' ');
        let (number, rest) =
            padded.split_at(padded.find(|c: char| !c.is_ascii_digit()).unwrap_or(padded.len()));
        let (width, padded) = (line.len() - rest.len(), padded.len() < line.len());
        let number = number.parse().ok()?;
        let end = rest.chars().next().filter(|end| matches!(end, '\t' | '→'));
        let bare = end.is_none();
        let rest = match end {
            Some(end) => &rest[end.len_utf8()..],
            None if rest.trim().is_empty() => "",
            None => return None,
        };
        Some(Self { number, bare, end, width, padded, rest })
    }
}

fn rebuilt<'l>(lines: &Lines<'l>, content: impl Fn(usize) -> &'l str) -> String {
    (0..lines.count()).flat_map(|line| [content(line), lines.ending_text(line)]).collect()
}
