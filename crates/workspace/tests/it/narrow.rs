//! Roots that a client names can only narrow what the user allowed.

use std::path::Path;

use toolcrib_workspace::{ErrorKind, Workspace};

use crate::support::both;

#[test]
fn a_narrower_workspace_keeps_to_its_own_roots() {
    both(|world| {
        world.file("a/file", "a");
        world.file("b/file", "b");
        world.link("a/across", "../b/file");
        let narrow = world.workspace.narrow([world.root().join("a")]).unwrap();
        assert_eq!(narrow.resolver(), world.workspace.resolver());
        let read = |given: &str| {
            let path =
                narrow.path(Path::new(given), &world.root().join("a")).map_err(|error| error.kind())?;
            let snapshot = narrow.snapshot(&path).map_err(|error| error.kind())?;
            Ok(String::from_utf8(snapshot.into_bytes()).unwrap())
        };
        assert_eq!(read("file"), Ok("a".into()));
        assert_eq!(read("across"), Err(ErrorKind::Outside), "inside the larger one, outside of this");
        assert_eq!(read("../b/file"), Err(ErrorKind::Outside));
        let both = world.workspace.narrow([world.root().join("a"), world.root().join("b")]).unwrap();
        let path = both.path(Path::new("across"), &world.root().join("a")).unwrap();
        assert_eq!(both.snapshot(&path).unwrap().bytes(), b"b");
    });
}

#[test]
fn neither_a_longer_name_nor_the_same_one_in_another_root_is_inside() {
    let dir = tempfile::tempdir().unwrap();
    let root = |name: &str| dir.path().join(name);
    for folder in ["one/a", "one/ab", "two/a"] {
        std::fs::create_dir_all(root(folder)).unwrap();
        std::fs::write(root(folder).join("file"), "").unwrap();
    }
    let workspace = Workspace::builder().root(root("one")).root(root("two")).open().unwrap();
    let narrow = workspace.narrow([root("one/a")]).unwrap();
    let kind = |path: &str| narrow.path(&root(path), dir.path()).map(drop).map_err(|error| error.kind());
    assert_eq!(kind("one/a/file"), Ok(()));
    assert_eq!(kind("one/ab/file"), Err(ErrorKind::Outside));
    assert_eq!(kind("two/a/file"), Err(ErrorKind::Outside));
}

#[test]
fn nothing_is_added_and_something_must_be_left() {
    both(|world| {
        world.file("file", "");
        world.link("leaving", world.outside());
        let kind = |given: &Path| world.workspace.narrow([given]).unwrap_err().kind();
        for given in ["..", "leaving", "file", "missing"] {
            assert_eq!(kind(&world.root().join(given)), ErrorKind::Outside, "{given}");
        }
        assert_eq!(kind(&world.outside()), ErrorKind::Outside);
        let none: [&Path; 0] = [];
        assert_eq!(world.workspace.narrow(none).unwrap_err().kind(), ErrorKind::Outside);

        // What is named beside an outside directory still counts, and alone.
        world.file("a/file", "a");
        let narrow = world.workspace.narrow([world.outside(), world.root().join("a")]).unwrap();
        assert_eq!(narrow.starts(), [world.root().join("a")]);
    });
}

#[test]
fn a_directory_around_a_root_keeps_all_of_it() {
    both(|world| {
        world.file("file", "a");
        let above = world.root().parent().unwrap().to_owned();
        let narrow = world.workspace.narrow([above.clone()]).unwrap();
        let path = narrow.path(Path::new("file"), &world.root()).unwrap();
        assert_eq!(narrow.snapshot(&path).unwrap().bytes(), b"a");
        assert_eq!(narrow.path(&above, &above).unwrap_err().kind(), ErrorKind::Outside);
    });
}

#[test]
fn a_link_may_name_the_part_and_nothing_is_made_or_listed_outside_it() {
    both(|world| {
        world.file("real/file", "a");
        world.file("other/file", "b");
        world.link("part", "real");
        world.link("real/out", "../other");
        let narrow = world.workspace.narrow([world.root().join("part")]).unwrap();
        let path = |given: &str| narrow.path(&world.root().join(given), &world.root());
        assert_eq!(narrow.snapshot(&path("part/file").unwrap()).unwrap().bytes(), b"a");
        assert_eq!(narrow.snapshot(&path("real/file").unwrap()).unwrap().bytes(), b"a");
        assert_eq!(path("").unwrap_err().kind(), ErrorKind::Outside);
        assert_eq!(path("other/new").unwrap_err().kind(), ErrorKind::Outside);
        let made =
            |given: &str| narrow.locate_new(&path(given).unwrap()).map(drop).map_err(|error| error.kind());
        assert_eq!(made("real/new/deep"), Ok(()));
        assert_eq!(made("real/out/new"), Err(ErrorKind::Outside));
        assert_eq!(made("real/../other/new"), Err(ErrorKind::Outside));
        assert_eq!(narrow.open_dir(&path("real/out").unwrap()).unwrap_err().kind(), ErrorKind::Outside);
        let error = narrow.open_file(&path("real/out/file").unwrap()).unwrap_err();
        assert!(error.hint().unwrap().ends_with("/part"), "{error:?}");
    });
}

#[test]
fn paths_are_shown_from_where_calls_start() {
    both(|world| {
        world.file("a/b/file", "a");
        let path = world.workspace.path(Path::new("a/b/file"), &world.root()).unwrap();
        assert_eq!(world.workspace.show_relative(&path), "a/b/file");
        let narrow = world.workspace.narrow([world.root().join("a")]).unwrap();
        assert_eq!(narrow.show_relative(&path), "b/file");
        let two = world.workspace.narrow([world.root().join("a/b"), world.root().join("a")]).unwrap();
        let other = world.workspace.path(Path::new("a/x"), &world.root()).unwrap();
        assert_eq!(two.show_relative(&path), "file");
        assert_eq!(two.show_relative(&other), world.root().join("a/x").display().to_string());
    });
}

#[test]
fn what_is_narrow_gets_no_wider() {
    both(|world| {
        world.file("a/b/file", "a");
        world.file("c/file", "c");
        let narrow = world.workspace.narrow([world.root().join("a/b")]).unwrap();
        let above = world.root().parent().unwrap().to_owned();
        for around in [world.root().join("a"), world.root(), above, "/".into()] {
            let again = narrow.narrow([around.clone()]).unwrap();
            assert_eq!(again.starts(), [world.root().join("a/b")], "{around:?}");
            let refused = again.path(Path::new("c/file"), &world.root()).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Outside, "{around:?}");
        }
        assert_eq!(narrow.narrow([world.root().join("c")]).unwrap_err().kind(), ErrorKind::Outside);
    });
}
