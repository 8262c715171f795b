//! The crate from outside: one file for each promise.

#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests arrange the disk by its ordinary means, fail by panicking and print their figures"
)]

mod blocks;
mod bounds;
mod envelope;
mod fuzz;
mod lenient;
mod levels;
mod oracle;
mod placing;
mod plans;
mod properties;
mod refused;
mod slips;
mod texts;
mod tree;
mod unified;
mod v4a;

use toolcrib_patch::{Options, Patch, Planned, Refused, parse};

#[track_caller]
fn parsed(patch: &str) -> Patch {
    parse(patch).unwrap_or_else(|error| panic!("{error}\n{patch}"))
}

/// The plan for files that are given as pairs of path and text.
#[track_caller]
fn plan_with(patch: &str, files: &[(&str, &str)], options: Options) -> Result<Vec<Planned>, Refused> {
    parsed(patch).plan(options, |path| files.iter().find(|file| file.0 == path).map(|file| file.1))
}

#[track_caller]
fn plan(patch: &str, files: &[(&str, &str)]) -> Result<Vec<Planned>, Refused> {
    plan_with(patch, files, Options::default())
}

/// What the patch makes of the text of `f`.
#[track_caller]
fn patched(patch: &str, text: &str) -> Planned {
    let mut planned = plan(patch, &[("f", text)]).unwrap_or_else(|refused| panic!("{refused}\n{patch}"));
    planned.remove(0)
}

/// Why the patch cannot be applied to the text of `f`.
#[track_caller]
fn unpatched(patch: &str, text: &str) -> String {
    match plan(patch, &[("f", text)]) {
        Err(refused) => refused.to_string(),
        Ok(planned) => panic!("applied: {:?}", planned[0].text),
    }
}

/// A diff of `f` with these hunks.
fn diff(hunks: &str) -> String {
    format!("--- a/f\n+++ b/f\n{hunks}")
}

/// An envelope that updates `f` with these chunks.
fn update(chunks: &str) -> String {
    format!("*** Begin Patch\n*** Update File: f\n{chunks}*** End Patch\n")
}
