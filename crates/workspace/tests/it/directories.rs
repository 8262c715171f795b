//! A held directory: its entries, single steps, and the primitives of a commit.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use toolcrib_workspace::{Dir, ErrorKind, FileKind, Links, Rename, set_mode, set_owner};

use crate::support::{CANARY, World, both};

#[test]
fn entries_have_names_and_kinds_and_start_anew_each_time() {
    both(|world| {
        world.file("file", "");
        world.dir("dir");
        world.link("link", "nowhere");
        let directory = open(world, ".");
        let expected = [("dir", FileKind::Directory), ("file", FileKind::File), ("link", FileKind::Symlink)];
        for _ in 0..3 {
            assert_eq!(listed(&directory), expected.map(|(name, kind)| (name.to_owned(), kind)));
        }
        let (mut first, mut second) = (directory.entries().unwrap(), directory.entries().unwrap());
        let interleaved =
            [first.next(), second.next(), first.next(), second.next(), first.next(), second.next()];
        assert!(interleaved.iter().all(Option::is_some), "two readers do not take each other's entries");
    });
}

#[test]
fn a_large_directory_is_listed_whole() {
    both(|world| {
        (0..3000).for_each(|n| drop(world.file(format!("a-rather-long-name-{n:05}"), "")));
        assert_eq!(listed(&open(world, ".")).len(), 3000);
    });
}

#[test]
fn a_step_follows_no_link() {
    both(|world| {
        world.file("dir/file", "text");
        world.link("dir-link", "dir");
        world.link("file-link", "dir/file");
        world.link("leaving", world.outside());
        let root = open(world, ".");
        let kind = |error: toolcrib_workspace::Error| error.kind();
        for name in ["dir-link", "leaving"] {
            assert_eq!(root.open_dir(name.as_ref()).map_err(kind).unwrap_err(), ErrorKind::NotDirectory);
        }
        let refused = root.open_file("file-link".as_ref()).map_err(kind).unwrap_err();
        assert_eq!(refused, ErrorKind::NotRegular(FileKind::Symlink));
        assert_eq!(root.stat("dir-link".as_ref(), Links::Keep).unwrap().kind, FileKind::Symlink);
        assert_eq!(root.stat("file-link".as_ref(), Links::Follow).unwrap().size, 4);
        assert_eq!(
            root.stat("leaving".as_ref(), Links::Follow).map_err(kind).unwrap_err(),
            ErrorKind::Outside
        );
        assert_eq!(root.read_link("dir-link".as_ref()).unwrap(), std::path::Path::new("dir"));

        let inner = root.open_dir("dir".as_ref()).unwrap();
        let file = inner.open_file("file".as_ref()).unwrap();
        assert_eq!((inner.reached().show(), file.reached().show()), ("dir".into(), "dir/file".into()));
        assert_eq!(inner.open_file("missing".as_ref()).map_err(kind).unwrap_err(), ErrorKind::NotFound);
        assert_eq!(root.open_file("dir".as_ref()).map_err(kind).unwrap_err(), ErrorKind::IsDirectory);
    });
}

#[test]
fn a_step_takes_a_single_name() {
    both(|world| {
        world.file("dir/file", "");
        let dir = open(world, "dir");
        for name in ["", ".", "..", "a/b", "/", "../dir", "a\0b"] {
            let name = OsStr::new(name);
            let kinds = [
                dir.open_dir(name).err(),
                dir.open_file(name).err(),
                dir.stat(name, Links::Keep).err(),
                dir.read_link(name).err(),
                dir.create_new(name, 0o600).err(),
                dir.make_dir(name, 0o700).err(),
                dir.remove_file(name).err(),
                dir.remove_dir(name).err(),
                dir.rename(name, &dir, "x".as_ref(), Rename::Replace).err(),
                dir.rename("file".as_ref(), &dir, name, Rename::Replace).err(),
            ];
            for error in kinds {
                assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::InvalidName), "{name:?}");
            }
        }
    });
}

