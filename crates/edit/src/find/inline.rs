//! Places of a text of one line, which may stand anywhere in a line.

use std::ops::Range;

use memchr::memmem::Finder;
use toolcrib_text::Stopped;

use super::{Place, Places, Scope, Target, exact};
use crate::align::Alignment;
use crate::fold::{Folded, alike, folded, is_space};
use crate::lines::Lines;

/// More than these are not looked at: they are ambiguous anyway.
const MOST: usize = 100_000;

pub(super) fn places(target: &Target<'_>, old: &str, scope: Scope) -> Result<Places, Stopped> {
    let body = old.trim_matches(is_space);
    let piece = Piece { old, lead: &old[..old.len() - old.trim_start_matches(is_space).len()], body };
    target.meter().spend(target.text().len())?;
    let text = Folded::of(target.text());
    let wanted = folded(body);
    let finder = Finder::new(&*wanted);
    let old = Lines::of(old);
    let mut found = Places::default();
    for (seen, start) in exact::starts(&text.text, &finder).enumerate() {
        if seen == MOST {
            found.given_up = true;
            break;
        }
        let body = text.original(start)..text.original(start + wanted.len());
        found.places.extend(best(target, &old, &piece, body, scope)?);
    }
    Ok(found)
}

/// A caller's text of one line, taken apart.
struct Piece<'o> {
    old: &'o str,
    lead: &'o str,
    body: &'o str,
}

impl Piece<'_> {
    fn trail(&self) -> &str {
        &self.old[self.lead.len() + self.body.len()..]
    }
}

/// The strictest way to fit the piece around its body.
fn best(
    target: &Target<'_>,
    old: &Lines<'_>,
    piece: &Piece<'_>,
    body: Range<usize>,
    scope: Scope,
) -> Result<Option<Place>, Stopped> {
    let content = target.lines().content(target.line_at(body.start));
    // White space around it may be gone over as far as the line reaches.
    target.meter().spend(4 * piece.old.len() + spaces(&target.text()[content.start..body.start]))?;
    // A CR at its end may be half of an ending.
    if body.end > content.end {
        return Ok(None);
    }
    let before = &target.text()[content.start..body.start];
    let after = &target.text()[body.end..content.end];
    let starts = starts(before, piece.lead).map(|length| body.start - length);
    let ends: Vec<usize> = ends(after, piece.trail(), scope).map(|length| body.end + length).collect();
    let alignment = starts
        .flat_map(|start| ends.iter().map(move |end| start..*end))
        .filter(|region| !scope.at_end() || region.end == target.text().len())
        .filter_map(|region| Alignment::of(target.lines(), region, old))
        .min_by_key(|alignment| alignment.level);
    Ok(alignment.map(|alignment| target.place(&alignment)))
}

/// How many bytes of white space a text begins with.
fn spaces(text: &str) -> usize {
    text.len() - text.trim_start_matches(is_space).len()
}

/// How much of the text before the body belongs to the place: as much as the caller wrote, or the whole indentation.
fn starts(before: &str, lead: &str) -> impl Iterator<Item = usize> {
    let written = suffix(before, lead.chars().count()).filter(|suffix| alike(suffix, lead)).map(str::len);
    let indent = (!lead.is_empty() && before.chars().all(is_space)).then_some(before.len());
    written.into_iter().chain(indent)
}

/// How much of the text after the body belongs to the place: all that trails, or as much as the caller wrote.
fn ends(after: &str, trail: &str, scope: Scope) -> impl Iterator<Item = usize> {
    let written = prefix(after, trail.chars().count()).filter(|prefix| alike(prefix, trail)).map(str::len);
    let reaches = !trail.is_empty() || scope.at_end();
    let rest = (reaches && after.chars().all(is_space)).then_some(after.len());
    rest.into_iter().chain(written)
}

/// The last characters of a text, if there are so many.
pub(super) fn suffix(text: &str, count: usize) -> Option<&str> {
    if count == 0 {
        return Some("");
    }
    text.char_indices().rev().nth(count - 1).map(|(at, _)| &text[at..])
}

/// The first characters of a text, if there are so many.
pub(super) fn prefix(text: &str, count: usize) -> Option<&str> {
    if count == 0 {
        return Some("");
    }
    text.char_indices().nth(count - 1).map(|(at, c)| &text[..at + c.len_utf8()])
}
