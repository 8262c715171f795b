//! `toolcrib record` and the hooks of agents: what others change is in the journal, and undone to the byte.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{stderr, stdout};

pub(crate) struct Home(pub(crate) TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("ws")).unwrap();
        Self(dir)
    }

    pub(crate) fn ws(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap().join("ws")
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolcrib"));
        command.args(args).current_dir(self.ws()).env_remove("CLAUDE_PROJECT_DIR").env("HOME", self.0.path());
        command.env("XDG_STATE_HOME", self.0.path().join("state"));
        command
    }

    pub(crate) fn toolcrib(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub(crate) fn start_hook(&self, agent: &str, event: &Value) -> Child {
        let mut child = self
            .command(&["record-hook", agent])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        child
    }

    pub(crate) fn hook(&self, agent: &str, event: &Value) -> Output {
        let output = self.start_hook(agent, event).wait_with_output().unwrap();
        assert_eq!((output.status.code(), stdout(&output)), (Some(0), ""), "{}", stderr(&output));
        output
    }

    /// Runs `change` as the call of a tool of Claude Code's.
    fn claude(&self, tool: &str, id: &str, input: &Value, change: impl FnOnce()) -> Output {
        let event = |name: &str| {
            json!({
                "session_id": "s1", "transcript_path": "/t.jsonl", "cwd": self.ws(), "permission_mode": "default",
                "hook_event_name": name, "tool_name": tool, "tool_input": input, "tool_use_id": id
            })
        };
        self.hook("claude-code", &event("PreToolUse"));
        change();
        let mut after = event("PostToolUse");
        after["tool_response"] = json!({"filePath": input["file_path"], "originalFile": "…"});
        self.hook("claude-code", &after)
    }

    pub(crate) fn log(&self) -> Vec<Value> {
        let log = self.toolcrib(&["log", "--json"]);
        let answer: Value = serde_json::from_str(stdout(&log)).unwrap_or_else(|_| panic!("{log:?}"));
        answer["metadata"]["changes"].as_array().unwrap_or_else(|| panic!("{log:?}")).clone()
    }

    pub(crate) fn undo(&self, id: &str) {
        let undone = self.toolcrib(&["undo", id]);
        assert!(undone.status.success(), "{}", stderr(&undone));
    }

    /// Every name below the workspace with what it leads to.
    pub(crate) fn tree(&self) -> Vec<(PathBuf, String)> {
        fn collect(dir: &Path, found: &mut Vec<(PathBuf, String)>) {
            for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
                let (path, kind) = (entry.path(), entry.file_type().unwrap());
                let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
                let what = if kind.is_symlink() {
                    format!("link to {:?}", fs::read_link(&path).unwrap())
                } else if kind.is_dir() {
                    collect(&path, found);
                    format!("{mode:o}")
                } else {
                    format!("{mode:o} {:?}", fs::read(&path).unwrap())
                };
                found.push((path, what));
            }
        }
        let mut found = Vec::new();
        collect(&self.ws(), &mut found);
        found.sort();
        found
    }
}

#[test]
fn an_agents_edit_is_shown_and_undone_to_the_byte() {
    let home = Home::new();
    let file = home.ws().join("a.bin");
    fs::write(&file, b"old\r\n\xff\0no newline").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let before = home.tree();
    home.claude("Edit", "toolu_1", &json!({"file_path": file, "old_string": "a", "new_string": "b"}), || {
        fs::write(&file, b"new\r\n").unwrap();
    });
    home.claude(
        "Write",
        "toolu_2",
        &json!({"file_path": home.ws().join("new/deep/b"), "content": "b"}),
        || {
            fs::create_dir_all(home.ws().join("new/deep")).unwrap();
            fs::write(home.ws().join("new/deep/b"), "b").unwrap();
        },
    );
    let log = home.log();
    assert_eq!(log.len(), 2);
    assert_eq!([&log[1]["tool"], &log[1]["agent"], &log[1]["session"]], ["Edit", "claude-code", "s1"]);
    assert_eq!(log[0]["tool"], "Write");
    home.undo("2");
    home.undo("1");
    assert_eq!(home.tree(), before);
    assert!(home.toolcrib(&["redo", "1"]).status.success());
    assert_eq!(fs::read(&file).unwrap(), b"new\r\n");
}

