//! Calls that the thread which reads them carries out: the same answers as on the usual way, and nobody waits for them in vain.

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolcrib::{Answer, Call, Effect, Tool, ToolError, Toolbox};
use toolcrib_mcp::Server;

/// The thread that reads has this name.
const READER: &str = "toolcrib-reader";

/// Says on which thread it runs.
struct Where;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

impl Tool for Where {
    type Input = Nothing;
    type Output = String;
    const NAME: &'static str = "Where";
    const DESCRIPTION: &'static str = "Says on which thread it runs.";
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, _: Nothing, _: &Call<'_>) -> Result<Answer<String>, ToolError> {
        Ok(std::thread::current().name().unwrap_or("none").to_owned().into())
    }
}

/// Waits until it is let go, and looks whether it is to stop if it was told to.
#[derive(Clone, Default)]
struct Stuck {
    open: Arc<(Mutex<bool>, Condvar)>,
    begun: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
}

#[derive(Deserialize, JsonSchema)]
struct Stops {
    /// Whether it stops when it is asked to.
    #[serde(default)]
    stops: bool,
}

impl Stuck {
    fn let_go(&self) {
        *self.open.0.lock().unwrap() = true;
        self.open.1.notify_all();
    }
}

impl Tool for Stuck {
    type Input = Stops;
    type Output = String;
    const NAME: &'static str = "Stuck";
    const DESCRIPTION: &'static str = "Waits.";
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: Stops, call: &Call<'_>) -> Result<Answer<String>, ToolError> {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let mut open = self.open.0.lock().unwrap();
        while !*open {
            if input.stops {
                call.checkpoint().inspect_err(|_| _ = self.ended.fetch_add(1, Ordering::SeqCst))?;
            }
            open = self.open.1.wait_timeout(open, Duration::from_millis(5)).unwrap().0;
        }
        Ok("let go".to_owned().into())
    }
}

/// A client that sees every byte.
struct Client {
    input: Option<PipeWriter>,
    output: BufReader<PipeReader>,
    server: Option<JoinHandle<std::io::Result<()>>>,
    id: i64,
}

impl Client {
    fn of(server: Server, capabilities: Value) -> Self {
        let (theirs, input) = std::io::pipe().unwrap();
        let (output, ours) = std::io::pipe().unwrap();
        let server = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let served = runtime.block_on(server.serve_descriptors(theirs.into(), ours.into()));
            runtime.shutdown_background();
            served
        });
        let mut client =
            Self { input: Some(input), output: BufReader::new(output), server: Some(server), id: 0 };
        client.ask(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "0"}}),
        );
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: Value) {
        self.input.as_mut().unwrap().write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn request(&mut self, method: &str, params: Value) -> i64 {
        self.id += 1;
        self.send(json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}));
        self.id
    }

    fn call(&mut self, tool: &str, arguments: Value) -> i64 {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    fn receive(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    fn text(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Asks until the client is known, which is a moment after its handshake.
    fn until_direct(&mut self) {
        while self.text("Where", json!({})) != READER {}
    }

    /// Ends the input, and gives the rest of the output.
    fn end(mut self) -> Vec<Value> {
        self.input = None;
        let mut rest = Vec::new();
        loop {
            let line = self.line();
            if line.is_empty() {
                break;
            }
            rest.push(serde_json::from_str(&line).unwrap());
        }
        self.server.take().unwrap().join().unwrap().unwrap();
        rest
    }
}

struct Home {
    root: tempfile::TempDir,
    stuck: Stuck,
}

impl Home {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("a.txt"), "one\ntwo\n").unwrap();
        std::fs::create_dir(root.path().join("part")).unwrap();
        std::fs::write(root.path().join("part/b.txt"), "three\n").unwrap();
        Self { root, stuck: Stuck::default() }
    }

    fn toolbox(&self) -> Toolbox {
        let toolbox = Toolbox::open(self.root.path()).unwrap();
        toolbox.register(Where).unwrap();
        toolbox.register(self.stuck.clone()).unwrap();
        toolbox
    }

    fn client(&self) -> Client {
        let mut client = Client::of(Server::new(self.toolbox()), json!({}));
        client.until_direct();
        client
    }
}

