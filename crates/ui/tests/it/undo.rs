//! Undo and redo through the page: shown first, then exactly that, through a real journal.

use serde_json::{Value, json};

use crate::client::Page;
use crate::served::Served;

fn wanted(kind: &str, what: &Value, digest: &Value) -> Value {
    match digest {
        Value::Null => json!({"kind": kind, "what": what}),
        digest => json!({"kind": kind, "what": what, "digest": digest}),
    }
}

/// Looks at the preview, and then does it.
fn make(page: &Page, kind: &str, what: &Value) -> Value {
    let preview = page.post("/api/undo/preview", &wanted(kind, what, &Value::Null));
    assert_eq!(preview.status, 200, "{}", String::from_utf8_lossy(&preview.body));
    let preview = preview.json();
    assert_eq!((&preview["preview"], &preview["recorded"]), (&json!(true), &Value::Null));
    let made = page.post("/api/undo", &wanted(kind, what, &preview["digest"]));
    assert_eq!(made.status, 200, "{}", String::from_utf8_lossy(&made.body));
    let made = made.json();
    assert!(made["recorded"].as_u64().is_some());
    assert_eq!(made["files"], preview["files"], "what was shown is what was done");
    made
}

fn read(served: &Served, name: &str) -> Option<String> {
    std::fs::read_to_string(served.root.join(name)).ok()
}

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n";

#[test]
fn a_change_is_undone_and_redone_as_it_was_shown() {
    let served = Served::start();
    let page = served.page();
    let id = served.write("a.txt", "one\n");
    let what = json!({"changes": [id]});
    let preview = page.post("/api/undo/preview", &wanted("undo", &what, &Value::Null)).json();
    assert_eq!(preview["files"][0]["path"], "a.txt");
    assert_eq!(preview["files"][0]["diff"]["hunks"][0]["rows"][0], json!({"t": "-", "o": 1, "s": "one"}));
    assert_eq!(read(&served, "a.txt").as_deref(), Some("one\n"), "a preview changes nothing");
    assert_eq!(
        page.post("/api/undo", &wanted("undo", &what, &Value::Null)).status,
        400,
        "what was not shown"
    );
    assert_eq!(
        page.post("/api/undo", &wanted("undo", &what, &json!("00"))).status,
        409,
        "what was not shown so"
    );
    assert_eq!(read(&served, "a.txt").as_deref(), Some("one\n"));
    make(&page, "undo", &what);
    assert_eq!(read(&served, "a.txt"), None);
    assert_eq!(page.load(&format!("/api/changes/{id}"))["state"], "undone");
    make(&page, "redo", &what);
    assert_eq!(read(&served, "a.txt").as_deref(), Some("one\n"));
    assert_eq!(page.load(&format!("/api/changes/{id}"))["state"], "done");
}

#[test]
fn hunks_files_and_sessions_are_undone() {
    let served = Served::start();
    let page = served.page();
    served.write("a.txt", LINES);
    let id = served.write("a.txt", &LINES.replace("2\n3", "TWO\n3").replace("\n18\n", "\nEIGHTEEN\n"));
    let hunks = page.load(&format!("/api/changes/{id}/files/0/diff"))["hunks"].clone();
    assert_eq!(hunks.as_array().unwrap().len(), 2);
    make(&page, "undo", &json!({"change": id, "hunks": [{"file": 0, "hunk": hunks[1]["id"]}]}));
    assert_eq!(
        read(&served, "a.txt"),
        Some(LINES.replace("2\n3", "TWO\n3")),
        "one hunk is gone, the other stays"
    );
    let shown = page.load(&format!("/api/changes/{id}/files/0/diff"))["hunks"].clone();
    assert_eq!((&shown[0]["undoable"], &shown[1]["undoable"]), (&json!("yes"), &json!("gone")));
    make(&page, "undo", &json!({"change": id, "file": "a.txt"}));
    assert_eq!(read(&served, "a.txt").as_deref(), Some(LINES));
    served.write("c.txt", "c\n");
    make(&page, "undo", &json!({"session": "one"}));
    assert_eq!((read(&served, "a.txt"), read(&served, "c.txt")), (None, None));
    assert_eq!(std::fs::read_dir(&served.root).unwrap().count(), 0);
}

#[test]
fn a_version_is_restored() {
    let served = Served::start();
    let page = served.page();
    let first = served.write("a.txt", "one\n");
    served.write("a.txt", "two\n");
    served.write("a.txt", "three\n");
    let to = |side: &str| json!({"restore": {"path": "a.txt", "change": first, "side": side}});
    make(&page, "undo", &to("after"));
    assert_eq!(read(&served, "a.txt").as_deref(), Some("one\n"));
    make(&page, "undo", &to("before"));
    assert_eq!(read(&served, "a.txt"), None);
}

#[test]
fn a_conflict_comes_with_its_three_texts() {
    let served = Served::start();
    let page = served.page();
    served.write("a.txt", "one\ntwo\n");
    let id = served.write("a.txt", "one\nTWO\n");
    std::fs::write(served.root.join("a.txt"), "one\nmine\n").unwrap();
    for (path, digest) in [("/api/undo/preview", Value::Null), ("/api/undo", json!("00"))] {
        let reply = page.post(path, &wanted("undo", &json!({"changes": [id]}), &digest));
        assert_eq!(reply.status, 409);
        let reply = reply.json();
        assert!(reply["error"]["message"].as_str().unwrap().contains("a.txt"), "{reply}");
        let conflict = &reply["conflicts"][0];
        assert_eq!((&conflict["path"], &conflict["change"]), (&json!("a.txt"), &json!(id)));
        let texts = ["base", "ours", "theirs"].map(|name| conflict[name].as_str().unwrap());
        assert_eq!(texts, ["one\nTWO\n", "one\nmine\n", "one\ntwo\n"]);
    }
    assert_eq!(read(&served, "a.txt").as_deref(), Some("one\nmine\n"), "nothing is resolved in silence");
}

#[test]
fn what_means_nothing_is_refused() {
    let served = Served::start();
    let page = served.page();
    let id = served.write("a.txt", "one\n");
    for (what, statuses) in [
        (json!({"changes": [99]}), [404, 404]),
        (json!({"changes": []}), [400, 404]),
        (json!({"change": id, "file": "other.txt"}), [404, 400]),
        (json!({"change": id, "hunks": [{"file": 0, "hunk": "0000"}]}), [404, 400]),
        (json!({"change": id, "hunks": [{"file": 7, "hunk": "0000"}]}), [404, 400]),
        (json!({"session": "nobody"}), [404, 404]),
        (json!({"nothing": 1}), [400, 400]),
        (json!(7), [400, 400]),
    ] {
        let reply = page.post("/api/undo/preview", &wanted("undo", &what, &Value::Null));
        assert!(
            statuses.contains(&reply.status),
            "{what}: {} {}",
            reply.status,
            String::from_utf8_lossy(&reply.body)
        );
        assert!(reply.json()["error"]["message"].as_str().unwrap().len() > 10);
    }
    assert_eq!(read(&served, "a.txt").as_deref(), Some("one\n"));
}
