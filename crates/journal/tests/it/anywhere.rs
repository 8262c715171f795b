//! A patch that was killed half way is repaired by the next process to open files of it, under whichever root; who may
//! not repair it is told.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolcrib_journal::{Entry, Journal, Options, Repairer, State, Unrepaired};
use toolcrib_testkit::as_ordinary_user;
use toolcrib_workspace::{ChangeSet, Durability, ErrorKind, NoticeBoard, Version, Workspace};

use crate::support::{chmod, temporary_names};

/// The roots that a process could open, from where the scene is.
const OPENERS: &[&[&str]] =
    &[&["w"], &["w/sub"], &["w/sub/deep"], &["w/other"], &["."], &["beside", "w/sub"], &["beside/link-to-w"]];

#[test]
fn killed_half_way_it_is_repaired_under_every_root_that_shares_files_with_it() {
    for openers in OPENERS {
        let scene = Scene::half_done();
        assert_eq!(scene.repair(openers), Vec::<String>::new());
        assert_eq!(scene.contents(), ["old", "old", "old"], "{openers:?}");
        scene.assert_clean();
        let journal = Journal::open(&scene.state(), &scene.workspace(&["w"])).unwrap();
        assert_eq!(journal.log(1).unwrap()[0].state, State::RolledBack);
    }
}

/// The control: a root that shares nothing with it is not made to repair it, and it stays half done until another
/// process does.
#[test]
fn a_root_beside_it_leaves_it_alone() {
    let scene = Scene::half_done();
    assert_eq!(scene.repair(&["beside"]), Vec::<String>::new());
    assert_eq!(scene.contents(), ["new", "old", "old"]);
    scene.repair(&["w/sub"]);
    assert_eq!(scene.contents(), ["old", "old", "old"]);
}

/// A program that runs all the time sees what happens while it does.
#[test]
fn it_is_repaired_also_by_who_has_opened_the_root_before() {
    let scene = Scene::new();
    let repairer = Repairer::new(&scene.state(), &scene.workspace(&["w/sub"]), Options::default());
    assert!(repairer.repair().unwrap().is_empty());
    scene.kill_a_patch();
    assert_eq!(scene.contents(), ["new", "old", "old"]);
    assert!(repairer.repair().unwrap().is_empty());
    assert_eq!(scene.contents(), ["old", "old", "old"]);
    scene.assert_clean();
}

#[test]
fn who_changes_one_of_its_files_under_another_root_repairs_it_first() {
    let scene = Scene::half_done();
    let workspace = scene.workspace(&["w/sub"]);
    let journal = Journal::open(&scene.state(), &workspace).unwrap();
    drop(journal);
    let scene = Scene::new();
    let workspace = scene.workspace(&["w/sub"]);
    let journal = Journal::open(&scene.state(), &workspace).unwrap();
    scene.kill_a_patch();
    let mut changes = ChangeSet::default();
    let path = workspace.path("a".as_ref(), &scene.path("w/sub")).unwrap();
    changes.update(path, Version::of(b"old"), "by hand");
    journal.commit(&changes, Durability::Fast, &Entry::new("test")).unwrap();
    assert_eq!(scene.contents(), ["by hand", "old", "old"]);
}

/// A process that lives is at work, and no other takes its changes for left behind.
#[test]
fn what_is_under_way_is_left_alone() {
    let scene = Scene::half_done();
    let alive = fs::File::open(scene.instance()).unwrap();
    alive.try_lock().unwrap();
    for openers in OPENERS {
        assert_eq!(scene.repair(openers), Vec::<String>::new());
        assert_eq!(scene.contents(), ["new", "old", "old"], "{openers:?}");
    }
    drop(alive);
    scene.repair(&["w/sub"]);
    assert_eq!(scene.contents(), ["old", "old", "old"]);
}

/// It is known by what it is, so it may have another name by then; also if the directory above was renamed.
#[test]
fn a_root_that_was_renamed_is_found_from_within_and_by_itself() {
    for opened in ["renamed/w/sub", "renamed/w", "renamed"] {
        let scene = Scene::half_done();
        fs::create_dir(scene.path("renamed")).unwrap();
        fs::rename(scene.path("w"), scene.path("renamed/w")).unwrap();
        let is_found = opened != "renamed";
        scene.repair(&[opened]);
        let content = fs::read_to_string(scene.path("renamed/w/sub/a")).unwrap();
        assert_eq!(content == "old", is_found, "{opened}");
    }
}

#[test]
fn a_root_that_is_gone_needs_no_repair() {
    let scene = Scene::half_done();
    fs::remove_dir_all(scene.path("w")).unwrap();
    assert_eq!(scene.repair(&["."]), Vec::<String>::new());
}

