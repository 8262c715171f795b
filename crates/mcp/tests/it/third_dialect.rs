//! A dialect of its own: one tool, whose command says what to do. It is called through the executor and through MCP.

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};
use toolcrib::dialects::operations::{Edit, Read, Write};
use toolcrib::dialects::{As, Habits, Naming, Paths, Row, Settings, Table};
use toolcrib::{ToolResult, Toolbox};
use toolcrib_mcp::Server;

const HABITS: Habits = Habits {
    not_found: |old, words| format!("No match for {} {old:?}", words.parameter("old_string")),
    ..Habits::new(Naming::Snake, Paths::Relative)
};

fn table() -> Table {
    const PATH: As = As::Named("file_path", "path");
    Table::new(HABITS, Settings::default()).fold("file", "Views, creates and edits a file.", |rows| {
        rows.with(Row::<Read> {
            takes: "file_path offset limit",
            parameters: &[PATH, As::Named("offset", "view_from"), As::Default("limit", 2)],
            text: |read, _| Some(read.text()?.lines.iter().map(|line| format!("{}\n", line.text)).collect()),
            ..Row::new("view", "Shows a file")
        })
        .with(Row::<Write> {
            takes: "file_path content",
            parameters: &[PATH, As::Named("content", "file_text")],
            text: |written, words| Some(format!("wrote {}", words.path(&written.path))),
            ..Row::new("create", "Writes a file")
        })
        .with(Row::<Edit> {
            takes: "file_path old_string new_string",
            parameters: &[PATH, As::Named("old_string", "old_str"), As::Named("new_string", "new_str")],
            text: |edited, words| Some(format!("edited {}", words.path(&edited.path))),
            ..Row::new("str_replace", "Replaces text in a file")
        })
    })
}

fn home() -> (tempfile::TempDir, Toolbox) {
    let dir = tempfile::tempdir().unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    toolbox.executor().registry().clear();
    toolbox.executor().registry().register_many(table().tools()).unwrap();
    (dir, toolbox)
}

#[test]
fn a_third_dialect_is_called_through_the_executor() {
    let (dir, toolbox) = home();
    let call = |arguments: Value| -> ToolResult {
        toolbox.call_blocking("file", arguments, &toolbox.context().session("s"))
    };
    let created = call(json!({"command": "create", "path": "a.txt", "file_text": "one\ntwo\nthree\n"}));
    assert_eq!(created.output, "wrote a.txt");
    assert_eq!(call(json!({"command": "view", "path": "a.txt"})).output, "one\ntwo\n", "its own default");
    assert_eq!(call(json!({"command": "view", "path": "a.txt", "view_from": 3})).output, "three\n");
    let edit = |old: &str| json!({"command": "str_replace", "path": "a.txt", "old_str": old, "new_str": "2"});
    assert_eq!(call(edit("two")).output, "edited a.txt");
    assert_eq!(std::fs::read_to_string(dir.path().join("a.txt")).unwrap(), "one\n2\nthree\n");

    // Refusals are in its own words, and each command has parameters of its own.
    assert!(call(edit("four")).error.unwrap().contains("No match for old_str \"four\""));
    assert!(call(edit("")).error.unwrap().starts_with("old_str is empty, which creates a file"));
    let hint = call(edit("")).metadata["hint"].clone();
    assert_eq!(hint, "give the text that is to be replaced, or use create to replace the whole file");
    let missing = call(json!({"command": "str_replace", "path": "a.txt", "old_str": "x"}));
    assert_eq!(missing.error.unwrap(), "Missing required parameter 'new_str' (string)");
    let foreign = call(json!({"command": "view", "path": "a.txt", "old_str": "x"}));
    assert_eq!(foreign.error.unwrap(), "Unknown parameter 'old_str'");
    let unknown = call(json!({"command": "delete", "path": "a.txt"}));
    assert_eq!(unknown.metadata["error_kind"], "invalid_parameter");
}

#[tokio::test]
async fn a_third_dialect_is_called_through_mcp() {
    let (dir, toolbox) = home();
    std::fs::write(dir.path().join("a.txt"), "one\ntwo\n").unwrap();
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let server = tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(ours);
        Server::new(toolbox).serve(reader, writer).await
    });
    let client = ().serve(theirs).await.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["file"]);
    let commands = &tools[0].input_schema["properties"]["command"]["enum"];
    assert_eq!(commands, &json!(["view", "create", "str_replace"]));
    let view = json!({"command": "view", "path": "a.txt"}).as_object().cloned().unwrap();
    let shown = client.call_tool(CallToolRequestParams::new("file").with_arguments(view)).await.unwrap();
    assert_eq!(shown.content[0].as_text().unwrap().text, "one\ntwo\n");
    client.cancel().await.unwrap();
    server.await.unwrap().unwrap();
}
