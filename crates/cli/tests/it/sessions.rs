//! `--session`: what single calls have read is kept between them.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::json;
use tempfile::TempDir;

use crate::{stderr, stdout};

struct Home {
    dir: TempDir,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("ws")).unwrap();
        std::fs::write(dir.path().join("ws/a.txt"), "one\ntwo\n").unwrap();
        Self { dir }
    }

    fn file(&self) -> std::path::PathBuf {
        self.dir.path().join("ws/a.txt")
    }

    fn state(&self) -> std::path::PathBuf {
        self.dir.path().join("state")
    }

    fn call(&self, session: &str, tool: &str, parameters: &serde_json::Value) -> Output {
        Command::new(env!("CARGO_BIN_EXE_toolcrib"))
            .args(["--session", session, "call", tool, "--json", &parameters.to_string()])
            .current_dir(self.dir.path().join("ws"))
            .env("XDG_STATE_HOME", self.state())
            .output()
            .unwrap()
    }

    fn read(&self, session: &str) -> Output {
        self.call(session, "Read", &json!({"file_path": self.file()}))
    }

    fn edit(&self, session: &str, old: &str, new: &str) -> Output {
        self.call(session, "Edit", &json!({"file_path": self.file(), "old_string": old, "new_string": new}))
    }

    fn write(&self, session: &str, content: &str) -> Output {
        self.call(session, "Write", &json!({"file_path": self.file(), "content": content}))
    }
}

fn kind(output: &Output) -> Option<String> {
    let result: serde_json::Value = serde_json::from_str(stdout(output)).unwrap();
    result["metadata"]["error_kind"].as_str().map(str::to_owned)
}

#[test]
fn what_a_session_has_read_is_known_to_its_next_call() {
    let home = Home::new();
    assert_eq!(kind(&home.edit("s1", "one", "1")).as_deref(), Some("not_read"));
    assert_eq!(kind(&home.read("s1")), None);
    assert_eq!(kind(&home.edit("s2", "one", "1")).as_deref(), Some("not_read"), "another session");
    assert_eq!(kind(&home.edit("s1", "one", "1")), None);
    assert_eq!(kind(&home.write("s1", "mine\n")), None, "its own change counts as read");
    // Another program saves meanwhile: what the session has not seen is not replaced.
    std::fs::write(home.file(), "theirs\n").unwrap();
    assert_eq!(kind(&home.write("s1", "mine\n")).as_deref(), Some("conflict"));
    assert_eq!(std::fs::read_to_string(home.file()).unwrap(), "theirs\n");
}

#[test]
fn what_is_kept_is_the_users_alone_and_names_of_sessions_are_no_paths() {
    let home = Home::new();
    let name = format!("../../{}\u{202e}\n", "x".repeat(300));
    assert_eq!(kind(&home.read(&name)), None);
    assert_eq!(kind(&home.edit(&name, "one", "1")), None);
    let sessions = home.state().join("toolcrib/sessions");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&sessions), 0o700);
    let files: Vec<_> = std::fs::read_dir(&sessions).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    assert_eq!(mode(&files[0]), 0o600);
}

#[test]
fn a_record_that_was_cut_off_or_spoilt_loses_no_more_than_that() {
    let home = Home::new();
    home.read("s");
    let sessions = home.state().join("toolcrib/sessions");
    let record = std::fs::read_dir(&sessions).unwrap().next().unwrap().unwrap().path();
    let mut spoilt = b"\xFF\xFE\nnonsense\n".to_vec();
    spoilt.extend(std::fs::read(&record).unwrap());
    spoilt.extend_from_slice(b"0123 cut off");
    std::fs::write(&record, spoilt).unwrap();
    assert_eq!(kind(&home.edit("s", "one", "1")), None);
    assert_eq!(kind(&home.write("s", "all\n")), None, "the line after the one that was cut off counts");
}

#[test]
fn a_state_folder_that_cannot_be_used_says_so_and_changes_nothing() {
    let home = Home::new();
    std::fs::write(home.state(), "a file").unwrap();
    let output = home.edit("s", "one", "1");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("state"), "{}", stdout(&output));
    assert_eq!(std::fs::read_to_string(home.file()).unwrap(), "one\ntwo\n");
}

/// Sixteen processes read and edit lines of their own in one session; none is told that it has not read.
#[test]
fn calls_at_the_same_time_share_one_session() {
    let home = Home::new();
    std::thread::scope(|scope| {
        for number in 0..16 {
            let home = &home;
            scope.spawn(move || {
                let path = home.dir.path().join(format!("ws/{number}"));
                std::fs::write(&path, "old").unwrap();
                let read = home.call("s", "Read", &json!({"file_path": path}));
                assert_eq!(kind(&read), None);
                let write = home.call("s", "Write", &json!({"file_path": path, "content": "new"}));
                assert_eq!(kind(&write), None, "{}", stdout(&write));
            });
        }
    });
}
