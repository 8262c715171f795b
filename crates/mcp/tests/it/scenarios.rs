//! Every scenario through the MCP server.

use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, CallToolResult};
use toolcrib::{Config, Conventions, Dialect, ExecutionContext, Format, Toolbox};
use toolcrib_mcp::Server;
use toolcrib_testkit::{Answer, Case, run_scenarios};

#[test]
fn every_scenario_through_mcp() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let count = run_scenarios(|case: &Case| {
        let result = runtime.block_on(call(case));
        let text = result.content[0].as_text().unwrap().text.clone();
        let conventions = conventions(case);
        let marked = conventions.plain_errors || result.is_error.unwrap() == text.starts_with("Error: ");
        assert!(marked, "{}: {text}", case.name);
        // What a tool with commands answers depends on the command, so it has no schema of facts.
        let facts = !result.is_error.unwrap() && schema_of(case).is_some();
        assert_eq!(result.structured_content.is_some(), facts, "{}", case.name);
        if let Some(facts) = &result.structured_content {
            let fault = schema_of(case)
                .and_then(|schema| schema.validate(facts).err())
                .map(|fault| fault.to_string());
            assert_eq!(fault, None, "{}: {facts}", case.name);
        }
        assert_eq!(images(&result), images_of(case), "{}", case.name);
        // What is said beside the tool's own answer.
        let text = text.split("\n\n(there is more: go on").next().unwrap_or_default().to_owned();
        Answer { text: indented(text), metadata: None }
    });
    println!("{count} scenarios through MCP");
}

/// An object goes over the wire in as few bytes as it takes; people are shown it with one field a line.
fn indented(text: String) -> String {
    match serde_json::from_str(&text) {
        Ok(object @ serde_json::Value::Object(_)) => format!("{object:#}"),
        _ => text,
    }
}

/// The schema that the tool declares for its facts.
fn schema_of(case: &Case) -> Option<jsonschema::Validator> {
    let tools = toolbox(case).schemas(Format::Mcp);
    let tool = tools.iter().find(|tool| tool["name"] == case.tool).unwrap();
    tool.get("outputSchema").map(|schema| jsonschema::validator_for(schema).unwrap())
}

/// What the callers of the tool are used to.
fn conventions(case: &Case) -> Conventions {
    toolbox(case).executor().registry().get(&case.tool).unwrap().descriptor().conventions
}

/// The blocks after the first, which is the text.
fn images(result: &CallToolResult) -> Vec<(String, String)> {
    let images = result.content[1..].iter().map(|block| block.as_image().unwrap());
    images.map(|image| (image.mime_type.clone(), image.data.clone())).collect()
}

/// The images that the library gives for it. The facts hold none of them a second time.
fn images_of(case: &Case) -> Vec<(String, String)> {
    if !case.name.contains("image") && !case.name.contains("notebook") {
        return Vec::new();
    }
    let toolbox = toolbox(case);
    // A change must not be made a second time.
    let context = toolbox.context().dry_run(true);
    let mut result = toolbox.call_blocking(&case.tool, case.parameters.clone(), &context);
    result.take_images().into_iter().map(|image| (image.mime_type, image.base64_data)).collect()
}

fn toolbox(case: &Case) -> Toolbox {
    let dialect = case.dialect.as_deref().map_or(Dialect::default(), |name| name.parse().unwrap());
    let config = Config::parse(case.config.as_deref().unwrap_or_default()).unwrap();
    Toolbox::builder().root(&case.root).dialect(dialect).config(config).open().unwrap()
}

async fn call(case: &Case) -> CallToolResult {
    let toolbox = toolbox(case);
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let server = Server::new(toolbox)
        .session(case.session.clone())
        .dry_run(case.dry_run)
        .structured(true)
        .characters(Some(ExecutionContext::DEFAULT_MAX_OUTPUT_SIZE));
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
