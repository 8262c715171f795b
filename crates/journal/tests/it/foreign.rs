//! Changes that other programs have made, recorded afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use toolcrib_journal::{Entry, Mark, RecordId, State};
use toolcrib_workspace::{Durability, Image};

use crate::support::{Random, World, chmod, comment, soak};

/// What was there when a program began, as a recorder keeps it.
struct Before {
    mark: Mark,
    images: BTreeMap<PathBuf, Image>,
}

fn before(world: &World) -> Before {
    let images = world.tree().into_keys().map(|name| (name.clone(), image(world, &name))).collect();
    Before { mark: world.journal.mark().unwrap(), images }
}

fn image(world: &World, name: &Path) -> Image {
    world.workspace.image(&world.path(name.to_str().unwrap()), u64::MAX).unwrap()
}

fn record(world: &World, before: &Before) -> Option<RecordId> {
    let names: BTreeSet<PathBuf> = before.images.keys().cloned().chain(world.tree().into_keys()).collect();
    let mut recording = world.journal.recording(before.mark).unwrap();
    for name in names {
        let old = before.images.get(&name).cloned().unwrap_or(Image::Absent);
        let path = world.path(name.to_str().unwrap());
        recording.add(&path, old, &image(world, &name), true).unwrap();
    }
    recording.finish(Durability::Fast, &Entry::new("Bash")).unwrap()
}

#[test]
fn what_another_program_did_is_shown_undone_and_redone() {
    let world = World::new();
    for name in ["updated", "removed", "mode", "dir/removed", "dir/sub/removed"] {
        comment(&world.file(name, name), name);
    }
    chmod(&world.root().join("removed"), 0o600);
    chmod(&world.root().join("dir/sub"), 0o750);
    world.link("link", "updated");
    let tree = world.tree();
    let then = before(&world);
    world.file("updated", "other\0content");
    fs::remove_file(world.root().join("removed")).unwrap();
    fs::remove_dir_all(world.root().join("dir")).unwrap();
    world.file("made/below/file", "new");
    fs::remove_file(world.root().join("link")).unwrap();
    world.link("link", "mode");
    chmod(&world.root().join("mode"), 0o755);
    let after = world.tree();
    let id = record(&world, &then).unwrap();
    let record = world.journal.record(id).unwrap().unwrap();
    assert_eq!((record.tool.as_str(), record.state), ("Bash", State::Done));
    assert_eq!(world.tree(), after, "recording changes nothing");
    assert_eq!(world.journal.latest_to_undo(None).unwrap(), Some(id));
    world.undo(id).unwrap();
    assert_eq!(world.tree(), tree);
    world.redo(id).unwrap();
    assert_eq!(world.tree().keys().collect::<Vec<_>>(), after.keys().collect::<Vec<_>>());
    assert_eq!(world.read("updated"), "other\0content");
    assert_eq!(world.read("made/below/file"), "new");
    world.undo(id).unwrap();
    assert_eq!(world.tree(), tree);
}

/// One sort of name takes the place of another.
#[test]
fn what_takes_the_place_of_something_else_gives_it_back() {
    type Make = fn(&World);
    let sorts: [(&str, Make); 5] = [
        ("nothing", |_| ()),
        ("file", |world| drop(world.file("x", "file"))),
        ("directory", |world| {
            world.file("x/a", "in the directory");
            world.file("x/sub/b", "deeper");
        }),
        ("link to a directory", |world| world.link("x", "beside")),
        ("dangling link", |world| world.link("x", "nowhere")),
    ];
    for (one, make) in &sorts {
        for (other, replace) in &sorts {
            let world = World::new();
            world.file("beside/a", "beside");
            world.file("beside/sub/c", "beside too");
            make(&world);
            let (tree, then) = (world.tree(), before(&world));
            let path = world.root().join("x");
            if path.is_dir() && !path.is_symlink() {
                fs::remove_dir_all(&path).unwrap();
            } else {
                let _ = fs::remove_file(&path);
            }
            replace(&world);
            let after = world.tree();
            let Some(id) = record(&world, &then) else {
                assert_eq!(one, other);
                continue;
            };
            world.undo(id).unwrap_or_else(|error| panic!("{one} -> {other}: {error}"));
            assert_eq!(world.tree(), tree, "{one} -> {other}");
            world.redo(id).unwrap_or_else(|error| panic!("{one} -> {other}, again: {error}"));
            assert_eq!(world.tree(), after, "{one} -> {other}");
        }
    }
}

