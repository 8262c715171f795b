//! The Undo tool: off unless the user wants it, and under the rules of every change.

use std::fs;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib::{ApprovalRequest, Config, Decision, Dialect, ToolResult, Toolbox, WithApprover};

struct Home {
    base: TempDir,
    toolbox: Toolbox,
}

impl Home {
    fn new(dialect: Dialect, config: &str) -> Self {
        let base = tempfile::tempdir().unwrap();
        fs::create_dir(base.path().join("ws")).unwrap();
        let config = Config::parse(config).unwrap();
        let builder = Toolbox::builder().root(base.path().join("ws")).config(config).dialect(dialect);
        let toolbox = builder.journal_in(base.path().join("state")).open().unwrap();
        Self { base, toolbox }
    }

    fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        self.toolbox.call_blocking(tool, arguments, &self.toolbox.context())
    }

    fn write(&self, content: &str) {
        let path = self.base.path().join("ws/a.txt");
        let result = match self.toolbox.dialect() {
            Dialect::Ekacode => self.call("write", json!({"filePath": path, "content": content})),
            _ => self.call("Write", json!({"file_path": path, "content": content})),
        };
        assert!(result.success, "{result:?}");
    }

    fn read(&self) -> Option<String> {
        fs::read_to_string(self.base.path().join("ws/a.txt")).ok()
    }
}

const ON: &str = "undo_tool = true\n";

#[test]
fn it_is_off_unless_the_user_wants_it() {
    for (dialect, name) in [(Dialect::Standard, "Undo"), (Dialect::Ekacode, "undo")] {
        for (config, there) in [("", false), (ON, true)] {
            let home = Home::new(dialect, config);
            assert_eq!(home.toolbox.executor().registry().exists(name), there);
        }
    }
}

#[test]
fn changes_are_undone_and_made_again_in_both_dialects() {
    for (dialect, name) in [(Dialect::Standard, "Undo"), (Dialect::Ekacode, "undo")] {
        let home = Home::new(dialect, ON);
        home.write("one\n");
        home.write("two\n");
        let undone = home.call(name, json!({}));
        assert!(undone.success, "{undone:?}");
        assert_eq!(home.read().as_deref(), Some("one\n"));
        assert!(undone.metadata["diff"].as_str().unwrap().ends_with("-two\n+one\n"), "{undone:?}");
        assert!(home.call(name, json!({"redo": true})).success);
        assert_eq!(home.read().as_deref(), Some("two\n"));
        assert!(home.call(name, json!({"change": 2})).success);
        assert!(home.call(name, json!({})).success);
        assert_eq!(home.read(), None);
        let nothing = home.call(name, json!({}));
        assert_eq!(nothing.error.as_deref(), Some("There is nothing to undo"));
        let records = home.toolbox.journal().unwrap().log(10).unwrap();
        assert_eq!(records.iter().filter(|record| record.tool == name).count(), 4);
    }
}

#[test]
fn what_it_says() {
    let home = Home::new(Dialect::Standard, ON);
    home.write("one\n");
    let path = home.base.path().join("ws/a.txt");
    let undone = home.call("Undo", json!({}));
    assert_eq!(undone.output, format!("Undid change 1 (Write):\n  removed {}", path.display()));
    assert_eq!(undone.metadata["taken_back"], 1);
    assert_eq!(undone.metadata["files"], json!([{"path": path, "action": "removed"}]));
}

#[test]
fn a_dry_run_shows_it() {
    let home = Home::new(Dialect::Standard, ON);
    home.write("one\n");
    let context = home.toolbox.context().dry_run(true);
    let shown = home.toolbox.call_blocking("Undo", json!({}), &context);
    assert!(shown.output.as_str().unwrap().starts_with("[Dry Run] Would delete "), "{shown:?}");
    assert_eq!(home.read().as_deref(), Some("one\n"));
}

/// A rule that came after the change holds for undoing it too; and it does not show what may not be read.
#[test]
fn the_rules_hold() {
    for kind in ["edit", "read"] {
        let home = Home::new(Dialect::Standard, ON);
        home.write("one\n");
        home.write("two\n");
        let rule = format!("{ON}[[rules]]\nkind = \"{kind}\"\npattern = \"a.txt\"\naction = \"deny\"\n");
        let root = home.base.path().join("ws");
        let builder = Toolbox::builder().root(root).config(Config::parse(&rule).unwrap());
        let strict = builder.journal_in(home.base.path().join("state")).open().unwrap();
        for context in [strict.context(), strict.context().dry_run(true)] {
            let refused = strict.call_blocking("Undo", json!({}), &context);
            assert_eq!(refused.metadata["error_kind"], "permission_denied", "{refused:?}");
        }
        assert_eq!(home.read().as_deref(), Some("two\n"));
    }
}

