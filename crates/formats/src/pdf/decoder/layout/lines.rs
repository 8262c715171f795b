//! Runs of glyphs, and lines of runs.

use std::ops::Range;

use super::super::{Error, go_on};
use super::Placed;
use crate::Stop;

/// Glyphs that are drawn one after the other and stand next to each other.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// Which glyphs. Their place in the page is also the order in which runs are drawn.
    pub(super) glyphs: Range<usize>,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) base: f64,
    pub(super) size: f64,
    /// Not drawn with the page, but over it.
    pub(super) filled_in: bool,
}

/// Runs on one height.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// From left to right.
    pub(super) runs: Vec<Run>,
    pub(super) base: f64,
    /// The size of its largest letters.
    pub(super) size: f64,
}

impl Line {
    pub(super) fn new(mut runs: Vec<Run>, base: f64) -> Self {
        runs.sort_by(|a, b| a.left.total_cmp(&b.left));
        let size = runs.iter().map(|run| run.size).fold(0.0, f64::max);
        Self { runs, base, size }
    }
}

/// The lines of a page, from top to bottom.
pub(super) fn lines(glyphs: &[Placed], stop: &dyn Stop) -> Result<Vec<Line>, Error> {
    let mut runs = runs(glyphs);
    go_on(stop)?;
    // The longest first: they say where the lines are, and a raised letter does not.
    runs.sort_by(|a, b| (b.right - b.left).total_cmp(&(a.right - a.left)));
    // From top to bottom.
    let mut lines: Vec<Line> = Vec::new();
    for (at, run) in runs.into_iter().enumerate() {
        if at.is_multiple_of(1024) {
            go_on(stop)?;
        }
        let below = lines.partition_point(|line| line.base > run.base);
        let distance = |line: &Line| (line.base - run.base).abs();
        let near = [below.checked_sub(1), Some(below)]
            .into_iter()
            .flatten()
            .filter(|at| lines.get(*at).is_some_and(|line| distance(line) <= 0.3 * run.size.min(line.size)));
        match near.min_by(|a, b| distance(&lines[*a]).total_cmp(&distance(&lines[*b]))) {
            Some(at) => lines[at].runs.push(run),
            None => lines.insert(below, Line { base: run.base, size: run.size, runs: vec![run] }),
        }
    }
    join_raised(&mut lines, stop)?;
    lines.retain(|line| !line.runs.is_empty());
    for line in &mut lines {
        *line = Line::new(std::mem::take(&mut line.runs), line.base);
    }
    Ok(lines)
}

fn runs(glyphs: &[Placed]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (at, glyph) in glyphs.iter().enumerate() {
        if let Some(run) = runs.last_mut() {
            let size = run.size.min(glyph.size);
            let gap = glyph.left - glyphs[at - 1].right;
            let level = (glyph.base - run.base).abs() <= 0.15 * size;
            let alike = glyph.size < 1.5 * run.size && run.size < 1.5 * glyph.size;
            let together = glyph.filled_in == run.filled_in;
            if level && alike && together && (-0.7 * size..=0.6 * size).contains(&gap) {
                run.glyphs.end = at + 1;
                run.left = run.left.min(glyph.left);
                run.right = run.right.max(glyph.right);
                continue;
            }
        }
        let Placed { left, right, base, size, filled_in, .. } = *glyph;
        runs.push(Run { glyphs: at..at + 1, left, right, base, size, filled_in });
    }
    runs
}

/// Puts what is raised or lowered, a footnote's number or an index, into the line it belongs to: smaller letters, right
/// beside larger ones, less than half a line away.
fn join_raised(lines: &mut [Line], stop: &dyn Stop) -> Result<(), Error> {
    for at in 0..lines.len() {
        if at.is_multiple_of(256) {
            go_on(stop)?;
        }
        let neighbours = at.saturating_sub(3)..(at + 4).min(lines.len());
        let mut kept = Vec::new();
        for run in std::mem::take(&mut lines[at].runs) {
            let home = neighbours.clone().filter(|other| *other != at).find(|other| {
                let line = &lines[*other];
                let small = run.size <= 0.85 * line.size;
                let near = (line.base - run.base).abs() <= 0.55 * line.size;
                small && near && line.runs.iter().any(|other| is_beside(&run, other, line.size))
            });
            match home {
                Some(home) => lines[home].runs.push(run),
                None => kept.push(run),
            }
        }
        lines[at].runs.append(&mut kept);
    }
    Ok(())
}

fn is_beside(small: &Run, large: &Run, size: f64) -> bool {
    let gap = (small.left - large.right).max(large.left - small.right);
    large.size > small.size && (-0.3 * size..0.4 * size).contains(&gap)
}
