//! Which paths are understood, where they lead, and what is refused.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use toolcrib_workspace::{ErrorKind, Links, Workspace};

use crate::support::{CANARY, RESOLVERS, both, bytes, got};

#[test]
fn relative_and_absolute_paths_reach_the_same_file() {
    both(|world| {
        let file = world.file("src/main.rs", "main");
        world.dir("src/inner");
        for given in ["src/main.rs", "./src/./main.rs", "src//main.rs", "src/inner/../main.rs"] {
            assert_eq!(world.read(given).unwrap(), got("main", "src/main.rs"));
        }
        assert_eq!(world.read(file).unwrap(), got("main", "src/main.rs"));
    });
}

#[test]
fn a_relative_path_starts_in_the_working_directory() {
    both(|world| {
        world.file("src/main.rs", "main");
        world.file("top", "top");
        let path = |given: &str| world.workspace.path(Path::new(given), &world.root().join("src")).unwrap();
        assert_eq!(world.workspace.snapshot(&path("main.rs")).unwrap().bytes(), b"main");
        assert_eq!(world.workspace.snapshot(&path("../top")).unwrap().reached().show(), "top");
        let elsewhere = world.workspace.path(Path::new("main.rs"), Path::new("/etc")).unwrap_err();
        assert_eq!(elsewhere.kind(), ErrorKind::Outside);
    });
}

#[test]
fn a_path_that_climbs_out_is_refused() {
    both(|world| {
        world.dir("a/b");
        for given in
            ["../outside/secret", "a/../../outside/secret", "a/b/../../../outside/secret", "..", "a/../.."]
        {
            assert_eq!(world.kind(given), ErrorKind::Outside, "{given}");
        }
        let error = world.refusal("../outside/secret");
        let shown = world.root().join("../outside/secret");
        assert_eq!(error.to_string(), format!("Path outside workspace: {}", shown.display()));
        assert!(error.hint().unwrap().contains(&world.root().display().to_string()));
    });
}

#[test]
fn a_path_that_climbs_out_and_comes_back_is_served() {
    both(|world| {
        world.file("file", "inside");
        world.link("back", "../ws/file");
        assert_eq!(world.read("../ws/file").unwrap(), got("inside", "file"));
        assert_eq!(world.read("back").unwrap(), got("inside", "file"));
        assert_eq!(world.kind("../ws/missing"), ErrorKind::NotFound);
    });
}

/// The bug of CVE-2025-53110: a comparison of text lets `/ws` admit `/ws-evil`.
#[test]
fn a_sibling_whose_name_begins_like_the_root_is_outside() {
    both(|world| {
        let evil = world.root().with_file_name("ws-evil");
        fs::create_dir(&evil).unwrap();
        fs::write(evil.join("secret"), CANARY).unwrap();
        assert_eq!(world.kind(evil.join("secret")), ErrorKind::Outside);
        assert_eq!(world.kind("../ws-evil/secret"), ErrorKind::Outside);
        world.link("evil", evil.join("secret"));
        assert_eq!(world.kind("evil"), ErrorKind::Outside);
    });
}

#[test]
fn a_path_with_nul_and_an_empty_path_are_clear_errors() {
    both(|world| {
        let nul = world.refusal(bytes(b"a\0b"));
        assert_eq!(nul.kind(), ErrorKind::InvalidName);
        assert_eq!(nul.to_string(), r"Invalid path: a\x00b (it holds a NUL byte)");
        let empty = world.refusal("");
        assert_eq!(
            (empty.kind(), empty.to_string()),
            (ErrorKind::InvalidName, "Invalid path:  (it is empty)".into())
        );
    });
}

#[test]
fn what_is_missing_is_not_found() {
    both(|world| {
        world.file("file", "");
        let error = world.refusal("missing.txt");
        let shown = world.root().join("missing.txt");
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(error.to_string(), format!("File not found: {}", shown.display()));
        assert_eq!(error.path(), shown.to_str().unwrap());
        assert_eq!(error.workspace_path(), Some(&world.path("missing.txt")));
        assert_eq!(world.kind("missing/file"), ErrorKind::NotFound);
        assert_eq!(world.kind("file/below"), ErrorKind::NotDirectory);

        let directory = world.workspace.open_dir(&world.path("missing")).unwrap_err();
        let shown = world.root().join("missing");
        assert_eq!(directory.to_string(), format!("Directory not found: {}", shown.display()));
    });
}

#[test]
fn a_directory_is_not_a_file_and_a_file_no_directory() {
    both(|world| {
        world.file("dir/file", "");
        let error = world.refusal("dir");
        assert_eq!(error.kind(), ErrorKind::IsDirectory);
        assert!(error.to_string().starts_with("Cannot read directory: "), "{error}");
        assert_eq!(world.kind("."), ErrorKind::IsDirectory);
        let open_dir = |given: &str| world.workspace.open_dir(&world.path(given));
        assert_eq!(open_dir("dir/file").unwrap_err().kind(), ErrorKind::NotDirectory);
        assert_eq!(open_dir("dir/..").unwrap().reached(), &world.path("."));
    });
}

#[test]
fn a_slash_at_the_end_insists_on_a_directory() {
    both(|world| {
        world.file("dir/file", "text");
        world.link("link", "dir");
        for given in ["dir/file/", "dir/file/."] {
            assert_eq!(world.kind(given), ErrorKind::NotDirectory, "{given}");
        }
        let reach = |given: &str| world.workspace.reach(&world.path(given), Links::Keep).unwrap().show();
        assert_eq!(
            (reach("dir/"), reach("link"), reach("link/")),
            ("dir".into(), "link".into(), "dir".into())
        );
    });
}

