//! Patches that are refused before any file is looked at.

use toolcrib_patch::{ErrorKind, parse};

#[track_caller]
fn refused(patch: &str) -> (usize, ErrorKind) {
    match parse(patch) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            (error.line, error.kind)
        }
        Ok(patch) => panic!("{patch:?}"),
    }
}

const HUNK: &str = "@@ -1 +1 @@\n-a\n+b\n";

#[test]
fn what_is_no_patch() {
    for text in ["", "hello", "```\n```\n", "--- \n", "*** Begin Patch\n*** End Patch\n", "---\n\n+++\n"] {
        assert_eq!(refused(text).1, ErrorKind::NoPatch, "{text}");
    }
    assert_eq!(refused("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\0\n"), (5, ErrorKind::Nul));
}

#[test]
fn paths_that_leave_or_lead_nowhere() {
    let with = |old: &str, new: &str| refused(&format!("--- {old}\n+++ {new}\n{HUNK}")).1;
    for (old, new) in [
        ("a/../f", "b/../f"),
        ("../f", "../f"),
        ("/etc/passwd", "/etc/passwd"),
        ("a//etc/passwd", "b//etc/passwd"),
        ("a/d/../../f", "b/d/../../f"),
        ("\"a/\\056\\056/f\"", "\"b/\\056\\056/f\""),
        ("C:\\f", "C:\\f"),
        ("a/", "b/"),
        ("/dev/null", "/tmp/f"),
    ] {
        assert!(matches!(with(old, new), ErrorKind::Path { .. }), "{old}");
    }
    let renamed = "diff --git a/f b/g\nrename from f\nrename to ../g\n";
    assert!(matches!(refused(renamed).1, ErrorKind::Path { .. }));
    for envelope in [
        "*** Add File: //x\n+a\n",
        "*** Add File: /../x\n+a\n",
        "*** Update File: ../x\n-a\n+b\n",
        "*** Update File: x\n*** Move to: ../y\n",
    ] {
        assert!(matches!(
            refused(&format!("*** Begin Patch\n{envelope}*** End Patch\n")).1,
            ErrorKind::Path { .. }
        ));
    }
}

#[test]
fn what_is_no_text() {
    let binary = "diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZQz\n\nliteral 0\nHcmV?d00001\n\n";
    assert_eq!(refused(binary), (1, ErrorKind::Binary { path: "x.png".to_owned() }));
    let differs = "diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n";
    assert_eq!(refused(differs).1, ErrorKind::Binary { path: "x".to_owned() });
    let plain = format!("--- a/f\n+++ b/f\n{HUNK}Binary files a/x and b/x differ\n");
    assert!(matches!(refused(&plain), (6, ErrorKind::Binary { .. })));
}

#[test]
fn modes_that_are_no_files() {
    for (line, mode) in [
        ("new file mode 120000", "120000"),
        ("deleted file mode 120000", "120000"),
        ("old mode 160000", "160000"),
        ("index 1..2 120000", "120000"),
        ("new mode 040000", "040000"),
    ] {
        let patch = format!("diff --git a/f b/f\n{line}\n--- a/f\n+++ b/f\n{HUNK}");
        assert_eq!(refused(&patch), (2, ErrorKind::Mode { mode: mode.to_owned() }));
    }
}

#[test]
fn other_grammars() {
    let context =
        "*** a/f\t2002-02-21\n--- b/f\t2002-02-21\n***************\n*** 1,2 ****\n- a\n--- 1,2 ----\n+ b\n";
    assert_eq!(refused(context).1, ErrorKind::Grammar { name: "a context diff" });
    let combined = "diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n";
    assert_eq!(refused(combined).1, ErrorKind::Grammar { name: "a combined diff" });
}

#[test]
fn hunks_without_a_file_or_without_a_change() {
    assert_eq!(refused(HUNK), (1, ErrorKind::NoFile));
    assert_eq!(refused("--- a/f\n+++ b/f\n@@ -1 +1 @@\n a\n"), (3, ErrorKind::EmptyHunk));
    assert_eq!(refused("--- a/f\n+++ b/f\n").1, ErrorKind::NothingToDo { path: "f".to_owned() });
    assert!(matches!(refused("diff --git a/f b/f\nindex 1..2 100644\n").1, ErrorKind::NothingToDo { .. }));
}

/// What may be part of a patch is not passed over: half a patch is worse than none.
#[test]
fn nothing_of_a_patch_is_lost() {
    let head = "--- a/f\n+++ b/f\n";
    // A context line without its space, in the middle and at the end.
    assert_eq!(
        refused(&format!("{head}@@ -1,3 +1,3 @@\n a\n-b\n+c\nd\n-e\n+f\n")),
        (7, ErrorKind::MissingPrefix)
    );
    assert_eq!(refused(&format!("{head}@@\n-b\n+c\nd\n")), (6, ErrorKind::MissingPrefix));
    assert_eq!(refused(&format!("{head}@@ -1,3 +1,3 @@\n-b\n+c\nd\n")), (6, ErrorKind::MissingPrefix));
    // A hunk without its head.
    assert!(matches!(refused(&format!("{head}{HUNK}...\n-x\n+y\n")), (7, ErrorKind::Unexpected { .. })));
    // A hunk after something else.
    assert_eq!(refused(&format!("{head}{HUNK}and then\n@@ -5 +5 @@\n-x\n+y\n")), (7, ErrorKind::NoFile));
    assert_eq!(refused(&format!("{head}{HUNK}and then\n@@\n-x\n+y\n")), (7, ErrorKind::NoFile));
    // A new file with lines that are not new.
    assert!(matches!(
        refused("--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n b\n").1,
        ErrorKind::Unexpected { .. }
    ));
}

#[test]
fn changes_that_contradict_each_other() {
    let add = "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n";
    let delete = "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";
    let update = format!("--- a/f\n+++ b/f\n{HUNK}");
    let rename =
        |from: &str, to: &str| format!("diff --git a/{from} b/{to}\nrename from {from}\nrename to {to}\n");
    for patch in [
        format!("{add}{add}"),
        format!("{delete}{delete}"),
        format!("{delete}{update}"),
        format!("{update}{delete}"),
        format!("{update}{add}"),
        format!("{add}{delete}"),
        rename("f", "g") + &update,
        rename("f", "g") + &rename("f", "h"),
        rename("f", "h") + &rename("g", "h"),
        rename("f", "g") + delete,
        format!("{update}{}", rename("f", "g")),
        rename("g", "f") + add,
    ] {
        assert!(matches!(refused(&patch).1, ErrorKind::Contradiction { .. }), "{patch}");
    }
    for fine in [
        format!("{delete}{add}"),
        format!("{update}{update}"),
        rename("f", "g") + &rename("g", "f"),
        rename("f", "g") + &rename("g", "h"),
        rename("f", "g") + add,
        format!("{add}{update}"),
    ] {
        assert!(parse(&fine).is_ok(), "{fine}");
    }
}
