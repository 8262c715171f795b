//! What unified diffs say, as git and others write them.

use toolcrib_patch::{Action, FileMode, Format, Line, Location};

use super::{diff, parsed, patched};

/// Action, path, origin and mode of each file.
fn files(patch: &str) -> Vec<(Action, String, Option<String>, Option<FileMode>)> {
    let files = parsed(patch).files.into_iter();
    files.map(|file| (file.action, file.path, file.from, file.mode)).collect()
}

#[track_caller]
fn one(patch: &str, action: Action, path: &str) {
    let found: Vec<_> = parsed(patch).files.into_iter().map(|file| (file.action, file.path)).collect();
    assert_eq!(found, [(action, path.to_owned())], "{patch}");
}

#[test]
fn many_files_in_one_patch() {
    let patch = "\
diff --git a/new.txt b/new.txt
new file mode 100755
index 0000000..257cc56
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+foo
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index 257cc56..0000000
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-foo
diff --git a/old name b/new name
similarity index 80%
rename from old name
rename to new name
index 1..2 100644
--- a/old name
+++ b/new name
@@ -1,2 +1,2 @@
 a
-b
+c
diff --git a/x b/y
similarity index 100%
copy from x
copy to y
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/empty b/empty
new file mode 100644
index 0000000..e69de29
diff --git a/void b/void
deleted file mode 100644
index e69de29..0000000
diff --git a/f b/f
--- a/f
+++ b/f
@@ -1 +1 @@
-a
+b
";
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        files(patch),
        [
            (Action::Add, "new.txt".to_owned(), None, Some(FileMode::Executable)),
            (Action::Delete, "gone.txt".to_owned(), None, None),
            (Action::Move, "new name".to_owned(), text("old name"), None),
            (Action::Copy, "y".to_owned(), text("x"), None),
            (Action::Mode, "run.sh".to_owned(), None, Some(FileMode::Executable)),
            (Action::Add, "empty".to_owned(), None, Some(FileMode::Regular)),
            (Action::Delete, "void".to_owned(), None, None),
            (Action::Update, "f".to_owned(), None, None),
        ]
    );
    assert_eq!(parsed(patch).format, Format::Unified);
}

#[test]
fn names_with_and_without_prefix_quotes_and_dates() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    for (names, path) in [
        ("--- a/d/f\n+++ b/d/f\n", "d/f"),
        ("--- d/f\n+++ d/f\n", "d/f"),
        ("--- f\n+++ f\n", "f"),
        ("--- a/f\n+++ a/f\n", "a/f"),
        ("--- a/f\t2002-02-21 23:30:39.942229878 -0800\n+++ b/f\t2002-02-21 23:30:50.442260588 -0800\n", "f"),
        ("--- \"a/t\\303\\251 \\\"x\\\"\"\n+++ \"b/t\\303\\251 \\\"x\\\"\"\n", "té \"x\""),
        ("--- a/two words\n+++ b/two words\n", "two words"),
        ("--- a/./d//f\n+++ b/./d//f\n", "d/f"),
        ("diff --git i/f w/f\n--- i/f\n+++ w/f\n", "f"),
        ("diff --git a/f b/f\nindex 1..2 100644\n\n--- a/f\n+++ b/f\n\n", "f"),
    ] {
        one(&format!("{names}{hunk}"), Action::Update, path);
    }
}

#[test]
fn files_that_do_not_exist_on_one_side() {
    one("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", Action::Add, "f");
    one("--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+a\n", Action::Add, "f");
    one("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", Action::Delete, "f");
    one(
        "--- f\t1970-01-01 00:00:00.000000000 +0000\n+++ f\t2020-01-01 00:00:00 +0000\n@@ -0,0 +1 @@\n+a\n",
        Action::Add,
        "f",
    );
    one(
        "--- f\t2020-01-01 00:00:00 +0000\n+++ f\t1970-01-01 00:00:00.000000000 +0000\n@@ -1 +0,0 @@\n-a\n",
        Action::Delete,
        "f",
    );
    let dated = "--- f\t1970-01-01 00:00:00.000000000 +0000\n+++ f\t2020-01-01 00:00:00 +0000\n@@ -1 +1,2 @@\n a\n+b\n";
    one(dated, Action::Update, "f");
    // In a patch without prefixes a folder may be called `b`; the first line tells.
    one(
        "diff --git b/f b/f\nnew file mode 100644\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n",
        Action::Add,
        "b/f",
    );
}