#[test]
fn a_move_is_undone_as_one() {
    let world = World::new();
    comment(&world.file("dir/old", "content"), "kept");
    let (tree, then) = (world.tree(), before(&world));
    fs::create_dir(world.root().join("new")).unwrap();
    fs::rename(world.root().join("dir/old"), world.root().join("new/name")).unwrap();
    fs::remove_dir(world.root().join("dir")).unwrap();
    let mut recording = world.journal.recording(then.mark).unwrap();
    let Image::File(old) = &then.images[Path::new("dir/old")] else { panic!() };
    let Image::File(new) = image(&world, Path::new("new/name")) else { panic!() };
    recording.add_moved(&world.path("dir/old"), &world.path("new/name"), old, &new, true);
    for name in ["dir", "new"] {
        let old = then.images.get(Path::new(name)).cloned().unwrap_or(Image::Absent);
        recording.add(&world.path(name), old, &image(&world, Path::new(name)), true).unwrap();
    }
    let id = recording.finish(Durability::Fast, &Entry::new("mv")).unwrap().unwrap();
    let files = world.journal.record(id).unwrap().unwrap().files;
    assert_eq!(files[0].from.as_deref(), Some(&*world.root().join("dir/old")));
    world.undo(id).unwrap();
    assert_eq!(world.tree(), tree);
}

/// Between the two looks at a file, Toolcrib itself changes it too.
#[test]
fn what_the_journal_knows_is_not_recorded_again() {
    let edit = |world: &World, old: &str, new: &str| world.commit([world.update("a", old, new)]).unwrap();
    // Ours alone, ours and then theirs, theirs and then ours.
    let world = World::new();
    world.file("a", "0");
    let then = before(&world);
    edit(&world, "0", "1");
    assert_eq!(record(&world, &then), None, "nobody else has changed it");

    world.file("a", "0");
    let then = before(&world);
    edit(&world, "0", "1");
    world.file("a", "2");
    let id = record(&world, &then).unwrap();
    let difference = world.journal.difference(id, 0).unwrap().unwrap();
    assert_eq!(
        (difference.before.as_deref(), difference.after.as_deref()),
        (Some(&b"1"[..]), Some(&b"2"[..]))
    );

    world.file("a", "one\ntwo\nthree\n");
    let then = before(&world);
    world.file("a", "ONE\ntwo\nthree\n");
    edit(&world, "ONE\ntwo\nthree\n", "ONE\ntwo\nTHREE\n");
    let id = record(&world, &then).unwrap();
    let difference = world.journal.difference(id, 0).unwrap().unwrap();
    assert_eq!(difference.before.as_deref(), Some(&b"one\ntwo\nthree\n"[..]));
    assert_eq!(difference.after.as_deref(), Some(&b"ONE\ntwo\nthree\n"[..]));
    world.undo(id).unwrap();
    assert_eq!(world.read("a"), "one\ntwo\nTHREE\n", "our own change stands");
}

#[test]
fn two_recordings_of_one_file_at_once_are_both_right() {
    let world = World::new();
    world.file("a", "0");
    let (one, two) = (before(&world), before(&world));
    world.file("a", "1");
    let first = record(&world, &one).unwrap();
    world.file("a", "2");
    let second = record(&world, &two).unwrap();
    world.undo(second).unwrap();
    assert_eq!(world.read("a"), "1");
    world.undo(first).unwrap();
    assert_eq!(world.read("a"), "0");
}

