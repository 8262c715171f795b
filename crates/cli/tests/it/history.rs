//! `toolcrib log`, `undo` and `redo`, each call a process of its own.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{stderr, stdout};

struct Home(TempDir);

/// A text in which every age is the same.
fn timeless(text: &str) -> String {
    let line = |line: &str| match line.split_once(" ago ") {
        Some((before, after)) if line.starts_with("    ") && !line.starts_with("      ") => {
            format!("{}just now        {}\n", &before[..7], after.trim_start())
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

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
    let brief = "    2  just now        cli  Write  +1 -1\n       a.txt\n    1  just now        cli  Write  +1 -0\n       a.txt (new)\n";
    assert_eq!(timeless(stdout(&log)), brief, "the latest is first");
    let patch = home.run(&["log", "-p"]);
    let diff = "\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@ hunk 1\n-one\n+two\n\n    1  ";
    assert!(stdout(&patch).contains(diff), "paths are from the root, as in every diff: {}", stdout(&patch));
    assert_eq!(stdout(&home.run(&["log", "-1"])).lines().count(), 2);

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
    let log: Value = serde_json::from_str(stdout(&home.run(&["log", "-p", "--json"]))).unwrap();
    let change = &log["metadata"]["changes"][0];
    assert_eq!(
        (&change["id"], &change["tool"], &change["agent"]),
        (&json!(1), &json!("Write"), &json!("cli"))
    );
    assert_eq!((&change["state"], &change["files"][0]["action"]), (&json!("done"), &json!("add")));
    assert!(change["files"][0]["diff"].as_str().unwrap().ends_with("+one\n"));
    let undone: Value = serde_json::from_str(stdout(&home.run(&["undo", "--json"]))).unwrap();
    assert_eq!((&undone["success"], &undone["output"]), (&json!(true), &json!("Undid change 1:\n  a.txt")));
    let facts = &undone["metadata"];
    assert_eq!((&facts["changes"], &facts["change"], &facts["merged"]), (&json!([1]), &json!(2), &json!([])));
    assert_eq!(facts["files"], json!([{"path": "a.txt", "action": "removed"}]));
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
    let log = home.run(&["log", "-p"]);
    let shown = stdout(&log);
    assert!(shown.ends_with("delete src/empty/\ndelete src/\n"), "{shown}");
    assert!(shown.contains("\n-one\n"), "{shown}");
    let preview = home.run(&["undo", "--dry-run"]);
    let expected = "[Dry Run] Would undo change 1\n  src: recreated\n  src/empty: recreated\n--- /dev/null\n";
    assert!(stdout(&preview).starts_with(expected), "{}", stdout(&preview));
    assert!(home.run(&["undo"]).status.success());
    assert_eq!(home.read("src/a.txt"), "one\n");
    assert!(home.file("src/empty").is_dir());
}

#[test]
fn several_changes_parts_of_one_and_sessions_are_undone() {
    let home = Home::new();
    let lines = |one: &str, two: &str| {
        let between: String = (0..9).map(|n| format!("line {n}\n")).collect();
        format!("{one}\n{between}{two}\n")
    };
    home.write("a.txt", &lines("1", "2"));
    home.write("a.txt", &lines("one", "two"));
    home.write("a.txt", &lines("ONE", "two"));
    let conflict = home.run(&["undo", "2"]);
    assert_eq!(conflict.status.code(), Some(1));
    let said =
        "a.txt: change 3 touched the same lines as change 2\nhint: undo 3 first, or `toolcrib undo 2 3`\n";
    assert!(stderr(&conflict).ends_with(said), "{}", stderr(&conflict));

    let show = home.run(&["show", "2"]);
    assert!(stdout(&show).starts_with("change 2  Write  by cli\n"), "{}", stdout(&show));
    assert!(stdout(&show).contains("@@ -8,4 +8,4 @@ hunk 2\n line 6\n"), "{}", stdout(&show));
    let part = "Undid change 2:\n  a.txt\nMerged: kept later changes to other lines of a.txt\n";
    assert_eq!(stdout(&home.run(&["undo", "2", "--hunks", "2"])), part);
    assert_eq!(home.read("a.txt"), lines("ONE", "2"));
    assert!(stdout(&home.run(&["log"])).contains("Write  +2 -2  [partly undone]\n"));
    assert!(stdout(&home.run(&["show", "2"])).contains("@@ hunk 2, undone\n"));
    for (wrong, said) in [
        (&["undo", "2", "--hunks", "3"][..], "Change 2 has hunks 1 to 2; '3' names none of them"),
        (&["undo", "2", "3", "--hunks", "1"], "Hunks can be chosen in one change at a time"),
        (&["undo", "2", "--hunks"], "--hunks without numbers asks on a terminal, and there is none"),
    ] {
        let output = home.run(wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert!(stderr(&output).starts_with(&format!("error: {said}\n")), "{}", stderr(&output));
    }
    let range = home.run(&["undo", "2..9"]);
    assert!(stdout(&range).starts_with("Undid changes 3 and 2:\n  a.txt\n"), "{}", stdout(&range));
    assert_eq!(home.read("a.txt"), lines("1", "2"));
    let empty = home.run(&["undo", "2..3"]);
    assert!(
        stderr(&empty).starts_with("error: There is nothing to undo in this range\n"),
        "{}",
        stderr(&empty)
    );
    let redo = home.run(&["redo", "3"]);
    assert_eq!(stdout(&redo), "Redid changes 3 and 2:\n  a.txt\n");

    let arguments = json!({"file_path": home.file("b.txt"), "content": "b\n"}).to_string();
    home.run(&["call", "Write", &arguments, "--session", "s1"]);
    let arguments = json!({"file_path": home.file("c.txt"), "content": "c\n"}).to_string();
    home.run(&["call", "Write", &arguments, "--session", "s1"]);
    assert_eq!(stdout(&home.run(&["diff", "--session", "s1", "--name-only"])), "b.txt\nc.txt\n");
    assert!(home.run(&["undo", "--session", "s1"]).status.success());
    assert!(!home.file("b.txt").exists() && !home.file("c.txt").exists());
    assert!(home.run(&["redo", "--session", "s1"]).status.success());
    assert!(home.file("b.txt").exists() && home.file("c.txt").exists());
    let none = home.run(&["undo", "--session", "s2"]);
    assert!(
        stderr(&none).starts_with("error: There is nothing to undo in session s2\n"),
        "{}",
        stderr(&none)
    );
    assert!(home.run(&["undo", "--file", "c.txt"]).status.success());
    assert!(home.file("b.txt").exists() && !home.file("c.txt").exists());
    assert!(home.run(&["undo", "--since", "1h"]).status.success());
    assert!(!home.file("a.txt").exists() && !home.file("b.txt").exists());
}

/// As git finds its repository.
#[test]
fn the_journal_of_the_nearest_root_above_is_used_and_named() {
    let home = Home::new();
    fs::create_dir_all(home.file("src/deep")).unwrap();
    home.write("src/deep/a.txt", "one\n");
    let run = |args: &[&str]| {
        let mut toolcrib = Command::new(env!("CARGO_BIN_EXE_toolcrib"));
        toolcrib.args(args).current_dir(home.file("src/deep"));
        toolcrib.env("XDG_STATE_HOME", home.0.path().join("state"));
        toolcrib.env("XDG_CONFIG_HOME", home.0.path().join("config")).output().unwrap()
    };
    let log = run(&["log", "--oneline"]);
    let root = home.0.path().join("ws").canonicalize().unwrap();
    assert_eq!(stderr(&log), format!("Using the journal of {}\n", root.display()));
    assert!(stdout(&log).starts_with("1 Write src/deep/a.txt (new) ("), "{}", stdout(&log));
    assert!(stdout(&run(&["log", "--", "a.txt"])).contains("a.txt"), "paths are from the current directory");
    assert_eq!(stderr(&run(&["log", "--", "b.txt"])).lines().nth(1), Some("No recorded change fits"));
    assert_eq!(stdout(&run(&["undo", "--file", "a.txt"])), "Undid change 1:\n  src/deep/a.txt\n");
    // One that has its own journal uses that.
    let arguments = json!({"file_path": home.file("src/deep/b.txt"), "content": "b"}).to_string();
    assert!(run(&["call", "Write", &arguments]).status.success());
    assert_eq!(stderr(&run(&["log"])), "");
}

/// What fingers type that know git.
#[test]
fn the_ways_of_git_are_understood() {
    let home = Home::new();
    for content in ["one\n", "two\n", "three\n"] {
        home.write("a.txt", content);
    }
    home.write("b.txt", "b\n");
    let lines = |args: &[&str]| {
        let output = home.run(args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        stdout(&output).lines().count()
    };
    for (args, count) in [
        (&["log", "-n", "2", "--oneline"][..], 2),
        (&["log", "-n2", "--oneline"], 2),
        (&["log", "-3", "--oneline"], 3),
        (&["log", "--oneline", "--", "a.txt"], 3),
        (&["log", "--oneline", "a.txt"], 3),
        (&["log", "--oneline", "--author", "cli"], 4),
        (&["log", "--oneline", "--author", "nobody"], 0),
        (&["log", "--oneline", "--since", "yesterday"], 4),
        (&["log", "--oneline", "--until", "2.hours.ago"], 0),
        (&["log", "--oneline", "--grep", "B.TXT"], 1),
        (&["log", "--stat", "-1"], 2),
        (&["diff", "--stat"], 2),
        (&["diff", "--name-only"], 2),
        (&["diff", "2..3", "--name-only"], 1),
        (&["show", "--stat"], 4),
        (&["show", "2", "--stat"], 4),
    ] {
        assert_eq!(lines(args), count, "{args:?}");
    }
    assert_eq!(stdout(&home.run(&["diff", "2..3"])), "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+three\n");
    assert!(stdout(&home.run(&["show"])).contains("+++ b/b.txt\n"));
    let unknown = home.run(&["show", "HEAD"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("must be the number of a change"), "{}", stderr(&unknown));
}
