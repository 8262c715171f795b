//! New contents that are written while somebody waits for something else.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::io::Errno;
use toolcrib_testkit::{LINKAT, refusing};
use toolcrib_workspace::{ChangeSet, Durability, ErrorKind, Resolver};

use crate::commits::{create, temporary_names, tree, update};
use crate::support::{World, both};

/// As many as are written ahead.
const FILES: usize = 15;

fn changes(world: &World) -> ChangeSet {
    let mut changes = ChangeSet::default();
    for n in 0..FILES {
        world.file(format!("{n:03}"), "old");
        changes.push(update(world, &format!("{n:03}"), "old", "new"));
    }
    changes.push(create(world, "sub/created", "new"));
    changes
}

fn is_done(world: &World) {
    let tree = tree(world);
    assert_eq!(tree.len(), FILES + 1);
    assert!(tree.iter().all(|(_, content)| content == "new"), "{tree:?}");
    assert_eq!(temporary_names(&world.root()), Vec::<PathBuf>::new());
}

#[test]
fn nothing_has_a_name_before_the_wait_is_over() {
    both(|world| {
        let changes = changes(world);
        let before = tree(world);
        let mut planned = world.workspace.plan(&changes).unwrap();
        let waits = AtomicUsize::new(0);
        let waited = planned.write_ahead(&|| false, || {
            assert_eq!(temporary_names(&world.root()), Vec::<PathBuf>::new());
            waits.fetch_add(1, Ordering::Relaxed)
        });
        assert_eq!((waited, waits.into_inner()), (0, 1));
        assert_eq!(tree(world), before);
        let _ = planned.carry_out(Durability::Safe).unwrap().finish();
        is_done(world);
    });
}

#[test]
fn what_is_not_carried_out_leaves_nothing() {
    both(|world| {
        let changes = changes(world);
        let before = tree(world);
        let mut planned = world.workspace.plan(&changes).unwrap();
        let failed: Result<(), &str> = planned.write_ahead(&|| false, || Err("the disk is full"));
        assert_eq!(failed, Err("the disk is full"));
        drop(planned);
        assert_eq!(tree(world), before);
        assert_eq!(temporary_names(&world.root()), Vec::<PathBuf>::new());

        let mut planned = world.workspace.plan(&changes).unwrap();
        planned.write_ahead(&|| true, || ());
        let stopped = planned.carry_out_unless(Durability::Safe, &|| true).unwrap_err();
        assert_eq!(stopped.error().kind(), ErrorKind::Stopped);
        assert_eq!(tree(world), before);
    });
}

/// Where such a file cannot be named, it is staged as usual.
#[test]
fn what_cannot_be_named_is_written_again() {
    for errno in [Errno::NOENT, Errno::PERM, Errno::XDEV] {
        let world = World::new(Resolver::Auto);
        let changes = changes(&world);
        refusing(&[LINKAT], errno, || {
            let mut planned = world.workspace.plan(&changes).unwrap();
            planned.write_ahead(&|| false, || ());
            let _ = planned.carry_out(Durability::Safe).unwrap().finish();
        });
        is_done(&world);
    }
}
