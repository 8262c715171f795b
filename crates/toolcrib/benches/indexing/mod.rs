//! What an index costs: its size, the processor's time and the memory to make it, and the way back to it after a restart.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolcrib::{IndexStatus, Toolbox};

use crate::Result;
use crate::measure::{Samples, show};
use crate::served::in_status;

/// What a process that makes an index tells when it is done.
struct Made {
    /// From nothing to the first answer.
    took: Duration,
    /// Seconds of the processor.
    processor: f64,
    /// Bytes.
    peak: u64,
    files: u64,
    indexed: u64,
}

/// Makes the index of a tree, or takes up the one that is kept, and tells what that took: the work of a process of its own.
pub(crate) fn make(root: &Path, state: &Path) -> Result<()> {
    let began = Instant::now();
    let toolbox = Toolbox::builder().root(root).journal_in(state).open()?;
    let Some(Some(IndexStatus::Warm { files, indexed, .. })) = toolbox.warm_up().into_iter().next() else {
        return Err("there is no index".into());
    };
    let answer = toolbox.call_blocking(
        "Grep",
        json!({"pattern": "zzq_nothing_like_this", "output_mode": "content"}),
        &toolbox.context(),
    );
    let took = began.elapsed().as_secs_f64();
    if answer.metadata.get("index") != Some(&json!("warm")) {
        return Err(format!("the index did not answer: {:?} {:?}", answer.error, answer.metadata).into());
    }
    // Which also writes it.
    drop(toolbox);
    let peak = in_status(Path::new("/proc/self/status"), "VmHWM:")?;
    let told =
        json!({"took": took, "processor": processor()?, "peak": peak, "files": files, "indexed": indexed});
    println!("{told}");
    Ok(())
}

/// Seconds of the processor that this process has had, see proc_pid_stat(5). A tick is 10 ms on all of Linux.
fn processor() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
    let ticks: u64 = fields.skip(11).take(2).map(|ticks| ticks.parse().unwrap_or(0)).sum();
    Ok(ticks as f64 / 100.0)
}

fn made(root: &Path, state: &Path) -> Result<Made> {
    let mut command = Command::new(std::env::current_exe()?);
    let done = command.arg("index").arg(root).arg(state).stderr(Stdio::inherit()).output()?;
    if !done.status.success() {
        return Err(format!("{command:?} ended with {}", done.status).into());
    }
    let told: Value = serde_json::from_slice(&done.stdout)?;
    let number = |name: &str| told[name].as_u64().ok_or_else(|| format!("no {name} in {told}"));
    let seconds = |name: &str| told[name].as_f64().ok_or_else(|| format!("no {name} in {told}"));
    Ok(Made {
        took: Duration::from_secs_f64(seconds("took")?),
        processor: seconds("processor")?,
        peak: number("peak")?,
        files: number("files")?,
        indexed: number("indexed")?,
    })
}

/// Makes the index of a tree in a state folder, and shows what that takes, and what a restart does.
pub(crate) fn figures(root: &Path, state: &Path, rounds: usize) -> Result<()> {
    let (swept, text) = sweep(root)?;
    let first = made(root, state)?;
    let (_, kept) = sweep(&state.join("index"))?;
    let gigabytes = text as f64 / 1e9;
    println!("\nThe index of {} files, {} of them indexed; the tree has {swept}", first.files, first.indexed);
    figure(
        "its size on disk",
        &format!("{} of {}, {:.1} %", mb(kept), mb(text), kept as f64 / text as f64 * 100.0),
    );
    figure("time until it answers, on one thread", &format!("{:.1} s", first.took.as_secs_f64()));
    let each = first.processor / gigabytes;
    figure("seconds of the processor", &format!("{:.1} s, {each:.1} s for 1 GB of text", first.processor));
    figure("the most memory while it is made", &mb(first.peak));

    let [mut sweeping, mut restart] =
        ["a plain sweep: statx of every file", "a restart until it answers"].map(Samples::new);
    let mut peak = 0;
    for _ in 0..rounds {
        let began = Instant::now();
        sweep(root)?;
        sweeping.push(began.elapsed(), 1);
        let again = made(root, state)?;
        restart.push(again.took, 1);
        peak = peak.max(again.peak);
    }
    show("An index that was kept", &[&sweeping, &restart]);
    figure("the most memory of a process that takes it up", &mb(peak));
    Ok(())
}

/// Shows a figure for which there is no aim.
pub(crate) fn figure(what: &str, found: &str) {
    println!("  {what}: {found}");
}

pub(crate) fn mb(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Asks the kernel for every file of a tree, one after the other: how many there are, and how many bytes they have.
fn sweep(folder: &Path) -> Result<(u64, u64)> {
    let (mut files, mut bytes) = (0, 0);
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let found = entry.metadata()?;
        if found.is_dir() && entry.file_name() != ".git" {
            let below = sweep(&entry.path())?;
            files += below.0;
            bytes += below.1;
        } else if found.is_file() {
            files += 1;
            bytes += found.len();
        }
    }
    Ok((files, bytes))
}
