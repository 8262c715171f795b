//! What a commit does to files, one process alone.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use toolcrib_workspace::{
    Base, Change, ChangeSet, CommitError, Committed, Durability, ErrorKind, Resolver, TEMPORARY_PREFIX,
    Version,
};

use crate::support::{World, both};

#[test]
fn a_file_is_created_with_the_directories_above_it() {
    both(|world| {
        let committed = commit(world, [create(world, "a/b/new.txt", "new")]).unwrap();
        assert_eq!(tree(world), [("a/b/new.txt".into(), "new".into())]);
        let outcome = &committed.changes()[0];
        assert_eq!(outcome.reached.show(), "a/b/new.txt");
        assert_eq!((outcome.before, outcome.after), (None, Some(Version::of(b"new"))));
    });
}

#[test]
fn a_file_gets_other_content_and_keeps_everything_else() {
    both(|world| {
        let path = world.file("run.sh", "old");
        chmod(&path, 0o4751);
        set_attribute(&path, "user.comment", b"kept");
        set_attribute(&path, ACCESS_LIST, USER_7_MAY_WRITE);
        let before = (metadata(&path), attribute(&path, "user.comment"), attribute(&path, ACCESS_LIST));
        let committed = commit(world, [update(world, "run.sh", "old", "new")]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        let after = (metadata(&path), attribute(&path, "user.comment"), attribute(&path, ACCESS_LIST));
        assert_eq!(after, before);
        assert_eq!(committed.changes()[0].before, Some(Version::of(b"old")));
    });
}

/// What a new file would get of its directory, the old one does not have; and what it has may be long.
#[test]
fn a_file_gets_no_access_list_from_its_directory_and_keeps_its_owner() {
    both(|world| {
        let path = world.file("dir/file", "old");
        set_attribute(&path, "user.long", &[b'x'; 1_500]);
        set_attribute(&world.root().join("dir"), "system.posix_acl_default", USER_7_MAY_WRITE);
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(65534), Some(65534)).unwrap();
        }
        let before = metadata(&path);
        commit(world, [update(world, "dir/file", "old", "new")]).unwrap();
        assert_eq!(metadata(&path), before);
        assert_eq!(attribute(&path, "user.long").len(), 1_500);
        let access = rustix::fs::getxattr(&path, ACCESS_LIST, &mut [0; 256][..]);
        assert_eq!(access, Err(rustix::io::Errno::NODATA));
        // The control: a new file there gets one.
        assert!(!attribute(&world.file("dir/new", ""), ACCESS_LIST).is_empty());
    });
}

/// Where the file system has no flags there is nothing to keep.
#[test]
fn the_flags_of_a_file_stay() {
    use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
    let has_flags = |world: &World| {
        let probe = fs::File::open(world.file("probe", "")).unwrap();
        ioctl_setflags(&probe, ioctl_getflags(&probe).unwrap_or(IFlags::empty()) | IFlags::NODUMP).is_ok()
    };
    both(|world| {
        if !has_flags(world) {
            println!("the file system has no flags");
            return;
        }
        let path = world.file("file", "old");
        let flags = || ioctl_getflags(fs::File::open(&path).unwrap()).unwrap();
        let with = |kept: IFlags| ioctl_setflags(fs::File::open(&path).unwrap(), flags() | kept).unwrap();
        with(IFlags::NODUMP | IFlags::NOATIME | IFlags::SYNC);
        let before = flags();
        commit(world, [update(world, "file", "old", "new")]).unwrap();
        assert_eq!((flags(), fs::read_to_string(&path).unwrap().as_str()), (before, "new"));
        assert!(before.contains(IFlags::NODUMP | IFlags::NOATIME | IFlags::SYNC));
    });
}

#[test]
fn a_new_file_has_the_bits_that_the_system_gives_or_those_that_were_asked_for() {
    both(|world| {
        let script = Change::Write {
            path: world.path("script"),
            base: Base::Absent,
            content: b"x".to_vec(),
            mode: Some(0o755),
        };
        commit(world, [create(world, "plain", ""), script]).unwrap();
        let ordinary = world.file("ordinary", "");
        assert_eq!(metadata(&world.root().join("plain")).0, metadata(&ordinary).0);
        assert_eq!(metadata(&world.root().join("script")).0, 0o755);
    });
}

