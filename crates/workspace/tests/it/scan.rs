//! What a search stands on: entries, facts and files of a held directory, at little cost and under the same rules.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::ops::ControlFlow;

use toolcrib_workspace::{Dir, ErrorKind, FileKind, Links, ScanBuffer};

use crate::support::{World, both};

fn open(world: &World) -> Dir {
    world.workspace.open_dir(&world.path(".")).unwrap()
}

fn scanned(directory: &Dir, buffer: &mut ScanBuffer) -> Vec<(OsString, FileKind)> {
    let mut found = Vec::new();
    let each = |name: &OsStr, kind| {
        found.push((name.to_owned(), kind));
        ControlFlow::Continue(())
    };
    directory.scan(buffer, each).unwrap();
    found.sort();
    found
}

#[test]
fn a_scan_gives_what_the_entries_give_each_time() {
    both(|world| {
        (0..2000).for_each(|n| drop(world.file(format!("a-rather-long-name-{n:05}"), "")));
        world.dir("dir");
        world.link("link", "nowhere");
        let directory = open(world);
        let mut entries: Vec<_> = directory.entries().unwrap().map(|e| e.unwrap()).collect();
        entries.sort();
        let entries: Vec<_> = entries.into_iter().map(|entry| (entry.name, entry.kind)).collect();
        let mut buffer = ScanBuffer::default();
        assert_eq!(scanned(&directory, &mut buffer), entries);
        assert_eq!(scanned(&directory, &mut buffer), entries, "a second time, with the same buffer");
        assert_eq!(scanned(&open(world), &mut buffer), entries, "on a handle that nobody has read from");
    });
}

#[test]
fn a_scan_ends_when_it_is_told_to() {
    both(|world| {
        (0..100).for_each(|n| drop(world.file(format!("{n}"), "")));
        let mut seen = 0;
        let each = |_: &OsStr, _| {
            seen += 1;
            if seen == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        open(world).scan(&mut ScanBuffer::default(), each).unwrap();
        assert_eq!(seen, 3);
    });
}

#[test]
fn a_look_is_about_the_name_itself() {
    both(|world| {
        world.file("file", "12345");
        world.link("link", "file");
        world.link("leaving", world.outside());
        let directory = open(world);
        for name in ["file", "link", "leaving"] {
            let name = OsStr::new(name);
            assert_eq!(directory.look(name).unwrap(), directory.stat(name, Links::Keep).unwrap());
        }
        for wrong in ["..", ".", "", "a/b", "../outside/secret"] {
            assert_eq!(directory.look(wrong.as_ref()).unwrap_err().kind(), ErrorKind::InvalidName, "{wrong}");
        }
        assert_eq!(directory.look("gone".as_ref()).unwrap_err().kind(), ErrorKind::NotFound);
    });
}

#[test]
fn only_a_regular_file_is_opened() {
    both(|world| {
        world.file("file", "text");
        world.dir("dir");
        world.link("link", "file");
        world.link("leaving", world.outside().join("secret"));
        let directory = open(world);
        let (mut file, stat) = directory.open_unnamed("file".as_ref()).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), stat.size), ("text", 4));
        for (name, kind) in [
            ("dir", ErrorKind::IsDirectory),
            ("link", ErrorKind::NotRegular(FileKind::Symlink)),
            ("leaving", ErrorKind::NotRegular(FileKind::Symlink)),
            ("../outside/secret", ErrorKind::InvalidName),
            ("gone", ErrorKind::NotFound),
        ] {
            assert_eq!(directory.open_unnamed(name.as_ref()).unwrap_err().kind(), kind, "{name}");
        }
    });
}

#[test]
fn what_a_change_needs_for_a_moment_is_not_listed() {
    both(|world| {
        world.file("a", "");
        world.file(".toolcrib-0123456789abcdef01234567", "");
        world.file(".toolcrib-0123456789abcdef01234567-new", "");
        let dir = world.workspace.open_dir(&world.path(".")).unwrap();
        let mut scanned = Vec::new();
        dir.scan(&mut ScanBuffer::default(), |name, _| {
            scanned.push(name.to_owned());
            ControlFlow::Continue(())
        })
        .unwrap();
        let listed: Vec<_> = dir.entries().unwrap().map(|entry| entry.unwrap().name).collect();
        assert_eq!((scanned, listed), (vec!["a".into()], vec!["a".into()]));
    });
}
