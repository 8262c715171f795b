//! Which of the places of a hunk is meant.

use std::ops::Range;

use toolcrib_edit::{Place, Target};

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
        (Location::Line(_), Some(expected)) => near(&fit.places, expected, before.offset),
        (Location::Line(_), None) => None,
    };
    meant.cloned().ok_or_else(|| Reason::ambiguous(&fit.places, fit.level))
}

/// The nearest place. It must be nearest also if the whole text has moved as it did for the hunk before.
fn near(places: &[Place], expected: usize, moved: isize) -> Option<&Place> {
    let nearest = |line: usize| {
        let distance = |place: &&Place| place.line.abs_diff(line);
        let best = places.iter().min_by_key(distance)?;
        let alone = places.iter().filter(|place| distance(place) == distance(&best)).count() == 1;
        alone.then_some(best)
    };
    let (stated, moved) = (nearest(expected)?, nearest(expected.saturating_add_signed(moved))?);
    (stated == moved).then_some(stated)
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
