//! Every file operation fails once, and for good: afterwards everything is as before or as after, an error was reported
//! unless it is as after, and the next call works.
//!
//! The ordinary run gives each operation one of the errors; `cargo xtask soak` gives each all of them.

use std::process::Command;

use crate::support::{soak, temporary_names, tree};
use crate::victim::{Call, Scene, Task};

#[test]
fn whichever_operation_fails_a_commit_is_whole_or_nothing() {
    let scene = Scene::new(10);
    let mut figures = Figures::default();
    let calls = scene.calls(Task::Commit).into_iter().filter(can_fail).enumerate();
    // Of those that only look, some will do in the ordinary run.
    let calls = calls.filter(|(place, call)| soak() || call.changes_something() || place % 3 == 0);
    let calls: Vec<Call> = calls.map(|(_, call)| call).collect();
    for (place, call) in calls.iter().enumerate() {
        for (error, ending) in faults(place) {
            scene.reset();
            let inject = format!("--inject={}:error={error}:when={}{ending}", call.name, call.nth);
            figures.count(&scene, &inject);
            if tree(&scene.root()) == scene.before && (place % 4 == 0 || soak()) {
                assert_eq!(scene.run(Task::Commit, &[]).said, "done", "after {inject}");
            }
        }
    }
    figures.print("a commit");
    assert!(figures.failed > calls.len() / 2, "{figures:?}");
    assert!(figures.before > 0 && figures.after > 0);
}

/// The control: a program that changes the files one after the other and looks at no error leaves something between.
#[test]
fn without_rolling_back_something_is_left_between() {
    let calls = Scene::new(10).calls(Task::CommitWithoutJournal);
    let scene = Scene::new(10);
    let rename = calls.iter().filter(|call| call.name == "renameat2").nth(3).unwrap();
    // From the fourth rename on every one fails, so nothing can be rolled back either: the harness must see it.
    let inject = format!("--inject=renameat2:error=EIO:when={}+", rename.nth);
    let ended = scene.run(Task::CommitWithoutJournal, &[inject]);
    assert!(ended.said.starts_with("failed, nothing changed false"), "{ended:?}");
    let now = tree(&scene.root());
    assert!(now != scene.before && now != scene.after);
}

/// A disk that is really full, not one that says so.
#[test]
fn on_a_full_disk_nothing_is_lost() {
    in_small_file_system("size=64k,nr_inodes=1000", "sweep::inside_a_full_disk");
    in_small_file_system("size=1m,nr_inodes=5", "sweep::inside_a_full_disk");
}

/// Not a test: what runs in there.
#[test]
#[ignore = "a process that other tests start"]
fn inside_a_full_disk() {
    let Ok(mount) = std::env::var(MOUNT) else { return };
    full_disk::fill(mount.as_ref());
}

#[derive(Debug, Default)]
struct Figures {
    runs: usize,
    failed: usize,
    before: usize,
    after: usize,
}

impl Figures {
    fn count(&mut self, scene: &Scene, inject: &str) {
        let ended = scene.run(Task::Commit, &[inject.to_owned()]);
        let at_once = tree(&scene.root());
        drop(scene.journal());
        let now = tree(&scene.root());
        let (before, after) = (now == scene.before, now == scene.after);
        assert!(before || after, "{inject}: {ended:?}\n{now:#?}");
        assert_eq!(temporary_names(&scene.root()), Vec::<std::path::PathBuf>::new(), "{inject}");
        let done = ended.said == "done";
        assert!(after || !done, "{inject}: said to be done, and is not");
        if ended.said.starts_with("failed, nothing changed true") {
            assert!(before, "{inject}: {ended:?}");
            assert_eq!(at_once, scene.before, "{inject}: {ended:?}");
        }
        self.runs += 1;
        self.failed += usize::from(!done);
        self.before += usize::from(before);
        self.after += usize::from(after);
    }

    fn print(&self, what: &str) {
        let Self { runs, failed, before, after } = self;
        eprintln!("{what}: {runs} runs, {failed} failed, {before} as before, {after} as after, 0 between");
    }
}