#[test]
fn a_link_stays_and_its_target_changes() {
    both(|world| {
        world.file("real/file", "old");
        let link = world.link("link", "real/file");
        let committed = commit(world, [update(world, "link", "old", "new")]).unwrap();
        assert_eq!(fs::read_link(link).unwrap(), Path::new("real/file"));
        assert_eq!(fs::read_to_string(world.root().join("real/file")).unwrap(), "new");
        assert_eq!(committed.changes()[0].reached.show(), "real/file");
    });
}

#[test]
fn a_file_is_removed() {
    both(|world| {
        world.file("dir/gone", "old");
        commit(world, [Change::Remove { path: world.path("dir/gone"), base: Version::of(b"old") }]).unwrap();
        assert_eq!(tree(world), []);
        assert!(world.root().join("dir").is_dir(), "directories that this empties stay");
    });
}

#[test]
fn a_file_is_moved_as_it_is() {
    both(|world| {
        let path = world.file("from", "content");
        chmod(&path, 0o741);
        let inode = fs::metadata(&path).unwrap().ino();
        let committed =
            commit(world, [rename(world, "from", "new/to", "content", Base::Absent, None)]).unwrap();
        let to = world.root().join("new/to");
        assert_eq!(tree(world), [("new/to".into(), "content".into())]);
        assert_eq!((fs::metadata(&to).unwrap().ino(), metadata(&to).0), (inode, 0o741));
        let outcome = &committed.changes()[0];
        assert_eq!(outcome.from.as_ref().unwrap().show(), "from");
        assert_eq!(outcome.reached.show(), "new/to");
    });
}

#[test]
fn a_file_is_moved_with_other_content_over_another() {
    both(|world| {
        let path = world.file("from", "content");
        chmod(&path, 0o741);
        world.file("to", "over");
        let over = Base::Version(Version::of(b"content"));
        let error = commit(world, [rename(world, "from", "to", "content", over, None)]).unwrap_err();
        assert_eq!(error.error().kind(), ErrorKind::Changed);
        for (content, expected) in [(None, "content"), (Some("other"), "other")] {
            let over = Base::Version(Version::of(b"over"));
            commit(world, [rename(world, "from", "to", "content", over, content)]).unwrap();
            assert_eq!(tree(world), [("to".into(), expected.into())]);
            assert_eq!(metadata(&world.root().join("to")).0, 0o741);
            fs::rename(world.root().join("to"), world.root().join("from")).unwrap();
            fs::write(world.root().join("from"), "content").unwrap();
            world.file("to", "over");
        }
    });
}

#[test]
fn a_name_that_a_change_frees_can_be_used_by_the_next() {
    both(|world| {
        world.file("a", "1");
        let changes = [rename(world, "a", "b", "1", Base::Absent, None), create(world, "a", "2")];
        commit(world, changes).unwrap();
        assert_eq!(tree(world), [("a".into(), "2".into()), ("b".into(), "1".into())]);
        let twice = [update(world, "a", "2", "3"), update(world, "a", "3", "4")];
        assert_eq!(commit(world, twice).unwrap_err().change(), Some(1));
    });
}

#[test]
fn what_has_changed_since_is_not_touched_and_nothing_else_is() {
    both(|world| {
        world.file("a", "a");
        world.file("b", "saved by somebody");
        let cases: [(Change, ErrorKind); 5] = [
            (update(world, "b", "b", "new"), ErrorKind::Changed),
            (update(world, "missing", "b", "new"), ErrorKind::Changed),
            (create(world, "b", "new"), ErrorKind::AlreadyExists),
            (Change::Remove { path: world.path("b"), base: Version::of(b"b") }, ErrorKind::Changed),
            (rename(world, "b", "c", "b", Base::Absent, None), ErrorKind::Changed),
        ];
        let before = tree(world);
        for (change, kind) in cases {
            let error = commit(world, [update(world, "a", "a", "new"), change.clone()]).unwrap_err();
            assert_eq!((error.error().kind(), error.change()), (kind, Some(1)), "{change:?}");
            assert!(error.nothing_changed());
            assert_eq!(tree(world), before, "{change:?}");
        }
    });
}

