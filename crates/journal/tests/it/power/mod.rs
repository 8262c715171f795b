//! The power fails: what was not synced may be gone, in every order.
//!
//! A change is recorded as system calls. From them come the states in which a disk could be when the power fails at any
//! point; each is made real, and a process that opens the journal then must find everything as before or as after,
//! nothing left over, and as after if the change was acknowledged. Each sync is left out in turn, to see that it is
//! needed.

mod disk;
mod trace;

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use toolcrib_journal::{Journal, Options, State as RecordState};
use toolcrib_workspace::Workspace;

use crate::support::{Random, Tree, chmod, soak, temporary_names, tree};
use crate::victim::{Call, MARKER, Scene, Task};
use disk::{History, State, Thing, Unsynced};
use trace::Event;

#[test]
fn after_a_power_cut_everything_is_as_before_or_as_after() {
    states_after_a_power_cut(Task::Commit, if soak() { 100_000 } else { 1_000 });
}

/// New contents have names before they are complete.
#[test]
fn after_a_power_cut_the_same_holds_for_old_systems() {
    states_after_a_power_cut(Task::CommitByWalk, if soak() { 100_000 } else { 1_000 });
}

fn states_after_a_power_cut(task: Task, at_least: usize) {
    let recording = Recording::new(task, if soak() { 20 } else { 10 });
    let (mut states, mut before, mut after) = (HashSet::new(), 0, 0);
    for round in 0.. {
        let known = states.len();
        for crash in 0..=recording.history.steps() {
            for state in states_at(&recording.history, crash, round) {
                if !states.insert(hash(&state, crash == recording.history.steps())) {
                    continue;
                }
                match recording.check(&state, crash) {
                    Ok(End::Before) => before += 1,
                    Ok(End::After) => after += 1,
                    Err(fault) => panic!("power cut after step {crash}: {fault}\n{state:#?}"),
                }
            }
        }
        if states.len() > at_least {
            break;
        }
        assert!(states.len() > known, "there are no more than {known} states");
    }
    eprintln!(
        "{task:?}: {} states of the disk after a power cut: {before} as before, {after} as after, 0 bad",
        states.len()
    );
    assert!(before > 100 && after > 50);
}

#[test]
fn every_sync_is_needed() {
    every_sync_is_needed_by(Task::Commit);
    // The other way has the same syncs.
    if std::env::var_os("TOOLCRIB_SOAK").is_some() {
        every_sync_is_needed_by(Task::CommitByWalk);
    }
}

fn every_sync_is_needed_by(task: Task) {
    let recording = Recording::new(task, 10);
    let syncs = recording.history.syncs();
    assert!(syncs.len() > 8, "{}", syncs.len());
    for sync in &syncs {
        let without = recording.history.without(*sync);
        let crashes = (0..=without.steps()).rev();
        let bad = crashes.flat_map(|crash| states_at(&without, crash, 0).map(move |state| (state, crash)));
        let found = bad.into_iter().find(|(state, crash)| {
            // The same moment in the whole history, one step later where the sync is missing.
            let crash = crash + usize::from(*crash >= *sync);
            recording.check(state, crash).is_err()
        });
        assert!(found.is_some(), "nothing goes wrong without {}", recording.history.describe(*sync));
    }
    eprintln!("{task:?}: {} syncs, each needed", syncs.len());
}

enum End {
    Before,
    After,
}

/// A change that was made once and can be interrupted anywhere.
struct Recording {
    scene: Scene,
    journal: PathBuf,
    vault: PathBuf,
    old: Vec<PathBuf>,
    history: History,
}

