//! `toolcrib mcp` as a process.

use serde_json::{Value, json};

use crate::{stderr, stdout, toolcrib, toolcrib_with_input};

#[test]
fn only_protocol_goes_to_standard_output_and_the_end_of_input_ends_it() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.txt"), "one\n").unwrap();
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "Read", "arguments": {"file_path": dir.path().join("a.txt")}}}),
    ];
    let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let output = toolcrib_with_input(dir.path(), &["mcp", "--root", "."], &input);
    let answers: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "toolcrib");
    assert_eq!(
        answers[1]["result"]["content"][0]["text"], "     1\tone",
        "what was asked before the end is answered"
    );
    assert_eq!((answers.len(), stderr(&output), output.status.code()), (2, "", Some(0)));
}

#[test]
fn a_client_that_says_nothing_is_no_fault() {
    let dir = tempfile::tempdir().unwrap();
    let output = toolcrib(dir.path(), &["mcp"]);
    assert_eq!((stdout(&output), stderr(&output), output.status.code()), ("", "", Some(0)));
}

#[test]
fn a_client_that_speaks_something_else_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let output = toolcrib_with_input(dir.path(), &["mcp"], "GET / HTTP/1.1\n\n");
    assert_eq!(stdout(&output), "");
    assert!(!stderr(&output).contains("panicked"));
}

/// Landlock cannot be asked for from outside; that the process can gain no privileges any more comes with it.
#[test]
fn the_server_locks_itself_in_before_the_first_call() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = std::process::Command::new(env!("CARGO_BIN_EXE_toolcrib"))
        .arg("mcp")
        .current_dir(dir.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", server.id());
    let locked = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        std::fs::read_to_string(&status).unwrap().contains("NoNewPrivs:\t1")
    });
    drop(server.stdin.take());
    server.wait().unwrap();
    assert!(locked);
}
