//! Edits and patches on large texts, without the tools around them.
//!
//! - An edit in a file of 100 MB, read, edited and written, beside reading and writing it: at most twice.
//! - A patch of 1000 hunks over 500 files in memory, beside `git apply` on the disk.
//! - What comes closest to a text that is not there, in a file of 1 MB: under 50 ms.
//!
//! Run it with `cargo xtask bench edit`; it ends with status 1 if an aim is missed.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark makes its own files and shows a table"
)]

#[path = "../../toolcrib/benches/measure/mod.rs"]
mod measure;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use measure::{Samples, aim, show, shown};
use toolcrib_edit::{Edit, Matching};
use toolcrib_patch::{Options, parse};

const ROUNDS: usize = 7;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<ExitCode> {
    let folder = tempfile::tempdir()?;
    println!("{ROUNDS} rounds, in which each takes its turn");
    let met = [large_file(folder.path())?, many_hunks(folder.path())?, not_found()?];
    Ok(if met.iter().all(|met| *met) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn timed<T>(run: impl FnOnce() -> Result<T>) -> Result<Duration> {
    let began = Instant::now();
    run()?;
    Ok(began.elapsed())
}

fn lines(count: usize) -> String {
    (0..count).map(|line| format!("line {line:>9} of a text that is long, and says little\n")).collect()
}

fn large_file(folder: &Path) -> Result<bool> {
    let file = folder.join("large.txt");
    let text = lines(1_800_000);
    fs::write(&file, &text)?;
    let edit = Edit::new("line    900000 of", "line    900000, changed, of");
    let mut bare = Samples::new("read and write it");
    let mut edited = Samples::new("read, edit and write it");
    for _ in 0..ROUNDS {
        bare.push(timed(|| Ok(fs::write(&file, fs::read_to_string(&file)?)?))?, 1);
        let change =
            || Ok(fs::write(&file, edit.apply(&fs::read_to_string(&file)?, Matching::Tolerant)?.text)?);
        edited.push(timed(change)?, 1);
        fs::write(&file, &text)?;
    }
    show(&format!("An edit in a file of {} MB", text.len() / 1_000_000), &[&bare, &edited]);
    let ratio = edited.median() / bare.median();
    Ok(aim("at most twice reading and writing", &format!("{ratio:.2} times"), ratio <= 2.0))
}

fn many_hunks(folder: &Path) -> Result<bool> {
    let (mut files, mut patch) = (BTreeMap::new(), String::new());
    let text = lines(400);
    for number in 0..500 {
        let name = format!("f{number}");
        let head = |at: usize| format!("@@ -{at},3 +{at},3 @@\n");
        let line = |number: usize| format!("line {number:>9} of a text that is long, and says little\n");
        patch.push_str(&format!("--- a/{name}\n+++ b/{name}\n"));
        for at in [100, 300] {
            let (above, gone, below) = (line(at - 1), line(at), line(at + 1));
            patch.push_str(&format!("{} {above}-{gone}+changed {gone} {below}", head(at)));
        }
        files.insert(name, text.clone());
    }
    let tree = folder.join("tree");
    fs::create_dir(&tree)?;
    fs::write(folder.join("patch"), &patch)?;
    let mut git = Samples::new("git apply, on the disk");
    let mut own = Samples::new("read and plan, in memory");
    for _ in 0..ROUNDS {
        for (name, text) in &files {
            fs::write(tree.join(name), text)?;
        }
        git.push(timed(|| git_apply(&tree, &folder.join("patch")))?, 1);
        let plan = || {
            let planned =
                parse(&patch)?.plan(Options::default(), |path| files.get(path).map(String::as_str))?;
            if planned.len() == 500 { Ok(()) } else { Err("the patch was not applied".into()) }
        };
        own.push(timed(plan)?, 1);
    }
    show("A patch of 1000 hunks over 500 files", &[&git, &own]);
    let ratio = own.median() / git.median();
    Ok(aim("at most as long as git apply", &format!("{ratio:.2} times"), ratio <= 1.0))
}

fn git_apply(tree: &Path, patch: &Path) -> Result<()> {
    let mut command = Command::new("git");
    let status = command.arg("apply").arg(patch).current_dir(tree).stderr(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err("git apply failed".into()) }
}

fn not_found() -> Result<bool> {
    let text = lines(18_000);
    let old =
        "line      9000 of a text that is long\nline      9001 of a txet that is long, and says little\n";
    let edit = Edit::new(old, "x");
    let mut diagnosis = Samples::new("what comes closest");
    for _ in 0..ROUNDS {
        let find = || match edit.apply(&text, Matching::Tolerant) {
            Err(error) if error.to_string().contains("closest") => Ok(()),
            other => Err(format!("{other:?}").into()),
        };
        diagnosis.push(timed(find)?, 1);
    }
    show(&format!("A text that is not there, in {} KB", text.len() / 1000), &[&diagnosis]);
    Ok(aim("under 50 ms", &shown(diagnosis.median()), diagnosis.median() < 0.05))
}
