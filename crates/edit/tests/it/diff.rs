//! Unified diffs: exact for programs, bounded and harmless to look at for people.

use toolcrib_edit::{Diff, Limit, Names};

fn shown(old: &str, new: &str) -> String {
    Diff::between(old, new).shown(Names::of("f"), Limit::default()).text
}

#[test]
fn a_diff_has_headers_context_and_the_section_above() {
    let old = "fn a() {\n    1\n    2\n    3\n    4\n    5\n}\n";
    let new = old.replace("5", "6");
    insta::assert_snapshot!(Diff::between(old, &new).to_patch(Names::of("src/a.rs")), @r"
    --- a/src/a.rs
    +++ b/src/a.rs
    @@ -3,5 +3,5 @@ fn a() {
         2
         3
         4
    -    5
    +    6
     }
    ");
}

/// Each hunk has the name of the section that it is in, which may be that of the hunk before, or stand between them.
#[test]
fn every_hunk_has_its_own_section() {
    let body = |from: usize| (from..from + 20).map(|n| format!("    {n}\n")).collect::<String>();
    let functions = format!("fn a() {{\n{}fn b() {{\n{}fn c() {{\n{}", body(0), body(20), body(40));
    // What is far above is not compared.
    for above in [0, 300] {
        let old = "    above\n".repeat(above) + &functions;
        let new = ["    18\n", "    22\n", "    35\n", "    55\n"]
            .iter()
            .fold(old.clone(), |text, line| text.replace(line, "    changed\n"));
        let diff = Diff::between(&old, &new);
        let sections: Vec<_> =
            diff.hunks.iter().map(|hunk| (hunk.old.start - above, hunk.section.unwrap())).collect();
        assert_eq!(sections, [(16, "fn a() {\n"), (34, "fn b() {\n"), (55, "fn c() {\n")]);
        assert_eq!(diff.apply(&old), Some(new));
    }
}

#[test]
fn sides_that_do_not_exist_are_dev_null() {
    let created = Diff::between("", "a\n").to_patch(Names::created("n"));
    assert_eq!(created, "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n");
    let deleted = Diff::between("a\nb", "").to_patch(Names::deleted("n"));
    assert_eq!(deleted, "--- a/n\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n\\ No newline at end of file\n");
}

#[test]
fn a_missing_final_newline_is_said_on_its_side() {
    assert_eq!(
        shown("a\nb", "a\nb\n"),
        "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
    );
    assert_eq!(
        shown("a\nb", "c\nb"),
        "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n"
    );
}

#[test]
fn equal_texts_have_no_diff() {
    assert_eq!(shown("a", "a"), "");
    assert!(Diff::between("", "").is_empty());
}

#[test]
fn odd_paths_are_quoted() {
    let patch = Diff::between("", "a\n").to_patch(Names { old: Some("a b"), new: Some("t\ta\"\\\u{1b}é") });
    assert!(patch.starts_with("--- a/a b\n+++ \"b/t\\ta\\\"\\\\\\033é\"\n"), "{patch}");
}

#[test]
fn what_a_terminal_acts_upon_is_made_visible_and_the_exact_text_kept() {
    let (old, new) = ("a\n", "a\u{1b}[31m\u{7}\u{202e}b\tc\u{9b}\n");
    let diff = Diff::between(old, new);
    let shown = diff.shown(Names::of("f"), Limit::default()).text;
    assert!(shown.ends_with("+a<U+001B>[31m<U+0007><U+202E>b\tc<U+009B>\n"), "{shown}");
    assert!(diff.to_patch(Names::of("f")).contains(new));
    assert_eq!(diff.apply(old).as_deref(), Some(new));
}

#[test]
fn cr_is_shown_where_it_is_not_everywhere() {
    assert!(shown("a\r\n", "b\r\n").ends_with("-a\n+b\n"));
    assert!(shown("a\r\n", "a\n").ends_with("-a␍\n+a\n"));
    assert!(shown("a\r\n", "a\r").ends_with("-a\n+a␍\n\\ No newline at end of file\n"));
    assert!(shown("a\rb\n", "c\n").contains("-a<U+000D>b\n"));
}

#[test]
fn hidden_characters_in_changed_lines_are_listed() {
    let diff = Diff::between(
        "x\u{200b}\nsame\u{202e}\n",
        "x\ny\u{2066}\u{a0}\nsame\u{202e}\nok ❤\u{fe0f} 漢\u{3000}\n",
    );
    let hidden: Vec<_> =
        diff.hidden().iter().map(|hidden| (hidden.character, hidden.line, hidden.added)).collect();
    assert_eq!(hidden, [('\u{200b}', 1, false), ('\u{2066}', 2, true), ('\u{a0}', 2, true)]);
    assert_eq!(Diff::between("", &"\u{200b}\n".repeat(1000)).hidden().len(), 50);
}

#[test]
fn a_diff_is_bounded_and_says_what_it_left_out() {
    let new: String = (0..5000).map(|line| format!("line {line}\n")).collect();
    let diff = Diff::between("", &new);
    let few = diff.shown(Names::of("f"), Limit { lines: 10, ..Limit::default() });
    assert_eq!(few.left_out, 4990);
    assert!(
        few.text
            .ends_with("+line 9\n… 4990 more lines of the diff are left out: read the file to see them\n"),
        "{}",
        few.text
    );
    let small = diff.shown(Names::of("f"), Limit { bytes: 1000, lines: usize::MAX, ..Limit::default() });
    assert!(small.text.len() < 1100 && small.left_out > 4000);
    // Whole hunks are left out too.
    let lines = |first: &str, last: &str| format!("{first}\n{}{last}\n", "same\n".repeat(20));
    let two = lines("a", "b");
    let two = Diff::between(&two, &lines("A", "B"))
        .shown(Names::of("f"), Limit { lines: 3, ..Limit::default() })
        .left_out;
    assert_eq!(two, 2 + 5);
    let long = Diff::between("", &"é".repeat(10_000)).shown(Names::of("f"), Limit::default());
    assert!(long.text.contains("… (9500 more characters)"));
    assert_eq!(long.left_out, 0);
}

#[test]
fn changes_whose_context_meets_are_one_hunk() {
    let text =
        |first: &str, between: usize, last: &str| format!("{first}\n{}{last}\n", "same\n".repeat(between));
    let hunks = |between: usize| {
        let (old, new) = (text("a", between, "b"), text("A", between, "B"));
        Diff::between(&old, &new).hunks.len()
    };
    assert_eq!([5, 6, 7].map(hunks), [1, 1, 2]);
}

#[test]
fn a_small_change_in_a_long_text() {
    let line = |number: usize| {
        if number.is_multiple_of(700) {
            format!("fn f{number}() {{\n")
        } else {
            format!("    line {number}\n")
        }
    };
    let old: String = (0..3000).map(line).collect();
    let new = old.replace("    line 1500\n", "    changed\n    added\n").replace("    line 1502\n", "");
    let diff = Diff::between(&old, &new);
    insta::assert_snapshot!(diff.to_patch(Names::of("f")), @r"
    --- a/f
    +++ b/f
    @@ -1498,9 +1498,9 @@ fn f1400() {
         line 1497
         line 1498
         line 1499
    -    line 1500
    +    changed
    +    added
         line 1501
    -    line 1502
         line 1503
         line 1504
         line 1505
    ");
    assert_eq!(diff.apply(&old).as_deref(), Some(&*new));
    assert_eq!(diff.inverted().apply(&new).as_deref(), Some(&*old));
}

#[test]
fn long_texts_that_differ_only_in_length() {
    let text = |count: usize| "same line\n".repeat(count);
    for (old, new) in [(0, 5000), (5000, 0), (5000, 4999), (1000, 3000)] {
        let (old, new) = (text(old), text(new));
        let diff = Diff::between(&old, &new);
        assert_eq!(diff.apply(&old).as_deref(), Some(&*new));
        assert_eq!(diff.added() + diff.removed(), old.len().abs_diff(new.len()) / 10);
    }
}

#[test]
fn counts() {
    let diff = Diff::between("a\nb\nc\n", "a\nx\ny\nc\n");
    assert_eq!((diff.added(), diff.removed()), (2, 1));
}

#[test]
fn a_block_that_moved_is_not_a_rewrite() {
    let block = |name: &str| (0..200).map(|line| format!("{name} {line}\n")).collect::<String>();
    let (a, b) = (block("a"), block("b"));
    let diff = Diff::between(&format!("{a}{b}"), &format!("{b}{a}")).added();
    assert_eq!(diff, 200);
}

#[test]
fn a_diff_applies_only_to_its_text() {
    let diff = Diff::between("a\nb\n", "a\nc\n");
    assert_eq!(diff.apply("a\nb"), None);
    assert_eq!(diff.apply("x\nb\n"), None);
    assert_eq!(diff.apply(""), None);
}
