//! The tools that are off by default are proposals like all others: judged, dry, recorded and undone.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolcrib::{
    ApprovalRequest, Config, Decision, Durability, Entry, PageSize, ToolResult, Toolbox, UndoKind,
    UndoRequest,
};
use toolcrib_testkit::Tree;

struct Home {
    dir: tempfile::TempDir,
    toolbox: Toolbox,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("src/a.txt"), "one\ntwo\n").unwrap();
        fs::write(root.join("b.bin"), b"\0\x01\xFF").unwrap();
        fs::write(root.join(".env"), "KEY=1\n").unwrap();
        fs::create_dir_all(root.join("tree/deep/empty")).unwrap();
        fs::write(root.join("tree/run.sh"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(root.join("tree/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("../run.sh", root.join("tree/deep/link")).unwrap();
        fs::create_dir(root.join("held")).unwrap();
        fs::write(root.join("held/.env"), "KEY=2\n").unwrap();
        let config = Config::parse("more_tools = true").unwrap();
        let builder = Toolbox::builder().root(&root).config(config).journal_in(dir.path().join("state"));
        Self { toolbox: builder.open().unwrap(), dir }
    }

    fn tree(&self) -> Tree {
        Tree::read(&self.dir.path().join("root"))
    }

    fn call(&self, tool: &str, mut arguments: Value) -> ToolResult {
        for name in ["file_path", "from", "to", "path"] {
            if let Some(path) = arguments.get(name).and_then(Value::as_str) {
                arguments[name] = json!(self.dir.path().join("root").join(path));
            }
        }
        self.toolbox.call_blocking(tool, arguments, &self.toolbox.context())
    }
}

#[test]
fn what_they_change_is_undone_exactly() {
    for (tool, arguments) in [
        ("Insert", json!({"file_path": "src/a.txt", "line": 1, "content": "new"})),
        ("Delete", json!({"file_path": "src/a.txt"})),
        ("Delete", json!({"file_path": "b.bin"})),
        ("Move", json!({"from": "src/a.txt", "to": "lib/deep/b.txt"})),
        ("Move", json!({"from": "b.bin", "to": "src/a.txt", "overwrite": true})),
        ("Delete", json!({"file_path": "tree", "recursive": true})),
        ("Move", json!({"from": "tree", "to": "lib/tree"})),
        ("MakeDirectory", json!({"path": "new/dir"})),
    ] {
        let home = Home::new();
        let before = home.tree();
        let result = home.call(tool, arguments.clone());
        assert!(result.success, "{tool} {arguments}: {:?}", result.error);
        assert_ne!(home.tree(), before, "{tool} {arguments}");
        let journal = home.toolbox.journal().unwrap();
        let (last, after) = (journal.log(1).unwrap()[0].id, home.tree());
        journal.undo(last, Durability::Fast, &Entry::new("undo")).unwrap();
        assert_eq!(home.tree(), before, "{tool} {arguments}");
        journal.redo(last, Durability::Fast, &Entry::new("redo")).unwrap();
        assert_eq!(home.tree(), after, "{tool} {arguments}");
    }
}

#[test]
fn the_rules_hold_for_both_ends_of_a_move() {
    let home = Home::new();
    let before = home.tree();
    for (tool, arguments) in [
        ("Delete", json!({"file_path": ".env"})),
        ("Move", json!({"from": ".env", "to": "shown.txt"})),
        ("Move", json!({"from": "src/a.txt", "to": ".env.local"})),
        ("Move", json!({"from": "src/a.txt", "to": ".git/hooks/pre-commit"})),
        ("Insert", json!({"file_path": ".env", "line": 0, "content": "x"})),
        ("Delete", json!({"file_path": "held", "recursive": true})),
        ("Move", json!({"from": "held", "to": "free"})),
        ("Move", json!({"from": "tree", "to": ".git"})),
        ("MakeDirectory", json!({"path": ".git/hooks"})),
    ] {
        let result = home.call(tool, arguments.clone());
        assert_eq!(result.metadata["error_kind"], "permission_denied", "{tool} {arguments}");
    }
    assert_eq!(home.tree(), before);
}

/// Whatever it leads to: only the link goes, and undo makes it again.
#[test]
fn a_link_is_deleted_and_what_it_leads_to_stays() {
    let home = Home::new();
    let root = home.dir.path().join("root");
    let links = ["src/a.txt", "src", "nowhere", "/etc/passwd", "../root/.env", "link-4"];
    for (number, target) in links.into_iter().enumerate() {
        symlink(target, root.join(format!("link-{number}"))).unwrap();
    }
    for (number, target) in links.into_iter().enumerate() {
        let before = home.tree();
        let name = format!("link-{number}");
        let deleted = home.call("Delete", json!({"file_path": name}));
        assert!(deleted.success, "{name}: {:?}", deleted.error);
        // With the link back in its place, nothing is missing.
        symlink(target, root.join(&name)).unwrap();
        assert_eq!(home.tree(), before, "{name}");
        std::fs::remove_file(root.join(&name)).unwrap();
        let last = UndoRequest::of(UndoKind::Undo, None);
        home.toolbox.undo(&last, &home.toolbox.context()).unwrap();
        assert_eq!(home.tree(), before, "{name}");
        assert!(home.call("Delete", json!({"file_path": name})).success);
    }
}

#[test]
fn a_link_of_a_protected_name_is_not_deleted() {
    let home = Home::new();
    let root = home.dir.path().join("root");
    symlink("src/a.txt", root.join(".env.local")).unwrap();
    let before = home.tree();
    let refused = home.call("Delete", json!({"file_path": ".env.local"}));
    assert_eq!(refused.metadata["error_kind"], "permission_denied");
    assert_eq!(home.tree(), before);
}

#[test]
fn a_link_is_neither_moved_nor_replaced() {
    let home = Home::new();
    let root = home.dir.path().join("root");
    symlink("src/a.txt", root.join("link")).unwrap();
    let before = home.tree();
    for (tool, arguments) in [
        ("Move", json!({"from": "link", "to": "c.txt"})),
        ("Move", json!({"from": "b.bin", "to": "link", "overwrite": true})),
    ] {
        assert_eq!(
            home.call(tool, arguments.clone()).metadata["error_kind"],
            "unsupported",
            "{tool} {arguments}"
        );
    }
    assert_eq!(home.tree(), before);
}

#[test]
fn many_files_count_as_read() {
    let home = Home::new();
    let root = home.dir.path().join("root");
    let context = home.toolbox.context().session("s");
    let read = json!({"file_paths": [root.join("src/a.txt")]});
    assert!(home.toolbox.call_blocking("ReadMany", read, &context).success);
    let delete = json!({"file_path": root.join("src/a.txt")});
    assert!(home.toolbox.call_blocking("Delete", delete, &context).success);
}

/// What a session has read, it has read under the new name of its directory too.
#[test]
fn a_moved_directory_takes_what_was_read_with_it() {
    let home = Home::new();
    let root = home.dir.path().join("root");
    let context = home.toolbox.context().session("s");
    let call = |tool: &str, arguments: Value| home.toolbox.call_blocking(tool, arguments, &context);
    assert!(call("Read", json!({"file_path": root.join("src/a.txt")})).success);
    assert!(call("Move", json!({"from": root.join("src"), "to": root.join("lib")})).success);
    let edit = |file: &str| json!({"file_path": root.join(file), "old_string": "one", "new_string": "1"});
    assert!(call("Edit", edit("lib/a.txt")).success);
    let unread =
        call("Edit", json!({"file_path": root.join("tree/run.sh"), "old_string": "sh", "new_string": "x"}));
    assert_eq!(unread.metadata["error_kind"], "not_read", "the control");
}

/// A person who is asked sees what is in the directory, under both of its names.
#[test]
fn what_is_asked_about_in_a_directory_is_asked_about() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir_all(root.join("docs/.github/workflows")).unwrap();
    fs::write(root.join("docs/.github/workflows/ci.yml"), "on: push\n").unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let config = Config::parse("more_tools = true").unwrap();
    let approver = move |request: &ApprovalRequest| {
        seen.lock().unwrap().push(request.page(1, PageSize::default()).text);
        Decision::No(None)
    };
    let toolbox = Toolbox::builder().root(&root).config(config).approver(Arc::new(approver)).open().unwrap();
    let call =
        |tool: &str, arguments: Value| toolbox.call_blocking(tool, arguments, &toolbox.context()).success;
    assert!(!call("Move", json!({"from": root.join("docs"), "to": root.join("doc")})));
    assert!(!call("Delete", json!({"file_path": root.join("docs"), "recursive": true})));
    let asked = asked.lock().unwrap();
    assert!(
        asked[0].contains("Move the directory") && asked[0].contains(".github/workflows/ci.yml"),
        "{asked:?}"
    );
    assert!(asked[1].contains("-on: push") && asked[1].contains("Delete the directory"), "{asked:?}");
}
