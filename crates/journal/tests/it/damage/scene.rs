//! A journal of 50 changes with a patch that was killed half way among them, as it can be put back again and again.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolcrib_journal::{Entry, Journal, Kept, PastChange, Record, State};
use toolcrib_testkit::quick_dir;
use toolcrib_workspace::{Base, Change, ChangeSet, Durability, Version, Workspace, WorkspacePath};

use crate::support::{Node, Tree, temporary_names, tree};

/// The number of the change that was killed half way.
pub(crate) const HALF_DONE: u64 = 24;
pub(crate) const CHANGES: u64 = 50;

pub(crate) struct Scene {
    base: TempDir,
    workspace: Workspace,
    /// The files of the journal, of the register and of who is alive, by their paths in the state folder.
    state: BTreeMap<PathBuf, Vec<u8>>,
    /// The head as it would be after a start of the machine.
    head_of_earlier_boot: Vec<u8>,
    /// The files of the workspace, half done, by their paths. They are kept by hard links, since a file is known by its
    /// number too.
    half_done: Vec<PathBuf>,
    /// The tree once it is repaired.
    pub(crate) repaired: Tree,
    pub(crate) frames: Vec<Frame>,
    pub(crate) records: Vec<Told>,
}

/// Where a record stands in the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) id: u64,
    pub(crate) is_intent: bool,
    pub(crate) start: u64,
    /// Where what is sealed ends, and the contents begin.
    pub(crate) sealed: u64,
    /// Where the contents end.
    pub(crate) kept: u64,
    pub(crate) end: u64,
}

/// What the journal tells of a change.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    pub(crate) record: Record,
    pub(crate) contents: Vec<Kept>,
}

impl Told {
    pub(crate) fn of(change: &PastChange<'_>) -> Self {
        let record = change.record();
        let contents = (0..record.files.len()).map(|file| change.contents(file).unwrap()).collect();
        Self { record, contents }
    }
}

impl Scene {
    pub(crate) fn new() -> Self {
        let base = quick_dir();
        fs::create_dir(base.path().join("ws")).unwrap();
        let workspace = Workspace::open(base.path().join("ws")).unwrap();
        let mut scene = Self {
            base,
            workspace,
            state: BTreeMap::new(),
            head_of_earlier_boot: Vec::new(),
            half_done: Vec::new(),
            repaired: Tree::new(),
            frames: Vec::new(),
            records: Vec::new(),
        };
        for file in 0..PATCHED {
            fs::write(scene.root().join(format!("patched-{file}")), format!("old {file}")).unwrap();
        }
        scene.make_changes();
        scene.keep();
        scene
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.path().join("ws")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.base.path().join("state")
    }

