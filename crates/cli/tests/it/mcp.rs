//! `toolcrib mcp` as a process.

use serde_json::{Value, json};

use crate::{stderr, stdout, toolcrib, toolcrib_with_input};

#[test]
fn only_protocol_goes_to_standard_output_and_the_end_of_input_ends_it() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.txt"), "one\n").unwrap();
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "Read", "arguments": {"file_path": dir.path().join("a.txt")}}}),
    ];
    let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let output = toolcrib_with_input(dir.path(), &["mcp", "--root", "."], &input);
    let answers: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "toolcrib");
    assert_eq!(
        answers[1]["result"]["content"][0]["text"], "     1\tone",
        "what was asked before the end is answered"
    );
    assert_eq!((answers.len(), stderr(&output), output.status.code()), (2, "", Some(0)));
}

/// What a client has read counts in its next process, but where nothing can be kept the server works all the same.
#[test]
fn what_was_read_is_known_to_the_next_process_where_it_can_be_kept() {
    let dir = tempfile::tempdir().unwrap();
    let (root, file) = (dir.path().join("project"), dir.path().join("project/a.txt"));
    std::fs::create_dir(&root).unwrap();
    let call = |state: &std::path::Path, client: &str, tool: &str, mut arguments: Value| {
        arguments["file_path"] = json!(file);
        let messages = [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": client, "version": "0"}}}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}),
        ];
        let input: String = messages.iter().map(|message| format!("{message}\n")).collect();
        let mut server = std::process::Command::new(env!("CARGO_BIN_EXE_toolcrib"))
            .arg("mcp")
            .current_dir(&root)
            .env("HOME", dir.path())
            .env("XDG_STATE_HOME", state)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // The input stays open until the answer is there: a client that leaves cancels its calls.
        let mut input_end = server.stdin.take().unwrap();
        std::io::Write::write_all(&mut input_end, input.as_bytes()).unwrap();
        let answers = std::io::BufReader::new(server.stdout.take().unwrap());
        let mut answers =
            std::io::BufRead::lines(answers).map(|line| serde_json::from_str(&line.unwrap()).unwrap());
        let answer: Value = answers.find(|answer: &Value| answer["id"] == 2).unwrap();
        drop(input_end);
        server.wait().unwrap();
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let edit = |old: &str, new: &str| json!({"old_string": old, "new_string": new});
    for (state, kept) in [(dir.path(), true), (std::path::Path::new("/dev/null"), false)] {
        std::fs::write(&file, "one\n").unwrap();
        assert!(call(state, "a", "Edit", edit("one", "two")).contains("has not been read"), "the control");
        assert!(call(state, "a", "Read", json!({})).contains("one"));
        assert!(call(state, "b", "Edit", edit("one", "two")).contains("has not been read"), "another client");
        let edited = call(state, "a", "Edit", edit("one", "two"));
        assert_eq!(edited.contains("Replaced 1"), kept, "{edited}");
    }
}

#[test]
fn a_client_that_says_nothing_is_no_fault() {
    let dir = tempfile::tempdir().unwrap();
    let output = toolcrib(dir.path(), &["mcp"]);
    assert_eq!((stdout(&output), stderr(&output), output.status.code()), ("", "", Some(0)));
}

#[test]
fn a_client_that_speaks_something_else_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let output = toolcrib_with_input(dir.path(), &["mcp"], "GET / HTTP/1.1\n\n");
    assert_eq!(stdout(&output), "");
    assert!(!stderr(&output).contains("panicked"));
}

/// Landlock cannot be asked for from outside; that the process can gain no privileges any more comes with it.
#[test]
fn the_server_locks_itself_in_before_the_first_call() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = std::process::Command::new(env!("CARGO_BIN_EXE_toolcrib"))
        .args(["mcp", "--root", "."])
        .current_dir(dir.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", server.id());
    let locked = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        std::fs::read_to_string(&status).unwrap().contains("NoNewPrivs:\t1")
    });
    drop(server.stdin.take());
    server.wait().unwrap();
    assert!(locked);
}

