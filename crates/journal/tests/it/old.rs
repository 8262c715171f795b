//! A journal that an earlier version has written is read, and its changes are undone.
//!
//! The files in `old/` were written by the version before several changes could be undone at once: two edits, a file in a
//! new directory, a directory that was deleted, a move, and undo, redo and undo of the edits.

use std::fs;

use toolcrib_journal::{Journal, State};
use toolcrib_workspace::Workspace;

use crate::support::World;

#[test]
fn a_journal_of_an_earlier_version_is_read_and_undone() {
    let mut world = World::new();
    let lines = |changed: &str| format!("one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n{changed}\n");
    world.file("a.txt", lines("TEN"));
    world.file("c.txt", "new\n");
    fs::create_dir(world.root().join("made")).unwrap();
    let journals = world.state().join("journals");
    let [only] = &fs::read_dir(&journals).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()[..]
    else {
        panic!("there is one journal");
    };
    for name in ["head", "key", "key.copy", "numbers", "log-000000000001"] {
        let old = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/old").join(name);
        fs::copy(old, only.join(name)).unwrap();
    }
    let workspace = Workspace::open(world.root()).unwrap();
    let journal = Journal::open(&world.state(), &workspace).unwrap();
    let log = journal.log(20).unwrap();
    let told: Vec<(u64, &str, State)> =
        log.iter().rev().map(|record| (record.id.number(), record.tool.as_str(), record.state)).collect();
    let undone = |by| State::Undone(toolcrib_journal::RecordId::new(by));
    assert_eq!(
        told,
        [
            (1, "Edit", undone(8)),
            (2, "Edit", State::Done),
            (3, "Write", State::Done),
            (4, "Delete", State::Done),
            (5, "Move", State::Done),
            (6, "undo", undone(7)),
            (7, "redo", State::Done),
            (8, "undo", State::Done),
        ]
    );
    world.journal = journal;
    world.undo(log[6].id).unwrap();
    assert_eq!(world.read("a.txt"), lines("ten"));
    world.redo(log[7].id).unwrap();
    assert_eq!(world.read("a.txt"), lines("ten").replace("two", "TWO"));
    world.undo(log[3].id).unwrap();
    assert_eq!(world.read("made/b.txt"), "new\n");
}
