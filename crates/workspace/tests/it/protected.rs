//! What is protected is out of reach under every name, in every root, by every question that a workspace answers.

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolcrib_workspace::{
    Base, Change, ChangeSet, ErrorKind, Links, Mounts, Protected, Resolver, ScanBuffer, Version, Workspace,
};

use crate::mounts::{mount, unmount};
use crate::support::{in_child, own_mounts};

/// A home with a configuration, a state folder and a program in it, and ordinary files beside them.
struct Home {
    dir: TempDir,
}

const PROTECTED: [&str; 3] = [".config/toolcrib", ".local/state/toolcrib", "bin/toolcrib"];

impl Home {
    fn new() -> Self {
        let home = Self { dir: tempfile::tempdir().unwrap() };
        for (file, content) in [
            (".config/toolcrib/config.toml", "rules"),
            (".config/other", "free"),
            (".local/state/toolcrib/journals/key", "key"),
            (".local/state/other", "free"),
            ("bin/toolcrib", "program"),
            ("bin/other", "free"),
            ("notes", "free"),
        ] {
            let file = home.at(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
        home
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn protected(&self) -> Protected {
        Protected::new(PROTECTED.map(|path| self.at(path)))
    }

    /// The workspace of these roots, in both ways of resolving.
    fn each_workspace(&self, roots: &[&str], check: impl Fn(&Workspace)) {
        for resolver in [Resolver::Openat2, Resolver::Walk] {
            let builder = Workspace::builder().resolver(resolver).protect(self.protected());
            check(&roots.iter().fold(builder, |builder, root| builder.root(self.at(root))).open().unwrap());
        }
    }
}

/// What happens to one path, by every question.
fn outcomes(workspace: &Workspace, path: &Path) -> Vec<Option<ErrorKind>> {
    let Ok(path) = workspace.path(path, Path::new("/")) else { return vec![Some(ErrorKind::Outside)] };
    let write = Change::Write { path: path.clone(), base: Base::Absent, content: Vec::new(), mode: None };
    let remove = Change::Remove { path: path.clone(), base: Version::of(b"free") };
    let commit = |change| {
        let mut changes = ChangeSet::default();
        changes.push(change);
        workspace.plan(&changes).err().map(|error| error.error().kind())
    };
    vec![
        workspace.open_file(&path).err().map(|error| error.kind()),
        workspace.snapshot(&path).err().map(|error| error.kind()),
        workspace.open_dir(&path).err().map(|error| error.kind()),
        workspace.stat(&path, Links::Follow).err().map(|error| error.kind()),
        workspace.locate_new(&path).err().map(|error| error.kind()),
        commit(write),
        commit(remove),
    ]
}

#[track_caller]
fn assert_out_of_reach(workspace: &Workspace, path: &Path) {
    let outcomes = outcomes(workspace, path);
    let refused = [Some(ErrorKind::Protected), Some(ErrorKind::Outside)];
    assert!(outcomes.iter().all(|outcome| refused.contains(outcome)), "{path:?}: {outcomes:?}");
}

#[track_caller]
fn assert_free(workspace: &Workspace, path: &Path) {
    let given = workspace.path(path, Path::new("/")).unwrap();
    assert_eq!(workspace.snapshot(&given).unwrap().bytes(), b"free", "{path:?}");
    assert!(workspace.locate_new(&given).is_ok(), "{path:?}");
}

fn listed(workspace: &Workspace, path: &Path) -> Vec<String> {
    let dir = workspace.open_dir(&workspace.path(path, Path::new("/")).unwrap()).unwrap();
    let mut scanned = Vec::new();
    dir.scan(&mut ScanBuffer::default(), |name, _| {
        scanned.push(name.to_string_lossy().into_owned());
        ControlFlow::Continue(())
    })
    .unwrap();
    let mut listed: Vec<String> =
        dir.entries().unwrap().map(|entry| entry.unwrap().name.to_string_lossy().into_owned()).collect();
    scanned.sort();
    listed.sort();
    assert_eq!(scanned, listed);
    listed
}

#[test]
fn protected_files_are_out_of_reach_from_every_root_around_or_inside_them() {
    let home = Home::new();
    let roots: &[&[&str]] = &[
        &[""],
        &[".config"],
        &[".local/state"],
        &["bin"],
        &["", ".config"],
        &[".config/toolcrib"],
        &[".local/state/toolcrib/journals"],
        &["", ".local/state/toolcrib"],
    ];
    for roots in roots {
        home.each_workspace(roots, |workspace| {
            for path in [
                ".config/toolcrib",
                ".config/toolcrib/config.toml",
                ".config/toolcrib/new",
                ".config/toolcrib/a/b/new",
                ".local/state/toolcrib",
                ".local/state/toolcrib/journals",
                ".local/state/toolcrib/journals/key",
                "bin/toolcrib",
                "bin/../.config/toolcrib/config.toml",
            ] {
                assert_out_of_reach(workspace, &home.at(path));
            }
        });
    }
    home.each_workspace(&[""], |workspace| {
        for path in ["notes", ".config/other", ".local/state/other", "bin/other"] {
            assert_free(workspace, &home.at(path));
        }
    });
}

#[test]
fn without_protection_the_same_files_are_reached() {
    let home = Home::new();
    let workspace = Workspace::open(home.dir.path()).unwrap();
    let path = workspace.path(&home.at(".config/toolcrib/config.toml"), Path::new("/")).unwrap();
    assert_eq!(workspace.snapshot(&path).unwrap().bytes(), b"rules");
    assert_eq!(listed(&workspace, &home.at("bin")), ["other", "toolcrib"]);
}

#[test]
fn listings_leave_them_out() {
    let home = Home::new();
    home.each_workspace(&[""], |workspace| {
        assert_eq!(listed(workspace, &home.at(".config")), ["other"]);
        assert_eq!(listed(workspace, &home.at(".local/state")), ["other"]);
        assert_eq!(listed(workspace, &home.at("bin")), ["other"]);
        assert_eq!(listed(workspace, &home.at("")), [".config", ".local", "bin", "notes"]);
        let bin = workspace.open_dir(&workspace.path(&home.at("bin"), Path::new("/")).unwrap()).unwrap();
        assert_eq!(bin.open_file(OsStr::new("toolcrib")).unwrap_err().kind(), ErrorKind::Protected);
        let missing = workspace.path(&home.at("bin/toolcri"), Path::new("/")).unwrap();
        assert_eq!(workspace.near_names(&missing), Vec::<String>::new());
    });
}

#[test]
fn other_names_are_no_way_around() {
    let home = Home::new();
    std::os::unix::fs::symlink(".config/toolcrib", home.at("link")).unwrap();
    std::os::unix::fs::symlink(".config/toolcrib/config.toml", home.at("file-link")).unwrap();
    std::os::unix::fs::symlink(home.at(".config"), home.at("configurations")).unwrap();
    std::fs::hard_link(home.at("bin/toolcrib"), home.at("hard")).unwrap();
    home.each_workspace(&[""], |workspace| {
        for path in [
            "link",
            "link/config.toml",
            "link/new",
            "file-link",
            "configurations/toolcrib/config.toml",
            "hard",
        ] {
            assert_out_of_reach(workspace, &home.at(path));
        }
        // A link is shown as what it is: a name, which leads nowhere for a tool.
        assert!(!listed(workspace, &home.at("")).contains(&"hard".to_owned()));
    });
}

#[test]
fn a_hard_link_in_a_root_that_is_far_away_is_no_way_around() {
    let home = Home::new();
    std::fs::create_dir(home.at("project")).unwrap();
    std::fs::hard_link(home.at("bin/toolcrib"), home.at("project/tool")).unwrap();
    std::fs::write(home.at("project/a"), "free").unwrap();
    home.each_workspace(&["project"], |workspace| {
        assert_out_of_reach(workspace, &home.at("project/tool"));
        assert_eq!(listed(workspace, &home.at("project")), ["a"]);
        assert_free(workspace, &home.at("project/a"));
    });
}

#[test]
fn a_file_that_an_editor_replaces_stays_protected() {
    let home = Home::new();
    let protected = Protected::new([home.at("bin/toolcrib")]);
    let workspace = Workspace::builder().root(home.at("")).protect(protected).open().unwrap();
    std::fs::write(home.at("bin/new"), "another program").unwrap();
    std::fs::rename(home.at("bin/new"), home.at("bin/toolcrib")).unwrap();
    assert_out_of_reach(&workspace, &home.at("bin/toolcrib"));
    assert_eq!(listed(&workspace, &home.at("bin")), ["other"]);
    assert_free(&workspace, &home.at("bin/other"));
}

#[test]
fn what_does_not_exist_yet_cannot_be_made_and_is_protected_once_it_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let at = |path: &str| dir.path().join(path);
    std::fs::create_dir(at("home")).unwrap();
    let config = at("home/.config/toolcrib/config.toml");
    for root in ["home", ""] {
        let protected = Protected::new([&config]);
        let workspace = Workspace::builder().root(at(root)).protect(protected).open().unwrap();
        let made = |path: &str| {
            let path = workspace.path(&at(path), Path::new("/")).unwrap();
            workspace.locate_new(&path).map(drop).map_err(|error| error.kind())
        };
        assert_eq!(made("home/.config/toolcrib/config.toml"), Err(ErrorKind::Protected));
        assert_eq!(made("home/.CONFIG/Toolcrib/Config.TOML"), Err(ErrorKind::Protected), "where case is one");
        assert_eq!(made("home/.config/toolcrib/config.toml/x"), Err(ErrorKind::Protected));
        assert_eq!(made("home/.config/other"), Ok(()));
        std::fs::create_dir_all(config.parent().unwrap()).unwrap();
        std::fs::write(&config, "rules").unwrap();
        assert_out_of_reach(&workspace, &config);
        assert!(listed(&workspace, config.parent().unwrap()).is_empty());
        std::fs::remove_dir_all(at("home/.config")).unwrap();
    }
}

#[test]
fn a_workspace_opened_later_inside_is_out_of_reach() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("state/toolcrib");
    std::fs::create_dir(dir.path().join("w")).unwrap();
    let protected = Protected::new([&state]);
    let workspace = Workspace::builder().root(dir.path().join("w")).protect(protected).open().unwrap();
    std::fs::create_dir_all(state.join("journals")).unwrap();
    std::fs::write(state.join("journals/key"), "key").unwrap();
    for root in [state.join("journals"), state.clone(), dir.path().join("state"), dir.path().to_owned()] {
        let inside = workspace.beside(&root).unwrap();
        assert_out_of_reach(&inside, &state.join("journals/key"));
        assert_out_of_reach(&inside, &state.join("journals/new"));
    }
}

#[test]
fn links_on_the_way_to_a_protected_file_keep_their_names() {
    let home = Home::new();
    std::fs::rename(home.at(".config"), home.at("dotfiles")).unwrap();
    std::os::unix::fs::symlink("dotfiles", home.at(".config")).unwrap();
    std::fs::rename(home.at("dotfiles/toolcrib/config.toml"), home.at("real.toml")).unwrap();
    std::os::unix::fs::symlink("../../real.toml", home.at("dotfiles/toolcrib/config.toml")).unwrap();
    let protected = Protected::new([home.at(".config/toolcrib/config.toml")]);
    let workspace = Workspace::builder().root(home.at("")).protect(protected).open().unwrap();
    for path in [".config/toolcrib/config.toml", "dotfiles/toolcrib/config.toml", "real.toml"] {
        assert_out_of_reach(&workspace, &home.at(path));
    }
    assert_eq!(listed(&workspace, &home.at("")), [".local", "bin", "dotfiles", "notes"]);
    assert!(listed(&workspace, &home.at("dotfiles/toolcrib")).is_empty());
    assert_free(&workspace, &home.at("dotfiles/other"));
}

#[test]
fn a_narrower_workspace_protects_too() {
    let home = Home::new();
    home.each_workspace(&[""], |workspace| {
        let narrow = workspace.narrow([home.at(".config")]).unwrap();
        assert_out_of_reach(&narrow, &home.at(".config/toolcrib/config.toml"));
        assert_eq!(listed(&narrow, &home.at(".config")), ["other"]);
    });
}

/// A bind mount shows the same directory under another name; only what it is tells.
#[test]
fn a_bind_mount_is_no_way_around() {
    in_child(own_mounts(), "protected::a_bind_mount_is_no_way_around", || {
        let home = Home::new();
        for place in ["w", "w/below"] {
            std::fs::create_dir(home.at(place)).unwrap();
        }
        mount(&["--bind"], &home.at(".config"), &home.at("w/below"));
        let open = |root: &str, mounts| {
            let builder = Workspace::builder().mounts(mounts).protect(home.protected());
            builder.root(home.at(root)).open().unwrap()
        };
        for workspace in [open("w", Mounts::Follow), open("w/below", Mounts::Refuse)] {
            assert_out_of_reach(&workspace, &home.at("w/below/toolcrib/config.toml"));
            assert_out_of_reach(&workspace, &home.at("w/below/toolcrib/new"));
            assert_eq!(listed(&workspace, &home.at("w/below")), ["other"]);
            assert_free(&workspace, &home.at("w/below/other"));
        }
        unmount(&[home.at("w/below")]);
    });
}

#[test]
fn a_root_that_contains_something_protected_says_so() {
    let home = Home::new();
    let exposed = |root: &str| {
        let builder = Workspace::builder().root(home.at(root)).protect(home.protected());
        builder.open().unwrap().exposed().len()
    };
    assert_eq!(exposed(""), 3);
    assert_eq!(exposed(".config"), 1);
    assert_eq!(exposed(".local/state/toolcrib/journals"), 1);
    std::fs::create_dir(home.at("project")).unwrap();
    assert_eq!(exposed("project"), 0);
}
