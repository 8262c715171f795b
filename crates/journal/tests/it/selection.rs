//! Undoing several changes at once, or parts of one: as one change, exactly, or not at all.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::SystemTime;

use toolcrib_edit::Hunks;
use toolcrib_journal::{
    Conflict, Entry, FileHunks, Only, RecordId, Selection, Side, State, UndoError, UndoKind, UndonePart,
    Which,
};
use toolcrib_workspace::{Base, Change, Durability, Version};

use crate::support::{World, chmod, comment};

impl World {
    fn reverse(&self, kind: UndoKind, selection: &Selection) -> Result<RecordId, UndoError> {
        let undone = self.journal.reverse(kind, selection, Durability::Fast, &Entry::new("undo"));
        undone.map(|undone| undone.id)
    }

    fn undo_all(&self, ids: &[RecordId]) -> Result<RecordId, UndoError> {
        self.reverse(UndoKind::Undo, &Which::Changes(ids.to_vec()).into())
    }

    /// Writes a file through the journal, whatever it holds.
    fn put(&self, name: &str, content: &str, session: Option<&str>) -> RecordId {
        let entry = Entry { session, ..Entry::new("test") };
        let old = std::fs::read_to_string(self.root().join(name)).ok();
        let change = match old {
            Some(old) => self.update(name, &old, content),
            None => self.create(name, content),
        };
        self.commit_as([change], &entry).unwrap()
    }

    fn undone_parts(&self, id: RecordId) -> (State, Vec<UndonePart>) {
        let record = self.journal.record(id).unwrap().unwrap();
        (record.state, record.undone_parts)
    }

    /// The hunks of the first file of a change, and those of them in a selection.
    fn hunks(&self, id: RecordId, places: &[usize]) -> Selection {
        let kept = self.journal.difference(id, 0).unwrap().unwrap();
        let (before, after) = (kept.before.unwrap_or_default(), kept.after.unwrap_or_default());
        let all: Vec<String> =
            Hunks::between(&before, &after).as_slice().iter().map(|hunk| hunk.id.clone()).collect();
        let hunks = places.iter().map(|place| all[*place].clone()).collect();
        Selection { which: Which::Changes(vec![id]), only: Only::Hunks(vec![FileHunks { file: 0, hunks }]) }
    }
}

fn conflict(error: UndoError) -> Conflict {
    match error {
        UndoError::Conflict(conflict) => *conflict,
        other => panic!("not a conflict: {other}"),
    }
}

/// Thirty lines, of which these hold something else.
fn lines(changed: &[(usize, &str)]) -> String {
    let changed: BTreeMap<usize, &str> = changed.iter().copied().collect();
    (0..30)
        .map(|n| changed.get(&n).map_or_else(|| format!("line {n}\n"), |text| format!("{text}\n")))
        .collect()
}

#[test]
fn several_changes_of_one_file_are_undone_as_one() {
    let world = World::new();
    world.file("a", lines(&[]));
    let one = world.put("a", &lines(&[(3, "one")]), None);
    let two = world.put("a", &lines(&[(3, "two")]), None);
    let three = world.put("a", &lines(&[(3, "two"), (20, "three")]), None);
    let error = conflict(world.undo(one).unwrap_err());
    assert_eq!(error.later, [two]);
    assert!(error.reason().ends_with("a: change 2 touched the same lines as change 1"), "{}", error.reason());
    assert_eq!(error.hint(), "undo 2 first, or `toolcrib undo 1 2`");
    let texts = error.texts;
    assert_eq!(texts.base.as_deref(), Some(lines(&[(3, "one")]).as_bytes()));
    assert_eq!(texts.ours.as_deref(), Some(lines(&[(3, "two"), (20, "three")]).as_bytes()));
    assert_eq!(texts.theirs.as_deref(), Some(lines(&[]).as_bytes()));

    let undo = world.undo_all(&[one, two]).unwrap();
    assert_eq!(world.read("a"), lines(&[(20, "three")]));
    let record = world.journal.record(undo).unwrap().unwrap();
    assert_eq!(record.reverts.iter().map(|reverts| reverts.id).collect::<Vec<_>>(), [two, one]);
    for id in [one, two] {
        assert_eq!(world.undone_parts(id), (State::Undone(undo), Vec::new()));
    }
    assert_eq!(world.undone_parts(three).0, State::Done);
    assert!(matches!(world.undo(one), Err(UndoError::NotDone(..))));

    // What was undone together is redone together, whichever is named.
    world.redo(one).unwrap();
    assert_eq!(world.read("a"), lines(&[(3, "two"), (20, "three")]));
    assert_eq!(world.undone_parts(two).0, State::Done);
    let all = world.undo_all(&[one, two, three]).unwrap();
    assert_eq!(world.read("a"), lines(&[]));
    world.undo(all).unwrap();
    assert_eq!(world.read("a"), lines(&[(3, "two"), (20, "three")]));
}