#[test]
fn a_file_that_was_put_into_a_new_directory_since_keeps_it() {
    let world = World::new();
    let then = before(&world);
    world.file("new/a", "a");
    let id = record(&world, &then).unwrap();
    world.file("new/b", "another's");
    world.undo(id).unwrap();
    assert_eq!(world.read("new/b"), "another's");
    assert!(!world.root().join("new/a").exists());
}

#[test]
fn contents_that_may_not_be_kept_are_not() {
    let world = World::new();
    world.file("secret", "before");
    let (mark, old) = (world.journal.mark().unwrap(), image(&world, Path::new("secret")));
    world.file("secret", "after");
    let mut recording = world.journal.recording(mark).unwrap();
    recording.add(&world.path("secret"), old, &image(&world, Path::new("secret")), false).unwrap();
    let id = recording.finish(Durability::Fast, &Entry::new("Edit")).unwrap().unwrap();
    let file = &world.journal.record(id).unwrap().unwrap().files[0];
    assert!(!file.kept && file.before != file.after);
    assert!(world.undo(id).is_err());
    assert_eq!(world.read("secret"), "after");
}

/// Any tree into any other: one undo gives the first back, to the byte.
#[test]
fn any_tree_comes_back_from_any_other() {
    let rounds = if soak() { 20_000 } else { 60 };
    let mut random = Random(21);
    for round in 0..rounds {
        let world = World::new();
        scramble(&world, &mut random);
        let (tree, then) = (world.tree(), before(&world));
        scramble(&world, &mut random);
        let after = world.tree();
        let Some(id) = record(&world, &then) else {
            continue;
        };
        assert_eq!(world.tree(), after, "{round}: recording changes nothing");
        world.undo(id).unwrap_or_else(|error| panic!("{round}: {tree:?} -> {after:?}: {error}"));
        assert_eq!(world.tree(), tree, "{round}: {after:?}");
    }
}

/// Some random changes: names are few, so that they meet.
fn scramble(world: &World, random: &mut Random) {
    const NAMES: [&str; 3] = ["a", "b", "c"];
    for _ in 0..random.below(25) {
        let mut path = world.root();
        for _ in 0..=random.below(2) {
            path.push(NAMES[random.below(3) as usize]);
        }
        let above = path.parent().unwrap();
        if above.ancestors().take_while(|above| *above != world.root()).any(Path::is_symlink) {
            continue;
        }
        match random.below(6) {
            0 | 1 => {
                if fs::create_dir_all(above).is_ok() && !path.is_symlink() {
                    let _ = fs::write(&path, format!("{}\n", random.below(5)));
                }
            }
            2 => drop(fs::create_dir_all(&path)),
            3 => drop(fs::remove_file(&path)),
            4 if path.is_dir() && !path.is_symlink() => drop(fs::remove_dir_all(&path)),
            4 if path.is_file() && !path.is_symlink() => {
                chmod(&path, [0o600, 0o644, 0o755][random.below(3) as usize]);
            }
            _ => drop(symlink(["a", "b/c", "nowhere", "../out"][random.below(4) as usize], &path)),
        }
    }
}

#[test]
fn a_recording_that_was_left_behind_is_told_whatever_stands_in_its_file() {
    let world = World::new();
    let journals = world.state().join("journals");
    let journal = std::fs::read_dir(journals).unwrap().next().unwrap().unwrap().path();
    std::fs::create_dir(journal.join("recording")).unwrap();
    std::fs::write(journal.join("recording/0123456789abcdef"), b"make\xff format").unwrap();
    let told = world.journal.unrecorded(10).unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].what.starts_with("make\u{fffd} format: "), "{told:?}");
    assert_eq!(world.journal.unrecorded(10).unwrap(), told, "it is told once");
}
