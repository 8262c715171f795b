//! Events: what happens is told as it happens, and a page that was away misses nothing and is told nothing twice.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use toolcrib::{UndoKind, UndoRequest};

use crate::served::Served;

#[test]
fn a_change_is_told_when_it_is_made() {
    let served = Served::start();
    let page = served.page();
    let mut events = page.events(None, None);
    assert_eq!(events.next().name, "state");
    let id = served.write("a.txt", "a\n");
    let event = events.named("change");
    assert_eq!((&event.data["id"], &event.data["files"][0]["path"]), (&json!(id), &json!("a.txt")));
    // It may have been told while it was being made; then its end is told too.
    let mut state = event.data["state"].clone();
    while state == "under_way" {
        state = events.named("changed").data["state"].clone();
    }
    assert_eq!(state, "done");

    served.toolbox.undo(&undo(UndoKind::Undo, id), &served.toolbox.context()).unwrap();
    let mut states = BTreeMap::new();
    while states.get(&id) != Some(&json!("undone")) {
        let event = events.next();
        if event.name.starts_with("change") {
            states.insert(event.data["id"].as_u64().unwrap(), event.data["state"].clone());
        }
    }
    served.toolbox.undo(&undo(UndoKind::Redo, id), &served.toolbox.context()).unwrap();
    while states.get(&id) != Some(&json!("done")) {
        let event = events.next();
        if event.name.starts_with("change") {
            states.insert(event.data["id"].as_u64().unwrap(), event.data["state"].clone());
        }
    }
    assert_eq!(states[&(id + 1)], "undone", "the undo itself was undone");
}

fn undo(kind: UndoKind, id: u64) -> UndoRequest {
    UndoRequest::of(kind, Some(id))
}

/// Changes are made all the time, by two writers; the page comes and goes.
#[test]
fn a_page_that_comes_and_goes_sees_every_change_once() {
    const CHANGES: usize = 150;
    let served = Served::start();
    let page = served.page();
    let first = served.write("start.txt", "");
    let done = Arc::new(AtomicBool::new(false));
    std::thread::scope(|scope| {
        let writers: Vec<_> = ["a", "b"]
            .map(|name| {
                let served = &served;
                scope.spawn(move || {
                    (0..CHANGES)
                        .map(|round| served.write(format!("{name}{round}.txt"), "x\n"))
                        .collect::<Vec<_>>()
                })
            })
            .into();
        let flag = Arc::clone(&done);
        let seen = scope.spawn({
            let page = page.clone();
            move || {
                let (mut new, mut states, mut last) = (Vec::new(), BTreeMap::new(), None::<String>);
                for connection in 0.. {
                    // The first time from what a list said, then from the last event.
                    let mut events = page.events(last.is_none().then_some(first), last.as_deref());
                    let mut taken = 0;
                    // A few events, and away again; once all is done, until all was told.
                    while taken < 1 + connection % 9
                        || (flag.load(Ordering::Relaxed) && new.len() < 2 * CHANGES)
                    {
                        if new.len() == 2 * CHANGES && states.values().all(|state| state == "done") {
                            return (new, connection);
                        }
                        let event = events.next();
                        if let Some(id) = event.id {
                            last = Some(id);
                        }
                        match event.name.as_str() {
                            "change" => new.push(event.data["id"].as_u64().unwrap()),
                            "changed" => {}
                            other => {
                                assert_ne!(other, "reset");
                                taken += 1;
                                continue;
                            }
                        }
                        taken += 1;
                        let state = event.data["state"].as_str().unwrap().to_owned();
                        states.insert(event.data["id"].as_u64().unwrap(), state);
                    }
                }
                unreachable!()
            }
        });
        let mut made: Vec<u64> = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        done.store(true, Ordering::Relaxed);
        let (seen, connections) = seen.join().unwrap();
        made.sort_unstable();
        assert_eq!(seen, made, "each once, in order");
        println!("{} changes over {connections} connections", made.len());
        assert!(connections > 3);
    });
}

/// A browser that never reads is no reason for others to wait.
#[test]
fn who_does_not_read_blocks_nobody() {
    let served = Served::start();
    let page = served.page();
    let mut idle = Vec::new();
    for _ in 0..50 {
        let mut stream = TcpStream::connect(&page.address).unwrap();
        let request = format!(
            "GET /api/events?token={} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n\r\n",
            page.token, page.address, page.cookie
        );
        stream.write_all(request.as_bytes()).unwrap();
        idle.push(stream);
        let mut half = TcpStream::connect(&page.address).unwrap();
        half.write_all(b"POST /api/rules HTTP/1.1\r\nHost: ").unwrap();
        idle.push(half);
    }
    let mut events = page.events(None, None);
    events.named("state");
    for round in 0..40 {
        let id = served.write(format!("{round}.txt"), &"line\n".repeat(50));
        loop {
            let event = events.next();
            if event.data["id"] == json!(id) && event.data["state"] == "done" {
                break;
            }
        }
        assert_eq!(page.get("/api/state").status, 200);
    }
}