#[test]
fn a_failure_in_the_middle_rolls_back_what_was_done() {
    both(|world| {
        let names: Vec<String> = (0..100).map(|n| format!("f{n:02}")).collect();
        names.iter().for_each(|name| drop(world.file(name, "old")));
        world.file("moved", "old");
        world.file("removed", "old");
        let mut changes: Vec<_> = names.iter().map(|name| update(world, name, "old", "new")).collect();
        changes.insert(0, create(world, "x/y/z", "new"));
        changes.insert(1, rename(world, "moved", "x/to", "old", Base::Absent, None));
        changes.insert(2, Change::Remove { path: world.path("removed"), base: Version::of(b"old") });
        // By then it is a directory, which shows only when the file is to get the name.
        changes.push(create(world, "x", "new"));
        let before = tree(world);
        let error = commit(world, changes).unwrap_err();
        assert_eq!((error.error().kind(), error.change()), (ErrorKind::AlreadyExists, Some(103)));
        assert!(error.nothing_changed());
        assert_eq!(tree(world), before);
        assert!(!world.root().join("x").exists());
    });
}

#[test]
fn names_may_be_as_long_as_the_system_allows() {
    both(|world| {
        let longest = "n".repeat(255);
        commit(world, [create(world, &longest, "1")]).unwrap();
        commit(world, [update(world, &longest, "1", "2")]).unwrap();
        assert_eq!(tree(world), [(longest, "2".into())]);
        // Also below a directory that is still to be made, where the kernel cannot be asked.
        let long = "n".repeat(256);
        for path in [long.clone(), format!("new/{long}"), format!("new/{long}/x")] {
            let error = commit(world, [create(world, &path, "1")]).unwrap_err();
            assert_eq!(error.error().kind(), ErrorKind::TooLong);
            assert_eq!(tree(world).len(), 1, "nothing is left behind");
        }
    });
}

/// Package managers link their environments to a store. A change is for the name that it is made under, and must not reach
/// outside by another.
#[test]
fn of_a_file_with_several_names_only_one_changes() {
    both(|world| {
        let one = world.file("one", "old");
        let (two, outside) = (world.root().join("two"), world.outside().join("stored"));
        fs::hard_link(&one, &two).unwrap();
        fs::hard_link(&one, &outside).unwrap();
        let committed = commit(world, [update(world, "one", "old", "new")]).unwrap();
        assert_eq!(committed.changes()[0].other_names, 2);
        let read = |path: &Path| (fs::read_to_string(path).unwrap(), fs::metadata(path).unwrap().nlink());
        assert_eq!((read(&one), read(&two)), (("new".into(), 1), ("old".into(), 2)));
        assert_eq!(read(&outside), ("old".into(), 2));

        // A name that moves or goes leaves the others alone, and a moved one with other content has a file of its own.
        let committed = commit(world, [rename(world, "two", "three", "old", Base::Absent, None)]).unwrap();
        assert_eq!((committed.changes()[0].other_names, read(&outside).1), (0, 2));
        let moved = rename(world, "three", "four", "old", Base::Absent, Some("other"));
        let committed = commit(world, [moved]).unwrap();
        assert_eq!((committed.changes()[0].other_names, read(&outside)), (1, ("old".into(), 1)));
        commit(world, [Change::Remove { path: world.path("four"), base: Version::of(b"other") }]).unwrap();
        assert_eq!(tree(world), [("one".into(), "new".into())]);
    });
}

#[test]
fn what_is_no_file_is_refused() {
    both(|world| {
        world.dir("dir");
        run(&["mkfifo", world.root().join("pipe").to_str().unwrap()]);
        let kind = |change| commit(world, [change]).unwrap_err().error().kind();
        assert_eq!(kind(create(world, "dir", "x")), ErrorKind::IsDirectory);
        assert_eq!(kind(update(world, "dir", "", "x")), ErrorKind::IsDirectory);
        assert!(matches!(kind(update(world, "pipe", "", "x")), ErrorKind::NotRegular(_)));
        assert_eq!(kind(create(world, "../outside/x", "x")), ErrorKind::Outside);
    });
}

/// Runs as an ordinary user, when the whole suite is run again as one; to root nothing is forbidden.
#[test]
fn what_the_system_forbids_is_refused_and_said() {
    if rustix::process::geteuid().is_root() {
        return;
    }
    both(|world| {
        world.file("fixed/file", "old");
        let marked = world.file("marked", "old");
        chmod(&world.root().join("fixed"), 0o555);
        chmod(&marked, 0o444);
        let before = tree(world);
        let refusal = |change| commit(world, [change]).unwrap_err();
        let error = refusal(update(world, "fixed/file", "old", "new"));
        assert_eq!(error.error().kind(), ErrorKind::PermissionDenied);
        assert!(error.to_string().contains("fixed/file (its directory takes no new file"), "{error}");
        for change in [
            create(world, "fixed/new", "x"),
            create(world, "fixed/new/deeper", "x"),
            update(world, "marked", "old", "new"),
            Change::Remove { path: world.path("fixed/file"), base: Version::of(b"old") },
            rename(world, "marked", "fixed/here", "old", Base::Absent, None),
        ] {
            let error = refusal(change.clone());
            assert_eq!(error.error().kind(), ErrorKind::PermissionDenied, "{change:?}: {error}");
            assert!(!error.to_string().contains(TEMPORARY_PREFIX), "{error}");
            assert!(error.nothing_changed());
        }
        assert_eq!(tree(world), before);
        chmod(&world.root().join("fixed"), 0o755);
    });
}

