//! What a process could not finish when the disk refused it, it finishes with its next change, without being started anew.

use std::path::PathBuf;

use rustix::io::Errno;
use toolcrib_journal::State;
use toolcrib_testkit::{UNLINKAT, refusing};

use crate::support::{World, temporary_names};

#[test]
fn an_old_file_that_could_not_be_removed_goes_with_the_next_change() {
    let world = World::new();
    world.file("a", "old");
    let id = refusing(&[UNLINKAT], Errno::IO, || world.commit([world.update("a", "old", "new")]).unwrap());
    assert_eq!(world.read("a"), "new");
    assert_eq!(temporary_names(&world.root()).len(), 2, "the control: neither of its names could be removed");

    world.commit([world.create("b", "")]).unwrap();
    assert_eq!(temporary_names(&world.root()), Vec::<PathBuf>::new());
    let records = world.journal.log(2).unwrap();
    assert_eq!((records[1].id, records[1].state), (id, State::Done));
    world.undo(id).unwrap();
    assert_eq!(world.read("a"), "old");
}

#[test]
fn what_could_not_be_rolled_back_is_rolled_back_with_the_next_change() {
    let world = World::new();
    world.file("a", "old");
    let changes = || [world.update("a", "old", "new"), world.create("x/y", ""), world.create("x", "")];
    let error = refusing(&[UNLINKAT], Errno::IO, || world.commit(changes()).unwrap_err());
    assert!(!error.nothing_changed() && !error.is_settled(), "{error}");

    world.commit([world.create("b", "")]).unwrap();
    assert_eq!(world.read("a"), "old");
    let names: Vec<PathBuf> = world.tree().into_keys().collect();
    assert_eq!(names, ["a", "b"].map(PathBuf::from));
    assert_eq!(world.journal.log(2).unwrap()[1].state, State::RolledBack);
}
