//! `toolcrib call` and `toolcrib schemas`.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{stderr, stdout, toolcrib, toolcrib_with_input};

fn workspace() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.txt"), "one\ntwo\n").unwrap();
    dir
}

fn read_call(dir: &TempDir) -> String {
    json!({"file_path": dir.path().join("a.txt")}).to_string()
}

#[test]
fn the_answer_is_what_the_agent_reads() {
    let dir = workspace();
    let output = toolcrib(dir.path(), &["call", "Read", &read_call(&dir)]);
    assert_eq!((stdout(&output), stderr(&output)), ("     1\tone\n     2\ttwo\n", ""));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn parameters_may_come_on_standard_input() {
    let dir = workspace();
    let output = toolcrib_with_input(dir.path(), &["call", "Read", "-"], &read_call(&dir));
    assert_eq!(stdout(&output), "     1\tone\n     2\ttwo\n");
}

#[test]
fn json_is_the_whole_result_in_one_line() {
    let dir = workspace();
    let output = toolcrib(dir.path(), &["call", "Read", &read_call(&dir), "--json"]);
    assert_eq!(stdout(&output).lines().count(), 1);
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    let fields: Vec<&String> = result.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["success", "output", "error", "duration_ms", "metadata"]);
    assert_eq!(result["output"], "     1\tone\n     2\ttwo");
}

/// Each is answered with one sentence, a hint where there is one, and a status; with no panic and no trace.
#[test]
fn wrong_calls_are_answered_in_one_sentence() {
    let dir = workspace();
    let file = dir.path().join("a.txt").display().to_string();
    let long = json!({"file_path": file, "limit": 1e300}).to_string();
    let cases: &[(&str, &str, i32, &str)] = &[
        ("Read", "{}", 1, "Missing required parameter 'file_path' (string)"),
        (
            "Read",
            r#"{"file_path": 5}"#,
            1,
            "Invalid type for parameter 'file_path': got number 5, wants a string",
        ),
        (
            "Read",
            r#"{"file_path": "/a", "limit": 0}"#,
            1,
            "Parameter 'limit' is out of range: got 0, wants 1 to 10000",
        ),
        ("Read", &long, 1, "Invalid type for parameter 'limit': got number 1e+300, wants an integer"),
        (
            "Read",
            r#"{"file_path": ""}"#,
            1,
            "Parameter 'file_path' is too short: got 0 characters, wants at least 1",
        ),
        ("Read", r#"{"file_path": "/a", "limt": 2}"#, 1, "Unknown parameter 'limt', did you mean 'limit'?"),
        ("Read", r#"{"file_path": "a\u0000b"}"#, 1, "file_path must be an absolute path"),
        ("Read", "[]", 1, "Parameters must be a JSON object, got an array of 0 items"),
        ("Read", "\"x\"", 1, "Parameters must be a JSON object, got string \"x\""),
        ("Raed", "{}", 1, "Unknown tool 'Raed', did you mean 'Read'?"),
        (
            "Read",
            "{\"file_path\": ",
            2,
            "The parameters are not valid JSON: EOF while parsing a value at line 1 column 14",
        ),
        ("Read", "", 2, "The parameters are not valid JSON: EOF while parsing a value at line 1 column 0"),
    ];
    for (tool, parameters, status, sentence) in cases {
        let output = toolcrib(dir.path(), &["call", tool, parameters]);
        let mut said = stderr(&output).lines();
        assert_eq!(said.next(), Some(format!("error: {sentence}").as_str()), "{tool} {parameters}");
        assert!(said.next().is_none_or(|line| line.starts_with("hint: ")) && said.next().is_none());
        assert_eq!((stdout(&output), output.status.code()), ("", Some(*status)), "{tool} {parameters}");
    }
}

#[test]
fn with_json_a_wrong_call_is_a_result_too() {
    let dir = workspace();
    for (parameters, status) in [("{", 2), ("[]", 1)] {
        let output = toolcrib(dir.path(), &["call", "Read", parameters, "--json"]);
        let result: Value = serde_json::from_str(stdout(&output)).unwrap();
        assert_eq!(result["metadata"]["error_kind"], "invalid_parameter");
        assert_eq!((stderr(&output), output.status.code()), ("", Some(status)));
    }
}

#[test]
fn json_that_is_nested_without_end_is_refused() {
    let dir = workspace();
    let deep = "[".repeat(200_000);
    let output = toolcrib_with_input(dir.path(), &["call", "Read", "-"], &deep);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).starts_with("error: The parameters are not valid JSON: recursion limit exceeded")
    );
}

#[test]
fn wrong_usage_has_status_2() {
    let dir = workspace();
    for args in [
        &["cal"][..],
        &["schemas", "--format", "x"],
        &["call"],
        &["call", "Read", "{}", "--dialect", "x"],
        &[],
    ] {
        let output = toolcrib(dir.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!stderr(&output).contains("panicked"), "{args:?}");
    }
}

#[test]
fn a_root_that_is_none_is_named() {
    let dir = workspace();
    let output = toolcrib(dir.path(), &["call", "Read", "{}", "--root", "absent"]);
    let missing = dir.path().join("absent").display().to_string();
    assert_eq!(
        stderr(&output).lines().next(),
        Some(format!("error: Directory not found: {missing}").as_str())
    );
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let dir = workspace();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_toolcrib"))
        .args(["schemas"])
        .current_dir(dir.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
}

#[test]
fn schemas_are_json_in_every_format() {
    let dir = workspace();
    for format in ["openai", "openai-strict", "anthropic", "mcp", "langchain"] {
        let output = toolcrib(dir.path(), &["schemas", "--format", format]);
        let schemas: Vec<Value> = serde_json::from_str(stdout(&output)).unwrap();
        assert!(!schemas.is_empty(), "{format}");
    }
    let output = toolcrib(dir.path(), &["schemas", "--dialect", "ekacode", "--format", "anthropic"]);
    let schemas: Vec<Value> = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(schemas[0]["name"], "read");
}

/// Read shows the cells of a notebook, and the file has other lines.
#[test]
fn an_edit_of_a_notebook_that_does_not_fit_says_what_would() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.ipynb");
    let source = json!(["import os\n", "print(\"hello\")"]);
    let cell =
        json!({"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": source});
    let notebook = json!({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5});
    std::fs::write(&file, format!("{notebook:#}\n")).unwrap();
    let edit = |old: &str, new: &str| {
        let call = json!({"file_path": file, "old_string": old, "new_string": new}).to_string();
        toolcrib(dir.path(), &["call", "Edit", &call])
    };
    let as_shown = edit("import os\nprint(\"hello\")", "import sys");
    assert!(
        stderr(&as_shown).contains("hint: the file is JSON, and Read shows its cells"),
        "{}",
        stderr(&as_shown)
    );
    let as_it_stands = edit("\"print(\\\"hello\\\")\"", "\"print(\\\"bye\\\")\"");
    assert_eq!(as_it_stands.status.code(), Some(0), "{}", stderr(&as_it_stands));
    let read = toolcrib(dir.path(), &["call", "Read", &json!({"file_path": file}).to_string()]);
    assert!(stdout(&read).contains("import os\nprint(\"bye\")"), "{}", stdout(&read));
}
