//! The envelope that Codex models write.

use toolcrib_edit::Level;
use toolcrib_patch::{Action, ErrorKind, Format, Location, parse};

use super::{parsed, patched, plan, unpatched, update};

#[test]
fn files_are_added_deleted_updated_and_moved() {
    let patch = "\
*** Begin Patch
*** Add File: d/new.txt
+one
+
+two
*** Delete File: gone.txt
*** Update File: old.txt
*** Move to: d/moved.txt
@@ fn f()
 a
-b
+c
*** Update File: pure.txt
*** Move to: renamed.txt
*** Update File: f
-x
+y
*** End of File
*** End Patch
";
    let patch = parsed(patch);
    assert_eq!(patch.format, Format::Envelope);
    let files: Vec<_> = patch
        .files
        .iter()
        .map(|file| (file.action, &*file.path, file.from.as_deref(), file.hunks.len()))
        .collect();
    assert_eq!(
        files,
        [
            (Action::Add, "d/new.txt", None, 1),
            (Action::Delete, "gone.txt", None, 0),
            (Action::Move, "d/moved.txt", Some("old.txt"), 1),
            (Action::Move, "renamed.txt", Some("pure.txt"), 0),
            (Action::Update, "f", None, 1),
        ]
    );
    assert_eq!(patch.files[0].hunks[0].new_text(), "one\n\ntwo\n");
    assert_eq!(patch.files[2].hunks[0].location, Location::After(vec!["fn f()".to_owned()]));
    assert!(patch.files[4].hunks[0].to_end);
}

#[test]
fn wrappers_around_it_are_passed_over() {
    let patch = update("@@\n-a\n+b\n");
    for wrapped in [
        format!("apply_patch <<'EOF'\n{patch}EOF\n"),
        format!("cat <<\"PATCH\" | apply_patch\n{patch}PATCH\n"),
        format!("bash -lc 'apply_patch <<EOF\n{patch}EOF\n'"),
        format!("```\n{patch}```\n"),
        format!("Sure, here it is:\n\n```patch\n{patch}```\nDone."),
        patch.replace('\n', "\r\n"),
        patch.trim_end().to_owned(),
        patch.replace("*** Begin Patch\n", "  *** Begin Patch  \n"),
        "*** Update File: f\n@@\n-a\n+b\n```\n".to_owned(),
        update("@@\n-a\n+b\n\n"),
        update("-a\n+b\n"),
    ] {
        assert_eq!(patched(&wrapped, "a\n").text.as_deref(), Some("b\n"), "{wrapped}");
    }
}

#[test]
fn an_ambiguous_chunk_names_its_candidates() {
    let message = unpatched(&update("@@\n-a\n+b\n"), "a\nx\na\n");
    assert!(message.contains("lines: [1, 3]"), "{message}");
}

#[test]
fn an_anchor_tells_which() {
    let text = "class A:\n    def f(self):\n        x = 1\n\n    def g(self):\n        x = 1\n\nclass B:\n    def f(self):\n        x = 1\n";
    let chunk = "-        x = 1\n+        x = 2\n";
    let line = |anchors: &str| patched(&update(&format!("{anchors}{chunk}")), text).hunks[0].line;
    assert_eq!(line("@@     def g(self):\n"), 6);
    assert_eq!(line("@@ def g\n"), 6);
    assert_eq!(line("@@ class B:\n"), 10);
    assert_eq!(line("@@ class A:\n@@     def f(self):\n"), 3);
    assert_eq!(line("@@ class B:\n@@ def f(self):\n"), 10);
    // Two functions of that name, two places in that class.
    assert!(unpatched(&update(&format!("@@ def f(self):\n{chunk}")), text).contains("lines: [3, 6, 10]"));
    assert!(unpatched(&update(&format!("@@ class A:\n{chunk}")), text).contains("more than one place"));
    assert!(unpatched(&update(&format!("@@ class C:\n{chunk}")), text).contains("no line \"class C:\""));
}

#[test]
fn what_stands_before_the_anchor_is_not_meant() {
    let message = unpatched(
        &update("@@ def g():\n-    x = 1\n+    x = 2\n"),
        "def f():\n    x = 1\ndef g():\n    x = 7\n",
    );
    assert!(message.contains("its lines are at line 2, which is not after \"def g():\""), "{message}");
}

#[test]
fn chunks_go_down_a_file() {
    let text = "a\nx\nb\nx\n";
    let planned = patched(&update("@@\n-b\n+B\n@@\n-x\n+X\n"), text);
    assert_eq!(planned.text.as_deref(), Some("a\nx\nB\nX\n"));
    assert!(unpatched(&update("@@\n-a\n+A\n@@\n-x\n+X\n"), text).contains("hunk 2"));
}

#[test]
fn a_pure_insertion_goes_after_its_anchor() {
    let text = "def f():\r\n    a\r\ndef g():\r\n    b\r\n";
    let planned = patched(&update("@@ def g():\n+    new\n"), text);
    assert_eq!(planned.text.as_deref(), Some("def f():\r\n    a\r\ndef g():\r\n    new\r\n    b\r\n"));
    let planned = patched(&update("@@ b\n+    new\n"), "a\nb");
    assert_eq!(planned.text.as_deref(), Some("a\nb\n    new"));
    assert!(unpatched(&update("@@ x\n+new\n"), "x\nx\n").contains("lines: [1, 2]"));
    assert!(unpatched(&update("@@\n+new\n"), "a\n").contains("only adds lines"));
}