/// The record in the log is damaged: the register has another copy of it.
#[test]
fn it_is_repaired_although_its_record_is_damaged() {
    let scene = Scene::half_done();
    let log = scene.journal().join("log-000000000001");
    let mut bytes = fs::read(&log).unwrap();
    bytes[120] ^= 1;
    fs::write(&log, &bytes).unwrap();
    assert_eq!(scene.repair(&["w/sub"]), Vec::<String>::new());
    assert_eq!(scene.contents(), ["old", "old", "old"]);
    scene.assert_clean();
}

/// Both copies are damaged: it is unknown what is to be repaired, and everybody is told, until a person has settled it.
#[test]
fn what_nobody_can_repair_is_told() {
    let scene = Scene::half_done();
    let log = scene.journal().join("log-000000000001");
    for file in [log, scene.registered()] {
        let mut bytes = fs::read(&file).unwrap();
        bytes[120] ^= 1;
        fs::write(&file, &bytes).unwrap();
    }
    for _ in 0..2 {
        let told = scene.repair(&["w"]);
        assert!(told[0].contains(" change 1 was interrupted, and its record is damaged"), "{told:?}");
        let told = scene.repair(&["w/sub"]);
        assert!(told[0].contains("the file that tells where is damaged"), "{told:?}");
    }
    let journal = Journal::open(&scene.state(), &scene.workspace(&["w"])).unwrap();
    let scrub = journal.scrub().unwrap();
    assert!(scrub.repaired[0].starts_with("gave up change 1, whose record is damaged: look at"), "{scrub:?}");
    drop(journal);
    assert_eq!(scene.repair(&["w"]), Vec::<String>::new());
    assert_eq!(scene.repair(&["w/sub"]), Vec::<String>::new());
}

/// Nothing can be renamed there: who reads is told, and who wants to change one of the files is refused.
#[test]
fn a_repair_that_fails_is_told_with_what_to_do() {
    let scene = as_ordinary_user(|| {
        let scene = Scene::new();
        scene.kill_a_patch_as_it_is();
        scene
    });
    as_ordinary_user(|| {
        assert_eq!(scene.contents(), ["new", "old", "old"]);
        chmod(&scene.path("w/sub"), 0o555);
        for opened in ["w", "w/sub", "."] {
            let workspace = scene.workspace(&[opened]);
            let told = Journal::repair(&scene.state(), &workspace, Options::default()).unwrap();
            let [unrepaired] = &told[..] else { panic!("{opened}: {told:?}") };
            assert_eq!(unrepaired.root(), fs::canonicalize(scene.path("w")).unwrap());
            assert_eq!(unrepaired.change().unwrap().number(), 1);
            assert_eq!(unrepaired.files().len(), 3);
            let said = unrepaired.to_string();
            assert!(said.contains("was interrupted and cannot be repaired (Permission denied"), "{said}");
            assert!(unrepaired.hint().contains("then run `toolcrib doctor --root "), "{}", unrepaired.hint());

            let journal = Journal::open(&scene.state(), &workspace).unwrap();
            let change = |name: &str, old: &str| {
                let mut changes = ChangeSet::default();
                let path = workspace.path(&scene.path(name), &scene.path(opened)).unwrap();
                changes.update(path, Version::of(old.as_bytes()), old);
                journal.commit(&changes, Durability::Fast, &Entry::new("test"))
            };
            let refused = change("w/sub/a", "new").unwrap_err();
            assert_eq!(refused.error().kind(), ErrorKind::PermissionDenied);
            assert!(
                refused.to_string().contains("(change 1 was interrupted and cannot be repaired)"),
                "{refused}"
            );
            assert!(refused.error().hint().unwrap().contains("toolcrib doctor"));
        }
        chmod(&scene.path("w/sub"), 0o755);
        assert_eq!(scene.repair(&["w/sub"]), Vec::<String>::new());
        assert_eq!(scene.contents(), ["old", "old", "old"]);
    });
}

/// Another user sees nothing of the journal, and is told all the same, as long as it is half done.
#[test]
fn another_user_is_told() {
    let scene = Scene::half_done();
    let own = rustix::process::geteuid().as_raw();
    for openers in OPENERS {
        let told = scene.told_to_another_user(openers);
        let expected = format!("User {own} is changing files in ");
        assert!(told.len() == 1 && told[0].starts_with(&expected), "{openers:?}: {told:?}");
    }
    assert_eq!(scene.told_to_another_user(&["beside"]), Vec::<String>::new());
    assert_eq!(scene.contents(), ["new", "old", "old"], "it is not theirs to repair");
    scene.repair(&["w"]);
    assert_eq!(scene.told_to_another_user(&["w"]), Vec::<String>::new());
}

