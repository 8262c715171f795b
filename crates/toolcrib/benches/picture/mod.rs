//! Ratios as a picture: a bar for each, and a line where both take the same time.

use std::fmt::Write as _;

const ROW: usize = 47;
const LEFT: usize = 300;
const UNIT: f64 = 260.0;
/// What is longer is cut, and its number says how long it is.
const MOST: f64 = 2.2;

/// One question: what our process and our server take as a part of the other's time, and what they may.
pub(crate) struct Bars {
    pub(crate) name: String,
    /// The other's time, in seconds.
    pub(crate) theirs: f64,
    pub(crate) process: f64,
    /// The server without an index.
    pub(crate) inside: f64,
    pub(crate) most: f64,
    /// The server while it makes an index.
    pub(crate) made: Option<f64>,
    /// The server with an index; none on a tree that is not worth one.
    pub(crate) warm: Option<f64>,
    pub(crate) warm_most: f64,
}

/// A ratio with as many digits as tell something.
pub(crate) fn shown(ratio: f64) -> String {
    if ratio < 0.1 { format!("{ratio:.4}") } else { format!("{ratio:.2}") }
}

/// Draws for each question what our process and our server take, without an index and with one.
pub(crate) fn draw(bars: &[Bars]) -> String {
    let height = 70 + bars.len() * ROW;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"960\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" fill=\"#2a6f97\">toolcrib as a process</text>\n\
         <text x=\"{}\" y=\"22\" fill=\"#e07a5f\">a running server, no index</text>\n\
         <text x=\"{}\" y=\"22\" fill=\"#5a8f4e\">a running server, warm</text>\n\
         <text x=\"{}\" y=\"44\" text-anchor=\"middle\" fill=\"#666\">1.0 = rg or fd</text>\n",
        LEFT + 180,
        LEFT + 380,
        LEFT + UNIT as usize
    );
    for (row, bar) in bars.iter().enumerate() {
        let top = 54 + row * ROW;
        let name = bar.name.replace('&', "&amp;").replace('<', "&lt;");
        _ = writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>", LEFT - 10, top + 16);
        let parts =
            [(0, Some(bar.process), "#2a6f97"), (13, Some(bar.inside), "#e07a5f"), (26, bar.warm, "#5a8f4e")];
        for (offset, ratio, colour) in parts {
            let Some(ratio) = ratio else { continue };
            let width = ratio.min(MOST) * UNIT;
            let (y, end) = (top + offset, LEFT as f64 + width + 4.0);
            _ = writeln!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{y}\" width=\"{width:.0}\" height=\"11\" fill=\"{colour}\"/>\
                 <text x=\"{end:.0}\" y=\"{}\" font-size=\"11\" fill=\"#333\">{}</text>",
                y + 10,
                shown(ratio)
            );
        }
    }
    let x = LEFT + UNIT as usize;
    _ = writeln!(
        svg,
        "<line x1=\"{x}\" y1=\"50\" x2=\"{x}\" y2=\"{}\" stroke=\"#999\" stroke-dasharray=\"4\"/>",
        height - 10
    );
    svg + "</svg>\n"
}
