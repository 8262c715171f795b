//! Questions of an agent: shown in full, answered once, by a POST of the page alone. Through the same sockets as between processes.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolcrib::desk::{Accepting, AtDesk, Desk, Listening, Patience};
use toolcrib::{Config, ToolResult, Toolbox};

use crate::client::{Events, Page};
use crate::served::Served;

/// Longer than anything takes; a test that waits so long has failed.
const LONG: Duration = Duration::from_secs(60);

const RULES: &str = "journal = {durability = \"fast\"}\n\
    [[rules]]\nkind = \"edit\"\npattern = \"**/*.txt\"\naction = \"ask\"\n\
    [[rules]]\nkind = \"read\"\npattern = \"**/hidden.txt\"\naction = \"deny\"\n";

/// An agent's server that has nobody to ask but the page.
struct Asking {
    toolbox: Toolbox,
    desk: Desk,
    /// Pages find the server until this is dropped.
    _accepting: Accepting,
}

impl Asking {
    fn on(served: &Served) -> Self {
        let desk = Desk::new("mcp", "standard", vec![served.root.display().to_string()]);
        desk.set_agent("claude");
        let accepting = Listening::open(&served.state, &desk).unwrap().accept_on_a_thread();
        let approver = AtDesk::new(&desk, Patience { configured: Some(LONG), ..Patience::default() });
        let toolbox = Toolbox::builder()
            .root(&served.root)
            .config(Config::parse(RULES).unwrap())
            .journal_in(&served.state)
            .approver(Arc::new(approver))
            .open()
            .unwrap();
        Self { toolbox, desk, _accepting: accepting }
    }

    /// Calls Write on a thread of its own.
    fn write(&self, served: &Served, name: &str, content: &str) -> Receiver<ToolResult> {
        let (sender, result) = channel();
        let arguments = json!({"file_path": served.root.join(name), "content": content});
        let toolbox = self.toolbox.clone();
        std::thread::spawn(move || {
            let context = toolbox.context().agent("claude").session("one");
            _ = sender.send(toolbox.call_blocking("Write", arguments, &context));
        });
        result
    }
}

/// The question that is asked next, in full.
fn question(page: &Page, events: &mut Events) -> Value {
    let asked = events.named("question").data;
    let whole = page.load(&format!("/api/questions/{}", asked["id"].as_str().unwrap()));
    assert_eq!(whole["digest"], asked["digest"]);
    whole
}

fn answer(page: &Page, question: &Value, mut body: Value) -> (u16, Value) {
    body["digest"] = question["digest"].clone();
    let reply = page.post(&format!("/api/questions/{}/answer", question["id"].as_str().unwrap()), &body);
    (reply.status, reply.json())
}

fn pending(page: &Page) -> usize {
    page.load("/api/state")["questions"].as_array().unwrap().len()
}

fn read(served: &Served, name: &str) -> Option<String> {
    std::fs::read_to_string(served.root.join(name)).ok()
}

#[test]
fn a_question_is_answered_on_the_page() {
    let served = Served::start();
    let page = served.page();
    let mut events = page.events(None, None);
    let asking = Asking::on(&served);
    events.named("server");

    let result = asking.write(&served, "a.txt", "one\n");
    let asked = question(&page, &mut events);
    assert_eq!(
        (&asked["tool"], &asked["agent"], &asked["paths"][0]),
        (&json!("Write"), &json!("claude"), &json!("a.txt"))
    );
    assert_eq!(asked["files"][0]["hunks"][0]["rows"][0], json!({"t": "+", "n": 1, "s": "one"}));
    assert_eq!(
        (&asked["files"][0]["before_text"], &asked["files"][0]["after_text"]),
        (&Value::Null, &json!("one\n"))
    );
    assert_eq!(pending(&page), 1);

    // What is not a yes to this very change is none.
    let path = format!("/api/questions/{}/answer", asked["id"].as_str().unwrap());
    let yes = json!({"digest": asked["digest"], "verdict": "once"});
    for method in ["GET", "HEAD", "PUT"] {
        assert_eq!(page.request(method, &path, &page.headers(), yes.to_string().as_bytes()).status, 405);
    }
    let foreign: Vec<_> = page.posting().into_iter().filter(|(name, _)| name != "Origin").collect();
    assert_eq!(page.request("POST", &path, &foreign, yes.to_string().as_bytes()).status, 403);
    assert_eq!(page.post(&path, &json!({"digest": "00", "verdict": "once"})).status, 409);
    assert_eq!(page.post(&path, &json!({"verdict": "once"})).status, 400);
    assert_eq!(page.post(&path, &json!({"digest": asked["digest"], "verdict": "maybe"})).status, 400);
    let keep = json!({"verdict": "once", "keep": {"0": ["0000"]}});
    assert_eq!(answer(&page, &asked, keep).0, 400, "a hunk that there is not");
    assert_eq!((read(&served, "a.txt"), pending(&page)), (None, 1), "nobody has said yes yet");

    assert_eq!(answer(&page, &asked, json!({"verdict": "once"})).0, 200);
    assert!(result.recv_timeout(LONG).unwrap().success);
    assert_eq!(read(&served, "a.txt").as_deref(), Some("one\n"));
    assert_eq!(events.named("answered").data["id"], asked["id"]);
    let (status, again) = answer(&page, &asked, json!({"verdict": "once"}));
    assert_eq!((status, &again["error"]["kind"]), (409, &json!("answered")), "{again}");
    assert_eq!(pending(&page), 0);

    let result = asking.write(&served, "b.txt", "b\n");
    let asked = question(&page, &mut events);
    assert_eq!(answer(&page, &asked, json!({"verdict": "no", "reason": "write Markdown"})).0, 200);
    let refused = result.recv_timeout(LONG).unwrap();
    assert!(refused.error.unwrap().contains("write Markdown"));
    assert_eq!(read(&served, "b.txt"), None);

    let result = asking.write(&served, "b.txt", "mine\n");
    let asked = question(&page, &mut events);
    assert_eq!(answer(&page, &asked, json!({"verdict": "always", "edited": {"0": "yours\n"}})).0, 400);
    assert_eq!(answer(&page, &asked, json!({"verdict": "once", "edited": {"0": "yours\n"}})).0, 200);
    assert!(result.recv_timeout(LONG).unwrap().success);
    assert_eq!(read(&served, "b.txt").as_deref(), Some("yours\n"), "what is committed is what was shown");
    assert_eq!(page.get("/api/questions/nothing").status, 409);
}