#[test]
fn names_of_255_bytes_work_and_longer_ones_are_too_long() {
    both(|world| {
        let longest = "n".repeat(255);
        world.file(&longest, "long");
        assert_eq!(world.read(&longest).unwrap(), got("long", &longest));
        assert_eq!(world.kind("n".repeat(256)), ErrorKind::TooLong);
        let deep = "d/".repeat(3000);
        assert_eq!(world.kind(&deep), ErrorKind::TooLong);
        assert_eq!(world.kind("./".repeat(3000) + "missing"), ErrorKind::NotFound);
    });
}

#[test]
fn the_root_may_be_given_by_a_link_and_meant_by_either_name() {
    for resolver in RESOLVERS {
        let base = tempfile::tempdir().unwrap();
        let real = base.path().canonicalize().unwrap().join("real");
        let alias = base.path().join("alias");
        fs::create_dir(&real).unwrap();
        fs::write(real.join("file"), "text").unwrap();
        symlink(&real, &alias).unwrap();
        symlink(real.join("file"), real.join("by-real")).unwrap();
        symlink(alias.join("file"), real.join("by-alias")).unwrap();
        let workspace = Workspace::builder().root(&alias).resolver(resolver).open().unwrap();
        assert_eq!((workspace.roots()[0].path(), workspace.roots()[0].real()), (&*alias, &*real));
        let names = [alias.join("file"), real.join("file"), alias.join("by-real"), alias.join("by-alias")];
        for given in names {
            let path = workspace.path(&given, &alias).unwrap();
            let reached = workspace.reach(&path, Links::Follow).unwrap();
            assert_eq!(workspace.absolute(&reached), alias.join("file"), "{given:?}");
        }
    }
}

#[test]
fn several_roots_are_one_workspace() {
    for resolver in RESOLVERS {
        let base = tempfile::tempdir().unwrap();
        let [a, b, inner] = ["a", "b", "a/inner"].map(|name| base.path().join(name));
        for root in [&a, &b, &inner] {
            fs::create_dir(root).unwrap();
            fs::write(root.join("file"), root.file_name().unwrap().as_encoded_bytes()).unwrap();
        }
        symlink("../b/file", a.join("relative")).unwrap();
        symlink(b.join("file"), a.join("absolute")).unwrap();
        let builder = Workspace::builder().root(&a).root(&b).root(&inner).resolver(resolver);
        let workspace = builder.open().unwrap();
        let read = |given: &str| {
            let snapshot = workspace.snapshot(&workspace.path(Path::new(given), &a).unwrap()).unwrap();
            (String::from_utf8(snapshot.bytes().to_vec()).unwrap(), workspace.absolute(snapshot.reached()))
        };
        for given in ["../b/file", "relative", "absolute", "inner/../../b/file"] {
            assert_eq!(read(given), ("b".into(), b.join("file")), "{given}");
        }
        assert_eq!(read("file"), ("a".into(), a.join("file")));
        let path = workspace.path(Path::new("inner/file"), &a).unwrap();
        assert_eq!(path.root().index(), 2, "the deepest root holds it");
        let above = workspace.path(Path::new("../.."), &a).unwrap();
        assert_eq!(workspace.open_dir(&above).unwrap_err().kind(), ErrorKind::Outside);
    }
}

#[test]
fn a_root_that_is_moved_away_is_still_the_root() {
    both(|world| {
        world.file("file", "text");
        let moved = world.root().with_file_name("moved");
        fs::rename(world.root(), &moved).unwrap();
        fs::create_dir(world.root()).unwrap();
        fs::write(world.root().join("file"), CANARY).unwrap();
        assert_eq!(world.read("file").unwrap(), got("text", "file"));
    });
}

/// The name that was reached counts from where the root is now, not from where it was.
#[test]
fn a_root_that_is_moved_below_its_old_name_is_still_the_root() {
    both(|world| {
        world.file("file", "text");
        let moved = world.root().with_file_name("moved");
        fs::rename(world.root(), &moved).unwrap();
        fs::create_dir(world.root()).unwrap();
        fs::rename(&moved, world.root().join("inner")).unwrap();
        assert_eq!(world.read("file").unwrap(), got("text", "file"));
    });
}

#[test]
fn a_workspace_needs_a_root_that_is_a_directory() {
    let base = tempfile::tempdir().unwrap();
    fs::write(base.path().join("file"), "").unwrap();
    let open = |name: &str| Workspace::open(base.path().join(name)).unwrap_err();
    assert_eq!(open("file").kind(), ErrorKind::NotDirectory);
    assert_eq!(open("missing").kind(), ErrorKind::NotFound);
    assert!(open("missing").to_string().starts_with("Directory not found: "));
    assert_eq!(Workspace::builder().open().unwrap_err().kind(), ErrorKind::InvalidName);
}

#[test]
fn a_root_with_an_entry_of_git_is_a_checkout() {
    let dir = tempfile::tempdir().unwrap();
    let is_checkout = |name: &str| Workspace::open(dir.path().join(name)).unwrap().roots()[0].is_checkout();
    for (name, git) in [("repository", true), ("worktree", false)] {
        fs::create_dir(dir.path().join(name)).unwrap();
        assert!(!is_checkout(name));
        let entry = dir.path().join(name).join(".git");
        if git {
            fs::create_dir(entry).unwrap()
        } else {
            fs::write(entry, "gitdir: elsewhere\n").unwrap()
        }
        assert!(is_checkout(name));
    }
}
