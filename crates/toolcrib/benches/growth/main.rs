//! How every tool and command grows: one size after the other is doubled, and the exponents of time and memory are fitted.
//!
//! Time is what processors worked, in the program and in the kernel, the least of several processes; memory is the peak of such a
//! process. So a busy machine changes little. A row fails if its time grows faster than size to the power of 1.15, or if its memory
//! grows although its answer does not.
//!
//! Run it with `cargo xtask bench growth`. `--full` goes to the largest sizes, `--only WORD` measures the rows whose names or grounds
//! contain a word, `--docs` draws the curves and writes the table into `docs`. It ends with status 1 if a row fails.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark makes its own files and shows a table"
)]

mod grounds;
mod picture;
mod place;
mod point;
mod result;
mod row;
mod table;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use grounds::GROUNDS;
use place::Place;
use point::Cost;
use result::Measured;
use row::{Ground, Row};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A point is measured so often at most, and until processors have worked so long for it, in seconds.
const ROUNDS: usize = 5;
const ENOUGH: f64 = 1.5;
/// What seems to grow too fast is measured once more.
const ATTEMPTS: usize = 2;

#[derive(Default)]
struct Options {
    full: bool,
    only: Option<String>,
    docs: bool,
}

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "child") {
        point::run(&arguments[1..])?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::parse(arguments)?;
    let mut measured = Vec::new();
    for ground in GROUNDS {
        let rows: Vec<&Row> = ground.rows.iter().filter(|row| options.wants(ground, row)).collect();
        if !rows.is_empty() {
            measured.extend(on_ground(ground, rows, options.full)?);
        }
    }
    if options.docs {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
        std::fs::write(docs.join("growth.svg"), picture::draw(&measured))?;
        table::put_into(&docs.join("performance.md"), &measured)?;
    }
    let failed: Vec<&Measured> = measured.iter().filter(|one| one.verdict().is_failure()).collect();
    println!("\n{} rows, of which {} fail", measured.len(), failed.len());
    failed.iter().for_each(|one| println!("  {one}"));
    Ok(if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// All rows of a ground; what seems to grow too fast is measured once more, and the least counts.
fn on_ground<'r>(ground: &'r Ground, rows: Vec<&'r Row>, full: bool) -> Result<Vec<Measured<'r>>> {
    println!("\n{}", ground.what);
    let mut all: Vec<Measured> = rows.into_iter().map(|row| Measured::new(ground, row)).collect();
    for attempt in 1..=ATTEMPTS {
        let mut wanted: Vec<&mut Measured> = all
            .iter_mut()
            .filter(|one| attempt == 1 || one.broken.is_none() && one.verdict().is_failure())
            .collect();
        if !wanted.is_empty() {
            once(ground, &mut wanted, full)?;
        }
    }
    all.iter().for_each(|one| println!("  {one}"));
    Ok(all)
}

fn once(ground: &Ground, rows: &mut [&mut Measured], full: bool) -> Result<()> {
    let folder = toolcrib_testkit::quick_dir();
    let folder = folder.path().canonicalize()?;
    Place::new(&folder)?;
    let mut from = 0;
    for size in ground.sizes.all(full) {
        point::grow(ground, &folder, from, size)?;
        from = size;
        for row in rows.iter_mut().filter(|one| size <= one.row.limit && one.broken.is_none()) {
            match cheapest(ground, row.row, &folder, size) {
                Ok(cost) => row.add(size, cost),
                Err(error) => row.broken = Some(error.to_string()),
            }
        }
    }
    Ok(())
}

/// The least time of several processes, and the most memory.
fn cheapest(ground: &Ground, row: &Row, folder: &Path, size: usize) -> Result<Cost> {
    let mut least = Cost { time: f64::INFINITY, memory: 0.0 };
    let mut worked = 0.0;
    for _ in 0..ROUNDS {
        let cost = point::measure(ground, row, folder, size)?;
        worked += cost.time;
        least = Cost { time: least.time.min(cost.time), memory: least.memory.max(cost.memory) };
        if worked > ENOUGH {
            break;
        }
    }
    Ok(least)
}

impl Options {
    fn parse(arguments: Vec<String>) -> Result<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--full" => options.full = true,
                "--only" => options.only = arguments.next(),
                "--docs" => options.docs = true,
                // What cargo adds.
                "--bench" => {}
                other => return Err(format!("what is {other}?").into()),
            }
        }
        Ok(options)
    }

    fn wants(&self, ground: &Ground, row: &Row) -> bool {
        self.only
            .as_ref()
            .is_none_or(|word| row.name.contains(word.as_str()) || ground.what.contains(word.as_str()))
    }
}
