//! A person is asked through the client, with the diff in the question.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientInfo, ElicitRequestParams, ElicitResult, ErrorData,
    Implementation,
};
use rmcp::service::{RequestContext, RoleClient, RunningService};
use rmcp::{ClientHandler, ServiceExt};
use serde_json::{Value, json};
use toolcrib::{Config, Toolbox};
use toolcrib_mcp::Server;

/// A client whose person gives these answers, one after the other, and remembers what was asked.
#[derive(Clone, Default)]
struct Person {
    answers: Arc<Mutex<Vec<Value>>>,
    asked: Arc<Mutex<Vec<String>>>,
    can_be_asked: bool,
    client: Option<&'static str>,
    /// Whether the client was started so that it has no user to ask.
    unattended: bool,
}

impl Person {
    fn answering(answers: &[Value]) -> Self {
        let answers = Arc::new(Mutex::new(answers.to_vec()));
        Self { answers, can_be_asked: true, ..Self::default() }
    }
}

impl ClientHandler for Person {
    fn get_info(&self) -> ClientInfo {
        let capabilities = if self.can_be_asked { json!({"elicitation": {}}) } else { json!({}) };
        let capabilities: ClientCapabilities = serde_json::from_value(capabilities).unwrap();
        ClientInfo::new(capabilities, Implementation::new(self.client.unwrap_or("test"), "0"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else { panic!("a form") };
        self.asked.lock().unwrap().push(message);
        let answer = self.answers.lock().unwrap().remove(0);
        serde_json::from_value(answer).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("a.conf"), "old\n").unwrap();
        Self(home)
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("a.conf")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }

    async fn serve(&self, person: Person) -> RunningService<RoleClient, Person> {
        let rule = "[[rules]]\nkind = \"edit\"\npattern = \"*.conf\"\naction = \"ask\"";
        let builder = Toolbox::builder().root(self.0.path()).config(Config::parse(rule).unwrap());
        let server = Server::new(builder.open().unwrap()).session(Some("s".into()));
        let server = server.unattended(person.unattended);
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(ours);
            server.serve(reader, writer).await
        });
        let client = person.serve(theirs).await.unwrap();
        let read = json!({"file_path": self.file()});
        assert!(call(&client, "Read", &read).await.contains("old"));
        client
    }

    async fn edit(&self, client: &RunningService<RoleClient, Person>, old: &str, new: &str) -> String {
        call(client, "Edit", &json!({"file_path": self.file(), "old_string": old, "new_string": new})).await
    }
}

async fn call(client: &RunningService<RoleClient, Person>, tool: &'static str, arguments: &Value) -> String {
    let call = CallToolRequestParams::new(tool).with_arguments(arguments.as_object().cloned().unwrap());
    client.call_tool(call).await.unwrap().content[0].as_text().unwrap().text.clone()
}

fn accept(decision: &str, reason: &str) -> Value {
    json!({"action": "accept", "content": {"decision": decision, "reason": reason}})
}

#[tokio::test]
async fn once_no_with_a_reason_and_always() {
    let home = Home::new();
    let person = Person::answering(&[accept("once", ""), accept("no", "not today"), accept("always", "")]);
    let client = home.serve(person.clone()).await;

    home.edit(&client, "old", "first").await;
    assert_eq!(home.text(), "first\n");
    let asked = person.asked.lock().unwrap()[0].clone();
    assert!(asked.contains("-old\n+first") && asked.contains("ask edit *.conf"), "{asked}");

    let refused = home.edit(&client, "first", "second").await;
    assert!(refused.contains("Permission denied: Cannot edit") && refused.contains("not today"), "{refused}");
    assert_eq!(home.text(), "first\n");

    home.edit(&client, "first", "third").await;
    home.edit(&client, "third", "fourth").await;
    assert_eq!(home.text(), "fourth\n");
    assert_eq!(person.asked.lock().unwrap().len(), 3, "always is asked once");
}

#[tokio::test]
async fn who_declines_or_cannot_be_asked_says_no() {
    let home = Home::new();
    let client = home.serve(Person::answering(&[json!({"action": "decline"})])).await;
    assert!(home.edit(&client, "old", "new").await.contains("Permission denied"));
    let client = home.serve(Person::answering(&[json!("the window is gone")])).await;
    let refused = home.edit(&client, "old", "new").await;
    assert!(refused.contains("the client could not ask"), "{refused}");
    let client = home.serve(Person::default()).await;
    let refused = home.edit(&client, "old", "new").await;
    assert!(refused.contains("there is no user to ask") && refused.contains("ask edit *.conf"), "{refused}");
    assert_eq!(home.text(), "old\n");
}

/// `goose run` ends when it is to ask, and `goose session` asks.
#[tokio::test]
async fn a_client_that_would_end_is_not_made_to_ask() {
    for (client, unattended, asks) in [
        ("goose-cli", true, false),
        ("goose-cli", false, true),
        ("goose-desktop", true, true),
        ("other", true, true),
    ] {
        let home = Home::new();
        let person = Person { client: Some(client), unattended, ..Person::answering(&[accept("once", "")]) };
        let running = home.serve(person.clone()).await;
        let answer = home.edit(&running, "old", "new").await;
        assert_eq!(person.asked.lock().unwrap().len(), usize::from(asks), "{client} {unattended}");
        assert_eq!(answer.contains("there is no user to ask"), !asks, "{answer}");
        assert_eq!(home.text() == "new\n", asks, "{client} {unattended}");
    }
}
