//! Several edits one after the other.

use toolcrib_edit::{Edit, Error, Level, Matching, apply_all, changed_lines};

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
