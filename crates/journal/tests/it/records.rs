//! What the journal writes down, keeps, and lets go.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use toolcrib_journal::{Contents, Entry, Journal, Options, State};
use toolcrib_workspace::{Base, Durability, ErrorKind, Version, Workspace};

use crate::support::{World, set};

#[test]
fn every_change_has_a_record() {
    let world = World::new();
    world.file("a", "old");
    let entry = Entry { session: Some("s1"), agent: Some("coder"), ..Entry::new("Edit") };
    let id = world.commit_as([world.update("a", "old", "new"), world.create("d/b", "b")], &entry).unwrap();
    let records = world.journal.log(10).unwrap();
    assert_eq!(records.len(), 1);
    let record = &records[0];
    assert_eq!((record.id, record.state), (id, State::Done));
    assert_eq!((record.tool.as_str(), record.session.as_deref()), ("Edit", Some("s1")));
    assert_eq!(record.agent.as_deref(), Some("coder"));
    let file = &record.files[0];
    assert_eq!(file.path, fs::canonicalize(world.root()).unwrap().join("a"));
    assert_eq!((file.before, file.after), (Some(Version::of(b"old")), Some(Version::of(b"new"))));
    assert_eq!(record.files[1].before, None);
    let difference = world.journal.difference(id, 0).unwrap().unwrap();
    assert_eq!(
        (difference.before.as_deref(), difference.after.as_deref()),
        (Some(&b"old"[..]), Some(&b"new"[..]))
    );
}

#[test]
fn a_change_that_fails_is_recorded_as_rolled_back() {
    let world = World::new();
    let changes = [world.create("x/y", ""), world.create("x", "")];
    assert_eq!(world.commit(changes).unwrap_err().error().kind(), ErrorKind::AlreadyExists);
    assert_eq!(world.journal.log(1).unwrap()[0].state, State::RolledBack);
    assert!(world.tree().is_empty());
}

#[test]
fn the_last_come_first_and_no_more_than_asked_for() {
    let world = World::new();
    let ids: Vec<_> = (0..5).map(|n| world.commit([world.create(&n.to_string(), "")]).unwrap()).collect();
    let found: Vec<_> = world.journal.log(3).unwrap().into_iter().map(|record| record.id).collect();
    assert_eq!(found, [ids[4], ids[3], ids[2]]);
    assert_eq!(world.journal.log(100).unwrap().len(), 5);
}

#[test]
fn another_process_finds_the_same_journal_also_after_the_root_was_renamed() {
    let world = World::new();
    let id = world.commit([world.create("a", "1")]).unwrap();
    let renamed = world.root().with_file_name("renamed");
    fs::rename(world.root(), &renamed).unwrap();
    let journal = Journal::open(&world.state(), &Workspace::open(&renamed).unwrap()).unwrap();
    assert_eq!(journal.log(1).unwrap()[0].id, id);
    journal.undo(id, Durability::Fast, &Entry::new("undo")).unwrap();
    assert_eq!(fs::read_dir(&renamed).unwrap().count(), 0);

    fs::create_dir(world.root()).unwrap();
    let other = Journal::open(&world.state(), &Workspace::open(world.root()).unwrap()).unwrap();
    assert_eq!(other.log(10).unwrap(), [], "another directory under the same name has another history");
}

#[test]
fn the_state_folder_is_the_users_alone() {
    let world = World::new();
    world.commit([world.create("a", "1")]).unwrap();
    let mut folders = vec![world.state()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700, "{folder:?}");
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{path:?}");
                files += 1;
            }
        }
    }
    assert!(files >= 3);
}

#[test]
fn contents_that_may_not_be_kept_are_not() {
    let world = World::new();
    world.file("secret", "the old password");
    world.file("plain", "the old text");
    let entry = Entry { may_keep: &|path| path.relative() != Path::new("secret"), ..Entry::new("Edit") };
    let changes = [
        world.update("secret", "the old password", "the new password"),
        world.update("plain", "the old text", "the new text"),
    ];
    let id = world.commit_as(changes, &entry).unwrap();
    let kept = everything_in(&world.state());
    for (text, expected) in [("password", false), ("the old text", true), ("new", true)] {
        assert_eq!(kept.windows(text.len()).any(|window| window == text.as_bytes()), expected, "{text}");
    }
    let record = &world.journal.log(1).unwrap()[0];
    assert_eq!((record.files[0].kept, record.files[1].kept), (false, true));
    assert!(record.files[0].after.is_some(), "that it was changed is recorded");
    assert!(world.journal.difference(id, 0).unwrap().is_none());
    assert!(world.undo(id).is_err());
}

#[test]
fn the_journal_keeps_its_limit_and_lets_the_oldest_go() {
    let world = World::with(Options { limit: 64 * 1024, ..Options::default() });
    let mut ids = Vec::new();
    for n in 0..200 {
        ids.push(world.commit([world.create(&n.to_string(), &noise(n, 1024))]).unwrap());
        assert!(size_of(&world.state()) <= 64 * 1024 + 4096, "after {n}: {}", size_of(&world.state()));
    }
    let records = world.journal.log(1000).unwrap();
    assert!(records.len() > 20 && records.len() < 100, "{}", records.len());
    assert_eq!(records[0].id, ids[199]);
    world.undo(ids[199]).unwrap();
    assert!(world.undo(ids[0]).unwrap_err().to_string().contains("no change 1 in the journal"));
}

