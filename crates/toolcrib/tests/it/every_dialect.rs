//! Dry run, approval, the journal and undo through every tool of every dialect that changes files; and several dialects on one
//! workspace.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib::{ApprovalRequest, Config, Decision, Dialect, Toolbox, UndoKind, UndoRequest, WithApprover};
use toolcrib_testkit::Tree;

use crate::probes::{Does, Probe, every_tool};

const NOTEBOOK: &str =
    r#"{"cells": [{"cell_type": "markdown", "metadata": {}, "source": "x"}], "nbformat": 4}"#;

struct Home {
    dir: TempDir,
    toolbox: Toolbox,
}

impl Home {
    fn new(dialect: Dialect, config: &str) -> Self {
        let dir = toolcrib_testkit::quick_dir();
        let root = dir.path().join("ws");
        fs::create_dir(&root).unwrap();
        fs::write(root.join("file"), "one\r\ninside\r\n\ttwo\u{e4}\r\n").unwrap();
        fs::write(root.join("notebook"), NOTEBOOK).unwrap();
        let config = Config::parse(&format!("[journal]\ndurability = \"fast\"\n{config}")).unwrap();
        let builder = Toolbox::builder().root(&root).dialect(dialect).config(config).more_tools(true);
        let toolbox = builder.journal_in(dir.path().join("state")).open().unwrap();
        Self { dir, toolbox }
    }

    fn tree(&self) -> Tree {
        Tree::read(&self.dir.path().join("ws"))
    }

    fn call(&self, probe: &Probe) -> Value {
        let name = match probe.does {
            Does::NotebookEdit => "notebook",
            Does::Create | Does::MakeDirectory => "new",
            _ => "file",
        };
        let root = self.dir.path().join("ws");
        probe.aim_exactly(&root, &root.join(name))
    }
}

fn changing() -> impl Iterator<Item = Probe> {
    let reads = |does: Does| {
        matches!(
            does,
            Does::Read
                | Does::Media
                | Does::ReadMany
                | Does::ReadOrList
                | Does::Stat
                | Does::List
                | Does::Search
        )
    };
    every_tool().into_iter().filter(move |probe| !reads(probe.does))
}

#[test]
fn a_dry_run_changes_nothing_and_an_undo_brings_everything_back() {
    let mut tried = 0;
    for probe in changing() {
        let case = format!("{} {} {:?}", probe.dialect, probe.tool, probe.does);
        let home = Home::new(probe.dialect, "");
        let (before, call) = (home.tree(), home.call(&probe));
        let context = home.toolbox.context();
        let shown = home.toolbox.call_blocking(probe.tool, call.clone(), &context.clone().dry_run(true));
        assert!(shown.success && shown.metadata["dry_run"] == true, "{case}: {shown:?}");
        assert_eq!(home.tree(), before, "{case}: a dry run");
        let done = home.toolbox.call_blocking(probe.tool, call, &context);
        assert!(done.success, "{case}: {done:?}");
        let after = home.tree();
        assert_ne!(after, before, "{case}");
        home.toolbox.undo(&UndoRequest::of(UndoKind::Undo, None), &context).unwrap();
        assert_eq!(home.tree(), before, "{case}: undone");
        home.toolbox.undo(&UndoRequest::of(UndoKind::Redo, None), &context).unwrap();
        assert_eq!(home.tree(), after, "{case}: redone");
        tried += 1;
    }
    assert!(tried >= 40, "{tried}");
}

