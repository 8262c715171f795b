//! With an index the same places are found as without.

use proptest::prelude::*;
use toolcrib_edit::{Level, Scope, Target};

use crate::cases;

/// Lines that differ in what may be overlooked, and in what may not.
fn line() -> impl Strategy<Value = String> {
    let indent = proptest::sample::select(vec!["", "", " ", "    ", "\t", "\u{a0}"]);
    let said =
        proptest::sample::select(vec!["a", "a", "b", "", "}", "\"q\"", "“q”", "x – y", "x - y", "a\r"]);
    let trail = proptest::sample::select(vec!["", "", "", " ", "\t"]);
    let ending = proptest::sample::select(vec!["\n", "\n", "\n", "\r\n"]);
    (indent, said, trail, ending)
        .prop_map(|(indent, said, trail, ending)| [indent, said, trail, ending].concat())
}

fn lines(most: usize) -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(line(), 0..most)
}

/// Lines as they stand in the text, or others.
fn wanted(text: Vec<String>) -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    let count = text.len();
    let taken = (0..=count, 0..5_usize).prop_map({
        let text = text.clone();
        move |(from, height)| text[from..(from + height).min(count)].to_vec()
    });
    let old = prop_oneof![2 => taken, 1 => lines(4)];
    (Just(text), old, any::<bool>()).prop_map(|(text, mut old, open)| {
        // The last line may have lost its ending.
        if open && let Some(last) = old.last_mut() {
            last.truncate(last.trim_end_matches('\n').len());
        }
        (text, old)
    })
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn the_places_are_the_same(
        (text, old) in lines(30).prop_flat_map(wanted),
        other in lines(5),
        end in proptest::sample::select(vec!["", "", "a", "  "]),
    ) {
        let text = text.concat() + end;
        let target = Target::new(&text);
        let index = target.index(old.iter().chain(&other).map(String::as_str)).unwrap();
        let (old, other) = (old.concat(), other.concat());
        for old in [old, other] {
            for loosest in [Level::Exact, Level::LineEndings, Level::Indentation, Level::Typography] {
                let expected = target.find(&old, Scope::Lines, loosest).unwrap();
                prop_assert_eq!(target.find_lines(&index, &old, loosest).unwrap(), expected, "{:?}", old);
            }
        }
    }
}

#[test]
fn a_line_that_is_not_in_the_index_is_found_all_the_same() {
    let target = Target::new("a\nb\nc\n");
    let index = target.index(["a\n"]).unwrap();
    let found = target.find_lines(&index, "b\nc\n", Level::Typography).unwrap();
    assert_eq!(found.places.iter().map(|place| place.line).collect::<Vec<_>>(), [1]);
}
