//! Two changes of one text put together, where they do not touch.
//!
//! Line by line, on bytes. It is strict: two changes that meet, or have no line between them that both left alone, are
//! not merged. A merge that is wrong is worse than one that is left to a person.

use std::ops::Range;

use gix_imara_diff::sources::byte_lines;
use gix_imara_diff::{Algorithm, Diff, InternedInput};

/// What `base` becomes if both changes are made to it; none where they touch, or where it is no text.
pub(crate) fn merge(base: &[u8], one: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    if [base, one, other].iter().any(|content| content.contains(&0)) {
        return None;
    }
    let lines: Vec<&[u8]> = base.split_inclusive(|byte| *byte == b'\n').collect();
    let (ones, others) = (changes(base, one), changes(base, other));
    let touch = |a: &Piece<'_>, b: &Piece<'_>| a.lines.start <= b.lines.end && b.lines.start <= a.lines.end;
    if ones.iter().any(|a| others.iter().any(|b| touch(a, b))) {
        return None;
    }
    let mut pieces: Vec<_> = ones.into_iter().chain(others).collect();
    pieces.sort_by_key(|piece| piece.lines.start);
    let mut merged = Vec::with_capacity(one.len().max(other.len()));
    let mut at = 0;
    for piece in pieces {
        lines.get(at..piece.lines.start)?.iter().for_each(|line| merged.extend_from_slice(line));
        merged.extend_from_slice(piece.new);
        at = piece.lines.end;
    }
    lines.get(at..)?.iter().for_each(|line| merged.extend_from_slice(line));
    Some(merged)
}

/// Lines of the base that something else takes the place of.
struct Piece<'a> {
    lines: Range<usize>,
    new: &'a [u8],
}

fn changes<'a>(base: &[u8], changed: &'a [u8]) -> Vec<Piece<'a>> {
    let input = InternedInput::new(byte_lines(base), byte_lines(changed));
    let diff = Diff::compute(Algorithm::Myers, &input);
    let mut starts = vec![0];
    starts.extend(changed.split_inclusive(|byte| *byte == b'\n').scan(0, |at, line| {
        *at += line.len();
        Some(*at)
    }));
    let position = |line: u32| starts.get(line as usize).copied().unwrap_or(changed.len());
    let piece = |hunk: gix_imara_diff::Hunk| Piece {
        lines: hunk.before.start as usize..hunk.before.end as usize,
        new: &changed[position(hunk.after.start)..position(hunk.after.end)],
    };
    diff.hunks().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::merge;

    fn merged(base: &str, one: &str, other: &str) -> Option<String> {
        merge(base.as_bytes(), one.as_bytes(), other.as_bytes())
            .map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn changes_that_stand_apart_are_both_made() {
        assert_eq!(merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n").as_deref(), Some("A\nb\nC\n"));
        assert_eq!(merged("a\nb\nc\n", "a\nb\nc\nd\n", "b\nc\n").as_deref(), Some("b\nc\nd\n"));
        assert_eq!(merged("a\nb\nc", "A\nb\nc", "a\nb\nC").as_deref(), Some("A\nb\nC"));
        assert_eq!(
            merged("a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n").as_deref(),
            Some("A\r\nb\r\nC\r\n")
        );
    }

    #[test]
    fn changes_that_meet_are_not_merged() {
        for (base, one, other) in [
            ("a\nb\n", "A\nb\n", "X\nb\n"),
            ("a\nb\n", "A\nb\n", "a\nB\n"),
            ("a\n", "a\nx\n", "a\ny\n"),
            ("a\nb\nc\n", "", "a\nB\nc\n"),
            ("", "x\n", "y\n"),
        ] {
            assert_eq!(merged(base, one, other), None, "{base:?} {one:?} {other:?}");
        }
    }

    #[test]
    fn what_is_no_text_is_not_merged() {
        assert_eq!(merge(b"a\0\nb\nc\n", b"A\0\nb\nc\n", b"a\0\nb\nC\n"), None);
    }

    fn text() -> impl Strategy<Value = String> {
        "([a-c]\n){0,12}([a-c])?"
    }

    proptest! {
        #[test]
        fn one_change_alone_is_itself(base in text(), one in text()) {
            prop_assert_eq!(merged(&base, &one, &base), Some(one.clone()));
            prop_assert_eq!(merged(&base, &base, &one), Some(one));
        }

        #[test]
        fn it_does_not_matter_which_comes_first(base in text(), one in text(), other in text()) {
            prop_assert_eq!(merged(&base, &one, &other), merged(&base, &other, &one));
        }
    }
}
