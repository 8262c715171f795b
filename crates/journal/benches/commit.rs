//! What a change costs beside a plain write, fsync and rename of the same content in the same directory.
//!
//! There are two such: after the one that programs usually do, a power cut may lose the rename; the other waits for the
//! directory too, and keeps what a commit in `safe` keeps.
//!
//! Everything is measured in turn, round by round, so that a busy machine slows all alike; read the ratios.
//!
//! `cargo xtask bench commit`, or `-- --rounds 50` for a short look.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark arranges the disk by its ordinary means and prints its figures"
)]

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::time::{Duration, Instant};

use toolcrib_journal::{Entry, Journal};
use toolcrib_workspace::{ChangeSet, Durability, Version, Workspace};

fn main() {
    let rounds = rounds();
    // Beside the build, not in /tmp, which may be no disk at all.
    let base = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let bench = Bench::new(base.path());
    println!("{rounds} rounds, 4 KiB in a file; medians");
    bench.one_file(rounds);
    bench.many_files((rounds / 20).max(3));
    bench.in_parallel(rounds);
}

struct Bench {
    root: PathBuf,
    state: PathBuf,
    workspace: Workspace,
}

impl Bench {
    fn new(base: &Path) -> Self {
        let (root, state) = (base.join("ws"), base.join("state"));
        fs::create_dir(&root).unwrap();
        Self { workspace: Workspace::open(&root).unwrap(), root, state }
    }

    fn one_file(&self, rounds: usize) {
        let journal = Journal::open(&self.state, &self.workspace).unwrap();
        let plain = |_: usize, content: &[u8]| plain(&self.root.join("plain"), content);
        let durable = |_: usize, content: &[u8]| durable(&self.root.join("durable"), content);
        let commit = |name: &'static str, durability| {
            move |round: usize, content: &[u8]| {
                let changes = self.changes(name, round, content);
                self.workspace.commit(&changes, durability).unwrap();
            }
        };
        let journalled = |name: &'static str, durability| {
            let journal = &journal;
            move |round: usize, content: &[u8]| {
                let changes = self.changes(name, round, content);
                journal.commit(&changes, durability, &Entry::new("bench")).unwrap();
            }
        };
        let one_shot = |round: usize, content: &[u8]| {
            let journal = Journal::open(&self.state, &self.workspace).unwrap();
            let changes = self.changes("shot", round, content);
            journal.commit(&changes, Durability::Safe, &Entry::new("bench")).unwrap();
        };
        self.compare(
            rounds,
            &[
                (USUAL, &plain),
                (DURABLE, &durable),
                ("commit, safe, no journal", &commit("safe", Durability::Safe)),
                ("commit, safe, journal", &journalled("safe-journal", Durability::Safe)),
                ("the same, journal opened for it", &one_shot),
                ("commit, fast, no journal", &commit("fast", Durability::Fast)),
                ("commit, fast, journal", &journalled("fast-journal", Durability::Fast)),
            ],
        );
    }

    fn many_files(&self, rounds: usize) {
        let journal = Journal::open(&self.state, &self.workspace).unwrap();
        let names: Vec<String> = (0..100).map(|n| format!("many/{n:03}")).collect();
        fs::create_dir(self.root.join("many")).unwrap();
        let plain = |_: usize, content: &[u8]| {
            names.iter().for_each(|name| plain(&self.root.join(format!("{name}-plain")), content));
        };
        let durable = |_: usize, content: &[u8]| {
            names.iter().for_each(|name| durable(&self.root.join(format!("{name}-durable")), content));
        };
        let together = |round: usize, content: &[u8]| {
            let mut changes = ChangeSet::default();
            names.iter().for_each(|name| self.add(&mut changes, name, round, content));
            journal.commit(&changes, Durability::Safe, &Entry::new("bench")).unwrap();
        };
        println!("\n100 files, the plain ones one by one");
        self.compare(
            rounds,
            &[(USUAL, &plain), (DURABLE, &durable), ("one commit, safe, journal", &together)],
        );
    }

    /// Eight threads, each with a file of its own.
    fn in_parallel(&self, rounds: usize) {
        let journal = Journal::open(&self.state, &self.workspace).unwrap();
        println!("\nedits a second, each thread with its own file");
        for threads in [1, 2, 4, 8] {
            let barrier = Barrier::new(threads + 1);
            let took = std::thread::scope(|scope| {
                for thread in 0..threads {
                    let (journal, barrier) = (&journal, &barrier);
                    scope.spawn(move || {
                        let name = format!("parallel-{threads}-{thread}");
                        barrier.wait();
                        for round in 0..rounds {
                            let changes = self.changes(&name, round, &content(round));
                            journal.commit(&changes, Durability::Safe, &Entry::new("bench")).unwrap();
                        }
                        barrier.wait();
                    });
                }
                barrier.wait();
                let start = Instant::now();
                barrier.wait();
                start.elapsed()
            });
            let rate = (threads * rounds) as f64 / took.as_secs_f64();
            println!("  {threads} threads {rate:8.0}");
        }
    }

    /// Runs all in turn, and shows each beside the first two.
    fn compare(&self, rounds: usize, ways: &[UndoKind<'_>]) {
        let mut times = vec![Vec::with_capacity(rounds); ways.len()];
        for round in 0..rounds {
            for (way, times) in ways.iter().zip(&mut times) {
                let content = content(round);
                let start = Instant::now();
                way.1(round, &content);
                times.push(start.elapsed());
            }
        }
        let medians: Vec<Duration> = times.into_iter().map(median).collect();
        println!("  {:36} {:>11} {:>8} {:>8}", "", "", "to usual", "durable");
        for ((name, _), time) in ways.iter().zip(&medians) {
            let [usual, durable] = [0, 1].map(|base| time.as_secs_f64() / medians[base].as_secs_f64());
            println!("  {name:36} {:8.0} us {usual:8.2} {durable:8.2}", time.as_secs_f64() * 1e6);
        }
    }

    fn changes(&self, name: &str, round: usize, content: &[u8]) -> ChangeSet {
        let mut changes = ChangeSet::default();
        self.add(&mut changes, name, round, content);
        changes
    }

    fn add(&self, changes: &mut ChangeSet, name: &str, round: usize, new: &[u8]) {
        let path = self.workspace.path(name.as_ref(), &self.root).unwrap();
        match round {
            0 => changes.create(path, new),
            _ => changes.update(path, Version::of(&content(round - 1)), new),
        }
    }
}

/// Something to measure, by name: it gets the round and the content to write.
type UndoKind<'a> = (&'a str, &'a dyn Fn(usize, &[u8]));

const USUAL: &str = "write, fsync, rename";
const DURABLE: &str = "write, fsync, rename, fsync directory";

/// What programs do that care.
fn plain(path: &Path, content: &[u8]) {
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary).unwrap();
    file.write_all(content).unwrap();
    file.sync_all().unwrap();
    drop(file);
    fs::rename(temporary, path).unwrap();
}

/// What programs do that care for the name too.
fn durable(path: &Path, content: &[u8]) {
    plain(path, content);
    File::open(path.parent().unwrap()).unwrap().sync_all().unwrap();
}

fn content(round: usize) -> Vec<u8> {
    format!("line of round {round}\n").repeat(200).into_bytes()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn rounds() -> usize {
    let mut arguments = std::env::args();
    arguments.find(|argument| argument == "--rounds");
    arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(500)
}