#[test]
fn the_end_of_the_file() {
    let planned = patched(&update("@@\n-a\n+b\n*** End of File\n"), "a\nx\na\n");
    assert_eq!(planned.text.as_deref(), Some("a\nx\nb\n"));
    let planned = patched(&update("@@\n-a\n+b\n*** End of File\n"), "a\nx\na");
    assert_eq!((planned.text.as_deref(), planned.hunks[0].level), (Some("a\nx\nb"), Level::FinalNewline));
    unpatched(&update("@@\n-a\n+b\n*** End of File\n"), "a\nx\n");
    assert_eq!(patched(&update("@@\n+new\n*** End of File\n"), "a\n").text.as_deref(), Some("a\nnew\n"));
    assert_eq!(patched(&update("@@\n+new\n*** End of File\n"), "a").text.as_deref(), Some("a\nnew"));
}

#[test]
fn context_and_endings_are_never_rewritten() {
    let text = "first  \r\nsecond\nthird\t\r\nfourth";
    let planned = patched(&update("@@\n first\n-second\n+2nd\n third\n fourth\n"), text);
    assert_eq!(planned.text.as_deref(), Some("first  \r\n2nd\nthird\t\r\nfourth"));
}

#[test]
fn a_moved_file_keeps_its_text_and_mode() {
    let patch = "*** Begin Patch\n*** Update File: f\n*** Move to: g\n*** End Patch\n";
    let planned = plan(patch, &[("f", "a\r\nb")]).unwrap().remove(0);
    assert_eq!((planned.text.as_deref(), planned.mode), (Some("a\r\nb"), None));
    assert!(plan(patch, &[("f", "a"), ("g", "b")]).is_err());
}

#[test]
fn blank_lines_may_lack_their_sign() {
    assert_eq!(patched(&update("@@\n a\n\n-b\n+c\n"), "a\n\nb\n").text.as_deref(), Some("a\n\nc\n"));
    let added = parsed("*** Begin Patch\n*** Add File: n\n+a\n\n+b\n\n*** End Patch\n");
    assert_eq!(added.files[0].hunks[0].new_text(), "a\n\nb\n");
}

#[test]
fn markers_inside_lines_are_lines() {
    let planned = patched(
        &update("@@\n *** End Patch\n-*** Update File: x\n+*** Begin Patch\n"),
        "*** End Patch\n*** Update File: x\n",
    );
    assert_eq!(planned.text.as_deref(), Some("*** End Patch\n*** Begin Patch\n"));
}

#[test]
fn a_diff_about_envelopes_is_a_diff() {
    let patch = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n *** Begin Patch\n-a\n+b\n";
    assert_eq!(patched(patch, "*** Begin Patch\na\n").text.as_deref(), Some("*** Begin Patch\nb\n"));
}

#[test]
fn what_is_refused() {
    let kind = |patch: &str| parse(patch).unwrap_err().kind;
    assert_eq!(kind("*** Begin Patch\n*** Update File: f\n-a\n+b\n"), ErrorKind::Unfinished);
    assert_eq!(kind(&update("")), ErrorKind::NothingToDo { path: "f".to_owned() });
    assert_eq!(kind(&update("@@\n")), ErrorKind::EmptyHunk);
    assert_eq!(kind(&update("@@\n-a\nb\n+c\n")), ErrorKind::MissingPrefix);
    assert!(matches!(
        kind("*** Begin Patch\n*** Add File: f\nno plus\n*** End Patch\n"),
        ErrorKind::Unexpected { .. }
    ));
    assert!(matches!(
        kind("*** Begin Patch\n*** Rename File: f\n*** End Patch\n"),
        ErrorKind::Unexpected { .. }
    ));
    let twice = "*** Begin Patch\n*** Add File: f\n+a\n*** Add File: f\n+b\n*** End Patch\n";
    assert!(matches!(kind(twice), ErrorKind::Contradiction { other: 2, .. }));
    assert!(plan("*** Begin Patch\n*** Add File: f\n+a\n*** End Patch\n", &[("f", "b\n")]).is_err());
}

#[test]
fn empty_files() {
    assert_eq!(
        plan("*** Begin Patch\n*** Add File: n\n*** End Patch\n", &[]).unwrap()[0].text.as_deref(),
        Some("")
    );
    assert_eq!(patched(&update("@@\n+new\n"), "").text.as_deref(), Some("new\n"));
}

/// A file that several programs have written: for the author of the patch each of its endings ends a line.
#[test]
fn a_lone_carriage_return_ends_a_line_where_the_patch_has_it_so() {
    let text = "a\r\nb\rc\nd\r\n";
    let hunk = "@@\n a\n b\n-c\n+C\n d\n";
    assert_eq!(patched(&update(hunk), text).text.as_deref(), Some("a\r\nb\rC\nd\r\n"));
    // As a character it is found first.
    let patch = update("@@\n-b\rc\n+x\n");
    assert_eq!(patched(&patch, text).text.as_deref(), Some("a\r\nx\nd\r\n"));
    assert!(unpatched(&update("@@\n-e\n+x\n"), text).contains("not found"));
}
