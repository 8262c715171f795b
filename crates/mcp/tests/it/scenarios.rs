//! Every scenario through the MCP server.

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use toolcrib::{Dialect, Toolbox};
use toolcrib_mcp::Server;
use toolcrib_testkit::{Answer, Case, run_scenarios};

#[test]
fn every_scenario_through_mcp() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let count = run_scenarios(|case: &Case| {
        let result = runtime.block_on(call(case));
        let text = result.content[0].as_text().unwrap().text.clone();
        assert_eq!(result.is_error.unwrap(), text.starts_with("Error: "), "{}", case.name);
        assert_eq!(result.structured_content.is_some(), !result.is_error.unwrap(), "{}", case.name);
        Answer { text, metadata: None }
    });
    println!("{count} scenarios through MCP");
}

async fn call(case: &Case) -> CallToolResult {
    let dialect = case.dialect.as_deref().map_or(Dialect::default(), |name| name.parse().unwrap());
    let toolbox = Toolbox::builder().root(&case.root).dialect(dialect).open().unwrap();
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let server = Server::new(toolbox).session(case.session.clone()).dry_run(case.dry_run);
    let server = tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(ours);
        server.serve(reader, writer).await
    });
    let client = ().serve(theirs).await.unwrap();
    let arguments = case.parameters.as_object().cloned().unwrap_or_default();
    let result = client
        .call_tool(CallToolRequestParams::new(case.tool.clone()).with_arguments(arguments))
        .await
        .unwrap();
    client.cancel().await.unwrap();
    server.await.unwrap().unwrap();
    result
}
