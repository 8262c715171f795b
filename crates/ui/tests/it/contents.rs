//! Changes with their contents: lists, diffs, files over time, and what is denied.

use serde_json::json;

use crate::served::{Served, ids};

#[test]
fn a_change_is_told_with_its_diff() {
    let served = Served::start();
    let page = served.page();
    let first = served.write("src/a.txt", "one\ntwo\nthree\n");
    let second = served.write("src/a.txt", "one\n2\nthree\nfour\n");

    let list = page.load("/api/changes");
    assert_eq!(ids(&list), [second, first]);
    assert_eq!((&list["more"], &list["next"]), (&json!(false), &json!(null)));
    let change = &list["changes"][0];
    assert_eq!(
        [&change["tool"], &change["agent"], &change["session"], &change["state"]],
        ["Write", "claude", "one", "done"]
    );
    let file = &change["files"][0];
    assert_eq!((&file["path"], &file["action"]), (&json!("src/a.txt"), &json!("update")));
    assert_eq!(file["before"], list["changes"][1]["files"][0]["after"]);

    let diff = page.load(&format!("/api/changes/{second}/files/0/diff"));
    let rows = diff["hunks"][0]["rows"].as_array().unwrap();
    let shown: Vec<_> = rows
        .iter()
        .map(|row| format!("{}{}", row["t"].as_str().unwrap(), row["s"].as_str().unwrap()))
        .collect();
    assert_eq!(shown, [" one", "-two", "+2", " three", "+four"]);
    assert_eq!(diff["hunks"][0]["id"].as_str().unwrap().len(), 16);

    let counts = page.load(&format!("/api/counts?ids={first},{second}"));
    assert_eq!(counts["counts"], json!({first.to_string(): [[3, 0]], second.to_string(): [[2, 1]]}));

    let content = page.get(&format!("/api/changes/{second}/files/0/content?side=before"));
    assert_eq!(content.body, b"one\ntwo\nthree\n");
    assert_eq!(content.header("content-type"), "application/octet-stream");
    assert_eq!(content.header("content-disposition"), "attachment");
    for missing in
        ["/api/changes/99", "/api/changes/99/files/0/diff", &format!("/api/changes/{first}/files/9/diff")]
    {
        let reply = page.get(missing);
        assert_eq!(
            (reply.status, reply.json()["error"]["kind"].as_str()),
            (404, Some("not_found")),
            "{missing}"
        );
    }
}

#[test]
fn a_list_can_be_narrowed() {
    let served = Served::start();
    let page = served.page();
    let a = served.write("a.txt", "a\n");
    let b = served.write("lib/Big.rs", "b\n");
    let only = |query: &str| ids(&page.load(&format!("/api/changes?{query}")));
    assert_eq!(only("agent=claude"), [b, a]);
    assert_eq!(only("agent=other"), [0; 0]);
    assert_eq!(only("session=one&tool=Write&limit=1"), [b]);
    assert_eq!(only("file=a.txt"), [a]);
    assert_eq!((only("file=lib"), only("file=lib/"), only("file=li")), (vec![b], vec![b], vec![]));
    assert_eq!(only("q=big"), [b]);
    let time = page.load(&format!("/api/changes/{b}"))["time"].as_u64().unwrap();
    assert_eq!(only(&format!("since={}", time + 60_000)), [0; 0]);
    assert_eq!(only(&format!("until={}", time + 60_000)), [b, a]);
    assert_eq!(page.get("/api/changes?limit=x").status, 400);
    let first = page.load("/api/changes?limit=1");
    let next = first["next"].as_u64().unwrap();
    assert_eq!((ids(&first), only(&format!("before={next}"))), (vec![b], vec![a]));
}

