//! What one user tells all others, and that no user can speak for another.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};

use rustix::process::geteuid;
use toolcrib_testkit::as_ordinary_user;
use toolcrib_workspace::{Base, Change, ChangeSet, Durability, ErrorKind, NoticeBoard, Version, Workspace};

use crate::support::both;

#[test]
fn a_notice_is_there_until_its_user_takes_it_away() {
    let shared = tempfile::tempdir().unwrap();
    let board = NoticeBoard::at(shared.path());
    assert!(board.own().is_err(), "nothing is made for those who only look");
    assert!(board.of_others().is_empty());
    board.post("one".as_ref()).unwrap();
    board.post("two".as_ref()).unwrap();
    board.post("two".as_ref()).unwrap();
    let mut own = board.own().unwrap();
    own.sort();
    assert_eq!(own, ["one", "two"]);
    let folder = board.own_folder().unwrap();
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o755, "everybody may look");
    board.remove("one".as_ref()).unwrap();
    board.remove("one".as_ref()).unwrap();
    assert_eq!(board.own().unwrap(), ["two"]);
    assert!(board.of_others().is_empty(), "one's own are not told to oneself");
}

/// A folder that bears the name of another user and is not theirs says nothing; and no other user's folder is used.
#[test]
fn nobody_speaks_for_another() {
    let shared = tempfile::tempdir().unwrap();
    let board = NoticeBoard::at(shared.path());
    for name in ["toolcrib-12345", "toolcrib-x", "toolcrib-", "other"] {
        fs::create_dir(shared.path().join(name)).unwrap();
        fs::write(shared.path().join(name).join("lie"), "").unwrap();
    }
    std::os::unix::fs::symlink("toolcrib-12345", shared.path().join("toolcrib-0")).unwrap();
    assert!(board.of_others().is_empty());
    if geteuid().is_root() {
        fs::remove_file(shared.path().join("toolcrib-0")).unwrap();
        fs::create_dir(shared.path().join("toolcrib-0")).unwrap();
        chown(shared.path().join("toolcrib-0"), Some(65534), None).unwrap();
        let error = board.post("mine".as_ref()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
        assert!(error.to_string().contains("(it belongs to another user)"), "{error}");
        // The control: what is theirs is heard, however often it is asked for.
        chown(shared.path().join("toolcrib-12345"), Some(12345), None).unwrap();
        for _ in 0..3 {
            let notices = board.of_others();
            assert_eq!(notices.len(), 1, "{notices:?}");
            assert_eq!((notices[0].uid, notices[0].says.to_str()), (12345, Some("lie")));
        }
        fs::remove_file(shared.path().join("toolcrib-12345/lie")).unwrap();
        assert!(board.of_others().is_empty());
    }
}

/// The same directory has the same identity from every root, and its place among those above it.
#[test]
fn the_ancestry_of_a_root_leads_to_the_top() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("a/b/c")).unwrap();
    std::os::unix::fs::symlink("a/b", dir.path().join("link")).unwrap();
    let ancestry =
        |name: &str| Workspace::open(dir.path().join(name)).unwrap().roots()[0].ancestry().unwrap();
    let deepest = ancestry("a/b/c");
    assert_eq!(deepest[1..], ancestry("a/b"));
    assert_eq!(deepest[3..], ancestry("."));
    assert_eq!(ancestry("link"), ancestry("a/b"));
    assert_eq!(deepest.last(), ancestry("/").first());
    assert_eq!(ancestry("/").len(), 1);
    assert_eq!(deepest.len(), fs::canonicalize(dir.path().join("a/b/c")).unwrap().components().count());
    let mut different = deepest.clone();
    different.sort_by_key(|identity| identity.to_string());
    different.dedup();
    assert_eq!(different.len(), deepest.len());
}

/// Where a user may not look further up, the ancestry ends.
#[test]
fn an_ancestry_ends_where_nobody_may_look() {
    as_ordinary_user(|| {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("closed/inside")).unwrap();
        let workspace = Workspace::open(dir.path().join("closed/inside")).unwrap();
        let open = workspace.roots()[0].ancestry().unwrap().len();
        fs::set_permissions(dir.path().join("closed/inside"), PermissionsExt::from_mode(0o000)).unwrap();
        assert_eq!(workspace.roots()[0].ancestry().unwrap().len(), 1);
        fs::set_permissions(dir.path().join("closed/inside"), PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(workspace.roots()[0].ancestry().unwrap().len(), open);
    });
}

/// As long as a commit is between its ends something has a temporary name, and neither before nor after it.
#[test]
fn what_is_left_over_tells_whether_a_commit_is_half_done() {
    both(|world| {
        let path = world.file("a", "old");
        let mut changes = ChangeSet::default();
        let base = Base::Version(Version::of(b"old"));
        changes.push(Change::Write { path: world.path("a"), base, content: b"new".to_vec(), mode: None });
        changes.push(Change::Remove { path: world.path("b"), base: Version::of(b"b") });
        world.file("b", "b");
        let planned = world.workspace.plan(&changes).unwrap();
        let plan = planned.plan().clone();
        let has_leftovers = || plan.has_leftovers(&world.workspace).unwrap();
        assert!(!has_leftovers());
        let in_place = planned.carry_out(Durability::Fast).unwrap();
        assert!(has_leftovers(), "the old files wait");
        in_place.finish();
        assert!(!has_leftovers());
        assert_eq!(fs::read(path).unwrap(), b"new");
    });
}
