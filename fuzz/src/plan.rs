//! The law of the index, for any pattern and any text: a text that matches is admitted by the plan.
//!
//! It is not part of the library of the other targets, which the tests of `crates/patch` build. `fuzz_targets/plan.rs` and the
//! tests of `crates/index` include it, and give it the types that it is about.

use regex::bytes::RegexBuilder;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

use super::{Grams, Plan};

/// A longer pattern would only take longer to compile.
const LONGEST: usize = 512;

/// A pattern and a text, separated by the byte FF, with and without regard to case.
pub(crate) fn plan(data: &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == 0xFF).map(String::from_utf8_lossy);
    let (Some(pattern), Some(text)) = (parts.next(), parts.next()) else {
        return;
    };
    if pattern.len() <= LONGEST {
        check(&pattern, false, &text);
        check(&pattern, true, &text);
    }
}

/// Whether the pattern matches the text. Panics if it does and the plan does not admit the text.
#[track_caller]
pub(crate) fn check(pattern: &str, any_case: bool, text: &str) -> bool {
    let mut regex = RegexBuilder::new(pattern);
    regex.multi_line(true).crlf(true).case_insensitive(any_case).nest_limit(200).size_limit(1 << 20);
    let (Some(hir), Ok(regex)) = (hir(pattern, any_case), regex.build()) else {
        return false;
    };
    // A text that has no newlines is searched with newlines for its carriage returns.
    let with_newlines = text.replace('\r', "\n");
    let matches = [text, &with_newlines].iter().any(|text| regex.is_match(text.as_bytes()));
    let plan = Plan::of(&hir);
    let mut grams = Grams::new();
    let grams = grams.of(text.as_bytes());
    let admitted = plan.admits(&mut |gram| grams.contains(&gram));
    assert!(admitted || !matches, "{pattern:?} matches {text:?}, which {plan:?} does not admit");
    matches
}

/// The pattern as a search understands it.
pub(crate) fn hir(pattern: &str, any_case: bool) -> Option<Hir> {
    let mut parser = ParserBuilder::new();
    parser.utf8(false).multi_line(true).crlf(true).case_insensitive(any_case).nest_limit(200);
    parser.build().parse(pattern).ok()
}
