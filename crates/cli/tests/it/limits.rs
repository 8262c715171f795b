//! What the system allows a process is an answer where it is used up, and never the end of it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::stderr;

/// Runs `toolcrib` under limits of the shell.
fn limited(dir: &Path, limits: &str, args: &[&str], input: &str) -> Output {
    let mut child = started(dir, limits, args);
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn started(dir: &Path, limits: &str, args: &[&str]) -> Child {
    Command::new("bash")
        .args(["-c", &format!("{limits}; exec \"$@\""), "bash", env!("CARGO_BIN_EXE_toolcrib")])
        .args(args)
        .env("XDG_STATE_HOME", dir.join("state"))
        .current_dir(dir.join("ws"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn workspace() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("ws")).unwrap();
    dir
}

#[test]
fn a_file_beyond_the_limit_is_an_error_and_the_server_goes_on() {
    let dir = workspace();
    let file = |name: &str| dir.path().join("ws").join(name);
    let call = |id: u64, tool: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(2, "Write", json!({"file_path": file("large"), "content": "x\n".repeat(200_000)})),
        call(3, "LS", json!({"path": file("")})),
    ];
    let mut server = started(dir.path(), "ulimit -f 64", &["mcp"]);
    let mut input = server.stdin.take().unwrap();
    messages.iter().for_each(|message| writeln!(input, "{message}").unwrap());
    let lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let answers: Vec<Value> =
        lines.take(3).map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    drop(input);
    assert_eq!(server.wait().unwrap().code(), Some(0));
    let answer = |id: u64| &answers.iter().find(|answer| answer["id"] == id).unwrap()["result"];
    assert_eq!(answer(2)["isError"], true, "{}", answer(2));
    let told = answer(2)["content"][0]["text"].as_str().unwrap();
    assert!(told.contains("larger than the system allows") && told.contains("ulimit -f"), "{told}");
    assert_eq!(answer(3)["isError"], false, "{}", answer(3));
    assert_eq!(std::fs::read_dir(dir.path().join("ws")).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn a_patch_of_more_files_than_are_usually_open_is_applied() {
    let dir = workspace();
    let patch: String = (0..1100).map(|file| format!("*** Add File: d{file}/f\n+one\n")).collect();
    let patch = format!("*** Begin Patch\n{patch}*** End Patch\n");
    let output = limited(dir.path(), "ulimit -Sn 1024", &["patch"], &patch);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(dir.path().join("ws")).unwrap().count(), 1100);
    // Where the system allows no more, nothing is done and it is said why.
    let refused = limited(dir.path(), "ulimit -n 256", &["undo"], "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("Too many open files"), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("ulimit -n"), "{}", stderr(&refused));
    assert_eq!(std::fs::read_dir(dir.path().join("ws")).unwrap().count(), 1100);
    let undone = limited(dir.path(), "ulimit -Sn 1024", &["undo"], "");
    assert_eq!(undone.status.code(), Some(0), "{}", stderr(&undone));
    assert_eq!(std::fs::read_dir(dir.path().join("ws")).unwrap().count(), 0);
}