/// Whether it is an operation on files. What belongs to the process itself (memory, threads) is not.
fn can_fail(call: &Call) -> bool {
    let names = [
        "fgetxattr",
        "flistxattr",
        "getdents64",
        "openat",
        "openat2",
        "pread64",
        "read",
        "readlinkat",
        "statx",
        "fstatfs",
        "faccessat2",
        "ioctl",
        "getrandom",
    ];
    (call.changes_something() || names.contains(&call.name.as_str())) && !call.line.contains("/proc/")
}

/// The errors for an operation, each once (`""`) or from then on (`"+"`).
fn faults(place: usize) -> Vec<(&'static str, &'static str)> {
    let all = ERRORS.iter().flat_map(|error| [(*error, ""), (*error, "+")]);
    if soak() {
        return all.collect();
    }
    all.skip(place % (2 * ERRORS.len())).take(1).collect()
}

const ERRORS: [&str; 6] = ["EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EMFILE"];

const MOUNT: &str = "TOOLCRIB_SMALL_FILE_SYSTEM";

/// Runs one test of this binary in a mount namespace with a small file system of its own.
fn in_small_file_system(options: &str, test: &str) {
    let mount = tempfile::tempdir().unwrap();
    let script = format!(
        "mount -t tmpfs -o {options} none {mount} && exec {exe} --ignored --exact {test} --nocapture",
        mount = mount.path().display(),
        exe = std::env::current_exe().unwrap().display(),
    );
    let wrapper: &[&str] = if rustix::process::geteuid().is_root() { &["-m"] } else { &["-r", "-m"] };
    let mut command = Command::new("unshare");
    command.args(wrapper).args(["sh", "-c", &script]).env(MOUNT, mount.path());
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{options}\n{out}\n{err}");
    eprint!("{err}");
}

mod full_disk {
    //! What happens on a small file system: files are changed until no more fits.

    use std::fs;
    use std::path::Path;

    use toolcrib_journal::{Entry, Journal};
    use toolcrib_workspace::{ChangeSet, Durability, ErrorKind, Version, Workspace};

    use crate::support::{temporary_names, tree};

    pub(super) fn fill(mount: &Path) {
        // The state is on the same small disk once, and beside it once.
        let elsewhere = tempfile::tempdir().unwrap();
        for (round, state) in [elsewhere.path().join("state"), mount.join("state")].into_iter().enumerate() {
            let root = mount.join(format!("ws{round}"));
            fs::create_dir(&root).unwrap();
            let workspace = Workspace::open(&root).unwrap();
            let refused = match Journal::open(&state, &workspace) {
                Ok(journal) => fill_with(&root, &workspace, &journal),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::NoSpace, "{error}");
                    1
                }
            };
            assert!(refused > 0);
            eprintln!("full disk, round {round}: {refused} changes refused, nothing lost");
            fs::remove_dir_all(&root).unwrap();
        }
    }

    fn fill_with(root: &Path, workspace: &Workspace, journal: &Journal) -> usize {
        let mut refused = 0;
        let mut held: Vec<Vec<u8>> = Vec::new();
        for round in 0..40 {
            let before = tree(root);
            let mut changes = ChangeSet::default();
            let mut next = held.clone();
            for file in 0..3 {
                let path = workspace.path(format!("{file}").as_ref(), root).unwrap();
                let content = format!("round {round} of file {file}\n").repeat(60 * (round + 1)).into_bytes();
                match held.get(file) {
                    Some(old) => changes.update(path, Version::of(old), content.clone()),
                    None => changes.create(path, content.clone()),
                }
                if file < next.len() { next[file] = content } else { next.push(content) }
            }
            match journal.commit(&changes, Durability::Safe, &Entry::new("test")) {
                Ok(_) => held = next,
                Err(error) => {
                    assert_eq!(error.error().kind(), ErrorKind::NoSpace, "{error}");
                    assert!(error.nothing_changed());
                    assert_eq!(tree(root), before);
                    refused += 1;
                }
            }
            assert_eq!(temporary_names(root), Vec::<std::path::PathBuf>::new());
            for (file, content) in held.iter().enumerate() {
                assert_eq!(&fs::read(root.join(file.to_string())).unwrap(), content);
            }
        }
        refused
    }
}