#[test]
fn an_empty_set_is_done_at_once() {
    both(|world| assert_eq!(commit(world, []).unwrap().changes(), []));
    let mut changes = ChangeSet::default();
    assert!(changes.is_empty());
    changes.push(create(&World::new(Resolver::Auto), "a", ""));
    assert!(!changes.is_empty());
}

pub(crate) fn commit(
    world: &World,
    changes: impl IntoIterator<Item = Change>,
) -> Result<Committed, CommitError> {
    let mut set = ChangeSet::default();
    changes.into_iter().for_each(|change| set.push(change));
    let done = world.workspace.commit(&set, Durability::Safe);
    assert_eq!(temporary_names(&world.root()), Vec::<PathBuf>::new());
    done
}

pub(crate) fn create(world: &World, path: &str, content: &str) -> Change {
    Change::Write { path: world.path(path), base: Base::Absent, content: content.into(), mode: None }
}

pub(crate) fn update(world: &World, path: &str, old: &str, new: &str) -> Change {
    let base = Base::Version(Version::of(old.as_bytes()));
    Change::Write { path: world.path(path), base, content: new.into(), mode: None }
}

pub(crate) fn rename(
    world: &World,
    from: &str,
    to: &str,
    content: &str,
    over: Base,
    new: Option<&str>,
) -> Change {
    Change::Move {
        from: world.path(from),
        base: Version::of(content.as_bytes()),
        to: world.path(to),
        over,
        content: new.map(Into::into),
        mode: None,
    }
}

/// Every file below the root with its content, sorted.
pub(crate) fn tree(world: &World) -> Vec<(String, String)> {
    let root = world.root();
    let mut files: Vec<_> = walk(&root)
        .into_iter()
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            (name, String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned())
        })
        .collect();
    files.sort();
    files
}

pub(crate) fn temporary_names(root: &Path) -> Vec<PathBuf> {
    let is_temporary = |path: &PathBuf| {
        path.file_name().is_some_and(|name: &OsStr| name.to_string_lossy().starts_with(TEMPORARY_PREFIX))
    };
    walk(root).into_iter().filter(is_temporary).collect()
}

fn walk(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap().map_while(Result::ok) {
        let path = entry.path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(walk(&path));
        }
        found.push(path);
    }
    found
}

fn metadata(path: &Path) -> (u32, u32, u32) {
    let metadata = fs::metadata(path).unwrap();
    (metadata.mode() & 0o7777, metadata.uid(), metadata.gid())
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

const ACCESS_LIST: &str = "system.posix_acl_access";

/// Version 2; owner rwx, user 7 rw, group r-x, mask rwx, others x: tag, permission and user, each little-endian.
const USER_7_MAY_WRITE: &[u8] = &[
    2, 0, 0, 0, //
    1, 0, 7, 0, 255, 255, 255, 255, //
    2, 0, 6, 0, 7, 0, 0, 0, //
    4, 0, 5, 0, 255, 255, 255, 255, //
    16, 0, 7, 0, 255, 255, 255, 255, //
    32, 0, 1, 0, 255, 255, 255, 255,
];

fn set_attribute(path: &Path, name: &str, value: &[u8]) {
    rustix::fs::setxattr(path, name, value, rustix::fs::XattrFlags::empty()).unwrap();
}

fn attribute(path: &Path, name: &str) -> Vec<u8> {
    let mut value = vec![0; 4096];
    let length = rustix::fs::getxattr(path, name, &mut value[..]).unwrap();
    value.truncate(length);
    value
}

fn run(command: &[&str]) {
    let status = std::process::Command::new(command[0]).args(&command[1..]).status();
    assert!(status.unwrap_or_else(|error| panic!("{command:?}: {error}")).success(), "{command:?}");
}
