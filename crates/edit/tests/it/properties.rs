//! What holds for any text and any edit.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use toolcrib_edit::{Diff, Edit, Error, Matching, apply_all};

use super::{assert_rebuilds, cases};

/// Lines that are easily taken for each other.
const LINES: [&str; 22] = [
    "",
    "",
    " ",
    "\t",
    "a",
    "b",
    "  a",
    "    b",
    "\ta",
    "\t\tb",
    "a ",
    "b\t",
    "x = 1",
    "x = 10",
    "  x = 1",
    "“a”",
    "\"a\"",
    "a - b",
    "a\u{a0}– b",
    "f(\"a\\n\")",
    "{",
    "}",
];

fn line() -> impl Strategy<Value = String> {
    select(&LINES[..]).prop_map(str::to_owned)
}

/// Lines with endings of any kind, and perhaps none at the end.
fn text() -> impl Strategy<Value = String> {
    let ending = prop_oneof![8 => Just("\n"), 3 => Just("\r\n"), 1 => Just("\r"), 1 => Just("")];
    let times = prop_oneof![9 => Just(1_usize), 1 => 2..6_usize];
    vec((prop_oneof![9 => line(), 1 => "[ a-cé漢“\\-\t]{0,6}"], ending, times), 0..12).prop_map(|lines| {
        lines.into_iter().map(|(line, ending, times)| (line + ending).repeat(times)).collect()
    })
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![4 => text(), 1 => any::<String>()]
}

/// A part of the text, from character to character or from line to line.
fn part(text: &str, from: usize, to: usize, lines: bool) -> &str {
    let inner = |c: char| !lines || c == '\n';
    let mut bounds: Vec<usize> =
        text.char_indices().filter(|(_, c)| inner(*c)).map(|(at, c)| at + c.len_utf8()).collect();
    bounds.insert(0, 0);
    let (from, to) = (bounds[from % bounds.len()], bounds[to % bounds.len()]);
    &text[from.min(to)..from.max(to)]
}

fn edit_of(text: String) -> impl Strategy<Value = (String, Edit)> {
    (Just(text), any::<usize>(), any::<usize>(), any::<bool>(), text_like(), any::<bool>()).prop_map(
        |(text, from, to, lines, new, all)| {
            let old = part(&text, from, to, lines).to_owned();
            (text, Edit { old, new, all })
        },
    )
}

fn text_like() -> impl Strategy<Value = String> {
    text()
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn a_diff_applied_gives_the_new_text_and_undone_the_old((a, b) in (any_text(), any_text())) {
        let diff = Diff::between(&a, &b);
        prop_assert_eq!(diff.apply(&a), Some(b.clone()));
        prop_assert_eq!(diff.inverted().apply(&b), Some(a.clone()));
        prop_assert_eq!(diff.is_empty(), a == b);
    }

    #[test]
    fn any_edit_changes_only_what_it_reports(
        (text, old, new, all) in (text(), text(), text(), any::<bool>())
    ) {
        let edit = Edit { old, new, all };
        if let Ok(applied) = edit.apply(&text, Matching::Tolerant) {
            assert_rebuilds(&text, &applied);
            let places = edit.find(&text, Matching::Tolerant).unwrap();
            prop_assert_eq!(places.len(), applied.replacements);
            for change in &applied.changes {
                let inside = |place: &toolcrib_edit::Place| {
                    place.region.start <= change.old.start && change.old.end <= place.region.end
                };
                prop_assert!(places.iter().any(inside), "{:?} is outside of {:?}", change, places);
            }
            let diff = Diff::between(&text, &applied.text);
            prop_assert_eq!(diff.inverted().apply(&applied.text), Some(text));
        }
    }

    #[test]
    fn a_part_of_the_text_is_found_or_ambiguous((text, edit) in text().prop_flat_map(edit_of)) {
        match edit.apply(&text, Matching::Tolerant) {
            Ok(applied) => {
                assert_rebuilds(&text, &applied);
                if !text.contains('\r') && !edit.new.contains('\r') {
                    let plain = if edit.all { text.replace(&edit.old, &edit.new) } else { text.replacen(&edit.old, &edit.new, 1) };
                    prop_assert_eq!(applied.text, plain);
                }
            }
            Err(Error::NotUnique { count, .. }) => {
                prop_assert!(count > 1 && (!edit.all || text.contains("\r\n")));
            }
            Err(Error::EmptyOld) => prop_assert!(edit.old.is_empty()),
            Err(Error::Same) => prop_assert_eq!(edit.old, edit.new),
            // Half of a CRLF cannot be found, nor be all that changes. What is found instead may not fit.
            Err(Error::NotFound(_) | Error::Unshiftable { .. }) => prop_assert!(text.contains("\r\n"), "{:?} in {:?}", edit, text),
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    #[test]
    fn several_edits_report_the_way_from_first_to_last(
        (text, edits) in text().prop_flat_map(|text| (vec(edit_of(text.clone()), 0..4), Just(text)))
            .prop_map(|(edits, text)| (text, edits.into_iter().map(|(_, edit)| edit).collect::<Vec<_>>()))
    ) {
        if let Ok(all) = apply_all(&text, &edits, Matching::Tolerant) {
            let mut rebuilt = String::new();
            let mut old = 0;
            for change in &all.changes {
                rebuilt.push_str(&text[old..change.old.start]);
                prop_assert_eq!(rebuilt.len(), change.new.start);
                rebuilt.push_str(&all.text[change.new.clone()]);
                old = change.old.end;
            }
            rebuilt.push_str(&text[old..]);
            prop_assert_eq!(rebuilt, all.text);
        }
    }
}
