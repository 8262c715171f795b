//! Which of the places of a hunk is meant.

use std::ops::Range;

use toolcrib_edit::{Level, Place, Target};

use super::reading::Fit;
use super::{Reason, anchor};
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
pub(super) fn place(
    target: &Target<'_>,
    hunk: &Hunk,
    expected: Option<usize>,
    fit: &Fit,
    before: &Before,
) -> Result<Place, Reason> {
    let meant = match (&hunk.location, expected) {
        (Location::After(anchors), _) => after(target, anchors, fit, before)?,
        (Location::Line(_), Some(expected)) => near(fit, expected, before.offset),
        (Location::Line(_), None) => None,
    };
    let meant = meant.ok_or_else(|| Reason::ambiguous(&fit.places, fit.level))?;
    if fit.is_blank() && expected.is_some_and(|expected| expected != meant.line) {
        return Err(Reason::Blank { line: meant.line + 1 });
    }
    Ok(meant.clone())
}

/// The place that a line number means: the only one, or the one that is clearly nearest, also if the whole text has moved
/// as it did for the hunk before. If these disagree there is no telling.
fn near(fit: &Fit, expected: usize, moved: isize) -> Option<&Place> {
    if let [only] = &fit.places[..] {
        return Some(only);
    }
    let moved = expected.saturating_add_signed(moved);
    // A place just where the file went counts if no other is nearer to the line that is stated.
    let followed = closest(&fit.places, expected).filter(|place| place.line == moved);
    let stated = followed.or_else(|| nearest(&fit.places, expected))?;
    // Of several that are not indented or spelled as the hunk has it, nearness tells nothing.
    let certain = fit.level <= Level::TrailingWhitespace || stated.line == expected;
    let agreed = nearest(&fit.places, moved) == Some(stated);
    (certain && agreed).then_some(stated)
}

/// The place at this line; else the nearest of several, if every other one is much farther away. A number that is off by a
/// few lines is common; the more it is off, the less it says.
fn nearest(places: &[Place], line: usize) -> Option<&Place> {
    let distance = |place: &Place| place.line.abs_diff(line);
    let nearest = closest(places, line)?;
    let clearly = |other: usize| distance(nearest) == 0 || other > 4 * distance(nearest) + 4;
    places.iter().filter(|place| *place != nearest).map(distance).all(clearly).then_some(nearest)
}

/// The place that is nearer to a line than any other.
fn closest(places: &[Place], line: usize) -> Option<&Place> {
    let distance = |place: &Place| place.line.abs_diff(line);
    let closest = places.iter().min_by_key(|place| distance(place))?;
    let twins = places.iter().filter(|place| distance(place) == distance(closest)).count();
    (twins == 1).then_some(closest)
}

/// The only place after the anchors; of several, the only one after the hunk before, since an envelope goes down a file.
fn after<'f>(
    target: &Target<'_>,
    anchors: &[String],
    fit: &'f Fit,
    before: &Before,
) -> Result<Option<&'f Place>, Reason> {
    let only = |places: &[&'f Place]| if let [only] = places { Some(*only) } else { None };
    let all: Vec<&Place> = fit.places.iter().collect();
    let candidates = if anchors.is_empty() { all } else { anchor::following(target, anchors, all)? };
    let further: Vec<&Place> =
        candidates.iter().filter(|place| place.region.start >= before.end).copied().collect();
    Ok(only(&candidates).or_else(|| only(&further)))
}