/// What a service would have more to do with than to call a tool.
fn unusual(mut params: Value) -> Value {
    params["more"] = json!(1);
    params
}

#[test]
fn both_ways_lead_to_the_same_bytes() {
    let home = Home::new();
    let mut client = home.client();
    let file = |name: &str| home.root.path().join(name);
    let calls = [
        json!({"name": "Read", "arguments": {"file_path": file("a.txt")}}),
        json!({"name": "Read", "arguments": {"file_path": file("a.txt"), "limit": "1"}}),
        json!({"name": "Read", "arguments": {"file_path": file("missing.txt")}}),
        json!({"name": "Read", "arguments": {"file_path": "/etc/passwd"}}),
        json!({"name": "Read", "arguments": {"wrong": 1}}),
        json!({"name": "Read"}),
        json!({"name": "Read", "arguments": null}),
        json!({"name": "Read", "arguments": {"file_path": file("a.txt")}, "_meta": {"progressToken": 7, "x": {"y": 1}}}),
        json!({"name": "LS", "arguments": {"path": home.root.path()}}),
        json!({"name": "Glob", "arguments": {"pattern": "*.txt"}}),
        json!({"name": "Grep", "arguments": {"pattern": "two"}}),
        json!({"name": "Rea", "arguments": {}}),
        json!({"name": 1}),
    ];
    for params in calls {
        let answers = [params.clone(), unusual(params.clone())].map(|params| {
            let id = client.request("tools/call", params);
            client.line().replace(&format!("\"id\":{id}"), "\"id\":0")
        });
        assert_eq!(answers[0], answers[1], "{params}");
    }
    let pong = client.ask("ping", json!({}));
    assert_eq!(pong["result"], json!({}));
    let told = client.ask("tools/call", unusual(json!({"name": "Where", "arguments": {}})));
    assert_ne!(told["result"]["content"][0]["text"], READER, "the control went the usual way");
    client.until_direct();
    client.end();
}

#[test]
fn an_id_may_be_a_text_and_what_is_no_request_is_answered_as_before() {
    let home = Home::new();
    let mut client = home.client();
    client.send(json!({"jsonrpc": "2.0", "id": "a \"b\"", "method": "ping"}));
    assert_eq!(client.receive(), json!({"jsonrpc": "2.0", "id": "a \"b\"", "result": {}}));
    client.input.as_mut().unwrap().write_all(b"{\"id\":5,,}\n").unwrap();
    let refused = client.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(5), &json!(-32700)));
    client.send(json!({"jsonrpc": "2.0", "id": 6, "method": "no/such"}));
    assert_eq!(client.receive()["error"]["code"], -32601);
    client.end();
}

#[test]
fn a_call_that_hangs_keeps_nobody_waiting() {
    let home = Home::new();
    let mut client = home.client();
    let stuck = client.call("Stuck", json!({}));
    // Nothing but the hanging call could answer these if nobody took over.
    client.ask("ping", json!({}));
    assert_eq!(
        client.text("Read", json!({"file_path": home.root.path().join("a.txt")})),
        "     1\tone\n     2\ttwo"
    );
    let cancelled = client.call("Stuck", json!({"stops": true}));
    // A call that is cancelled before it has begun never begins.
    while home.stuck.begun.load(Ordering::SeqCst) < 2 {
        client.ask("ping", json!({}));
    }
    client.send(
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": cancelled}}),
    );
    while home.stuck.ended.load(Ordering::SeqCst) == 0 {
        client.ask("ping", json!({}));
    }
    home.stuck.let_go();
    let answer = client.receive();
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(stuck), &json!("let go")));
    client.ask("ping", json!({}));
    assert!(client.end().is_empty(), "who cancels gets no answer");
}

