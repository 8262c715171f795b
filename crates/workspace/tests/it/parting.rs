//! A program has looked a name up, and opens what it found only when the file has been displaced.
//!
//! A handle that gives no access stands for such a one: it is a name that was looked up, and what is opened through it
//! is what the name led to then.

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode, OFlags, openat};
use toolcrib_workspace::{Act, Base, Change, ChangeSet, Direction, Durability, ErrorKind, Version};

use crate::commits::{commit, create, rename, temporary_names, tree, update};
use crate::support::{World, both};

/// A program that has looked up a name and does not go on before it is told.
struct Opener(OwnedFd);

impl Opener {
    fn of(path: &Path) -> Self {
        Self(openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).unwrap())
    }

    /// Goes on as soon as the file has no name any more: empties it and writes it anew.
    fn save_too_late(self, content: &str) {
        self.save_slowly(content, Duration::from_millis(5));
    }

    /// The same, with some time between one and the other.
    fn save_slowly(self, content: &str, pause: Duration) {
        let path = format!("/proc/self/fd/{}", self.0.as_raw_fd());
        while fs::metadata(&path).unwrap().nlink() > 0 {}
        let mut file = File::options().write(true).truncate(true).open(path).unwrap();
        drop(self);
        thread::sleep(pause);
        file.write_all(content.as_bytes()).unwrap();
    }
}

/// A program saves too late while `part` runs. On a busy machine it may not get its turn as long as it is waited for.
fn saved_too_late(world: &World, name: &str, opener: impl Fn() -> Opener, part: impl Fn()) -> bool {
    let path = world.root().join(name);
    (0..10).any(|_| {
        let opener = opener();
        thread::scope(|scope| {
            scope.spawn(|| opener.save_too_late("saved"));
            part();
        });
        assert_eq!(temporary_names(&world.root()), Vec::<PathBuf>::new());
        fs::read_to_string(&path).is_ok_and(|content| content == "saved")
    })
}

fn one(change: Change) -> ChangeSet {
    let mut changes = ChangeSet::default();
    changes.push(change);
    changes
}

fn remove(world: &World, path: &str, old: &str) -> Change {
    Change::Remove { path: world.path(path), base: Version::of(old.as_bytes()) }
}

#[test]
fn a_save_into_a_file_that_was_replaced_is_carried_over() {
    both(|world| {
        let path = world.root().join("file");
        let begin = || {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            Opener::of(&path)
        };
        assert!(saved_too_late(world, "file", begin, || {
            let _ = commit(world, [update(world, "file", "old", "new")]).unwrap();
        }));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    });
}

/// A large file is leased and not hashed again.
#[test]
fn a_save_into_a_large_file_that_was_replaced_is_carried_over() {
    both(|world| {
        let path = world.root().join("file");
        let old = large("old\n");
        let begin = || {
            fs::write(&path, &old).unwrap();
            Opener::of(&path)
        };
        assert!(saved_too_late(world, "file", begin, || {
            let _ = commit(world, [update(world, "file", &old, "new")]).unwrap();
        }));
    });
}