#[test]
fn a_directory_stays_the_same_whatever_its_name_becomes() {
    both(|world| {
        world.file("dir/file", "held");
        let dir = open(world, "dir");
        fs::rename(world.root().join("dir"), world.root().join("moved")).unwrap();
        world.link("dir", world.outside());
        assert_eq!(listed(&dir), [("file".to_owned(), FileKind::File)]);
        dir.create_new("new".as_ref(), 0o600).unwrap();
        assert!(world.root().join("moved/new").exists());
        assert!(!world.outside().join("new").exists());
    });
}

#[test]
fn create_new_never_takes_what_is_there() {
    both(|world| {
        world.file("file", "old");
        world.link("dangling", world.outside().join("made"));
        let root = open(world, ".");
        for name in ["file", "dangling"] {
            let error = root.create_new(name.as_ref(), 0o600).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{name}");
        }
        assert!(!world.outside().join("made").exists());

        let mut file = root.create_new("new".as_ref(), 0o600).unwrap();
        file.write_all(b"new content").unwrap();
        set_owner(&file, file.metadata().unwrap().uid(), file.metadata().unwrap().gid()).unwrap();
        set_mode(&file, 0o2751).unwrap();
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "new content");
        assert_eq!(root.stat("new".as_ref(), Links::Keep).unwrap().mode, 0o2751);
        root.sync().unwrap();
    });
}

#[test]
fn the_three_ways_to_rename() {
    both(|world| {
        for (name, content) in [("a", "A"), ("b", "B"), ("dir/c", "C")] {
            world.file(name, content);
        }
        let (root, dir) = (open(world, "."), open(world, "dir"));
        let rename = |from: &str, to: &str, how| root.rename(from.as_ref(), &root, to.as_ref(), how);
        let text = |name: &str| fs::read_to_string(world.root().join(name)).unwrap();
        assert_eq!(rename("a", "b", Rename::NoReplace).unwrap_err().kind(), ErrorKind::AlreadyExists);
        rename("a", "b", Rename::Exchange).unwrap();
        assert_eq!((text("a"), text("b")), ("B".into(), "A".into()));
        rename("a", "b", Rename::Replace).unwrap();
        assert_eq!(text("b"), "B");
        root.rename("b".as_ref(), &dir, "c".as_ref(), Rename::Replace).unwrap();
        assert_eq!(text("dir/c"), "B");
        assert_eq!(rename("missing", "x", Rename::Replace).unwrap_err().kind(), ErrorKind::NotFound);
    });
}

#[test]
fn removing_takes_the_link_and_leaves_its_target() {
    both(|world| {
        world.file("full/file", "");
        world.dir("empty");
        world.link("link", world.outside().join("secret"));
        let root = open(world, ".");
        root.remove_file("link".as_ref()).unwrap();
        root.remove_dir("empty".as_ref()).unwrap();
        assert_eq!(root.remove_dir("full".as_ref()).unwrap_err().kind(), ErrorKind::NotEmpty);
        assert_eq!(root.remove_file("full".as_ref()).unwrap_err().kind(), ErrorKind::IsDirectory);
        assert_eq!(fs::read_to_string(world.outside().join("secret")).unwrap(), CANARY);
        root.make_dir("made".as_ref(), 0o750).unwrap();
        let mode = fs::metadata(world.root().join("made")).unwrap().permissions().mode();
        assert_eq!(mode & 0o700, 0o700);
    });
}

fn open(world: &World, given: &str) -> Dir {
    world.workspace.open_dir(&world.path(given)).unwrap()
}

fn listed(dir: &Dir) -> Vec<(String, FileKind)> {
    let entries = dir.entries().unwrap().map(Result::unwrap);
    let mut listed: Vec<_> = entries.map(|entry| (entry.name.into_string().unwrap(), entry.kind)).collect();
    listed.sort();
    listed
}
