//! Places that are equal letter by letter.

use memchr::memchr;
use memchr::memmem::Finder;
use toolcrib_text::Stopped;

use super::{Place, Places, Scope, Target};
use crate::Level;
use crate::align::cuts_ending;
use crate::lines::Counter;

/// How many bytes may be compared for places that overlap each other before the search is given up.
const WORK: usize = 100_000_000;

/// What a place costs beside finding it.
const EACH: usize = 64;

pub(super) fn places(target: &Target<'_>, old: &str, scope: Scope) -> Result<Places, Stopped> {
    if old.is_empty() {
        return Ok(Places::default());
    }
    if scope == Scope::LinesToEnd {
        // Nowhere else does it reach to the end.
        let start = target.text().ends_with(old).then(|| target.text().len() - old.len());
        return collect(target, old, scope, start.into_iter());
    }
    let finder = Finder::new(old);
    if scope.at_line_start() {
        collect(target, old, scope, line_starts(target.text(), &finder))
    } else {
        collect(target, old, scope, starts(target.text(), &finder))
    }
}

fn collect(
    target: &Target<'_>,
    old: &str,
    scope: Scope,
    starts: impl Iterator<Item = usize>,
) -> Result<Places, Stopped> {
    let text = target.text();
    let (mut found, mut counter, mut passed) = (Places::default(), Counter::of(text), 0);
    for (seen, start) in starts.enumerate() {
        target.meter().spend(start.saturating_sub(passed) / 4 + EACH)?;
        passed = start;
        // Which of the places is meant depends on all of them, if a line number decides.
        let too_many = seen.saturating_mul(old.len()) > WORK || found.places.len() == Places::MOST;
        if scope.at_line_start() && too_many {
            found.given_up = true;
            break;
        }
        let region = start..start + old.len();
        if cuts_ending(text, &region) || !fits(text, &region, scope) {
            continue;
        }
        found.count += 1;
        if found.places.len() < Places::MOST {
            found.places.push(Place { line: counter.at(start), region, level: Level::Exact });
        }
    }
    Ok(found)
}

/// Where `old` starts at or after the start of each line, also where it overlaps itself: a line number may mean any of
/// them.
fn line_starts(text: &str, finder: &Finder<'_>) -> impl Iterator<Item = usize> {
    let mut line = Some(0);
    std::iter::from_fn(move || {
        let from = line?;
        let start = from + finder.find(&text.as_bytes()[from..])?;
        line = memchr(b'\n', &text.as_bytes()[start..]).map(|newline| start + newline + 1);
        Some(start)
    })
}

/// Where `old` starts: those that do not overlap; if it is one alone, also the one that overlaps it.
///
/// Counting all that overlap would be quadratic in a text that repeats itself, and two are as ambiguous as many.
pub(super) fn starts(text: &str, finder: &Finder<'_>) -> impl Iterator<Item = usize> {
    let mut apart = finder.find_iter(text.as_bytes());
    let first = apart.next();
    let second = apart.next().or_else(|| {
        let after = first? + 1;
        finder.find(&text.as_bytes()[after..]).map(|overlapping| after + overlapping)
    });
    first.into_iter().chain(second).chain(apart)
}

fn fits(text: &str, region: &std::ops::Range<usize>, scope: Scope) -> bool {
    let (before, after) = (&text[..region.start], &text[region.end..]);
    let starts_line = before.is_empty() || before.ends_with('\n');
    let at_ending = after.is_empty() || after.starts_with('\n') || after.starts_with("\r\n");
    let ends_line = at_ending || text[region.clone()].ends_with('\n');
    (starts_line || !scope.at_line_start())
        && (ends_line || !scope.at_line_end())
        && (after.is_empty() || !scope.at_end())
}
