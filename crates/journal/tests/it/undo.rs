//! Undoing changes.

use std::fs;

use toolcrib_journal::{Entry, State, UndoError};
use toolcrib_workspace::{Base, Change, Durability, Version};

use crate::support::{World, chmod, comment};

#[test]
fn every_sort_of_change_is_undone_exactly_and_made_again() {
    let world = World::new();
    for (name, content) in [("updated", "1"), ("removed", "2"), ("moved", "3"), ("over", "4"), ("mode", "5")]
    {
        let path = world.file(name, content);
        chmod(&path, 0o640 + u32::from(content.as_bytes()[0] % 7));
        comment(&path, name);
    }
    world.file("bystander", "untouched");
    world.link("link", "updated");
    let before = world.tree();
    let mode = Change::Write {
        path: world.path("mode"),
        base: Base::Version(Version::of(b"5")),
        content: b"5".to_vec(),
        mode: Some(0o755),
    };
    let id = world
        .commit([
            world.update("link", "1", "new"),
            world.create("made/below/created", "new"),
            world.remove("removed", "2"),
            world.rename("moved", "over", "3", Base::Version(Version::of(b"4")), Some("new")),
            mode,
        ])
        .unwrap();
    let after = world.tree();
    assert_ne!(after, before);
    world.undo(id).unwrap();
    assert_eq!(world.tree(), before);
    assert!(matches!(world.journal.log(10).unwrap()[1].state, State::Undone(_)));
    world.redo(id).unwrap();
    assert_eq!(world.tree(), after);
    assert_eq!(world.journal.log(10).unwrap()[2].state, State::Done);
    world.undo(id).unwrap();
    assert_eq!(world.tree(), before);
}

#[test]
fn a_chain_of_changes_is_undone_one_by_one() {
    let world = World::new();
    world.file("a", "0");
    let mut trees = vec![world.tree()];
    let mut ids = Vec::new();
    for n in 0..10 {
        ids.push(world.commit([world.update("a", &n.to_string(), &(n + 1).to_string())]).unwrap());
        trees.push(world.tree());
    }
    assert_eq!(world.journal.latest_to_undo(None).unwrap(), ids.last().copied());
    for _ in 0..10 {
        let latest = world.journal.latest_to_undo(None).unwrap().unwrap();
        world.undo(latest).unwrap();
        trees.pop();
        assert_eq!(Some(&world.tree()), trees.last());
    }
    assert_eq!(world.journal.latest_to_undo(None).unwrap(), None);
    for id in &ids {
        assert_eq!(world.journal.latest_to_redo(None).unwrap(), Some(*id));
        world.redo(*id).unwrap();
    }
    assert_eq!(world.read("a"), "10");
    assert_eq!(world.journal.latest_to_redo(None).unwrap(), None);
}

#[test]
fn the_latest_change_of_a_session_is_found() {
    let world = World::new();
    let entry = |session| Entry { session: Some(session), ..Entry::new("test") };
    let one = world.commit_as([world.create("1", "")], &entry("one")).unwrap();
    let two = world.commit_as([world.create("2", "")], &entry("two")).unwrap();
    assert_eq!(world.journal.latest_to_undo(Some("one")).unwrap(), Some(one));
    assert_eq!(world.journal.latest_to_undo(None).unwrap(), Some(two));
    assert_eq!(world.journal.latest_to_undo(Some("three")).unwrap(), None);
}

#[test]
fn what_others_changed_in_other_lines_is_kept() {
    let world = World::new();
    world.file("a", "one\ntwo\nthree\nfour\n");
    let id = world.commit([world.update("a", "one\ntwo\nthree\nfour\n", "ONE\ntwo\nthree\nfour\n")]).unwrap();
    world.file("a", "ONE\ntwo\nthree\nFOUR\n");
    let undone = world.undo(id).unwrap();
    assert_eq!(world.read("a"), "one\ntwo\nthree\nFOUR\n");
    assert_eq!(undone.merged, [world.path("a")]);
    world.redo(id).unwrap();
    assert_eq!(world.read("a"), "ONE\ntwo\nthree\nFOUR\n");
}

#[test]
fn what_others_changed_in_the_same_place_stops_the_whole_undo() {
    let world = World::new();
    world.file("a", "one\n");
    world.file("b", "b");
    let id = world.commit([world.update("a", "one\n", "ONE\n"), world.update("b", "b", "B")]).unwrap();
    world.file("a", "changed by somebody\n");
    let before = world.tree();
    let UndoError::Conflict(conflict) = world.undo(id).unwrap_err() else {
        panic!("not a conflict");
    };
    assert_eq!(conflict.current, Some(Version::of(b"changed by somebody\n")));
    assert_eq!(
        (conflict.expected, conflict.before),
        (Some(Version::of(b"ONE\n")), Some(Version::of(b"one\n")))
    );
    assert_eq!(world.tree(), before);
    let kept = world.journal.difference(id, 0).unwrap().unwrap();
    assert_eq!(kept.before.as_deref(), Some(&b"one\n"[..]), "the other version is kept");
    assert_eq!(world.journal.log(1).unwrap()[0].state, State::Done);
}

#[test]
fn a_file_that_came_back_or_went_away_is_a_conflict() {
    let world = World::new();
    world.file("removed", "1");
    let removed = world.commit([world.remove("removed", "1")]).unwrap();
    let created = world.commit([world.create("created", "2")]).unwrap();
    world.file("removed", "somebody's");
    fs::remove_file(world.root().join("created")).unwrap();
    for id in [removed, created] {
        assert!(matches!(world.undo(id), Err(UndoError::Conflict(_))));
    }
    assert_eq!(world.read("removed"), "somebody's");
}

/// A link in the place of the file leads to a file that the change did not write.
#[test]
fn a_link_in_the_place_of_the_file_is_a_conflict() {
    let world = World::new();
    world.file("a", "old");
    let id = world.commit([world.update("a", "old", "new")]).unwrap();
    fs::rename(world.root().join("a"), world.root().join("elsewhere")).unwrap();
    world.link("a", "elsewhere");
    assert!(matches!(world.undo(id), Err(UndoError::Conflict(_))));
    assert_eq!(world.read("elsewhere"), "new");
}

#[test]
fn what_does_not_stand_is_not_undone() {
    let world = World::new();
    let id = world.commit([world.create("a", "1")]).unwrap();
    assert!(matches!(world.redo(id), Err(UndoError::NotUndone(_))));
    world.undo(id).unwrap();
    let error = world.undo(id).unwrap_err();
    assert_eq!(error.to_string(), "change 1 was undone already, by change 2");
    assert!(matches!(world.undo("99".parse().unwrap()), Err(UndoError::Unknown(_))));
}

#[test]
fn a_directory_that_somebody_uses_stays() {
    let world = World::new();
    let id = world.commit([world.create("new/a", "1")]).unwrap();
    world.file("new/theirs", "2");
    world.undo(id).unwrap();
    assert_eq!(world.tree().len(), 2);
    assert_eq!(world.read("new/theirs"), "2");
}

#[test]
fn undo_is_safe_too() {
    let world = World::new();
    let id = world.commit([world.create("new/a", "1")]).unwrap();
    world.journal.undo(id, Durability::Safe, &Entry::new("undo")).unwrap();
    assert!(world.tree().is_empty());
}
