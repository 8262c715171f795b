//! Many at once: agents in threads and processes, and people who save by their own means.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use toolcrib_journal::{Entry, Journal};
use toolcrib_workspace::{ChangeSet, CommitError, Durability, ErrorKind, Workspace, WorkspacePath};

use crate::support::{World, soak, temporary_names};

/// Eight processes with eight threads, each adding lines to one file.
#[test]
fn no_edit_of_many_writers_is_lost() {
    let edits = if soak() { 1000 } else { 20 };
    let world = World::new();
    world.file("shared", "");
    let lines = write_together(&world, "Locked", edits);
    eprintln!("64 writers, {edits} edits each: {} lines, each once", lines.len());
    assert!(lines.values().all(|count| *count == 1));
    assert_eq!(lines.len(), 64 * edits);
    assert_eq!(temporary_names(&world.root()), Vec::<std::path::PathBuf>::new());
}

/// The control: reading and writing without asking anybody loses lines.
#[test]
fn edits_of_many_writers_are_lost_without_protection() {
    let world = World::new();
    world.file("shared", "");
    let lines = write_together(&world, "Unprotected", 20);
    eprintln!("the control: {} of {} lines are left", lines.len(), 64 * 20);
    assert!(lines.len() < 64 * 20);
}

/// Without locks a change is refused when another was faster, and can be made anew.
#[test]
fn who_was_too_late_is_told_and_can_try_again() {
    let world = World::new();
    world.file("shared", "");
    let refused = AtomicUsize::new(0);
    thread::scope(|scope| {
        for writer in 0..4 {
            let (world, refused) = (&world, &refused);
            scope.spawn(move || {
                for n in 0..50 {
                    while let Err(error) =
                        append(&world.workspace, &world.path("shared"), &format!("{writer}-{n}\n"))
                    {
                        assert_eq!(error.error().kind(), ErrorKind::Changed, "{error}");
                        assert!(error.nothing_changed());
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(lines(&world.root().join("shared")).len(), 200);
    eprintln!("4 writers without locks: {} changes refused and made anew", refused.into_inner());
}

/// A person saves in all the ways that editors do, while an agent edits another line of the file.
#[test]
fn no_save_of_a_person_is_destroyed() {
    let saves = if soak() { 20_000 } else { 1_500 };
    let figures = save_meanwhile(saves, 10, |world, old, new| {
        world.commit([world.update("shared", old, new)]).map(drop)
    });
    let Figures { made, refused, destroyed: [renamed, truncated, created] } = figures;
    eprintln!(
        "{saves} saves of a person, {made} edits of an agent meanwhile, {refused} refused; destroyed: {renamed} by rename, \
         {truncated} written in place, {created} deleted and created"
    );
    assert_eq!([renamed, truncated, created], [0; 3]);
    assert!(made > 10 && refused > 10, "{made}, {refused}");
}

/// The control: an agent that looks whether the file is unchanged, and then writes, destroys saves.
#[test]
fn saves_of_a_person_are_destroyed_by_looking_first_and_writing_then() {
    let figures = save_meanwhile(3_000, 2, |world, old, new| {
        let shared = world.root().join("shared");
        if fs::read_to_string(&shared).ok().as_deref() == Some(old) {
            let temporary = world.root().join("temporary");
            fs::write(&temporary, new).unwrap();
            fs::rename(temporary, shared).unwrap();
        }
        Ok(())
    });
    eprintln!("the control: {:?} saves destroyed", figures.destroyed);
    assert_ne!(figures.destroyed, [0; 3]);
}

/// A program that reads while files are replaced reads a whole version.
#[test]
fn readers_see_whole_versions() {
    let reads = if soak() { 1_000_000 } else { 50_000 };
    let world = World::new();
    world.file("shared", content(0));
    let torn = read_meanwhile(&world, reads, |round| {
        let changes = [world.update("shared", &content(round), &content(round + 1))];
        world.commit(changes).unwrap();
    });
    eprintln!("{reads} reads during replacement, {torn} torn");
    assert_eq!(torn, 0);
}

/// The control: writing over the file in place.
#[test]
fn readers_see_torn_versions_of_a_file_that_is_written_over() {
    let world = World::new();
    world.file("shared", content(0));
    let torn = read_meanwhile(&world, 50_000, |round| drop(world.file("shared", content(round + 1))));
    eprintln!("the control: {torn} of 50000 reads torn");
    assert!(torn > 0);
}

/// A change that is called off is made or not made, and nothing goes on afterwards.
#[test]
fn a_change_that_is_called_off_is_whole_or_nothing() {
    let rounds = if soak() { 10_000 } else { 300 };
    let world = World::new();
    for n in 0..10 {
        world.file(&n.to_string(), "old");
    }
    let (mut made, mut stopped) = (0, 0);
    for round in 0..rounds {
        let before = world.tree();
        let asked = AtomicUsize::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= round % 16;
        let entry = Entry { stop: &stop, ..Entry::new("test") };
        match world.commit_as((0..10).map(|n| world.update(&n.to_string(), "old", "new")), &entry) {
            Ok(id) => {
                assert!((0..10).all(|n| world.read(&n.to_string()) == "new"));
                world.undo(id).unwrap();
                made += 1;
            }
            Err(error) => {
                assert!(matches!(error.error().kind(), ErrorKind::Stopped | ErrorKind::Busy), "{error}");
                stopped += 1;
            }
        }
        assert_eq!(world.tree(), before);
    }
    eprintln!("{rounds} changes called off: {stopped} not made, {made} made, 0 between");
    assert!(made > 0 && stopped > 0);
}

/// Writers of different files never get in each other's way: none takes what another has begun for left behind.
#[test]
fn changes_of_different_files_do_not_disturb_each_other() {
    let rounds = if soak() { 20_000 } else { 1_000 };
    let world = World::new();
    thread::scope(|scope| {
        for writer in 0..8 {
            let world = &world;
            scope.spawn(move || {
                let name = format!("of-{writer}");
                world.file(&name, "0");
                for round in 0..rounds {
                    let (old, new) = (round.to_string(), (round + 1).to_string());
                    world.commit([world.update(&name, &old, &new)]).unwrap();
                }
            });
        }
    });
    eprintln!("{} changes of 8 files by 8 threads: none refused", 8 * rounds);
}

/// Not a test: one of many writers.
#[test]
#[ignore = "a process that other tests start"]
fn writer() {
    let Ok(task) = std::env::var(WRITER) else { return };
    let mut parts = task.splitn(5, ':');
    let mut part = || parts.next().unwrap();
    let (how, process, edits, root, state) = (part(), part(), part().parse().unwrap(), part(), part());
    let workspace = Workspace::open(root).unwrap();
    let journal = Journal::open(Path::new(state), &workspace).unwrap();
    let path = workspace.path("shared".as_ref(), Path::new(root)).unwrap();
    thread::scope(|scope| {
        for thread in 0..8 {
            let (journal, workspace, path) = (&journal, &workspace, &path);
            scope.spawn(move || {
                for edit in 0..edits {
                    let line = format!("{process}-{thread}-{edit}\n");
                    match how {
                        "Locked" => append_locked(journal, workspace, path, &line),
                        _ => append_unprotected(&workspace.absolute(path), &line),
                    }
                }
            });
        }
    });
}

const WRITER: &str = "TOOLCRIB_JOURNAL_WRITER";

/// Each line of the file afterwards, and how often it is there.
fn write_together(world: &World, how: &str, edits: usize) -> BTreeMap<String, usize> {
    let start = |process: usize| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "together::writer", "--nocapture"]);
        command.stdout(std::process::Stdio::null());
        let (root, state) = (world.root(), world.state());
        command.env(WRITER, format!("{how}:{process}:{edits}:{}:{}", root.display(), state.display()));
        command.spawn().unwrap()
    };
    let processes: Vec<_> = (0..8).map(start).collect();
    for mut process in processes {
        assert!(process.wait().unwrap().success());
    }
    lines(&world.root().join("shared"))
}

fn append_locked(journal: &Journal, workspace: &Workspace, path: &WorkspacePath, line: &str) {
    let set = workspace.lock_set([path]).unwrap();
    // Who waited in vain is told so, and tries again.
    let held = std::iter::repeat_with(|| journal.lock(&set, &|| false))
        .find(|held| !held.as_ref().is_err_and(|error| error.kind() == ErrorKind::Busy));
    let held = held.unwrap().unwrap();
    let changes = appended(workspace, path, line);
    journal.commit_locked(&held, &changes, Durability::Fast, &Entry::new("test")).unwrap();
}

fn append(workspace: &Workspace, path: &WorkspacePath, line: &str) -> Result<(), CommitError> {
    workspace.commit(&appended(workspace, path, line), Durability::Fast).map(drop)
}

fn appended(workspace: &Workspace, path: &WorkspacePath, line: &str) -> ChangeSet {
    let before = workspace.snapshot(path).unwrap();
    let mut changes = ChangeSet::default();
    changes.update(path.clone(), before.version(), [before.bytes(), line.as_bytes()].concat());
    changes
}

fn append_unprotected(path: &Path, line: &str) {
    let mut content = fs::read(path).unwrap();
    content.extend(line.as_bytes());
    let temporary = path.with_file_name(line.trim_end());
    fs::write(&temporary, content).unwrap();
    fs::rename(temporary, path).unwrap();
}

fn lines(path: &Path) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        *counts.entry(line.to_owned()).or_insert(0) += 1;
    }
    counts
}

#[derive(Debug, Default)]
struct Figures {
    made: usize,
    refused: usize,
    /// By rename, written in place, deleted and created.
    destroyed: [usize; 3],
}

/// The file has a line of the person and a line of the agent. The agent gives its own line another number and keeps the
/// rest; so whenever the person looks, their last save must be there.
fn save_meanwhile(
    saves: usize,
    most: usize,
    edit: impl Fn(&World, &str, &str) -> Result<(), CommitError> + Sync,
) -> Figures {
    let world = World::new();
    let shared = world.file("shared", "person -\nagent 0\n");
    let over = AtomicBool::new(false);
    let (made, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut destroyed = [0; 3];
    thread::scope(|scope| {
        scope.spawn(|| {
            for n in 1.. {
                if over.load(Ordering::Relaxed) {
                    break;
                }
                let Ok(old) = fs::read_to_string(&shared) else { continue };
                // What is half written by the person is not for the agent to edit.
                let Some((person, _)) = old.split_once("agent ") else { continue };
                match edit(&world, &old, &format!("{person}agent {n}\n")) {
                    Ok(()) => _ = made.fetch_add(1, Ordering::Relaxed),
                    Err(error) => {
                        let kind = error.error().kind();
                        assert!(matches!(kind, ErrorKind::Changed | ErrorKind::InUse), "{error}");
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        });
        let mut last = "person -\n".to_owned();
        for n in 0..saves {
            if !stays(&shared, &last) {
                // What was made before this one.
                destroyed[(n + 2) % 3] += 1;
            }
            if destroyed.iter().sum::<usize>() > most {
                break;
            }
            // Time for the agent to get through now and then.
            thread::sleep(Duration::from_micros(n as u64 % 7 * 60));
            last = format!("person {n}\n");
            save(&shared, n, &format!("{last}agent 0\n"));
        }
        over.store(true, Ordering::Relaxed);
    });
    Figures { made: made.into_inner(), refused: refused.into_inner(), destroyed }
}

/// Whether the last save is there. It may be out of sight for the moment in which it is displaced, looked at and put back.
fn stays(path: &Path, saved: &str) -> bool {
    let until = Instant::now() + Duration::from_secs(2);
    let is_there = || fs::read_to_string(path).is_ok_and(|content| content.starts_with(saved));
    while !is_there() {
        if Instant::now() > until {
            return false;
        }
    }
    true
}

/// The ways in which programs save.
fn save(path: &Path, n: usize, content: &str) {
    match n % 3 {
        0 => {
            let temporary = path.with_file_name("saving");
            fs::write(&temporary, content).unwrap();
            fs::rename(temporary, path).unwrap();
        }
        1 => fs::File::create(path).unwrap().write_all(content.as_bytes()).unwrap(),
        _ => {
            let _ = fs::remove_file(path);
            fs::write(path, content).unwrap();
        }
    }
}

fn content(round: usize) -> String {
    format!("{round:08}\n").repeat(4000)
}

/// Counts the reads that are not one whole version, while the file is changed over and over.
fn read_meanwhile(world: &World, reads: usize, change: impl Fn(usize)) -> usize {
    let (shared, left) = (world.root().join("shared"), AtomicUsize::new(reads));
    let torn = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while left.load(Ordering::Relaxed) > 0 {
                    let read = fs::read_to_string(&shared).unwrap();
                    let whole = read.len() == 9 * 4000
                        && read.as_bytes().chunks(9).all(|line| read.as_bytes().starts_with(line));
                    torn.fetch_add(usize::from(!whole), Ordering::Relaxed);
                    let _ =
                        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
                }
            });
        }
        (0..).take_while(|_| left.load(Ordering::Relaxed) > 0).for_each(change);
    });
    torn.into_inner()
}
