//! ApplyPatch on real files: what the session knows, links, files that take each other's names; and that many changes in
//! one call can be stopped half way.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;
use toolcrib::{Durability, Entry, ExecutionContext, ToolResult, Toolbox};
use toolcrib_testkit::Tree;
use toolcrib_testkit::limits::Work;

struct Home {
    dir: TempDir,
    toolbox: Toolbox,
}

impl Home {
    fn with(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            fs::write(dir.path().join(path), text).unwrap();
        }
        let toolbox = Toolbox::open(dir.path()).unwrap();
        Self { dir, toolbox }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn session(&self) -> ExecutionContext {
        self.toolbox.context().session("s")
    }

    fn read(&self, name: &str) {
        let call = json!({"file_path": self.path().join(name)});
        assert!(self.toolbox.call_blocking("Read", call, &self.session()).success);
    }

    fn patch(&self, patch: &str) -> ToolResult {
        self.patch_in(patch, &self.toolbox.context())
    }

    fn patch_in(&self, patch: &str, context: &ExecutionContext) -> ToolResult {
        self.toolbox.call_blocking("ApplyPatch", json!({"patch_text": patch}), context)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    #[track_caller]
    fn refused(&self, patch: &str, context: &ExecutionContext, kind: &str) -> String {
        let before = Tree::read(self.path());
        let result = self.patch_in(patch, context);
        assert_eq!(result.metadata["error_kind"], kind, "{:?}", result.error);
        assert_eq!(Tree::read(self.path()), before, "a refused patch changed something");
        result.error.unwrap()
    }
}

const CHANGE_B: &str = "--- a/f\n+++ b/f\n@@ -2 +2 @@\n-b\n+B\n";

#[test]
fn what_changed_since_it_was_read_is_patched_only_where_there_is_no_doubt() {
    let home = Home::with(&[("f", "a\nb\nc\n")]);
    home.read("f");
    fs::write(home.path().join("f"), "new\na\nb\nc\n").unwrap();
    let result = home.patch_in(CHANGE_B, &home.session());
    assert!(result.success, "{:?}", result.error);
    assert_eq!(result.metadata["changed_since_read"], true);
    assert_eq!(home.text("f"), "new\na\nB\nc\n");

    for changed in ["a\nb  \nc\n", "a\nb\nc\nb\nd\ne\nf\ng\n"] {
        let home = Home::with(&[("f", "a\nb\nc\n")]);
        home.read("f");
        fs::write(home.path().join("f"), changed).unwrap();
        home.refused(CHANGE_B, &home.session(), "conflict");
    }
}

#[test]
fn what_nobody_saw_is_neither_deleted_nor_replaced() {
    for patch in [
        "*** Begin Patch\n*** Delete File: f\n*** End Patch",
        "diff --git a/f b/f\ndeleted file mode 100644\n",
    ] {
        let home = Home::with(&[("f", "a\n")]);
        home.read("f");
        fs::write(home.path().join("f"), "other\n").unwrap();
        home.refused(patch, &home.session(), "conflict");
    }
    let home = Home::with(&[("f", "a\n"), ("g", "unread\n")]);
    home.read("f");
    home.refused("diff --git a/f b/g\nrename from f\nrename to g\n", &home.session(), "not_read");
}

#[test]
fn what_a_patch_made_counts_as_seen() {
    let home = Home::with(&[("f", "a\nb\nc\n")]);
    home.read("f");
    let moved = "*** Begin Patch\n*** Update File: f\n*** Move to: g\n@@\n-b\n+B\n*** End Patch";
    assert!(home.patch_in(moved, &home.session()).success);
    let again = "*** Begin Patch\n*** Update File: g\n@@\n-B\n+bee\n*** Add File: h\n+h\n*** End Patch";
    assert!(home.patch_in(again, &home.session()).success);
    let result =
        home.patch_in("*** Begin Patch\n*** Update File: h\n@@\n-h\n+H\n*** End Patch", &home.session());
    assert!(result.success, "{:?}", result.error);
    assert_eq!((home.text("g").as_str(), home.text("h").as_str()), ("a\nbee\nc\n", "H\n"));
}

#[test]
fn a_link_is_followed_to_change_a_file_but_not_to_move_it() {
    let home = Home::with(&[("f", "a\nb\nc\n")]);
    symlink("f", home.path().join("l")).unwrap();
    assert!(home.patch(&CHANGE_B.replace("/f", "/l")).success);
    assert_eq!(home.text("f"), "a\nB\nc\n");
    assert!(fs::symlink_metadata(home.path().join("l")).unwrap().is_symlink());

    let context = home.toolbox.context();
    let twice = "*** Begin Patch\n*** Delete File: l\n*** Add File: l\n+new\n*** End Patch";
    home.refused(twice, &context, "unsupported");
    home.refused("diff --git a/l b/g\nrename from l\nrename to g\n", &context, "unsupported");
}

/// All of the patch or nothing: the link is back if another part fails.
#[test]
fn a_patch_deletes_a_link_itself() {
    let home = Home::with(&[("f", "a\nb\nc\n")]);
    symlink("f", home.path().join("l")).unwrap();
    symlink("../outside", home.path().join("out")).unwrap();
    let is_there = |name: &str| fs::symlink_metadata(home.path().join(name)).is_ok();
    let patch = |hunk: &str| {
        format!(
            "*** Begin Patch\n*** Delete File: l\n*** Delete File: out\n*** Update File: f\n@@\n{hunk}*** End Patch"
        )
    };
    assert!(!home.patch(&patch("-x\n+B\n")).success);
    assert!(is_there("l") && is_there("out"));
    let result = home.patch(&patch("-b\n+B\n"));
    assert!(result.success, "{:?}", result.error);
    assert!(!is_there("l") && !is_there("out"));
    assert_eq!(home.text("f"), "a\nB\nc\n");
}

#[test]
fn one_file_under_two_names_is_refused_also_in_a_dry_run() {
    let home = Home::with(&[("f", "a\nb\nc\n")]);
    symlink("f", home.path().join("l")).unwrap();
    let both = format!("{CHANGE_B}{}", CHANGE_B.replace("/f", "/l"));
    for dry_run in [false, true] {
        let context = home.toolbox.context().dry_run(dry_run);
        let error = home.refused(&both, &context, "invalid_parameter");
        assert!(error.contains("are the same file"), "{error}");
    }
}

#[test]
fn files_take_each_others_names() {
    let home = Home::with(&[("a", "1\n"), ("b", "2\n")]);
    fs::set_permissions(home.path().join("a"), fs::Permissions::from_mode(0o755)).unwrap();
    let chain = "diff --git a/a b/b\nrename from a\nrename to b\ndiff --git a/b b/c\nrename from b\nrename to c\n\
                 --- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+new\n";
    let result = home.patch(chain);
    assert!(result.success, "{:?}", result.error);
    let mode = |name: &str| fs::metadata(home.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(["a", "b", "c"].map(|name| home.text(name)), ["new\n", "1\n", "2\n"]);
    assert_eq!((mode("b"), mode("c") & 0o111), (0o755, 0));
}

#[test]
fn a_patch_of_many_files_shows_a_bounded_diff() {
    let (mut files, mut patch) = (Vec::new(), String::new());
    let text = "line\n".repeat(100);
    for number in 0..100 {
        let name = format!("f{number}");
        patch.push_str(&format!("--- a/{name}\n+++ /dev/null\n@@ -1,100 +0,0 @@\n{}", "-line\n".repeat(100)));
        files.push(name);
    }
    let home = Home::with(&files.iter().map(|name| (name.as_str(), text.as_str())).collect::<Vec<_>>());
    let result = home.patch(&patch);
    assert!(result.success, "{:?}", result.error);
    let diff = result.metadata["diff"].as_str().unwrap();
    assert!(diff.len() < 80_000, "{}", diff.len());
    assert!(
        diff.contains("f99")
            && diff.contains("more lines of the diff are left out: read the file to see them")
    );
    assert_eq!(result.metadata["files_modified"], 100);
    let shown = diff.lines().filter(|line| *line == "-line").count();
    assert_eq!(result.metadata["diff_left_out"], 100 * 100 - shown);
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn many_changes_in_one_call_are_stopped_by_the_deadline() {
    let text: String = (0..20_000).map(|line| format!("line {line}\n")).collect();
    let home = Home::with(&[("f", &text)]);
    let edits: Vec<_> =
        (0..5000).map(|at| json!({"old_string": format!("line {at}\n"), "new_string": "x\n"})).collect();
    let sections = (0..5000).map(|at| format!("--- a/f\n+++ b/f\n@@ -{0} +{0} @@\n-line {at}\n+x\n", at + 1));
    let context = home.toolbox.context().timeout(Duration::from_millis(300));
    for (tool, call) in [
        ("MultiEdit", json!({"file_path": home.path().join("f"), "edits": edits})),
        ("ApplyPatch", json!({"patch_text": sections.collect::<String>()})),
    ] {
        let began = Work::begin();
        let result = home.toolbox.call_blocking(tool, call, &context);
        assert_eq!(result.metadata["error_kind"], "timed_out", "{tool}");
        assert!(began.so_far() < Duration::from_secs(5), "{tool} took {:?}", began.so_far());
        assert_eq!(home.text("f"), text);
    }
}

/// A file becomes a directory, and a directory a file, as `git apply` does it; undo and redo lead there and back.
#[test]
fn a_patch_swaps_a_file_for_a_directory_and_back() {
    let to_directory = "diff --git a/a b/a\ndeleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n\
                        diff --git a/a/deep/b b/a/deep/b\nnew file mode 100644\n--- /dev/null\n+++ b/a/deep/b\n@@ -0,0 +1 @@\n+two\n";
    let to_file = "diff --git a/d b/d\nnew file mode 100644\n--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+two\n\
                   diff --git a/d/x/y b/d/x/y\ndeleted file mode 100644\n--- a/d/x/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n";
    let moved = "diff --git a/a b/e\nsimilarity index 100%\nrename from a\nrename to e\n\
                 diff --git a/a/b b/a/b\nnew file mode 100644\n--- /dev/null\n+++ b/a/b\n@@ -0,0 +1 @@\n+two\n";
    for patch in [to_directory, to_file, moved] {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        std::fs::create_dir_all(root.join("d/x")).unwrap();
        std::fs::write(root.join("a"), "one\n").unwrap();
        std::fs::write(root.join("d/x/y"), "one\n").unwrap();
        let toolbox = Toolbox::builder().root(&root).journal_in(dir.path().join("state")).open().unwrap();
        let before = Tree::read(&root);
        let result = toolbox.call_blocking("ApplyPatch", json!({"patch_text": patch}), &toolbox.context());
        assert!(result.success, "{patch}\n{:?}", result.error);
        let after = Tree::read(&root);
        assert_ne!(after, before);
        let journal = toolbox.journal().unwrap();
        let id = journal.log(1).unwrap()[0].id;
        for _ in 0..2 {
            journal.undo(id, Durability::Fast, &Entry::new("undo")).unwrap();
            assert_eq!(Tree::read(&root), before, "{patch}");
            journal.redo(id, Durability::Fast, &Entry::new("redo")).unwrap();
            assert_eq!(Tree::read(&root), after, "{patch}");
        }
    }
}

/// What is moved would have to wait in the directory that has to go, now or when it is undone.
#[test]
fn a_file_is_not_moved_into_a_directory_of_its_own_name() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("d")).unwrap();
    for path in ["a", "d/x"] {
        std::fs::write(dir.path().join(path), "one\n").unwrap();
    }
    let toolbox = Toolbox::open(dir.path()).unwrap();
    let before = Tree::read(dir.path());
    for (from, to) in [("a", "a/b"), ("d/x", "d")] {
        let patch = format!(
            "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
        );
        let result = toolbox.call_blocking("ApplyPatch", json!({"patch_text": patch}), &toolbox.context());
        assert_eq!(result.metadata["error_kind"], "unsupported", "{from} {to}: {:?}", result.error);
        assert_eq!(Tree::read(dir.path()), before);
    }
}

/// What the patch does not delete keeps its directory.
#[test]
fn a_directory_with_other_files_is_not_swapped_for_a_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("d")).unwrap();
    std::fs::write(dir.path().join("d/x"), "one\n").unwrap();
    std::fs::write(dir.path().join("d/kept"), "kept\n").unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    let patch = "*** Begin Patch\n*** Delete File: d/x\n*** Add File: d\n+two\n*** End Patch\n";
    let before = Tree::read(dir.path());
    let result = toolbox.call_blocking("ApplyPatch", json!({"patch_text": patch}), &toolbox.context());
    assert_eq!(result.metadata["error_kind"], "conflict", "{:?}", result.error);
    assert!(result.error.unwrap().contains("does not delete"));
    assert_eq!(Tree::read(dir.path()), before);
}
