//! A real server over standard input and output asks, and another process of the user answers: here the test, through the same socket
//! as `toolcrib ui`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use toolcrib::Hunks;
use toolcrib::desk::{Answer, By, DeskError, Desks, Event, Question, Verdict};

use crate::on_a_terminal_with;

/// Longer than anything takes; a test that waits so long has failed.
const LONG: Duration = Duration::from_secs(60);

/// A home directory with a project in which changes of text files are asked for.
struct Home(tempfile::TempDir);

impl Home {
    fn new(more: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = Self(dir);
        std::fs::create_dir_all(home.config().parent().unwrap()).unwrap();
        std::fs::create_dir(home.root()).unwrap();
        let rule = |kind, pattern| {
            format!("[[rules]]\nkind = \"{kind}\"\npattern = \"{pattern}\"\naction = \"ask\"\n")
        };
        std::fs::write(home.config(), format!("{}{}{more}", rule("edit", "*.txt"), rule("read", "*.secret")))
            .unwrap();
        std::fs::write(home.file(), THREE).unwrap();
        home
    }

    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn config(&self) -> PathBuf {
        self.path().join(".config/toolcrib/config.toml")
    }

    fn root(&self) -> PathBuf {
        self.path().join("project")
    }

    fn state(&self) -> PathBuf {
        self.path().join("state/toolcrib")
    }

    fn file(&self) -> PathBuf {
        self.root().join("a.txt")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolcrib"));
        command.env("HOME", self.path()).env("XDG_STATE_HOME", self.path().join("state"));
        command.env_remove("XDG_CONFIG_HOME").current_dir(self.root());
        command
    }

    fn watch(&self) -> Watching {
        Watching::of(&self.state(), &self.root())
    }
}

/// Three places to change, far from each other.
const THREE: &str = "one\n.\n.\n.\n.\n.\n.\n.\ntwo\n.\n.\n.\n.\n.\n.\n.\nthree\n";

fn upper() -> String {
    THREE.replace("one", "ONE").replace("two", "TWO").replace("three", "THREE")
}

/// An agent, and the server that it has started.
struct Agent {
    server: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Value>,
    next: u64,
}

impl Agent {
    fn start(home: &Home) -> Self {
        Self::start_with(home, json!({}))
    }

    fn start_with(home: &Home, capabilities: Value) -> Self {
        let mut server = home
            .command()
            .args(["mcp", "--root", "."])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(server.stdout.take().unwrap());
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        let mut agent = Self { input: server.stdin.take(), server, answers, next: 1 };
        let hello = agent.send(
            "initialize",
            &json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": {"name": "robot", "version": "7"}}),
        );
        agent.answer(hello);
        agent.notify("notifications/initialized", &json!({}));
        agent
    }

    fn notify(&mut self, method: &str, params: &Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.send("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    fn read(&mut self, file: &Path) {
        let id = self.call("Read", &json!({"file_path": file}));
        self.answer(id);
    }

    fn write(&mut self, file: &Path, content: &str) -> u64 {
        self.call("Write", &json!({"file_path": file, "content": content}))
    }

    /// The next message of this kind.
    fn wait(&self, mut is_it: impl FnMut(&Value) -> bool) -> Value {
        loop {
            let message = self.answers.recv_timeout(LONG).unwrap();
            if is_it(&message) {
                return message;
            }
        }
    }

    /// What the model reads.
    fn answer(&self, id: u64) -> String {
        let answer = self.wait(|message| message["id"] == id && message.get("method").is_none());
        answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.input = None;
        _ = self.server.kill();
        _ = self.server.wait();
    }
}

/// Somebody who looks at the page.
struct Watching {
    desks: Desks,
    events: Receiver<Event>,
}

impl Watching {
    fn of(state: &Path, root: &Path) -> Self {
        let (sender, events) = channel();
        let desks = Desks::open(state, vec![root.to_owned()], move |event| _ = sender.send(event)).unwrap();
        Self { desks, events }
    }

