//! Sends calls to a child, starts it again when it dies, and judges what it tells.

use std::fmt;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use toolcrib::Settings;

use crate::child::{CHILD, Order, Orders, RAN_AWAY, Report};

/// How much address space a child has.
pub(crate) const MEGABYTES: u64 = 256;

/// How long processors may work for a call after it should have ended, in milliseconds. Without optimisation everything
/// takes some ten times as long.
pub(crate) const OVER: u64 = if cfg!(debug_assertions) { 5000 } else { 500 };

/// What came of a call.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Reported(Report),
    /// The process ended.
    Died(String),
}

/// Why a call must not be.
impl Answer {
    pub(crate) fn fault(&self) -> Option<String> {
        match self {
            Self::Died(how) => Some(how.clone()),
            Self::Reported(report) if report.over > OVER => {
                Some(format!("{} ms of work after its end", report.over))
            }
            Self::Reported(report) if report.grown > 4 * report.request + (17 << 20) => {
                Some(format!("files grew by {} bytes for a request of {}", report.grown, report.request))
            }
            Self::Reported(report) if report.outcome == "internal" => {
                Some(format!("a fault of the tool: {}", report.said))
            }
            Self::Reported(report) if report.size > LARGEST_ANSWER => {
                Some(format!("an answer of {} bytes", report.size))
            }
            Self::Reported(_) => None,
        }
    }
}

/// How many bytes the whole answer may have, metadata included.
const LARGEST_ANSWER: usize = 16 << 20;

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Died(how) => write!(f, "died: {how}"),
            Self::Reported(report) => write!(
                f,
                "{} in {} ms, {} ms over, {} MB: {}",
                report.outcome, report.worked, report.over, report.memory, report.said
            ),
        }
    }
}

/// A child in a directory of its own.
pub(crate) struct Crib {
    orders: Orders,
    running: Option<Running>,
}

struct Running {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Crib {
    pub(crate) fn new(root: &Path, state: PathBuf) -> Self {
        let max_growth = Settings::default().max_growth;
        let orders = Orders { root: root.to_owned(), state, megabytes: MEGABYTES, max_growth, frugal: false };
        Self { orders, running: None }
    }

    pub(crate) fn max_growth(mut self, max_growth: usize) -> Self {
        self.orders.max_growth = max_growth;
        self
    }

    pub(crate) fn megabytes(mut self, megabytes: u64) -> Self {
        self.orders.megabytes = megabytes;
        self
    }

    /// Has the child give memory back to the system as soon as it can.
    pub(crate) fn frugal(mut self) -> Self {
        self.orders.frugal = true;
        self
    }

    pub(crate) fn call(&mut self, order: &Order) -> Answer {
        let orders = &self.orders;
        let running = self.running.get_or_insert_with(|| start(orders));
        let line = serde_json::to_string(order).unwrap() + "\n";
        let mut answer = String::new();
        // A child that died does not read; that is seen below.
        let sent = running.stdin.write_all(line.as_bytes());
        let read = running.stdout.read_line(&mut answer);
        match serde_json::from_str(&answer) {
            Ok(report) if sent.is_ok() && read.is_ok() => Answer::Reported(report),
            _ => Answer::Died(self.bury()),
        }
    }

    fn bury(&mut self) -> String {
        let Some(mut running) = self.running.take() else { return "it did not start".to_owned() };
        let status = running.child.wait().unwrap();
        match (status.signal(), status.code()) {
            (Some(signal), _) => format!("signal {signal}"),
            (_, Some(RAN_AWAY)) => "it did not end".to_owned(),
            (_, code) => format!("exit status {code:?}"),
        }
    }
}

impl Drop for Crib {
    fn drop(&mut self) {
        if let Some(Running { mut child, stdin, .. }) = self.running.take() {
            drop(stdin);
            child.wait().unwrap();
        }
    }
}

fn start(orders: &Orders) -> Running {
    let mut command = Command::new(std::env::current_exe().unwrap());
    if orders.frugal {
        command.env("MALLOC_MMAP_THRESHOLD_", "131072").env("MALLOC_ARENA_MAX", "1");
    }
    let mut child = command
        .env(CHILD, serde_json::to_string(orders).unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    Running { child, stdin, stdout }
}
