//! Starting a server as an agent would, and asking whether it answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::commands::init::Configured;

/// How long a server may take to answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
/// How much of an answer is read.
const MOST: u64 = 1 << 20;

/// Starts the server in this directory and greets it. What it calls itself, or why it is no server.
pub(super) fn greet(server: &Configured, folder: &Path, patience: Duration) -> Result<String, String> {
    let mut command = Command::new(&server.command);
    command
        .args(server.args.iter().map(|arg| in_folder(arg, folder)))
        .envs(server.env.iter().map(|(name, value)| (name, value)))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cannot be started: {error}"))?;
    let answered = talk(&mut child, patience);
    // It may have ended meanwhile.
    _ = child.kill();
    _ = child.wait();
    answered
}

/// What stands for the project in the configurations of editors.
fn in_folder(argument: &str, folder: &Path) -> String {
    argument.replace("${workspaceFolder}", &folder.to_string_lossy())
}

fn talk(child: &mut Child, patience: Duration) -> Result<String, String> {
    let client = json!({"name": "toolcrib doctor", "version": env!("CARGO_PKG_VERSION")});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    // Held until it has answered: at the end of its input a server ends.
    let mut input = child.stdin.take().ok_or("has no standard input")?;
    let said = child.stderr.take().map(lines);
    let answers = child.stdout.take().map(lines).ok_or("has no standard output")?;
    if writeln!(input, "{request}").and_then(|()| input.flush()).is_err() {
        return Err(why_it_ended(said));
    }
    let end = Instant::now() + patience;
    loop {
        match answers.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                if let Some(name) = server_name(&line) {
                    return Ok(name);
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                return Err(format!("does not answer within {} s", patience.as_secs()));
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(why_it_ended(said)),
        }
    }
}

/// The name and version in its answer, if this is its answer.
fn server_name(line: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(line).ok()?;
    let server = answer.get("result")?.get("serverInfo")?;
    let text = |key: &str| server.get(key).and_then(Value::as_str).unwrap_or_default();
    Some(format!("{} {}", text("name"), text("version")).trim().to_owned())
}

/// Its own words, where it has said any.
fn why_it_ended(said: Option<Receiver<String>>) -> String {
    let last = said.and_then(|lines| lines.into_iter().take(20).find(|line| !line.trim().is_empty()));
    match last {
        Some(line) => format!("ended: {}", line.trim()),
        None => "ended without an answer".to_owned(),
    }
}

/// The lines of a stream, read by a thread of its own, so that nobody waits for them. It ends with the stream.
fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stream.take(MOST)).lines() {
            // Who has heard enough has gone.
            if line.is_ok_and(|line| sender.send(line).is_err()) {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Configured {
        let args = ["-c", script].map(str::to_owned).to_vec();
        Configured { command: "/bin/sh".to_owned(), args, ..Configured::default() }
    }

    fn greet_in_time(script: &str) -> Result<String, String> {
        greet(&shell(script), Path::new("/"), Duration::from_secs(60))
    }

    #[test]
    fn a_server_says_what_it_is() {
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"x","version":"1"}}}"#;
        let script = format!("echo noise; read line; echo '{answer}'; sleep 1000");
        assert_eq!(greet_in_time(&script).as_deref(), Ok("x 1"));
    }

    #[test]
    fn what_is_no_server_is_not_waited_for() {
        assert_eq!(greet_in_time("echo no such file >&2; exit 1").unwrap_err(), "ended: no such file");
        assert_eq!(greet_in_time("read line; exit 0").unwrap_err(), "ended without an answer");
        let absent = Configured { command: "/no/such/program".to_owned(), ..Configured::default() };
        assert!(greet(&absent, Path::new("/"), PATIENCE).unwrap_err().starts_with("cannot be started: "));
        let silent = greet(&shell("sleep 1000"), Path::new("/"), Duration::from_millis(1));
        assert_eq!(silent.unwrap_err(), "does not answer within 0 s");
    }
}
