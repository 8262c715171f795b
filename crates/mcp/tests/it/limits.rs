//! How many calls a server takes at once.

use std::path::Path;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientInfo, ElicitRequestParams, ElicitResult,
    ErrorData, Implementation,
};
use rmcp::service::{RequestContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use toolcrib::{Config, Toolbox};
use toolcrib_mcp::Server;

/// A client whose person thinks until there are permits, and then says yes.
struct Thinker {
    asked: Arc<Semaphore>,
    thought: Arc<Semaphore>,
}

impl ClientHandler for Thinker {
    fn get_info(&self) -> ClientInfo {
        let capabilities: ClientCapabilities = serde_json::from_value(json!({"elicitation": {}})).unwrap();
        ClientInfo::new(capabilities, Implementation::new("test", "0"))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.asked.add_permits(1);
        self.thought.acquire().await.unwrap().forget();
        let yes = json!({"action": "accept", "content": {"decision": "once"}});
        Ok(serde_json::from_value(yes).unwrap())
    }
}

async fn serve(root: &Path, thinker: Thinker, most: usize) -> RunningService<RoleClient, Thinker> {
    let rule = "[[rules]]\nkind = \"edit\"\npattern = \"*.conf\"\naction = \"ask\"";
    let toolbox = Toolbox::builder().root(root).config(Config::parse(rule).unwrap()).open().unwrap();
    let server = Server::new(toolbox).most_calls(most);
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(ours);
        server.serve(reader, writer).await
    });
    thinker.serve(theirs).await.unwrap()
}

async fn call(
    client: &RunningService<RoleClient, Thinker>,
    tool: &'static str,
    arguments: Value,
) -> CallToolResult {
    let call = CallToolRequestParams::new(tool).with_arguments(arguments.as_object().cloned().unwrap());
    client.call_tool(call).await.unwrap()
}

#[tokio::test]
async fn one_call_too_many_is_refused_and_the_next_is_served() {
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("a.txt"), "one\n").unwrap();
    let (asked, thought) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let thinker = Thinker { asked: asked.clone(), thought: thought.clone() };
    let client = serve(home.path(), thinker, 2).await;

    let file = |name: &str| home.path().join(name);
    let write = |name: &str| call(&client, "Write", json!({"file_path": file(name), "content": "x"}));
    let read = || call(&client, "Read", json!({"file_path": file("a.txt")}));
    let meanwhile = async {
        asked.acquire_many(2).await.unwrap().forget();
        let refused = read().await;
        let text = &refused.content[0].as_text().unwrap().text;
        assert!(text.starts_with("Error: Too many calls at once") && text.contains("\nHint: wait"), "{text}");
        assert_eq!(refused.meta.unwrap()["toolcrib/error_kind"], "too_large");
        let refused = client.list_resources(None).await.unwrap_err().to_string();
        assert!(refused.contains("Too many calls at once"), "{refused}");
        assert!(!client.list_all_tools().await.unwrap().is_empty(), "what is no work is answered");
        thought.add_permits(2);
    };
    let (one, other, ()) = tokio::join!(write("a.conf"), write("b.conf"), meanwhile);
    assert_eq!((one.is_error, other.is_error), (Some(false), Some(false)), "{one:?} {other:?}");
    assert_eq!(read().await.is_error, Some(false), "there is room again");
    assert!(client.list_resources(None).await.is_ok());
}
