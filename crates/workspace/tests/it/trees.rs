//! Directories are made, moved, and removed with everything in them: all of it or nothing, and never anything outside.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags, open, renameat, symlinkat, unlinkat};
use toolcrib_workspace::{
    Change, ChangeSet, CommitError, Durability, ErrorKind, Protected, Resolver, TEMPORARY_PREFIX, Version,
    Workspace,
};

use crate::support::{CANARY, World, both};

#[test]
fn a_directory_is_removed_with_everything_in_it_and_nothing_else() {
    both(|world| {
        tree(world);
        world.file("dirt", "stays");
        commit(world, removal(world)).unwrap();
        assert_eq!(names(&world.root()), ["dirt"]);
        assert_eq!(fs::read_to_string(world.outside().join("secret")).unwrap(), CANARY);
    });
}

#[test]
fn something_that_is_not_in_the_set_keeps_the_whole_directory() {
    both(|world| {
        tree(world);
        let changes = removal(world);
        world.file("dir/deep/new", "of another program");
        let before = names(&world.root());
        let error = commit(world, changes).unwrap_err();
        assert_eq!((error.error().kind(), error.nothing_changed()), (ErrorKind::Changed, true), "{error}");
        assert_eq!(names(&world.root()), before);
    });
}

#[test]
fn a_file_that_has_changed_keeps_the_whole_directory() {
    both(|world| {
        tree(world);
        let changes = removal(world);
        world.file("dir/deep/b", "another");
        assert_eq!(commit(world, changes).unwrap_err().error().kind(), ErrorKind::Changed);
        assert_eq!(fs::read_to_string(world.root().join("dir/a")).unwrap(), "one");
    });
}

/// Another program has the directory open and puts a file there when everything is already decided.
#[test]
fn a_file_that_comes_at_the_last_moment_is_kept_with_its_directory() {
    both(|world| {
        tree(world);
        let changes = change_set(removal(world));
        let in_place = world.workspace.plan(&changes).unwrap().carry_out(Durability::Fast).unwrap();
        let displaced = names(&world.root()).into_iter().find(|name| name.starts_with(TEMPORARY_PREFIX));
        fs::write(world.root().join(displaced.unwrap()).join("late"), "late").unwrap();
        in_place.finish();
        assert_eq!(names(&world.root()), ["dir", "dir/late"]);
    });
}

#[test]
fn a_directory_is_moved_with_everything_in_it() {
    both(|world| {
        tree(world);
        let inode =
            |path: &str| fs::symlink_metadata(world.root().join(path)).map(|it| it.permissions().mode());
        commit(world, vec![moved(world, "dir", "new/place/dir")]).unwrap();
        assert_eq!(fs::read_to_string(world.root().join("new/place/dir/deep/b")).unwrap(), "two");
        assert!(!world.root().join("dir").exists());
        assert_eq!(inode("new/place/dir/deep").unwrap() & 0o777, 0o750);
    });
}

#[test]
fn a_directory_is_not_moved_into_itself_nor_onto_anything() {
    both(|world| {
        tree(world);
        world.dir("taken");
        world.file("file", "x");
        let before = names(&world.root());
        for (to, kind) in [
            ("dir/deep/dir", ErrorKind::InvalidName),
            ("taken", ErrorKind::AlreadyExists),
            ("file", ErrorKind::AlreadyExists),
        ] {
            let error = commit(world, vec![moved(world, "dir", to)]).unwrap_err();
            assert_eq!(error.error().kind(), kind, "{to}: {error}");
            assert_eq!(names(&world.root()), before, "{to}");
        }
    });
}

#[test]
fn a_directory_that_contains_something_protected_stays() {
    let world = World::new(Resolver::Openat2);
    world.file("home/state/key", "secret");
    let protected = Protected::new([world.root().join("home/state")]);
    let workspace = Workspace::builder().root(world.root()).protect(protected).open().unwrap();
    let path = |name: &str| workspace.path(name.as_ref(), &world.root()).unwrap();
    let moved = Change::MoveDirectory { from: path("home"), to: path("elsewhere"), inside: Vec::new() };
    for change in [moved, Change::RemoveDirectory { path: path("home") }] {
        let error = workspace.commit(&change_set(vec![change]), Durability::Fast).unwrap_err();
        assert_eq!(error.error().kind(), ErrorKind::Protected, "{error}");
    }
    assert_eq!(fs::read_to_string(world.root().join("home/state/key")).unwrap(), "secret");
}

#[test]
fn a_file_that_is_open_for_writing_keeps_its_directory() {
    let world = World::new(Resolver::Openat2);
    tree(&world);
    let _log = fs::OpenOptions::new().append(true).open(world.root().join("dir/deep/b")).unwrap();
    assert_eq!(commit(&world, removal(&world)).unwrap_err().error().kind(), ErrorKind::InUse);
    assert_eq!(fs::read_to_string(world.root().join("dir/a")).unwrap(), "one");
}

/// The swap comes at the worst moment: everything was checked, and what is in the directory is about to be removed.
#[test]
fn a_link_that_takes_the_place_of_a_directory_is_not_followed() {
    both(|world| {
        tree(world);
        fs::write(world.outside().join("b"), CANARY).unwrap();
        let changes = change_set(removal(world));
        let in_place = world.workspace.plan(&changes).unwrap().carry_out(Durability::Fast).unwrap();
        let displaced = names(&world.root()).into_iter().find(|name| name.starts_with(TEMPORARY_PREFIX));
        let displaced = world.root().join(displaced.unwrap());
        fs::rename(displaced.join("deep"), world.root().join("aside")).unwrap();
        std::os::unix::fs::symlink(world.outside(), displaced.join("deep")).unwrap();
        in_place.finish();
        assert_eq!(fs::read_to_string(world.outside().join("b")).unwrap(), CANARY);
        assert_eq!(fs::read_to_string(world.root().join("aside/b")).unwrap(), "two");
    });
}

