//! Which place a hunk means when there are several, or none where it says.

use toolcrib_patch::{Options, Planned};

use super::{diff, patched, plan, plan_with, unpatched};

fn places(planned: &Planned) -> Vec<(usize, isize)> {
    planned.hunks.iter().map(|hunk| (hunk.line, hunk.offset)).collect()
}

#[test]
fn lines_are_searched_outwards() {
    let text = format!("{}a\nb\nc\n", "x\n".repeat(10));
    let planned = patched(&diff("@@ -3,3 +3,3 @@\n a\n-b\n+B\n c\n"), &text);
    assert_eq!(places(&planned), [(11, 8)]);
    let planned = patched(&diff("@@ -90,3 +90,3 @@\n a\n-b\n+B\n c\n"), &text);
    assert_eq!(places(&planned), [(11, -79)]);
}

#[test]
fn the_nearest_place_counts_if_others_are_far() {
    // The twins stand at lines 1 and 21.
    let text = format!("b\n{}b\n", "x\n".repeat(19));
    let line = |stated: usize| {
        let patch = diff(&format!("@@ -{stated} +{stated} @@\n-b\n+B\n"));
        plan(&patch, &[("f", &text)]).ok().map(|planned| planned[0].hunks[0].line)
    };
    assert_eq!(
        [1, 2, 4, 18, 20, 21, 24].map(line),
        [Some(1), Some(1), Some(1), Some(21), Some(21), Some(21), Some(21)]
    );
    assert_eq!([5, 8, 11, 17, 40].map(line), [None; 5]);
    let message = unpatched(&diff("@@ -11 +11 @@\n-b\n+B\n"), &text);
    assert!(message.contains("more than one place, lines: [1, 21]"), "{message}");
}

#[test]
fn of_several_places_that_are_indented_otherwise_only_the_stated_one_is_certain() {
    let text = "  b()\n2\n3\n4\n5\n    b()\n";
    assert_eq!(
        patched(&diff("@@ -6 +6 @@\n-b()\n+c()\n"), text).text.as_deref(),
        Some("  b()\n2\n3\n4\n5\n    c()\n")
    );
    assert!(
        unpatched(&diff("@@ -5 +5 @@\n-b()\n+c()\n"), text)
            .contains("lines: [1, 6] (not an exact match: indentation)")
    );
}

/// Places that overlap each other are places too: in a run of equal lines the line number tells which.
#[test]
fn a_run_of_equal_lines() {
    let text = "x\n".repeat(8);
    for line in 1..=6 {
        let patch = diff(&format!("@@ -{line},3 +{line},4 @@\n x\n x\n+new\n x\n"));
        assert_eq!(places(&patched(&patch, &text)), [(line, 0)]);
    }
}

#[test]
fn the_stated_line_is_not_outbid_by_a_stricter_fit_elsewhere() {
    let patch = diff("@@ -3 +3 @@\n-b()\n+c()\n");
    assert!(unpatched(&patch, "b()\nx\n  b()\n").ends_with("lines: [1, 3]"));
    assert!(unpatched(&patch, "b()\nx\nb()").ends_with("lines: [1, 3]"));
    let patch = diff("@@\n-b()\n+c()\n");
    assert!(unpatched(&patch, "b()\nx\nb()").ends_with("lines: [1, 3]"));
}

#[test]
fn without_a_line_number_there_must_be_one_place() {
    assert!(unpatched(&diff("@@\n-b\n+B\n"), "b\nb\n").ends_with("more than one place, lines: [1, 2]"));
    assert_eq!(
        patched(&diff("@@ fn two\n-b\n+B\n"), "fn one\n  b\nfn two\n  b\n").text.as_deref(),
        Some("fn one\n  b\nfn two\n  B\n")
    );
}

#[test]
fn a_file_that_moved_moves_all_hunks() {
    // Ten lines were added above: the first hunk shows it, and the second must not take the near twin.
    let body = "start\n1\n2\n3\nb\n5\n6\n7\nb\n9\n";
    let text = format!("{}{body}", "new\n".repeat(10));
    let patch = diff("@@ -1,2 +1,2 @@\n start\n-1\n+one\n@@ -9 +9 @@\n-b\n+B\n");
    assert!(unpatched(&patch, &text).contains("hunk 2: its lines fit in more than one place"));
    let moved = format!("new\n{body}");
    assert_eq!(places(&patched(&patch, &moved)), [(2, 1), (10, 1)]);
    // One place is where the line number says, the other where the rest of the file went.
    let twin = format!("{}b\nnew\n{body}", "new\n".repeat(8));
    assert!(unpatched(&patch, &twin).contains("hunk 2: its lines fit in more than one place"), "{twin}");
}

#[test]
fn hunks_come_in_any_order() {
    let patch = diff("@@ -5 +5 @@\n-e\n+E\n@@ -1 +1 @@\n-a\n+A\n");
    let planned = patched(&patch, "a\nb\nc\nd\ne\n");
    assert_eq!(planned.text.as_deref(), Some("A\nb\nc\nd\nE\n"));
    assert_eq!(planned.hunks.iter().map(|hunk| (hunk.hunk, hunk.line)).collect::<Vec<_>>(), [(1, 5), (2, 1)]);
}

