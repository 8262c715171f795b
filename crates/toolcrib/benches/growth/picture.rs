//! The curves: a panel for each ground, in which both axes are logarithmic.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::result::{Measured, Verdict, time};
use crate::table::amount;

const WIDTH: f64 = 480.0;
const LEFT: f64 = 58.0;
const PLOT: (f64, f64) = (400.0, 170.0);
const TITLE: f64 = 26.0;
const LEGEND: f64 = 13.0;
const COLUMNS: usize = 2;
const COLOURS: [&str; 10] = [
    "#2a6f97", "#e07a5f", "#5a8f4e", "#8e5ea2", "#c9a227", "#3caea3", "#b5446e", "#6b705c", "#1d3557",
    "#f28482",
];

/// Draws all that was measured.
pub(crate) fn draw(measured: &[Measured]) -> String {
    let mut grounds: Vec<(&str, Vec<&Measured>)> = Vec::new();
    for one in measured {
        match grounds.last_mut().filter(|(what, _)| *what == one.ground.what) {
            Some((_, rows)) => rows.push(one),
            None => grounds.push((one.ground.what, vec![one])),
        }
    }
    let mut bottoms = [34.0; COLUMNS];
    let mut panels = String::new();
    for (what, rows) in &grounds {
        let column = usize::from(bottoms[1] < bottoms[0]);
        let (x, y) = (column as f64 * WIDTH, bottoms[column]);
        _ = writeln!(panels, "<g transform=\"translate({x:.0} {y:.0})\">{}</g>", panel(what, rows));
        bottoms[column] += TITLE + PLOT.1 + 30.0 + LEGEND * rows.len() as f64;
    }
    let (width, height) = (WIDTH * COLUMNS as f64, bottoms[0].max(bottoms[1]) + 10.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"20\" fill=\"#666\">Processor time by size, both logarithmic. Grey lines grow in proportion to \
         the size, dotted ones with its square. The numbers are the exponents.</text>\n{panels}</svg>\n"
    )
}

/// Where a size and a time are in a panel.
struct Scale {
    sizes: (f64, f64),
    times: (f64, f64),
}

impl Scale {
    fn new(rows: &[&Measured]) -> Self {
        let all: Vec<(f64, f64)> = rows.iter().flat_map(|row| row.times().points().to_vec()).collect();
        let range = |of: fn(&(f64, f64)) -> f64| {
            let values = || all.iter().map(of);
            (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max))
        };
        let (least, most) = range(|point| point.1);
        let whole = |value: f64, round: fn(f64) -> f64| 10_f64.powf(round(value.max(1e-7).log10()));
        Self { sizes: range(|point| point.0), times: (whole(least, f64::floor), whole(most, f64::ceil)) }
    }

    fn at(&self, (size, time): (f64, f64)) -> (f64, f64) {
        let part =
            |value: f64, (least, most): (f64, f64)| (value / least).ln() / (most / least).ln().max(1e-9);
        (LEFT + PLOT.0 * part(size, self.sizes), TITLE + PLOT.1 * (1.0 - part(time, self.times)))
    }
}

fn panel(what: &str, rows: &[&Measured]) -> String {
    let scale = Scale::new(rows);
    let mut svg =
        format!("<text x=\"{LEFT}\" y=\"16\" font-size=\"13\" font-weight=\"bold\">{}</text>", escaped(what));
    svg.push_str(&axes(&scale, rows));
    for (row, colour) in rows.iter().zip(COLOURS.iter().cycle()) {
        let points: Vec<String> = row
            .times()
            .points()
            .iter()
            .map(|point| scale.at(*point))
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let dashes =
            if matches!(row.verdict(), Verdict::TooQuick) { " stroke-dasharray=\"3 2\"" } else { "" };
        let points = points.join(" ");
        _ = write!(
            svg,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"{dashes}/>"
        );
    }
    for (index, (row, colour)) in rows.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let y = TITLE + PLOT.1 + 30.0 + LEGEND * index as f64;
        let exponent = match row.verdict() {
            Verdict::Fine(power) | Verdict::TooSlow(power) => format!("{:.2}", power.exponent),
            Verdict::Broken => "broken".to_owned(),
            Verdict::TooLarge => "memory grows".to_owned(),
            Verdict::TooQuick => "too quick to matter".to_owned(),
        };
        let (name, least) = (escaped(row.row.name), time(row.largest().1.time));
        _ = write!(
            svg,
            "<rect x=\"{LEFT}\" y=\"{:.0}\" width=\"10\" height=\"3\" fill=\"{colour}\"/>\
             <text x=\"{:.0}\" y=\"{y:.0}\">{name}: {exponent} <tspan fill=\"#888\">({least})</tspan></text>",
            y - 5.0,
            LEFT + 15.0
        );
    }
    svg
}

/// The frame with its numbers, and the lines that are proportional to the size and to its square.
fn axes(scale: &Scale, rows: &[&Measured]) -> String {
    let mut svg = format!(
        "<clipPath id=\"plot\"><rect x=\"{LEFT}\" y=\"{TITLE}\" width=\"{}\" height=\"{}\"/></clipPath>\
         <rect x=\"{LEFT}\" y=\"{TITLE}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#bbb\"/>",
        PLOT.0, PLOT.1, PLOT.0, PLOT.1
    );
    let (first, last) = scale.sizes;
    let mut tick = scale.times.0;
    while tick <= scale.times.1 * 1.01 {
        let (_, y) = scale.at((first, tick));
        _ = write!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\" fill=\"#666\">{}</text>",
            LEFT - 4.0,
            y + 4.0,
            time(tick)
        );
        for (power, dashes) in [(1.0, ""), (2.0, " stroke-dasharray=\"1 3\"")] {
            let (from, to) = (scale.at((first, tick)), scale.at((last, tick * (last / first).powf(power))));
            _ = write!(
                svg,
                "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#ddd\" clip-path=\"url(#plot)\"{dashes}/>",
                from.0, from.1, to.0, to.1
            );
        }
        tick *= 10.0;
    }
    for size in sizes(rows) {
        let (x, _) = scale.at((size as f64, scale.times.0));
        let y = TITLE + PLOT.1 + 14.0;
        _ = write!(
            svg,
            "<text x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"middle\" fill=\"#666\">{}</text>",
            amount(size)
        );
    }
    svg
}

/// Every second size.
fn sizes(rows: &[&Measured]) -> Vec<usize> {
    let all: BTreeMap<usize, ()> = rows
        .iter()
        .flat_map(|row| row.times().points().to_vec())
        .map(|(size, _)| (size as usize, ()))
        .collect();
    let mut all: Vec<usize> = all.into_keys().rev().step_by(2).collect();
    all.reverse();
    all
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
