//! Asking an agent's own program whether it can start the server.

use std::fmt;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::Client;

/// How long an agent may take. Gemini CLI takes seven seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// What an agent said when it was asked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Check {
    title: &'static str,
    /// What was run.
    command: String,
    verdict: Verdict,
    /// The agent's own words about the server.
    said: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It has started the server and spoken with it.
    Connected,
    /// It has the server in its list, and does not say whether it can start it.
    Listed,
    /// It could not.
    Failed,
    /// It leaves the server alone, for now.
    Off,
    /// It says nothing of the server.
    Unknown,
    /// It gave no answer in time.
    Silent,
}

/// What is typed to ask this agent; none where it has no such command.
///
/// | agent | says |
/// | --- | --- |
/// | Claude Code 2.1 | `toolcrib: … - ✔ Connected`, `✘ Failed to connect` |
/// | Codex 0.166 | a line of its table with `enabled`; it starts nothing |
/// | Gemini CLI 0.61, Qwen Code 0.15 | `✓ toolcrib: … - Connected`, `Disconnected`, `Disabled` in a folder that is not trusted |
/// | opencode 1.18 | `✓ toolcrib connected`, `✗ toolcrib failed` with the reason in the next line |
fn question(client: Client) -> Option<&'static str> {
    match client {
        Client::ClaudeCode => Some("claude"),
        Client::Codex => Some("codex"),
        Client::Gemini => Some("gemini"),
        Client::Qwen => Some("qwen"),
        Client::Opencode => Some("opencode"),
        _ => None,
    }
}

/// Asks the agent, if its program is there.
pub(super) fn ask(client: Client, server: &str, folder: &Path) -> Option<Check> {
    let program = question(client)?;
    let mut command = Command::new(program);
    command.args(["mcp", "list"]).current_dir(folder).env("NO_COLOR", "1");
    let output = run(command, PATIENCE)?;
    let (verdict, said) =
        output.map_or((Verdict::Silent, String::new()), |output| understood(&output, server));
    Some(Check { title: client.title(), command: format!("{program} mcp list"), verdict, said })
}

/// What a program prints, on both streams: nothing where it is not there, an error where it takes too long.
fn run(mut command: Command, patience: Duration) -> Option<Result<String, ()>> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
    let (sender, receiver) = mpsc::channel();
    let streams: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>),
        child.stderr.take().map(|stream| Box::new(stream) as Box<dyn Read + Send>),
    ];
    // What it started may hold the streams open after its end, so these threads are not waited for.
    thread::spawn(move || {
        let readers = streams.into_iter().flatten().map(|mut stream| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                // What came until then counts.
                _ = stream.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            })
        });
        let readers: Vec<_> = readers.collect();
        let output: Vec<String> = readers.into_iter().filter_map(|reader| reader.join().ok()).collect();
        // The receiver is gone if it took too long.
        _ = sender.send(output.join("\n"));
    });
    let output = receiver.recv_timeout(patience).map_err(|_| ());
    if output.is_err() {
        // It may have ended meanwhile.
        _ = child.kill();
    }
    _ = child.wait();
    Some(output)
}

/// What an agent means that prints this.
fn understood(output: &str, server: &str) -> (Verdict, String) {
    let lines: Vec<String> = output.lines().map(plain).collect();
    let names = |line: &String| {
        let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        line.split(|c| !is_word(c)).any(|word| word == server)
    };
    let Some(at) = lines.iter().position(names) else { return (Verdict::Unknown, String::new()) };
    let line = lines[at].to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
    let verdict = if has(&["fail", "disconnected", "error", "✗", "✘"]) {
        Verdict::Failed
    } else if has(&["disabled", "pending", "not trusted", "untrusted"]) {
        Verdict::Off
    } else if has(&["connected", "✓", "✔"]) {
        Verdict::Connected
    } else {
        Verdict::Listed
    };
    let mut said = lines[at].clone();
    // The reason may stand in the next line.
    if verdict == Verdict::Failed
        && let Some(next) = lines.get(at + 1).filter(|next| !next.is_empty())
    {
        said.push_str(": ");
        said.push_str(next);
    }
    (verdict, said)
}