    /// The names of the files that can be damaged, in the state folder.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.state.keys().cloned().collect()
    }

    pub(crate) fn file(&self, ending: &str) -> PathBuf {
        let mut found = self.state.keys().filter(|path| path.to_string_lossy().ends_with(ending));
        let only = found.next().unwrap_or_else(|| panic!("no {ending} in {:?}", self.state.keys())).clone();
        assert!(found.next().is_none(), "{ending}");
        only
    }

    pub(crate) fn content(&self, file: &Path) -> &[u8] {
        &self.state[file]
    }

    /// Puts everything back as it was when the patch was killed, but for one file, which is `damaged`.
    pub(crate) fn put_back(&self, boot: Boot, file: &Path, damaged: Option<&[u8]>) {
        // The other files are as they were: every case has looked.
        for entry in fs::read_dir(self.root()).unwrap() {
            let path = entry.unwrap().path();
            match path.file_name().unwrap().to_str().unwrap() {
                "more" | "made" => fs::remove_dir_all(path).unwrap(),
                name if name.starts_with("patched") => fs::remove_file(path).unwrap(),
                _ => {}
            }
        }
        for (number, path) in self.half_done.iter().enumerate() {
            let path = self.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match fs::hard_link(self.vault().join(number.to_string()), path) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                linked => linked.unwrap(),
            }
        }
        for folder in ["journals", "open"] {
            remove_files(&self.state().join(folder));
        }
        for (path, content) in &self.state {
            let content = match path {
                path if path == file => damaged,
                path if boot == Boot::HeadLost && path.ends_with("head") => None,
                path if boot == Boot::Later && path.ends_with("head") => Some(&self.head_of_earlier_boot[..]),
                _ => Some(&content[..]),
            };
            if let Some(content) = content {
                fs::write(self.state().join(path), content).unwrap();
            }
        }
    }

    /// The bytes of a file as they are put back.
    pub(crate) fn intact(&self, boot: Boot, file: &Path) -> &[u8] {
        if boot == Boot::Later && file.ends_with("head") {
            &self.head_of_earlier_boot
        } else {
            &self.state[file]
        }
    }

    pub(crate) fn open(&self) -> Journal {
        Journal::open(&self.state(), &self.workspace).unwrap()
    }

    pub(crate) fn change(&self, journal: &Journal, name: &str) -> u64 {
        let mut changes = ChangeSet::default();
        changes.create(self.path(name), "one more");
        journal.commit(&changes, Durability::Fast, &Entry::new("test")).unwrap().id.number()
    }

    /// Everything but what [`change`](Self::change) has added.
    pub(crate) fn tree(&self) -> Tree {
        assert_eq!(temporary_names(&self.root()), Vec::<PathBuf>::new());
        tree(&self.root()).into_iter().filter(|(path, _)| !path.starts_with("more")).collect()
    }

    /// What was half done is repaired, and nothing else is touched.
    pub(crate) fn assert_repaired(&self, case: &str) {
        let tree = self.tree();
        let differs = |(path, node): &(&PathBuf, &Node)| self.repaired.get(*path) != Some(node);
        let other: Vec<_> = tree.iter().filter(differs).collect();
        let missing: Vec<_> = self.repaired.keys().filter(|path| !tree.contains_key(*path)).collect();
        assert!(other.is_empty() && missing.is_empty(), "{case}: {other:?}, missing {missing:?}");
    }

    fn path(&self, name: &str) -> WorkspacePath {
        self.workspace.path(name.as_ref(), &self.root()).unwrap()
    }

    fn vault(&self) -> PathBuf {
        self.base.path().join("vault")
    }

    fn make_changes(&mut self) {
        let journal = self.open();
        for n in 1..HALF_DONE {
            self.make_change(&journal, n);
        }
        self.kill_a_patch();
        // No process repairs it as long as its process seems to live.
        let live = journal_folder(&self.state()).join("live");
        let is_others = |path: &PathBuf| fs::File::open(path).unwrap().try_lock().is_ok();
        let instances = fs::read_dir(live).unwrap().map(|entry| entry.unwrap().path());
        let instance = instances.filter(is_others).collect::<Vec<_>>();
        let alive = fs::File::open(&instance[0]).unwrap();
        alive.try_lock().unwrap();
        for n in HALF_DONE + 1..=CHANGES {
            self.make_change(&journal, n);
        }
        assert_eq!(journal.damage().unwrap(), []);
    }

    /// Changes of every sort, each with a record of its own.
    fn make_change(&self, journal: &Journal, n: u64) {
        let entry = Entry { session: Some("s1"), agent: Some("coder"), ..Entry::new("test") };
        let name = |n: u64| format!("d{}/file-{n}", n % 3);
        let (path, before) = (self.path(&name(n)), format!("content {n}\n").repeat(3));
        let commit = |change: Change| {
            let mut changes = ChangeSet::default();
            changes.push(change);
            journal.commit(&changes, Durability::Fast, &entry).map(|made| made.id)
        };
        let of_last = |n: u64| Version::of(format!("content {}\n", n - 1).repeat(3).as_bytes());
        let made = match n % 8 {
            2 => commit(Change::Write {
                path: self.path(&name(n - 1)),
                base: Base::Version(of_last(n)),
                content: format!("changed by {n}").into(),
                mode: None,
            }),
            // Of two files that it makes a person removes one.
            3 => {
                let mut changes = ChangeSet::default();
                for of in ["one", "two"] {
                    changes.create(self.path(&format!("{of}-{n}")), of);
                }
                let made = journal.commit(&changes, Durability::Fast, &entry);
                fs::remove_file(self.root().join(format!("two-{n}"))).unwrap();
                made.map(|made| made.id)
            }
            5 if n > 5 => commit(Change::Remove { path: self.path(&name(n - 1)), base: of_last(n) }),
            // It fails, and is rolled back.
            6 => {
                let mut changes = ChangeSet::default();
                changes.create(self.path(&format!("x{n}/y")), "");
                changes.create(self.path(&format!("x{n}")), "");
                return drop(journal.commit(&changes, Durability::Fast, &entry).unwrap_err());
            }
            7 => journal
                .undo(toolcrib_journal::RecordId::new(n - 2), Durability::Fast, &entry)
                .map(|undone| undone.id)
                .map_err(|error| panic!("{n}: {error}")),
            _ => commit(Change::Write { path, base: Base::Absent, content: before.into(), mode: None }),
        };
        assert_eq!(made.unwrap().number(), n);
    }

    /// Another process applies a patch to several files and is killed after the second of them.
    fn kill_a_patch(&self) {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "--inject=renameat2:signal=KILL:when=3"]);
        command.arg(std::env::current_exe().unwrap());
        command
            .args(["--ignored", "--exact", "damage::scene::victim", "--nocapture"])
            .env(VICTIM, self.base.path());
        assert_eq!(command.output().unwrap().status.signal(), Some(9));
        let content = |file: u64| fs::read_to_string(self.root().join(format!("patched-{file}"))).unwrap();
        let contents: Vec<String> = (0..PATCHED).map(content).collect();
        assert!(contents.iter().any(|content| content.starts_with("old")), "{contents:?}");
        assert!(contents.iter().any(|content| content.starts_with("new")), "{contents:?}");
    }

    /// Remembers everything, and what becomes of it when it is opened undamaged.
    fn keep(&mut self) {
        for folder in ["journals", "open"] {
            read_files(&self.state(), Path::new(folder), &mut self.state);
        }
        let head = self.content(&self.file("head")).to_vec();
        self.head_of_earlier_boot = of_earlier_boot(head);
        fs::create_dir(self.vault()).unwrap();
        let nodes = tree(&self.root()).into_keys().filter(|path| self.root().join(path).is_file());
        self.half_done = nodes.collect();
        for (number, path) in self.half_done.iter().enumerate() {
            fs::hard_link(self.root().join(path), self.vault().join(number.to_string())).unwrap();
        }
        self.frames = frames(self.content(&self.file("log-000000000001")));
        self.put_back(Boot::Same, Path::new(""), None);
        let journal = self.open();
        self.repaired = self.tree();
        self.records = journal.changes().unwrap().map(|change| Told::of(&change.unwrap())).collect();
        let ids: Vec<u64> = self.records.iter().map(|told| told.record.id.number()).collect();
        assert_eq!(ids, (1..=CHANGES).rev().collect::<Vec<_>>());
        let half_done = self.records.iter().find(|told| told.record.id.number() == HALF_DONE).unwrap();
        assert_eq!(half_done.record.state, State::RolledBack);
        for file in 0..PATCHED {
            assert_eq!(
                fs::read(self.root().join(format!("patched-{file}"))).unwrap(),
                format!("old {file}").as_bytes()
            );
        }
        assert_eq!(journal.scrub().unwrap().damage, []);
    }
}

