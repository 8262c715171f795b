//! Whole files of a journal are lost, also while it is open, or cannot be read by the disk.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolcrib_journal::{Damage, Entry, Journal, Options, Record};
use toolcrib_workspace::{ChangeSet, Durability, Workspace};

use super::scene::{journal_folder, of_earlier_boot};
use crate::support::World;

/// A journal in several segments.
fn long(changes: usize) -> World {
    let world = World::with(Options { limit: 256 * 1024, ..Options::default() });
    for n in 0..changes {
        change(&world, &world.journal, n);
    }
    world
}

fn change(world: &World, journal: &Journal, n: usize) -> u64 {
    let mut changes = ChangeSet::default();
    let content: String = (0..400).map(|line| format!("{} {n}\n", line * 7919 % 1009)).collect();
    changes.create(world.path(&format!("file-{n}")), content);
    journal.commit(&changes, Durability::Fast, &Entry::new("test")).unwrap().id.number()
}

fn reopened(world: &World) -> Journal {
    let options = Options { limit: 256 * 1024, ..Options::default() };
    Journal::open_with(&world.state(), &world.workspace, options).unwrap()
}

fn start_the_machine_again(world: &World) {
    let head = journal_folder(&world.state()).join("head");
    fs::write(&head, of_earlier_boot(fs::read(&head).unwrap())).unwrap();
}

fn segments(world: &World) -> Vec<PathBuf> {
    let folder = fs::read_dir(journal_folder(&world.state())).unwrap().map(|entry| entry.unwrap().path());
    let is_segment = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("log-");
    let mut segments: Vec<PathBuf> = folder.filter(is_segment).collect();
    segments.sort();
    segments
}

fn ids(records: &[Record]) -> Vec<u64> {
    records.iter().map(|record| record.id.number()).collect()
}