#[test]
fn a_session_is_undone_and_what_others_did_stays() {
    let world = World::new();
    world.file("a", lines(&[]));
    world.put("a", &lines(&[(3, "mine")]), Some("mine"));
    world.put("a", &lines(&[(3, "mine"), (12, "theirs")]), Some("theirs"));
    world.put("new/b", "mine\n", Some("mine"));
    world.put("a", &lines(&[(3, "mine"), (12, "theirs"), (25, "mine too")]), Some("mine"));
    world.file("a", lines(&[(3, "mine"), (8, "by hand"), (12, "theirs"), (25, "mine too")]));
    let selection = Which::Session("mine".into()).into();
    world.reverse(UndoKind::Undo, &selection).unwrap();
    assert_eq!(world.read("a"), lines(&[(8, "by hand"), (12, "theirs")]));
    assert!(!world.root().join("new").exists());
    assert!(matches!(world.reverse(UndoKind::Undo, &selection), Err(UndoError::NothingSelected(_))));
    world.reverse(UndoKind::Redo, &selection).unwrap();
    assert_eq!(world.read("a"), lines(&[(3, "mine"), (8, "by hand"), (12, "theirs"), (25, "mine too")]));
    assert_eq!(world.read("new/b"), "mine\n");
}

#[test]
fn back_to_a_moment_also_redoes_what_was_undone_since() {
    let world = World::new();
    world.file("a", lines(&[]));
    let old = world.put("a", &lines(&[(3, "old")]), None);
    let older = world.put("a", &lines(&[(3, "old"), (12, "older")]), None);
    world.undo(older).unwrap();
    let then = world.tree();
    std::thread::sleep(std::time::Duration::from_millis(5));
    let since = Which::Since(SystemTime::now());
    world.undo(old).unwrap();
    let new = world.put("a", &lines(&[(25, "new")]), None);
    world.put("b", "b\n", None);
    world.undo(new).unwrap();
    world.redo(older).unwrap();
    world.put("a", &lines(&[(12, "older"), (20, "newest")]), None);
    let now = world.tree();
    let undo = world.reverse(UndoKind::Undo, &since.into()).unwrap();
    assert_eq!(world.tree(), then);
    assert_eq!(world.undone_parts(old).0, State::Done);
    world.redo(undo).unwrap();
    assert_eq!(world.tree(), now);
}