    fn next<T>(&self, mut about: impl FnMut(Event) -> Option<T>) -> T {
        loop {
            if let Some(found) = about(self.events.recv_timeout(LONG).unwrap()) {
                return found;
            }
        }
    }

    fn question(&self) -> Question {
        self.next(|event| if let Event::Question(question) = event { Some(question) } else { None })
    }

    fn closed(&self) -> By {
        self.next(|event| if let Event::Closed { by, .. } = event { Some(by) } else { None })
    }

    fn answer(&self, question: &Question, verdict: Verdict) -> Result<(), DeskError> {
        self.desks.answer(&question.id, Answer { digest: question.digest.clone(), verdict })
    }
}

#[test]
fn yes_no_with_a_reason_and_always() {
    let home = Home::new("");
    let (page, mut agent) = (home.watch(), Agent::start(&home));
    agent.read(&home.file());
    let call = agent.write(&home.file(), "first\n");
    let question = page.question();
    assert_eq!((question.agent.as_deref(), question.tool.as_str()), (Some("robot 7"), "Write"));
    assert_eq!(question.rule.as_deref(), Some("ask edit *.txt"));
    assert_eq!(home.text(), THREE, "nothing is done before the answer");
    page.answer(&question, Verdict::Once).unwrap();
    agent.answer(call);
    assert_eq!(home.text(), "first\n");

    let call = agent.write(&home.file(), "second\n");
    page.answer(&page.question(), Verdict::No { reason: Some("write it in French".into()) }).unwrap();
    let told = agent.answer(call);
    assert!(told.contains("the user said no: write it in French"), "{told}");
    assert_eq!(home.text(), "first\n");
    assert!(
        page.next(|event| if let Event::Failed(failure) = event { Some(failure) } else { None })
            .message
            .contains("French")
    );

    let call = agent.write(&home.file(), "third\n");
    page.answer(&page.question(), Verdict::Always).unwrap();
    agent.answer(call);
    let call = agent.write(&home.file(), "fourth\n");
    agent.answer(call);
    assert_eq!(home.text(), "fourth\n", "always is asked once");
    assert!(page.desks.questions().is_empty());
}

#[test]
fn one_hunk_of_three_and_another_text() {
    let home = Home::new("");
    let (page, mut agent) = (home.watch(), Agent::start(&home));
    agent.read(&home.file());
    let call = agent.write(&home.file(), &upper());
    let question = page.question();
    assert!(question.editable);
    let whole = page.desks.question(&question.id).unwrap();
    let (before, after) = (whole.files[0].before.clone().unwrap(), whole.files[0].after.clone().unwrap());
    assert_eq!((before.as_slice(), after.as_slice()), (THREE.as_bytes(), upper().as_bytes()));
    let hunks = Hunks::between(&before, &after);
    assert_eq!(hunks.as_slice().len(), 3);
    let keep = [(0, vec![hunks.as_slice()[1].id.clone()])].into();
    page.answer(&question, Verdict::Edited { keep, text: BTreeMap::new() }).unwrap();
    let told = agent.answer(call);
    let kept = THREE.replace("two", "TWO");
    assert_eq!(home.text(), kept);
    assert!(told.contains("a.txt: 1 of 3 hunks were made; the user refused the others"), "{told}");
    assert!(told.contains("-two\n+TWO") && !told.contains("+ONE"), "what was made, and nothing else: {told}");

    // What the user has made of the file, the agent has not read.
    let call = agent.write(&home.file(), "more\n");
    let told = agent.answer(call);
    assert!(told.contains("has changed since") || told.contains("read it"), "{told}");
    agent.read(&home.file());
    let call = agent.write(&home.file(), "more\n");
    let question = page.question();
    let text: BTreeMap<usize, String> = [(0, "less\n".to_owned())].into();
    page.answer(&question, Verdict::Edited { keep: BTreeMap::new(), text }).unwrap();
    let told = agent.answer(call);
    assert_eq!(home.text(), "less\n");
    assert!(told.contains("the user wrote another text") && told.contains("+less"), "{told}");

    // Both are recorded as what they were, and undone to the byte.
    for before in [kept.as_str(), THREE] {
        assert!(home.command().args(["undo", "--yes"]).output().unwrap().status.success());
        assert_eq!(home.text(), before);
    }
}

#[test]
fn the_client_and_the_page_are_asked_at_once() {
    let home = Home::new("");
    let (page, mut agent) = (home.watch(), Agent::start_with(&home, json!({"elicitation": {}})));
    agent.read(&home.file());
    let asks = |message: &Value| message["method"] == "elicitation/create";
    // The page is first: the client's question is taken back, and its late answer counts for nothing.
    let call = agent.write(&home.file(), "first\n");
    let asked = agent.wait(asks);
    page.answer(&page.question(), Verdict::Once).unwrap();
    let mut taken_back = false;
    agent.wait(|message| {
        taken_back |=
            message["method"] == "notifications/cancelled" && message["params"]["requestId"] == asked["id"];
        message["id"] == call
    });
    assert_eq!(home.text(), "first\n");
    assert!(taken_back, "the client is told that its answer is not needed");
    let no = |id: &Value| json!({"jsonrpc": "2.0", "id": id, "result": {"action": "accept", "content": {"decision": "no"}}});
    agent.say(&no(&asked["id"]));
    // The client is first: the page is told.
    let call = agent.write(&home.file(), "second\n");
    let asked = agent.wait(asks);
    let question = page.question();
    agent.say(&no(&asked["id"]));
    assert!(agent.answer(call).contains("the user said no"));
    assert_eq!(page.closed(), By::Here);
    assert_eq!(page.answer(&question, Verdict::Once), Err(DeskError::Gone { by: Some(By::Here) }));
    assert_eq!(home.text(), "first\n");
}

#[test]
fn where_nobody_is_there_the_call_is_refused_and_the_agent_told_where_to_ask() {
    let home = Home::new("");
    let mut agent = Agent::start(&home);
    agent.read(&home.file());
    let call = agent.write(&home.file(), "first\n");
    let told = agent.answer(call);
    assert!(told.contains("there is no user to ask") && told.contains("toolcrib ui"), "{told}");

    let home = Home::new("[approvals]\nwait = \"1200ms\"\n");
    let mut agent = Agent::start(&home);
    agent.read(&home.file());
    let arguments = json!({"file_path": home.file(), "content": "first\n"});
    let params = json!({"name": "Write", "arguments": arguments, "_meta": {"progressToken": "p"}});
    let call = agent.send("tools/call", &params);
    let progress = agent.wait(|message| message["method"] == "notifications/progress");
    let message = progress["params"]["message"].as_str().unwrap();
    assert!(message.contains("waits for a person") && message.contains("toolcrib ui"), "{message}");
    let told = agent.answer(call);
    assert!(told.contains("nobody answered within 1s 200ms") && told.contains("toolcrib ui"), "{told}");
    assert_eq!(home.text(), THREE);
}

#[test]
fn who_answers_may_come_and_go() {
    let home = Home::new("[approvals]\nwait = \"2m\"\n");
    let mut agent = Agent::start(&home);
    agent.read(&home.file());
    let call = agent.write(&home.file(), "first\n");
    // Somebody looks and leaves without an answer; somebody else comes later.
    let page = home.watch();
    let question = page.desks.questions().first().cloned().unwrap_or_else(|| page.question());
    drop(page);
    let page = home.watch();
    let again = page.desks.questions().first().cloned().unwrap_or_else(|| page.question());
    assert_eq!(again, question);
    page.answer(&again, Verdict::Once).unwrap();
    agent.answer(call);
    assert_eq!(home.text(), "first\n");
}

#[test]
fn a_killed_server_and_a_cancelled_call_take_their_questions_with_them() {
    let home = Home::new("");
    let (page, mut agent) = (home.watch(), Agent::start(&home));
    agent.read(&home.file());
    let call = agent.write(&home.file(), "first\n");
    page.question();
    agent.notify("notifications/cancelled", &json!({"requestId": call}));
    assert_eq!(page.closed(), By::Cancelled);

    agent.write(&home.file(), "second\n");
    let question = page.question();
    let pid = agent.server.id();
    agent.server.kill().unwrap();
    // The kernel closes its descriptors one after the other: only then is its socket of no use to anyone.
    agent.server.wait().unwrap();
    assert_eq!(page.closed(), By::Gone);
    assert_eq!(page.next(|event| if let Event::ServerGone { pid } = event { Some(pid) } else { None }), pid);
    assert_eq!(page.answer(&question, Verdict::Once), Err(DeskError::Gone { by: Some(By::Gone) }));
    assert!(page.desks.questions().is_empty() && page.desks.servers().is_empty());
    // What it left behind is recognised and removed.
    let left = || std::fs::read_dir(home.state().join("desk")).unwrap().count();
    assert_eq!(left(), 1);
    assert!(home.watch().desks.servers().is_empty());
    assert_eq!((left(), home.text().as_str()), (0, THREE));
}

#[test]
fn what_is_running_is_shown_and_can_be_stopped() {
    let home = Home::new("[approvals]\nwait = \"2m\"\n");
    let (page, mut agent) = (home.watch(), Agent::start(&home));
    let server = |page: &Watching| page.desks.servers().into_iter().next();
    let agent_known = page.next(|event| match event {
        Event::Server(server) => server.agent,
        _ => None,
    });
    assert_eq!(agent_known, "robot 7");
    assert_eq!(server(&page).unwrap().roots, [home.root().display().to_string()]);
    std::fs::write(home.root().join("a.secret"), "s\n").unwrap();
    // A read goes the quick way, on the thread that reads: it is shown and stopped too.
    let arguments = |file: &str| json!({"file_path": home.root().join(file)});
    let mut write = arguments("b.txt");
    write["content"] = "x".into();
    for (tool, file, arguments) in [("Write", "b.txt", write), ("Read", "a.secret", arguments("a.secret"))] {
        let call = agent.call(tool, &arguments);
        page.question();
        let running = server(&page).unwrap().calls;
        assert_eq!((running.len(), running[0].tool.as_str()), (1, tool));
        assert!(running[0].path.as_deref().unwrap().ends_with(file));
        page.desks.stop(agent.server.id(), running[0].id).unwrap();
        let told = agent.answer(call);
        assert!(told.contains("The user has stopped this call"), "{told}");
        assert_eq!(page.closed(), By::Cancelled);
    }
    assert!(!home.root().join("b.txt").exists());
    // A server that ends is gone, and its name too.
    drop(agent.input.take());
    page.next(|event| matches!(event, Event::ServerGone { .. }).then_some(()));
    agent.server.wait().unwrap();
    assert_eq!(std::fs::read_dir(home.state().join("desk")).unwrap().count(), 0);
}

#[test]
fn the_terminal_and_the_page_are_asked_at_once() {
    let home = Home::new("");
    let page = home.watch();
    let path = home.path().display().to_string();
    let state = home.path().join("state").display().to_string();
    let variables = [("HOME", path.as_str()), ("XDG_STATE_HOME", state.as_str()), ("XDG_CONFIG_HOME", "")];
    let mut terminal = on_a_terminal_with(&home.root(), "write a.txt first", &variables);
    terminal.wait_for("Allow?");
    page.answer(&page.question(), Verdict::Once).unwrap();
    let (status, shown) = terminal.end();
    assert!(status.success() && shown.contains("(answered elsewhere)"), "{shown}");
    assert_eq!(home.text(), "first");

    let mut terminal = on_a_terminal_with(&home.root(), "write a.txt second", &variables);
    terminal.wait_for("Allow?");
    let question = page.question();
    terminal.type_in("y\n");
    assert_eq!(page.closed(), By::Here);
    assert!(page.answer(&question, Verdict::No { reason: None }).is_err());
    assert!(terminal.end().0.success());
    assert_eq!(home.text(), "second");
    assert_eq!(std::fs::read_dir(home.state().join("desk")).unwrap().count(), 0, "no name is left");
}