fn said(damage: &[Damage]) -> String {
    damage.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_missing_segment_costs_what_stood_in_it() {
    for (which, boots) in (0..4).flat_map(|which| [false, true].map(|boots| (which, boots))) {
        let world = long(40);
        let all = ids(&world.journal.log(1000).unwrap());
        let segments = segments(&world);
        assert!(segments.len() > 4, "{}", segments.len());
        let lost = [0, 1, segments.len() / 2, segments.len() - 1][which];
        let name = segments[lost].file_name().unwrap().to_str().unwrap().to_owned();
        fs::remove_file(&segments[lost]).unwrap();
        if boots {
            start_the_machine_again(&world);
        }
        let journal = reopened(&world);
        let left = ids(&journal.log(1000).unwrap());
        let missing: Vec<u64> = all.iter().copied().filter(|id| !left.contains(id)).collect();
        assert!(!missing.is_empty() && missing.len() < 10, "{name}, {boots}: {missing:?}");
        let told = said(&journal.damage().unwrap());
        assert!(told.contains(&format!("{name} is missing")), "{name}, {boots}: {told}");
        assert!(change(&world, &journal, 100) > all[0], "{name}, {boots}");
        let after = ids(&journal.log(1000).unwrap());
        assert_eq!(after[1..], left, "{name}, {boots}");
        let scrub = journal.scrub().unwrap();
        assert!(said(&scrub.damage).contains(&format!("{name} is missing")), "{name}, {boots}: {scrub:?}");
        assert!(journal.check().unwrap().damage.iter().all(Damage::is_acknowledged));
    }
}

/// What is damaged is for a person to look at, and is not deleted when the journal grows over its limit.
#[test]
fn a_damaged_segment_is_set_aside_and_not_deleted() {
    for is_told in [false, true] {
        let world = long(20);
        let first = segments(&world)[0].clone();
        let mut bytes = fs::read(&first).unwrap();
        bytes[50] ^= 1;
        fs::write(&first, &bytes).unwrap();
        let journal = reopened(&world);
        assert!(!journal.check().unwrap().damage.is_empty());
        if is_told {
            journal.scrub().unwrap();
        }
        (20..120).for_each(|n| _ = change(&world, &journal, n));
        assert!(!first.exists());
        let aside = journal.check().unwrap().aside;
        assert_eq!(aside.len(), usize::from(!is_told), "{aside:?}");
        if let [(path, size)] = &aside[..] {
            assert_eq!((fs::read(path).unwrap(), *size), (bytes.clone(), bytes.len() as u64));
        }
    }
}

/// The user cleans up in the state folder while programs run that have the journal open.
#[test]
fn files_may_be_removed_under_an_open_journal() {
    for removed in [
        &["head"][..],
        &["log-000000000001"],
        &["head", "log-000000000001"],
        &["key", "key.copy"],
        &["numbers"],
    ] {
        let world = World::new();
        let mut numbers: BTreeSet<u64> = (0..5).map(|n| change(&world, &world.journal, n)).collect();
        for name in removed {
            fs::remove_file(journal_folder(&world.state()).join(name)).unwrap();
        }
        // The one that had it open, and one that opens it now, go on in turns.
        let other = Journal::open(&world.state(), &world.workspace).unwrap();
        for n in 5..15 {
            let journal = if n % 2 == 0 { &world.journal } else { &other };
            assert!(numbers.insert(change(&world, journal, n)), "{removed:?}: a number is given twice");
        }
        let found: BTreeSet<u64> =
            ids(&Journal::open(&world.state(), &world.workspace).unwrap().log(1000).unwrap())
                .into_iter()
                .collect();
        let is_shared = !removed.contains(&"key");
        assert!(
            !is_shared || numbers.iter().rev().take(10).all(|id| found.contains(id)),
            "{removed:?}: {found:?} of {numbers:?}"
        );
        assert_eq!(world.tree().len(), 15);
    }
}

/// The disk cannot give back what stands at a place of the log.
#[test]
fn what_the_disk_cannot_read_costs_what_stands_there() {
    let world = World::new();
    (0..6).for_each(|n| _ = change(&world, &world.journal, n));
    let base = world.root().parent().unwrap().to_owned();
    let mut failed = 0;
    for boots in [false, true] {
        let head = fs::read(journal_folder(&world.state()).join("head")).unwrap();
        let restore = || {
            fs::write(journal_folder(&world.state()).join("head"), &head).unwrap();
            if boots {
                start_the_machine_again(&world);
            }
        };
        restore();
        let trace = traced(&base, &[]).1;
        for (nth, read) in reads_of_one_thread(&trace) {
            restore();
            let (said, _) = traced(&base, &[format!("--inject=pread64:error=EIO:when={nth}")]);
            assert!(!said.contains("panicked"), "{boots}, {read}: {said}");
            let (read_back, told) = said.split_once(' ').unwrap();
            assert!(read_back.parse::<usize>().unwrap() >= 5, "{boots}, {read}: {said}");
            assert!(read_back == "6" || told != "0", "{boots}, {read}: {said}");
            failed += usize::from(told != "0");
        }
    }
    assert!(failed > 10, "{failed}");
}

/// From one moment on the disk can read nothing at all. When it can again, everything is there.
#[test]
fn what_the_disk_cannot_read_for_a_while_is_not_lost() {
    let world = World::new();
    (0..6).for_each(|n| _ = change(&world, &world.journal, n));
    let base = world.root().parent().unwrap().to_owned();
    let mut numbers: BTreeSet<u64> = (1..=6).collect();
    start_the_machine_again(&world);
    let trace = traced(&base, &[]).1;
    for (nth, read) in reads_of_one_thread(&trace).into_iter().step_by(4) {
        start_the_machine_again(&world);
        let _ = traced(&base, &[format!("--inject=pread64:error=EIO:when={nth}+")]);
        let journal = Journal::open(&world.state(), &world.workspace).unwrap();
        let found = ids(&journal.log(1000).unwrap());
        assert_eq!(found, numbers.iter().rev().copied().collect::<Vec<_>>(), "{read}");
        assert!(numbers.insert(change(&world, &journal, 100 + nth)), "{read}: a number is given twice");
        assert!(said(&journal.scrub().unwrap().damage).matches("cannot be read").count() <= 1, "{read}");
    }
    assert!(numbers.len() > 9, "{numbers:?}");
}

/// The reads of the thread that reads the journal, each with its place among them: those of the log and of the head.
fn reads_of_one_thread(trace: &str) -> Vec<(usize, String)> {
    let reads = || trace.lines().filter(|line| line.contains("pread64("));
    let thread =
        reads().find(|line| line.contains("/journals/")).and_then(|line| line.split(' ').next()).unwrap();
    let own = reads().filter(|line| line.starts_with(thread)).map(str::to_owned);
    let numbered = own.enumerate().map(|(place, line)| (place + 1, line));
    numbered.filter(|(_, line)| line.contains("/log-0") || line.contains("/head")).collect()
}

/// How many changes and how much damage another process sees, and its system calls.
fn traced(base: &Path, options: &[String]) -> (String, String) {
    let trace = base.join("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-y", "-e", "trace=pread64", "-o"]).arg(&trace).args(options);
    command.arg(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "damage::lost::reader", "--nocapture"]).env(READER, base);
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let failed = || String::from_utf8_lossy(&output.stderr).into_owned();
    let said = said.lines().find_map(|line| line.strip_prefix("found ")).map_or_else(failed, str::to_owned);
    (said, fs::read_to_string(trace).unwrap())
}

const READER: &str = "TOOLCRIB_JOURNAL_READER";

/// Not a test: the process whose reads fail.
#[test]
#[ignore = "a process that other tests start"]
fn reader() {
    let Some(base) = std::env::var_os(READER) else { return };
    // The loader reads too, on another thread, and what fails is counted for each. Let it be far behind.
    let zero = fs::File::open("/dev/zero").unwrap();
    (0..50).for_each(|_| _ = zero.read_at(&mut [0], 0).unwrap());
    let workspace = Workspace::open(Path::new(&base).join("ws")).unwrap();
    let journal = Journal::open(&Path::new(&base).join("state"), &workspace).unwrap();
    let found = journal.log(100).unwrap().len();
    println!("\nfound {found} {}", journal.damage().unwrap().len());
}