/// What is left of the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boot {
    /// All: the machine runs since then.
    Same,
    /// It is there, and the machine was started again since: it is not trusted.
    Later,
    /// Nothing: it is lost too.
    HeadLost,
}

impl Boot {
    pub(crate) const ALL: [Self; 3] = [Self::Same, Self::Later, Self::HeadLost];
}

const PATCHED: u64 = 5;
const VICTIM: &str = "TOOLCRIB_JOURNAL_DAMAGE";

/// Not a test: the process that is killed.
#[test]
#[ignore = "a process that other tests start"]
fn victim() {
    let Some(base) = std::env::var_os(VICTIM) else { return };
    let root = Path::new(&base).join("ws");
    let workspace = Workspace::open(&root).unwrap();
    let journal = Journal::open(&Path::new(&base).join("state"), &workspace).unwrap();
    let mut changes = ChangeSet::default();
    for file in 0..PATCHED {
        let path = workspace.path(format!("patched-{file}").as_ref(), &root).unwrap();
        changes.update(path, Version::of(format!("old {file}").as_bytes()), format!("new {file}"));
    }
    changes.create(workspace.path("made/new".as_ref(), &root).unwrap(), "created");
    let _ = journal.commit(&changes, Durability::Fast, &Entry::new("patch"));
}

pub(crate) fn journal_folder(state: &Path) -> PathBuf {
    let mut journals = fs::read_dir(state.join("journals")).unwrap();
    journals.next().unwrap().unwrap().path()
}

/// The boot stands first in what the head's hash covers.
pub(crate) fn of_earlier_boot(mut head: Vec<u8>) -> Vec<u8> {
    let boot = HEAD_BODY + 8;
    assert_ne!(head[boot], b'x');
    head[boot] = b'x';
    let hash = blake3::hash(&head[HEAD_BODY..][..head_length(&head)]);
    head[8..40].copy_from_slice(hash.as_bytes());
    head
}

const HEAD_BODY: usize = 8 + 32 + 8;

fn head_length(head: &[u8]) -> usize {
    u64::from_le_bytes(head[40..48].try_into().unwrap()) as usize
}

/// The records of a segment, by what their headers say.
pub(crate) fn frames(segment: &[u8]) -> Vec<Frame> {
    let (mut frames, mut start) = (Vec::new(), 0);
    while segment.get(start..start + 5) == Some(b"TCREC") {
        let number = |at: usize| u64::from_le_bytes(segment[start + at..][..8].try_into().unwrap());
        let (kind, id, said, kept) = (number(8), number(16), number(56), number(64));
        let sealed = start as u64 + 104 + said;
        let kept = sealed + kept;
        let end = kept.next_multiple_of(8);
        frames.push(Frame { id, is_intent: kind == 1, start: start as u64, sealed, kept, end });
        start = end as usize;
    }
    frames
}

fn remove_files(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { remove_files(&path) } else { fs::remove_file(path).unwrap() }
    }
}

fn read_files(state: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(state.join(folder)).unwrap() {
        let path = folder.join(entry.unwrap().file_name());
        if state.join(&path).is_dir() {
            read_files(state, &path, files);
        } else {
            let mut content = fs::read(state.join(&path)).unwrap();
            if path.ends_with("head") {
                // It was longer before, and is not cut.
                content.truncate(HEAD_BODY + head_length(&content));
            }
            if path.to_string_lossy().contains("log-") {
                // Without most of the zeros ahead, which only make it slow.
                let used = content
                    .iter()
                    .rposition(|byte| *byte != 0)
                    .map_or(0, |last| (last + 1).next_multiple_of(8));
                content.truncate(used + 256);
            }
            files.insert(path, content);
        }
    }
}
