//! Another process that makes a change and is killed, or whose system calls fail: this test binary, started again
//! under `strace`, which injects what is wanted.

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use tempfile::TempDir;
use toolcrib_journal::{Entry, Journal, RecordId, UndoError, UndoKind, Which};
use toolcrib_testkit::quick_dir;
use toolcrib_workspace::{Base, Change, ChangeSet, Durability, Resolver, Version, Workspace};

use crate::support::{Tree, chmod, tree};

/// The workspace that a victim changes, as it is before and as it should be after.
pub(crate) struct Scene {
    base: TempDir,
    pub(crate) files: usize,
    /// Whether directories are made, moved and removed too.
    directories: bool,
    pub(crate) before: Tree,
    pub(crate) after: Tree,
}

/// What the victim does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Makes the change through the journal.
    Commit,
    /// The same with the resolver for old systems, which names new contents at once.
    CommitByWalk,
    /// Makes the change without one: the control.
    CommitWithoutJournal,
    /// Undoes two changes of the same files at once.
    UndoBoth,
    /// Opens the journal, which repairs.
    Recover,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// What the victim said: `done`, `failed: ...`, or nothing.
    pub(crate) said: String,
}

impl Ended {
    pub(crate) fn was_killed(&self) -> bool {
        self.status.signal() == Some(9)
    }
}

impl Scene {
    /// A change of `files` files of every sort. It is made once to know what it leads to, and undone. It is made
    /// hundreds of times and more, and to be killed needs no real disk.
    pub(crate) fn new(files: usize) -> Self {
        Self::with(files, true)
    }

    /// Two changes, the second of some of the files of the first. What is done to them is that both are undone.
    pub(crate) fn of_two_changes(files: usize) -> Self {
        let mut scene = Self::with(files, true);
        let journal = scene.journal();
        let commit = |changes: &ChangeSet| {
            journal.commit(changes, Durability::Fast, &Entry::new("test")).unwrap();
        };
        commit(&scene.changes());
        let workspace = Workspace::open(scene.root()).unwrap();
        let path = |name: &str| workspace.path(name.as_ref(), &scene.root()).unwrap();
        let mut more = ChangeSet::default();
        let version = |content: &str| Version::of(content.as_bytes());
        more.update(path("sub/005"), version(&"new 5".repeat(1000)), "newer 5");
        more.remove(path("sub/006"), version(&"new 6".repeat(1000)));
        more.create(path("sub/001"), "there again");
        let (from, base) = (path("moved/2"), version("old 2"));
        let to = path("made/here/2");
        more.push(Change::Move { from, base, to, over: Base::Absent, content: None, mode: None });
        commit(&more);
        let now = tree(&scene.root());
        scene.after = std::mem::replace(&mut scene.before, now);
        undo_both(&journal, Durability::Fast).unwrap();
        assert_eq!(tree(&scene.root()), scene.after);
        scene.redo_both(&journal);
        assert_eq!(tree(&scene.root()), scene.before);
        scene
    }

    fn redo_both(&self, journal: &Journal) {
        journal.redo(RecordId::new(BOTH[0]), Durability::Fast, &Entry::new("redo")).unwrap();
    }

    /// A change of files alone.
    pub(crate) fn without_directories(files: usize) -> Self {
        Self::with(files, false)
    }

    fn with(files: usize, directories: bool) -> Self {
        let base = quick_dir();
        fs::create_dir_all(base.path().join("ws/sub")).unwrap();
        for n in 0..files {
            let path = base.path().join(format!("ws/sub/{n:03}"));
            fs::write(&path, format!("old {n}")).unwrap();
            chmod(&path, 0o600 + (n as u32 % 4) * 0o11);
        }
        fs::write(base.path().join("ws/over"), "over").unwrap();
        fs::write(base.path().join("ws/covered"), "covered").unwrap();
        if directories {
            make_directories(&base.path().join("ws"));
        }
        let mut scene = Self { base, files, directories, before: Tree::new(), after: Tree::new() };
        scene.before = tree(&scene.root());
        let journal = scene.journal();
        let made = journal.commit(&scene.changes(), Durability::Fast, &Entry::new("test")).unwrap();
        scene.after = tree(&scene.root());
        assert_ne!(scene.after, scene.before);
        journal.undo(made.id, Durability::Fast, &Entry::new("undo")).unwrap();
        assert_eq!(tree(&scene.root()), scene.before);
        scene
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.path().join("ws")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.base.path().join("state")
    }

    pub(crate) fn journal(&self) -> Journal {
        Journal::open(&self.state(), &Workspace::open(self.root()).unwrap()).unwrap()
    }

