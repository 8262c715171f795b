//! A program swaps names for links that lead outside, as fast as the machine can, while files are opened.
//!
//! Every attack also runs against a plain `openat` from the same directory handle. That one must lose, or the attack
//! proves nothing; the workspace must never.

use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, open, openat, renameat_with};
use tempfile::TempDir;
use toolcrib_workspace::{ErrorKind, Resolver, Workspace, WorkspacePath};

use crate::support::{CANARY, Stop};

#[test]
fn nobody_is_led_outside_by_openat2() {
    attack(Resolver::Openat2, if soak() { 10_000_000 } else { 2_000_000 });
}

#[test]
fn nobody_is_led_outside_by_the_walk() {
    attack(Resolver::Walk, if soak() { 1_000_000 } else { 200_000 });
}

#[test]
fn nobody_is_led_to_write_outside() {
    let attempts = if soak() { 1_000_000 } else { 50_000 };
    let _alone = RING.lock();
    let arena = Arena::new(Resolver::Openat2);
    let control = arena.lose(Swap::DIRECTORY, || arena.create_plainly("door/new"));
    // While names are swapped, a file may have been missed.
    arena.sweep();
    let ours = arena.fight(Swap::DIRECTORY, attempts, || arena.create("door/new"));
    report("openat2", "create a file", &control, &ours);
}

fn soak() -> bool {
    std::env::var_os("TOOLCRIB_SOAK").is_some_and(|value| value == "1")
}

/// How often the plain open is attacked.
const CONTROL: usize = 100_000;

/// How many times as many attempts are made at most, if the attack has shown nothing by then.
const MORE: usize = 20;

/// One attack at a time: each needs a processor for the attacker and one for the victim.
static RING: Mutex<()> = Mutex::new(());

fn attack(resolver: Resolver, attempts: usize) {
    let _alone = RING.lock();
    let start = Instant::now();
    for (name, swap, path, percent) in ATTACKS {
        let arena = Arena::new(resolver);
        let given = arena.workspace.path(Path::new(path), &arena.root).unwrap();
        let control = arena.lose(swap, || arena.read_plainly(path));
        let ours = arena.fight(swap, attempts / 100 * percent, || arena.read(&given));
        report(&format!("{resolver:?}"), name, &control, &ours);
    }
    eprintln!("race {resolver:?}: {attempts} attempts in {:.1?}, 0 escapes", start.elapsed());
}

fn report(how: &str, name: &str, control: &Outcomes, ours: &Outcomes) {
    eprintln!("race {how}, {name}: plain open {control:?}; workspace {ours:?}");
    assert_eq!(ours.escaped, 0, "{name}: led outside");
    assert!(control.escaped > 0, "{name}: the attack never wins against a plain open, so it proves nothing");
    assert!(ours.under_way(), "{name}: the attack was not under way: {ours:?}");
}

/// What is swapped with what, the path that the victim opens meanwhile, and its share of the attempts in percent.
const ATTACKS: [(&str, Swap, &str, usize); 5] = [
    ("directory for a link", Swap::DIRECTORY, "door/file", 30),
    ("file for a link", Swap { a: "ws/plain", b: "ws/file-link" }, "plain", 30),
    (
        "directory in the middle",
        Swap { a: "ws/deep/middle", b: "ws/deep/link" },
        "deep/middle/inner/file",
        15,
    ),
    ("behind an absolute link", Swap::DIRECTORY, "absolute/file", 5),
    ("up from a directory that moves", Swap { a: "ws/deep/moving", b: "outside/moved" }, UP, 20),
];

/// Goes in and out of the directory that is moved away, and then up from it: to a file where it was, or to the canary
/// where it was taken to.
const UP: &str = "deep/moving/x/../x/../x/../x/../x/../../top";

#[derive(Clone, Copy)]
struct Swap {
    a: &'static str,
    b: &'static str,
}

impl Swap {
    const DIRECTORY: Self = Self { a: "ws/door", b: "ws/link" };
}

#[derive(Debug, Default)]
struct Outcomes {
    inside: usize,
    refused: usize,
    escaped: usize,
    swaps: usize,
}

impl Outcomes {
    fn under_way(&self) -> bool {
        self.inside > 0 && self.swaps > 1000
    }
}

enum Outcome {
    Inside,
    Refused,
    Escaped,
}

/// A workspace with doors, links that lead outside, and a canary behind each of them.
struct Arena {
    base: TempDir,
    root: PathBuf,
    handle: OwnedFd,
    workspace: Workspace,
}