#[test]
fn hunks_are_undone_one_after_the_other() {
    let world = World::new();
    world.file("a", lines(&[]));
    let all = lines(&[(3, "one"), (14, "two"), (25, "three")]);
    let id = world.put("a", &all, None);
    let first = world.reverse(UndoKind::Undo, &world.hunks(id, &[1])).unwrap();
    assert_eq!(world.read("a"), lines(&[(3, "one"), (25, "three")]));
    let (state, parts) = world.undone_parts(id);
    assert_eq!((state, parts.len(), parts[0].hunks.as_ref().unwrap().len()), (State::Done, 1, 1));
    assert!(matches!(world.reverse(UndoKind::Undo, &world.hunks(id, &[1])), Err(UndoError::NotDone(..))));
    // Others may change the place meanwhile: it is not of this change any more.
    world.file("a", lines(&[(3, "one"), (14, "by hand"), (25, "three")]));
    let second = world.reverse(UndoKind::Undo, &world.hunks(id, &[2])).unwrap();
    assert_eq!(world.read("a"), lines(&[(3, "one"), (14, "by hand")]));
    let rest = world.undo(id).unwrap().id;
    assert_eq!(world.read("a"), lines(&[(14, "by hand")]));
    assert_eq!(world.undone_parts(id).0, State::Undone(rest));
    assert!(matches!(world.undo(id), Err(UndoError::NotDone(..))));
    world.redo(second).unwrap();
    assert_eq!(world.read("a"), lines(&[(14, "by hand"), (25, "three")]));
    assert_eq!(world.undone_parts(id).0, State::Done);
    assert!(
        matches!(world.redo(first).map(drop), Err(UndoError::Conflict(_))),
        "its place was changed by hand"
    );
    world.file("a", lines(&[(25, "three")]));
    world.redo(id).unwrap();
    assert_eq!((world.read("a"), world.undone_parts(id)), (all, (State::Done, Vec::new())));
}

#[test]
fn files_of_a_change_are_undone_one_after_the_other() {
    let world = World::new();
    world.file("a", "1\n");
    world.file("b", "2\n");
    let id = world.commit([world.update("a", "1\n", "A\n"), world.update("b", "2\n", "B\n")]).unwrap();
    let file = |name: &str| Selection {
        which: Which::Changes(vec![id]),
        only: Only::File(world.root().canonicalize().unwrap().join(name)),
    };
    world.reverse(UndoKind::Undo, &file("b")).unwrap();
    assert_eq!((world.read("a"), world.read("b")), ("A\n".into(), "2\n".into()));
    assert_eq!(world.undone_parts(id).0, State::Done);
    assert!(matches!(world.reverse(UndoKind::Undo, &file("b")), Err(UndoError::NoSuchFile(_))));
    assert!(matches!(world.reverse(UndoKind::Undo, &file("c")), Err(UndoError::NoSuchFile(_))));
    world.reverse(UndoKind::Undo, &file("a")).unwrap();
    assert!(matches!(world.undone_parts(id).0, State::Undone(_)));
    world.redo(id).unwrap();
    assert_eq!((world.read("a"), world.read("b")), ("A\n".into(), "B\n".into()));
}

/// A file keeps its attributes through everything that is undone at once.
#[test]
fn what_was_moved_removed_and_made_anew_comes_back_with_its_attributes() {
    let world = World::new();
    for name in ["a", "b"] {
        let path = world.file(name, name);
        chmod(&path, 0o640);
        comment(&path, name);
    }
    let before = world.tree();
    let moved = world.commit([world.rename("a", "dir/c", "a", Base::Absent, None)]).unwrap();
    let edited = world.commit([world.update("dir/c", "a", "other")]).unwrap();
    let over = Base::Version(Version::of(b"b"));
    let again = world.commit([world.rename("dir/c", "b", "other", over, Some("more"))]).unwrap();
    let gone = world.commit([world.remove("b", "more")]).unwrap();
    let anew = world.commit([world.create("b", "anew")]).unwrap();
    let after = world.tree();
    let undo = world.undo_all(&[anew, moved, gone, edited, again]).unwrap();
    assert_eq!(world.tree(), before);
    world.redo(undo).unwrap();
    assert_eq!(world.tree(), after);
}

#[test]
fn a_conflict_in_one_file_stops_all_of_it_and_every_conflict_is_told() {
    let world = World::new();
    for name in ["a", "b", "c"] {
        world.file(name, lines(&[]));
    }
    let ids: Vec<_> = ["a", "b", "c"].iter().map(|name| world.put(name, &lines(&[(3, "x")]), None)).collect();
    world.file("a", lines(&[(3, "by hand")]));
    std::fs::remove_file(world.root().join("c")).unwrap();
    let before = world.tree();
    let error = conflict(world.undo_all(&ids).unwrap_err());
    assert_eq!(world.tree(), before);
    let also: Vec<&Conflict> = error.also.iter().collect();
    assert_eq!((error.id, also.len(), also[0].id), (ids[2], 1, ids[0]));
    assert!(error.reason().ends_with("c is not as change 3 left it: it was moved or deleted since"));
    assert!(also[0].reason().ends_with("a has changed since, in lines that change 1 touched"));
    assert_eq!(also[0].hint(), "look at both versions and edit the file; the journal keeps the other one");
    assert_eq!(world.undone_parts(ids[1]).0, State::Done);
}

