//! The crate from outside: one file for each promise.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking and prints its figures"
)]

mod bounds;
mod diagnosis;
mod diff;
mod hunks;
mod index;
mod levels;
mod many;
mod properties;
mod refused;
mod slips;
mod spelling;
mod texts;

use proptest::prelude::ProptestConfig;
use toolcrib_edit::{Applied, Edit, Error, Level, Matching};

/// So many cases in an ordinary run; fifty times as many in a long one.
fn cases(count: u32) -> ProptestConfig {
    let cases = if std::env::var_os("TOOLCRIB_SOAK").is_some() { 50 * count } else { count };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn apply(text: &str, old: &str, new: &str) -> Result<Applied, Error> {
    Edit::new(old, new).apply(text, Matching::Tolerant)
}

/// The edit leads to this text, at this level, and changes only what it reports.
#[track_caller]
fn check(level: Level, text: &str, old: &str, new: &str, expected: &str) {
    let applied = apply(text, old, new).unwrap_or_else(|error| panic!("{text:?}: {old:?}: {error}"));
    assert_eq!(applied.text, expected, "{text:?}: {old:?} -> {new:?}");
    assert_eq!(applied.level, level, "{text:?}: {old:?}");
    assert_rebuilds(text, &applied);
    if level > Level::Exact {
        let strict = Edit::new(old, new).apply(text, Matching::Exact);
        assert!(matches!(strict, Err(Error::NotFound(_))), "{text:?}: {old:?} is found exactly");
    }
}

/// The reported changes, made on the text before, give the text after.
#[track_caller]
fn assert_rebuilds(text: &str, applied: &Applied) {
    let mut rebuilt = String::new();
    let (mut old, mut new) = (0, 0);
    for change in &applied.changes {
        assert!(change.old.start >= old, "changes overlap or are out of order");
        assert_eq!(text[old..change.old.start], applied.text[new..change.new.start]);
        rebuilt.push_str(&text[old..change.old.start]);
        rebuilt.push_str(&applied.text[change.new.clone()]);
        (old, new) = (change.old.end, change.new.end);
    }
    rebuilt.push_str(&text[old..]);
    assert_eq!(rebuilt, applied.text);
    assert_eq!(text[old..], applied.text[new..]);
}
