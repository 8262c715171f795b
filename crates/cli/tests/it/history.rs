//! `toolcrib log`, `undo` and `redo`, each call a process of its own.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{stderr, stdout};

struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("ws")).unwrap();
        Self(dir)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join("ws").join(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_toolcrib"))
            .args(args)
            .current_dir(self.0.path().join("ws"))
            .env("XDG_STATE_HOME", self.0.path().join("state"))
            .env("XDG_CONFIG_HOME", self.0.path().join("config"))
            .output()
            .unwrap()
    }

    fn write(&self, name: &str, content: &str) {
        let arguments = json!({"file_path": self.file(name), "content": content}).to_string();
        let output = self.run(&["call", "Write", &arguments]);
        assert!(output.status.success(), "{}", stderr(&output));
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }
}

#[test]
fn changes_are_shown_undone_and_made_again() {
    let home = Home::new();
    home.write("a.txt", "one\n");
    home.write("a.txt", "two\n");
    let log = home.run(&["log"]);
    let shown = stdout(&log);
    assert!(shown.contains("  by cli\n") && shown.contains("update "), "{shown}");
    let diff = "--- a/a.txt\n         +++ b/a.txt\n         @@ -1 +1 @@\n         -one\n         +two\n";
    assert!(shown.contains(diff), "paths are from the root, as in every diff: {shown}");
    assert!(
        shown.find("\n    1  ").unwrap() > 0 && shown.starts_with("    2  "),
        "the latest is first: {shown}"
    );
    let brief = home.run(&["log", "--brief", "--limit", "1"]);
    assert_eq!(stdout(&brief).lines().count(), 2, "{}", stdout(&brief));

    let dry = home.run(&["undo", "--dry-run"]);
    assert!(stdout(&dry).starts_with("[Dry Run] Would undo change 2\n"), "{}", stdout(&dry));
    assert!(stdout(&dry).ends_with("-two\n+one\n"), "{}", stdout(&dry));
    assert_eq!(home.read("a.txt"), "two\n");

    assert_eq!(stdout(&home.run(&["undo"])), "Undid change 2:\n  a.txt\n");
    assert_eq!(home.read("a.txt"), "one\n");
    assert_eq!(stdout(&home.run(&["redo"])), "Redid change 2:\n  a.txt\n");
    assert_eq!(home.read("a.txt"), "two\n");
    assert_eq!(stdout(&home.run(&["undo", "2"])), "Undid change 2:\n  a.txt\n");
    assert_eq!(stdout(&home.run(&["undo", "1"])), "Undid change 1:\n  a.txt\n");
    assert!(!home.file("a.txt").exists());
}

#[test]
fn as_json_for_programs() {
    let home = Home::new();
    home.write("a.txt", "one\n");
    let log: Value = serde_json::from_str(stdout(&home.run(&["log", "--json"]))).unwrap();
    let change = &log[0];
    assert_eq!(
        (&change["id"], &change["tool"], &change["agent"]),
        (&json!(1), &json!("Write"), &json!("cli"))
    );
    assert_eq!((&change["state"], &change["files"][0]["action"]), (&json!("done"), &json!("add")));
    assert!(change["files"][0]["diff"].as_str().unwrap().ends_with("+one\n"));
    let undone: Value = serde_json::from_str(stdout(&home.run(&["undo", "--json"]))).unwrap();
    assert_eq!(
        undone,
        json!({"success": true, "taken_back": 1, "change": 2, "files": ["a.txt"], "merged": []})
    );
    let again = home.run(&["undo", "--json"]);
    assert_eq!(again.status.code(), Some(1));
    let error: Value = serde_json::from_str(stdout(&again)).unwrap();
    assert_eq!((&error["success"], &error["error"]), (&json!(false), &json!("There is nothing to undo")));
}

