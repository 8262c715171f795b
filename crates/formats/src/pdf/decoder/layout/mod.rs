//! From glyphs that stand anywhere, in any order, to text as it is read.
//!
//! 1. Glyphs are sorted by the direction in which they are written, and turned so that it is to the right; what most
//!    are written in comes first. So a page that lies on its side reads like any other.
//! 2. Glyphs that follow each other become runs, and runs on one height lines ([`lines`]).
//! 3. Lines that stand side by side are taken apart into columns, unless they are rows of a table ([`columns`]).
//! 4. Each line becomes words: by its spaces, and by its gaps where the spaces are not drawn ([`words`]); what runs from
//!    right to left is turned around ([`bidi`]).

mod bidi;
mod columns;
mod lines;
mod words;

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::content::Glyph;
use super::{Error, go_on};
use crate::Stop;
use lines::Line;

/// A glyph in a direction of its own: written to the right, upright.
#[derive(Clone, Debug)]
struct Placed {
    text: Rc<str>,
    left: f64,
    right: f64,
    /// The height on which it stands. Upwards is more.
    base: f64,
    size: f64,
    filled_in: bool,
}

impl Placed {
    fn middle(&self) -> f64 {
        f64::midpoint(self.left, self.right)
    }
}

/// The text of a page, in lines.
pub(super) fn text(glyphs: Vec<Glyph>, stop: &dyn Stop) -> Result<String, Error> {
    let mut text = String::new();
    for (_, placed) in by_direction(glyphs) {
        go_on(stop)?;
        let placed = without_shadows(placed);
        let lines = lines::lines(&placed, stop)?;
        let lines = columns::arrange(lines, &placed, stop)?;
        if !text.is_empty() {
            text.push('\n');
        }
        push_lines(&mut text, &lines, &placed);
    }
    Ok(text)
}

/// The glyphs of each direction, turned, in the order in which they are drawn; the most frequent direction first.
fn by_direction(glyphs: Vec<Glyph>) -> Vec<(i16, Vec<Placed>)> {
    let mut directions = BTreeMap::<i16, Vec<Placed>>::new();
    let mut last = 0;
    for glyph in glyphs {
        let step = glyph.end - glyph.start;
        // What takes no room, an accent for one, goes with what stands before it.
        let degrees = if step.hypot() > glyph.size * 1e-3 { whole_degrees(step.atan2()) } else { last };
        last = degrees;
        let (sine, cosine) = f64::from(degrees).to_radians().sin_cos();
        let turned = |point: hayro_font::kurbo::Point| {
            (point.x * cosine + point.y * sine, point.y * cosine - point.x * sine)
        };
        let ((left, base), (right, _)) = (turned(glyph.start), turned(glyph.end));
        let Glyph { text, size, filled_in, .. } = glyph;
        let (left, right) = (left.min(right), left.max(right));
        directions.entry(degrees).or_default().push(Placed { text, left, right, base, size, filled_in });
    }
    let mut directions: Vec<_> = directions.into_iter().collect();
    directions.sort_by_key(|(_, glyphs)| std::cmp::Reverse(glyphs.len()));
    directions
}

/// The direction, exact for what is level or upright and to five degrees for all else: words that are set along a curve
/// stay whole.
#[expect(clippy::cast_possible_truncation, reason = "an angle has few degrees")]
fn whole_degrees(radians: f64) -> i16 {
    let degrees = radians.to_degrees();
    let quarter = (degrees / 90.0).round() * 90.0;
    let degrees = if (degrees - quarter).abs() < 3.0 { quarter } else { (degrees / 5.0).round() * 5.0 };
    (degrees as i16).rem_euclid(360)
}

/// Text is made bold or given a shadow by drawing it again a little aside: the second one goes.
fn without_shadows(glyphs: Vec<Placed>) -> Vec<Placed> {
    /// So many cells on a side are looked up at once.
    const BLOCK: i64 = 4;
    let mut seen = HashMap::<_, Vec<(i64, i64)>, foldhash::fast::RandomState>::default();
    let mut kept = Vec::with_capacity(glyphs.len());
    for glyph in glyphs {
        // Places are compared in tenths of the size, so only those of one size.
        let (cell, size) = (glyph.size * 0.1, cells(glyph.size, 0.01));
        let (column, row) = (cells(glyph.left, cell), cells(glyph.base, cell));
        let near = |at: i64| [at.saturating_sub(1), at.saturating_add(1)].map(|at| at.div_euclid(BLOCK));
        let block = |x: i64, y: i64| (Rc::clone(&glyph.text), size, x, y);
        let beside = |(x, y): &(i64, i64)| x.abs_diff(column) <= 1 && y.abs_diff(row) <= 1;
        let ([left, right], [low, high]) = (near(column), near(row));
        let is_shadow = (left..=right).any(|x| {
            (low..=high).any(|y| seen.get(&block(x, y)).is_some_and(|places| places.iter().any(beside)))
        });
        if !is_shadow {
            let home = block(column.div_euclid(BLOCK), row.div_euclid(BLOCK));
            seen.entry(home).or_default().push((column, row));
        }
        if !is_shadow || glyph.text.as_ref() == " " {
            kept.push(glyph);
        }
    }
    kept
}

#[expect(clippy::cast_possible_truncation, reason = "a page has few cells")]
fn cells(place: f64, cell: f64) -> i64 {
    (place / cell).round() as i64
}

fn push_lines(text: &mut String, lines: &[Line], glyphs: &[Placed]) {
    let mut above: Option<&Line> = None;
    for line in lines {
        let words = words::text(line, glyphs);
        let words = words.trim_end();
        if words.is_empty() {
            continue;
        }
        // A gap between paragraphs, or the top of the next column.
        let step = above.map(|above| above.base - line.base);
        if step.is_some_and(|step| step > 1.9 * line.size || step < -line.size) {
            text.push('\n');
        }
        text.push_str(words);
        text.push('\n');
        above = Some(line);
    }
}