#[test]
fn every_agent_is_understood() {
    let home = Home::new();
    let file = home.ws().join("a");
    let patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-0\n+1\n*** End Patch";
    let agents = [
        ("gemini", "BeforeTool", "AfterTool", "replace", json!({"file_path": file, "old_string": "0"}), None),
        ("qwen", "PreToolUse", "PostToolUse", "edit", json!({"file_path": "a"}), Some("call_1")),
        ("opencode", "PreToolUse", "PostToolUse", "apply_patch", json!({"patchText": patch}), Some("c1")),
        (
            "claude-code",
            "PreToolUse",
            "PostToolUseFailure",
            "NotebookEdit",
            json!({"notebook_path": file}),
            Some("t"),
        ),
    ];
    for (number, (agent, pre, post, tool, input, id)) in agents.into_iter().enumerate() {
        fs::write(&file, "0").unwrap();
        let event = |name: &str| {
            json!({"session_id": "s", "cwd": home.ws(), "hook_event_name": name, "timestamp": "2026-01-01T00:00:00Z",
                   "tool_name": tool, "tool_input": input, "tool_use_id": id})
        };
        home.hook(agent, &event(pre));
        if agent == "opencode" {
            fs::rename(&file, home.ws().join("b")).unwrap();
        } else {
            fs::write(&file, "1").unwrap();
        }
        home.hook(agent, &event(post));
        let log = home.log();
        assert_eq!(log.len(), 2 * number + 1, "{agent}");
        assert_eq!([&log[0]["agent"], &log[0]["tool"]], [agent, tool]);
        let action = if agent == "opencode" { "move" } else { "update" };
        assert_eq!(log[0]["files"][0]["action"], action, "{agent}");
        home.undo(&log[0]["id"].to_string());
        assert_eq!(fs::read_to_string(&file).unwrap(), "0", "{agent}");
    }
}

#[test]
fn calls_at_once_are_told_apart() {
    let home = Home::new();
    let file = home.ws().join("a");
    fs::write(&file, "0").unwrap();
    let event = |name: &str, id: Option<&str>| {
        json!({"session_id": "s", "cwd": home.ws(), "hook_event_name": name, "tool_name": "Edit",
               "tool_input": {"file_path": file}, "tool_use_id": id})
    };
    for ids in [[Some("one"), Some("two")], [None, None]] {
        fs::write(&file, "0").unwrap();
        for id in ids {
            home.hook("claude-code", &event("PreToolUse", id));
        }
        fs::write(&file, "1").unwrap();
        home.hook("claude-code", &event("PostToolUse", ids[0]));
        fs::write(&file, "2").unwrap();
        home.hook("claude-code", &event("PostToolUse", ids[1]));
        let log = home.log();
        home.undo(&log[0]["id"].to_string());
        assert_eq!(fs::read_to_string(&file).unwrap(), "1");
        home.undo(&log[1]["id"].to_string());
        assert_eq!(fs::read_to_string(&file).unwrap(), "0");
    }
}

#[test]
fn a_call_that_never_ended_records_nothing_and_stops_nobody() {
    let home = Home::new();
    let file = home.ws().join("a");
    fs::write(&file, "0").unwrap();
    let event = |name: &str, id: &str| {
        json!({"session_id": "s", "cwd": home.ws(), "hook_event_name": name, "tool_name": "Edit",
               "tool_input": {"file_path": file}, "tool_use_id": id})
    };
    home.hook("claude-code", &event("PreToolUse", "denied"));
    home.claude("Edit", "made", &json!({"file_path": file}), || fs::write(&file, "1").unwrap());
    assert_eq!(home.log().len(), 1);
    // One that was not announced cannot be recorded, and that is said, now and later.
    fs::write(&file, "2").unwrap();
    let said = home.hook("claude-code", &event("PostToolUse", "unknown"));
    assert!(stderr(&said).contains("not announced"), "{}", stderr(&said));
    let doctor = home.toolcrib(&["doctor"]);
    assert!(stdout(&doctor).contains("not announced"), "{}", stdout(&doctor));
    assert_eq!(home.log().len(), 1);
}

