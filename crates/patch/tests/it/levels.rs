//! Hunks are matched with the levels of an edit, and what they do not change keeps the text's spelling.

use toolcrib_edit::{Level, Matching};
use toolcrib_patch::Options;

use super::{diff, patched, plan_with, unpatched, update};

#[track_caller]
fn check(level: Level, text: &str, hunk: &str, expected: &str) {
    for patch in [diff(&format!("@@ -1,9 +1,9 @@\n{hunk}")), update(&format!("@@\n{hunk}"))] {
        let planned = patched(&patch, text);
        assert_eq!(planned.text.as_deref(), Some(expected), "{patch}");
        assert_eq!(planned.hunks[0].level, level, "{patch}");
        let exact = Options { matching: Matching::Exact, ..Options::default() };
        assert_eq!(plan_with(&patch, &[("f", text)], exact).is_ok(), level == Level::Exact);
    }
}

#[test]
fn every_level_up_to_typography() {
    check(Level::Exact, "a\nb\nc\n", " a\n-b\n+x\n c\n", "a\nx\nc\n");
    check(Level::LineEndings, "a\r\nb\r\nc\r\n", " a\n-b\n+x\n+y\n c\n", "a\r\nx\r\ny\r\nc\r\n");
    check(Level::LineEndings, "a\nb\nc\n", " a\r\n-b\n+x\n c\n", "a\nx\nc\n");
    check(Level::TrailingWhitespace, "a  \nb\nc\t\n", " a\n-b\n+x\n c\n", "a  \nx\nc\t\n");
    check(
        Level::Indentation,
        "\tif a {\n\t\tb();\n\t}\n",
        " if a {\n-    b();\n+    c();\n+    d();\n }\n",
        "\tif a {\n\t\tc();\n\t\td();\n\t}\n",
    );
    check(Level::FinalNewline, "a\nb", " a\n-b\n+x\n", "a\nx");
    check(Level::Typography, "say “a”\nb – c\n", " say \"a\"\n-b - c\n+b - d\n", "say “a”\nb – d\n");
    check(
        Level::Typography,
        "  say “a”  \r\n  b()\r\n",
        " say \"a\"\n-b()\n+c()\n",
        "  say “a”  \r\n  c()\r\n",
    );
}

#[test]
fn a_newline_that_the_patch_denies_stays() {
    let patch =
        diff("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+x\n\\ No newline at end of file\n");
    let planned = patched(&patch, "a\nb\n");
    assert_eq!((planned.text.as_deref(), planned.hunks[0].level), (Some("a\nx\n"), Level::FinalNewline));
    // It denies that anything follows, too.
    assert!(unpatched(&patch, "a\nb\nc\n").contains("not found"));
}

#[test]
fn to_the_letter_line_endings_are_those_of_the_patch() {
    let patch = diff("@@ -1,2 +1,3 @@\n a\n-b\n+b\r\n+c\r\n");
    assert_eq!(patched(&patch, "a\nb\n").text.as_deref(), Some("a\nb\r\nc\r\n"));
}

#[test]
fn nothing_looser() {
    for (text, hunk) in [
        ("a\nb  c\n", " a\n-b c\n+x\n"),
        ("a\nB\n", " a\n-b\n+x\n"),
        ("  a\n    b\n", " a\n-b\n+x\n"),
        ("a\n\nb\n", " a\n-b\n+x\n"),
        // Only what the level overlooks would change.
        ("a\nb\n", " a\n-b  \n+b\n"),
        ("1\ta\n", "-1\ta \n+2\tb\n c\n"),
        ("f(\"a\")\nb\n", " f(\\\"a\\\")\n-b\n+c\n"),
    ] {
        unpatched(&diff(&format!("@@ -1,2 +1,2 @@\n{hunk}")), text);
        unpatched(&update(&format!("@@\n{hunk}")), text);
    }
}

/// The hunk says which of two equal lines is new, and so which of them keeps its trailing blanks.
#[test]
fn a_line_inserted_beside_one_that_says_the_same() {
    let hunk = "@@ -1,3 +1,5 @@\n a\n+x\n+y\n x\n z\n";
    assert_eq!(patched(&diff(hunk), "a \nx  \nz\n").text.as_deref(), Some("a \nx\ny\nx  \nz\n"));
    let hunk = "@@ -1,3 +1,5 @@\n a\n x\n+y\n+x\n z\n";
    assert_eq!(patched(&diff(hunk), "a \nx  \nz\n").text.as_deref(), Some("a \nx  \ny\nx\nz\n"));
}

/// A line that is taken away and brought back elsewhere moves, with its own spelling; the lines around it stay.
#[test]
fn a_line_that_moves_keeps_its_spelling() {
    let hunk = "@@ -1,3 +1,3 @@\n-say \"x\"\n a\n b\n+say \"x\"\n";
    assert_eq!(patched(&diff(hunk), "say “x”  \na \nb\n").text.as_deref(), Some("a \nb\nsay “x”  \n"));
}
