//! The tools that are off by default are proposals like all others: judged, dry, recorded and undone.

use std::fs;

use serde_json::{Value, json};
use toolcrib::{Config, Durability, Entry, ToolResult, Toolbox};
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
        let config = Config::parse("more_tools = true").unwrap();
        let builder = Toolbox::builder().root(&root).config(config).journal_in(dir.path().join("state"));
        Self { toolbox: builder.open().unwrap(), dir }
    }

    fn tree(&self) -> Tree {
        Tree::read(&self.dir.path().join("root"))
    }

    fn call(&self, tool: &str, mut arguments: Value) -> ToolResult {
        for name in ["file_path", "from", "to"] {
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
    ] {
        let home = Home::new();
        let before = home.tree();
        let result = home.call(tool, arguments.clone());
        assert!(result.success, "{tool} {arguments}: {:?}", result.error);
        assert_ne!(home.tree(), before, "{tool} {arguments}");
        let journal = home.toolbox.journal().unwrap();
        let last = journal.log(1).unwrap()[0].id;
        journal.undo(last, Durability::Fast, &Entry::new("undo")).unwrap();
        assert_eq!(home.tree(), before, "{tool} {arguments}");
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
    ] {
        let result = home.call(tool, arguments.clone());
        assert_eq!(result.metadata["error_kind"], "permission_denied", "{tool} {arguments}");
    }
    assert_eq!(home.tree(), before);
}

#[test]
fn a_link_is_neither_deleted_nor_moved() {
    let home = Home::new();
    let root = home.dir.path().join("root");
    std::os::unix::fs::symlink("src/a.txt", root.join("link")).unwrap();
    let before = home.tree();
    for (tool, arguments) in [
        ("Delete", json!({"file_path": "link"})),
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
