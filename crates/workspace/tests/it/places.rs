//! Where a write goes.

use std::io::Write;

use toolcrib_workspace::{ErrorKind, FileKind};

use crate::support::{World, both};

#[test]
fn an_existing_file_is_its_own_place() {
    both(|world| {
        world.file("dir/file", "1234");
        let place = world.workspace.locate(&world.path("dir/file")).unwrap();
        assert_eq!((place.parent().reached().show(), place.name()), ("dir".into(), "file".as_ref()));
        assert_eq!(place.reached().show(), "dir/file");
        assert_eq!(place.existing().map(|stat| (stat.kind, stat.size)), Some((FileKind::File, 4)));
    });
}

#[test]
fn a_link_is_followed_to_the_place_behind_it() {
    both(|world| {
        world.file("real/file", "");
        world.link("links/relative", "../real/file");
        world.link("links/absolute", world.root().join("real/file"));
        world.link("links/dir", "../real");
        for given in ["links/relative", "links/absolute", "links/dir/file", "links/dir/../real/file"] {
            assert_eq!(reached(world, given), Ok("real/file".into()), "{given}");
        }
        assert_eq!(reached(world, "links/dir/new"), Ok("real/new".into()));
    });
}

#[test]
fn a_place_for_something_new_has_a_parent() {
    both(|world| {
        world.dir("dir");
        let place = world.workspace.locate(&world.path("dir/new")).unwrap();
        assert!(place.existing().is_none());
        place.parent().create_new(place.name(), 0o644).unwrap().write_all(b"new").unwrap();
        assert_eq!(world.read("dir/new").unwrap().0, "new");
        assert_eq!(reached(world, "missing/new"), Err(ErrorKind::NotFound));
        assert_eq!(reached(world, "dir/new/below"), Err(ErrorKind::NotDirectory));
    });
}

#[test]
fn what_leaves_or_dangles_is_no_place() {
    both(|world| {
        world.dir("dir");
        world.link("leaving", world.outside().join("new"));
        world.link("leaving-dir", world.outside());
        world.link("dangling", "dir/missing");
        world.link("dangling-dir", "missing");
        for given in ["leaving", "leaving-dir/new", "../outside/new", "dir/../../outside/new"] {
            assert_eq!(reached(world, given), Err(ErrorKind::Outside), "{given}");
        }
        for given in ["dangling", "dangling-dir/new"] {
            assert_eq!(reached(world, given), Err(ErrorKind::DanglingLink), "{given}");
        }
        assert_eq!(reached(world, "new/"), Err(ErrorKind::IsDirectory));
        assert_eq!(reached(world, "."), Err(ErrorKind::IsDirectory));
    });
}

#[test]
fn a_directory_has_a_place_too() {
    both(|world| {
        world.dir("a/b");
        assert_eq!(reached(world, "a/b"), Ok("a/b".into()));
        assert_eq!(reached(world, "a/b/.."), Ok("a".into()));
        assert_eq!(reached(world, "a/b/"), Ok("a/b".into()));
        assert_eq!(reached(world, "a/.."), Err(ErrorKind::IsDirectory));
    });
}

#[test]
fn directories_that_are_missing_are_named() {
    both(|world| {
        world.dir("real");
        world.link("link", "real");
        let place = world.workspace.locate_new(&world.path("link/x/y/new")).unwrap();
        assert_eq!(place.base().reached().show(), "real");
        assert_eq!(place.missing(), ["x", "y"]);
        assert_eq!((place.name(), place.reached().show()), ("new".as_ref(), "real/x/y/new".into()));
        let kind = |given: &str| world.workspace.locate_new(&world.path(given)).unwrap_err().kind();
        assert_eq!(kind("missing/../new"), ErrorKind::NotFound, "there is no way up from nowhere");
        assert_eq!(kind("missing/../../../outside/new"), ErrorKind::NotFound);
    });
}

fn reached(world: &World, given: &str) -> Result<String, ErrorKind> {
    let place = world.workspace.locate(&world.path(given)).map_err(|error| error.kind())?;
    Ok(place.reached().show())
}
