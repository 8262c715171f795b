//! A journal that is damaged, or of which something is half done, as a person and a client see it; and what it costs to
//! look at a long one.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib::{Config, Toolbox};

use crate::{stderr, stdout, unwrapped};

#[test]
fn a_damaged_record_is_counted_by_log_and_doctor_and_costs_no_other() {
    let home = Home::with_changes(5);
    assert!(stdout(&home.run(&["doctor"])).ends_with("No problems found\n"));
    home.flip("log-000000000001", home.record_of(3) + 120);
    let log = home.run(&["log", "--brief"]);
    let shown: Vec<&str> = stdout(&log).lines().filter(|line| line.contains("  Write")).collect();
    let numbers: Vec<&str> = shown.iter().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(numbers, ["5", "4", "2", "1"]);
    let warning = "warning: The journal is damaged, so changes are missing from this list: 1 place (bytes ";
    assert!(
        stderr(&log).starts_with(warning) && stderr(&log).contains("\nhint: `toolcrib doctor --journal`"),
        "{}",
        stderr(&log)
    );
    assert!(
        stderr(&home.run(&["log", "--brief", "--limit", "1"])).starts_with(warning),
        "also if it is not shown"
    );

    let doctor = home.run(&["doctor"]);
    assert!(unwrapped(&doctor).contains("problem: The journal is damaged: bytes "), "{}", stdout(&doctor));
    assert_eq!(doctor.status.code(), Some(1));
    let scrub = home.run(&["doctor", "--journal"]);
    assert!(unwrapped(&scrub).contains("verified: 4 changes, 9 records, 4 contents"), "{}", stdout(&scrub));
    assert!(unwrapped(&scrub).contains("problem: The journal is damaged: bytes "), "{}", stdout(&scrub));
    assert_eq!(scrub.status.code(), Some(1));
    let known = home.run(&["doctor"]);
    assert!(unwrapped(&known).contains("note: The journal is damaged: bytes "), "{}", stdout(&known));
    assert_eq!(known.status.code(), Some(0), "a person was told");
    assert!(stderr(&home.run(&["log", "--brief"])).starts_with(warning), "what is missing is still said");
    assert!(home.run(&["undo", "2"]).status.success());
}

#[test]
fn damaged_contents_are_found_by_the_check_and_shown_as_such() {
    let home = Home::with_changes(3);
    let intent = home.record_of(2);
    let said = home.number(intent + 56);
    home.flip("log-000000000001", intent + 104 + said);
    assert_eq!(home.run(&["doctor"]).status.code(), Some(0), "this reads no contents");
    let scrub = home.run(&["doctor", "--journal"]);
    let problem =
        "problem: The journal is damaged: contents that change 2 keeps are damaged, so it cannot be undone";
    assert!(unwrapped(&scrub).contains(problem), "{}", stdout(&scrub));
    let log = home.run(&["log", "--patch"]);
    assert_eq!(stdout(&log).matches("the contents are damaged").count(), 1, "{}", stdout(&log));
    let log: Value = serde_json::from_str(stdout(&home.run(&["log", "--json"]))).unwrap();
    let damaged: Vec<Option<bool>> =
        (0..3).map(|n| log["metadata"]["changes"][n]["files"][0]["damaged"].as_bool()).collect();
    assert_eq!(damaged, [None, Some(true), None]);
}

