//! The program in a pseudo-terminal, on which a test types. `script` makes it.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

/// A terminal with a program in it.
pub(crate) struct Terminal {
    script: Child,
    keyboard: ChildStdin,
    screen: ChildStdout,
    /// All that was shown so far.
    pub(crate) shown: String,
}

impl Terminal {
    /// Runs `toolcrib` with these arguments, as a shell would take them.
    pub(crate) fn start(dir: &Path, args: &str, variables: &[(&str, &str)]) -> Self {
        Self::start_line(dir, &format!("{} {args}", env!("CARGO_BIN_EXE_toolcrib")), variables)
    }

    /// Runs a line of a shell.
    pub(crate) fn start_line(dir: &Path, line: &str, variables: &[(&str, &str)]) -> Self {
        let mut script = Command::new("script")
            .args(["--quiet", "--return", "--flush", "--echo", "never", "--command", line, "/dev/null"])
            .current_dir(dir)
            .env_remove("NO_COLOR")
            .env("TERM", "xterm")
            .env("XDG_STATE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/state"))
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (keyboard, screen) = (script.stdin.take().unwrap(), script.stdout.take().unwrap());
        Self { script, keyboard, screen, shown: String::new() }
    }

    /// Waits until this is shown.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, text: &str) {
        let mut buffer = [0; 4096];
        while !self.shown.contains(text) {
            let read = self.screen.read(&mut buffer).unwrap();
            assert_ne!(read, 0, "it ended without {text:?}: {}", self.shown);
            self.shown.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
    }

    pub(crate) fn type_in(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    /// Waits for the end. What comes back is the status, and all that was shown.
    pub(crate) fn end(mut self) -> (ExitStatus, String) {
        let mut rest = Vec::new();
        self.screen.read_to_end(&mut rest).unwrap();
        self.shown.push_str(&String::from_utf8_lossy(&rest));
        (self.script.wait().unwrap(), self.shown)
    }
}
