//! Killed at every system call that changes anything: afterwards everything is as before or as after, never between.
//!
//! Ten files in the ordinary run, a hundred too in `cargo xtask soak`.

use toolcrib_journal::{Journal, Options};
use toolcrib_workspace::Workspace;

use crate::support::{Tree, soak, temporary_names, tree};
use crate::victim::{Call, Scene, Task};

#[test]
fn killed_at_every_change_a_commit_is_whole_or_nothing() {
    sizes().iter().for_each(|files| killed_at_every_change(*files));
}

fn killed_at_every_change(files: usize) {
    let scene = Scene::new(files);
    let mut figures = Figures::default();
    for call in scene.calls(Task::Commit).into_iter().filter(Call::changes_something) {
        scene.reset();
        let ended = scene.run(Task::Commit, &[kill_at(&call)]);
        assert!(ended.was_killed(), "{call:?}: {ended:?}");
        let _repaired = scene.journal();
        figures.count(&scene, &call);
        if tree(&scene.root()) == scene.before {
            // It works now, also where the killed process held locks.
            assert_eq!(scene.run(Task::Commit, &[]).said, "done", "after {call:?}");
            assert_eq!(tree(&scene.root()), scene.after, "after {call:?}");
        }
    }
    figures.print(&format!("a commit of {files} files"));
    assert!(figures.kills > 100, "{figures:?}");
    assert_eq!((figures.torn, figures.left), (0, 0), "{figures:?}");
    assert!(figures.before > 0 && figures.after > 0, "{figures:?}");
}

/// An undo of several changes is one change: all of them are undone, or none.
#[test]
fn killed_at_every_change_an_undo_of_two_changes_is_whole_or_nothing() {
    let scene = Scene::of_two_changes(10);
    let mut figures = Figures::default();
    let calls: Vec<Call> = scene.calls(Task::UndoBoth).into_iter().filter(Call::changes_something).collect();
    let every = if soak() { 1 } else { 3 };
    for call in calls.iter().step_by(every) {
        let scene = Scene::of_two_changes(10);
        let ended = scene.run(Task::UndoBoth, &[kill_at(call)]);
        assert!(ended.was_killed(), "{call:?}: {ended:?}");
        let workspace = Workspace::open(scene.root()).unwrap();
        let unrepaired = Journal::repair(&scene.state(), &workspace, Options::default()).unwrap();
        assert!(unrepaired.is_empty(), "{call:?}: {unrepaired:?}");
        figures.count(&scene, call);
    }
    figures.print("an undo of two changes");
    assert!(figures.kills > 30, "{figures:?}");
    assert_eq!((figures.torn, figures.left), (0, 0), "{figures:?}");
    assert!(figures.before > 0 && figures.after > 0, "{figures:?}");
}

/// The control: without the journal a crash leaves something between.
#[test]
fn killed_at_every_change_a_commit_without_journal_is_torn() {
    let scene = Scene::new(10);
    let mut figures = Figures::default();
    for call in scene.calls(Task::CommitWithoutJournal).into_iter().filter(Call::changes_something) {
        let scene = Scene::new(10);
        let ended = scene.run(Task::CommitWithoutJournal, &[kill_at(&call)]);
        assert!(ended.was_killed(), "{call:?}: {ended:?}");
        let _repaired = scene.journal();
        figures.count(&scene, &call);
    }
    figures.print("the control");
    assert!(figures.torn > 10 && figures.left > 10, "{figures:?}");
}

