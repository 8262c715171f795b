//! Symbolic links: followed as long as they stay inside.

use std::path::{Path, PathBuf};

use toolcrib_workspace::{Change, ChangeSet, Durability, ErrorKind, FileKind, Links, Subject, Version};

use crate::support::{World, at_once, both, got};

#[test]
fn a_link_that_stays_inside_is_followed() {
    both(|world| {
        world.file("real/file", "inside");
        world.link("relative", "real/file");
        world.link("real/up", "../real/./file");
        world.link("absolute", world.root().join("real/file"));
        world.link("directory", "real");
        world.link("to-root", world.root());
        let given =
            ["relative", "real/up", "absolute", "directory/file", "to-root/real/file", "to-root/relative"];
        for given in given {
            assert_eq!(world.read(given).unwrap(), got("inside", "real/file"), "{given}");
        }
    });
}

#[test]
fn a_link_that_leaves_is_refused() {
    both(|world| {
        world.dir("sub");
        world.link("relative", "../outside/secret");
        world.link("absolute", world.outside().join("secret"));
        world.link("directory", world.outside());
        world.link("sub/up", "../..");
        world.link("slash", "/");
        world.link("chain", "relative");
        let given = [
            "relative",
            "absolute",
            "directory/secret",
            "sub/up/outside/secret",
            "slash/etc/passwd",
            "chain",
        ];
        for given in given {
            assert_eq!(world.kind(given), ErrorKind::Outside, "{given}");
        }
        assert!(world.refusal("absolute").to_string().contains("a symbolic link leads to"));
    });
}

#[test]
fn dot_dot_after_a_link_goes_up_from_where_the_link_led() {
    both(|world| {
        world.file("a/beside", "target's neighbour");
        world.file("beside", "link's neighbour");
        world.dir("a/b");
        world.link("link", "a/b");
        assert_eq!(world.read("link/../beside").unwrap(), got("target's neighbour", "a/beside"));
    });
}

#[test]
fn chains_are_followed_up_to_forty_links() {
    both(|world| {
        world.file("file", "end");
        world.link("link1", "file");
        for n in 2..=41 {
            world.link(format!("link{n}"), format!("link{}", n - 1));
        }
        assert_eq!(world.read("link40").unwrap(), got("end", "file"));
        assert_eq!(world.kind("link41"), ErrorKind::LinkLoop);
    });
}

#[test]
fn a_loop_of_links_answers_at_once() {
    both(|world| {
        world.link("self", "self");
        world.link("ping", "pong");
        world.link("pong", "ping");
        world.link("absolute", world.root().join("absolute"));
        world.link("deeper", "deeper/x");
        for given in ["self", "ping", "pong/x", "absolute", "deeper"] {
            let kind = at_once(given, || world.kind(given));
            assert_eq!(kind, ErrorKind::LinkLoop, "{given}");
        }
    });
}

#[test]
fn a_dangling_link_says_so() {
    both(|world| {
        world.dir("dir");
        world.link("dangling", "missing");
        world.link("deep", "dir/missing/file");
        world.link("absolute", world.root().join("missing"));
        for given in ["dangling", "deep", "absolute", "dangling/below"] {
            assert_eq!(world.kind(given), ErrorKind::DanglingLink, "{given}");
        }
        let shown = world.root().join("dangling");
        let expected = format!(
            "File not found: {} (a symbolic link leads to missing, which does not exist)",
            shown.display()
        );
        assert_eq!(world.refusal("dangling").to_string(), expected);
        world.link("to-dir", "dir");
        assert_eq!(
            world.kind("to-dir/missing"),
            ErrorKind::NotFound,
            "the link is sound, the name is missing"
        );
    });
}

#[test]
fn a_link_can_be_looked_at_and_read_itself() {
    both(|world| {
        world.file("file", "1234");
        world.link("link", "file");
        world.link("leaving", "../outside/secret");
        let stat = |given: &str, links| world.workspace.stat(&world.path(given), links);
        assert_eq!(stat("link", Links::Keep).unwrap().kind, FileKind::Symlink);
        assert_eq!(stat("link", Links::Follow).unwrap().size, 4);
        assert_eq!(stat("leaving", Links::Keep).unwrap().kind, FileKind::Symlink);
        assert_eq!(stat("leaving", Links::Follow).unwrap_err().kind(), ErrorKind::Outside);
        assert_eq!(target(world, "leaving"), Path::new("../outside/secret"));
        assert_eq!(
            world.workspace.read_link(&world.path("file")).unwrap_err().kind(),
            ErrorKind::InvalidName
        );
    });
}

