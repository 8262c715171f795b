//! The text that every match of a pattern has in it.
//!
//! Finding a text is many times faster than running a regular expression. So where each match must hold one, lines that have
//! it are found first and only these are tried. The engine behind the patterns does the same where it can; it is better at
//! texts at the start of a pattern, and sometimes takes a single character for a good one.

use regex_syntax::hir::{Hir, HirKind};

/// A text shorter than this is found too often to be of use.
const SHORTEST: usize = 3;

/// The longest text that must be in every match, unless the pattern begins with one.
pub(crate) fn required(hir: &Hir) -> Option<Vec<u8>> {
    if leading(hir).is_some_and(|text| text.len() >= SHORTEST) {
        return None;
    }
    longest(hir).filter(|text| text.len() >= SHORTEST).map(<[u8]>::to_vec)
}

fn longest(hir: &Hir) -> Option<&[u8]> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(&literal.0),
        HirKind::Capture(capture) => longest(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => longest(&repetition.sub),
        // Of equally long ones the last, which is what the engine makes the least of.
        HirKind::Concat(parts) => parts.iter().filter_map(longest).max_by_key(|text| text.len()),
        _ => None,
    }
}

fn leading(hir: &Hir) -> Option<&[u8]> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(&literal.0),
        HirKind::Capture(capture) => leading(&capture.sub),
        HirKind::Concat(parts) => {
            parts.iter().find(|part| !matches!(part.kind(), HirKind::Look(_))).and_then(leading)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, text: Option<&str>) {
        let hir = regex_syntax::parse(pattern).unwrap();
        assert_eq!(required(&hir).as_deref(), text.map(str::as_bytes), "{pattern}");
    }

    #[test]
    fn the_longest_text_that_every_match_has() {
        check(r"\w+\s+=\s+kmalloc", Some("kmalloc"));
        check(r"(\w+)::(new)_from", Some("_from"));
        check(r"[ab](?:foobar)+x", Some("foobar"));
        check(r"\d+(?P<n>thing)?end", Some("end"));
    }

    #[test]
    fn where_there_is_none_or_the_engine_does_better() {
        check("literal", None);
        check(r"prefix\w+longer_suffix", None);
        check(r"^static \w+longer_suffix", None);
        check(r"\w+ab", None);
        check(r"\w+(foo|bar)", None);
        check(r"\w+(?:foobar)*", None);
        check(r"(?i)\w+foobar", None);
    }
}
