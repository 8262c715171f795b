//! What clients are given that are known to pass on less, or to add nothing.

use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientInfo, Implementation};
use rmcp::service::{RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::{Value, json};
use toolcrib::Toolbox;
use toolcrib_mcp::Server;

/// A PNG.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==";

struct Named(&'static str);

impl ClientHandler for Named {
    fn get_info(&self) -> ClientInfo {
        ClientInfo::new(ClientCapabilities::default(), Implementation::new(self.0, "0"))
    }
}

async fn connected(root: &Path, client: &'static str, prefix: &str) -> RunningService<RoleClient, Named> {
    let server = Server::new(Toolbox::builder().root(root).open().unwrap()).prefix(prefix);
    served(server, client).await
}

async fn served(server: Server, client: &'static str) -> RunningService<RoleClient, Named> {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(ours);
        server.serve(reader, writer).await
    });
    Named(client).serve(theirs).await.unwrap()
}

fn read(tool: &'static str, file: &Path) -> CallToolRequestParams {
    let arguments: Value = json!({"file_path": file});
    CallToolRequestParams::new(tool).with_arguments(arguments.as_object().cloned().unwrap())
}

/// A client that turns images into text would give the model so much base64.
#[tokio::test]
async fn a_client_that_shows_no_images_gets_none() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.png");
    std::fs::write(&file, BASE64_STANDARD.decode(PIXEL).unwrap()).unwrap();
    for (client, images) in [("claude-code", 1), ("@cline/core", 0), ("continue-cli-client", 0)] {
        let running = connected(dir.path(), client, "").await;
        let content = running.call_tool(read("Read", &file)).await.unwrap().content;
        assert_eq!(content.iter().filter(|block| block.as_image().is_some()).count(), images, "{client}");
        let told =
            content.iter().any(|block| block.as_text().is_some_and(|text| text.text.contains("no images")));
        assert_eq!(told, images == 0, "{client}: {content:?}");
    }
}

#[tokio::test]
async fn a_prefix_stands_before_every_name() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.txt");
    std::fs::write(&file, "one\n").unwrap();
    let running = connected(dir.path(), "test", "crib_").await;
    let tools = running.list_all_tools().await.unwrap();
    assert!(!tools.is_empty() && tools.iter().all(|tool| tool.name.starts_with("crib_")), "{tools:?}");
    let answer = running.call_tool(read("crib_Read", &file)).await.unwrap();
    assert!(answer.content[0].as_text().unwrap().text.contains("one"));
}

/// A client that knows how much it passes on says so, and an answer never exceeds that.
#[tokio::test]
async fn a_request_can_limit_its_answer() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.txt");
    std::fs::write(&file, "a line of text\n".repeat(20_000)).unwrap();
    let running = connected(dir.path(), "test", "").await;
    // (what the request says, the least and the most that the answer has)
    for (wanted, least, most) in [
        (None, 25_000, 30_000),
        (Some(8_000), 6_000, 8_000),
        (Some(0), 2_000, 4_000),
        (Some(50_000), 40_000, 50_000),
    ] {
        let mut call = read("Read", &file);
        if let Some(wanted) = wanted {
            let meta = json!({"toolcrib/max_characters": wanted});
            call.meta = Some(serde_json::from_value(meta).unwrap());
        }
        let answer = running.call_tool(call).await.unwrap();
        let text = &answer.content[0].as_text().unwrap().text;
        assert!((least..=most).contains(&text.len()), "{wanted:?}: {}", text.len());
    }
}

/// One process serves all conversations of a client. What one has read, another has not.
#[tokio::test]
async fn a_request_can_name_its_conversation() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.txt");
    std::fs::write(&file, "one\n").unwrap();
    let server = Server::new(Toolbox::builder().root(dir.path()).open().unwrap()).shared_reading(true);
    let running = served(server, "test").await;
    let told = async |tool: &'static str, arguments: Value, conversation: Option<&str>| {
        let mut call =
            CallToolRequestParams::new(tool).with_arguments(arguments.as_object().cloned().unwrap());
        call.meta = conversation.map(|key| serde_json::from_value(json!({"toolcrib/session": key})).unwrap());
        running.call_tool(call).await.unwrap().content[0].as_text().unwrap().text.clone()
    };
    told("Read", json!({"file_path": file}), Some("first")).await;
    let edit = json!({"file_path": file, "old_string": "one", "new_string": "two"});
    for other in [Some("second"), None] {
        let refused = told("Edit", edit.clone(), other).await;
        assert!(refused.contains("has not been read"), "{other:?}: {refused}");
    }
    let edited = told("Edit", edit, Some("first")).await;
    assert!(edited.starts_with("Replaced 1 occurrence"), "{edited}");
}
