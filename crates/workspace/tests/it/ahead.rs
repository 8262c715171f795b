//! New contents that are written while something else is done.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use toolcrib_testkit::{LINKAT, refusing};
use toolcrib_workspace::{ChangeSet, Durability, ErrorKind, Resolver};

use crate::commits::{create, temporary_names, tree, update};
use crate::support::{World, both};

/// As many as are written ahead, with the one that is created.
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

/// How many files without names this process holds in the root.
fn unnamed(world: &World) -> usize {
    let root = fs::canonicalize(world.root()).unwrap();
    let handles = fs::read_dir("/proc/self/fd").unwrap().map_while(Result::ok);
    let targets = handles.filter_map(|handle| fs::read_link(handle.path()).ok());
    targets
        .filter(|target| target.starts_with(&root) && target.to_string_lossy().ends_with(" (deleted)"))
        .count()
}

#[test]
fn nothing_has_a_name_before_the_wait_is_over() {
    both(|world| {
        let changes = changes(world);
        let before = tree(world);
        let mut planned = world.workspace.plan(&changes).unwrap();
        let waits = AtomicUsize::new(0);
        let ahead = if world.workspace.resolver() == Resolver::Openat2 { FILES + 1 } else { 0 };
        let waited = planned.write_ahead(Durability::Safe, |_| {
            let began = Instant::now();
            while unnamed(world) < ahead && began.elapsed() < Duration::from_secs(10) {}
            assert_eq!((unnamed(world), temporary_names(&world.root())), (ahead, Vec::new()));
            waits.fetch_add(1, Ordering::Relaxed)
        });
        assert_eq!((waited, waits.into_inner()), (0, 1));
        assert_eq!(tree(world), before);
        let in_place = planned.carry_out(Durability::Safe).unwrap();
        assert_eq!(unnamed(world), 0);
        let _ = in_place.finish();
        is_done(world);
    });
}

/// As long as somebody could write to a file, the system does not run it.
#[test]
fn a_program_can_be_run_as_soon_as_it_is_in_place() {
    both(|world| {
        let path = world.file("run.sh", "#!/bin/sh\nexit 7\n");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let mut changes = ChangeSet::default();
        changes.push(update(world, "run.sh", "#!/bin/sh\nexit 7\n", "#!/bin/sh\nexit 8\n"));
        let mut planned = world.workspace.plan(&changes).unwrap();
        planned.write_ahead(Durability::Safe, |_| ());
        let in_place = planned.carry_out(Durability::Safe).unwrap();
        assert_eq!(Command::new(&path).status().unwrap().code(), Some(8));
        let _ = in_place.finish();
    });
}

#[test]
fn what_is_not_carried_out_leaves_nothing() {
    both(|world| {
        let changes = changes(world);
        let before = tree(world);
        let mut planned = world.workspace.plan(&changes).unwrap();
        let failed: Result<(), &str> = planned.write_ahead(Durability::Safe, |_| Err("the disk is full"));
        assert_eq!(failed, Err("the disk is full"));
        drop(planned);
        assert_eq!(tree(world), before);
        assert_eq!(temporary_names(&world.root()), Vec::<PathBuf>::new());

        let mut planned = world.workspace.plan(&changes).unwrap();
        planned.write_ahead(Durability::Safe, |_| ());
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
            planned.write_ahead(Durability::Safe, |_| ());
            let _ = planned.carry_out(Durability::Safe).unwrap().finish();
        });
        is_done(&world);
    }
}
