//! Changes that reach over several roots.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use toolcrib_journal::{Entry, Journal, Options};
use toolcrib_workspace::{ChangeSet, Durability, Version, Workspace};

use crate::support::temporary_names;

#[test]
fn a_change_of_two_roots_is_undone_as_one() {
    let base = two_roots();
    let (workspace, state) = (open(base.path()), base.path().join("state"));
    let journal = Journal::open(&state, &workspace).unwrap();
    let made =
        journal.commit(&changes(base.path(), &workspace), Durability::Safe, &Entry::new("test")).unwrap();
    assert_eq!(contents(base.path()), ["new", "new"]);
    journal.undo(made.id, Durability::Safe, &Entry::new("undo")).unwrap();
    assert_eq!(contents(base.path()), ["old", "old"]);
}

/// A process that opens only the second root finds it repaired.
#[test]
fn killed_between_two_roots_either_of_them_leads_to_the_repair() {
    // By a process that wants the journal, and by one that only wants to read.
    let ways: [fn(&Path, &Workspace); 2] = [
        |state, alone| drop(Journal::open(state, alone).unwrap()),
        |state, alone| assert!(Journal::repair(state, alone, Options::default()).unwrap().is_empty()),
    ];
    for (opened, repair) in ["one", "two"].into_iter().flat_map(|opened| ways.map(|way| (opened, way))) {
        let base = two_roots();
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "--inject=renameat2:signal=KILL:when=2"]);
        command.arg(std::env::current_exe().unwrap()).args([
            "--ignored",
            "--exact",
            "roots::victim",
            "--nocapture",
        ]);
        let killed = command.env(VICTIM, base.path()).output().unwrap();
        assert_eq!(killed.status.signal(), Some(9));
        assert_eq!(contents(base.path()), ["new", "old"], "it was not killed between");
        let alone = Workspace::open(base.path().join(opened)).unwrap();
        repair(&base.path().join("state"), &alone);
        assert_eq!(contents(base.path()), ["old", "old"], "by {opened}");
        assert!(temporary_names(base.path()).is_empty());
    }
}

/// Not a test: the process that is killed.
#[test]
#[ignore = "a process that other tests start"]
fn victim() {
    let Some(base) = std::env::var_os(VICTIM) else { return };
    let workspace = open(base.as_ref());
    let journal = Journal::open(&Path::new(&base).join("state"), &workspace).unwrap();
    let _ = journal.commit(&changes(base.as_ref(), &workspace), Durability::Safe, &Entry::new("test"));
}

const VICTIM: &str = "TOOLCRIB_JOURNAL_ROOTS";

fn two_roots() -> TempDir {
    let base = tempfile::tempdir().unwrap();
    for root in ["one", "two"] {
        fs::create_dir(base.path().join(root)).unwrap();
        fs::write(base.path().join(root).join("file"), "old").unwrap();
    }
    base
}

fn open(base: &Path) -> Workspace {
    Workspace::builder().root(base.join("one")).root(base.join("two")).open().unwrap()
}

fn changes(base: &Path, workspace: &Workspace) -> ChangeSet {
    let mut changes = ChangeSet::default();
    for root in ["one", "two"] {
        let path = workspace.path(&base.join(root).join("file"), base).unwrap();
        changes.update(path, Version::of(b"old"), "new");
    }
    changes
}

fn contents(base: &Path) -> [String; 2] {
    ["one", "two"].map(|root| fs::read_to_string(base.join(root).join("file")).unwrap())
}