/// A lost key, a log that was cut, one that is gone: none of them looks like a journal in which nothing was done yet.
#[test]
fn what_is_lost_as_a_whole_does_not_look_empty() {
    let log = "log-000000000001";
    for (said, lost) in [
        ("the key is lost", &["key", "key.copy"][..]),
        ("ends at byte 0", &[]),
        ("log-000000000001 is missing", &[log]),
        ("change 1 was recorded, and the log ends with change 0", &[log, "head"]),
    ] {
        let home = Home::with_changes(5);
        let intact = fs::read(home.file(log)).unwrap();
        lost.iter().for_each(|name| fs::remove_file(home.file(name)).unwrap());
        if lost.is_empty() {
            fs::write(home.file(log), "").unwrap();
        }
        let shown = home.run(&["log"]);
        let warning = "warning: The journal is damaged, so changes are missing from this list: ";
        assert!(stderr(&shown).starts_with(warning), "{said}: {}", stderr(&shown));
        let doctor = home.run(&["doctor"]);
        assert!(unwrapped(&doctor).contains(said), "{said}: {}", stdout(&doctor));
        assert_eq!(doctor.status.code(), Some(1), "{said}");
        let number = home.write("more");
        assert!(number > 5, "{said}: {number} was given twice");
        if !lost.contains(&log) && !lost.is_empty() {
            assert_eq!(fs::read(home.file(log)).unwrap(), intact, "{said}: it is kept for a person");
        }
        assert!(home.run(&["undo"]).status.success(), "{said}: it goes on");
    }
}

/// A patch that was killed half way, and both copies of its record damaged: it cannot be repaired, and every user is told.
#[test]
fn what_cannot_be_repaired_is_said_by_every_command_and_by_the_server() {
    let home = Home::with_changes(1);
    home.kill_a_patch();
    home.flip("log-000000000001", home.record_of(2) + 120);
    let registered =
        fs::read_dir(home.0.path().join("state/toolcrib/open")).unwrap().next().unwrap().unwrap().path();
    fs::write(&registered, "damaged").unwrap();
    let warning = "warning: In ";
    for command in [&["read", "a"][..], &["ls"], &["grep", "x"], &["log"], &["undo", "1", "--dry-run"]] {
        let output = home.run(command);
        assert!(stderr(&output).starts_with(warning), "{command:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains("\nhint: look at the files that changed last"),
            "{command:?}: {}",
            stderr(&output)
        );
    }
    let json: Value = serde_json::from_str(stdout(&home.run(&["read", "a", "--json"]))).unwrap();
    assert!(
        json["metadata"]["half_done"][0].as_str().unwrap().contains(" change 2 was interrupted"),
        "{json}"
    );
    let doctor = home.run(&["doctor"]);
    assert!(
        unwrapped(&doctor).contains(" change 2 was interrupted, and its record is damaged")
            && doctor.status.code() == Some(1),
        "{}",
        stdout(&doctor)
    );

    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}});
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let read = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "Read", "arguments": {"file_path": home.0.path().join("ws/a")}}});
    let server = home.run_with_input(&["mcp"], &format!("{initialize}\n{initialized}\n{read}\n"));
    assert!(stderr(&server).starts_with(warning), "{}", stderr(&server));
    let answers: Vec<Value> =
        stdout(&server).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let result = |id: u64| &answers.iter().find(|answer| answer["id"] == id).unwrap()["result"];
    assert!(result(1)["instructions"].as_str().unwrap().contains(" change 2 was interrupted"), "{answers:?}");
    let told = result(2)["content"][1]["text"].as_str().unwrap_or_default();
    assert!(told.starts_with("Warning: In "), "{answers:?}");

    let scrub = home.run(&["doctor", "--journal"]);
    assert!(
        stdout(&scrub).contains("repaired: gave up change 2, whose record is damaged: look at"),
        "{}",
        stdout(&scrub)
    );
    assert_eq!(stderr(&home.run(&["read", "a"])), "");
}

/// What is read is what is shown: two records for a change, its contents once to count lines, and once more for the difference. One
/// change further is looked at, to say whether there are more.
#[test]
fn the_cost_of_a_log_grows_with_what_it_shows_and_no_more() {
    let home = Home::with_changes(300);
    let reads = |args: &[&str]| {
        let trace = home.0.path().join("trace");
        let mut command = home.command("strace");
        command
            .args(["-f", "-qq", "-e", "trace=pread64", "-o"])
            .arg(&trace)
            .arg(env!("CARGO_BIN_EXE_toolcrib"));
        let output = command.arg("log").args(args).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        (fs::read_to_string(trace).unwrap().lines().count(), stdout(&output).matches("  Write").count())
    };
    let (none, _) = reads(&["--limit", "0"]);
    for limit in [1, 10, 100, 300] {
        for (form, each) in [("--oneline", 2), ("--brief", 3), ("--patch", 4)] {
            let (read, shown) = reads(&[form, "--limit", &limit.to_string()]);
            assert!(form == "--oneline" || shown == limit, "{form}: {shown} of {limit}");
            let most = none + each * limit + 2;
            assert!(read <= most, "{form} --limit {limit}: {read} reads, {none} for nothing");
        }
    }
}

