//! A tool that panics.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use toolcrib::{Answer, Call, Effect, Tool, ToolError, Toolbox};
use toolcrib_mcp::Server;

struct Clumsy;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

impl Tool for Clumsy {
    type Input = Nothing;
    type Output = String;
    const NAME: &'static str = "Clumsy";
    const DESCRIPTION: &'static str = "Drops things.";
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, _: Nothing, _: &Call<'_>) -> Result<Answer<String>, ToolError> {
        panic!("dropped the plate")
    }
}

/// Every byte that the server writes is read here, by no client that could be lenient.
#[tokio::test]
async fn a_panic_is_an_answer_and_the_server_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let toolbox = Toolbox::open(home.path()).unwrap();
    toolbox.register(Clumsy).unwrap();
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let server = tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(ours);
        Server::new(toolbox).serve(reader, writer).await
    });
    let (reader, mut writer) = tokio::io::split(theirs);
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    let clumsy = json!({"name": "Clumsy", "arguments": {}});
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": clumsy}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": clumsy}),
        json!({"jsonrpc": "2.0", "id": 4, "method": "ping"}),
    ] {
        writer.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    let mut lines = BufReader::new(reader).lines();
    let mut answers = Vec::<Value>::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        answers.push(serde_json::from_str(&line).unwrap());
        // A client that leaves cancels its calls, so the input stays open until all are answered.
        if answers.len() == 4 {
            writer.shutdown().await.unwrap();
        }
    }
    server.await.unwrap().unwrap();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(
        answers.iter().map(|answer| answer["id"].as_u64()).collect::<Vec<_>>(),
        [1, 2, 3, 4].map(Some)
    );
    for answer in &answers[1..3] {
        assert_eq!(answer["result"]["_meta"]["toolcrib/error_kind"], "internal", "{answer}");
    }
}