impl Recording {
    fn new(task: Task, files: usize) -> Self {
        let scene = Scene::without_directories(files);
        let first_removal = scene.calls(task).into_iter().find(is_removal).unwrap();
        scene.reset();
        let journal = fs::read_dir(scene.state().join("journals")).unwrap().next().unwrap().unwrap().path();
        let segment = journal.join("log-000000000001");
        let known = vec![(segment.clone(), trimmed(fs::read(&segment).unwrap()))];
        let old = files_in(&scene.root());
        let inodes: Vec<u64> = old.iter().map(|path| fs::metadata(path).unwrap().ino()).collect();

        let kill = format!("--inject=unlinkat:signal=KILL:when={}", first_removal.nth);
        let options: Vec<String> =
            trace::OPTIONS.iter().map(|option| (*option).to_owned()).chain([kill]).collect();
        assert!(scene.run(task, &options).was_killed());
        let text = fs::read_to_string(scene.trace()).unwrap();
        let mut events = trace::events(&text, MARKER, "/answer");
        let register = scene.state().join("open");
        events.retain(|event| concerns(event, &scene.root(), &segment, &register));
        let named = events.iter().filter(|event| matches!(event, Event::Name { .. })).count();
        assert_eq!(named > 5, task == Task::Commit, "{named} contents were written ahead");
        // What follows is the same for each of the old files, see below.
        let first_link = events.iter().position(|event| matches!(event, Event::Link { .. })).unwrap();
        let begun = events.split_off(first_link);
        let withheld = umask(&scene.root().with_file_name("made"));
        for event in &mut events {
            if let Event::Create { mode, .. } | Event::CreateUnnamed { mode, .. } = event {
                *mode &= !withheld;
            }
        }
        // Everything is in place, and the old files still have names: they are kept, to be used again and again.
        let vault = scene.root().with_file_name("vault");
        fs::create_dir(&vault).unwrap();
        match &begun[..] {
            [Event::Link { path, .. }, Event::Unlink { path: removed }] if path == removed => {
                fs::remove_file(path).unwrap();
            }
            other => panic!("a second name comes and goes before anything else is removed: {other:?}"),
        }
        for path in files_in(&scene.root()) {
            let inode = fs::metadata(&path).unwrap().ino();
            if let Some(number) = inodes.iter().position(|other| *other == inode) {
                fs::hard_link(&path, vault.join(number.to_string())).unwrap();
            }
        }
        for name in temporary_names(&scene.root()) {
            let from = scene.root().join(name);
            let second = PathBuf::from(format!("{}-2nd", from.display()));
            events.push(Event::Link { from: from.clone(), path: second.clone() });
            events.extend([second, from].map(|path| Event::Unlink { path }));
        }
        // The last thing that happens, and no process waits for it.
        let registered = fs::read_dir(&register).unwrap().map(|entry| entry.unwrap().path());
        events.extend(registered.map(|path| Event::Unlink { path }));
        let directories = [scene.root(), scene.root().join("sub"), journal.clone(), register];
        let history = History::new(&directories, &old, &known, &events);
        Self { scene, journal, vault, old, history }
    }

    /// Makes a state real, opens the journal, and looks. Before that another process opens only a part of it: what
    /// they see is as before or as after too, but for files that wait under temporary names.
    fn check(&self, state: &State, crash: usize) -> Result<End, String> {
        self.make_real(state);
        let root = self.scene.root();
        let part = Workspace::open(root.join("sub")).map_err(|error| error.to_string())?;
        let unrepaired = Journal::repair(&self.scene.state(), &part, Options::default());
        if let Some(unrepaired) = unrepaired.map_err(|error| error.to_string())?.first() {
            return Err(format!("not repaired by who opens a part: {unrepaired}"));
        }
        let waiting = temporary_names(&root);
        let seen: Tree = tree(&root).into_iter().filter(|(path, _)| !waiting.contains(path)).collect();
        if seen.keys().any(|path| self.scene.before.get(path) != seen.get(path))
            && seen.keys().any(|path| self.scene.after.get(path) != seen.get(path))
        {
            return Err(format!("torn for who opens a part: {seen:#?}"));
        }
        let workspace = Workspace::open(&root).map_err(|error| error.to_string())?;
        let journal = Journal::open(&self.scene.state(), &workspace).map_err(|error| error.to_string())?;
        let now = tree(&root);
        if now == self.scene.after {
            let latest = &journal.log(1).map_err(|error| error.to_string())?;
            let recorded = latest.first().map(|record| (record.tool.as_str(), record.state));
            if recorded != Some(("victim", RecordState::Done)) {
                return Err(format!("it was made, but not recorded: {recorded:?}"));
            }
            return Ok(End::After);
        }
        if now != self.scene.before {
            return Err(format!("torn: {now:#?}"));
        }
        if self.acknowledged(crash) {
            return Err("it was acknowledged, and is lost".to_owned());
        }
        Ok(End::Before)
    }