#[test]
fn a_version_is_restored_whatever_was_done_since() {
    let world = World::new();
    let one = world.put("a", "one\n", None);
    world.put("a", "two\n", None);
    world.file("a", "by hand\n");
    let restore = |side| Selection::from(Which::Restore { change: one, file: 0, side });
    let done = world.reverse(UndoKind::Undo, &restore(Side::After)).unwrap();
    assert_eq!(world.read("a"), "one\n");
    assert!(matches!(world.reverse(UndoKind::Undo, &restore(Side::After)), Err(UndoError::NothingToDo)));
    world.undo(done).unwrap();
    assert_eq!(world.read("a"), "by hand\n");
    world.reverse(UndoKind::Undo, &restore(Side::Before)).unwrap();
    assert!(!world.root().join("a").exists());
}

/// Somebody has put everything back by hand: the change is undone, and that is written down.
#[test]
fn what_is_as_before_already_is_undone_without_a_change() {
    let world = World::new();
    world.file("a", "old\n");
    let id = world.put("a", "new\n", None);
    world.file("a", "old\n");
    let undo = world.undo(id).unwrap();
    assert!(undo.committed.changes().is_empty());
    assert_eq!((world.read("a"), world.undone_parts(id).0), ("old\n".into(), State::Undone(undo.id)));
}

#[test]
fn what_is_no_selection_is_refused() {
    let world = World::new();
    let one = world.put("a", &lines(&[(3, "x")]), None);
    let two = world.put("a", &lines(&[]), None);
    assert!(matches!(world.undo_all(&[one, RecordId::new(77)]), Err(UndoError::Unknown(_))));
    let none = FileHunks { file: 0, hunks: vec!["none".to_owned()] };
    let hunks = |ids: &[RecordId]| Selection {
        which: Which::Changes(ids.to_vec()),
        only: Only::Hunks(vec![none.clone()]),
    };
    assert!(matches!(world.reverse(UndoKind::Undo, &hunks(&[one, two])), Err(UndoError::OneChangeOnly)));
    assert!(matches!(world.reverse(UndoKind::Undo, &hunks(&[two])), Err(UndoError::NoSuchHunk(..))));
    assert!(matches!(world.reverse(UndoKind::Redo, &hunks(&[two])), Err(UndoError::OnlyWhole(_))));
    let undo = world.undo_all(&[one, two]).unwrap();
    let part = Selection { which: Which::Changes(vec![undo]), only: Only::File(PathBuf::from("/a")) };
    assert!(matches!(world.reverse(UndoKind::Undo, &part), Err(UndoError::OnlyWhole(_))));
    assert!(matches!(
        world.reverse(UndoKind::Redo, &Which::Session("x".into()).into()),
        Err(UndoError::NothingSelected(_))
    ));
}

#[test]
fn a_directory_that_was_moved_and_then_removed_comes_back_where_it_was() {
    let world = World::new();
    std::fs::create_dir(world.root().join("old")).unwrap();
    let before = world.tree();
    let moved = world.commit([world.move_directory("old", "new")]).unwrap();
    let removed = world.commit([Change::RemoveDirectory { path: world.path("new") }]).unwrap();
    let after = world.tree();
    let undone = world.undo_all(&[moved, removed]).unwrap();
    assert_eq!(world.tree(), before);
    world.redo(undone).unwrap();
    assert_eq!(world.tree(), after);
}