struct Home(TempDir);

impl Home {
    /// A workspace in which so many files were written, each by a change.
    fn with_changes(changes: usize) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir(home.0.path().join("ws")).unwrap();
        let builder = Toolbox::builder().root(home.0.path().join("ws"));
        let config = Config::parse("[journal]\ndurability = \"fast\"").unwrap();
        let toolbox = builder.config(config).journal_in(home.0.path().join("state/toolcrib")).open().unwrap();
        for n in 1..=changes {
            let file = home.0.path().join("ws").join(format!("{n}.txt"));
            let written = toolbox.call_blocking(
                "Write",
                json!({"file_path": file, "content": format!("{n}\n")}),
                &toolbox.context(),
            );
            assert_eq!(written.metadata["change"], json!(n), "{written:?}");
        }
        home
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path().join("ws"));
        command.env("XDG_STATE_HOME", self.0.path().join("state"));
        command.env("XDG_CONFIG_HOME", self.0.path().join("config"));
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_toolcrib")).args(args).output().unwrap()
    }

    fn run_with_input(&self, args: &[&str], input: &str) -> Output {
        let path = self.0.path().join("input");
        fs::write(&path, input).unwrap();
        let mut command = self.command(env!("CARGO_BIN_EXE_toolcrib"));
        command.args(args).stdin(fs::File::open(path).unwrap()).output().unwrap()
    }

    /// Writes a file, and gives the number of the change.
    fn write(&self, name: &str) -> u64 {
        let written = self.run(&["write", name, "x", "--json"]);
        let written: Value = serde_json::from_str(stdout(&written)).unwrap();
        written["metadata"]["change"].as_u64().unwrap_or_else(|| panic!("{written}"))
    }

    /// A patch of two files is killed after the first.
    fn kill_a_patch(&self) {
        for file in ["a", "b"] {
            fs::write(self.0.path().join("ws").join(file), "old\n").unwrap();
        }
        let patch = "*** Begin Patch\n*** Update File: a\n@@\n-old\n+new\n*** Update File: b\n@@\n-old\n+new\n*** End Patch\n";
        let file = self.0.path().join("patch");
        fs::write(&file, patch).unwrap();
        let mut command = self.command("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "--inject=renameat2:signal=KILL:when=2"]);
        let killed = command.arg(env!("CARGO_BIN_EXE_toolcrib")).arg("patch").arg(file).output().unwrap();
        assert_eq!(killed.status.signal(), Some(9), "{killed:?}");
    }

    /// A file of the journal.
    fn file(&self, name: &str) -> PathBuf {
        let journals = self.0.path().join("state/toolcrib/journals");
        fs::read_dir(journals).unwrap().next().unwrap().unwrap().path().join(name)
    }

    fn flip(&self, file: &str, at: usize) {
        let mut bytes = fs::read(self.file(file)).unwrap();
        bytes[at] ^= 1;
        fs::write(self.file(file), bytes).unwrap();
    }

    fn number(&self, at: usize) -> usize {
        let bytes = fs::read(self.file("log-000000000001")).unwrap();
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
    }

    /// Where the record stands that announces a change.
    fn record_of(&self, change: usize) -> usize {
        let bytes = fs::read(self.file("log-000000000001")).unwrap();
        let is_record = |at: &usize| bytes[*at..].starts_with(b"TCREC");
        let mut records = (0..bytes.len()).step_by(8).filter(is_record);
        records.find(|at| self.number(at + 8) == 1 && self.number(at + 16) == change).unwrap()
    }
}