/// The lease is there before the file is read, and a program that saves waits for it to be given back.
#[test]
fn a_save_of_a_large_file_between_the_plan_and_its_end_is_not_lost() {
    both(|world| {
        let path = world.root().join("file");
        let old = large("old\n");
        fs::write(&path, &old).unwrap();
        let mut changes = ChangeSet::default();
        changes.push(update(world, "file", &old, "new"));
        let planned = world.workspace.plan(&changes).unwrap();
        thread::scope(|scope| {
            let saver = scope.spawn(|| fs::write(&path, "saved").unwrap());
            // Until it waits, or has not begun to save: both must end well.
            thread::sleep(Duration::from_millis(20));
            let ended = planned.carry_out(Durability::Safe).map(|in_place| drop(in_place.finish()));
            saver.join().unwrap();
            if let Err(error) = ended {
                assert_eq!(error.error().kind(), ErrorKind::Changed);
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), "saved");
        assert_eq!(temporary_names(&world.root()), Vec::<PathBuf>::new());
    });
}

fn large(line: &str) -> String {
    line.repeat((2 << 20) / line.len())
}

/// The control: a file that is replaced by an ordinary rename takes the save with it.
#[test]
fn a_save_into_a_file_that_was_replaced_otherwise_is_lost() {
    both(|world| {
        let path = world.root().join("file");
        let begin = || {
            fs::write(&path, "old").unwrap();
            Opener::of(&path)
        };
        assert!(!saved_too_late(world, "file", begin, || {
            let new = world.file("new", "new");
            fs::rename(new, &path).unwrap();
        }));
    });
}

#[test]
fn a_save_into_a_file_that_was_removed_makes_it_anew() {
    both(|world| {
        let begin = || {
            let path = world.file("sub/file", "old");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            Opener::of(&path)
        };
        assert!(saved_too_late(world, "sub/file", begin, || {
            let _ = commit(world, [remove(world, "sub/file", "old")]).unwrap();
        }));
        let mode = fs::metadata(world.root().join("sub/file")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    });
}

#[test]
fn a_save_into_a_file_that_was_removed_and_made_anew_is_carried_over() {
    both(|world| {
        let begin = || Opener::of(&world.file("file", "old"));
        assert!(saved_too_late(world, "file", begin, || {
            let changes = [remove(world, "file", "old"), create(world, "file", "new")];
            let _ = commit(world, changes).unwrap();
        }));
    });
}

/// A new file is to be seen for a moment, and rolled back. Who has found it meanwhile means the file by that name.
#[test]
fn a_save_into_a_new_file_that_was_rolled_back_is_carried_over() {
    both(|world| {
        let path = world.root().join("file");
        let changes = one(update(world, "file", "old", "new"));
        let carried = (0..10).any(|_| {
            world.file("file", "old");
            let in_place = world.workspace.plan(&changes).unwrap().carry_out(Durability::Fast).unwrap();
            let opener = Opener::of(&path);
            thread::scope(|scope| {
                scope.spawn(|| opener.save_too_late("saved"));
                let _ = in_place.roll_back(world.refusal("missing"));
            });
            assert_eq!(temporary_names(&world.root()), Vec::<PathBuf>::new());
            fs::read_to_string(&path).unwrap() == "saved"
        });
        assert!(carried);
    });
}

/// A program that has begun to write is waited for longer than one that may just be reading.
#[test]
fn a_save_that_takes_a_while_is_carried_over_whole() {
    both(|world| {
        let path = world.root().join("file");
        let carried = (0..10).any(|_| {
            fs::write(&path, "old").unwrap();
            let opener = Opener::of(&path);
            thread::scope(|scope| {
                scope.spawn(|| opener.save_slowly("saved", Duration::from_millis(300)));
                let _ = commit(world, [update(world, "file", "old", "new")]).unwrap();
            });
            fs::read_to_string(&path).unwrap() == "saved"
        });
        assert!(carried);
    });
}

/// What is there by then is newer.
#[test]
fn a_save_that_is_too_late_does_not_destroy_a_later_one() {
    both(|world| {
        let path = world.file("file", "old");
        let opener = Opener::of(&path);
        let changes = one(update(world, "file", "old", "new"));
        let in_place = world.workspace.plan(&changes).unwrap().carry_out(Durability::Fast).unwrap();
        world.file("file", "later");
        thread::scope(|scope| {
            scope.spawn(|| opener.save_too_late("saved"));
            let _ = in_place.finish();
        });
        assert_eq!(tree(world), [("file".into(), "later".into())]);
    });
}

#[test]
fn who_reads_the_old_file_on_is_not_waited_for_for_long() {
    both(|world| {
        let path = world.file("file", "old");
        let _reader = File::open(path).unwrap();
        let began = Instant::now();
        let _ = commit(world, [update(world, "file", "old", "new")]).unwrap();
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
        assert_eq!(tree(world), [("file".into(), "new".into())]);
    });
}

/// Who keeps a file open for writing, as a program its log, goes on writing to it.
#[test]
fn what_is_open_for_writing_is_not_displaced() {
    both(|world| {
        let path = world.file("log", "old\n");
        let mut log = File::options().append(true).open(&path).unwrap();
        for change in [update(world, "log", "old\n", "new\n"), remove(world, "log", "old\n")] {
            let error = commit(world, [change]).unwrap_err();
            assert_eq!(error.error().kind(), ErrorKind::InUse, "{error}");
            assert!(error.nothing_changed());
            assert_eq!(tree(world), [("log".into(), "old\n".into())]);
        }
        log.write_all(b"more\n").unwrap();
        assert_eq!(tree(world), [("log".into(), "old\nmore\n".into())]);
        drop(log);
        let _ = commit(world, [update(world, "log", "old\nmore\n", "new\n")]).unwrap();
        assert_eq!(tree(world), [("log".into(), "new\n".into())]);
    });
}

/// Who keeps it open and writes on after a while has not saved anything yet.
#[test]
fn what_is_still_being_written_takes_no_place() {
    both(|world| {
        let path = world.file("file", "old");
        let opener = Opener::of(&path);
        thread::scope(|scope| {
            scope.spawn(|| opener.save_slowly("saved", Duration::from_secs(4)));
            let _ = commit(world, [update(world, "file", "old", "new")]).unwrap();
            assert_eq!(tree(world), [("file".into(), "new".into())]);
        });
        assert_eq!(tree(world), [("file".into(), "new".into())]);
    });
}

/// Who adds something to the old file means to add it to the new one.
#[test]
fn what_is_added_too_late_is_added_to_the_new_content() {
    both(|world| {
        let path = world.root().join("file");
        let add = |opener: Opener| {
            let path = format!("/proc/self/fd/{}", opener.0.as_raw_fd());
            while fs::metadata(&path).unwrap().nlink() > 0 {}
            File::options().append(true).open(path).unwrap().write_all(b"more\n").unwrap();
        };
        let added = (0..10).any(|_| {
            fs::write(&path, "old\n").unwrap();
            let opener = Opener::of(&path);
            thread::scope(|scope| {
                scope.spawn(|| add(opener));
                let _ = commit(world, [update(world, "file", "old\n", "new\n")]).unwrap();
            });
            fs::read_to_string(&path).unwrap() == "new\nmore\n"
        });
        assert!(added);
        let changes = one(update(world, "file", "old\n", "new\n"));
        let added = (0..10).any(|_| {
            fs::write(&path, "old\n").unwrap();
            let in_place = world.workspace.plan(&changes).unwrap().carry_out(Durability::Fast).unwrap();
            let opener = Opener::of(&path);
            thread::scope(|scope| {
                scope.spawn(|| add(opener));
                let _ = in_place.roll_back(world.refusal("missing"));
            });
            fs::read_to_string(&path).unwrap() == "old\nmore\n"
        });
        assert!(added, "what was rolled back does not come back with it");
    });
}

/// A file that only gets another name, or loses one of several, goes on to be the file that the program writes to.
#[test]
fn what_is_open_for_writing_can_be_moved_and_lose_a_name() {
    both(|world| {
        let path = world.file("log", "old\n");
        let mut log = File::options().append(true).open(&path).unwrap();
        let _ = commit(world, [rename(world, "log", "log.1", "old\n", Base::Absent, None)]).unwrap();
        log.write_all(b"more\n").unwrap();
        assert_eq!(tree(world), [("log.1".into(), "old\nmore\n".into())]);

        let nobody_is_waited_for = (0..10).any(|_| {
            fs::hard_link(world.root().join("log.1"), world.root().join("other")).unwrap();
            let began = Instant::now();
            let _ = commit(world, [remove(world, "other", "old\nmore\n")]).unwrap();
            began.elapsed() < Duration::from_millis(90)
        });
        assert!(nobody_is_waited_for);
        log.write_all(b"again\n").unwrap();
        assert_eq!(tree(world), [("log.1".into(), "old\nmore\nagain\n".into())]);
    });
}

/// If one of several files is held, none of them is touched, not even for a moment.
#[test]
fn of_several_files_none_is_displaced_if_one_is_held() {
    both(|world| {
        let first = world.file("0", "old");
        let _log = File::options().append(true).open(world.file("1", "old")).unwrap();
        let changed = fs::metadata(&first).unwrap().ctime_nsec();
        let changes = ["0", "1"].map(|name| update(world, name, "old", "new"));
        let error = commit(world, changes).unwrap_err();
        assert_eq!(error.error().kind(), ErrorKind::InUse, "{error}");
        assert_eq!(fs::metadata(&first).unwrap().ctime_nsec(), changed, "it kept its name all the time");
        assert_eq!(tree(world), ["0", "1"].map(|name| (name.into(), "old".into())));
        assert_eq!(temporary_names(&world.root()), Vec::<PathBuf>::new());
    });
}

/// A second name that a crash has left goes with every repair, also of a file whose directory was not made.
#[test]
fn a_second_name_does_not_remain() {
    both(|world| {
        for direction in [Direction::Back, Direction::Forward] {
            world.file("file", "old");
            world.file("gone", "old");
            let mut changes = one(create(world, "new/file", "new"));
            changes.push(update(world, "file", "old", "new"));
            changes.push(remove(world, "gone", "old"));
            let plan = world.workspace.plan(&changes).unwrap().plan().clone();
            let temporaries = plan.acts.iter().filter_map(|act| match act {
                Act::Stage { temporary, .. } | Act::Take { temporary, .. } => Some(temporary),
                _ => None,
            });
            for temporary in temporaries {
                world.file(format!("{}-2nd", temporary.name.display()), "");
            }
            assert_eq!(temporary_names(&world.root()).len(), 3);
            plan.repair(&world.workspace, direction).unwrap();
            assert_eq!(temporary_names(&world.root()), Vec::<PathBuf>::new(), "{direction:?}");
        }
    });
}