#[test]
fn what_the_journal_cannot_keep_is_refused_before_it_is_touched() {
    let large = noise(1, 100_000);
    for contents in [Contents::Required, Contents::IfPossible] {
        let world = World::with(Options { limit: 16 * 1024, contents, ..Options::default() });
        world.file("a", &large);
        let done = world.commit([world.update("a", &large, "small")]);
        if contents == Contents::Required {
            let error = done.unwrap_err();
            assert!(matches!(error.error().kind(), ErrorKind::TooLarge { .. }), "{error}");
            assert_eq!(world.read("a"), large);
        } else {
            assert_eq!(world.read("a"), "small");
            assert!(world.undo(done.unwrap()).unwrap_err().to_string().contains("was not stored"));
        }
    }
}

/// A record that was changed or copied is none; what stands before it is not touched.
#[test]
fn a_forged_record_is_refused() {
    let world = World::new();
    world.file("a", "old");
    world.commit([world.update("a", "old", "new")]).unwrap();
    let forged = world.commit([world.update("a", "new", "NEW")]).unwrap();
    let segment = segment(&world.state());
    let genuine = fs::read(&segment).unwrap();
    let last_path = genuine.windows(4).rposition(|window| window == b"test").unwrap();
    for change in [last_path, last_path + 1] {
        let mut bytes = genuine.clone();
        bytes[change] ^= 1;
        fs::write(&segment, &bytes).unwrap();
        let journal = Journal::open(&world.state(), &world.workspace).unwrap();
        assert!(journal.undo(forged, Durability::Fast, &Entry::new("undo")).is_err());
        assert_eq!(world.read("a"), "NEW");
    }
    fs::write(&segment, &genuine).unwrap();
    world.undo(forged).unwrap();
    assert_eq!(world.read("a"), "new");
}

#[test]
fn a_journal_without_its_head_is_read_from_the_beginning() {
    let world = World::new();
    for n in 0..20 {
        world.commit([world.create(&n.to_string(), "x")]).unwrap();
    }
    let head = segment(&world.state()).with_file_name("head");
    fs::write(&head, "garbage").unwrap();
    let journal = Journal::open(&world.state(), &world.workspace).unwrap();
    assert_eq!(journal.log(100).unwrap().len(), 20);
    let next =
        journal.commit(&set([world.create("next", "")]), Durability::Fast, &Entry::new("test")).unwrap();
    assert!(next.id.number() > 20, "{}", next.id);
}

#[test]
fn a_torn_end_is_cut_off() {
    let world = World::new();
    let id = world.commit([world.create("a", "x")]).unwrap();
    let segment = segment(&world.state());
    let whole = fs::read(&segment).unwrap();
    for torn in [1, 50, 200] {
        fs::write(&segment, [&whole[..], &whole[..torn]].concat()).unwrap();
        let journal = Journal::open(&world.state(), &world.workspace).unwrap();
        let name = format!("b{torn}");
        journal.commit(&set([world.create(&name, "")]), Durability::Fast, &Entry::new("test")).unwrap();
        assert_eq!(journal.log(100).unwrap().last().unwrap().id, id);
        fs::write(&segment, &whole).unwrap();
        fs::remove_file(segment.with_file_name("head")).unwrap();
    }
}

/// Whatever happens to the bytes of the log, what is read from it is genuine or nothing.
#[test]
fn damage_anywhere_in_the_log_is_seen() {
    let world = World::new();
    for n in 0..5 {
        world.commit([world.create(&n.to_string(), &"content ".repeat(20))]).unwrap();
    }
    let genuine = world.journal.log(100).unwrap();
    let segment = segment(&world.state());
    let whole = fs::read(&segment).unwrap();
    let end = whole.iter().rposition(|byte| *byte != 0).unwrap();
    for at in (0..end).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&segment, &bytes).unwrap();
        fs::remove_file(segment.with_file_name("head")).unwrap();
        let journal = Journal::open(&world.state(), &world.workspace).unwrap();
        for record in journal.log(100).unwrap() {
            let same = genuine.iter().find(|other| other.id == record.id).unwrap();
            assert_eq!(record.files, same.files, "byte {at}");
            let difference = journal.difference(record.id, 0).unwrap();
            let after = difference.and_then(|difference| difference.after);
            assert!(after.is_none_or(|after| Some(Version::of(&after)) == same.files[0].after), "byte {at}");
        }
        assert_eq!(world.tree().len(), 5, "byte {at}: files are not touched because of damage in the log");
    }
}

#[test]
fn a_change_over_a_link_is_known_by_what_was_reached() {
    let world = World::new();
    world.file("real", "old");
    world.link("link", "real");
    let id = world.commit([world.update("link", "old", "new")]).unwrap();
    assert!(world.journal.log(1).unwrap()[0].files[0].path.ends_with("real"));
    world.undo(id).unwrap();
    assert_eq!(world.read("real"), "old");
    let moved = [world.rename("real", "there", "old", Base::Absent, None)];
    world.commit(moved).unwrap();
}

/// Text that can hardly be compressed.
fn noise(seed: usize, length: usize) -> String {
    (0..length / 64).map(|n| Version::of(&(seed << 32 | n).to_le_bytes()).to_string()).collect()
}

fn segment(state: &Path) -> std::path::PathBuf {
    let journals = fs::read_dir(state.join("journals")).unwrap().next().unwrap().unwrap().path();
    journals.join("log-000000000001")
}

fn everything_in(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        bytes.extend(if path.is_dir() { everything_in(&path) } else { fs::read(path).unwrap() });
    }
    bytes
}

fn size_of(folder: &Path) -> usize {
    everything_in(folder).len()
}