#[test]
fn a_file_is_followed_through_time() {
    let served = Served::start();
    let page = served.page();
    let ids = ["one\n", "two\n", "three\n"].map(|content| served.write("a.txt", content));
    let history = page.load("/api/files/history?path=a.txt");
    let versions = history["versions"].as_array().unwrap();
    let changes: Vec<_> = versions.iter().map(|version| version["change"].as_u64().unwrap()).collect();
    assert_eq!(changes, [ids[2], ids[1], ids[0]]);
    assert_eq!(versions[0]["version"], history["current"]);
    let difference = |a: &str, b: &str| {
        let diff = page.load(&format!("/api/files/diff?path=a.txt&a={a}&b={b}"));
        let rows = diff["hunks"][0]["rows"].as_array().cloned().unwrap_or_default();
        rows.iter()
            .map(|row| format!("{}{}", row["t"].as_str().unwrap(), row["s"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(difference(&format!("{}:after", ids[0]), "current"), ["-one", "+three"]);
    assert_eq!(difference(&format!("{}:before", ids[0]), &format!("{}:after", ids[1])), ["+two"]);
    std::fs::remove_file(served.root.join("a.txt")).unwrap();
    assert_eq!(page.load("/api/files/history?path=a.txt")["current"], json!(null));
    for wrong in ["a=1:sideways&b=current", "a=current", "a=99:after&b=current", "a=x&b=current"] {
        let reply = page.get(&format!("/api/files/diff?path=a.txt&{wrong}"));
        assert!(matches!(reply.status, 400 | 404), "{wrong}: {}", reply.status);
    }
    assert_eq!(page.get("/api/files/history?path=../outside").status, 403);
}

/// The user's rules may let an agent change what it may not read back; the page shows such a content only when it is asked for.
#[test]
fn what_may_not_be_read_is_shown_on_request_alone() {
    let served = Served::start();
    let page = served.page();
    let id = served.write("notes/plan.txt", "a secret plan\n");
    served.write("notes/plan.txt", "another secret plan\n");
    let paths = [
        format!("/api/changes/{id}/files/0/diff"),
        format!("/api/changes/{id}/files/0/content?side=after"),
        format!("/api/files/diff?path=notes/plan.txt&a={id}:after&b=current"),
        "/api/files/diff?path=notes/plan.txt&a=current&b=current".to_owned(),
    ];
    for path in &paths[..3] {
        let shown = page.get(path);
        assert!(String::from_utf8_lossy(&shown.body).contains("secret"), "the control: {path}");
    }
    let wanted = json!({"kind": "read", "pattern": "notes/**", "action": "deny"});
    let preview = page.post("/api/rules/preview", &wanted).json();
    let with_digest =
        json!({"kind": "read", "pattern": "notes/**", "action": "deny", "digest": preview["digest"]});
    assert_eq!(page.post("/api/rules", &with_digest).status, 200);

    for path in &paths {
        let hidden = page.get(path);
        assert!(!String::from_utf8_lossy(&hidden.body).contains("secret"), "{path}");
        let refused = hidden.status == 403 || hidden.json()["denied"] == true;
        assert!(refused, "{path}: {}", String::from_utf8_lossy(&hidden.body));
    }
    assert_eq!(page.load("/api/changes")["changes"][0]["files"][0]["denied"], true);
    assert_eq!(page.load(&format!("/api/counts?ids={id}"))["counts"][id.to_string()], json!([null]));
    for path in &paths[..2] {
        let separator = if path.contains('?') { '&' } else { '?' };
        let revealed = page.get(&format!("{path}{separator}reveal=1"));
        assert!(String::from_utf8_lossy(&revealed.body).contains("a secret plan"), "{path}");
    }
}

#[test]
fn the_state_says_where_and_what() {
    let served = Served::start();
    let page = served.page();
    assert_eq!(page.load("/api/state")["journal"]["newest"], 0);
    let id = served.write("a.txt", "a\n");
    let state = page.load("/api/state");
    assert_eq!(state["workspace"]["name"], "project");
    assert_eq!(state["roots"][0].as_str().unwrap(), served.root.to_str().unwrap());
    assert_eq!(state["journal"], json!({"newest": id, "damage": null, "live": true}));
}
