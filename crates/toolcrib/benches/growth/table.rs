//! The table for `docs/performance.md`.

use std::fmt::Write as _;
use std::path::Path;

use crate::Result;
use crate::result::{Measured, Verdict, time};
use crate::row::Memory;

const BEGIN: &str = "<!-- growth -->\n";
const END: &str = "<!-- end of growth -->";

/// Puts the table between the two comments of a document.
pub(crate) fn put_into(document: &Path, measured: &[Measured]) -> Result<()> {
    let text = std::fs::read_to_string(document)?;
    let (before, rest) = text.split_once(BEGIN).ok_or("the document has no place for the table")?;
    let (_, after) = rest.split_once(END).ok_or("the place for the table does not end")?;
    Ok(std::fs::write(document, format!("{before}{BEGIN}{}{END}{after}", write(measured)))?)
}

fn write(measured: &[Measured]) -> String {
    let mut text = String::from(
        "| what grows | tool or command | from, to | exponent | R² | at the largest | each | memory at the largest |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for one in measured {
        let (least, most) = one.sizes();
        let (_, cost) = one.largest();
        let (exponent, r_squared) = match one.verdict() {
            Verdict::Fine(power) => (format!("{:.2}", power.exponent), format!("{:.3}", power.r_squared)),
            Verdict::TooSlow(power) => {
                (format!("**{:.2}**", power.exponent), format!("{:.3}", power.r_squared))
            }
            Verdict::TooLarge => ("**memory**".to_owned(), String::new()),
            Verdict::Broken => ("**broken**".to_owned(), String::new()),
            Verdict::TooQuick => ("too quick".to_owned(), String::new()),
        };
        let grows = match one.memory() {
            Some(power) if one.row.memory == Memory::Linear => format!(" ({:.2})", power.exponent),
            _ => String::new(),
        };
        _ = writeln!(
            text,
            "| {} | {} | {}, {} | {exponent} | {r_squared} | {} | {} | {:.1} MB{grows} |",
            one.ground.what,
            one.row.name,
            amount(least),
            amount(most),
            time(cost.time),
            time(cost.time / most as f64),
            cost.memory / (1 << 20) as f64,
        );
    }
    text
}

/// A size in few letters.
pub(crate) fn amount(size: usize) -> String {
    match size {
        _ if size >= 1 << 20 && size.is_power_of_two() => format!("{} Mi", size >> 20),
        _ if size >= 1 << 13 && size.is_power_of_two() => format!("{} Ki", size >> 10),
        10_000.. => format!("{:.0}k", size as f64 / 1e3),
        _ => size.to_string(),
    }
}
