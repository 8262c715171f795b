//! Places that are equal letter by letter.

use memchr::{memchr, memmem};

use super::{Place, Places, Scope, Target};
use crate::Level;
use crate::align::cuts_ending;
use crate::lines::Counter;

/// How many bytes may be compared for places that overlap each other before the search is given up.
const WORK: usize = 100_000_000;

pub(super) fn places(target: &Target<'_>, old: &str, scope: Scope) -> Places {
    if old.is_empty() {
        return Places::default();
    }
    let (starts, given_up) = if scope.at_line_start() {
        line_starts(target.text(), old)
    } else {
        (starts(target.text(), old), false)
    };
    let mut places: Vec<Place> = starts
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
    Places { places, given_up }
}

/// Where `old` starts at or after the start of each line, also where it overlaps itself: a line number may mean any of
/// them. And whether the text repeats itself so much that this was given up.
fn line_starts(text: &str, old: &str) -> (Vec<usize>, bool) {
    let finder = memmem::Finder::new(old);
    let mut starts = Vec::new();
    let mut line = 0;
    while let Some(found) = finder.find(&text.as_bytes()[line..]) {
        let start = line + found;
        starts.push(start);
        if starts.len().saturating_mul(old.len()) > WORK {
            return (starts, true);
        }
        match memchr(b'\n', &text.as_bytes()[start..]) {
            Some(newline) => line = start + newline + 1,
            None => break,
        }
    }
    (starts, false)
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
