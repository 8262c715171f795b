//! What a patch makes of all its files together.

use toolcrib_patch::{Action, Options, Planned, Problem};

use super::{plan, plan_with};

fn summary(planned: &[Planned]) -> Vec<(Action, &str, Option<&str>, Option<&str>)> {
    planned
        .iter()
        .map(|file| (file.action, &*file.path, file.from.as_deref(), file.text.as_deref()))
        .collect()
}

fn problems(patch: &str, files: &[(&str, &str)]) -> Vec<(String, Problem)> {
    let refused = plan(patch, files).unwrap_err();
    refused.failures.into_iter().map(|failure| (failure.path, failure.problem)).collect()
}

const ADD: &str = "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+new\n";
const DELETE: &str = "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
const RENAME: &str = "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n";

#[test]
fn files_are_added_deleted_moved_and_copied() {
    assert_eq!(summary(&plan(ADD, &[]).unwrap()), [(Action::Add, "n", None, Some("new\n"))]);
    let deleted = plan(DELETE, &[("f", "a\n")]).unwrap();
    assert_eq!(summary(&deleted), [(Action::Delete, "f", None, None)]);
    assert!(deleted[0].hunks.len() == 1 && deleted[0].hunks[0].is_exact());
    assert_eq!(
        summary(&plan(RENAME, &[("f", "a\r\nb")]).unwrap()),
        [(Action::Move, "g", Some("f"), Some("a\r\nb"))]
    );
    let copy = "diff --git a/f b/g\ncopy from f\ncopy to g\n--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(summary(&plan(copy, &[("f", "a\n")]).unwrap()), [(Action::Copy, "g", Some("f"), Some("b\n"))]);
}

#[test]
fn a_file_is_not_created_onto_another() {
    assert_eq!(problems(ADD, &[("n", "old\n")]), [("n".to_owned(), Problem::Exists)]);
    assert_eq!(problems(RENAME, &[("f", "a\n"), ("g", "b\n")]), [("g".to_owned(), Problem::Exists)]);
    let overwrite = Options { overwrite: true, ..Options::default() };
    assert_eq!(plan_with(ADD, &[("n", "old\n")], overwrite).unwrap()[0].text.as_deref(), Some("new\n"));
    assert!(plan_with(RENAME, &[("f", "a\n"), ("g", "b\n")], overwrite).is_ok());
    // It is there, and is what it shall be.
    assert!(plan(ADD, &[("n", "new\n")]).unwrap()[0].already_applied);
}

#[test]
fn a_file_must_be_there_to_change() {
    assert_eq!(problems(DELETE, &[]), [("f".to_owned(), Problem::Missing)]);
    assert_eq!(problems(RENAME, &[]), [("f".to_owned(), Problem::Missing)]);
    assert_eq!(
        problems("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n", &[]),
        [("f".to_owned(), Problem::Missing)]
    );
}

#[test]
fn a_deletion_removes_what_it_says_and_no_more() {
    assert_eq!(problems(DELETE, &[("f", "a\nb\n")]), [("f".to_owned(), Problem::Leftover)]);
    assert!(matches!(&problems(DELETE, &[("f", "b\n")])[..], [(_, Problem::Hunks(_))]));
    let bare = "diff --git a/f b/f\ndeleted file mode 100644\n";
    assert_eq!(plan(bare, &[("f", "a\n")]).unwrap()[0].text, None);
}

#[test]
fn two_files_change_places() {
    let swap =
        "diff --git a/f b/g\nrename from f\nrename to g\ndiff --git a/g b/f\nrename from g\nrename to f\n";
    let planned = plan(swap, &[("f", "1\n"), ("g", "2\n")]).unwrap();
    assert_eq!(
        summary(&planned),
        [(Action::Move, "g", Some("f"), Some("1\n")), (Action::Move, "f", Some("g"), Some("2\n"))]
    );
}

#[test]
fn a_copy_is_made_of_the_file_as_it_was() {
    let copy = "diff --git a/f b/g\ncopy from f\ncopy to g\n";
    let update = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n";
    for patch in [format!("{copy}{update}"), format!("{update}{copy}")] {
        let mut planned = plan(&patch, &[("f", "a\n")]).unwrap();
        planned.sort_by(|a, b| a.path.cmp(&b.path));
        let texts: Vec<_> = planned.iter().map(|file| file.text.as_deref()).collect();
        assert_eq!(texts, [Some("b\n"), Some("a\n")]);
    }
}

#[test]
fn two_updates_of_one_file_follow_each_other() {
    let twice = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-b\n+c\n";
    assert_eq!(plan(twice, &[("f", "a\n")]).unwrap()[1].text.as_deref(), Some("c\n"));
    let replaced = format!("{DELETE}--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+new\n");
    assert_eq!(plan(&replaced, &[("f", "a\n")]).unwrap()[1].text.as_deref(), Some("new\n"));
}

#[test]
fn two_names_mean_the_file_that_is_there() {
    let patch = "--- a/old\n+++ b/new\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(
        summary(&plan(patch, &[("old", "a\n")]).unwrap()),
        [(Action::Move, "new", Some("old"), Some("b\n"))]
    );
    assert_eq!(
        summary(&plan(patch, &[("new", "a\n")]).unwrap()),
        [(Action::Update, "new", None, Some("b\n"))]
    );
    assert_eq!(
        summary(&plan(patch, &[("new", "a\n"), ("old", "a\n")]).unwrap()),
        [(Action::Update, "new", None, Some("b\n"))]
    );
}

#[test]
fn all_files_that_fail_are_named() {
    let patch = format!("{ADD}{DELETE}--- a/h\n+++ b/h\n@@ -1 +1 @@\n-a\n+b\n");
    let refused = plan(&patch, &[("n", "x"), ("f", "a\nb\n"), ("h", "zzz\n")]).unwrap_err();
    insta::assert_snapshot!(refused, @r"
    n: the file already exists
    f: the patch deletes it, but it has lines that the patch does not remove
    h: hunk 1: its lines were not found:
      -a
    ");
}

#[test]
fn the_files_to_read_are_known_before() {
    let patch = format!("{RENAME}{ADD}");
    assert_eq!(super::parsed(&patch).sources(), ["f", "g", "n"]);
}
