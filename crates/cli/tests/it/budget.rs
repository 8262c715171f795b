//! What small calls cost a running server, in system calls: a budget that holds on every machine, unlike a time.
//!
//! The server runs under `strace`. A call costs what is traced from the reading of its request to the reading of the next one. The
//! cheapest of many calls counts: what happens by the clock (another thread looks after the reader, a new second begins) comes with
//! some of them only. Looks at the memory that is left (`mmap`, `munmap`) happen by the clock too and do not count.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

const CALLS: usize = 40;
/// A busy machine may disturb every call of a server.
const SERVERS: usize = 5;

/// Calls the server, and gives what it did from the reading of one request to the reading of the next.
fn traced(dir: &Path, method: &str, params: &Value) -> Vec<Vec<String>> {
    let trace = dir.join("trace");
    let mut server = Command::new("strace")
        .args(["-f", "-qq", "-o"])
        .arg(&trace)
        .arg(env!("CARGO_BIN_EXE_toolcrib"))
        .args(["mcp", "--root"])
        .arg(dir.join("root"))
        .env("HOME", dir)
        .env("XDG_STATE_HOME", dir.join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap()).lines();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    let mut ask = |id: usize, method: &str, params: &Value| {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        input.write_all(format!("{request}\n").as_bytes()).unwrap();
        let answer: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        assert!(answer["error"].is_null() && answer["result"]["isError"] != json!(true), "{answer}");
    };
    ask(0, "initialize", &hello);
    (1..=CALLS).for_each(|id| ask(id, method, params));
    drop(input);
    server.wait().unwrap();
    let trace = std::fs::read_to_string(trace).unwrap();
    let mut calls: Vec<Vec<String>> = Vec::new();
    for line in trace.lines() {
        if line.contains("read") && line.contains("\"{\\\"jsonrpc") {
            calls.push(Vec::new());
        }
        let begins = !line.contains("resumed>") && line.contains('(');
        // `F_GETFD` is a check of builds with debug assertions.
        let does_not_count = [" mmap(", " munmap(", "F_GETFD"].iter().any(|word| line.contains(word));
        if begins
            && !does_not_count
            && let Some(call) = calls.last_mut()
        {
            call.push(line.to_owned());
        }
    }
    calls
}

/// A call of a running server takes at most so many system calls.
fn costs_at_most(most: usize, method: &str, params: impl Fn(&Path) -> Value) {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let root = dir.join("root");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("a.txt"), "one\ntwo\n").unwrap();
    std::fs::write(root.join("larger.txt"), "a line of a larger file\n".repeat(420)).unwrap();
    // Of a file that has changed within a tick of the clock, the times prove nothing: it is read twice.
    std::thread::sleep(Duration::from_millis(100));
    let params = params(&root);
    let mut best: Option<Vec<String>> = None;
    for _ in 0..SERVERS {
        let calls = traced(&dir, method, &params);
        assert!(calls.len() >= CALLS, "{} of {CALLS} calls were seen", calls.len());
        // The last one ends with the server.
        let cheapest =
            calls[..calls.len() - 1].iter().filter(|call| !call.is_empty()).min_by_key(|call| call.len());
        best = best.into_iter().chain(cheapest.cloned()).min_by_key(Vec::len);
        if best.as_ref().is_some_and(|best| best.len() <= most) {
            return;
        }
    }
    let best = best.unwrap();
    panic!(
        "{method} takes {} system calls, and at most {most} are in the budget:\n{}",
        best.len(),
        best.join("\n")
    );
}

#[test]
fn a_ping() {
    costs_at_most(2, "ping", |_| json!({}));
}

#[test]
fn a_read_of_a_small_file() {
    costs_at_most(
        14,
        "tools/call",
        |root| json!({"name": "Read", "arguments": {"file_path": root.join("a.txt")}}),
    );
}

#[test]
fn a_read_of_10_kib() {
    costs_at_most(
        14,
        "tools/call",
        |root| json!({"name": "Read", "arguments": {"file_path": root.join("larger.txt")}}),
    );
}
