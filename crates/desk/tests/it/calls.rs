//! What is running is shown while it runs, and can be stopped.

use tokio_util::sync::CancellationToken;
use toolcrib_desk::{Desk, DeskError, Event, Listening};

use crate::{Asking, Watching};

#[test]
fn a_call_is_shown_from_its_beginning_to_its_end() {
    let (asking, token) = (Asking::new(), CancellationToken::new());
    let early = asking.desk.begin("Grep", Some("src"), Some("agent 1"), None, &token);
    asking.desk.set_agent("agent 1");
    let page = Watching::of(asking.state());
    let [server] = &page.desks.servers()[..] else { panic!() };
    assert_eq!(
        (server.agent.as_deref(), server.door.as_str(), server.pid),
        (Some("agent 1"), "mcp", std::process::id())
    );
    assert_eq!(server.calls[0].tool, "Grep");

    let late = asking.desk.begin("Read", Some("a.txt"), Some("agent 1"), Some("s"), &token);
    let began = page.next(|event| if let Event::CallBegan { call, .. } = event { Some(call) } else { None });
    assert_eq!((began.id, began.path.as_deref()), (late.id(), Some("a.txt")));
    late.waits_for(Some("waits"));
    let waits =
        page.next(|event| if let Event::CallProgress { call, .. } = event { call.message } else { None });
    assert_eq!(waits, "waits");
    late.failed("File not found");
    drop(late);
    let ended = page.next(|event| if let Event::CallEnded { call, .. } = event { Some(call) } else { None });
    assert_eq!(ended, began.id);
    assert_eq!(page.desks.failures()[0].message, "File not found");
    assert_eq!(page.desks.servers()[0].calls.len(), 1);

    assert!(!early.was_stopped());
    page.desks.stop(std::process::id(), early.id()).unwrap();
    assert!(early.was_stopped() && token.is_cancelled());
    drop(early);
    page.next(|event| matches!(event, Event::CallEnded { .. }).then_some(()));
    assert_eq!(page.desks.stop(std::process::id(), began.id), Err(DeskError::Gone { by: None }));
}

#[test]
fn failures_are_bounded() {
    let (asking, token) = (Asking::new(), CancellationToken::new());
    for n in 0..200 {
        asking.desk.begin("Read", None, None, None, &token).failed(&format!("{n} {}", "x".repeat(10_000)));
    }
    let page = Watching::of(asking.state());
    let failures = page.desks.failures();
    assert_eq!(failures.len(), 50);
    assert!(failures[0].message.starts_with("199 ") && failures[49].message.starts_with("150 "));
    assert!(failures.iter().all(|failure| failure.message.len() < 2100));
}

#[test]
fn only_what_serves_something_of_the_roots_is_shown() {
    let asking = Asking::new();
    let page = Watching::of_roots(asking.state(), &["/w/part"]);
    assert_eq!(page.desks.servers().len(), 1, "a root around it");
    let other = Watching::of_roots(asking.state(), &["/other"]);
    assert!(other.desks.servers().is_empty());
    // The server gets other roots.
    asking.desk.set_roots(vec!["/other/project".to_owned()]);
    other.next(|event| matches!(event, Event::Server(_)).then_some(()));
    assert_eq!(other.desks.servers().len(), 1);
    // A server that comes later.
    let desk = Desk::new("http", "standard", vec!["/other".to_owned()]);
    let listening = Listening::open(asking.state(), &desk).unwrap();
    let _accepting = listening.accept_on_a_thread();
    let came = other.next(|event| if let Event::Server(server) = event { Some(server.door) } else { None });
    assert_eq!(came, "http");
}
