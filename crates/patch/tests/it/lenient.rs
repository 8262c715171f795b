//! Slips of models that leave no doubt about what is meant.

use super::{diff, parsed, patched};

const TEXT: &str = "one\ntwo\n\nthree\nfour\n";
const AFTER: &str = "one\n2\n\nthree\nfour\n";

#[track_caller]
fn means(patch: &str) {
    assert_eq!(patched(patch, TEXT).text.as_deref(), Some(AFTER), "{patch}");
}

#[test]
fn counts_may_be_wrong_or_missing() {
    for head in [
        "@@ -1,4 +1,4 @@",
        "@@ -1,9 +1,9 @@",
        "@@ -1,2 +1,2 @@",
        "@@ -1 +1 @@",
        "@@ -1,4 +1,7 @@",
        "@@",
        "@@ @@",
        "@@ ... @@",
        "@@ -1,4 @@",
        "@@ -1,4 +1,4",
        "@@ -x,y +x,y @@",
        "@@ -1,4 +1,4 @@ some function",
    ] {
        means(&diff(&format!("{head}\n one\n-two\n+2\n \n three\n")));
    }
}

#[test]
fn a_wrong_count_is_reported() {
    let miscounted =
        |head: &str| parsed(&diff(&format!("{head}\n one\n-two\n+2\n"))).files[0].hunks[0].miscounted;
    assert!(!miscounted("@@ -1,2 +1,2 @@") && !miscounted("@@"));
    assert!(miscounted("@@ -1,3 +1,2 @@") && miscounted("@@ -1 +1 @@"));
}

#[test]
fn a_blank_context_line_may_lack_its_space() {
    means(&diff("@@ -1,4 +1,4 @@\n one\n-two\n+2\n\n three\n"));
    means(&diff("@@\n one\n-two\n+2\n\n three\n"));
    means(&diff("@@ -1,3 +1,3 @@\n one\n-two\n+2\n\n"));
    means(&diff("@@ -1,2 +1,2 @@\n one\n-two\n+2\n\n three\n"));
    // It is no context where the hunk is over.
    means(&diff("@@ -1,2 +1,2 @@\n one\n-two\n+2\n\nThat was it.\n"));
    means(&diff("@@\n one\n-two\n+2\n\n\n"));
}

#[test]
fn prose_and_fences_around_it_are_passed_over() {
    let patch = diff("@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    means(&format!("Here is the change:\n\n```diff\n{patch}```\n\nIt makes *two* a 2.\n"));
    means(&format!("~~~\n{patch}~~~\n"));
    means(&format!("```diff\n{}```\n", diff("@@\n one\n-two\n+2\n")));
    means(&format!("{patch}\nDone.\n"));
    means(&format!("Index: f\n===================================================================\n{patch}"));
}

#[test]
fn hunks_may_be_apart_from_each_other() {
    let patch = diff("@@ -1,2 +1,2 @@\n one\n-two\n+2\n\n\n@@ -4,2 +4,2 @@\n three\n-four\n+4\n");
    assert_eq!(patched(&patch, TEXT).text.as_deref(), Some("one\n2\n\nthree\n4\n"));
}

#[test]
fn a_lost_ending_of_the_patch_says_nothing() {
    means(diff("@@ -1,2 +1,2 @@\n one\n-two\n+2\n").trim_end());
}

#[test]
fn a_patch_that_travelled_with_crlf() {
    let patch = diff("@@ -1,2 +1,2 @@\n one\n-two\n+2\n").replace('\n', "\r\n");
    means(&patch);
    let created = "--- /dev/null\r\n+++ b/n\r\n@@ -0,0 +1 @@\r\n+a\r\n";
    assert_eq!(parsed(created).files[0].hunks[0].new_text(), "a\n");
    let created = "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\r\n";
    assert_eq!(parsed(created).files[0].hunks[0].new_text(), "a\r\n");
}
