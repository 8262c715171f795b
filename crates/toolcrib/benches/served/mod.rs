//! `toolcrib mcp` as it is shipped, with an index or without one.
//!
//! Its answers have the structured form too, since that tells whether an index was used.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Result;
use crate::server::Server;

/// How an answer says that its files were found by an index, and that they were not.
const INDEX: &str = r#""index":"warm""#;
const SCAN: &str = r#""index":"scan""#;

/// A running `toolcrib mcp`.
pub(crate) struct Served(Server);

/// Which program serves which tree.
pub(crate) struct Site<'a> {
    pub(crate) toolcrib: &'a Path,
    pub(crate) root: &'a Path,
}

/// How long is waited between two looks whether an index is ready: each look costs the thread that makes it.
const BETWEEN_LOOKS: Duration = Duration::from_millis(500);

impl Site<'_> {
    /// A server that reads all files for each search.
    pub(crate) fn without_index(&self, folder: &Path) -> Result<Served> {
        self.serve(folder, "off")
    }

    /// A server that makes an index, and keeps it in this folder.
    pub(crate) fn with_index(&self, folder: &Path) -> Result<Served> {
        self.serve(folder, "auto")
    }

    fn serve(&self, folder: &Path, index: &str) -> Result<Served> {
        let configuration = folder.join("config.toml");
        std::fs::write(&configuration, format!("[search]\nindex = \"{index}\"\n"))?;
        let mut command = Command::new(self.toolcrib);
        command.args(["mcp", "--structured", "--root"]).arg(self.root);
        command.arg("--config").arg(configuration).env("XDG_STATE_HOME", folder.join("state"));
        Ok(Served(Server::of(&mut command)?))
    }
}

impl Served {
    /// How long a search takes that must not use an index.
    pub(crate) fn time_scan(&mut self, call: &Value) -> Result<Duration> {
        let began = Instant::now();
        self.0.call(call, SCAN)?;
        Ok(began.elapsed())
    }

    /// How long a call takes, and whether it used an index.
    pub(crate) fn time(&mut self, call: &Value) -> Result<(Duration, bool)> {
        let began = Instant::now();
        self.0.call(call, r#""isError":false"#)?;
        Ok((began.elapsed(), self.holds(INDEX)))
    }

    /// Whether the last answer holds this text.
    pub(crate) fn holds(&self, text: &str) -> bool {
        self.0.line.contains(text)
    }

    /// Searches until the index answers: how long the first search took, and how many it were. None if it does not within this
    /// time; the tree may be too small to be worth one.
    pub(crate) fn warm_up(&mut self, call: &Value, within: Duration) -> Result<Option<(Duration, usize)>> {
        let until = Instant::now() + within;
        let mut first = None;
        let mut searches = 0;
        while Instant::now() < until {
            let (took, warm) = self.time(call)?;
            let first = *first.get_or_insert(took);
            searches += 1;
            if warm {
                return Ok(Some((first, searches)));
            }
            sleep(BETWEEN_LOOKS);
        }
        Ok(None)
    }

    /// The memory that is in use now: all of it, and without what is mapped from files. In bytes.
    pub(crate) fn memory(&self) -> Result<[u64; 2]> {
        let status = PathBuf::from(format!("/proc/{}/status", self.0.process.id()));
        Ok([in_status(&status, "VmRSS:")?, in_status(&status, "RssAnon:")?])
    }

    pub(crate) fn stop(self) -> Result<()> {
        self.0.stop()
    }
}

/// A figure of proc_pid_status(5), in bytes.
pub(crate) fn in_status(status: &Path, name: &str) -> Result<u64> {
    let text = std::fs::read_to_string(status)?;
    let found = text.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix(" kB"));
    let kilobytes: u64 = found.ok_or_else(|| format!("no {name} in {}", status.display()))?.parse()?;
    Ok(kilobytes * 1024)
}
