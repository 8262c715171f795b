//! Any sequence of changes, undone one by one, leads back through the same states, and bystanders stay untouched.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use toolcrib_journal::{Entry, RecordId, UndoError, UndoKind, Which};
use toolcrib_workspace::{Base, Change, Durability, Version};

use crate::support::{Node, Tree, World, chmod, comment, soak, tree, tree_but};

#[test]
fn any_sequence_is_undone_and_made_again() {
    let cases = if soak() { 10_000 } else { 150 };
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let world = World::new();
    let bystanders: usize = if soak() { 1_000 } else { 50 };
    for n in 0..bystanders {
        let path = world.file(&format!("bystanders/{n}"), format!("bystander {n}"));
        chmod(&path, 0o400 + n as u32 % 0o377);
    }
    world.link("bystanders/link", "0");
    let untouched = touched(&world);
    let done = Cell::new(0);
    runner
        .run(&prop::collection::vec(prop::collection::vec(step(), 1..4), 1..6), |calls| {
            done.set(done.get() + check(&world, &calls));
            Ok(())
        })
        .unwrap();
    assert!(touched(&world) == untouched, "a bystander was touched");
    let done = done.get();
    eprintln!(
        "{cases} sequences, {done} changes made, undone, redone and undone; {bystanders} bystanders untouched"
    );
    assert!(done > cases as usize, "most were refused");
}

/// All but the bystanders.
fn played(world: &World) -> Tree {
    tree_but(&world.root(), Some(BYSTANDERS))
}

/// Removes what a sequence that failed has left, so that shrinking it starts from nothing too.
fn clear(world: &World) {
    for entry in fs::read_dir(world.root()).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true if entry.file_name() == BYSTANDERS => {}
            true => fs::remove_dir_all(entry.path()).unwrap(),
            false => fs::remove_file(entry.path()).unwrap(),
        }
    }
}

/// The bystanders, as they are and when anything of them was last changed: what is changed and put back shows too.
fn touched(world: &World) -> Vec<(PathBuf, Node, (u64, i64, i64))> {
    let folder = world.root().join(BYSTANDERS);
    let changed = |path: &Path| {
        let metadata = fs::symlink_metadata(folder.join(path)).unwrap();
        (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
    };
    tree(&folder).into_iter().map(|(path, node)| (path.clone(), node, changed(&path))).collect()
}

const BYSTANDERS: &str = "bystanders";

/// One change to one of a few files.
#[derive(Debug, Clone)]
enum Step {
    Write {
        file: usize,
        content: Vec<u8>,
        mode: Option<u32>,
    },
    Remove {
        file: usize,
    },
    /// Removes the link, or makes it if it is not there.
    Link(usize),
    Move {
        from: usize,
        to: usize,
        content: Option<Vec<u8>>,
    },
    /// These are calls of their own: they touch what is in a directory too.
    MakeDirectory(usize),
    DeleteDirectory(usize),
    MoveDirectory {
        from: usize,
        to: usize,
    },
}

const DIRECTORIES: [&str; 4] = ["dir", "dir/deep", "other", "new/empty"];

const FILES: [&str; 6] = ["a", "b", "dir/c", "dir/d", "dir/deep/e", "other/f"];

/// Links, and where they lead: to a file that is there at times, and to nothing.
const LINKS: [(&str, &str); 2] = [("link-a", "a"), ("dangling", "nowhere/at all")];

fn step() -> impl Strategy<Value = Step> {
    let file = 0..FILES.len();
    let content = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        "([a-d]{0,3}\r?\n){0,20}".prop_map(String::into_bytes),
    ];
    let mode = prop::option::weighted(0.3, prop_oneof![Just(0o644), Just(0o755), Just(0o600), Just(0o4711)]);
    prop_oneof![
        4 => (file.clone(), content.clone(), mode).prop_map(|(file, content, mode)| Step::Write { file, content, mode }),
        1 => file.clone().prop_map(|file| Step::Remove { file }),
        2 => (file.clone(), file, prop::option::of(content))
            .prop_map(|(from, to, content)| Step::Move { from, to, content }),
        1 => (0..LINKS.len()).prop_map(Step::Link),
        1 => (0..DIRECTORIES.len()).prop_map(Step::MakeDirectory),
        1 => (0..DIRECTORIES.len()).prop_map(Step::DeleteDirectory),
        1 => (0..DIRECTORIES.len(), 0..DIRECTORIES.len()).prop_map(|(from, to)| Step::MoveDirectory { from, to }),
    ]
}

/// Makes the changes of each call, then undoes all, redoes all, undoes all. Returns how many were made.
fn check(world: &World, calls: &[Vec<Step>]) -> usize {
    clear(world);
    let path = world.file("a", "start\n");
    chmod(&path, 0o640);
    comment(&path, "kept");
    let mut trees = vec![played(world)];
    let mut ids: Vec<RecordId> = Vec::new();
    for call in calls {
        let Some(changes) = changes(world, call) else { continue };
        match world.commit(changes) {
            Ok(id) => {
                ids.push(id);
                trees.push(played(world));
            }
            Err(error) => {
                assert!(error.nothing_changed());
                assert_eq!(Some(&played(world)), trees.last(), "{error}: {call:?}");
            }
        }
    }
    undo_the_latest_at_once(world, &ids, &trees, calls);
    for id in ids.iter().rev() {
        let after = trees.pop();
        assert_eq!(Some(played(world)), after);
        world.undo(*id).unwrap_or_else(|error| panic!("{error}: {calls:?}"));
        assert_eq!(Some(&played(world)), trees.last(), "{calls:?}");
    }
    for id in &ids {
        world.redo(*id).unwrap();
        trees.push(played(world));
    }
    for id in ids.iter().rev() {
        world.undo(*id).unwrap();
        trees.pop();
        assert_eq!(Some(&played(world)), trees.last(), "{calls:?}");
    }
    fs::remove_file(path).unwrap();
    ids.len()
}

