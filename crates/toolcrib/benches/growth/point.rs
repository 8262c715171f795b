//! One point of a curve: a process that does one thing at one size and tells what it cost.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use toolcrib_testkit::limits::processor_time;

use crate::Result;
use crate::grounds::GROUNDS;
use crate::place::Place;
use crate::row::{Ground, Row};

/// What one process has needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// How long processors worked for it, in seconds.
    pub(crate) time: f64,
    /// The most memory that it had beyond what it began with, in bytes.
    pub(crate) memory: f64,
}

const REPORT: &str = "report";
const COMPLAINT: &str = "complaint";

/// Lets a place grow, in a process of its own.
pub(crate) fn grow(ground: &Ground, folder: &Path, from: usize, to: usize) -> Result<()> {
    run_child(folder, &["grow", ground.what, &from.to_string(), &to.to_string()], finished)
}

/// Measures once, in a process of its own.
pub(crate) fn measure(ground: &Ground, row: &Row, folder: &Path, size: usize) -> Result<Cost> {
    let arguments = ["act", ground.what, row.name, &size.to_string()];
    match row.sent {
        None => run_child(folder, &arguments, finished)?,
        // One answer to each call, and one to the handshake.
        Some(file) => run_child(folder, &arguments, |command| served(command, &folder.join(file), size + 1))?,
    }
    let report = fs::read_to_string(folder.join(REPORT))?;
    let (time, memory) = report.split_once(' ').ok_or("no report")?;
    Ok(Cost { time: time.parse()?, memory: memory.parse()? })
}

fn run_child(
    folder: &Path,
    arguments: &[&str],
    run: impl FnOnce(&mut Command) -> Result<ExitStatus>,
) -> Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("child").arg(folder).args(arguments).stderr(File::create(folder.join(COMPLAINT))?);
    let status = run(Place::at(folder).lend(&mut command))?;
    if status.success() {
        return Ok(());
    }
    let complaint = fs::read_to_string(folder.join(COMPLAINT))?;
    Err(format!("{}: {status}: {complaint:.2000}", arguments.join(", ")).into())
}

/// Runs a process that gets no input, to its end.
fn finished(command: &mut Command) -> Result<ExitStatus> {
    Ok(command.stdin(Stdio::null()).stdout(Stdio::null()).status()?)
}

/// Runs a server until it has answered all that is in a file; then its input ends, and so does it.
fn served(command: &mut Command, requests: &Path, answers: usize) -> Result<ExitStatus> {
    let requests = fs::read(requests)?;
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = process.stdin.take().ok_or("no standard input")?;
    let mut output = BufReader::new(process.stdout.take().ok_or("no standard output")?);
    // Neither fits into a pipe, so both are moved at once.
    let sender = thread::spawn(move || input.write_all(&requests).map(|()| input));
    let found =
        output.by_ref().lines().map_while(std::io::Result::ok).filter(|line| line.contains("\"id\":"));
    let count = found.take(answers).count();
    drop(sender.join());
    let status = process.wait()?;
    if count == answers { Ok(status) } else { Err(format!("{count} answers instead of {answers}").into()) }
}

/// What a child does.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let [folder, what, ground, rest @ ..] = arguments else { return Err("no orders".into()) };
    let place = Place::at(Path::new(folder));
    let ground = GROUNDS.iter().find(|known| known.what == *ground).ok_or("no such ground")?;
    match (what.as_str(), rest) {
        ("grow", [from, to]) => (ground.grow)(&place, from.parse()?, to.parse()?),
        ("act", [row, size]) => {
            let row = ground.rows.iter().find(|known| known.name == *row).ok_or("no such row")?;
            act(row, &place, size.parse()?)
        }
        _ => Err("no such order".into()),
    }
}

fn act(row: &Row, place: &Place, size: usize) -> Result<()> {
    // A server locks itself in, and opens none of these any more.
    let mut status = File::open("/proc/self/status")?;
    let mut report = File::create(place.beside(REPORT))?;
    let idle = memory(&mut status, "VmRSS:")?;
    let act = (row.act)(place, size)?;
    // The peak begins anew; see proc_pid_clear_refs(5).
    fs::write("/proc/self/clear_refs", "5")?;
    let before = processor_time();
    act()?;
    let time = (processor_time() - before).as_secs_f64();
    Ok(write!(report, "{time} {}", (memory(&mut status, "VmHWM:")? - idle).max(0.0))?)
}

/// A figure of proc_pid_status(5), in bytes.
fn memory(status: &mut File, name: &str) -> Result<f64> {
    let mut text = String::new();
    status.rewind()?;
    status.read_to_string(&mut text)?;
    let found = text.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix(" kB"));
    let kilobytes: f64 = found.ok_or("no such figure")?.trim().parse()?;
    Ok(kilobytes * 1024.0)
}