#[test]
fn a_directory_is_not_moved_back_to_a_name_that_is_taken_until_the_end() {
    let world = World::new();
    std::fs::create_dir_all(world.root().join("dir/deep")).unwrap();
    let moved = world.commit([world.move_directory("dir/deep", "other")]).unwrap();
    let made = world.commit([Change::MakeDirectory { path: world.path("dir/deep") }]).unwrap();
    let after = world.tree();
    assert!(matches!(world.undo_all(&[moved, made]), Err(UndoError::OneByOne(_))));
    assert_eq!(world.tree(), after);
}

#[test]
fn files_that_have_exchanged_their_names_get_them_back() {
    for names in [&["a", "b"][..], &["a", "b", "c", "d"]] {
        let world = World::new();
        for (place, name) in names.iter().enumerate() {
            chmod(&world.file(name, *name), [0o600, 0o640, 0o644, 0o755][place]);
            comment(&world.root().join(name), name);
        }
        let before = world.tree();
        // The first steps aside, each moves up, and the first takes the last name. One is edited on the way.
        let mut ids =
            vec![world.commit([world.rename(names[0], "aside", names[0], Base::Absent, None)]).unwrap()];
        for pair in names.windows(2) {
            ids.push(world.commit([world.rename(pair[1], pair[0], pair[1], Base::Absent, None)]).unwrap());
        }
        let last = names[names.len() - 1];
        ids.push(world.commit([world.rename("aside", last, names[0], Base::Absent, None)]).unwrap());
        ids.push(world.commit([world.update(names[0], names[1], "edited")]).unwrap());
        let after = world.tree();
        let undone = world.undo_all(&ids).unwrap();
        assert_eq!(world.tree(), before, "{names:?}");
        let redone = world.redo(undone).unwrap();
        assert_eq!(world.tree(), after, "{names:?}");
        world.undo(redone.id).unwrap();
        assert_eq!(world.tree(), before, "{names:?}");
    }
}

#[test]
fn many_pairs_of_files_get_their_names_back_at_once() {
    const PAIRS: usize = 300;
    let world = World::new();
    let name = |which: &str, pair: usize| format!("{which}/{pair}");
    for pair in 0..PAIRS {
        world.file(&name("a", pair), format!("a {pair}"));
        world.file(&name("b", pair), format!("b {pair}"));
    }
    std::fs::create_dir(world.root().join("c")).unwrap();
    let before = world.tree();
    let all = |from: &str, to: &str, content: &str| {
        let rename = |pair| {
            world.rename(
                &name(from, pair),
                &name(to, pair),
                &name(content, pair).replace('/', " "),
                Base::Absent,
                None,
            )
        };
        world.commit((0..PAIRS).map(rename)).unwrap()
    };
    let ids = [all("a", "c", "a"), all("b", "a", "b"), all("c", "b", "a")];
    let after = world.tree();
    let undone = world.undo_all(&ids).unwrap();
    assert_eq!(world.tree(), before);
    world.redo(undone).unwrap();
    assert_eq!(world.tree(), after);
}

#[test]
fn a_redo_makes_directories_again_that_went_with_one_a_file_had_left() {
    let world = World::new();
    world.file("a", "a");
    let before = world.tree();
    let made = world.commit([Change::MakeDirectory { path: world.path("dir/deep") }]).unwrap();
    let moved = world.commit([world.rename("a", "dir/a", "a", Base::Absent, None)]).unwrap();
    let after = world.tree();
    let undone = world.undo_all(&[made, moved]).unwrap();
    assert_eq!(world.tree(), before);
    world.redo(undone).unwrap();
    assert_eq!(world.tree(), after);
}

#[test]
fn a_directory_is_moved_back_into_one_that_is_made_again() {
    let world = World::new();
    world.file("dir/deep/a", "a");
    let before = world.tree();
    let moved = world.commit([world.move_directory("dir/deep", "other")]).unwrap();
    let removed = world.commit([Change::RemoveDirectory { path: world.path("dir") }]).unwrap();
    let after = world.tree();
    let undone = world.undo_all(&[moved, removed]).unwrap();
    assert_eq!(world.tree(), before);
    world.redo(undone).unwrap();
    assert_eq!(world.tree(), after);
}