#[test]
fn a_hanging_call_that_is_cancelled_and_does_not_stop_gets_no_answer() {
    let home = Home::new();
    let mut client = home.client();
    let stuck = client.call("Stuck", json!({}));
    client.ask("ping", json!({}));
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": stuck}}));
    client.ask("ping", json!({}));
    home.stuck.let_go();
    client.until_direct();
    assert!(client.end().is_empty());
}

#[test]
fn who_wants_to_know_is_told_that_a_hanging_call_goes_on() {
    let home = Home::new();
    let mut client = home.client();
    let params = json!({"name": "Stuck", "arguments": {}, "_meta": {"progressToken": "p"}});
    let stuck = client.request("tools/call", params);
    let told = client.receive();
    assert_eq!(
        (&told["method"], &told["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!("p"))
    );
    home.stuck.let_go();
    while client.receive()["id"] != stuck {}
    client.end();
}

#[test]
fn every_call_of_many_in_flight_is_answered_once() {
    let home = Home::new();
    let mut client = home.client();
    let file = home.root.path().join("a.txt");
    let mut input = client.input.take().unwrap();
    let first = client.id + 1;
    const CALLS: i64 = 2000;
    let sending = std::thread::spawn(move || {
        for id in first..first + CALLS {
            let mut params = json!({"name": "Read", "arguments": {"file_path": file}});
            if id % 7 == 0 {
                params = unusual(params);
            }
            let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
            input.write_all(format!("{message}\n").as_bytes()).unwrap();
        }
        input
    });
    let mut answered: Vec<i64> = (0..CALLS)
        .map(|_| {
            let answer = client.receive();
            assert_eq!(answer["result"]["content"][0]["text"], "     1\tone\n     2\ttwo");
            answer["id"].as_i64().unwrap()
        })
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, (first..first + CALLS).collect::<Vec<_>>());
    client.input = Some(sending.join().unwrap());
    assert!(client.end().is_empty());
}

/// The thread that writes waits for the client, and another one goes on reading.
#[test]
fn a_client_that_reads_late_gets_every_answer() {
    let home = Home::new();
    std::fs::write(home.root.path().join("long.txt"), "x".repeat(20_000)).unwrap();
    let mut client = home.client();
    let file = home.root.path().join("long.txt");
    // That is more than a pipe holds, and fewer answers than may wait.
    let ids: Vec<i64> =
        (0..50).map(|_| client.call("Read", json!({"file_path": file, "limit": 1}))).collect();
    client.request("ping", json!({}));
    let mut answered: Vec<i64> =
        (0..51).map(|_| client.receive()["id"].as_i64().unwrap()).filter(|id| ids.contains(id)).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
    client.end();
}

#[test]
fn the_last_calls_before_the_end_are_answered() {
    let home = Home::new();
    let mut client = home.client();
    let file = home.root.path().join("a.txt");
    let ids: Vec<i64> = (0..20).map(|_| client.call("Read", json!({"file_path": file}))).collect();
    let mut answered: Vec<i64> = client.end().iter().map(|answer| answer["id"].as_i64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, ids);
}

#[test]
fn a_call_goes_by_the_roots_that_were_announced_before_it() {
    let home = Home::new();
    let mut client = Client::of(Server::new(home.toolbox()), json!({"roots": {"listChanged": true}}));
    let uri = |path: &str| format!("file://{}", home.root.path().join(path).display());
    let file = home.root.path().join("a.txt");
    for (root, allowed) in [("", true), ("part", false), ("", true)] {
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
        let read = client.call("Read", json!({"file_path": file}));
        let asked = client.receive();
        assert_eq!(asked["method"], "roots/list", "{asked}");
        client.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": uri(root)}]}}));
        let answer = client.receive();
        assert_eq!(
            (&answer["id"], &answer["result"]["isError"]),
            (&json!(read), &json!(!allowed)),
            "{answer}"
        );
        client.until_direct();
        let text = client.text("Read", json!({"file_path": file}));
        assert_eq!(text.starts_with("Error: Path outside workspace"), !allowed, "{text}");
    }
    client.end();
}
