//! Hunks that only add lines, with nothing around them that could be looked for.

use toolcrib_edit::{Level, Place, Splice, Target, Uncertain};

use super::finder::Finder;
use super::{Found, HunkReport, Reason};
use crate::patch::{Hunk, Location};

/// The place to insert at: after the line that the anchors lead to, at the end if the hunk or the caller says so, or in an empty text.
/// A line number alone is not enough to be certain.
pub(super) fn find<'a>(finder: &Finder<'a, '_>, hunk: &'a Hunk, append: bool) -> Result<Found, Reason> {
    let (target, added) = (finder.target, hunk.new_text());
    if target.text().is_empty() {
        return Ok(found(0, vec![Splice { span: 0..0, text: added }], 0..0));
    }
    let line = match &hunk.location {
        Location::After(anchors) if !anchors.is_empty() => match finder.anchors.lines(anchors)?[..] {
            [line] => line,
            ref lines => return Err(Reason::ambiguous_lines(lines.iter().copied(), Level::Exact)),
        },
        _ if hunk.to_end || append => last_line(target),
        _ => return Err(Reason::NoContext),
    };
    insert_after(target, line, &added)
}

/// The last line that is not the empty one after a final newline.
fn last_line(target: &Target<'_>) -> usize {
    let last = target.line_count() - 1;
    if target.line(last).is_empty() { last.saturating_sub(1) } else { last }
}

fn insert_after(target: &Target<'_>, line: usize, added: &str) -> Result<Found, Reason> {
    let region = target.line_start(line)..target.line_start(line + 1);
    let old = &target.text()[region.clone()];
    let new = if old.ends_with('\n') {
        format!("{old}{added}")
    } else {
        format!("{old}\n{}", added.strip_suffix('\n').unwrap_or(added))
    };
    let place = Place { region: region.clone(), line, level: Level::Exact };
    let splices = target.carry(&place, old, &new).map_err(|uncertain| match uncertain {
        Uncertain::Spelling { character } => Reason::Spelling { character },
        Uncertain::Unshiftable { .. } | Uncertain::Indistinct => Reason::NoContext,
        Uncertain::TooLarge(too_large) => Reason::TooLarge(too_large),
        Uncertain::Stopped => Reason::Stopped,
    })?;
    Ok(found(line, splices, region.end..region.end))
}

fn found(line: usize, splices: Vec<Splice>, region: std::ops::Range<usize>) -> Found {
    let report = HunkReport { hunk: 0, line: line + 1, offset: 0, level: Level::Exact, fuzz: 0 };
    Found { region, splices, report }
}
