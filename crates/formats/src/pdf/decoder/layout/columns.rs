//! The order of lines that stand side by side: columns are read one after the other, the rows of a table across.
//!
//! A gutter is a strip that no line of a band crosses, with lines on both sides. Whether what stands beside it are
//! columns, is first asked of the order in which the page was drawn: the program that wrote the file drew one column,
//! then the other, but a table row by row. Where that says nothing, because the drawing is in disorder, long lines that
//! fill their side are columns.

use std::ops::Range;

use super::super::{Error, go_on};
use super::Placed;
use super::lines::{Line, Run};
use crate::Stop;

/// How often columns are looked for within columns.
const MAX_DEPTH: usize = 6;
/// How many places of each kind are tried for a gutter.
const MAX_CANDIDATES: usize = 64;
/// How many lines a column has at least.
const MIN_LINES: usize = 3;

/// The lines in the order in which they are read.
pub(super) fn arrange(lines: Vec<Line>, glyphs: &[Placed], stop: &dyn Stop) -> Result<Vec<Line>, Error> {
    let mut arranged = Vec::with_capacity(lines.len());
    arrange_into(&mut arranged, lines, glyphs, 0, stop)?;
    Ok(arranged)
}

fn arrange_into(
    arranged: &mut Vec<Line>,
    lines: Vec<Line>,
    glyphs: &[Placed],
    depth: usize,
    stop: &dyn Stop,
) -> Result<(), Error> {
    go_on(stop)?;
    let gutter = if depth < MAX_DEPTH { Gutter::find(&lines, glyphs, stop)? } else { None };
    let Some(Gutter { middle, bands }) = gutter else {
        arranged.extend(lines);
        return Ok(());
    };
    let mut lines = lines.into_iter();
    let mut at = 0;
    for Band { lines: band, order } in bands {
        let above: Vec<Line> = lines.by_ref().take(band.start - at).collect();
        arrange_into(arranged, above, glyphs, depth + 1, stop)?;
        at = band.end;
        let beside: Vec<Line> = lines.by_ref().take(band.len()).collect();
        match order {
            Order::Columns => {
                let (left, right) = split(beside, middle);
                arrange_into(arranged, left, glyphs, depth + 1, stop)?;
                arrange_into(arranged, right, glyphs, depth + 1, stop)?;
            }
            Order::Cells => arranged.extend(cells(beside, middle)),
        }
    }
    arrange_into(arranged, lines.collect(), glyphs, depth + 1, stop)
}

/// A strip between columns.
struct Gutter {
    middle: f64,
    bands: Vec<Band>,
}

/// Lines, one below the other, with a gutter between them.
struct Band {
    lines: Range<usize>,
    order: Order,
}

#[derive(Clone, Copy, PartialEq)]
enum Order {
    /// All of the left, then all of the right.
    Columns,
    /// As it was drawn: some lines of the left, then those beside them.
    Cells,
}

impl Gutter {
    /// The gutter that has the most lines beside it.
    fn find(lines: &[Line], glyphs: &[Placed], stop: &dyn Stop) -> Result<Option<Self>, Error> {
        if lines.len() < MIN_LINES {
            return Ok(None);
        }
        let mut candidates = Vec::new();
        for middle in middles(lines) {
            go_on(stop)?;
            let bands = bands(lines, middle);
            let beside: usize = bands.iter().map(|band| band.len()).sum();
            if beside > 0 {
                candidates.push((beside, middle, bands));
            }
        }
        candidates.sort_by_key(|(beside, ..)| std::cmp::Reverse(*beside));
        for (_, middle, bands) in candidates.into_iter().take(4) {
            let bands = bands.into_iter().filter_map(|band| {
                let order = order(&lines[band.clone()], middle, glyphs)?;
                Some(Band { lines: band, order })
            });
            let bands: Vec<Band> = bands.collect();
            if !bands.is_empty() {
                return Ok(Some(Self { middle, bands }));
            }
        }
        Ok(None)
    }
}

/// Where a gutter may be: right before where several lines start, and in the middle of wide gaps between the runs of a
/// line.
fn middles(lines: &[Line]) -> Vec<f64> {
    let mut edges: Vec<(f64, f64)> = Vec::new();
    let mut gaps: Vec<(f64, f64)> = Vec::new();
    for line in lines {
        let mut right = f64::NEG_INFINITY;
        for run in &line.runs {
            edges.push((run.left, run.size));
            if right.is_finite() && run.left - right > 0.8 * line.size {
                gaps.push((f64::midpoint(right, run.left), line.size));
            }
            right = right.max(run.right);
        }
    }
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let shared = edges.chunk_by(|a, b| b.0 - a.0 < 0.1 * a.1).filter(|edge| edge.len() >= MIN_LINES);
    let before: Vec<f64> =
        shared.filter_map(|edge| edge.first()).map(|(left, size)| left - 0.5 * size).collect();
    gaps.sort_by(|a, b| a.0.total_cmp(&b.0));
    gaps.dedup_by(|a, b| (a.0 - b.0).abs() < 0.5 * a.1);
    [before, gaps.into_iter().map(|(middle, _)| middle).collect()].into_iter().flat_map(evenly).collect()
}

/// Not too many: a table has one for each of its columns.
fn evenly(middles: Vec<f64>) -> impl Iterator<Item = f64> {
    let step = middles.len().div_ceil(MAX_CANDIDATES).max(1);
    middles.into_iter().step_by(step)
}

