//! `toolcrib ui` as a process.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The server, which ends with the test.
pub(crate) struct Ui {
    process: Child,
    pub(crate) address: String,
    pub(crate) path: String,
}

impl Ui {
    pub(crate) fn start(root: &Path, home: &Path) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_toolcrib"))
            .args(["ui", "--print-url"])
            .current_dir(root)
            .env("HOME", home)
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            // Whatever would be opened: nothing is.
            .env("DISPLAY", ":0")
            .env("PATH", home)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut link = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut link).unwrap();
        let (address, path) = link.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
        Self { address: address.to_owned(), path: format!("/{path}"), process }
    }

    pub(crate) fn get(&self, path: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head =
            format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}\r\n", self.address);
        stream.write_all(head.as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    }

    /// The headers that let a request in.
    pub(crate) fn sign_in(&self) -> String {
        let reply = self.get(&self.path, "");
        let field = |name: &str| reply.lines().find_map(|line| line.strip_prefix(name)).unwrap().to_owned();
        let cookie = field("set-cookie: ");
        let token = field("location: /#");
        format!("Cookie: {}\r\nX-Toolcrib: {token}\r\n", cookie.split(';').next().unwrap())
    }

    /// Tells the process to end, and says how it did and what it had said.
    fn interrupt(mut self) -> (Option<i32>, String) {
        let kill = Command::new("kill").args(["-INT", &self.process.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let status = self.process.wait().unwrap();
        let mut said = String::new();
        self.process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (status.code(), said)
    }
}

impl Drop for Ui {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

#[test]
fn it_prints_a_link_and_ends_in_good_order() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("project");
    std::fs::create_dir(&root).unwrap();
    let ui = Ui::start(&root, home.path());
    assert!(ui.get("/", "").starts_with("HTTP/1.1 200"), "the page itself is for everybody");
    assert!(ui.get("/api/state", "").starts_with("HTTP/1.1 401"));
    let headers = ui.sign_in();
    let state = ui.get("/api/state", &headers);
    assert!(state.starts_with("HTTP/1.1 200") && state.contains(root.to_str().unwrap()), "{state}");
    let mut events = TcpStream::connect(&ui.address).unwrap();
    let request = format!("GET /api/events HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", ui.address);
    events.write_all(request.as_bytes()).unwrap();
    events.read_exact(&mut [0; 12]).unwrap();
    assert_eq!(ui.interrupt(), (Some(0), String::new()), "while a page is open");
}

#[test]
fn a_port_that_is_taken_is_said() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let dir = tempfile::tempdir().unwrap();
    let output = crate::toolcrib(dir.path(), &["ui", "--no-open", "--port", &port]);
    assert_eq!(output.status.code(), Some(1));
    assert!(crate::stderr(&output).contains(&format!("Cannot listen on port {port}")), "{output:?}");
}
