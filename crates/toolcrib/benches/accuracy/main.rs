//! How often the right change is made, by slip: edits from real git histories, called exactly and with the slips that models
//! make, as Edit, as a unified diff and as an envelope.
//!
//! Beside Toolcrib stand `git apply`, GNU patch, and every MCP server for which an adapter file is given. A call is *right*
//! if the file then holds exactly what was meant (or nothing changed, where it cannot be known what is meant), *refused* if
//! nothing changed, and *wrong* otherwise: only the disk counts.
//!
//! Run it with `cargo xtask bench accuracy -- [REPOSITORY…] [--edits N] [--dialects] [--adapter FILE]`. Without a repository it
//! takes the project's own. It ends with status 1 if Toolcrib misses an aim, in any dialect that takes part.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark makes its own files and shows a table"
)]

mod contestants;
mod history;
mod mcp;
mod options;
mod score;
mod slips;

use std::error::Error;
use std::fs;
use std::process::ExitCode;

use contestants::{Contestant, GitApply, GnuPatch, InProcess, Program};
use mcp::Adapted;
use options::Options;
use score::{Outcome, Scores};
use slips::{Case, Expected, Form, SLIPS};
use toolcrib::Dialect;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The name of the file that is changed.
const FILE: &str = "file.txt";
/// So many of Toolcrib's faults are shown.
const SHOWN: usize = 20;

fn main() -> Result<ExitCode> {
    let options = Options::read(std::env::args().skip(1))?;
    let samples = history::samples(&options.repositories, options.edits)?;
    println!("{} edits from {}", samples.len(), options.repositories.join(", "));

    let folder = toolcrib_testkit::quick_dir();
    let root = folder.path().canonicalize()?;
    let mut contestants: Vec<Box<dyn Contestant>> = Vec::new();
    for dialect in
        Dialect::ALL.into_iter().filter(|dialect| options.dialects || *dialect == Dialect::Standard)
    {
        contestants.push(Box::new(InProcess::open(&root, dialect)?));
    }
    let own = contestants.len();
    contestants.push(Box::new(GitApply));
    contestants.push(Box::new(GnuPatch));
    for path in &options.programs {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        contestants.push(Box::new(Program { name, path: path.clone() }));
    }
    for adapter in &options.adapters {
        contestants.push(Box::new(Adapted::start(adapter, &root)?));
    }
    let names: Vec<String> = contestants.iter().map(|contestant| contestant.name()).collect();
    let mut scores = Scores::new(names, own);
    let mut faults = 0;
    for sample in &samples {
        for slip in SLIPS {
            let Some(case) = (slip.make)(sample) else { continue };
            for form in slip.forms.iter().copied().filter(|form| case.fits(*form)) {
                for (index, contestant) in contestants.iter_mut().enumerate() {
                    if !contestant.takes(form) {
                        continue;
                    }
                    let (outcome, found) = judge(contestant.as_mut(), &root, form, &case)?;
                    scores.count(form, slip, index, outcome);
                    if index < own
                        && (outcome == Outcome::Wrong || options.refusals && outcome == Outcome::Refused)
                    {
                        faults += 1;
                        if faults <= SHOWN {
                            show(sample, slip.name, form, &case, outcome, &found);
                        }
                    }
                }
            }
        }
    }
    print!("{}", if options.dialects { scores.summary() } else { scores.table() });
    Ok(if scores.meets_the_aims() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What one call leaves on the disk, held against what was meant.
fn judge(
    contestant: &mut dyn Contestant,
    root: &std::path::Path,
    form: Form,
    case: &Case,
) -> Result<(Outcome, Vec<u8>)> {
    let file = root.join(FILE);
    fs::write(&file, &case.file)?;
    contestant.call(root, form, case)?;
    let found = fs::read(&file).unwrap_or_default();
    let outcome = match &case.expected {
        Expected::Becomes(text) if *text == found => Outcome::Right,
        Expected::Refused if case.file == found => Outcome::Right,
        _ if case.file == found => Outcome::Refused,
        _ => Outcome::Wrong,
    };
    Ok((outcome, found))
}

fn show(sample: &history::Sample, slip: &str, form: Form, case: &Case, outcome: Outcome, found: &[u8]) {
    println!("\n{outcome:?}: {slip} as {form:?}, {} at {}", sample.path, sample.commit);
    println!("{}", case.call(form));
    if outcome == Outcome::Wrong {
        let lossy = String::from_utf8_lossy;
        let expected = match &case.expected {
            Expected::Becomes(bytes) => lossy(bytes),
            Expected::Refused => lossy(&case.file),
        };
        let found = lossy(found);
        let differing = expected.lines().zip(found.lines()).enumerate().filter(|(_, (a, b))| a != b);
        for (line, (expected, found)) in differing.take(5) {
            println!("  line {}: expected {expected:?}\n    but found {found:?}", line + 1);
        }
    }
}