/// So that it is found after a power cut too.
#[test]
fn a_change_is_registered_on_the_disk_before_the_first_name_changes() {
    let scene = Scene::new();
    assert!(scene.child("SafePatch", &["-y"]).output().unwrap().status.success());
    let trace = fs::read_to_string(scene.path("trace")).unwrap();
    let first = |what: &str| {
        trace.lines().position(|line| line.contains(what)).unwrap_or_else(|| panic!("no {what} in {trace}"))
    };
    let renamed = first(" renameat2(");
    let folder = fs::canonicalize(scene.path("state/open")).unwrap();
    let synced = |path: &str| {
        let is_it =
            |line: &&str| line.contains(" fsync(") && line.contains(&format!("<{}{path}", folder.display()));
        trace.lines().take(renamed).filter(is_it).count()
    };
    assert_eq!((synced("/"), synced(">")), (1, 1), "{trace}");
    scene.assert_clean();
}

#[test]
fn a_change_that_was_made_leaves_nothing_behind() {
    let scene = Scene::new();
    let journal = Journal::open(&scene.state(), &scene.workspace(&["w"])).unwrap();
    scene.change_both(&journal);
    assert_eq!(scene.contents(), ["new", "new", "new"]);
    scene.assert_clean();
    drop(journal);
    scene.assert_clean();
}

/// Where nothing is half done, a look opens no journal: it lists the register, and what other users say.
#[test]
fn where_nothing_is_half_done_a_look_is_one_listing() {
    let scene = Scene::new();
    let journal = Journal::open(&scene.state(), &scene.workspace(&["w"])).unwrap();
    scene.change_both(&journal);
    drop(journal);
    let calls = scene.calls_of("look");
    let is_user = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with("toolcrib-");
    let users = fs::read_dir("/var/tmp").unwrap().filter(|entry| is_user(entry.as_ref().unwrap())).count();
    let opened = calls.iter().filter(|call| call.starts_with("open")).count();
    assert!(opened <= 2 + users, "{calls:#?}");
    assert!(calls.len() <= 10 + 5 * users, "{calls:#?}");
}

struct Scene(TempDir);

impl Scene {
    fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        chmod(base.path(), 0o755);
        for directory in ["w/sub/deep", "w/other", "beside"] {
            fs::create_dir_all(base.path().join(directory)).unwrap();
        }
        std::os::unix::fs::symlink("../w", base.path().join("beside/link-to-w")).unwrap();
        for file in FILES {
            fs::write(base.path().join(file), "old").unwrap();
        }
        Self(base)
    }

    fn half_done() -> Self {
        let scene = Self::new();
        scene.kill_a_patch();
        assert_eq!(scene.contents(), ["new", "old", "old"], "it was not killed between");
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn state(&self) -> PathBuf {
        self.path("state")
    }

    fn journal(&self) -> PathBuf {
        let mut journals = fs::read_dir(self.state().join("journals")).unwrap();
        journals.next().unwrap().unwrap().path()
    }

    fn instance(&self) -> PathBuf {
        fs::read_dir(self.journal().join("live")).unwrap().next().unwrap().unwrap().path()
    }

    fn registered(&self) -> PathBuf {
        fs::read_dir(self.state().join("open")).unwrap().next().unwrap().unwrap().path()
    }

    fn workspace(&self, roots: &[&str]) -> Workspace {
        roots.iter().fold(Workspace::builder(), |builder, root| builder.root(self.path(root))).open().unwrap()
    }

    fn contents(&self) -> [String; 3] {
        FILES.map(|file| fs::read_to_string(self.path(file)).unwrap())
    }

    /// What a process is told that opens these roots to read.
    fn repair(&self, roots: &[&str]) -> Vec<String> {
        let told = Journal::repair(&self.state(), &self.workspace(roots), Options::default()).unwrap();
        told.iter().map(Unrepaired::to_string).collect()
    }

    /// Nothing is left of it: neither beside the files, nor in the register, nor for others to see.
    fn assert_clean(&self) {
        assert_eq!(temporary_names(&self.path("w")), Vec::<PathBuf>::new());
        assert_eq!(fs::read_dir(self.state().join("open")).unwrap().count(), 0);
        assert_eq!(self.told_to_another_user(&["w"]), Vec::<String>::new());
    }

    fn change_both(&self, journal: &Journal) {
        journal.commit(&patch(self.0.path()), Durability::Fast, &Entry::new("patch")).unwrap();
    }

    /// A process that changes all files under the root `w` is killed after the first of them.
    fn kill_a_patch(&self) {
        let killed = self.child("Patch", &["--inject=renameat2:signal=KILL:when=2"]).output().unwrap();
        assert_eq!(killed.status.signal(), Some(9), "{killed:?}");
    }

    /// The same as the user of this thread.
    fn kill_a_patch_as_it_is(&self) {
        let copy = self.path("copy");
        fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "--inject=renameat2:signal=KILL:when=2"]).arg(copy);
        command
            .args(["--ignored", "--exact", "anywhere::child", "--nocapture"])
            .env(CHILD, "Patch")
            .env(BASE, self.0.path());
        let killed = command.current_dir("/").output().unwrap();
        assert_eq!(killed.status.signal(), Some(9), "{killed:?}");
    }

    fn child(&self, task: &str, options: &[&str]) -> Command {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o"]).arg(self.path("trace")).args(options);
        command.arg(std::env::current_exe().unwrap());
        command
            .args(["--ignored", "--exact", "anywhere::child", "--nocapture"])
            .env(CHILD, task)
            .env(BASE, self.0.path());
        command
    }

    /// The system calls of a task, from when it begins.
    fn calls_of(&self, task: &str) -> Vec<String> {
        assert!(self.child(task, &[]).output().unwrap().status.success());
        let trace = fs::read_to_string(self.path("trace")).unwrap();
        let lines = trace.lines().skip_while(|line| !line.contains(BEGINS)).skip(1);
        let lines = lines.take_while(|line| !line.contains(ENDS));
        lines.filter_map(|line| line.split_once(' ')).map(|(_, call)| call.trim().to_owned()).collect()
    }

    /// What a user is told who has nothing to do with it.
    fn told_to_another_user(&self, roots: &[&str]) -> Vec<String> {
        let copy = self.path("copy-for-others");
        if !copy.exists() {
            fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
            chmod(&copy, 0o755);
        }
        let mut command = match rustix::process::geteuid().is_root() {
            true => Command::new("setpriv"),
            false => Command::new("sudo"),
        };
        if !rustix::process::geteuid().is_root() {
            // There is no other way to be two users at once.
            command.args(["-n", "--preserve-env", "setpriv"]);
        }
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(copy);
        command.args(["--ignored", "--exact", "anywhere::child", "--nocapture"]).current_dir("/");
        command.env(CHILD, format!("Tell:{}", roots.join(":"))).env(BASE, self.0.path());
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && said.contains("told:"), "a second user is needed: {said}");
        let told = said.split("told: ").skip(1).map(|told| told.lines().next().unwrap().to_owned());
        told.filter(|told| !told.is_empty()).collect()
    }
}

