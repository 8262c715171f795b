//! A client's roots narrow what the user allowed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientInfo, ErrorData, Implementation, ListRootsResult, Root,
};
use rmcp::service::{RequestContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::json;
use toolcrib::Toolbox;
use toolcrib_mcp::Server;

/// A client that has roots and can change them.
#[derive(Clone)]
struct Client(Arc<Mutex<Vec<PathBuf>>>);

impl Client {
    fn with(roots: &[PathBuf]) -> Self {
        Self(Arc::new(Mutex::new(roots.to_vec())))
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientInfo {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(serde_json::from_value(json!({"listChanged": true})).unwrap());
        ClientInfo::new(capabilities, Implementation::new("test", "0"))
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let roots = self.0.lock().unwrap();
        let roots = roots.iter().map(|root| Root::new(format!("file://{}", root.display()))).collect();
        Ok(ListRootsResult::new(roots))
    }
}

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            std::fs::create_dir(home.path().join(name)).unwrap();
            std::fs::write(home.path().join(name).join("file"), name).unwrap();
        }
        std::fs::create_dir(home.path().join("a/deny")).unwrap();
        std::fs::write(home.path().join("a/deny/file"), "secret").unwrap();
        std::fs::write(
            home.path().join(".toolcrib.toml"),
            "[[rules]]\nkind = \"read\"\npattern = \"a/deny/**\"\naction = \"deny\"",
        )
        .unwrap();
        Self(home)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    async fn serve(&self, client: Client, ignore: bool) -> RunningService<RoleClient, Client> {
        let toolbox = Toolbox::open(self.0.path()).unwrap();
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let server = Server::new(toolbox).ignore_client_roots(ignore);
        tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(ours);
            server.serve(reader, writer).await
        });
        client.serve(theirs).await.unwrap()
    }
}

async fn read(client: &RunningService<RoleClient, Client>, path: &Path) -> String {
    let arguments = json!({"file_path": path}).as_object().cloned().unwrap();
    let call = CallToolRequestParams::new("Read").with_arguments(arguments);
    client.call_tool(call).await.unwrap().content[0].as_text().unwrap().text.clone()
}

#[tokio::test]
async fn roots_of_a_client_narrow_and_change() {
    let home = Home::new();
    let roots = Client::with(&[home.path("a")]);
    let client = home.serve(roots.clone(), false).await;
    assert_eq!(read(&client, &home.path("a/file")).await, "     1\ta");
    let refused = read(&client, &home.path("b/file")).await;
    assert!(refused.starts_with("Error: Path outside workspace: "), "{refused}");
    assert!(refused.contains(&format!("use a path inside {}", home.path("a").display())), "{refused}");

    *roots.0.lock().unwrap() = vec![home.path("b"), PathBuf::from("/etc")];
    client.notify_roots_list_changed().await.unwrap();
    assert_eq!(read(&client, &home.path("b/file")).await, "     1\tb");
    assert!(read(&client, &home.path("a/file")).await.starts_with("Error: Path outside workspace: "));
    assert!(read(&client, Path::new("/etc/passwd")).await.starts_with("Error: Path outside workspace: "));
}

/// The ignore files above what is left count, and are no reason to fail.
#[tokio::test]
async fn a_part_can_be_searched_and_listed() {
    let home = Home::new();
    std::fs::write(home.path(".gitignore"), "ignored\n").unwrap();
    std::fs::write(home.path("a/ignored"), "a\n").unwrap();
    let client = home.serve(Client::with(&[home.path("a")]), false).await;
    for (tool, arguments) in [
        ("Glob", json!({"pattern": "**", "path": home.path("a")})),
        ("Grep", json!({"pattern": "a", "path": home.path("a")})),
        ("LS", json!({"path": home.path("a"), "recursive": true})),
    ] {
        let call = CallToolRequestParams::new(tool).with_arguments(arguments.as_object().cloned().unwrap());
        let text = client.call_tool(call).await.unwrap().content[0].as_text().unwrap().text.clone();
        assert!(text.contains("file") && !text.contains("ignored"), "{tool}: {text}");
    }
    let listed = client.list_all_resources().await.unwrap();
    assert!(listed.iter().any(|resource| resource.name.ends_with("file")), "{listed:?}");
}

#[tokio::test]
async fn rules_stay_those_of_the_whole() {
    let home = Home::new();
    let client = home.serve(Client::with(&[home.path("a/deny")]), false).await;
    let refused = read(&client, &home.path("a/deny/file")).await;
    assert!(refused.contains("Permission denied: Cannot read"), "{refused}");
}

#[tokio::test]
async fn roots_with_nothing_in_common_leave_nothing_unless_ignored() {
    let home = Home::new();
    let client = home.serve(Client::with(&[PathBuf::from("/etc")]), false).await;
    for path in [home.path("a/file"), PathBuf::from("/etc/passwd")] {
        let refused = read(&client, &path).await;
        assert!(refused.contains("--ignore-client-roots"), "{refused}");
    }
    let client = home.serve(Client::with(&[PathBuf::from("/etc")]), true).await;
    assert_eq!(read(&client, &home.path("a/file")).await, "     1\ta");
    assert!(read(&client, Path::new("/etc/passwd")).await.starts_with("Error: Path outside workspace: "));
}

#[tokio::test]
async fn no_roots_leave_what_the_user_allowed() {
    let home = Home::new();
    let client = home.serve(Client::with(&[]), false).await;
    assert_eq!(read(&client, &home.path("b/file")).await, "     1\tb");
}
