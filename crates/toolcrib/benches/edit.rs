//! Changes of large texts and of many files, through the tools.
//!
//! - An edit in a file of 100 MB, beside reading and writing that file: at most twice.
//! - A patch of 1000 hunks over 500 files, beside `git apply`, and beside Codex's `apply_patch` if
//!   `TOOLCRIB_BENCH_CODEX` names its program.
//! - What comes closest to a text that is not there, in a file of 1 MB: under 50 ms.
//!
//! The others do not wait for the disk, so the tools are measured without (`fast`) and with waiting (`safe`).
//!
//! Run it with `cargo xtask bench edit`; it ends with status 1 if an aim is missed.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark makes its own files and shows a table"
)]

mod measure;

use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use measure::{Samples, aim, show, shown};
use serde_json::{Value, json};
use toolcrib::{Config, Toolbox};

const ROUNDS: usize = 7;
const FILES: usize = 500;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<ExitCode> {
    let folder = tempfile::tempdir()?;
    println!("{ROUNDS} rounds, in which each takes its turn");
    let met = [large_file(folder.path())?, many_hunks(folder.path())?, not_found(folder.path())?];
    Ok(if met.iter().all(|met| *met) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn timed<T>(run: impl FnOnce() -> Result<T>) -> Result<Duration> {
    let began = Instant::now();
    run()?;
    Ok(began.elapsed())
}

/// A toolbox on a folder, with a journal beside it.
fn toolbox(folder: &Path, root: &Path, durability: &str) -> Result<Toolbox> {
    let config = Config::parse(&format!("[journal]\ndurability = \"{durability}\"\n"))?;
    let state = folder.join(format!("state-{durability}"));
    Ok(Toolbox::builder().root(root).config(config).journal_in(state).open()?)
}

fn call(toolbox: &Toolbox, tool: &str, arguments: Value) -> Result<()> {
    let result = toolbox.call_blocking(tool, arguments, &toolbox.context());
    if result.success { Ok(()) } else { Err(result.to_display().into()) }
}

fn line(number: usize) -> String {
    format!("line {number:>9} of a text that is long, and says little\n")
}

fn lines(count: usize) -> String {
    (0..count).map(line).collect()
}

fn large_file(folder: &Path) -> Result<bool> {
    let root = folder.join("large");
    fs::create_dir(&root)?;
    let file = root.join("large.txt");
    let text = lines(1_800_000);
    let (fast, safe) = (toolbox(folder, &root, "fast")?, toolbox(folder, &root, "safe")?);
    let edit = json!({
        "file_path": file,
        "old_string": "line    900000 of",
        "new_string": "line    900000, changed, of",
    });
    let mut bare = Samples::new("read and write it");
    let mut synced = Samples::new("read, write and sync it");
    let mut fast_edit = Samples::new("Edit, fast, with journal");
    let mut safe_edit = Samples::new("Edit, safe, with journal");
    for _ in 0..ROUNDS {
        fs::write(&file, &text)?;
        bare.push(timed(|| Ok(fs::write(&file, fs::read(&file)?)?))?, 1);
        synced.push(
            timed(|| {
                let content = fs::read(&file)?;
                let mut file = File::create(&file)?;
                file.write_all(&content)?;
                Ok(file.sync_all()?)
            })?,
            1,
        );
        fast_edit.push(timed(|| call(&fast, "Edit", edit.clone()))?, 1);
        fs::write(&file, &text)?;
        safe_edit.push(timed(|| call(&safe, "Edit", edit.clone()))?, 1);
    }
    show(
        &format!("An edit in a file of {} MB", text.len() / 1_000_000),
        &[&bare, &synced, &fast_edit, &safe_edit],
    );
    let ratio = fast_edit.median() / bare.median();
    Ok(aim("at most twice reading and writing", &format!("{ratio:.2} times"), ratio <= 2.0))
}

fn many_hunks(folder: &Path) -> Result<bool> {
    let tree = folder.join("tree");
    fs::create_dir(&tree)?;
    let text = lines(400);
    let renew = || -> Result<()> {
        (0..FILES).try_for_each(|number| Ok(fs::write(tree.join(format!("f{number}")), &text)?))
    };
    let (unified, envelope) = (unified(), envelope());
    let patch = folder.join("patch");
    fs::write(&patch, &unified)?;
    let (fast, safe) = (toolbox(folder, &tree, "fast")?, toolbox(folder, &tree, "safe")?);
    let codex = std::env::var_os("TOOLCRIB_BENCH_CODEX").map(PathBuf::from);
    let mut git = Samples::new("git apply");
    let mut peer = Samples::new("apply_patch of Codex");
    let mut fast_patch = Samples::new("ApplyPatch, fast, with journal");
    let mut same_patch = Samples::new("ApplyPatch of Codex's envelope, fast");
    let mut safe_patch = Samples::new("ApplyPatch, safe, with journal");
    for _ in 0..ROUNDS {
        renew()?;
        git.push(timed(|| git_apply(&tree, &patch))?, 1);
        if let Some(codex) = &codex {
            renew()?;
            peer.push(timed(|| codex_apply(&tree, codex, &envelope))?, 1);
        }
        for (samples, toolbox, patch) in [
            (&mut fast_patch, &fast, &unified),
            (&mut same_patch, &fast, &envelope),
            (&mut safe_patch, &safe, &unified),
        ] {
            renew()?;
            samples.push(timed(|| call(toolbox, "ApplyPatch", json!({"patch_text": patch})))?, 1);
            changed(&tree)?;
        }
    }
    let mut shown = vec![&git, &fast_patch, &same_patch, &safe_patch];
    if codex.is_some() {
        shown.push(&peer);
    }
    show(&format!("A patch of 1000 hunks over {FILES} files"), &shown);
    let ratio = fast_patch.median() / git.median();
    Ok(aim("at most twice git apply, which keeps no journal", &format!("{ratio:.2} times"), ratio <= 2.0))
}

/// Whether the patch has done what it says.
fn changed(tree: &Path) -> Result<()> {
    let last = fs::read_to_string(tree.join(format!("f{}", FILES - 1)))?;
    if last.matches("changed line").count() == 2 { Ok(()) } else { Err("the patch was not applied".into()) }
}

/// Two hunks for each file.
fn hunks(head: impl Fn(usize) -> String) -> String {
    let hunk = |at: usize| {
        let (above, gone, below) = (line(at - 1), line(at), line(at + 1));
        format!("{} {above}-{gone}+changed {gone} {below}", head(at))
    };
    [100, 300].map(hunk).concat()
}

fn unified() -> String {
    // The lines are counted from 0, those of a patch from 1.
    let hunks = hunks(|at| format!("@@ -{at},3 +{at},3 @@\n"));
    (0..FILES).map(|number| format!("--- a/f{number}\n+++ b/f{number}\n{hunks}")).collect()
}

fn envelope() -> String {
    let hunks = hunks(|_| "@@\n".to_owned());
    let files: String = (0..FILES).map(|number| format!("*** Update File: f{number}\n{hunks}")).collect();
    format!("*** Begin Patch\n{files}*** End Patch\n")
}

fn git_apply(tree: &Path, patch: &Path) -> Result<()> {
    let mut command = Command::new("git");
    let status = command.arg("apply").arg(patch).current_dir(tree).stderr(Stdio::null()).status()?;
    if status.success() { changed(tree) } else { Err("git apply failed".into()) }
}

/// The program acts as `apply_patch` if that is its name.
fn codex_apply(tree: &Path, program: &Path, patch: &str) -> Result<()> {
    let mut command = Command::new(program);
    command.env("HOME", tree.with_extension("home")).current_dir(tree);
    let mut codex = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    codex.stdin.take().ok_or("no stdin")?.write_all(patch.as_bytes())?;
    if codex.wait()?.success() { changed(tree) } else { Err("apply_patch failed".into()) }
}

fn not_found(folder: &Path) -> Result<bool> {
    let root = folder.join("other");
    fs::create_dir(&root)?;
    let file = root.join("other.txt");
    let text = lines(18_000);
    fs::write(&file, &text)?;
    let toolbox = toolbox(folder, &root, "fast")?;
    let edit = json!({
        "file_path": file,
        "old_string": "line      9000 of a text that is long\nline      9001 of a txet that is long, and says little\n",
        "new_string": "x",
    });
    let mut diagnosis = Samples::new("Edit, and what comes closest");
    for _ in 0..ROUNDS {
        let find = || match call(&toolbox, "Edit", edit.clone()) {
            Err(error) if error.to_string().contains("closest") => Ok(()),
            other => Err(format!("{other:?}").into()),
        };
        diagnosis.push(timed(find)?, 1);
    }
    show(&format!("A text that is not there, in {} KB", text.len() / 1000), &[&diagnosis]);
    Ok(aim("under 50 ms", &shown(diagnosis.median()), diagnosis.median() < 0.05))
}
