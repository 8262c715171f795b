//! Which of the places of a hunk is meant.

use std::ops::Range;

use toolcrib_edit::{Level, Place};

use super::Reason;
use super::finder::Finder;
use super::reading::Fit;
use crate::patch::{Hunk, Location};

/// What the hunks before this one in the same file tell.
#[derive(Debug, Default)]
pub(super) struct Before {
    offset: isize,
    end: usize,
}

impl Before {
    pub(super) fn remember(&mut self, region: &Range<usize>, offset: isize) {
        self.offset = offset;
        self.end = region.end;
    }
}

/// The place that is meant. With a line number it is the nearest one, else it must be the only one.
pub(super) fn place<'a>(
    finder: &Finder<'a, '_>,
    hunk: &'a Hunk,
    expected: Option<usize>,
    fit: &Fit,
    before: &Before,
) -> Result<Place, Reason> {
    let meant = match (&hunk.location, expected) {
        (Location::After(anchors), _) => after(finder, anchors, fit, before)?,
        (Location::Line(_), Some(expected)) => near(fit, expected, before.offset),
        (Location::Line(_), None) => None,
    };
    let meant = meant.ok_or_else(|| Reason::ambiguous(fit.places(), fit.level))?;
    if fit.is_blank() && expected.is_some_and(|expected| expected != meant.line) {
        return Err(Reason::Blank { line: meant.line + 1 });
    }
    Ok(meant.clone())
}

/// The place that a line number means: the only one, or the one that is clearly nearest, also if the whole text has moved
/// as it did for the hunk before. If these disagree there is no telling.
fn near(fit: &Fit, expected: usize, moved: isize) -> Option<&Place> {
    let places = fit.places();
    if let [only] = places {
        return Some(only);
    }
    let moved = expected.saturating_add_signed(moved);
    // A place just where the file went counts if no other is nearer to the line that is stated.
    let followed = closest(places, expected).filter(|place| places[*place].line == moved);
    let stated = followed.or_else(|| nearest(places, expected))?;
    // Of several that are not indented or spelled as the hunk has it, nearness tells nothing.
    let certain = fit.level <= Level::TrailingWhitespace || places[stated].line == expected;
    let agreed = nearest(places, moved) == Some(stated);
    (certain && agreed).then_some(&places[stated])
}

/// The place at this line; else the nearest of several, if every other one is much farther away. A number that is off by a
/// few lines is common; the more it is off, the less it says.
fn nearest(places: &[Place], line: usize) -> Option<usize> {
    let nearest = closest(places, line)?;
    let distance = |place: usize| places[place].line.abs_diff(line);
    let far = distance(nearest).saturating_mul(4).saturating_add(4);
    let clearly = |other: usize| distance(nearest) == 0 || distance(other) > far;
    // Places are in the order of their lines, so no other is nearer than those beside it.
    let beside = [nearest.checked_sub(1), (nearest + 1 < places.len()).then_some(nearest + 1)];
    beside.into_iter().flatten().all(clearly).then_some(nearest)
}

/// The place that is nearer to a line than any other.
fn closest(places: &[Place], line: usize) -> Option<usize> {
    let after = places.partition_point(|place| place.line < line);
    let distance = |place: usize| places.get(place).map(|place| place.line.abs_diff(line));
    match (after.checked_sub(1).and_then(distance), distance(after)) {
        (Some(above), Some(below)) if above == below => None,
        (Some(above), Some(below)) if above < below => Some(after - 1),
        (Some(_), None) => Some(after - 1),
        (_, Some(_)) => Some(after),
        (None, None) => None,
    }
}

/// The only place after the anchors; of several, the only one after the hunk before, since an envelope goes down a file.
fn after<'f, 'a>(
    finder: &Finder<'a, '_>,
    anchors: &'a [String],
    fit: &'f Fit,
    before: &Before,
) -> Result<Option<&'f Place>, Reason> {
    let places = fit.places();
    let candidates = if anchors.is_empty() {
        std::iter::once(0..places.len()).collect()
    } else {
        finder.anchors.following(anchors, places)?
    };
    // The last two tell whether there is one alone, and whether there is one alone after the hunk before.
    let mut last = candidates.into_iter().rev().flat_map(Iterator::rev).map(|place| &places[place]);
    let (last, second) = (last.next(), last.next());
    let further = |place: &&Place| place.region.start >= before.end;
    let alone = last.filter(|_| second.is_none());
    Ok(alone.or_else(|| last.filter(further).filter(|_| !second.is_some_and(|second| further(&second)))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn places(lines: &[usize]) -> Vec<Place> {
        lines.iter().map(|&line| Place { region: line..line, line, level: Level::Exact }).collect()
    }

    /// What it means, without regard to what it costs.
    fn closest_plainly(places: &[Place], line: usize) -> Option<usize> {
        let distance = |place: &Place| place.line.abs_diff(line);
        let least = places.iter().map(distance).min()?;
        let mut at = (0..places.len()).filter(|place| distance(&places[*place]) == least);
        let only = at.next();
        only.filter(|_| at.next().is_none())
    }

    fn nearest_plainly(places: &[Place], line: usize) -> Option<usize> {
        let nearest = closest_plainly(places, line)?;
        let distance = |place: usize| places[place].line.abs_diff(line);
        let clearly = |other: usize| distance(nearest) == 0 || distance(other) > 4 * distance(nearest) + 4;
        (0..places.len()).filter(|place| *place != nearest).all(clearly).then_some(nearest)
    }

    proptest! {
        #[test]
        fn the_nearest_is_found_without_looking_at_all(
            lines in proptest::collection::btree_set(0..60_usize, 0..12), line in 0..70_usize,
        ) {
            let places = places(&lines.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(closest(&places, line), closest_plainly(&places, line));
            prop_assert_eq!(nearest(&places, line), nearest_plainly(&places, line));
        }
    }
}
