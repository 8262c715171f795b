//! Changes through the toolbox: each has one record, those of one file queue, and one that is called off is whole or
//! nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib::{Config, ExecutionContext, Record, RecordState, ToolResult, Toolbox};

struct Home {
    base: TempDir,
    toolbox: Toolbox,
}

impl Home {
    fn new() -> Self {
        Self::with(Config::default())
    }

    fn with(config: Config) -> Self {
        let base = tempfile::tempdir().unwrap();
        fs::create_dir(base.path().join("ws")).unwrap();
        let toolbox = open(base.path(), config);
        Self { base, toolbox }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.path().join("ws").join(name)
    }

    fn state(&self) -> PathBuf {
        self.base.path().join("state")
    }

    fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        let context = self.toolbox.context().agent("tester").session("s1");
        self.toolbox.call_blocking(tool, arguments, &context)
    }

    fn records(&self) -> Vec<Record> {
        self.toolbox.journal().unwrap().log(1000).unwrap()
    }
}

fn open(base: &Path, config: Config) -> Toolbox {
    Toolbox::builder().root(base.join("ws")).config(config).journal_in(base.join("state")).open().unwrap()
}

#[test]
fn every_change_has_one_record_that_says_who_and_what() {
    let home = Home::new();
    let (a, b) = (home.path("a.txt"), home.path("b.txt"));
    let made = [
        home.call("Write", json!({"file_path": a, "content": "one\ntwo\n"})),
        home.call("Edit", json!({"file_path": a, "old_string": "two", "new_string": "three"})),
        home.call("ApplyPatch", json!({"patch_text": format!("*** Begin Patch\n*** Delete File: a.txt\n*** Add File: b.txt\n+new\n*** End Patch\n")})),
    ];
    for result in &made {
        assert!(result.success, "{result:?}");
    }
    // What changes nothing has none: what was only looked at, shown or refused.
    assert!(home.call("Read", json!({"file_path": b})).success);
    let dry = home.toolbox.context().dry_run(true);
    assert!(home.toolbox.call_blocking("Write", json!({"file_path": b, "content": "x"}), &dry).success);
    assert!(!home.call("Edit", json!({"file_path": b, "old_string": "nothing", "new_string": "x"})).success);

    let records = home.records();
    let said: Vec<_> = records.iter().map(|record| (record.tool.as_str(), record.files.len())).collect();
    assert_eq!(said, [("ApplyPatch", 2), ("Edit", 1), ("Write", 1)]);
    for (record, result) in records.iter().rev().zip(&made) {
        assert_eq!((record.agent.as_deref(), record.session.as_deref()), (Some("tester"), Some("s1")));
        assert_eq!(record.state, RecordState::Done);
        assert_eq!(json!(record.id.number()), result.metadata["change"]);
    }
    let edit = &records[1].files[0];
    assert_eq!(edit.path, a.canonicalize().unwrap_or(a));
    assert_eq!(json!(edit.after.unwrap().to_string()), made[1].metadata["version"]);
    assert_eq!(json!(edit.before.unwrap().to_string()), made[0].metadata["version"]);
}

#[test]
fn who_only_reads_opens_no_journal_and_makes_none() {
    let home = Home::new();
    fs::write(home.path("a.txt"), "one\n").unwrap();
    let reader = open(home.base.path(), Config::default());
    assert!(
        reader.call_blocking("Read", json!({"file_path": home.path("a.txt")}), &reader.context()).success
    );
    assert!(!home.state().exists());
    assert!(home.call("Write", json!({"file_path": home.path("b.txt"), "content": "b\n"})).success);
    assert!(home.state().exists());
}

/// The contents of a file that no agent may read are not to be found in the journal either.
#[test]
fn contents_that_may_not_be_read_are_not_kept() {
    const SECRET: &str = "the-word-that-nobody-may-find";
    let deny = "[[rules]]\nkind = \"read\"\npattern = \"private/**\"\naction = \"deny\"";
    for (config, kept) in [(Config::parse(deny).unwrap(), false), (Config::default(), true)] {
        let home = Home::with(config);
        let result = home.call("Write", json!({"file_path": home.path("private/x"), "content": SECRET}));
        assert!(result.success, "{result:?}");
        assert_eq!(home.records()[0].files[0].kept, kept);
        assert_eq!(holds(&home.state(), SECRET.as_bytes()), kept, "the control is where it may be kept");
    }
}

fn holds(folder: &Path, needle: &[u8]) -> bool {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| match path.is_dir() {
        true => holds(&path, needle),
        false => memchr::memmem::find(&fs::read(path).unwrap(), needle).is_some(),
    })
}

/// Eight agents add their lines to one file, none of them with a lock of its own.
#[test]
fn edits_of_one_file_queue() {
    let edits = if soak() { 500 } else { 15 };
    let home = Home::new();
    assert_eq!(edit_together(&home.toolbox, &home.path("shared"), edits), 0);
    let lines = fs::read_to_string(home.path("shared")).unwrap().lines().count();
    println!("8 agents, {edits} edits each of one file: {} lines, 0 refused", lines - 1);
    assert_eq!(lines, 8 * edits + 1);
    assert_eq!(home.records().len(), (8 * edits).min(1000));
}

