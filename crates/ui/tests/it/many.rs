//! Ten thousand changes, and a diff of a hundred thousand lines: what is asked for is what is read.

use std::path::Path;

use toolcrib::{Durability, Entry, Journal};
use toolcrib_workspace::ChangeSet;

use crate::served::{Served, ids};

const CHANGES: u64 = 10_000;

fn fill(journal: &Journal, served: &Served) {
    let path = |name: &str| served.toolbox.workspace().path(Path::new(name), &served.root).unwrap();
    for number in 0..CHANGES {
        let mut changes = ChangeSet::default();
        changes.create(path(&format!("{}/{number}.txt", number % 100)), format!("{number}\n"));
        let agent = if number % 1000 == 0 { "rare" } else { "claude" };
        let entry = Entry { agent: Some(agent), ..Entry::new("Write") };
        journal.commit(&changes, Durability::Fast, &entry).unwrap();
    }
}

#[test]
fn ten_thousand_changes_come_in_pages() {
    let served = Served::start();
    fill(&served.toolbox.journal().unwrap(), &served);
    let page = served.page();
    let first = page.get("/api/changes?limit=100");
    assert!(first.body.len() < 100_000, "{}", first.body.len());

    let (mut seen, mut before, mut pages) = (Vec::new(), String::new(), 0);
    loop {
        let list = page.load(&format!("/api/changes?limit=500{before}"));
        seen.extend(ids(&list));
        pages += 1;
        match list["next"].as_u64() {
            Some(next) => before = format!("&before={next}"),
            None => break,
        }
    }
    assert_eq!(pages, CHANGES.div_ceil(500));
    assert_eq!(seen.len() as u64, CHANGES);
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1] + 1), "no gap and no double");
    let rare = page.load("/api/changes?agent=rare&limit=500");
    assert_eq!((ids(&rare).len(), rare["more"].as_bool()), (10, Some(false)));
    assert_eq!(page.get("/api/changes?limit=1000000").json()["changes"].as_array().unwrap().len(), 500);
    let oldest = *seen.last().unwrap();
    assert_eq!(page.load(&format!("/api/changes/{oldest}/files/0/diff"))["added"], 1);
    let mut events = page.events(Some(oldest), None);
    assert_eq!(
        events.named("reset").data["newest"].as_u64(),
        Some(seen[0]),
        "too many to be told one by one"
    );
}

#[test]
fn a_hundred_thousand_lines_come_in_pages() {
    let served = Served::start();
    let text = |word: &str| (0..100_000).map(|line| format!("{word} {line}\n")).collect::<String>();
    served.write("large.txt", &text("old"));
    let id = served.write("large.txt", &text("new"));
    let page = served.page();
    let reply = page.get(&format!("/api/changes/{id}/files/0/diff"));
    assert!(reply.body.len() < 1_000_000, "{}", reply.body.len());
    let diff = reply.json();
    assert_eq!((diff["added"].as_u64(), diff["removed"].as_u64()), (Some(100_000), Some(100_000)));
    let next = diff["more"]["next"].as_u64().unwrap();
    let diff = page.load(&format!("/api/changes/{id}/files/0/diff?from_row={}", next + 150_000));
    assert_eq!(diff["hunks"][0]["continued"], true);
    assert_eq!(diff["hunks"][0]["rows"][0]["t"], "+");
}
