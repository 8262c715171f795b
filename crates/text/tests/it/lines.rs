//! Ranges of lines.

use proptest::prelude::*;
use toolcrib_text::{Breaks, Charset, Collector, Line, LineEndings, LineIndex, LineRange, Lines, Newline};

use crate::any;

const ALL: LineRange =
    LineRange { first: 1, limit: usize::MAX, budget: usize::MAX, line_cost: 0, column: 0, line_length: 1000 };

fn collect(pieces: &[&[u8]], range: LineRange) -> Lines {
    collect_in(Breaks::new(Charset::UTF_8, Newline::Lf), pieces, range)
}

fn collect_in(breaks: Breaks, pieces: &[&[u8]], range: LineRange) -> Lines {
    let mut collector = Collector::new(range, breaks);
    for piece in pieces {
        if collector.push(piece).is_break() {
            break;
        }
    }
    collector.finish()
}

fn texts(lines: &Lines) -> Vec<&str> {
    lines.lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn nothing_has_no_lines() {
    let lines = collect(&[b""], ALL);
    assert_eq!((lines.lines.len(), lines.total, lines.final_newline), (0, Some(0), None));
}

#[test]
fn a_last_line_without_ending_is_a_line() {
    let lines = collect(&[b"a\nb"], ALL);
    assert_eq!((texts(&lines), lines.total, lines.final_newline), (vec!["a", "b"], Some(2), Some(false)));
    let lines = collect(&[b"a\nb\n"], ALL);
    assert_eq!((texts(&lines), lines.total, lines.final_newline), (vec!["a", "b"], Some(2), Some(true)));
}

#[test]
fn a_range_in_the_middle_stops_reading_and_does_not_know_the_total() {
    let lines = collect(&[b"1\n2\n3\n4\n"], LineRange { first: 2, limit: 2, ..ALL });
    assert_eq!((texts(&lines), lines.total, lines.bytes), (vec!["2", "3"], None, 6));
}

#[test]
fn a_range_that_ends_with_the_text_knows_the_total() {
    let lines = collect(&[b"1\n2\n3\n"], LineRange { first: 2, limit: 2, ..ALL });
    assert_eq!((texts(&lines), lines.total, lines.bytes), (vec!["2", "3"], Some(3), 6));
}

#[test]
fn a_range_past_the_end_still_counts() {
    for text in ["1\n2\n3", "1\n2\n3\n"] {
        let lines = collect(&[text.as_bytes()], LineRange { first: 9, ..ALL });
        assert_eq!((lines.lines.len(), lines.total), (0, Some(3)));
    }
}

#[test]
fn the_budget_cuts_at_a_line_but_always_gives_one() {
    let lines = collect(&[b"aaaa\nbbbb\ncc\n"], LineRange { budget: 8, ..ALL });
    assert_eq!((texts(&lines), lines.total, lines.bytes), (vec!["aaaa", "bbbb"], None, 10));
    let lines = collect(&[b"aaaa\nb\n"], LineRange { budget: 1, ..ALL });
    assert_eq!(texts(&lines), ["aaaa"]);
    let lines = collect(&[b"a\nb\nc\n"], LineRange { budget: 10, line_cost: 4, ..ALL });
    assert_eq!(texts(&lines), ["a", "b"]);
}

#[test]
fn a_long_line_is_cut_on_a_character_boundary() {
    let lines = collect(&["äöü\r\nab\r\n".as_bytes()], LineRange { line_length: 2, ..ALL });
    assert_eq!(lines.lines, [Line { text: "äö".into(), cut: true }, Line { text: "ab".into(), cut: false }]);
    let long = "x".repeat(100_000);
    let lines = collect(&[long.as_bytes()], LineRange { line_length: 3, ..ALL });
    assert_eq!(lines.lines, [Line { text: "xxx".into(), cut: true }]);
}

#[test]
fn a_line_as_long_as_allowed_is_not_cut() {
    // Each character takes as many bytes as a character can.
    let lines = collect(&["😀😀\r\n😀😀".as_bytes()], LineRange { line_length: 2, ..ALL });
    let whole = Line { text: "😀😀".into(), cut: false };
    assert_eq!(lines.lines, [whole.clone(), whole]);
}

#[test]
fn half_a_unit_at_the_end_is_shown() {
    let breaks = Breaks::new(Charset::UTF_16LE, Newline::Lf);
    let lines = collect_in(breaks, &[b"a\0\n\0b\0c"], ALL);
    assert_eq!((texts(&lines), lines.undecodable), (vec!["a", "b\u{FFFD}"], 1));
    assert_eq!((lines.bytes, lines.final_newline), (7, Some(false)));
}

#[test]
fn what_does_not_decode_is_shown_and_counted() {
    let lines = collect(&[b"a\xFFb\n\xC3\n\xEF\xBF\xBD\n"], ALL);
    assert_eq!((texts(&lines), lines.undecodable), (vec!["a\u{FFFD}b", "\u{FFFD}", "\u{FFFD}"], 2));
    let lines = collect(&[b"\xFF\nb\n"], LineRange { first: 2, ..ALL });
    assert_eq!(lines.undecodable, 0, "a line that is not shown");
}

#[test]
fn the_first_line_with_a_nul_is_told() {
    assert_eq!(collect(&[b"a\nb\0\n\0"], ALL).nul, Some(2));
    assert_eq!(collect(&[b"\0\nb\n"], LineRange { first: 2, ..ALL }).nul, None);
}

proptest! {
    #[test]
    fn the_lines_are_those_of_the_text_however_it_arrives(
        text in any::text(), charset in any::charset(), size in 1_usize..9,
        first in 1_u64..8, limit in 1_usize..6, start in 0_u64..8,
    ) {
        let text = any::within(charset, &text);
        let newline = LineEndings::of(&text).newline();
        let breaks = Breaks::new(charset, newline);
        let bytes = charset.encode(&text).unwrap();
        let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
        let found = collect_in(breaks, &pieces, LineRange { first, limit, ..ALL });

        let lines: Vec<&str> = match newline {
            Newline::Lf => text.split_terminator('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect(),
            Newline::Cr => text.split_terminator('\r').collect(),
        };
        // A carriage return at the very end belongs to no newline.
        let mut lines: Vec<String> = lines.into_iter().map(str::to_owned).collect();
        if newline == Newline::Lf && text.ends_with('\r') && let Some(last) = lines.last_mut() {
            last.push('\r');
        }
        let skip = usize::try_from(first - 1).unwrap();
        let expected: Vec<&str> = lines.iter().skip(skip).take(limit).map(String::as_str).collect();
        prop_assert_eq!(texts(&found), expected.clone());
        prop_assert_eq!(found.undecodable, 0);
        let at_end = skip + expected.len() >= lines.len();
        prop_assert_eq!(found.total, at_end.then_some(lines.len() as u64));
        if at_end && !lines.is_empty() {
            prop_assert_eq!(found.final_newline, Some(breaks.ends(&bytes)));
        }

        // From a newline in the middle on, it is the same.
        let before = start.min(first.saturating_sub(2)).min(breaks.count(&bytes));
        let from = if before == 0 { 0 } else {
            breaks.iter(&bytes).nth(usize::try_from(before).unwrap() - 1).unwrap() + breaks.width()
        };
        let mut collector = Collector::starting_after(before, LineRange { first, limit, ..ALL }, breaks);
        _ = collector.push(&bytes[from..]);
        prop_assert_eq!(collector.finish().lines, found.lines);
    }

    /// The index counts what the collector counts.
    #[test]
    fn the_index_knows_the_number_of_lines(text in any::text(), charset in any::charset()) {
        let breaks = Breaks::new(charset, Newline::Lf);
        let bytes = charset.encode(&any::within(charset, &text)).unwrap();
        let mut index = LineIndex::new(breaks);
        index.push(&bytes);
        let lines = collect_in(breaks, &[&bytes], ALL);
        prop_assert_eq!(Some(index.total()), lines.total);
        prop_assert_eq!(index.final_newline(), lines.final_newline);
        prop_assert_eq!(lines.bytes, bytes.len() as u64);
    }
}