#[test]
fn names_of_another_file_begin_another_section() {
    let patch = "diff --git a/f b/g\nrename from f\nrename to g\n--- a/h\n+++ b/h\n@@ -1 +1 @@\n-a\n+b\n";
    let found: Vec<_> = files(patch).into_iter().map(|file| (file.0, file.1)).collect();
    assert_eq!(found, [(Action::Move, "g".to_owned()), (Action::Update, "h".to_owned())]);
    let patch =
        "diff --git a/f b/f\nold mode 100644\nnew mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n";
    let found: Vec<_> = files(patch).into_iter().map(|file| (file.0, file.1)).collect();
    assert_eq!(found, [(Action::Mode, "f".to_owned()), (Action::Add, "n".to_owned())]);
}

#[test]
fn a_name_on_each_side_is_a_move_that_nobody_declared() {
    let change = parsed("--- a/old\n+++ b/new\n@@ -1 +1 @@\n-a\n+b\n").files.remove(0);
    assert_eq!((change.action, change.from.as_deref(), change.declared), (Action::Move, Some("old"), false));
}

#[test]
fn a_hunk_has_a_place_and_lines() {
    let hunk = parsed(&diff("@@ -3,2 +3,3 @@ fn f() {\n a\n-b\r\n+c\n+d\n\\ No newline at end of file\n"))
        .files
        .remove(0)
        .hunks
        .remove(0);
    assert_eq!(hunk.location, Location::Line(3));
    let lines = [
        Line::Context("a\n".to_owned()),
        Line::Removed("b\r\n".to_owned()),
        Line::Added("c\n".to_owned()),
        Line::Added("d".to_owned()),
    ];
    assert_eq!(hunk.lines, lines);
    assert!(!hunk.miscounted);
}

#[test]
fn lines_that_look_like_headers_are_lines_while_the_counts_say_so() {
    let patch = diff("@@ -1,3 +1,3 @@\n x\n--- a\n+++ b\n y\n@@ -9 +9 @@\n-p\n+q\n");
    let planned = patched(&patch, "x\n-- a\ny\n4\n5\n6\n7\n8\np\n");
    assert_eq!(planned.text.as_deref(), Some("x\n++ b\ny\n4\n5\n6\n7\n8\nq\n"));
    let last = diff("@@ -1,2 +1,2 @@\n x\n--- a\n+++ b\n@@ -9 +9 @@\n-p\n+q\n");
    assert_eq!(
        patched(&last, "x\n-- a\n3\n4\n5\n6\n7\n8\np\n").text.as_deref(),
        Some("x\n++ b\n3\n4\n5\n6\n7\n8\nq\n")
    );
}

#[test]
fn the_end_of_a_mail_is_no_line() {
    let mail = format!(
        "From 123 Mon Sep 17 00:00:00 2001\nSubject: x\n\n---\n f | 2 +-\n\n{}-- \n2.47.3\n\n",
        diff("@@ -1,2 +1,2 @@\n a\n-b\n+c\n")
    );
    assert_eq!(patched(&mail, "a\nb\n").text.as_deref(), Some("a\nc\n"));
}

#[test]
fn final_newlines_come_and_go() {
    let marker = "\\ No newline at end of file\n";
    let lost = diff(&format!("@@ -1,2 +1,2 @@\n a\n-b\n+b\n{marker}"));
    assert_eq!(patched(&lost, "a\nb\n").text.as_deref(), Some("a\nb"));
    let found = diff(&format!("@@ -1,2 +1,2 @@\n a\n-b\n{marker}+b\n"));
    assert_eq!(patched(&found, "a\nb").text.as_deref(), Some("a\nb\n"));
    let kept = diff(&format!("@@ -1,2 +1,2 @@\n-a\n+x\n b\n{marker}"));
    assert_eq!(patched(&kept, "a\nb").text.as_deref(), Some("x\nb"));
}