#[test]
fn what_is_no_event_or_lies_outside_fails_nothing() {
    let home = Home::new();
    fs::write(home.0.path().join("outside"), "0").unwrap();
    for event in [json!({}), json!([1]), json!({"hook_event_name": "PreToolUse", "tool_name": "Edit"})] {
        home.hook("claude-code", &event);
    }
    symlink("../outside", home.ws().join("link")).unwrap();
    for path in ["../outside", "link"] {
        let said = home.claude("Write", path, &json!({"file_path": home.ws().join(path)}), || {
            fs::write(home.0.path().join("outside"), path).unwrap();
        });
        drop(said);
    }
    assert!(home.log().is_empty());
    let doctor = home.toolcrib(&["doctor"]);
    assert!(stdout(&doctor).contains("outside"), "{}", stdout(&doctor));
}

#[test]
fn what_may_not_be_read_is_recorded_without_its_contents() {
    let home = Home::new();
    let secret = home.ws().join(".env");
    fs::write(&secret, "KEY=old-secret").unwrap();
    home.claude("Write", "t", &json!({"file_path": secret}), || {
        fs::write(&secret, "KEY=new-secret").unwrap()
    });
    assert_eq!(home.log().len(), 1);
    let kept =
        Command::new("grep").args(["-rl", "secret"]).arg(home.0.path().join("state")).output().unwrap();
    assert_eq!(stdout(&kept), "", "no copy of it is anywhere");
    assert!(!home.toolcrib(&["undo", "1"]).status.success());
    assert_eq!(fs::read_to_string(&secret).unwrap(), "KEY=new-secret");
}

/// Killed at any moment, a hook leaves the file alone and the journal readable.
#[test]
fn a_hook_that_is_killed_leaves_everything_as_it_is() {
    let home = Home::new();
    let file = home.ws().join("a");
    for round in 0..20_u64 {
        fs::write(&file, "0").unwrap();
        let event = |name: &str| {
            json!({"session_id": "s", "cwd": home.ws(), "hook_event_name": name, "tool_name": "Edit",
                   "tool_input": {"file_path": file}, "tool_use_id": format!("t{round}")})
        };
        let is_before = round % 2 == 0;
        if !is_before {
            home.hook("claude-code", &event("PreToolUse"));
            fs::write(&file, "1").unwrap();
        }
        let mut hook =
            home.start_hook("claude-code", &event(if is_before { "PreToolUse" } else { "PostToolUse" }));
        std::thread::sleep(std::time::Duration::from_micros(400 * round));
        let _ = hook.kill();
        hook.wait().unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), if is_before { "0" } else { "1" });
        let log = home.log();
        assert!(log.iter().all(|change| change["state"] == "done"), "{log:?}");
    }
    let checked = home.toolcrib(&["doctor", "--journal"]);
    assert!(!stdout(&checked).contains("damaged"), "{}", stdout(&checked));
}