const FILES: [&str; 3] = ["w/sub/a", "w/b", "w/sub/deep/c"];
const CHILD: &str = "TOOLCRIB_JOURNAL_ANYWHERE";
const BASE: &str = "TOOLCRIB_JOURNAL_BASE";
const BEGINS: &str = "/toolcrib-child-begins";
const ENDS: &str = "/toolcrib-child-ends";

/// Not a test: another process, or another user.
#[test]
#[ignore = "a process that other tests start"]
fn child() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let base = PathBuf::from(std::env::var_os(BASE).unwrap());
    let open = |roots: &str| {
        let roots = roots.split(':').map(|root| base.join(root));
        roots.fold(Workspace::builder(), |builder, root| builder.root(root)).open().unwrap()
    };
    match task.split_once(':') {
        Some((_, roots)) => {
            let told = Journal::repair(Path::new("/nowhere"), &open(roots), Options::default()).unwrap();
            println!("told: ");
            told.iter().for_each(|told| println!("told: {told}"));
        }
        None if task == "look" => {
            let repairer = Repairer::new(&base.join("state"), &open("w/sub"), Options::default());
            assert!(repairer.repair().unwrap().is_empty());
            let _ = fs::metadata(BEGINS);
            assert!(repairer.repair().unwrap().is_empty());
            let _ = fs::metadata(ENDS);
        }
        None => {
            let journal = Journal::open(&base.join("state"), &open("w")).unwrap();
            let durability = if task == "SafePatch" { Durability::Safe } else { Durability::Fast };
            let _ = journal.commit(&patch(&base), durability, &Entry::new("patch"));
        }
    }
}

fn patch(base: &Path) -> ChangeSet {
    let workspace = Workspace::open(base.join("w")).unwrap();
    let mut changes = ChangeSet::default();
    for file in FILES {
        changes.update(workspace.path(&base.join(file), base).unwrap(), Version::of(b"old"), "new");
    }
    changes
}

/// What is told to others is told by a folder of one's own, which no other user can take.
#[test]
fn a_notice_is_seen_by_others_and_is_its_users_own() {
    let shared = tempfile::tempdir().unwrap();
    chmod(shared.path(), 0o1777);
    let board = NoticeBoard::at(shared.path());
    board.post("hello".as_ref()).unwrap();
    assert_eq!(board.own().unwrap(), ["hello"]);
    assert!(board.of_others().is_empty());
    board.remove("hello".as_ref()).unwrap();
    board.remove("hello".as_ref()).unwrap();
    assert!(board.own().unwrap().is_empty());
}
