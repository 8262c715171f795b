//! Where the file system cannot exchange two names: a commit goes in two steps, and its way back too.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use toolcrib_testkit::{LINKAT, RENAMEAT2, refusing};
use toolcrib_workspace::{
    Act, Base, Change, ChangeSet, Direction, Durability, ErrorKind, Plan, Resolver, Version,
};

use crate::commits::{commit, create, rename, temporary_names, tree, update};
use crate::support::World;

/// What the file systems refuse that know less.
const LACKS: [&[i64]; 2] = [&[RENAMEAT2], &[RENAMEAT2, LINKAT]];

fn without_exchange(test: impl Fn(&World) + Sync) {
    for lacks in LACKS {
        let world = World::new(Resolver::Auto);
        refusing(lacks, Errno::INVAL, || test(&world));
    }
}

fn files<const N: usize>(expected: [(&str, &str); N]) -> Vec<(String, String)> {
    expected.map(|(name, content)| (name.to_owned(), content.to_owned())).to_vec()
}

#[test]
fn everything_can_be_done() {
    without_exchange(|world| {
        for name in ["updated", "removed", "from", "over", "onto"] {
            world.file(name, "old");
        }
        let old = Base::Version(Version::of(b"old"));
        let changes = [
            update(world, "updated", "old", "new"),
            create(world, "a/created", "new"),
            Change::Remove { path: world.path("removed"), base: Version::of(b"old") },
            rename(world, "from", "a/to", "old", Base::Absent, None),
            rename(world, "over", "onto", "old", old, Some("moved")),
        ];
        commit(world, changes).unwrap();
        let expected = [("a/created", "new"), ("a/to", "old"), ("onto", "moved"), ("updated", "new")];
        assert_eq!(tree(world), files(expected));
    });
}

#[test]
fn a_name_that_is_taken_meanwhile_takes_all_back() {
    without_exchange(|world| {
        for name in ["a", "b"] {
            world.file(name, "old");
        }
        let mut changes = ChangeSet::default();
        changes.push(update(world, "a", "old", "new"));
        changes.push(Change::Remove { path: world.path("b"), base: Version::of(b"old") });
        changes.push(create(world, "c", "new"));
        let planned = world.workspace.plan(&changes).unwrap();
        world.file("c", "theirs");
        let error = planned.carry_out(Durability::Fast).unwrap_err();
        assert_eq!((error.error().kind(), error.change()), (ErrorKind::AlreadyExists, Some(2)));
        assert!(error.nothing_changed() && error.is_settled());
        assert_eq!(tree(world), files([("a", "old"), ("b", "old"), ("c", "theirs")]));
    });
}

/// Something else that belongs to the change fails, after another program has saved on top of it, or removed it.
#[test]
fn what_somebody_saved_on_top_stays() {
    without_exchange(|world| {
        for name in ["kept", "saved", "gone"] {
            world.file(name, "old");
        }
        let mut changes = ChangeSet::default();
        ["kept", "saved", "gone"].iter().for_each(|name| changes.push(update(world, name, "old", "new")));
        let in_place = world.workspace.plan(&changes).unwrap().carry_out(Durability::Fast).unwrap();
        world.file("saved", "theirs");
        fs::remove_file(world.root().join("gone")).unwrap();
        let error = in_place.roll_back(world.refusal("no such file"));
        let left: Vec<String> = error.left().iter().map(|path| path.show()).collect();
        assert_eq!(left, ["gone", "saved"]);
        let told = error.to_string();
        assert!(told.ends_with("; not put back as it was: gone, saved"), "{told}");
        assert!(std::error::Error::source(&error).is_some());
        assert_eq!(tree(world), files([("kept", "old"), ("saved", "theirs")]));
    });
}

/// Where a file is in a state between: the old one, the new one, or what another program saved.
#[derive(Clone, Copy, Debug)]
enum Is {
    Old,
    New,
    Theirs,
}

/// Names, and what has them.
type State = &'static [(&'static str, Is)];