#[test]
fn all_that_a_command_changes_is_one_change() {
    let home = Home::new();
    let ws = home.ws();
    for (name, content) in
        [("kept", "k"), ("changed", "c"), ("gone", "g"), ("dir/sub/moved", "m"), ("mode", "x")]
    {
        fs::create_dir_all(ws.join(name).parent().unwrap()).unwrap();
        fs::write(ws.join(name), content).unwrap();
    }
    symlink("kept", ws.join("link")).unwrap();
    fs::write(ws.join(".gitignore"), "ignored\n").unwrap();
    fs::write(ws.join("ignored"), "0").unwrap();
    fs::create_dir(ws.join(".git")).unwrap();
    let before = home.tree();
    let script = "set -e; printf C > changed; rm gone; mv dir/sub/moved moved; rm -r dir; chmod +x mode; ln -sfn mode link; \
                  mkdir -p new/dir; echo n > new/dir/file; exit 7";
    let run = home.toolcrib(&["record", "--", "sh", "-c", script]);
    assert_eq!(run.status.code(), Some(7), "{}", stderr(&run));
    assert!(stderr(&run).contains("recorded as change 1"), "{}", stderr(&run));
    let log = home.log();
    assert_eq!((log.len(), log[0]["agent"].as_str()), (1, Some("record")));
    let moved = log[0]["files"].as_array().unwrap().iter().find(|file| file["action"] == "move").unwrap();
    assert!(moved["from"].as_str().unwrap().ends_with("dir/sub/moved"), "{moved}");
    let after = home.tree();
    home.undo("1");
    assert_eq!(home.tree(), before);
    assert!(home.toolcrib(&["redo", "1"]).status.success());
    assert_eq!(home.tree(), after);
    home.undo("1");

    // What is ignored is left out, unless it is asked for.
    for (options, recorded) in [(&[][..], 0), (&["--ignored"][..], 1)] {
        let count = home.log().len();
        let args =
            [&["record"], options, &["--", "sh", "-c", "echo 1 >> ignored; echo 1 >> .git/index"]].concat();
        assert!(home.toolcrib(&args).status.success());
        assert_eq!(home.log().len() - count, recorded, "{options:?}");
    }
}

#[test]
fn what_was_ignored_before_is_not_taken_for_new() {
    let home = Home::new();
    fs::write(home.ws().join(".gitignore"), "mine\n").unwrap();
    fs::write(home.ws().join("mine"), "precious").unwrap();
    // The clock of the file system may lag behind.
    std::thread::sleep(std::time::Duration::from_millis(200));
    let run = home.toolcrib(&["record", "--", "sh", "-c", ": > .gitignore; echo n > new"]);
    assert!(stderr(&run).contains("mine was ignored"), "{}", stderr(&run));
    home.undo("1");
    assert_eq!(fs::read_to_string(home.ws().join("mine")).unwrap(), "precious");
    assert!(!home.ws().join("new").exists());
}

#[test]
fn bounds_are_kept_and_said() {
    let home = Home::new();
    fs::write(home.ws().join("large"), vec![b'x'; 2 << 20]).unwrap();
    fs::write(home.ws().join("small"), "s").unwrap();
    let run = home.toolcrib(&["record", "--max-size", "1", "--", "sh", "-c", "echo >> large; echo >> small"]);
    assert!(run.status.success() && stderr(&run).contains("ws/large"), "{}", stderr(&run));
    home.undo("1");
    assert_eq!(fs::read_to_string(home.ws().join("small")).unwrap(), "s");
    assert_eq!(fs::metadata(home.ws().join("large")).unwrap().len(), (2 << 20) + 1);
}

#[test]
fn a_command_that_is_not_there_or_dies_says_so() {
    let home = Home::new();
    let missing = home.toolcrib(&["record", "no-such-command", "--", "-x"]);
    assert!(!missing.status.success() && stderr(&missing).contains("no-such-command"));
    let killed = home.toolcrib(&["record", "sh", "-c", "echo 1 > a; kill -9 $$"]);
    assert_eq!(killed.status.code(), Some(137));
    assert_eq!(home.log().len(), 1, "what it did before is recorded");
}

