//! Recording on a full disk, without a journal, beside what was never finished, and killed: the work of the agent or the command
//! is left alone, and what is not on record is said.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::record::Home;
use crate::{stderr, stdout};

/// Runs a script with mounts of its own, in the workspace; `toolcrib` is a function there.
fn with_mounts(home: &Home, script: &str) -> Output {
    // An ordinary user needs a user namespace for it.
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let mut command = Command::new("unshare");
    command.args(if is_root { &["-m"][..] } else { &["-r", "-m"] }).args(["sh", "-ec"]);
    let program = env!("CARGO_BIN_EXE_toolcrib");
    command.arg(format!("toolcrib() {{ {program} \"$@\"; }}\n{script}")).current_dir(home.0.path());
    command.env("HOME", home.0.path()).env("XDG_STATE_HOME", home.0.path().join("state"));
    command.env_remove("CLAUDE_PROJECT_DIR").output().unwrap()
}

fn edit(home: &Home, name: &str, id: &str, file: &Path) -> Value {
    json!({"session_id": "s", "cwd": home.ws(), "hook_event_name": name, "tool_name": "Edit",
           "tool_input": {"file_path": file}, "tool_use_id": id})
}

#[test]
fn on_a_full_disk_the_agent_goes_on_and_is_told_what_is_not_recorded() {
    let home = Home::new();
    let file = home.ws().join("a");
    fs::write(home.0.path().join("pre"), edit(&home, "PreToolUse", "t", &file).to_string()).unwrap();
    fs::write(home.0.path().join("post"), edit(&home, "PostToolUse", "t", &file).to_string()).unwrap();
    // The state has 1 MB of room: the first call fits, and the second one's file does not.
    let script = "mkdir -p state; mount -t tmpfs -o size=1m tmpfs state; cd ws; echo 0 > a; umask 022
        call() { toolcrib record-hook claude-code < ../pre; eval \"$1\"; toolcrib record-hook claude-code < ../post; }
        call 'echo 1 > a'
        head -c 2000000 /dev/urandom > a
        call 'echo 2 > a'
        echo second: $? \"$(cat a)\"
        toolcrib log --json
        toolcrib undo 1 --dry-run || true";
    let done = with_mounts(&home, script);
    assert!(done.status.success(), "{}", stderr(&done));
    let (second, log) = stdout(&done).split_once('\n').unwrap();
    assert_eq!(second, "second: 0 2", "nothing is written to standard output, and the status is 0");
    assert!(stderr(&done).contains("No space left: "), "{}", stderr(&done));
    assert!(stderr(&done).contains("not announced"), "{}", stderr(&done));
    let log: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    let changes = log["metadata"]["changes"].as_array().unwrap();
    assert_eq!((changes.len(), &changes[0]["id"]), (1, &json!(1)), "half of a call is not recorded: {log}");
}

#[test]
fn a_command_has_the_room_that_it_would_have_without_a_recording() {
    let home = Home::new();
    // 4 MB with 1.6 MB in files: copies of all of them would leave too little for the 1.2 MB that the command needs.
    let script = "mkdir -p state ws; mount -t tmpfs -o size=4m tmpfs ws; cd ws
        head -c 1200000 /dev/zero > a; head -c 400000 /dev/zero > filler; echo small > b
        toolcrib record -- sh -c 'head -c 1200000 /dev/urandom > c && echo large > b; exit 5' || echo status $?
        wc -c < c; cat b; toolcrib undo > ../undone; cat b";
    let done = with_mounts(&home, script);
    assert!(done.status.success(), "{}", stderr(&done));
    // What fits is recorded, and undone.
    assert_eq!(stdout(&done), "status 5\n1200000\nlarge\nsmall\n", "{}", stderr(&done));
}

/// The whole disk is full: there is no room for a copy, and none for a record.
#[test]
fn a_command_runs_where_nothing_can_be_recorded() {
    let home = Home::new();
    let script = "mkdir -p state ws; mount -t tmpfs -o size=1m tmpfs state; cd ws; echo 0 > a
        toolcrib record -- true; head -c 1000000 /dev/zero > ../state/filler || true
        toolcrib record -- sh -c 'head -c 300000 /dev/urandom > a; exit 3' || echo status $?
        wc -c < a";
    let done = with_mounts(&home, script);
    assert_eq!(stdout(&done), "status 3\n300000\n", "{}", stderr(&done));
    assert!(stderr(&done).contains("what the command changes is not recorded"), "{}", stderr(&done));
}

#[test]
fn a_command_runs_where_the_journal_cannot_be_opened() {
    let home = Home::new();
    fs::write(home.0.path().join("state"), "no folder").unwrap();
    let run = home.toolcrib(&["record", "--", "sh", "-c", "echo 1 > a; echo out; exit 4"]);
    assert_eq!((run.status.code(), stdout(&run)), (Some(4), "out\n"), "{}", stderr(&run));
    assert!(stderr(&run).contains("what the command changes is not recorded"), "{}", stderr(&run));
    assert_eq!(fs::read_to_string(home.ws().join("a")).unwrap(), "1\n");
    let file = home.ws().join("a");
    for event in ["PreToolUse", "PostToolUse"] {
        let said = home.hook("claude-code", &edit(&home, event, "t", &file));
        assert!(stderr(&said).contains("toolcrib record: "), "{}", stderr(&said));
    }
}

/// Where no file without a name can be made beside the files, the copies are in the state folder.
#[test]
fn copies_are_in_the_state_folder_where_the_root_takes_none() {
    let home = Home::new();
    let script = "mkdir -p state read-only; echo 0 > ws/a; mount --bind ws read-only; mount -o remount,bind,ro read-only
        cd read-only; (echo x > b) 2>/dev/null && exit 9
        toolcrib record -- sh -c 'echo 1 > ../ws/a'; toolcrib show 1; ls ../state/toolcrib; cat ../state/toolcrib/spool* || true";
    let done = with_mounts(&home, script);
    assert!(done.status.success(), "{}", stderr(&done));
    assert!(stdout(&done).contains("-0\n+1\n"), "{}\n{}", stdout(&done), stderr(&done));
    assert!(!stdout(&done).contains("spool"), "it is gone: {}", stdout(&done));
}

fn pending(home: &Home) -> Vec<PathBuf> {
    let journals = home.0.path().join("state/toolcrib/journals");
    let folders = fs::read_dir(journals).unwrap().map(|entry| entry.unwrap().path().join("pending"));
    let mut found: Vec<_> = folders
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()))
        .collect();
    found.sort();
    found
}

