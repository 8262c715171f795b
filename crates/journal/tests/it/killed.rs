//! Processes that change files together and are killed at random moments.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use toolcrib_journal::{Entry, Journal};
use toolcrib_workspace::{ChangeSet, Durability, Version, Workspace};

use crate::support::{Random, World, soak, temporary_names};

/// Eight processes count upwards in groups of files that must always agree.
#[test]
fn killed_at_random_nothing_is_torn_and_nothing_acknowledged_is_lost() {
    let kills = if soak() { 2_000 } else { 80 };
    let world = World::new();
    let counted = count_and_kill(&world, "Journal", kills);
    drop(Journal::open(&world.state(), &world.workspace).unwrap());
    for (group, acknowledged) in counted.acknowledged.iter().enumerate() {
        let counts = counts(&world.root(), group);
        assert!(counts.iter().all(|count| *count == counts[0]), "group {group} is torn: {counts:?}");
        assert!(counts[0] >= *acknowledged, "group {group}: {} of {acknowledged} acknowledged", counts[0]);
        assert!(counts[0] <= acknowledged + kills + WORKERS, "group {group}: {counts:?}, {acknowledged}");
    }
    assert_eq!((counted.torn, temporary_names(&world.root())), (0, Vec::<PathBuf>::new()));
    let all: usize = counted.acknowledged.iter().sum();
    eprintln!("{kills} kills of {WORKERS} processes: {all} changes acknowledged, 0 lost, 0 torn");
    assert!(all > kills, "they hardly came to work: {all}");
}

/// The control: without the journal some group is torn. On a busy machine the processes may be killed before they come to
/// work, so there is more than one round.
#[test]
fn killed_at_random_without_journal_files_are_torn() {
    let torn = (0..20).map(|_| torn_without_journal()).find(|torn| *torn > 0);
    eprintln!("the control: torn groups seen {torn:?} times");
    assert!(torn.is_some());
}

fn torn_without_journal() -> usize {
    let world = World::new();
    let counted = count_and_kill(&world, "Plain", 80);
    let torn = (0..GROUPS).filter(|group| {
        let counts = counts(&world.root(), *group);
        counts.iter().any(|count| *count != counts[0])
    });
    torn.count() + counted.torn
}

const WORKERS: usize = 8;
const GROUPS: usize = 4;
const FILES: usize = 5;
const WORKER: &str = "TOOLCRIB_JOURNAL_WORKER";

#[derive(Default)]
struct Counted {
    /// For each group, how many changes were acknowledged.
    acknowledged: [usize; GROUPS],
    /// How often a worker saw files that do not agree.
    torn: usize,
}

struct Worker {
    process: Child,
    heard: JoinHandle<Counted>,
}

fn count_and_kill(world: &World, how: &str, kills: usize) -> Counted {
    for group in 0..GROUPS {
        (0..FILES).for_each(|file| drop(world.file(&format!("{group}/{file}"), "0")));
    }
    let start = |seed: usize| Worker::start(world, how, seed);
    let mut workers: Vec<Worker> = (0..WORKERS).map(start).collect();
    let mut counted = Counted::default();
    let mut random = Random(42);
    for kill in 0..kills {
        thread::sleep(Duration::from_micros(random.below(25_000)));
        let victim = random.below(WORKERS as u64) as usize;
        let fresh = start(WORKERS + kill);
        counted.add(std::mem::replace(&mut workers[victim], fresh).kill());
    }
    // The processes that are left get to do something.
    thread::sleep(Duration::from_millis(300));
    workers.into_iter().for_each(|worker| counted.add(worker.kill()));
    counted
}

impl Counted {
    fn add(&mut self, other: Self) {
        self.torn += other.torn;
        self.acknowledged.iter_mut().zip(other.acknowledged).for_each(|(sum, more)| *sum += more);
    }
}

impl Worker {
    fn start(world: &World, how: &str, seed: usize) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "killed::worker", "--nocapture"]).stdout(Stdio::piped());
        let (root, state) = (world.root(), world.state());
        command.env(WORKER, format!("{how}:{seed}:{}:{}", root.display(), state.display()));
        let mut process = command.spawn().unwrap();
        let out = BufReader::new(process.stdout.take().unwrap());
        let heard = thread::spawn(move || {
            let mut counted = Counted::default();
            for line in out.lines().map_while(Result::ok) {
                match line.split_once(' ') {
                    Some(("made", group)) => {
                        // A line may be cut off where the process was killed.
                        if let Some(count) =
                            group.parse().ok().and_then(|group: usize| counted.acknowledged.get_mut(group))
                        {
                            *count += 1;
                        }
                    }
                    Some(("torn", _)) => counted.torn += 1,
                    _ => {}
                }
            }
            counted
        });
        Self { process, heard }
    }

    fn kill(mut self) -> Counted {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.heard.join().unwrap()
    }
}

/// Not a test: one of the processes.
#[test]
#[ignore = "a process that other tests start"]
fn worker() {
    let Ok(task) = std::env::var(WORKER) else { return };
    let mut parts = task.splitn(4, ':');
    let mut part = || parts.next().unwrap();
    let (how, seed, root, state) = (part(), part().parse().unwrap(), part(), part());
    let workspace = Workspace::open(root).unwrap();
    let journal = Journal::open(Path::new(state), &workspace).unwrap();
    let mut random = Random(seed);
    loop {
        let group = random.below(GROUPS as u64) as usize;
        let paths: Vec<_> = (0..FILES)
            .map(|file| workspace.path(format!("{group}/{file}").as_ref(), Path::new(root)).unwrap())
            .collect();
        let held = journal.lock(&workspace.lock_set(&paths).unwrap(), &|| false).unwrap();
        let counts = counts(Path::new(root), group);
        if counts.iter().any(|count| *count != counts[0]) {
            say(&format!("torn {group} {counts:?}"));
            return;
        }
        let mut changes = ChangeSet::default();
        for path in paths {
            let base = Version::of(counts[0].to_string().as_bytes());
            changes.update(path, base, (counts[0] + 1).to_string());
        }
        match how {
            "Journal" => {
                drop(journal.commit_locked(&held, &changes, Durability::Fast, &Entry::new("test")).unwrap())
            }
            _ => drop(workspace.commit(&changes, Durability::Fast).unwrap()),
        }
        say(&format!("made {group}"));
    }
}

/// In one piece, so that a kill cannot leave half of it.
fn say(line: &str) {
    std::io::stdout().write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn counts(root: &Path, group: usize) -> Vec<usize> {
    let read = |file| fs::read_to_string(root.join(format!("{group}/{file}"))).unwrap_or_default();
    (0..FILES).map(|file| read(file).parse().unwrap_or(usize::MAX)).collect()
}
