//! Files that are made to hurt: each gets an answer or an error within 5 s and 256 MB.
//!
//! Every file is read by a process of its own, which tells how long its processors worked and how much memory it had at
//! the most; so one file cannot hide behind another, and a crash is seen.

mod files;

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use toolcrib_formats::{Kind, Ranges, image, notebook, pdf, sniff};

const SECONDS: f64 = 5.0;
const MEGABYTES: u64 = 256;
const CASE: &str = "TOOLCRIB_FORMATS_CHILD";

#[test]
fn every_hostile_file_is_answered_within_bounds() {
    let mut beyond = Vec::new();
    for (name, make) in files::ALL {
        let report = in_child(name, &make());
        eprintln!("{name:40} {report}");
        if !report.is_within_bounds() {
            beyond.push(format!("{name}: {report}"));
        }
    }
    assert!(beyond.is_empty(), "{beyond:#?}");
}

#[test]
fn what_a_bomb_costs_without_the_bounds() {
    // The control: the same process sees memory and time, if there is something to see.
    let report = in_child("control", b"");
    assert!(!report.is_within_bounds(), "{report}");
}

/// What a child tells about itself.
struct Report {
    outcome: String,
    seconds: f64,
    megabytes: u64,
}

impl Report {
    fn is_within_bounds(&self) -> bool {
        self.seconds < SECONDS && self.megabytes < MEGABYTES && !self.outcome.contains("crash")
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:5.2} s {:4} MB  {}", self.seconds, self.megabytes, self.outcome)
    }
}

/// Runs [`child`] in a process of its own and gives it the bytes.
fn in_child(case: &str, bytes: &[u8]) -> Report {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["hostile::child", "--exact", "--nocapture", "--test-threads=1"])
        .env(CASE, case)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A child that died does not read; that is seen below.
    let _ = child.stdin.take().unwrap().write_all(bytes);
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

/// Reads a file from standard input, if it was started for that.
#[test]
fn child() {
    let Ok(case) = std::env::var(CASE) else { return };
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).unwrap();
    let before = processor_seconds();
    let outcome = match case.as_str() {
        "control" => {
            let mut memory = Vec::new();
            flate2::read::ZlibDecoder::new(files::zeros(400).as_slice()).read_to_end(&mut memory).unwrap();
            format!("control: {}", memory.len())
        }
        "mutated" => mutated(&bytes, 2000),
        // Every one of them costs some thousand rounds of SHA.
        "mutated, AES-256" => mutated(&bytes, 200),
        _ => outcome(bytes),
    };
    let seconds = processor_seconds() - before;
    println!("report: {seconds} {} {outcome}", peak_megabytes());
}

/// What a caller would get, with a deadline as a caller has one.
fn outcome(bytes: Vec<u8>) -> String {
    let started = Instant::now();
    let stop = move || started.elapsed() > Duration::from_secs(4);
    match sniff(&bytes) {
        Kind::Pdf => match pdf::read(bytes, &Ranges::all(), 20, &stop) {
            Ok(document) => {
                let letters: usize = document.pages.iter().map(|page| page.text.len()).sum();
                let cut = document.pages.iter().any(|page| page.cut);
                format!("{} pages, {letters} letters, cut {cut}", document.page_count)
            }
            Err(error) => format!("error: {error}"),
        },
        Kind::Unknown => match notebook::parse(&bytes, notebook::Limits::default(), &stop) {
            Ok(notebook) => {
                let numbers: Vec<usize> = (1..=notebook.cells.len()).collect();
                format!("{} cells, {} letters", numbers.len(), notebook::render(&notebook, &numbers).len())
            }
            Err(error) => format!("error: {error}"),
        },
        _ => match image::prepare(bytes, image::Limits::default(), &stop) {
            Ok(image) => format!("{} {}x{}", image.mime_type, image.width, image.height),
            Err(error) => format!("error: {error}"),
        },
    }
}

/// Changes a few bytes of the file, so many times, and reads each.
fn mutated(file: &[u8], times: usize) -> String {
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % below.max(1) as u64).unwrap()
    };
    let mut slowest = Duration::ZERO;
    let (mut answers, mut errors, mut faults) = (0, 0, 0);
    for _ in 0..times {
        let mut bytes = file.to_vec();
        for _ in 0..=next(8) {
            let at = next(bytes.len());
            match next(4) {
                0 => bytes[at] = u8::try_from(next(256)).unwrap(),
                1 => bytes[at] ^= 1 << next(8),
                2 => bytes.truncate(at.max(12)),
                _ => {
                    let end = (at + next(30)).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    let to = next(bytes.len());
                    bytes.splice(to..to, piece);
                }
            }
        }
        let started = Instant::now();
        let outcome = outcome(bytes);
        slowest = slowest.max(started.elapsed());
        if outcome.contains("decoder failed") {
            faults += 1;
        } else if outcome.starts_with("error") {
            errors += 1;
        } else {
            answers += 1;
        }
    }
    format!("{answers} answers, {errors} errors, {faults} panics held, slowest {slowest:?}")
}

#[test]
fn two_thousand_mutations_of_each_kind_of_file_do_no_harm() {
    for (name, file) in files::small() {
        let report = in_child(if name.ends_with("AES-256") { "mutated, AES-256" } else { "mutated" }, &file);
        eprintln!("{name:24} {report}");
        assert!(report.megabytes < MEGABYTES && !report.outcome.contains("crash"), "{name}: {report}");
    }
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
