//! Reading parts of a large text, small files through the MCP server, and the text of a PDF.
//!
//! - A range in the middle and at the end of a text of 1 GiB, beside a bare count of newlines over the same bytes, which
//!   is the limit, and beside `sed -n`: at most 1.3 times the limit.
//! - The same range once more, and the last 50 lines: under 1 ms each.
//! - The memory that takes: at most 16 MB.
//! - A file of 10 KiB and one of 1 MiB through the MCP server, beside an empty call: the small one at most 3 times.
//! - The text of a PDF of 300 pages, beside pypdf and pdftotext: five times as fast as pypdf, and as complete.
//!
//! Run it with `cargo xtask bench read`; it ends with status 1 if an aim is missed. It makes a file of 1 GiB in the
//! folder for temporary files and reads it warm.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark makes its own files and shows a table"
)]

mod measure;
mod pdf;
mod server;

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use measure::{Samples, aim, show, shown};
use serde_json::{Value, json};
use server::Server;
use toolcrib::Toolbox;

const ROUNDS: usize = 15;
const SIZE: u64 = 1 << 30;
const AIM_RANGE: f64 = 1.3;
/// In seconds.
const AIM_AGAIN: f64 = 1e-3;
/// In kilobytes.
const AIM_MEMORY: u64 = 16_000;
const AIM_SERVER: f64 = 3.0;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().collect();
    match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "peak", file, offset] => return print_peak(Path::new(file), offset.parse()?),
        [_, "serve", root] => return server::serve(Path::new(root)).map(|()| ExitCode::SUCCESS),
        _ => {}
    }
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    let file = root.join("large.log");
    let lines = make_large(&file)?;
    println!("{ROUNDS} rounds, in which each takes its turn; a text of 1 GiB, {lines} lines, read warm");
    let met = [
        ranges(&file, lines)?,
        once_more(&file, lines)?,
        memory(&file, lines)?,
        through_the_server(&root)?,
        pdf::beside_others(&root)?,
    ];
    Ok(if met.iter().all(|met| *met) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Lines of 20 to 140 bytes, as a log has them.
fn make_large(path: &Path) -> Result<u64> {
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let filler = "the quick brown fox jumps over the lazy dog and runs away from whoever may be looking for it in the woods".repeat(2);
    let (mut written, mut lines, mut state) = (0, 0_u64, 1_u64);
    while written < SIZE {
        lines += 1;
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let length = usize::try_from(state >> 33)? % 120;
        let line = format!("{lines:>12} INFO {}\n", &filler[..length]);
        file.write_all(line.as_bytes())?;
        written += line.len() as u64;
    }
    file.flush()?;
    Ok(lines)
}

fn ranges(file: &Path, lines: u64) -> Result<bool> {
    let toolbox = Toolbox::open(file.parent().unwrap_or(file))?;
    let mut met = true;
    for (place, first, bytes) in [("in the middle", lines / 2, SIZE / 2), ("at the end", lines - 9, SIZE)] {
        let mut limit = Samples::new("a bare count of the newlines up to there");
        let mut read = Samples::new("Read, 10 lines");
        let mut sed = Samples::new("sed -n, 10 lines");
        for round in 0..=ROUNDS {
            // A file that was changed just now is counted anew each time.
            File::options().append(true).open(file)?.set_modified(SystemTime::now())?;
            let counting = timed(|| count(file, bytes))?;
            let reading = timed(|| ten_lines(&toolbox, file, json!({"offset": first, "limit": 10}), first))?;
            let printing = timed(|| sed_prints(file, first))?;
            if round > 0 {
                limit.push(counting, 1);
                read.push(reading, 1);
                sed.push(printing, 1);
            }
        }
        show(&format!("A range {place} of 1 GiB"), &[&limit, &read, &sed]);
        let ratio = read.median() / limit.median();
        met &= aim("at most 1.3 times the limit", &format!("{ratio:.2} times"), ratio <= AIM_RANGE);
    }
    Ok(met)
}

fn once_more(file: &Path, lines: u64) -> Result<bool> {
    let toolbox = Toolbox::open(file.parent().unwrap_or(file))?;
    // Old enough that nothing can have changed unseen.
    sleep(Duration::from_millis(2500));
    ten_lines(&toolbox, file, json!({"offset": lines - 9, "limit": 10}), lines - 9)?;
    let mut again = Samples::new("the last 10 lines by their number, once more");
    let mut middle = Samples::new("10 lines in the middle");
    let mut tail = Samples::new("the last 50 lines, tail");
    for _ in 0..ROUNDS * 10 {
        let offset = lines - 9;
        again.push(timed(|| ten_lines(&toolbox, file, json!({"offset": offset, "limit": 10}), offset))?, 1);
        let offset = lines / 2;
        middle.push(timed(|| ten_lines(&toolbox, file, json!({"offset": offset, "limit": 10}), offset))?, 1);
        tail.push(timed(|| ten_lines(&toolbox, file, json!({"tail": 50}), lines - 49))?, 1);
    }
    let mut cold = Samples::new("the last 50 lines, tail, of a file not seen before");
    for _ in 0..ROUNDS * 10 {
        File::options().append(true).open(file)?.set_modified(SystemTime::now())?;
        cold.push(timed(|| answer(&toolbox, file, json!({"tail": 50})))?, 1);
    }
    show("What is known is not counted again", &[&again, &middle, &tail, &cold]);
    let worst = [&again, &middle, &tail, &cold].map(Samples::median).into_iter().fold(0.0, f64::max);
    Ok(aim("under 1 ms each", &shown(worst), worst < AIM_AGAIN))
}

fn memory(file: &Path, lines: u64) -> Result<bool> {
    let offset = (lines - 9).to_string();
    let done = Command::new(std::env::current_exe()?).arg("peak").arg(file).arg(offset).output()?;
    let peak: u64 = String::from_utf8(done.stdout)?.trim().parse()?;
    println!("\nMemory of a process that reads the end of it");
    Ok(aim("at most 16 MB", &format!("{:.1} MB", peak as f64 / 1000.0), peak <= AIM_MEMORY))
}

/// What this process took at its peak after reading a range, in kilobytes.
fn print_peak(file: &Path, offset: u64) -> Result<ExitCode> {
    let toolbox = Toolbox::open(file.parent().unwrap_or(file))?;
    ten_lines(&toolbox, file, json!({"offset": offset, "limit": 10}), offset)?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    println!("{}", peak.trim().trim_end_matches(" kB"));
    Ok(ExitCode::SUCCESS)
}

fn through_the_server(root: &Path) -> Result<bool> {
    let line = "a line of text that has sixty-four bytes, its newline included.\n";
    std::fs::write(root.join("small.txt"), line.repeat(10 * 1024 / 64))?;
    std::fs::write(root.join("large.txt"), line.repeat(1024 * 1024 / 64))?;
    let mut server = Server::start(root)?;
    let mut empty = Samples::new("an empty call: a tool that does nothing");
    let mut small = Samples::new("Read, 10 KiB");
    let mut large = Samples::new("Read of 1 MiB, its first 50 KiB");
    let mut here = Samples::new("Read, 10 KiB, in this process");
    let toolbox = Toolbox::open(root)?;
    let read = |name: &str| json!({"name": "Read", "arguments": {"file_path": root.join(name)}});
    let (small_file, large_file) = (read("small.txt"), read("large.txt"));
    const CALLS: usize = 50;
    for round in 0..=ROUNDS * 4 {
        let mut take = |samples: &mut Samples, parameters: &Value, holds: &str| -> Result<()> {
            let taken = timed(|| (0..CALLS).try_for_each(|_| server.call(parameters, holds)))?;
            if round > 0 {
                samples.push(taken, CALLS);
            }
            Ok(())
        };
        take(&mut empty, &json!({"name": "Nothing", "arguments": {}}), "nothing done")?;
        take(&mut small, &small_file, "   160\\ta line")?;
        take(&mut large, &large_file, "   100\\ta line")?;
        let file = root.join("small.txt");
        here.push(timed(|| (0..CALLS).try_for_each(|_| answer(&toolbox, &file, json!({}))))?, CALLS);
    }
    server.stop()?;
    show("Through the MCP server", &[&empty, &small, &large, &here]);
    let ratio = small.median() / empty.median();
    Ok(aim("10 KiB take at most 3 times an empty call", &format!("{ratio:.2} times"), ratio <= AIM_SERVER))
}

fn timed(run: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let started = Instant::now();
    run()?;
    Ok(started.elapsed())
}

/// The limit: every byte is read once and compared with one other.
fn count(file: &Path, mut bytes: u64) -> Result<()> {
    let mut file = File::open(file)?;
    let mut block = vec![0; 256 * 1024];
    let mut newlines = 0;
    while bytes > 0 {
        let length = file.read(&mut block)?;
        if length == 0 {
            break;
        }
        newlines += memchr::memchr_iter(b'\n', &block[..length]).count();
        bytes = bytes.saturating_sub(length as u64);
    }
    if newlines > 0 { Ok(()) } else { Err("no newlines".into()) }
}

/// Reads, and makes sure that the line was found.
fn ten_lines(toolbox: &Toolbox, file: &Path, parameters: Value, first: u64) -> Result<()> {
    let mut parameters = parameters;
    parameters["file_path"] = json!(file);
    let result = toolbox.call_blocking("Read", parameters, &toolbox.context());
    let text = result.output.as_str().unwrap_or_default();
    let start = format!("{first:>6}\t{first:>12} INFO ");
    if text.starts_with(&start) { Ok(()) } else { Err(first_of(&result.to_display()).into()) }
}

fn answer(toolbox: &Toolbox, file: &Path, parameters: Value) -> Result<()> {
    let mut parameters = parameters;
    parameters["file_path"] = json!(file);
    let result = toolbox.call_blocking("Read", parameters, &toolbox.context());
    if result.success { Ok(()) } else { Err(first_of(&result.to_display()).into()) }
}

fn first_of(text: &str) -> String {
    text.chars().take(200).collect()
}

fn sed_prints(file: &Path, first: u64) -> Result<()> {
    let script = format!("{first},{0}p;{0}q", first + 9);
    let done = Command::new("sed").arg("-n").arg(script).arg(file).stderr(Stdio::inherit()).output()?;
    let found = String::from_utf8(done.stdout)?.starts_with(&format!("{first:>12} INFO"));
    if found { Ok(()) } else { Err("sed printed something else".into()) }
}
