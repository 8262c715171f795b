//! Anthropic's client tools where one call depends on others: what was read, what is recorded, what is undone.

use std::fs;

use serde_json::{Value, json};
use toolcrib::{Dialect, ToolResult, Toolbox};
use toolcrib_testkit::Tree;

struct Home {
    dir: tempfile::TempDir,
    toolbox: Toolbox,
}

impl Home {
    fn new(dialect: Dialect) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("people")).unwrap();
        fs::write(root.join("a.txt"), "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n").unwrap();
        fs::write(root.join("people/ada.md"), "Ada\n").unwrap();
        let builder = Toolbox::builder().root(&root).dialect(dialect).journal_in(dir.path().join("state"));
        Self { toolbox: builder.open().unwrap(), dir }
    }

    fn call(&self, session: &str, arguments: Value) -> ToolResult {
        let tools = self.toolbox.executor().registry().list_all();
        self.toolbox.call_blocking(tools[0].name(), arguments, &self.toolbox.context().session(session))
    }

    fn text(&self) -> String {
        fs::read_to_string(self.dir.path().join("root/a.txt")).unwrap()
    }
}

#[test]
fn an_unread_file_may_be_changed_because_that_can_be_undone() {
    let home = Home::new(Dialect::TextEditor);
    let edit = json!({"command": "str_replace", "path": "a.txt", "old_str": "two", "new_str": "2"});
    let result = home.call("s", edit);
    assert!(result.success, "{result:?}");
    // What was read and has changed since is another matter: the line may be another one.
    assert!(home.call("t", json!({"command": "view", "path": "a.txt"})).success);
    fs::write(home.dir.path().join("root/a.txt"), "zero\none\n").unwrap();
    let insert = json!({"command": "insert", "path": "a.txt", "insert_line": 1, "insert_text": "x"});
    assert_eq!(home.call("t", insert).metadata["error_kind"], "conflict");
}

#[test]
fn undo_edit_takes_back_the_latest_change_of_that_file_in_that_session() {
    let home = Home::new(Dialect::TextEditor20250124);
    let insert = |path: &str, text: &str| json!({"command": "insert", "path": path, "insert_line": 0, "new_str": text});
    let undo = |path: &str| json!({"command": "undo_edit", "path": path});
    let before = home.text();
    assert!(home.call("s", insert("a.txt", "first")).success);
    assert!(home.call("s", insert("people/ada.md", "other")).success);
    let taken = home.call("s", undo("a.txt"));
    assert!(
        taken.output.as_str().unwrap().starts_with("Last edit to a.txt undone successfully.\n@@"),
        "{taken:?}"
    );
    assert_eq!(home.text(), before);
    assert_eq!(fs::read_to_string(home.dir.path().join("root/people/ada.md")).unwrap(), "other\nAda\n");
    let none = home.call("s", undo("a.txt"));
    assert_eq!(none.error.as_deref(), Some("No edit history found for a.txt."));
    // Another session has made none of these changes.
    let none = home.call("t", undo("people/ada.md"));
    assert_eq!(none.error.as_deref(), Some("No edit history found for people/ada.md."));
    // What it created is gone again.
    assert!(home.call("s", json!({"command": "create", "path": "new.txt", "file_text": "x"})).success);
    let taken = home.call("s", undo("new.txt"));
    assert!(taken.output.as_str().unwrap().contains("so the file was removed"), "{taken:?}");
    assert!(!home.dir.path().join("root/new.txt").exists());
}

#[test]
fn undo_edit_is_refused_where_the_file_has_moved_on() {
    let home = Home::new(Dialect::TextEditor20250124);
    let insert = json!({"command": "insert", "path": "a.txt", "insert_line": 0, "new_str": "first"});
    assert!(home.call("s", insert).success);
    for others in [home.text() + "somebody else\n", home.text().replace("first", "third")] {
        fs::write(home.dir.path().join("root/a.txt"), &others).unwrap();
        let refused = home.call("s", json!({"command": "undo_edit", "path": "a.txt"}));
        assert_eq!(refused.metadata["error_kind"], "conflict", "{refused:?}");
        assert_eq!(home.text(), others);
    }
}

#[test]
fn a_deleted_memory_comes_back_whole() {
    let home = Home::new(Dialect::Memory);
    let root = home.dir.path().join("root");
    let before = Tree::read(&root);
    assert!(home.call("s", json!({"command": "delete", "path": "/memories/people"})).success);
    assert!(!root.join("people").exists());
    let journal = home.toolbox.journal().unwrap();
    let last = journal.log(1).unwrap()[0].id;
    journal.undo(last, toolcrib::Durability::Fast, &toolcrib::Entry::new("undo")).unwrap();
    assert_eq!(Tree::read(&root), before);
}

#[test]
fn a_memory_is_told_no_path_of_the_disk() {
    let home = Home::new(Dialect::Memory);
    fs::write(home.dir.path().join("root/data.bin"), b"\0\x01\xFF").unwrap();
    let real = home.dir.path().to_str().unwrap();
    for arguments in [
        json!({"command": "view", "path": "/memories/../root/a.txt"}),
        json!({"command": "view", "path": "/memories/../../../../etc/passwd"}),
        json!({"command": "view", "path": "/memories/data.bin"}),
        json!({"command": "str_replace", "path": "/memories/data.bin", "old_str": "a", "new_str": "b"}),
        json!({"command": "rename", "old_path": "/memories/people", "new_path": "/memories/people/x"}),
        json!({"command": "rename", "old_path": "/memories/a.txt", "new_path": "/memories/../x"}),
        json!({"command": "create", "path": "/memories/.env", "file_text": "KEY=1"}),
        json!({"command": "create", "path": "/memories/a.txt/b", "file_text": "x"}),
    ] {
        let result = home.call("s", arguments.clone());
        let told = result.display(&toolcrib::Conventions::NONE);
        assert!(!told.contains(real), "{arguments}: {told}");
    }
}
