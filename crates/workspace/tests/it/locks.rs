//! One at a time for one file, and no waiting for any other.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use toolcrib_workspace::{ErrorKind, LockSet, Locks, StateFolder, Workspace};

use crate::support::{CHILD, World, both};

#[test]
fn a_lock_is_held_until_it_is_dropped() {
    both(|world| {
        let (_state, locks) = locks();
        world.file("a", "");
        world.file("b", "");
        let held = locks.acquire(&set(world, &["a"]), SHORT, &never).unwrap();
        assert_eq!(refusal(&locks, &set(world, &["b", "a"])), ErrorKind::Busy);
        drop(locks.acquire(&set(world, &["b"]), SHORT, &never).unwrap());
        drop(held);
        drop(locks.acquire(&set(world, &["a"]), SHORT, &never).unwrap());
    });
}

#[test]
fn every_name_of_a_file_is_one_lock_and_different_files_are_different_ones() {
    both(|world| {
        world.file("real/file", "");
        world.link("link", "real/file");
        world.link("dir", "real");
        let real = set(world, &["real/file"]);
        for alias in ["link", "dir/file", "real/../link", "dir/../real/file"] {
            assert!(set(world, &[alias]).covers(&real), "{alias}");
        }
        for other in ["real/File", "real/new", "file", "real/new/file"] {
            assert!(!set(world, &[other]).covers(&real), "{other}");
        }
        assert!(set(world, &["link", "real/new"]).covers(&real));
        assert!(!real.covers(&set(world, &["real/new"])));
    });
}

#[test]
fn locks_leave_nothing_behind() {
    let world = World::new(toolcrib_workspace::Resolver::Auto);
    let (state, locks) = locks();
    drop(locks.acquire(&set(&world, &["a", "b", "c/d"]), SHORT, &never).unwrap());
    assert_eq!(std::fs::read_dir(state.path()).unwrap().count(), 0);
}

#[test]
fn who_waits_can_be_stopped() {
    let world = World::new(toolcrib_workspace::Resolver::Auto);
    let (_state, locks) = locks();
    let _held = locks.acquire(&set(&world, &["a"]), SHORT, &never).unwrap();
    let start = Instant::now();
    let stopped = || start.elapsed() > Duration::from_millis(20);
    let error = locks.acquire(&set(&world, &["a"]), Duration::from_secs(60), &stopped).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(start.elapsed() < Duration::from_secs(55));
}

/// The other process says when it holds the lock, and is then killed.
#[test]
fn the_lock_of_a_process_that_is_killed_is_free() {
    let (world, (state, locks)) = (World::new(toolcrib_workspace::Resolver::Auto), locks());
    world.file("a", "");
    let mut child = holder(&state, &world);
    BufReader::new(child.stdout.as_mut().unwrap())
        .lines()
        .find(|line| line.as_ref().unwrap().contains("held"));
    let wanted = set(&world, &["a"]);
    assert_eq!(refusal(&locks, &wanted), ErrorKind::Busy, "the other process does not hold it");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(locks.acquire(&wanted, Duration::from_secs(5), &never).unwrap());
}

/// Not a test: what the other process does.
#[test]
#[ignore = "a process that other tests start"]
fn holder_of_a_lock() {
    let Some(place) = std::env::var_os(CHILD).and_then(|place| place.into_string().ok()) else { return };
    let Some((state, root)) = place.split_once(':') else { return };
    let locks = Locks::new(StateFolder::open(state.as_ref()).unwrap());
    let workspace = Workspace::open(root).unwrap();
    let path = workspace.path("a".as_ref(), root.as_ref()).unwrap();
    let _held = locks.acquire(&workspace.lock_set([&path]).unwrap(), SHORT, &never).unwrap();
    println!("held");
    std::io::stdout().flush().unwrap();
    std::thread::sleep(Duration::from_secs(600));
}

fn holder(state: &TempDir, world: &World) -> std::process::Child {
    let place = format!("{}:{}", state.path().display(), world.root().display());
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "locks::holder_of_a_lock", "--nocapture"]).env(CHILD, place);
    command.stdout(Stdio::piped()).spawn().unwrap()
}

const SHORT: Duration = Duration::from_millis(20);

fn never() -> bool {
    false
}

fn locks() -> (TempDir, Locks) {
    let state = tempfile::tempdir().unwrap();
    let locks = Locks::new(StateFolder::open(state.path()).unwrap());
    (state, locks)
}

fn set(world: &World, paths: &[&str]) -> LockSet {
    let paths: Vec<_> = paths.iter().map(|path| world.path(path)).collect();
    world.workspace.lock_set(&paths).unwrap()
}

fn refusal(locks: &Locks, set: &LockSet) -> ErrorKind {
    locks.acquire(set, SHORT, &never).unwrap_err().kind()
}