    /// Brings the files back to the state before, by hand.
    pub(crate) fn reset(&self) {
        let journal = self.journal();
        if tree(&self.root()) == self.after {
            let id = journal.latest_to_undo(None).unwrap().unwrap();
            journal.undo(id, Durability::Fast, &Entry::new("undo")).unwrap();
        }
        assert_eq!(tree(&self.root()), self.before);
    }

    fn changes(&self) -> ChangeSet {
        changes(&self.root(), self.files, self.directories)
    }

    /// Runs a victim under `strace` with these options.
    pub(crate) fn run(&self, task: Task, options: &[String]) -> Ended {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o"]).arg(self.trace()).args(["-e", "signal=none"]).args(options);
        command.arg(std::env::current_exe().unwrap());
        command.args(["--ignored", "--exact", "victim::victim", "--nocapture", "--test-threads=1"]);
        command.env(
            VICTIM,
            format!(
                "{task:?}:{}:{}:{}:{}",
                self.files,
                self.directories,
                self.root().display(),
                self.state().display()
            ),
        );
        command.env("RUST_BACKTRACE", "0").stdout(Stdio::piped()).stderr(Stdio::null());
        let output = command.output().expect("strace runs");
        let said = fs::read_to_string(self.answer()).unwrap_or_default();
        let _ = fs::remove_file(self.answer());
        Ended { status: output.status, said }
    }

    /// The system calls of a victim from when it begins, each with its place among those of its name in its thread.
    pub(crate) fn calls(&self, task: Task) -> Vec<Call> {
        self.calls_with(task, &[])
    }

    /// Like [`calls`](Self::calls), under these options.
    pub(crate) fn calls_with(&self, task: Task, options: &[String]) -> Vec<Call> {
        let ended = self.run(task, options);
        assert!(ended.status.success() && ended.said.starts_with("done"), "{ended:?}");
        calls(&fs::read_to_string(self.trace()).unwrap())
    }

    pub(crate) fn trace(&self) -> PathBuf {
        self.base.path().join("trace")
    }

    fn answer(&self) -> PathBuf {
        answer(&self.root())
    }
}

/// A system call: the `nth` of its name in its thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) nth: usize,
    pub(crate) line: String,
}

impl Call {
    /// Whether it changes something that another process could see.
    pub(crate) fn changes_something(&self) -> bool {
        match self.name.as_str() {
            "openat" | "openat2" => self.line.contains("O_CREAT"),
            name => CHANGING.contains(&name),
        }
    }
}

pub(crate) const CHANGING: &[&str] = &[
    "fchmod",
    "fchown",
    "fdatasync",
    "flock",
    "fremovexattr",
    "fsetxattr",
    "fsync",
    "ftruncate",
    "linkat",
    "mkdirat",
    "mkdir",
    "pwrite64",
    "renameat",
    "renameat2",
    "symlinkat",
    "unlinkat",
    "write",
];

const VICTIM: &str = "TOOLCRIB_JOURNAL_VICTIM";
pub(crate) const MARKER: &str = "/toolcrib-victim-begins-here";

/// Not a test: what the other process does.
#[test]
#[ignore = "a process that other tests start"]
fn victim() {
    let Ok(task) = std::env::var(VICTIM) else { return };
    let mut parts = task.splitn(5, ':');
    let mut part = || parts.next().unwrap();
    let (task, files, directories) = (part(), part().parse().unwrap(), part() == "true");
    let (root, state) = (part(), part());
    let changes = changes(Path::new(root), files, directories);
    let _ = fs::metadata(MARKER);
    let said = match task {
        "Commit" | "CommitByWalk" => Workspace::builder()
            .root(root)
            .resolver(if task == "Commit" { Resolver::Auto } else { Resolver::Walk })
            .open()
            .and_then(|workspace| Journal::open(state.as_ref(), &workspace))
            .map_err(Into::into)
            .and_then(|journal| journal.commit(&changes, Durability::Safe, &Entry::new("victim")).map(drop)),
        "CommitWithoutJournal" => Workspace::open(root)
            .map_err(Into::into)
            .and_then(|workspace| workspace.commit(&changes, Durability::Safe).map(drop)),
        "UndoBoth" => Workspace::open(root)
            .and_then(|workspace| Journal::open(state.as_ref(), &workspace))
            .map_err(Into::into)
            .and_then(|journal| match undo_both(&journal, Durability::Safe) {
                Err(UndoError::Failed(error)) => Err(error),
                Err(error) => panic!("{error}"),
                Ok(()) => Ok(()),
            }),
        _ => Workspace::open(root)
            .and_then(|workspace| Journal::open(state.as_ref(), &workspace).map(drop))
            .map_err(Into::into),
    };
    let said = match said {
        Ok(()) => "done".to_owned(),
        Err(error) => format!("failed, nothing changed {}: {error}", error.nothing_changed()),
    };
    fs::File::create(answer(Path::new(root))).unwrap().write_all(said.as_bytes()).unwrap();
}