#[test]
fn a_signal_reaches_the_command_and_what_it_did_is_recorded() {
    let home = Home::new();
    let script = "trap 'echo told > told; exit 3' TERM; : > ready; while :; do sleep 0.05; done";
    let mut run = home
        .command(&["record", "--", "sh", "-c", script])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !home.ws().join("ready").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let told = Command::new("kill").args(["-TERM", &run.id().to_string()]).status().unwrap();
    assert!(told.success());
    assert_eq!(run.wait().unwrap().code(), Some(3));
    assert_eq!(home.log().len(), 1);
    home.undo("1");
    assert!(home.tree().is_empty());
}

/// 5,000 files in the long run.
#[test]
fn a_checkout_is_undone_exactly() {
    let files = if std::env::var_os("TOOLCRIB_SOAK").is_some() { 5_000 } else { 300 };
    let home = Home::new();
    let git = |args: &[&str]| {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main"];
        let done = Command::new("git").args(identity).args(args).current_dir(home.ws()).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    let write = |text: &str, only: &dyn Fn(usize) -> bool| {
        for n in (0..files).filter(|n| only(*n)) {
            let path = home.ws().join(format!("d{}/f{n}", n % 37));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{text} {n}\n")).unwrap();
        }
    };
    write("one", &|_| true);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "one"]);
    git(&["checkout", "-qb", "other"]);
    for directory in ["d1", "d2"] {
        fs::remove_dir_all(home.ws().join(directory)).unwrap();
    }
    write("two", &|n| n % 37 > 2);
    fs::create_dir(home.ws().join("d1")).unwrap();
    symlink("d3", home.ws().join("d2")).unwrap();
    fs::write(home.ws().join("d1/x"), "x").unwrap();
    git(&["add", "-A"]);
    git(&["commit", "-qm", "two"]);
    git(&["checkout", "-q", "main"]);
    let without_git = || {
        home.tree()
            .into_iter()
            .filter(|(path, _)| !path.starts_with(home.ws().join(".git")))
            .collect::<Vec<_>>()
    };
    let before = without_git();
    let run = home.toolcrib(&["record", "--", "git", "checkout", "-q", "other"]);
    assert!(run.status.success(), "{}", stderr(&run));
    assert_ne!(without_git(), before);
    home.undo("1");
    assert_eq!(without_git(), before);
}

#[test]
fn the_hook_is_installed_once_and_everything_else_stays() {
    let home = Home::new();
    let init = |args: &[&str]| home.toolcrib(&[&["init"], args].concat());
    let own = r#"{
  // mine
  "model": "m",
  "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}]}
}
"#;
    for (client, file, event) in [
        ("claude-code", ".claude/settings.json", "PreToolUse"),
        ("gemini", ".gemini/settings.json", "BeforeTool"),
        ("qwen", ".qwen/settings.json", "PreToolUse"),
    ] {
        let path = home.0.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, own).unwrap();
        assert!(!init(&[client, "--record"]).status.success(), "nobody said yes");
        assert_eq!(fs::read_to_string(&path).unwrap(), own);
        let done = init(&[client, "--record", "--yes"]);
        assert!(done.status.success() && stdout(&done).contains("record-hook"), "{}", stderr(&done));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("// mine") && text.contains("\"command\": \"mine\""), "{text}");
        let settings: Value = serde_json::from_str(&text.replace("// mine", "")).unwrap();
        let entry = settings["hooks"][event].as_array().unwrap().last().unwrap();
        let command = entry["hooks"][0]["command"].as_str().unwrap();
        assert!(command.ends_with(&format!("record-hook {client} || true")), "{command}");
        assert!(init(&[client, "--record", "--yes"]).status.success());
        assert_eq!(fs::read_to_string(&path).unwrap(), text, "the second time");
    }
    assert!(init(&["opencode", "--record", "--yes"]).status.success());
    let plugin =
        fs::read_to_string(home.0.path().join(".config/opencode/plugin/toolcrib-record.js")).unwrap();
    assert!(plugin.contains(env!("CARGO_BIN_EXE_toolcrib")), "{plugin}");
    let printed = init(&["claude-code", "--record", "--print"]);
    assert!(stdout(&printed).contains("PostToolUse"));
    let refused = init(&["cursor", "--record", "--yes"]);
    assert!(stderr(&refused).contains("toolcrib record --"), "{}", stderr(&refused));
}