#[test]
fn what_was_stored_for_a_call_that_never_ended_is_removed_after_a_day() {
    let home = Home::new();
    let file = home.ws().join("a");
    fs::write(&file, "0").unwrap();
    let announce = |id: &str| home.hook("claude-code", &edit(&home, "PreToolUse", id, &file));
    announce("old");
    let [old] = &pending(&home)[..] else { panic!("{:?}", pending(&home)) };
    // It was made 25 hours ago: the name says when.
    let name = old.file_name().unwrap().to_str().unwrap();
    let (key, time) = name.split_once('.').unwrap();
    let hours = |hours: u128| hours * 3_600_000_000_000;
    let then = u128::from_str_radix(time, 16).unwrap();
    let older = old.with_file_name(format!("{key}.{:032x}", then - hours(25)));
    fs::rename(old, &older).unwrap();
    // The control: one of 23 hours ago stays.
    announce("younger");
    assert!(!older.exists(), "{:?}", pending(&home));
    let [younger] = &pending(&home)[..] else { panic!("{:?}", pending(&home)) };
    let (key, _) = younger.file_name().unwrap().to_str().unwrap().split_once('.').unwrap();
    let waits = younger.with_file_name(format!("{key}.{:032x}", then - hours(23)));
    fs::rename(younger, &waits).unwrap();
    announce("new");
    assert!(waits.exists() && pending(&home).len() == 2, "{:?}", pending(&home));
    fs::write(&file, "1").unwrap();
    home.hook("claude-code", &edit(&home, "PostToolUse", "younger", &file));
    assert_eq!(home.log().len(), 1, "a call of 23 hours is still recorded");
}

#[test]
fn a_recording_that_is_killed_leaves_the_work_alone_and_is_told() {
    let rounds: u64 = if std::env::var_os("TOOLCRIB_SOAK").is_some() { 300 } else { 12 };
    let (mut noted, mut recorded) = (0, 0);
    for round in 0..rounds {
        let home = Home::new();
        let (ws, go) = (home.ws(), home.0.path().join("go"));
        for n in 0..30 {
            fs::write(ws.join(format!("f{n}")), "before").unwrap();
        }
        let before = home.tree();
        assert!(Command::new("mkfifo").arg(&go).status().unwrap().success());
        let script = "echo > started; n=0; while [ $n -lt 20 ]; do echo after > f$n; n=$((n+1)); done; \
                      [ -z \"$WAIT\" ] || read x < ../go; rm f29; echo > ended";
        let mid = round % 3 == 0;
        let mut command = home.command(&["record", "--", "sh", "-c", script]);
        command.env("WAIT", if mid { "yes" } else { "" }).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // While the command runs, at any time, or when it has just ended.
        let wait_for = |name: &str, child: &mut std::process::Child| {
            while !ws.join(name).exists() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_micros(100));
            }
        };
        match round % 3 {
            0 => wait_for("started", &mut child),
            1 => std::thread::sleep(Duration::from_millis(round * 7 % 60)),
            _ => {
                wait_for("ended", &mut child);
                std::thread::sleep(Duration::from_micros(round * 700 % 9_000));
            }
        }
        let _ = child.kill();
        if mid {
            fs::OpenOptions::new().write(true).open(&go).unwrap().write_all(b"go\n").unwrap();
        }
        // It is at its end when the command has ended too.
        child.stdout.take().unwrap().read_to_end(&mut Vec::new()).unwrap();
        child.wait().unwrap();
        let is_done = ws.join("ended").exists();
        assert_eq!(is_done, ws.join("started").exists(), "{round}: the command was stopped half way");
        let after = home.tree();
        assert!(!is_done || (!ws.join("f29").exists() && fs::read(ws.join("f19")).unwrap() == b"after\n"));
        let (log, doctor) = (home.log(), home.toolcrib(&["doctor"]));
        assert_eq!(home.tree(), after, "{round}: looking changes nothing");
        let is_noted = stdout(&doctor).contains("was killed before it was recorded");
        assert!(!is_done || is_noted || log.len() == 1, "{round}: {log:?}\n{}", stdout(&doctor));
        assert!(!mid || (is_noted && log.is_empty()), "{round}: {log:?}\n{}", stdout(&doctor));
        if let [change] = &log[..] {
            assert_eq!(change["state"], "done", "{round}");
            home.undo("1");
            assert_eq!(home.tree(), before, "{round}");
        }
        noted += usize::from(is_noted);
        recorded += log.len();
        let again = home.toolcrib(&["doctor"]);
        assert_eq!(stdout(&again).matches("was killed before").count(), usize::from(is_noted), "told once");
        let run = home.toolcrib(&["record", "--", "true"]);
        assert!(run.status.success(), "{}", stderr(&run));
    }
    eprintln!("{rounds} recordings killed: {noted} told, {recorded} recorded");
}