/// An attacker swaps a directory of the tree for a link that leads outside, all the time, by a handle that it holds.
#[test]
fn no_swap_leads_a_removal_or_a_move_outside() {
    let world = World::new(Resolver::Openat2);
    let (done, refused) = under_attack(&world, |world| {
        let removed = commit(world, removal(world)).is_ok();
        removed || {
            let moved = commit(world, vec![moved(world, "dir", "other")]).is_ok();
            let _ = fs::remove_dir_all(world.root().join("other"));
            moved
        }
    });
    eprintln!("{done} removed or moved, {refused} refused; nothing outside was touched");
    assert!(done > 0, "nothing was removed or moved");
    assert_eq!(fs::read_to_string(world.outside().join("b")).unwrap(), CANARY);
}

/// The control: the same swap, and what is in the directory is removed by its name.
#[test]
fn a_swap_leads_a_removal_by_names_outside() {
    let world = World::new(Resolver::Openat2);
    tree(&world);
    fs::write(world.outside().join("b"), CANARY).unwrap();
    fs::rename(world.root().join("dir/deep"), world.root().join("aside")).unwrap();
    std::os::unix::fs::symlink(world.outside(), world.root().join("dir/deep")).unwrap();
    fs::remove_file(world.root().join("dir/deep/b")).unwrap();
    assert!(!world.outside().join("b").exists());
}

/// Gives how often `act` said yes and no.
fn under_attack(world: &World, act: impl Fn(&World) -> bool) -> (usize, usize) {
    fs::write(world.outside().join("b"), CANARY).unwrap();
    let over = AtomicBool::new(false);
    let (mut done, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // It holds the directory open, and goes on there whatever the directory is called by now.
            while !over.load(Ordering::Relaxed) {
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW;
                let Ok(dir) = open(world.root().join("dir"), flags, Mode::empty()) else { continue };
                for _ in 0..20 {
                    let _ = renameat(&dir, "deep", &dir, "aside");
                    let _ = symlinkat(world.outside(), &dir, "deep");
                    let _ = unlinkat(&dir, "deep", AtFlags::empty());
                    let _ = renameat(&dir, "aside", &dir, "deep");
                }
            }
        });
        for _ in 0..1000 {
            // What the attack kept from being removed is left under a temporary name.
            for name in fs::read_dir(world.root()).unwrap().flatten() {
                let _ = fs::remove_dir_all(name.path());
            }
            let _ = fs::create_dir_all(world.root().join("dir/deep"));
            let _ = fs::write(world.root().join("dir/a"), "one");
            if fs::symlink_metadata(world.root().join("dir/deep")).is_ok_and(|it| it.is_dir()) {
                let _ = fs::write(world.root().join("dir/deep/b"), "two");
            }
            // What was written through the link just now was the test itself.
            fs::write(world.outside().join("b"), CANARY).unwrap();
            match act(world) {
                true => done += 1,
                false => refused += 1,
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    (done, refused)
}

/// Two files, a link that leads outside, and directories, one of them empty.
fn tree(world: &World) {
    world.file("dir/a", "one");
    world.file("dir/deep/b", "two");
    world.dir("dir/deep/empty");
    world.link("dir/out", world.outside());
    fs::set_permissions(world.root().join("dir/deep"), fs::Permissions::from_mode(0o750)).unwrap();
}

/// Removes what is in the directory now, as far as it can be found.
fn removal(world: &World) -> Vec<Change> {
    let mut entries: Vec<PathBuf> = Vec::new();
    collect(&world.root().join("dir"), &mut entries);
    let mut changes = Vec::new();
    for path in entries.into_iter().rev() {
        let Ok(kind) = fs::symlink_metadata(&path).map(|metadata| metadata.file_type()) else { continue };
        let inside = world.path(path.strip_prefix(world.root()).unwrap());
        if kind.is_symlink() {
            let Ok(target) = fs::read_link(&path) else { continue };
            changes.push(Change::RemoveLink { path: inside, target });
        } else if kind.is_dir() {
            changes.push(Change::RemoveDirectory { path: inside });
        } else {
            let Ok(content) = fs::read(&path) else { continue };
            changes.push(Change::Remove { path: inside, base: Version::of(&content) });
        }
    }
    changes.push(Change::RemoveDirectory { path: world.path("dir") });
    changes
}

fn collect(directory: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        found.push(entry.path());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&entry.path(), found);
        }
    }
}

fn moved(world: &World, from: &str, to: &str) -> Change {
    Change::MoveDirectory { from: world.path(from), to: world.path(to), inside: Vec::new() }
}

fn change_set(changes: Vec<Change>) -> ChangeSet {
    let mut set = ChangeSet::default();
    changes.into_iter().for_each(|change| set.push(change));
    set
}

fn commit(world: &World, changes: Vec<Change>) -> Result<(), CommitError> {
    world.workspace.commit(&change_set(changes), Durability::Fast).map(drop)
}

/// Every name below the directory, sorted.
fn names(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    collect(root, &mut found);
    let mut names: Vec<String> =
        found.iter().map(|path| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}