#[test]
fn hard_links_are_counted() {
    both(|world| {
        let file = world.file("file", "");
        std::fs::hard_link(file, world.root().join("second")).unwrap();
        assert_eq!(world.workspace.stat(&world.path("file"), Links::Keep).unwrap().nlink, 2);
    });
}

fn target(world: &World, given: &str) -> std::path::PathBuf {
    world.workspace.read_link(&world.path(given)).unwrap()
}

/// A link is removed by its own name, wherever it leads, and only if it still says what it said.
#[test]
fn a_link_is_removed_and_what_it_leads_to_stays() {
    both(|world| {
        world.file("file", "inside");
        world.dir("folder");
        world.link("way", "folder");
        let outside = world.outside();
        let targets =
            [PathBuf::from("file"), "folder".into(), "nowhere".into(), outside.clone(), "link-4".into()];
        for (number, target) in targets.iter().enumerate() {
            let name = format!("link-{number}");
            world.link(format!("folder/{name}"), target);
            let remove = |target: &Path| {
                let mut changes = ChangeSet::default();
                let path = world.path(format!("way/{name}"));
                changes.push(Change::RemoveLink { path, target: target.to_owned() });
                world.workspace.commit(&changes, Durability::Safe)
            };
            let error = remove(Path::new("another")).unwrap_err();
            assert_eq!((error.error().kind(), error.nothing_changed()), (ErrorKind::Changed, true), "{name}");
            let committed = remove(target).unwrap();
            let outcome = &committed.changes()[0];
            assert_eq!(outcome.reached.relative(), Path::new(&format!("folder/{name}")));
            assert_eq!((outcome.subject, outcome.after), (Subject::Link, None));
            let left: Vec<_> = std::fs::read_dir(world.root().join("folder")).unwrap().collect();
            assert!(left.is_empty(), "{left:?}");
        }
        assert_eq!(world.read("file").unwrap(), got("inside", "file"));
        assert!(outside.join("secret").exists());
    });
}

/// A file or another link that takes the name at the last moment is not removed, and a failure puts the link back.
#[test]
fn a_link_is_back_if_another_part_of_the_commit_fails() {
    both(|world| {
        world.link("link", "nowhere");
        world.file("file", "old");
        let mut changes = ChangeSet::default();
        changes.push(Change::RemoveLink { path: world.path("link"), target: "nowhere".into() });
        changes.update(world.path("file"), Version::of(b"old"), "new");
        let planned = world.workspace.plan(&changes).unwrap();
        std::fs::write(world.root().join("file"), "saved meanwhile").unwrap();
        let error = planned.carry_out(Durability::Safe).unwrap_err();
        assert_eq!((error.error().kind(), error.nothing_changed()), (ErrorKind::Changed, true));
        assert_eq!(std::fs::read_link(world.root().join("link")).unwrap(), Path::new("nowhere"));

        let planned = world.workspace.plan(&changes);
        assert!(planned.is_err(), "the file holds something else");
        let mut alone = ChangeSet::default();
        alone.push(Change::RemoveLink { path: world.path("link"), target: "nowhere".into() });
        for taken in [false, true] {
            let planned = world.workspace.plan(&alone).unwrap();
            std::fs::remove_file(world.root().join("link")).unwrap();
            if taken {
                std::fs::write(world.root().join("link"), "a file").unwrap();
            } else {
                world.link("link", "elsewhere");
            }
            let error = planned.carry_out(Durability::Safe).unwrap_err();
            assert_eq!((error.error().kind(), error.nothing_changed()), (ErrorKind::Changed, true));
            if !taken {
                assert_eq!(std::fs::read_link(world.root().join("link")).unwrap(), Path::new("elsewhere"));
                std::fs::remove_file(world.root().join("link")).unwrap();
                world.link("link", "nowhere");
            }
        }
        assert_eq!(std::fs::read_to_string(world.root().join("link")).unwrap(), "a file");
    });
}
