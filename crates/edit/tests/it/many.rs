//! Several edits one after the other.

use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;
use toolcrib_edit::{AppliedAll, Bounds, Edit, Error, Level, Matching, apply_all, changed_lines};

#[test]
fn each_edit_sees_those_before_it() {
    let edits = [Edit::new("one", "two"), Edit::new("two two", "three"), Edit::new("x", "y").everywhere()];
    let all = apply_all("one two x x\n", &edits, Matching::Tolerant).unwrap();
    assert_eq!(all.text, "three y y\n");
    assert_eq!(all.steps.iter().map(|step| step.replacements).collect::<Vec<_>>(), [1, 1, 2]);
    assert!(all.steps.iter().all(|step| step.level == Level::Exact));
}

#[test]
fn the_failing_edit_is_named() {
    let edits = [Edit::new("a", "b"), Edit::new("zz", "c"), Edit::new("b", "d")];
    let failed = apply_all("a\n", &edits, Matching::Tolerant).unwrap_err();
    assert!(failed.to_string().starts_with("edit 2 of 3: the old text was not found"), "{failed}");
    assert!(matches!(failed.error, Error::NotFound(_)));
}

#[test]
fn changes_lead_from_the_first_text_to_the_last() {
    let edits = [Edit::new("b", "bbb"), Edit::new("bb\n", ""), Edit::new("e\n", "f\ng\n")];
    let all = apply_all("a\nb\nc\nd\ne\n", &edits, Matching::Tolerant).unwrap();
    assert_eq!(all.text, "a\nbc\nd\nf\ng\n");
    let spans: Vec<_> = all.changes.iter().map(|change| (change.old.clone(), change.new.clone())).collect();
    assert_eq!(spans, [(3..4, 3..3), (8..9, 7..10)]);
    let lines: Vec<_> = changed_lines(&all.changes).iter().map(|lines| (lines.first, lines.last)).collect();
    assert_eq!(lines, [(2, 2), (4, 5)]);
}

#[test]
fn changed_lines_next_to_each_other_are_one_range() {
    let edits = [Edit::new("b", "x"), Edit::new("c", "y"), Edit::new("e", "z")];
    let all = apply_all("a\nb\nc\nd\ne\n", &edits, Matching::Tolerant).unwrap();
    let lines: Vec<_> = changed_lines(&all.changes).iter().map(|lines| (lines.first, lines.last)).collect();
    assert_eq!(lines, [(2, 3), (5, 5)]);
}

#[test]
fn no_edits_change_nothing() {
    assert_eq!(apply_all("a", &[], Matching::Tolerant).unwrap().text, "a");
}

/// One edit after the other, without a look at those that follow.
fn one_by_one<'t>(text: &'t str, edits: &[Edit]) -> Result<AppliedAll<'t>, (usize, Error)> {
    let mut all = AppliedAll::before(text);
    for (index, edit) in edits.iter().enumerate() {
        all.then(edit, Matching::Tolerant, Bounds::none()).map_err(|error| (index, error))?;
    }
    Ok(all)
}

fn numbered(count: usize) -> String {
    (0..count).map(|number| format!("line {number} of many\n")).collect()
}

#[track_caller]
fn assert_same(text: &str, edits: &[Edit]) {
    let mut all = AppliedAll::before(text);
    let at_once = all.then_all(edits, Matching::Tolerant, Bounds::none()).map(|()| all);
    assert_eq!(at_once, one_by_one(text, edits));
}

#[test]
fn many_edits_at_once_are_those_one_after_the_other() {
    let text = numbered(100);
    let each: Vec<Edit> =
        (0..40).map(|n| Edit::new(format!("line {} of", 2 * n + 10), format!("row {n} of"))).collect();
    assert_same(&text, &each);
    let with = |at: usize, edit: Edit| {
        let mut edits = each.clone();
        edits.insert(at, edit);
        edits
    };
    // What an edit before has written, what it has made ambiguous, what it has removed, and what is only nearly there.
    assert_same(&text, &with(35, Edit::new("row 3 of many", "x")));
    assert_same(&text, &with(20, Edit::new("line 51 of many", "line 70 of many")));
    assert_same(&text, &with(20, Edit::new("line 51 of many\nline 52 of many\nline 53", "y")));
    assert_same(&text, &with(0, Edit::new("line 49 of many\n", "")));
    assert_same(&text, &with(30, Edit::new("line  11 of", "z")));
    assert_same(&text, &with(30, Edit::new("many\nline 11 of many\nline 12", "z")));
    assert_same(&text, &with(30, Edit::new("nowhere", "z")));
    assert_same(&text, &with(5, Edit::new("line 1", "row 1").everywhere()));
    assert_same(&text, &with(30, Edit::new("line 99 of many\n", "line 99 of many\nline 88 of")));
}

#[test]
fn many_edits_of_a_large_text_look_through_it_once() {
    let text = numbered(40_000);
    let edits: Vec<Edit> =
        (0..4000).map(|n| Edit::new(format!("line {} of", 10_000 + 3 * n), format!("row {n} of"))).collect();
    // Work is counted by how often it asks whether to go on; the time does not matter.
    let asked = AtomicUsize::new(0);
    let stop = || {
        asked.fetch_add(1, Ordering::Relaxed);
        false
    };
    let mut all = AppliedAll::before(&text);
    let bounds = Bounds { stop: &stop, ..Bounds::none() };
    all.then_all(&edits, Matching::Tolerant, bounds).unwrap();
    assert_eq!(all.steps.len(), edits.len());
    assert!(asked.load(Ordering::Relaxed) < 100, "asked {asked:?} times");
}

proptest! {
    /// Small words, so that what is written meets what is looked for.
    #[test]
    fn edits_at_once_never_differ_from_edits_one_by_one(
        words in vec("[ab]{1,3}", 20..120),
        edits in vec(("[ab]{1,3}", "[ab]{0,4}"), 16..40),
        lines in 1..4_usize,
    ) {
        let word = |(index, word): (usize, &String)| {
            format!("{index}:{word}{}", if index % lines == 0 { "\n\n" } else { " " })
        };
        let text: String = words.iter().enumerate().map(word).collect();
        let edit = |(index, (old, new)): (usize, &(String, String))| {
            Edit::new(format!("{}:{old}", (index * 7) % words.len()), new.clone())
        };
        let edits: Vec<Edit> = edits.iter().enumerate().map(edit).collect();
        assert_same(&text, &edits);
    }
}