#[test]
fn overlapping_hunks_are_refused() {
    let message = unpatched(&diff("@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -2,2 +2,2 @@\n-b\n+x\n c\n"), "a\nb\nc\n");
    assert!(message.contains("hunk 2: it overlaps hunk 1"), "{message}");
    // The same place twice.
    let message = unpatched(&diff("@@ -1 +1 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+c\n"), "a\n");
    assert!(message.contains("overlaps"), "{message}");
    // Side by side is fine.
    assert_eq!(
        patched(&diff("@@ -1 +1 @@\n-a\n+A\n@@ -2 +2 @@\n-b\n+B\n"), "a\nb\n").text.as_deref(),
        Some("A\nB\n")
    );
}

#[test]
fn context_is_dropped_only_when_asked() {
    let patch = diff("@@ -1,4 +1,4 @@\n gone\n a\n-b\n+B\n c\n");
    let text = "other\na\nb\nc\n";
    unpatched(&patch, text);
    let fuzzy = |fuzz| plan_with(&patch, &[("f", text)], Options { fuzz, ..Options::default() });
    let planned = fuzzy(1).unwrap().remove(0);
    assert_eq!(
        (planned.text.as_deref(), planned.hunks[0].fuzz, planned.hunks[0].offset),
        (Some("other\na\nB\nc\n"), 1, 0)
    );
    // There may be less of it at the other end, or none.
    for below in [" c\n", ""] {
        let patch = diff(&format!("@@ -1,4 +1,4 @@\n gone\n gone too\n-b\n+B\n{below}"));
        let options = Options { fuzz: 2, ..Options::default() };
        let planned = plan_with(&patch, &[("f", text)], options).unwrap().remove(0);
        assert_eq!((planned.text.as_deref(), planned.hunks[0].fuzz), (Some("other\na\nB\nc\n"), 2));
    }
    // Removed lines are not context.
    let removed = diff("@@ -1,2 +1,2 @@\n-gone\n-a\n+A\n b\n");
    assert!(plan_with(&removed, &[("f", text)], Options { fuzz: 9, ..Options::default() }).is_err());
    // With no context left, a pure insertion has no place.
    let inserted = diff("@@ -1,2 +1,3 @@\n gone\n+new\n gone too\n");
    assert!(plan_with(&inserted, &[("f", text)], Options { fuzz: 9, ..Options::default() }).is_err());
}

#[test]
fn a_line_number_alone_is_no_place() {
    assert!(unpatched(&diff("@@ -1,0 +2 @@\n+new\n"), "a\nb\n").contains("only adds lines"));
    assert_eq!(patched(&diff("@@ -0,0 +1 @@\n+new\n"), "").text.as_deref(), Some("new\n"));
}

#[test]
fn blank_lines_elsewhere_are_not_taken_for_those_that_are_meant() {
    let patch = |line: usize| diff(&format!("@@ -{line},2 +{line},3 @@\n \n \n+new\n"));
    assert_eq!(patched(&patch(2), "a\n\n\nb\n").text.as_deref(), Some("a\n\n\nnew\nb\n"));
    assert!(unpatched(&patch(3), "a\n\n\nb\n").contains("only blank lines"));
}

#[test]
fn what_is_applied_already_is_recognised() {
    for hunk in [
        "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
        "@@ -1,2 +1,3 @@\n a\n+B\n c\n",
        "@@ -1,4 +1,3 @@\n a\n-x\n B\n c\n",
    ] {
        let planned = patched(&diff(hunk), "a\nB\nc\n");
        assert!(planned.already_applied, "{hunk}");
        assert_eq!(planned.text.as_deref(), Some("a\nB\nc\n"));
    }
    // Old and new lines both fit here, so it may also be meant once more.
    for hunk in ["@@\n a\n+B\n", "@@\n+B\n c\n", "@@ -9,2 +9,3 @@\n a\n+B\n B\n"] {
        assert!(unpatched(&diff(hunk), "a\nB\nB\nc\n").contains("may be already applied"), "{hunk}");
    }
    // Half of it is not enough.
    let message =
        unpatched(&diff("@@ -1 +1 @@\n-a\n+A\n@@ -9 +9 @@\n-i\n+I\n"), "A\nb\nc\nd\ne\nf\ng\nh\ni\n");
    assert!(message.contains("hunk 1: it seems to be already applied, see line 1"), "{message}");
}

#[test]
fn every_hunk_that_fails_is_named() {
    let patch =
        diff("@@ -1,2 +1,2 @@\n a\n-x\n+y\n@@ -3 +3 @@\n-c\n+C\n@@ -5,2 +5,2 @@\n e()\n-nothing()\n+z()\n");
    insta::assert_snapshot!(unpatched(&patch, "a\nb\nc\nd\ne()\nsomething()\n"), @r"
    f: hunk 1: its lines were not found
    closest: lines 1-2 (· is a blank, → a tab, ! differs)
          1  a
    !     2  b
    first difference, line 2 of the old text against line 2:
      given: x
      found: b
    f: hunk 3: its lines were not found
    closest: lines 5-6 (· is a blank, → a tab, ! differs)
          5  e()
    !     6  something()
    first difference, line 2 of the old text against line 6:
      given: nothing()
      found: something()
    ");
}