/// A line without colours, and without what it is framed with.
fn plain(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' {
            if rest.next_if_eq(&'[').is_some() {
                while rest.next_if(|c| !c.is_ascii_alphabetic()).is_some() {}
                rest.next();
            }
        } else if !c.is_control() {
            text.push(c);
        }
    }
    text.trim_matches(|c: char| c.is_whitespace() || "│●┌└○".contains(c)).to_owned()
}

impl Check {
    pub(super) fn to_json(&self) -> Value {
        let verdict = match self.verdict {
            Verdict::Connected => "connected",
            Verdict::Listed => "listed",
            Verdict::Failed => "failed",
            Verdict::Off => "off",
            Verdict::Unknown => "not listed",
            Verdict::Silent => "no answer",
        };
        json!({"command": self.command, "verdict": verdict, "said": self.said})
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, command, said, .. } = self;
        match self.verdict {
            Verdict::Connected => write!(f, "{title} can start the server (`{command}`: {said})"),
            Verdict::Listed => {
                write!(
                    f,
                    "{title} lists the server and starts it with the next conversation (`{command}`: {said})"
                )
            }
            Verdict::Failed => write!(
                f,
                "warning: {title} cannot start the server (`{command}`: {said})\n\
                 hint: `toolcrib doctor` starts it as {title} does, and says what goes wrong"
            ),
            Verdict::Off => write!(
                f,
                "warning: {title} does not use the server yet (`{command}`: {said})\n\
                 hint: start {title} here, and trust the folder or allow the server when it asks"
            ),
            Verdict::Unknown => write!(
                f,
                "warning: {title} does not list the server (`{command}`)\n\
                 hint: if it reads another configuration file, name that one with --file"
            ),
            Verdict::Silent => write!(
                f,
                "warning: {title} did not answer within {} seconds (`{command}`)\n\
                 hint: run that command again, or pass --no-check to skip this check",
                PATIENCE.as_secs()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_understood_in_their_own_words() {
        for (said, verdict, words) in [
            (
                "Checking MCP server health…\n\ntoolcrib: /t mcp - ✔ Connected\n",
                Verdict::Connected,
                "toolcrib: /t mcp - ✔ Connected",
            ),
            (
                "toolcrib: /t mcp - ✘ Failed to connect — ENOENT\n",
                Verdict::Failed,
                "toolcrib: /t mcp - ✘ Failed to connect — ENOENT",
            ),
            (
                "Name      Command  Status\ntoolcrib  /t       enabled\n",
                Verdict::Listed,
                "toolcrib  /t       enabled",
            ),
            ("○ toolcrib: /t mcp (stdio) - Disabled\n", Verdict::Off, "toolcrib: /t mcp (stdio) - Disabled"),
            (
                "\u{1b}[31m✗\u{1b}[0m toolcrib: /t mcp (stdio) - Disconnected\n",
                Verdict::Failed,
                "✗ toolcrib: /t mcp (stdio) - Disconnected",
            ),
            (
                "│\n●  ✗ toolcrib \u{1b}[90mfailed\n│      no such file\n│      /t mcp\n",
                Verdict::Failed,
                "✗ toolcrib failed: no such file",
            ),
            ("●  ✓ toolcrib \u{1b}[90mconnected\n", Verdict::Connected, "✓ toolcrib connected"),
            ("toolcrib-old: /t - ✔ Connected\n", Verdict::Unknown, ""),
            ("", Verdict::Unknown, ""),
        ] {
            assert_eq!(understood(said, "toolcrib"), (verdict, words.to_owned()), "{said}");
        }
    }

    #[test]
    fn who_gives_no_answer_is_not_waited_for() {
        let mut command = Command::new("sleep");
        command.arg("1000");
        assert_eq!(run(command, Duration::from_millis(1)), Some(Err(())));
        assert_eq!(run(Command::new("no-such-program-as-this"), PATIENCE), None);
    }
}