/// Undoes the latest two, three and so on as one change, and redoes them. Only what has exchanged names, or lies in a directory
/// that was moved, may be left to be undone one by one; then nothing has changed.
fn undo_the_latest_at_once(world: &World, ids: &[RecordId], trees: &[Tree], calls: &[Vec<Step>]) {
    let moves_directories =
        calls.iter().flatten().any(|step| matches!(step, Step::MoveDirectory { .. } | Step::Move { .. }));
    for first in (0..ids.len().saturating_sub(1)).rev() {
        let latest = Which::Changes(ids[first..].to_vec()).into();
        let entry = Entry::new("undo");
        match world.journal.reverse(UndoKind::Undo, &latest, Durability::Fast, &entry) {
            Ok(undone) => {
                assert_eq!(played(world), trees[first], "{first}: {calls:?}");
                world.redo(undone.id).unwrap_or_else(|error| panic!("{error}: {calls:?}"));
            }
            Err(UndoError::OneByOne(_)) if moves_directories => {}
            Err(error) => panic!("{error}: {first}, {calls:?}"),
        }
        assert_eq!(Some(&played(world)), trees.last(), "{first}: {calls:?}");
    }
}

/// The call as changes that fit what is there; none if it touches a file twice.
fn changes(world: &World, call: &[Step]) -> Option<Vec<Change>> {
    let mut held: BTreeMap<usize, Version> = BTreeMap::new();
    let tree = played(world);
    for (index, name) in FILES.iter().enumerate() {
        if let Some(Node::File { content, .. }) = tree.get(Path::new(name)) {
            held.insert(index, Version::of(content));
        }
    }
    let base = |file: usize| held.get(&file).map_or(Base::Absent, |version| Base::Version(*version));
    let (mut touched, mut touched_links) = (Vec::new(), Vec::new());
    let mut changes = Vec::new();
    if let Some(alone) = call.iter().find_map(|step| change_of_directory(world, &tree, step)) {
        return Some(alone);
    }
    for step in call {
        let path = |file: usize| world.path(FILES[file]);
        match step {
            Step::Write { file, content, mode } => {
                touched.push(*file);
                changes.push(Change::Write {
                    path: path(*file),
                    base: base(*file),
                    content: content.clone(),
                    mode: *mode,
                });
            }
            Step::Remove { file } => {
                let Some(base) = held.get(file) else { continue };
                touched.push(*file);
                changes.push(Change::Remove { path: path(*file), base: *base });
            }
            Step::Move { from, to, content } => {
                let Some(version) = held.get(from) else { continue };
                touched.extend([*from, *to]);
                changes.push(Change::Move {
                    from: path(*from),
                    base: *version,
                    to: path(*to),
                    over: base(*to),
                    content: content.clone(),
                    mode: None,
                });
            }
            Step::Link(link) => {
                let (name, target) = LINKS[*link];
                let (path, target) = (world.path(name), PathBuf::from(target));
                if touched_links.contains(link) {
                    return None;
                }
                touched_links.push(*link);
                changes.push(match tree.get(Path::new(name)) {
                    Some(_) => Change::RemoveLink { path, target },
                    None => Change::MakeLink { path, target },
                });
            }
            Step::MakeDirectory(_) | Step::DeleteDirectory(_) | Step::MoveDirectory { .. } => return None,
        }
    }
    let mut once = touched.clone();
    once.sort_unstable();
    once.dedup();
    (once.len() == touched.len() && !changes.is_empty()).then_some(changes)
}

/// What a step does to a directory; none if it is a step of files.
fn change_of_directory(world: &World, tree: &Tree, step: &Step) -> Option<Vec<Change>> {
    let path = |directory: usize| world.path(DIRECTORIES[directory]);
    match step {
        Step::MakeDirectory(directory) => Some(vec![Change::MakeDirectory { path: path(*directory) }]),
        Step::MoveDirectory { from, to } => {
            Some(vec![Change::MoveDirectory { from: path(*from), to: path(*to), inside: Vec::new() }])
        }
        Step::DeleteDirectory(directory) => {
            let top = Path::new(DIRECTORIES[*directory]);
            let inside = tree.iter().filter(|(path, _)| path.starts_with(top)).rev();
            let remove = |(path, node): (&PathBuf, &Node)| {
                let path = world.path(path.to_str()?);
                match node {
                    Node::File { content, .. } => Some(Change::Remove { path, base: Version::of(content) }),
                    _ => Some(Change::RemoveDirectory { path }),
                }
            };
            inside.map(remove).collect::<Option<Vec<_>>>().filter(|changes| !changes.is_empty())
        }
        _ => None,
    }
}