#[test]
fn what_a_rule_asks_about_is_made_only_after_a_yes() {
    let rule = "[[rules]]\nkind = \"edit\"\npattern = \"**\"\naction = \"ask\"\n";
    for probe in changing() {
        let case = format!("{} {} {:?}", probe.dialect, probe.tool, probe.does);
        let home = Home::new(probe.dialect, rule);
        let (before, call) = (home.tree(), home.call(&probe));
        let asked = Arc::new(AtomicUsize::new(0));
        let answering = |decision: Decision| {
            let asked = Arc::clone(&asked);
            home.toolbox.context().approver(Arc::new(move |request: &ApprovalRequest| {
                assert!(!request.changes.is_empty());
                asked.fetch_add(1, Ordering::Relaxed);
                decision.clone()
            }))
        };
        let refused = home.toolbox.call_blocking(probe.tool, call.clone(), &answering(Decision::No(None)));
        assert_eq!(refused.metadata["error_kind"], "permission_denied", "{case}: {refused:?}");
        assert_eq!(home.tree(), before, "{case}: after a no");
        assert_eq!(asked.swap(0, Ordering::Relaxed), 1, "{case}");
        let done = home.toolbox.call_blocking(probe.tool, call, &answering(Decision::Once));
        assert!(done.success, "{case}: {done:?}");
        assert_ne!(home.tree(), before, "{case}: after a yes");
        assert_eq!(asked.load(Ordering::Relaxed), 1, "{case}");
    }
}

/// How a dialect replaces a text in a file.
fn edit(dialect: Dialect, old: &str, new: &str) -> Option<(&'static str, Value)> {
    Some(match dialect {
        Dialect::Standard | Dialect::ClaudeCode => {
            ("Edit", json!({"file_path": "$FILE", "old_string": old, "new_string": new}))
        }
        Dialect::Ekacode | Dialect::Opencode => {
            ("edit", json!({"filePath": "$FILE", "oldString": old, "newString": new}))
        }
        Dialect::Filesystem => {
            ("edit_file", json!({"path": "$FILE", "edits": [{"oldText": old, "newText": new}]}))
        }
        Dialect::TextEditor => (
            "str_replace_based_edit_tool",
            json!({"command": "str_replace", "path": "$FILE", "old_str": old, "new_str": new}),
        ),
        Dialect::Gemini => ("replace", json!({"file_path": "$FILE", "old_string": old, "new_string": new})),
        _ => return None,
    })
}

/// Each dialect is a process of its own here: a toolbox with its own session, on the same workspace and journal.
#[test]
fn agents_that_speak_different_dialects_lose_nothing_of_each_other() {
    const ROUNDS: usize = 12;
    let dir = toolcrib_testkit::quick_dir();
    let root = dir.path().join("ws");
    fs::create_dir(&root).unwrap();
    let file = root.join("file.txt");
    let dialects: Vec<Dialect> =
        Dialect::ALL.into_iter().filter(|dialect| edit(*dialect, "", "").is_some()).collect();
    let places: Vec<String> = dialects.iter().map(|dialect| format!("{dialect}: 0")).collect();
    let before = places.join("\r\n") + "\r\n";
    fs::write(&file, &before).unwrap();
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for dialect in dialects.iter().copied() {
            let (root, file, failed, state) = (&root, &file, &failed, dir.path().join("state"));
            scope.spawn(move || {
                let config = "read_before_write = false\n[journal]\ndurability = \"fast\"\n";
                let builder =
                    Toolbox::builder().root(root).dialect(dialect).config(Config::parse(config).unwrap());
                let toolbox = builder.journal_in(state).open().unwrap();
                let context = toolbox.context().session(dialect.as_str());
                for round in 0..ROUNDS {
                    let (old, new) =
                        (format!("{dialect}: {round}\r\n"), format!("{dialect}: {}\r\n", round + 1));
                    let (tool, call) = edit(dialect, &old, &new).unwrap();
                    let call = call.to_string().replace("$FILE", file.to_str().unwrap());
                    let result = toolbox.call_blocking(tool, serde_json::from_str(&call).unwrap(), &context);
                    if !result.success {
                        failed.lock().unwrap().push(format!("{dialect}: {result:?}"));
                    }
                }
            });
        }
    });
    assert_eq!(failed.into_inner().unwrap(), Vec::<String>::new());
    let after = fs::read_to_string(&file).unwrap();
    assert_eq!(after, before.replace(": 0\r\n", &format!(": {ROUNDS}\r\n")));
    // Whoever undoes all of it gets the first text back.
    let toolbox = Toolbox::builder().root(&root).journal_in(dir.path().join("state")).open().unwrap();
    for _ in 0..ROUNDS * dialects.len() {
        toolbox.undo(&UndoRequest::of(UndoKind::Undo, None), &toolbox.context()).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}