/// The two changes of [`Scene::of_two_changes`]: the first was made and undone once before.
const BOTH: [u64; 2] = [3, 4];

fn undo_both(journal: &Journal, durability: Durability) -> Result<(), UndoError> {
    let both = Which::Changes(BOTH.map(RecordId::new).to_vec()).into();
    journal.reverse(UndoKind::Undo, &both, durability, &Entry::new("undo")).map(drop)
}

/// Files are updated, created in new directories, removed, moved, moved over another with other content. Directories are
/// made, moved, and removed with everything in them. A link is removed.
fn changes(root: &Path, files: usize, directories: bool) -> ChangeSet {
    let workspace = Workspace::open(root).unwrap();
    let path = |name: String| workspace.path(name.as_ref(), root).unwrap();
    let mut changes = ChangeSet::default();
    for n in 0..files {
        let (old, base) = (format!("sub/{n:03}"), Version::of(format!("old {n}").as_bytes()));
        match n % 10 {
            0 => changes.create(path(format!("new/{n}/file")), format!("created {n}")),
            1 => changes.remove(path(old), base),
            2 => changes.push(Change::Move {
                from: path(old),
                base,
                to: path(format!("moved/{n}")),
                over: Base::Absent,
                content: None,
                mode: None,
            }),
            3 if n == 3 => changes.push(Change::Move {
                from: path(old),
                base,
                to: path("over".to_owned()),
                over: Base::Version(Version::of(b"over")),
                content: Some(b"moved over".to_vec()),
                mode: Some(0o640),
            }),
            4 if n == 4 => changes.push(Change::Move {
                from: path(old),
                base,
                to: path("covered".to_owned()),
                over: Base::Version(Version::of(b"covered")),
                content: None,
                mode: None,
            }),
            _ => changes.update(path(old), base, format!("new {n}").repeat(1000)),
        }
    }
    if !directories {
        return changes;
    }
    let path = |name: &str| workspace.path(name.as_ref(), root).unwrap();
    changes.push(Change::RemoveLink { path: path("alone"), target: "nowhere/at all".into() });
    changes.push(Change::MakeDirectory { path: path("made/here") });
    let (from, to) = (path("place"), path("new/place"));
    changes.push(Change::MoveDirectory { from, to, inside: Vec::new() });
    changes.remove(path("tree/a"), Version::of(b"in the tree"));
    changes.remove(path("tree/deep/b"), Version::of(b"deep in the tree"));
    changes.push(Change::RemoveLink { path: path("tree/deep/link"), target: "../a".into() });
    for directory in ["tree/deep/empty", "tree/deep", "tree"] {
        changes.push(Change::RemoveDirectory { path: path(directory) });
    }
    changes
}

/// A directory that is removed with everything in it, one that is moved, and a link that is removed.
fn make_directories(root: &Path) {
    std::os::unix::fs::symlink("nowhere/at all", root.join("alone")).unwrap();
    fs::create_dir_all(root.join("tree/deep/empty")).unwrap();
    fs::write(root.join("tree/a"), "in the tree").unwrap();
    fs::write(root.join("tree/deep/b"), "deep in the tree").unwrap();
    std::os::unix::fs::symlink("../a", root.join("tree/deep/link")).unwrap();
    chmod(&root.join("tree/deep"), 0o750);
    fs::create_dir_all(root.join("place/inner")).unwrap();
    fs::write(root.join("place/inner/c"), "in a place").unwrap();
}

fn answer(root: &Path) -> PathBuf {
    root.with_file_name("answer")
}

fn calls(trace: &str) -> Vec<Call> {
    let mut counts = std::collections::BTreeMap::new();
    let mut begun = false;
    let mut calls = Vec::new();
    for line in trace.lines() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let Some((name, _)) = call.trim_start().split_once('(') else { continue };
        if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            continue;
        }
        let nth = counts.entry((thread.to_owned(), name.to_owned())).or_insert(0);
        *nth += 1;
        begun |= line.contains(MARKER);
        if line.contains("/answer\"") {
            break;
        }
        if begun {
            calls.push(Call { name: name.to_owned(), nth: *nth, line: call.to_owned() });
        }
    }
    calls
}