/// The control: without a journal nothing is lost either, but who was too late is refused.
#[test]
fn edits_of_one_file_are_refused_without_a_journal() {
    let base = tempfile::tempdir().unwrap();
    let toolbox = Toolbox::open(base.path()).unwrap();
    let refused = edit_together(&toolbox, &base.path().join("shared"), 15);
    let lines = fs::read_to_string(base.path().join("shared")).unwrap().lines().count();
    println!("the control: {refused} of 120 edits refused");
    assert!(refused > 0);
    assert_eq!(lines, 8 * 15 - refused + 1);
}

/// How many edits were refused.
fn edit_together(toolbox: &Toolbox, path: &Path, edits: usize) -> usize {
    fs::write(path, "end\n").unwrap();
    thread::scope(|scope| {
        let agents: Vec<_> = (0..8)
            .map(|agent| {
                scope.spawn(move || {
                    let edit = |n: usize| {
                        let arguments = json!({"file_path": path, "old_string": "end\n", "new_string": format!("{agent}-{n}\nend\n")});
                        let result = toolbox.call_blocking("Edit", arguments, &toolbox.context());
                        if !result.success {
                            assert_eq!(result.metadata["error_kind"], "conflict", "{result:?}");
                        }
                        !result.success
                    };
                    (0..edits).filter(|n| edit(*n)).count()
                })
            })
            .collect();
        agents.into_iter().map(|agent| agent.join().unwrap()).sum()
    })
}

/// A patch of ten files is called off at random moments.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_patch_that_is_called_off_is_whole_or_nothing() {
    let rounds: u64 = if soak() { 10_000 } else { 120 };
    let home = Home::with(Config::parse("[journal]\ndurability = \"fast\"").unwrap());
    let contents = |letter: &str| -> Vec<String> { (0..10).map(|n| format!("{letter} {n}\n")).collect() };
    let now = || -> Vec<String> {
        (0..10).map(|n| fs::read_to_string(home.path(&n.to_string())).unwrap()).collect()
    };
    let (mut made, mut called_off, mut random) = (0, 0, 7_u64);
    let (mut held, mut other) = ("a", "b");
    let mut took = Duration::from_millis(10);
    for (n, content) in contents(held).iter().enumerate() {
        fs::write(home.path(&n.to_string()), content).unwrap();
    }
    for _ in 0..rounds {
        let mut patch = "*** Begin Patch\n".to_owned();
        for n in 0..10 {
            patch.push_str(&format!("*** Update File: {n}\n@@\n-{held} {n}\n+{other} {n}\n"));
        }
        patch.push_str("*** End Patch\n");
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Between at once and twice what the last one took that was left alone.
        let delay = Duration::from_micros((random >> 33) % (2 * took.as_micros().max(1) as u64));
        let context = home.toolbox.context();
        let cancel = context.cancel.clone();
        let timer = tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            cancel.cancel();
        });
        let began = Instant::now();
        let result = home.toolbox.call("ApplyPatch", json!({"patch_text": patch}), &context).await;
        if result.success {
            took = began.elapsed();
            (held, other) = (other, held);
            made += 1;
        } else {
            assert_eq!(result.metadata["error_kind"], "cancelled", "{result:?}");
            // A machine that got slower has to be waited for.
            took += took / 8;
            called_off += 1;
        }
        assert_eq!(now(), contents(held));
        timer.await.unwrap();
        // Nothing goes on afterwards.
        assert_eq!(now(), contents(held));
    }
    println!("{rounds} patches called off: {called_off} not made, {made} made, 0 between");
    assert!(made > 0 && called_off > 0, "{made}, {called_off}");
    assert_eq!(fs::read_dir(home.base.path().join("ws")).unwrap().count(), 10, "temporary files are left");
}

/// The control: a tool that writes one file after the other and stops when asked to leaves the half of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_written_one_by_one_are_left_between_when_called_off() {
    let home = tempfile::tempdir().unwrap();
    let path = |n: usize| home.path().join(n.to_string());
    let (mut between, mut random) = (0, 7_u64);
    for _ in 0..120 {
        (0..10).for_each(|n| fs::write(path(n), "old").unwrap());
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let cancel = ExecutionContext::new(home.path()).cancel;
        let (timer, delay) = (cancel.clone(), Duration::from_micros((random >> 33) % 20_000));
        let timer = tokio::spawn(async move {
            tokio::time::sleep(delay).await;
            timer.cancel();
        });
        for n in 0..10 {
            if cancel.is_cancelled() {
                break;
            }
            fs::write(path(n), "new").unwrap();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let new = (0..10).filter(|n| fs::read_to_string(path(*n)).unwrap() == "new").count();
        between += usize::from(new > 0 && new < 10);
        timer.await.unwrap();
    }
    println!("120 changes called off without the executor: {between} between");
    assert!(between > 0);
}

/// Whether this is a long run.
fn soak() -> bool {
    std::env::var_os("TOOLCRIB_SOAK").is_some()
}

/// A program goes on writing to the file it has open, and not to one that has taken its name.
#[test]
fn what_another_program_writes_to_is_not_replaced() {
    let home = Home::new();
    let path = home.path("server.log");
    home.call("Write", json!({"file_path": path, "content": "one\n"}));
    let server = fs::File::options().append(true).open(&path).unwrap();
    let edit = json!({"file_path": path, "old_string": "one", "new_string": "two"});
    let refused = home.call("Edit", edit.clone());
    let expected = format!("File is open for writing in another program: {}", path.display());
    assert_eq!(refused.error, Some(expected));
    assert_eq!(refused.metadata["error_kind"], "conflict");
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
    drop(server);
    assert!(home.call("Edit", edit).error.is_none());
    assert_eq!(fs::read_to_string(&path).unwrap(), "two\n");
}
