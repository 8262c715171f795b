//! Content with its version; and when a fingerprint may stand in for it.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::FileExt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use toolcrib_workspace::{ErrorKind, Version};

use crate::support::{Stop, both};

#[test]
fn a_version_is_the_hash_of_the_content() {
    both(|world| {
        world.file("file", "hello");
        let snapshot = world.workspace.snapshot(&world.path("file")).unwrap();
        assert_eq!(snapshot.version(), Version::of(b"hello"));
        let known = "ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f";
        assert_eq!(snapshot.version().to_string(), known);
        assert_eq!((snapshot.stat().size, snapshot.reached().show()), (5, "file".into()));
        world.file("empty", "");
        assert_eq!(world.workspace.snapshot(&world.path("empty")).unwrap().version(), Version::of(b""));
    });
}

#[test]
fn what_is_no_version_is_not_read_as_one() {
    let (short, long, wrong) = ("ab".repeat(31), "ab".repeat(33), "zz".repeat(32));
    for text in ["", &short, &long, &wrong] {
        assert!(text.parse::<Version>().is_err(), "{text}");
    }
}

#[test]
fn a_file_beyond_the_limit_is_not_taken_in() {
    both(|world| {
        let file = world.file("large", "");
        File::options().write(true).open(file).unwrap().set_len(1 << 40).unwrap();
        let error = world.workspace.snapshot_within(&world.path("large"), 1000).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooLarge { size: 1 << 40, limit: 1000 });
        world.file("fits", "x".repeat(1000));
        assert!(world.workspace.snapshot_within(&world.path("fits"), 1000).is_ok());
        assert!(world.workspace.snapshot_within(&world.path("fits"), 999).is_err());
    });
}

/// A program saves in place, over and over, and is held up in the middle of every save. No snapshot may hold both.
#[test]
fn a_snapshot_is_never_half_old_and_half_new() {
    /// Who has the file open for longer keeps it open, and then nothing is promised.
    const KEPT_OPEN: Duration = Duration::from_millis(250);
    both(|world| {
        const SIZE: usize = 1 << 20;
        let file = world.file("file", vec![b'a'; SIZE]);
        let stop = AtomicBool::new(false);
        let saves: Mutex<Vec<(Instant, Duration)>> = Mutex::default();
        let (mut whole, mut changed, mut torn) = (0, 0, Vec::new());
        thread::scope(|scope| {
            scope.spawn(|| {
                for letter in (b'a'..=b'z').cycle() {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let began = Instant::now();
                    let file = File::options().write(true).open(&file).unwrap();
                    let content = vec![letter; SIZE];
                    file.write_all_at(&content[..SIZE / 2], 0).unwrap();
                    // As a `write` may be held up on a machine that is short of memory: the times stay as they are
                    // meanwhile, and so does what two readings find.
                    thread::sleep(Duration::from_millis(u64::from(letter % 4) * 30));
                    file.write_all_at(&content[SIZE / 2..], (SIZE / 2) as u64).unwrap();
                    drop(file);
                    saves.lock().unwrap().push((began, began.elapsed()));
                    thread::sleep(Duration::from_millis(u64::from(letter % 3) * 5));
                }
            });
            let _stop = Stop(&stop);
            for _ in 0..60 {
                let began = Instant::now();
                match world.workspace.snapshot(&world.path("file")) {
                    Ok(snapshot) if snapshot.bytes().iter().all(|byte| *byte == snapshot.bytes()[0]) => {
                        whole += 1
                    }
                    Ok(_) => torn.push((began, Instant::now())),
                    Err(error) => {
                        assert_eq!(error.kind(), ErrorKind::Changed);
                        changed += 1;
                    }
                }
            }
        });
        let saves = saves.into_inner().unwrap();
        torn.retain(|(began, ended)| {
            let meanwhile = saves.iter().filter(|(start, took)| start < ended && *start + *took > *began);
            meanwhile.map(|(_, took)| *took).all(|took| took < KEPT_OPEN)
        });
        assert_eq!(torn, [], "torn");
        assert!(whole > 0, "the file was never read between two saves");
        eprintln!("snapshots: {whole} whole, {changed} given up as changing, 0 torn");
    });
}

#[test]
fn a_file_that_is_replaced_while_it_is_read_is_one_or_the_other() {
    both(|world| {
        world.file("file", "old");
        let path = world.path("file");
        let open = world.workspace.open_file(&path).unwrap();
        world.file("other", "new!");
        fs::rename(world.root().join("other"), world.root().join("file")).unwrap();
        let mut text = [0; 3];
        open.file().read_exact_at(&mut text, 0).unwrap();
        assert_eq!((&text, world.workspace.snapshot(&path).unwrap().bytes()), (b"old", &b"new!"[..]));
    });
}

#[test]
fn a_fingerprint_proves_nothing_about_a_file_just_written() {
    both(|world| {
        let file = world.file("file", "one");
        let path = world.path("file");
        let before = world.workspace.snapshot(&path).unwrap().fingerprint();
        assert!(!before.certain());
        assert!(!before.proves_unchanged(&world.workspace.fingerprint(&path).unwrap()));

        // Setting the modification time back does not help: the change time cannot be set.
        let long_ago = SystemTime::now() - Duration::from_secs(3600);
        let handle = File::options().write(true).open(file).unwrap();
        handle.set_times(FileTimes::new().set_modified(long_ago)).unwrap();
        assert!(!world.workspace.fingerprint(&path).unwrap().certain());
    });
}

#[test]
fn a_fingerprint_of_a_file_at_rest_proves_it_unchanged_until_it_changes() {
    both(|world| {
        let file = world.file("file", "one");
        let path = world.path("file");
        thread::sleep(Duration::from_millis(2100));
        let snapshot = world.workspace.snapshot(&path).unwrap();
        let (before, modified) = (snapshot.fingerprint(), snapshot.stat().mtime);
        assert!(before.certain());
        assert!(before.proves_unchanged(&world.workspace.fingerprint(&path).unwrap()));

        // The same size, and the modification time put back: only the change time tells.
        let handle = File::options().write(true).open(file).unwrap();
        handle.write_all_at(b"two", 0).unwrap();
        handle.set_times(FileTimes::new().set_modified(modified)).unwrap();
        let after = world.workspace.fingerprint(&path).unwrap();
        assert!(!before.proves_unchanged(&after));
    });
}

#[test]
fn a_time_in_the_future_is_not_trusted() {
    both(|world| {
        let file = world.file("file", "one");
        let later = SystemTime::now() + Duration::from_secs(3600);
        File::options()
            .write(true)
            .open(file)
            .unwrap()
            .set_times(FileTimes::new().set_modified(later))
            .unwrap();
        thread::sleep(Duration::from_millis(2100));
        assert!(!world.workspace.fingerprint(&world.path("file")).unwrap().certain());
    });
}