/// An update interrupted anywhere: what has the name, the temporary name, and the third ones of the way there and back.
/// The latter are given by their endings. What is named twice has two names for the moment between two steps.
#[test]
fn an_update_that_was_interrupted_anywhere_goes_back() {
    use Is::{New, Old, Theirs};
    let cases: [(&str, State, Is); 14] = [
        ("nothing was done", &[("file", Old), ("", New)], Old),
        ("the old one is being set aside", &[("file", Old), ("-old", Old), ("", New)], Old),
        ("the old one is aside", &[("-old", Old), ("", New)], Old),
        ("the new one is being put in place", &[("file", New), ("-old", Old), ("", New)], Old),
        ("the new one is in place", &[("file", New), ("-old", Old)], Old),
        ("the old one begins to wait", &[("file", New), ("-old", Old), ("", Old)], Old),
        ("all is done", &[("file", New), ("", Old)], Old),
        ("the new one is being taken out", &[("file", New), ("-new", New), ("", Old)], Old),
        ("the new one is out", &[("-new", New), ("", Old)], Old),
        ("the old one is being put back", &[("file", Old), ("-new", New), ("", Old)], Old),
        ("the old one is back", &[("file", Old), ("-new", New)], Old),
        ("the new one begins to wait", &[("file", Old), ("-new", New), ("", New)], Old),
        ("somebody saved while it was aside", &[("file", Theirs), ("-old", Old), ("", New)], Theirs),
        ("somebody saved afterwards", &[("file", Theirs), ("", Old)], Theirs),
    ];
    for (what, state, expected) in cases {
        for lacks in [LACKS[0], &[]] {
            let world = World::new(Resolver::Auto);
            let (plan, temporary) = interrupted(&world, update(&world, "file", "old", "new"), || {
                drop(world.file("file", "old"));
            });
            arrange(&world, &temporary, state);
            refusing(lacks, Errno::INVAL, || {
                // A repair can be repeated.
                let left = plan.repair(&world.workspace, Direction::Back).unwrap();
                assert_eq!(left.is_empty(), matches!(expected, Old), "{what}");
                plan.repair(&world.workspace, Direction::Back).unwrap();
            });
            let content = match expected {
                Old => "old",
                New => "new",
                Theirs => "theirs",
            };
            assert_eq!(tree(&world), files([("file", content)]), "{what}, without {lacks:?}");
        }
    }
}

/// A removal: another program made a file of that name after the old one was taken.
#[test]
fn an_old_file_whose_name_was_taken_is_not_lost() {
    for (theirs, kept) in [("theirs", 1), ("old", 0)] {
        let world = World::new(Resolver::Auto);
        let remove = Change::Remove { path: world.path("file"), base: Version::of(b"old") };
        let (plan, temporary) = interrupted(&world, remove, || drop(world.file("file", "old")));
        fs::rename(world.root().join("file"), &temporary).unwrap();
        world.file("file", theirs);
        let left = plan.repair(&world.workspace, Direction::Back).unwrap();
        assert_eq!(left.len(), 1);
        assert_eq!(fs::read_to_string(world.root().join("file")).unwrap(), theirs);
        // What exists nowhere else stays, under the name that it waits under.
        assert_eq!(temporary_names(&world.root()).len(), kept);
    }
}

/// A file that was being created has both names for a moment, its own, or another program has saved over it.
#[test]
fn a_new_file_that_was_interrupted_goes_away() {
    for (content, twice, stays) in [("new", true, false), ("new", false, false), ("theirs", false, true)] {
        for lacks in [LACKS[0], &[]] {
            let world = World::new(Resolver::Auto);
            let (plan, temporary) = interrupted(&world, create(&world, "file", "new"), || {});
            let path = world.file("file", content);
            if twice {
                fs::hard_link(path, &temporary).unwrap();
            }
            refusing(lacks, Errno::INVAL, || {
                let left = plan.repair(&world.workspace, Direction::Back).unwrap();
                assert_eq!(left.len(), usize::from(stays));
            });
            assert_eq!(tree(&world).len(), usize::from(stays), "{content} {twice}");
        }
    }
}

/// Plans a change and does nothing of it. The temporary name is the one it would use.
fn interrupted(world: &World, change: Change, before: impl FnOnce()) -> (Plan, PathBuf) {
    before();
    let mut changes = ChangeSet::default();
    changes.push(change);
    let planned = world.workspace.plan(&changes).unwrap();
    let plan = planned.plan().clone();
    let temporary = plan.acts.iter().find_map(|act| match act {
        Act::Take { temporary, .. } | Act::Put { temporary, .. } | Act::Swap { temporary, .. } => {
            Some(temporary)
        }
        _ => None,
    });
    let temporary = world.root().join(&temporary.unwrap().name);
    (plan, temporary)
}

/// Gives the files these names. The old file is the one that is there; it keeps its number.
fn arrange(world: &World, temporary: &Path, state: &[(&str, Is)]) {
    let vault = world.outside();
    fs::rename(world.root().join("file"), vault.join("old")).unwrap();
    fs::write(vault.join("new"), "new").unwrap();
    fs::write(vault.join("theirs"), "theirs").unwrap();
    for (name, is) in state {
        let path = match *name {
            "file" => world.root().join("file"),
            ending => {
                let mut path = temporary.as_os_str().to_owned();
                path.push(ending);
                path.into()
            }
        };
        let source = match is {
            Is::Old => "old",
            Is::New => "new",
            Is::Theirs => "theirs",
        };
        fs::hard_link(vault.join(source), path).unwrap();
    }
    for name in ["old", "new", "theirs"] {
        fs::remove_file(vault.join(name)).unwrap();
    }
}