#[test]
fn what_may_not_be_read_is_not_in_a_question_unless_asked_for() {
    let served = Served::start();
    let page = served.page();
    let mut events = page.events(None, None);
    let asking = Asking::on(&served);
    events.named("server");
    let _result = asking.write(&served, "hidden.txt", "the secret\n");
    let asked = events.named("question").data;
    assert!(!asked.to_string().contains("the secret"));
    let path = format!("/api/questions/{}", asked["id"].as_str().unwrap());
    let hidden = page.load(&path);
    assert_eq!(hidden["files"][0]["denied"], true);
    assert!(!hidden.to_string().contains("the secret"), "{hidden}");
    assert!(!page.load(&format!("{path}/files/0/diff")).to_string().contains("the secret"));
    assert!(page.load(&format!("{path}?reveal=1")).to_string().contains("the secret"), "the control");
}

#[test]
fn two_hundred_questions_are_each_answered_once() {
    const QUESTIONS: usize = 200;
    let served = Served::start();
    let page = served.page();
    let mut events = page.events(None, None);
    let asking = Asking::on(&served);
    events.named("server");
    let results: Vec<_> =
        (0..QUESTIONS).map(|n| asking.write(&served, &format!("{n}.txt"), &format!("{n}\n"))).collect();
    let asked: Vec<Value> = (0..QUESTIONS).map(|_| events.named("question").data).collect();
    assert_eq!(pending(&page), QUESTIONS);
    // Two pages answer all of them at once, one yes and the other no.
    let counted = std::thread::scope(|scope| {
        let answers = ["once", "no"].map(|verdict| {
            let (page, asked) = (&page, &asked);
            scope.spawn(move || {
                let statuses =
                    asked.iter().map(|question| answer(page, question, json!({"verdict": verdict})).0);
                let statuses: Vec<u16> = statuses.collect();
                assert!(statuses.iter().all(|status| [200, 409].contains(status)));
                statuses.iter().map(|status| *status == 200).collect::<Vec<_>>()
            })
        });
        answers.map(|answers| answers.join().unwrap())
    });
    let written =
        results.iter().map(|result| result.recv_timeout(LONG).unwrap().success).filter(|done| *done).count();
    let [yes, no] = counted;
    assert!(yes.iter().zip(&no).all(|(yes, no)| yes != no), "each question is answered by one of them");
    assert_eq!(written, yes.iter().filter(|counted| **counted).count());
    assert_eq!(pending(&page), 0);
}

#[test]
fn a_call_at_work_is_shown_and_stopped() {
    let served = Served::start();
    let page = served.page();
    let mut events = page.events(None, None);
    let asking = Asking::on(&served);
    let server = events.named("server").data;
    assert_eq!((&server["agent"], &server["door"]), (&json!("claude"), &json!("mcp")));
    let cancelled = CancellationToken::new();
    let began = asking.desk.begin("Grep", None, None, None, &cancelled);
    let pid = std::process::id();
    let path = format!("/api/servers/{pid}/calls/{}/stop", began.id());
    let shown = || page.load("/api/state")["servers"][0]["calls"].as_array().map_or(0, Vec::len);
    while shown() == 0 {
        std::thread::yield_now();
    }
    assert_eq!(page.get(&path).status, 405);
    assert!(!cancelled.is_cancelled());
    assert_eq!(page.post(&format!("/api/servers/{pid}/calls/999/stop"), &json!({})).status, 409);
    assert_eq!(page.post(&path, &json!({})).status, 200);
    assert!(cancelled.is_cancelled() && began.was_stopped());
}