#[test]
fn without_a_number_a_session_undoes_its_own() {
    let home = Home::new(Dialect::Standard, &format!("{ON}read_before_write = false\n"));
    let write = |session: &str, name: &str| {
        let path = home.base.path().join("ws").join(name);
        let context = home.toolbox.context().session(session);
        assert!(
            home.toolbox.call_blocking("Write", json!({"file_path": path, "content": "x"}), &context).success
        );
    };
    write("one", "of-one");
    write("two", "of-two");
    let context = home.toolbox.context().session("one");
    let undone = home.toolbox.call_blocking("Undo", json!({}), &context);
    assert_eq!(undone.metadata["taken_back"], 1, "{undone:?}");
    assert!(home.base.path().join("ws/of-two").exists() && !home.base.path().join("ws/of-one").exists());
}

#[test]
fn what_somebody_has_changed_since_is_not_lost() {
    let home = Home::new(Dialect::Standard, ON);
    home.write("one\na\nb\nc\n");
    home.write("two\na\nb\nc\n");
    let path = home.base.path().join("ws/a.txt");
    fs::write(&path, "mine\na\nb\nc\n").unwrap();
    let refused = home.call("Undo", json!({}));
    assert_eq!(refused.metadata["error_kind"], "conflict", "{refused:?}");
    assert!(refused.metadata["restored_version"].is_string());
    fs::write(&path, "two\na\nb\nc\nmine\n").unwrap();
    let merged = home.call("Undo", json!({}));
    assert_eq!(merged.metadata["merged"], json!([path]), "{merged:?}");
    assert_eq!(home.read().as_deref(), Some("one\na\nb\nc\nmine\n"));
}

/// A change that a person or another agent made is not undone behind their back.
#[test]
fn what_others_have_made_is_asked_for_with_the_change() {
    for (session, agent) in [(None, Some("cli")), (Some("other"), Some("mcp")), (Some("other"), None)] {
        let home = Home::new(Dialect::Standard, ON);
        let mut theirs = home.toolbox.context();
        (theirs.session_id, theirs.agent_id) = (session.map(str::to_owned), agent.map(str::to_owned));
        let path = home.base.path().join("ws/a.txt");
        let write = json!({"file_path": path, "content": "theirs\n"});
        assert!(home.toolbox.call_blocking("Write", write, &theirs).success);

        let own = home.toolbox.context().session("own").agent("mcp");
        let undo = |approver: Option<Decision>| {
            let asked = Arc::new(Mutex::new(Vec::new()));
            let context = match approver {
                None => own.clone(),
                Some(answer) => {
                    let asked = Arc::clone(&asked);
                    own.clone().approver(Arc::new(move |request: &ApprovalRequest| {
                        asked.lock().unwrap().push(request.clone());
                        answer.clone()
                    }))
                }
            };
            let result = home.toolbox.call_blocking("Undo", json!({"change": 1}), &context);
            (result, Arc::into_inner(asked).map(|asked| asked.into_inner().unwrap()))
        };
        let (nobody, _) = undo(None);
        assert_eq!(nobody.metadata["error_kind"], "permission_denied", "{nobody:?}");
        assert!(nobody.error.unwrap().contains("change 1 was made by"), "it says why");
        let (no, _) = undo(Some(Decision::No(None)));
        assert_eq!(no.metadata["refused_by"], "user", "{no:?}");
        assert_eq!(home.read().as_deref(), Some("theirs\n"));
        // Another program saves while the person thinks: what would be done is another thing then, and is asked for again.
        let saved = path.clone();
        let context = own.clone().approver(Arc::new(move |request: &ApprovalRequest| {
            let [change] = &request.changes[..] else { panic!("one file") };
            assert_eq!(
                change.before.as_deref(),
                Some(&b"theirs\n"[..]),
                "nothing is asked for that was not shown"
            );
            fs::write(&saved, "saved meanwhile\n").unwrap();
            Decision::Once
        }));
        let raced = home.toolbox.call_blocking("Undo", json!({"change": 1}), &context);
        assert_eq!(raced.metadata["error_kind"], "conflict", "{raced:?}");
        assert_eq!(home.read().as_deref(), Some("saved meanwhile\n"));
        fs::write(&path, "theirs\n").unwrap();
        let (yes, _) = undo(Some(Decision::Once));
        assert!(yes.success, "{yes:?}");
        assert_eq!(home.read(), None);
    }
}
