//! Lines after which a hunk is said to stand.
//!
//! An anchor narrows a search; it never widens one. It is compared without white space around it, and if no line is equal
//! one that begins with it will do, then one that has it inside.

use std::ops::Range;

use toolcrib_edit::{Place, Target};

use super::Reason;

/// The places that the anchors leave: those in the block that an anchor opens; if there is none, those below it.
pub(super) fn following<'p>(
    target: &Target<'_>,
    anchors: &[String],
    places: Vec<&'p Place>,
) -> Result<Vec<&'p Place>, Reason> {
    let blocks: Vec<Range<usize>> =
        lines(target, anchors)?.into_iter().map(|line| line..block_end(target, line)).collect();
    let inside: Vec<&Place> = places
        .iter()
        .filter(|place| blocks.iter().any(|block| block.contains(&place.line)))
        .copied()
        .collect();
    if !inside.is_empty() {
        return Ok(inside);
    }
    let first = blocks.iter().map(|block| block.start).min().unwrap_or(0);
    let below: Vec<&Place> = places.iter().filter(|place| place.line >= first).copied().collect();
    if below.is_empty() {
        return Err(Reason::NotAfterAnchor {
            anchor: anchors.join(" / "),
            line: places.first().map_or(0, |place| place.line + 1),
        });
    }
    Ok(below)
}

/// The lines that the anchors lead to: the first one anywhere, each further one next after the one before.
pub(super) fn lines(target: &Target<'_>, anchors: &[String]) -> Result<Vec<usize>, Reason> {
    let mut found: Option<Vec<usize>> = None;
    for anchor in anchors {
        let all = equal_lines(target, anchor);
        let next = match found {
            None => all,
            Some(before) => {
                let mut next: Vec<usize> = before
                    .iter()
                    .filter_map(|before| all.iter().find(|line| *line > before))
                    .copied()
                    .collect();
                next.dedup();
                next
            }
        };
        if next.is_empty() {
            return Err(Reason::NoAnchor { anchor: anchor.clone() });
        }
        found = Some(next);
    }
    Ok(found.unwrap_or_default())
}

fn equal_lines(target: &Target<'_>, anchor: &str) -> Vec<usize> {
    let anchor = anchor.trim();
    let that = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..target.line_count()).filter(|line| fits(target.line(*line).trim())).collect()
    };
    let equal = that(&|line| line == anchor);
    let begins = || that(&|line| line.starts_with(anchor));
    let holds = || that(&|line| line.contains(anchor));
    [equal].into_iter().chain([begins(), holds()]).find(|lines| !lines.is_empty()).unwrap_or_default()
}

/// The line after the block that a line opens: the next one that is not indented further and does not close the block.
fn block_end(target: &Target<'_>, opening: usize) -> usize {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let outer = depth(target.line(opening));
    let ends = |line: &usize| {
        let text = target.line(*line);
        !text.trim().is_empty() && depth(text) <= outer && !text.trim_start().starts_with(['}', ')', ']'])
    };
    (opening + 1..target.line_count()).find(ends).unwrap_or(target.line_count())
}
