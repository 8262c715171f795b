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