#[test]
fn what_cannot_be_undone_says_why_and_what_to_do() {
    let home = Home::new();
    let nothing = home.run(&["undo"]);
    assert_eq!(nothing.status.code(), Some(1));
    assert_eq!(
        stderr(&nothing),
        "error: There is nothing to undo\nhint: `toolcrib log` shows the changes that are kept for this directory\n"
    );
    home.write("a.txt", "one\n");
    fs::write(home.file("a.txt"), "mine\n").unwrap();
    let conflict = home.run(&["undo"]);
    assert_eq!(conflict.status.code(), Some(1));
    assert!(stderr(&conflict).contains("a.txt has changed since"), "{}", stderr(&conflict));
    assert!(stderr(&conflict).contains("hint: "), "{}", stderr(&conflict));
    assert_eq!(home.read("a.txt"), "mine\n");
    let unknown = home.run(&["undo", "77"]);
    assert!(stderr(&unknown).contains("There is no change 77 in the journal"), "{}", stderr(&unknown));
    assert_eq!(home.run(&["undo", "x"]).status.code(), Some(2));
}

#[test]
fn the_configuration_can_do_without() {
    let home = Home::new();
    fs::create_dir_all(home.0.path().join("config/toolcrib")).unwrap();
    fs::write(home.0.path().join("config/toolcrib/config.toml"), "[journal]\nenabled = false\n").unwrap();
    home.write("a.txt", "one\n");
    assert!(!home.0.path().join("state").exists());
    let log = home.run(&["log"]);
    assert!(stderr(&log).starts_with("error: There is no journal of the changes here\nhint: "));
}

#[test]
fn without_a_folder_for_it_a_change_says_that_it_is_not_recorded() {
    let home = Home::new();
    let run = |args: &[&str]| {
        let mut toolcrib = Command::new(env!("CARGO_BIN_EXE_toolcrib"));
        toolcrib.args(args).current_dir(home.0.path().join("ws"));
        toolcrib.env_remove("HOME").env_remove("XDG_STATE_HOME").env_remove("XDG_CONFIG_HOME");
        toolcrib.output().unwrap()
    };
    let said = "note: Changes are not recorded and cannot be undone: there is no folder for the journal (";
    let call = json!({"file_path": home.file("b.txt"), "content": "b"}).to_string();
    for change in [&["write", "a.txt", "a"][..], &["call", "Write", &call, "--json"]] {
        let output = run(change);
        assert!(output.status.success() && stderr(&output).starts_with(said), "{}", stderr(&output));
    }
    assert_eq!((home.read("a.txt"), home.read("b.txt")), ("a".into(), "b".into()));
    let config = home.0.path().join("config.toml");
    fs::write(&config, "[journal]\nenabled = false\n").unwrap();
    let config = config.to_str().unwrap();
    for silent in [
        &["read", "a.txt"][..],
        &["edit", "a.txt", "a", "c", "--dry-run"],
        &["edit", "a.txt", "a", "c", "--config", config],
    ] {
        let output = run(silent);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(stderr(&output), "", "{silent:?}");
    }
}

/// A directory has no diff; it is named, with a slash at its end.
#[test]
fn a_directory_that_was_deleted_is_named_and_comes_back() {
    let home = Home::new();
    fs::create_dir_all(home.0.path().join("config/toolcrib")).unwrap();
    fs::write(home.0.path().join("config/toolcrib/config.toml"), "more_tools = true\n").unwrap();
    fs::create_dir_all(home.file("src/empty")).unwrap();
    fs::write(home.file("src/a.txt"), "one\n").unwrap();
    let arguments = json!({"file_path": home.file("src"), "recursive": true}).to_string();
    let deleted = home.run(&["call", "Delete", &arguments]);
    assert!(deleted.status.success(), "{}", stderr(&deleted));
    let (log, root) = (home.run(&["log"]), home.file("src").display().to_string());
    let shown = stdout(&log);
    assert!(shown.ends_with(&format!("       delete {root}/empty/\n       delete {root}/\n")), "{shown}");
    assert!(shown.contains("         -one\n"), "{shown}");
    let preview = home.run(&["undo", "--dry-run"]);
    let expected = "[Dry Run] Would undo change 1\n  src: recreated\n  src/empty: recreated\n--- /dev/null\n";
    assert!(stdout(&preview).starts_with(expected), "{}", stdout(&preview));
    assert!(home.run(&["undo"]).status.success());
    assert_eq!(home.read("src/a.txt"), "one\n");
    assert!(home.file("src/empty").is_dir());
}