const HOOKED: [(&str, &str); 4] = [
    ("claude-code", ".claude/settings.json"),
    ("gemini", ".gemini/settings.json"),
    ("qwen", ".qwen/settings.json"),
    ("opencode", ".config/opencode/plugin/toolcrib-record.js"),
];

#[test]
fn the_hook_that_init_has_installed_uninit_removes_and_nothing_else() {
    let own = [
        "{}\n",
        "{\n  // mine\n  \"model\": \"m\"\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]\n  }\n}\n",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": []}\n    ],\n    \
         \"BeforeTool\": [\n      {\"hooks\": []} // also mine\n    ]\n  }\n}\n",
    ];
    for (client, file) in HOOKED {
        let is_plugin = client == "opencode";
        for own in own.into_iter().take(if is_plugin { 1 } else { own.len() }) {
            let home = Home::new();
            let path = home.0.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if !is_plugin {
                fs::write(&path, own).unwrap();
            }
            assert!(home.toolcrib(&["init", client, "--record", "--yes"]).status.success());
            let with = fs::read_to_string(&path).unwrap();
            assert!(with.contains("record-hook"), "{client}: {with}");
            assert_eq!(stdout(&home.toolcrib(&["uninit"])), format!("toolcrib uninit {client}\n"));
            assert_eq!(home.toolcrib(&["uninit", client]).status.code(), Some(1), "nobody said yes");
            let dry = home.toolcrib(&["uninit", client, "--dry-run"]);
            assert!(stdout(&dry).contains("record-hook"), "{client}: {}", stdout(&dry));
            assert_eq!(fs::read_to_string(&path).unwrap(), with, "{client}");
            let removed = home.toolcrib(&["uninit", client, "--yes"]);
            assert!(removed.status.success(), "{client}: {}", stderr(&removed));
            let left = fs::read_to_string(&path).ok();
            assert_eq!(left.as_deref(), (!is_plugin).then_some(own), "{client}");
            let again = home.toolcrib(&["uninit", client, "--yes"]);
            assert!(stderr(&again).contains("does not have Toolcrib"), "{client}: {}", stderr(&again));
        }
    }
}

#[test]
fn uninit_removes_server_and_hook_together_and_leaves_other_plugins() {
    for (client, file) in HOOKED {
        let home = Home::new();
        for wishes in [&["--record", "--yes"][..], &["--yes"]] {
            let done = home.toolcrib(&[&["init", client, "--no-check"], wishes].concat());
            assert!(done.status.success(), "{client}: {}", stderr(&done));
        }
        assert!(home.toolcrib(&["uninit", client, "--yes"]).status.success());
        let left = fs::read_to_string(home.0.path().join(file)).unwrap_or_default();
        assert!(!left.contains("toolcrib"), "{client}: {left}");
        assert_eq!(stdout(&home.toolcrib(&["uninit"])), "No agent has Toolcrib\n");
    }
    // In a project, and in a file that is named.
    let home = Home::new();
    let plugin = home.ws().join(".opencode/plugin/toolcrib-record.js");
    let init =
        || assert!(home.toolcrib(&["init", "opencode", "--record", "--project", "--yes"]).status.success());
    init();
    assert!(
        home.toolcrib(&["uninit", "opencode", "--project", "--yes"]).status.success() && !plugin.exists()
    );
    init();
    let named = home.toolcrib(&["uninit", "opencode", "--file", plugin.to_str().unwrap(), "--yes"]);
    assert!(named.status.success() && !plugin.exists(), "{}", stderr(&named));
    fs::write(&plugin, "// mine, and it mentions record-hook\n").unwrap();
    assert!(home.toolcrib(&["uninit", "opencode", "--project", "--yes"]).status.success());
    assert!(plugin.exists(), "the user's own");
}