impl Arena {
    fn new(resolver: Resolver) -> Self {
        let base = tempfile::tempdir().unwrap();
        let root = base.path().join("ws");
        let outside = base.path().join("outside");
        for inside in ["door/file", "plain", "deep/middle/inner/file", "deep/moving/x/y", "deep/top"] {
            plant(&root.join(inside), "inside");
        }
        for canary in ["file", "inner/file", "moved/x/y", "top"] {
            plant(&outside.join(canary), CANARY);
        }
        symlink("../outside", root.join("link")).unwrap();
        symlink("../outside/file", root.join("file-link")).unwrap();
        symlink("../../outside", root.join("deep/link")).unwrap();
        symlink(root.join("door"), root.join("absolute")).unwrap();
        let handle = open(&root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        let workspace = Workspace::builder().root(&root).resolver(resolver).open().unwrap();
        Self { base, root, handle, workspace }
    }

    /// Lets a victim without protection try until it has lost.
    fn lose(&self, swap: Swap, victim: impl Fn() -> Outcome) -> Outcomes {
        self.fight_until(swap, CONTROL, victim, |so_far| so_far.escaped > 0)
    }

    /// Lets the victim try while an attacker swaps.
    fn fight(&self, swap: Swap, attempts: usize, victim: impl Fn() -> Outcome) -> Outcomes {
        self.fight_until(swap, attempts, victim, Outcomes::under_way)
    }

    /// On a busy machine or a single processor one of the two may have run alone, so the fight goes on, within bounds,
    /// until it has shown something.
    fn fight_until(
        &self,
        swap: Swap,
        attempts: usize,
        victim: impl Fn() -> Outcome,
        shown: impl Fn(&Outcomes) -> bool,
    ) -> Outcomes {
        let [a, b] = [swap.a, swap.b].map(|name| self.base.path().join(name));
        let (stop, swaps) = (AtomicBool::new(false), AtomicUsize::new(0));
        let mut outcomes = Outcomes::default();
        thread::scope(|scope| {
            let attacker = scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).unwrap();
                    swaps.fetch_add(1, Ordering::Relaxed);
                }
            });
            let running = Stop(&stop);
            for attempt in 0..attempts.saturating_mul(MORE) {
                if attempt >= attempts {
                    outcomes.swaps = swaps.load(Ordering::Relaxed);
                    if shown(&outcomes) {
                        break;
                    }
                    thread::yield_now();
                }
                match victim() {
                    Outcome::Inside => outcomes.inside += 1,
                    Outcome::Refused => outcomes.refused += 1,
                    Outcome::Escaped => outcomes.escaped += 1,
                }
            }
            drop(running);
            attacker.join().unwrap();
        });
        outcomes.swaps = swaps.into_inner();
        outcomes
    }

    fn read(&self, path: &WorkspacePath) -> Outcome {
        match self.workspace.open_file(path) {
            Ok(file) => judge(file.file()),
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::Outside | ErrorKind::NotFound), "{error}");
                Outcome::Refused
            }
        }
    }

    fn read_plainly(&self, path: &str) -> Outcome {
        match openat(&self.handle, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
            Ok(handle) => judge(&File::from(handle)),
            Err(_) => Outcome::Refused,
        }
    }

    fn create(&self, path: &str) -> Outcome {
        let path = self.workspace.path(Path::new(path), &self.root).unwrap();
        let Ok(place) = self.workspace.locate(&path) else { return Outcome::Refused };
        drop(place.parent().create_new(place.name(), 0o600).unwrap());
        let outcome = self.created();
        place.parent().remove_file(place.name()).unwrap();
        outcome
    }

    fn create_plainly(&self, path: &str) -> Outcome {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        if openat(&self.handle, path, flags, Mode::RWXU).is_err() {
            return Outcome::Refused;
        }
        let outcome = self.created();
        self.sweep();
        outcome
    }

    fn sweep(&self) {
        for directory in ["outside", "ws/door", "ws/link"] {
            let _ = fs::remove_file(self.base.path().join(directory).join("new"));
        }
    }

    fn created(&self) -> Outcome {
        if self.base.path().join("outside/new").exists() { Outcome::Escaped } else { Outcome::Inside }
    }
}

fn plant(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn judge(file: &File) -> Outcome {
    let mut start = [0; 6];
    file.read_exact_at(&mut start, 0).unwrap();
    match &start {
        b"inside" => Outcome::Inside,
        b"canary" => Outcome::Escaped,
        other => panic!("neither inside nor canary: {other:?}"),
    }
}
