//! Places that are equal letter by letter.

use memchr::memmem;

use super::{Place, Scope, Target};
use crate::Level;
use crate::align::cuts_ending;
use crate::lines::Counter;

pub(super) fn places(target: &Target<'_>, old: &str, scope: Scope) -> Vec<Place> {
    if old.is_empty() {
        return Vec::new();
    }
    let mut places: Vec<Place> = starts(target.text(), old)
        .into_iter()
        .map(|start| start..start + old.len())
        .filter(|region| !cuts_ending(target.text(), region))
        .map(|region| Place { line: 0, region, level: Level::Exact })
        .filter(|place| fits(target.text(), place, scope))
        .collect();
    let mut counter = Counter::of(target.text());
    for place in &mut places {
        place.line = counter.at(place.region.start);
    }
    places
}

/// Where `old` starts: those that do not overlap; if it is one alone, also the one that overlaps it.
///
/// Counting all that overlap would be quadratic in a text that repeats itself, and two are as ambiguous as many.
pub(super) fn starts(text: &str, old: &str) -> Vec<usize> {
    let finder = memmem::Finder::new(old);
    let mut starts: Vec<usize> = finder.find_iter(text.as_bytes()).collect();
    if let [only] = starts[..]
        && let Some(overlapping) = finder.find(&text.as_bytes()[only + 1..])
    {
        starts.push(only + 1 + overlapping);
    }
    starts
}

fn fits(text: &str, place: &Place, scope: Scope) -> bool {
    let (before, after) = (&text[..place.region.start], &text[place.region.end..]);
    let starts_line = before.is_empty() || before.ends_with('\n');
    let at_ending = after.is_empty() || after.starts_with('\n') || after.starts_with("\r\n");
    let ends_line = at_ending || text[place.region.clone()].ends_with('\n');
    (starts_line || !scope.at_line_start())
        && (ends_line || !scope.at_line_end())
        && (after.is_empty() || !scope.at_end())
}