/// The bands of lines that do not cross the gutter and stand on both sides of it.
fn bands(lines: &[Line], middle: f64) -> Vec<Range<usize>> {
    let mut bands = Vec::new();
    let mut start = 0;
    for end in 0..=lines.len() {
        if end < lines.len() && !crosses(&lines[end], middle) {
            continue;
        }
        bands.extend(trimmed(lines, start..end, middle));
        start = end + 1;
    }
    bands
}

fn crosses(line: &Line, middle: f64) -> bool {
    line.runs.iter().any(|run| run.left < middle + 0.35 * run.size && run.right > middle - 0.35 * run.size)
}

/// The part of a band in which both sides have lines, with what continues one of them above and below.
fn trimmed(lines: &[Line], band: Range<usize>, middle: f64) -> Option<Range<usize>> {
    let on = |side: Side| {
        band.clone().filter(move |at| lines[*at].runs.iter().any(|run| Side::of(run, middle) == side))
    };
    let (left, right): (Vec<usize>, Vec<usize>) = (on(Side::Left).collect(), on(Side::Right).collect());
    if left.len() < MIN_LINES || right.len() < MIN_LINES {
        return None;
    }
    let (first, last) = ((*left.first()?).max(*right.first()?), (*left.last()?).min(*right.last()?));
    if first >= last {
        return None;
    }
    // Upwards and downwards as long as lines follow each other closely.
    let close = |upper: usize, lower: usize| {
        lines[upper].base - lines[lower].base < 2.2 * lines[upper].size.max(lines[lower].size)
    };
    let mut start = first;
    while start > band.start && close(start - 1, start) {
        start -= 1;
    }
    let mut end = last + 1;
    while end < band.end && close(end - 1, end) {
        end += 1;
    }
    Some(start..end)
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Side {
    Left,
    Right,
}

impl Side {
    fn of(run: &Run, middle: f64) -> Self {
        if f64::midpoint(run.left, run.right) < middle { Self::Left } else { Self::Right }
    }
}

/// How the lines beside a gutter are read; `None` if across.
fn order(lines: &[Line], middle: f64, glyphs: &[Placed]) -> Option<Order> {
    let both = lines.iter().filter(|line| {
        let left = line.runs.iter().any(|run| Side::of(run, middle) == Side::Left);
        left && line.runs.iter().any(|run| Side::of(run, middle) == Side::Right)
    });
    let rows = both.count().max(2);
    let drawn = drawn(lines, middle);
    if [Side::Left, Side::Right].into_iter().any(|side| drawn.iter().all(|(drawn, _)| *drawn != side)) {
        // One side is only what was filled in: the values of a form.
        return None;
    }
    let changes = drawn.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
    // Columns that are not beside each other line by line have no rows to be mistaken for.
    if changes <= 1 + rows / 4 {
        return Some(Order::Columns);
    }
    // How often a side goes on downwards, as text does, where it goes on at all.
    let same_side = drawn.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    let (steps, down) = same_side
        .fold((0, 0), |(steps, down), pair| (steps + 1, down + usize::from(pair[1].1 <= pair[0].1 + 0.1)));
    if changes <= rows && down * 10 >= steps * 9 {
        return Some(Order::Cells);
    }
    let in_order = down * 10 >= steps * 9 && steps > 0;
    let prose = [Side::Left, Side::Right].into_iter().all(|side| is_prose(lines, middle, side, glyphs));
    (prose && !in_order).then_some(Order::Columns)
}

/// The runs of the page as they were drawn: on which side, and how high.
fn drawn(lines: &[Line], middle: f64) -> Vec<(Side, f64)> {
    let runs = lines.iter().flat_map(|line| line.runs.iter().map(move |run| (run, line.base)));
    let mut runs: Vec<_> = runs.filter(|(run, _)| !run.filled_in).collect();
    runs.sort_by_key(|(run, _)| run.glyphs.start);
    runs.into_iter().map(|(run, base)| (Side::of(run, middle), base)).collect()
}

/// Long lines that mostly fill their side.
fn is_prose(lines: &[Line], middle: f64, side: Side, glyphs: &[Placed]) -> bool {
    let mut widths = Vec::new();
    let mut letters = 0;
    for line in lines {
        let mut runs = line.runs.iter().filter(|run| Side::of(run, middle) == side).peekable();
        let Some(first) = runs.peek().map(|run| run.left) else { continue };
        let mut right = first;
        for run in runs {
            right = right.max(run.right);
            letters += glyphs[run.glyphs.clone()].len();
        }
        widths.push(right - first);
    }
    widths.sort_by(f64::total_cmp);
    let (Some(median), Some(widest)) = (widths.get(widths.len() / 2), widths.last()) else { return false };
    letters >= 20 * widths.len() && *median >= 0.6 * widest
}

/// The lines left and right of the gutter.
fn split(lines: Vec<Line>, middle: f64) -> (Vec<Line>, Vec<Line>) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for line in lines {
        let (of_left, of_right): (Vec<Run>, Vec<Run>) =
            line.runs.into_iter().partition(|run| Side::of(run, middle) == Side::Left);
        if !of_left.is_empty() {
            left.push(Line::new(of_left, line.base));
        }
        if !of_right.is_empty() {
            right.push(Line::new(of_right, line.base));
        }
    }
    (left, right)
}

/// The lines of both sides in the order in which they were drawn, those of one side in a row from top to bottom.
fn cells(lines: Vec<Line>, middle: f64) -> Vec<Line> {
    let first = |line: &Line| line.runs.iter().map(|run| run.glyphs.start).min();
    let (left, right) = split(lines, middle);
    let mut lines: Vec<Line> = left.into_iter().chain(right).collect();
    lines.sort_by_key(first);
    lines
}