/// Where the file system knows neither exchange nor rename without replacement, there are more steps to be killed at; here
/// also without files that have no names, as on most of these.
#[test]
fn killed_where_names_cannot_be_exchanged_a_commit_is_whole_or_nothing() {
    let scene = Scene::new(10);
    let mut figures = Figures::default();
    let calls = scene.calls_with(Task::CommitByWalk, &[no_exchange()]);
    assert!(calls.iter().any(|call| call.name == "linkat"), "it does not do without");
    let names = ["linkat", "unlinkat", "mkdirat", "fsync", "pwrite64"];
    for call in calls.into_iter().filter(|call| names.contains(&call.name.as_str())) {
        scene.reset();
        let ended = scene.run(Task::CommitByWalk, &[no_exchange(), kill_at(&call)]);
        assert!(ended.was_killed(), "{call:?}: {ended:?}");
        let repaired = scene.run(Task::Recover, &[no_exchange()]);
        assert_eq!(repaired.said, "done", "{call:?}");
        figures.count(&scene, &call);
    }
    figures.print("a commit without exchange");
    assert!(figures.kills > 50, "{figures:?}");
    assert_eq!((figures.torn, figures.left), (0, 0), "{figures:?}");
    assert!(figures.before > 0 && figures.after > 0, "{figures:?}");
}

/// Killed in the middle of a change, then again and again while it is repaired.
#[test]
fn a_repair_that_is_killed_is_begun_anew() {
    let with = ["renameat2", "unlinkat", "pwrite64", "fsync", "flock", "openat"];
    let (mut kills, mut without) = (0, 0);
    for files in sizes() {
        kills += repair_and_kill(*files, &[], "renameat2", &with);
        without += repair_and_kill(*files, &[no_exchange()], "linkat", &["linkat", "unlinkat"]);
    }
    eprintln!("a repair: {kills} kills, and {without} without exchange, always as before in the end");
    assert!(kills > 50 && without > 20, "{kills}, {without}");
}

fn repair_and_kill(files: usize, options: &[String], renames: &str, names: &[&str]) -> usize {
    let scene = Scene::new(files);
    let calls = scene.calls_with(Task::Commit, options);
    // The second names of old files come when everything is in place.
    let before_that = |call: &&Call| call.name == renames && !call.line.contains("-2nd");
    let renames: Vec<&Call> = calls.iter().filter(before_that).collect();
    let with = |more: String| [options, &[more]].concat();
    let mut kills = 0;
    for call in [renames[renames.len() / 2], renames[renames.len() - 1]] {
        for name in names {
            scene.reset();
            assert!(scene.run(Task::Commit, &with(kill_at(call))).was_killed());
            let killed = (1..).take_while(|nth| {
                let kill = format!("--inject={name}:signal=KILL:when={nth}");
                scene.run(Task::Recover, &with(kill)).was_killed()
            });
            kills += killed.count();
            assert_eq!(tree(&scene.root()), scene.before, "{call:?}, {name}");
        }
    }
    kills
}

#[derive(Debug, Default)]
struct Figures {
    kills: usize,
    before: usize,
    after: usize,
    torn: usize,
    left: usize,
}

impl Figures {
    fn count(&mut self, scene: &Scene, call: &Call) {
        let left = temporary_names(&scene.root());
        let now: Tree = tree(&scene.root()).into_iter().filter(|(path, _)| !left.contains(path)).collect();
        self.kills += 1;
        self.left += left.len();
        self.before += usize::from(now == scene.before);
        self.after += usize::from(now == scene.after);
        if now != scene.before && now != scene.after {
            self.torn += 1;
            if self.torn == 1 {
                eprintln!("first torn state: killed at {call:?}");
            }
        }
    }

    fn print(&self, what: &str) {
        let Self { kills, before, after, torn, left } = self;
        eprintln!(
            "{what}: {kills} kills: {before} as before, {after} as after, {torn} torn, {left} files left over"
        );
    }
}

fn no_exchange() -> String {
    "--inject=renameat2:error=EINVAL".to_owned()
}

fn kill_at(call: &Call) -> String {
    format!("--inject={}:signal=KILL:when={}", call.name, call.nth)
}

/// How many files are changed.
fn sizes() -> &'static [usize] {
    if soak() { &[10, 100] } else { &[10] }
}
