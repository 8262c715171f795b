//! Work in a process of its own, which tells how long its processors worked and how much memory it had at the most; so one
//! piece of work cannot hide behind another, and a crash is seen.

use std::fmt;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};

const CASE: &str = "TOOLCRIB_MEASURED_CASE";

/// What a process tells about itself.
#[derive(Debug)]
pub struct Report {
    /// What it says came of it, or how it crashed.
    pub outcome: String,
    /// How long processors worked for it.
    pub seconds: f64,
    /// The most memory that it had.
    pub megabytes: u64,
}

impl Report {
    /// Whether it ended by itself within these bounds.
    pub fn is_within(&self, seconds: f64, megabytes: u64) -> bool {
        self.seconds < seconds && self.megabytes < megabytes && !self.outcome.starts_with("crash")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:5.2} s {:4} MB  {}", self.seconds, self.megabytes, self.outcome)
    }
}

/// Runs the ignored test `child` of the running test program in a process of its own, for a case and with these bytes as its input.
pub fn in_child(child: &str, case: &str, input: &[u8]) -> Report {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([child, "--ignored", "--exact", "--nocapture", "--test-threads=1"])
        .env(CASE, case)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A child that died does not read; that is seen below.
    let _ = child.stdin.take().unwrap().write_all(input);
    let mut output = String::new();
    child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    let status = child.wait().unwrap();
    let told = output.lines().find_map(|line| line.split_once("report: ")).map(|(_, report)| report);
    let fields: Vec<&str> = told.unwrap_or_default().splitn(3, ' ').collect();
    match fields[..] {
        [seconds, megabytes, outcome] if status.success() => Report {
            outcome: outcome.to_owned(),
            seconds: seconds.parse().unwrap(),
            megabytes: megabytes.parse().unwrap(),
        },
        _ => Report { outcome: format!("crash: {status}"), seconds: 0.0, megabytes: 0 },
    }
}

/// The body of the test that [`in_child`] runs: does the work, and reports. Does nothing when the test runs by itself.
pub fn child(work: impl FnOnce(&str, Vec<u8>) -> String) {
    let Ok(case) = std::env::var(CASE) else { return };
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).unwrap();
    let before = processor_seconds();
    let outcome = work(&case, input);
    let seconds = processor_seconds() - before;
    println!("report: {seconds} {} {}", peak_megabytes(), outcome.replace('\n', " "));
}

/// The time that processors have worked for this process.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = [11, 12].map(|at| fields[at].parse::<f64>().unwrap()).iter().sum();
    ticks / 100.0
}

/// The most memory this process ever had.
fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}