/// A process that takes the others for those of another run of the machine reads the whole journal anew after each of their changes.
#[test]
fn a_server_that_is_locked_in_knows_the_run_of_the_machine_as_others_do() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    std::fs::create_dir(&root).unwrap();
    let mut agent = Agent::start(dir.path(), &root);
    let written = agent.call("Write", json!({"file_path": root.join("a.txt"), "content": "one\n"}));
    assert!(written.contains("Created"), "{written}");
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let journals = dir.path().join("state/toolcrib/journals");
    let journal = std::fs::read_dir(journals).unwrap().next().unwrap().unwrap().path();
    let head = std::fs::read(journal.join("head")).unwrap();
    assert!(head.windows(36).any(|bytes| bytes == boot.trim().as_bytes()), "{}", head.escape_ascii());
}

/// While nobody looks, the approvals desk is a socket: it watches nothing and has no thread.
#[test]
fn a_server_that_nobody_looks_at_spends_nothing_on_the_desk_but_a_socket() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("a.txt"), "one\n").unwrap();
    let traced = |look: bool| {
        let trace = dir.path().join("trace");
        let mut strace = std::process::Command::new("strace");
        strace.args(["-f", "-qq", "-e", "trace=socket,bind,inotify_init1,inotify_add_watch,prctl", "-o"]);
        strace.arg(&trace).arg(env!("CARGO_BIN_EXE_toolcrib"));
        let mut agent = Agent::start_by(strace, dir.path(), &root);
        assert!(agent.call("Read", json!({"file_path": root.join("a.txt")})).contains("one"));
        if look {
            let desks =
                toolcrib::desk::Desks::open(&dir.path().join("state/toolcrib"), vec![], |_| ()).unwrap();
            assert_eq!(desks.servers().len(), 1);
        }
        drop(agent);
        let trace = std::fs::read_to_string(trace).unwrap();
        let count = |what: &str| trace.lines().filter(|line| line.contains(what)).count();
        let counts = [count("socket(AF_UNIX"), count("bind("), count("inotify_"), count("\"toolcrib-desk")];
        (counts, trace)
    };
    let (counts, trace) = traced(false);
    assert_eq!(counts, [1, 1, 0, 0], "{trace}");
    let ([.., threads], trace) = traced(true);
    assert_eq!(threads, 2, "the control: somebody looks\n{trace}");
}

/// A client that has shaken hands. Its input stays open, since a client that leaves cancels its calls.
struct Agent {
    server: std::process::Child,
    input: Option<std::process::ChildStdin>,
    answers: std::io::Lines<std::io::BufReader<std::process::ChildStdout>>,
}

impl Agent {
    fn start(home: &std::path::Path, root: &std::path::Path) -> Self {
        Self::start_by(std::process::Command::new(env!("CARGO_BIN_EXE_toolcrib")), home, root)
    }

    /// By a command to which only the arguments are added.
    fn start_by(mut command: std::process::Command, home: &std::path::Path, root: &std::path::Path) -> Self {
        let mut server = command
            .args(["mcp", "--root", "."])
            .current_dir(root)
            .env("HOME", home)
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let answers = std::io::BufRead::lines(std::io::BufReader::new(server.stdout.take().unwrap()));
        let mut agent = Self { input: server.stdin.take(), server, answers };
        agent.say(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}}));
        agent.answers.next().unwrap().unwrap();
        agent.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        agent
    }

    fn say(&mut self, message: &Value) {
        std::io::Write::write_all(self.input.as_mut().unwrap(), format!("{message}\n").as_bytes()).unwrap();
    }

    fn call(&mut self, tool: &str, arguments: Value) -> String {
        self.say(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}));
        let mut answers =
            self.answers.by_ref().map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
        let answer = answers.find(|answer| answer["id"] == 2).unwrap();
        answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.input.take());
        _ = self.server.wait();
    }
}