    /// The old files are removed just before the answer.
    fn acknowledged(&self, crash: usize) -> bool {
        crash == self.history.steps()
    }

    fn make_real(&self, state: &State) {
        let root = self.scene.root();
        for entry in fs::read_dir(&root).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
        for entry in fs::read_dir(&self.journal).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && path.file_name().unwrap() != "key" {
                fs::remove_file(path).unwrap();
            }
        }
        for entry in fs::read_dir(self.scene.state().join("open")).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        for (path, thing) in state {
            match thing {
                Thing::Directory if path.is_dir() => {}
                Thing::Directory => fs::create_dir(path).unwrap(),
                Thing::Old(number) => {
                    assert!(self.old.len() > *number);
                    fs::hard_link(self.vault.join(number.to_string()), path).unwrap();
                }
                Thing::New { content, mode } => {
                    fs::write(path, content).unwrap();
                    chmod(path, *mode);
                }
            }
        }
    }
}

/// States of the disk for a crash after so many steps: in the first round the extremes and everything that is off by one
/// change, in all rounds some at random.
fn states_at(history: &History, crash: usize, round: u64) -> impl Iterator<Item = State> {
    let pending = history.pending(crash);
    let all: BTreeSet<usize> = pending.iter().copied().collect();
    let mut choices = Vec::new();
    if round == 0 {
        choices.extend([BTreeSet::new(), all.clone()]);
        choices.extend(pending.iter().map(|one| BTreeSet::from([*one])));
        choices.extend(pending.iter().map(|one| all.iter().copied().filter(|other| other != one).collect()));
    }
    let mut random = Random(crash as u64 + round * 1_000_003);
    for _ in 0..8 {
        choices.push(pending.iter().copied().filter(|_| random.below(2) == 0).collect());
    }
    let mut crashes = Vec::new();
    for choice in choices {
        let mixed = Unsynced::Mixed(random.below(u64::MAX));
        for unsynced in [Unsynced::Lost, Unsynced::Kept, Unsynced::Zeros, Unsynced::Cut, mixed] {
            crashes.push((choice.clone(), unsynced));
        }
    }
    crashes.into_iter().map(move |(choice, unsynced)| history.state(crash, &choice, unsynced))
}

fn hash(state: &State, acknowledged: bool) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (state, acknowledged).hash(&mut hasher);
    hasher.finish()
}

fn is_removal(call: &Call) -> bool {
    call.name == "unlinkat" && call.line.contains(".toolcrib-")
}

fn concerns(event: &Event, root: &Path, segment: &Path, register: &Path) -> bool {
    let ours = |path: &Path| path.starts_with(root) || path == segment || path.starts_with(register);
    match event {
        Event::Sync { path } => ours(path) || Some(path.as_path()) == segment.parent(),
        Event::Create { path, .. }
        | Event::CreateUnnamed { path, .. }
        | Event::Name { path, .. }
        | Event::Link { path, .. }
        | Event::MakeDirectory { path }
        | Event::Rename { from: path, .. }
        | Event::Exchange { one: path, .. }
        | Event::Unlink { path }
        | Event::Write { path, .. }
        | Event::Truncate { path, .. }
        | Event::Mode { path, .. } => ours(path),
    }
}

/// The bits that new files do not get.
fn umask(path: &Path) -> u32 {
    fs::write(path, "").unwrap();
    0o666 & !fs::metadata(path).unwrap().mode()
}

fn files_in(root: &Path) -> Vec<PathBuf> {
    let all: Tree = tree(root);
    all.into_keys().map(|path| root.join(path)).filter(|path| path.is_file()).collect()
}

/// Without the zeros at the end, which only make it slow.
fn trimmed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| (last + 1).next_multiple_of(8));
    bytes.truncate(end);
    bytes
}
