//! How soon the program answers, measured on whole processes.
//!
//! - `toolcrib call Read` beside `cat`, on the same small file: at most 3 times its time.
//! - The first answer of `toolcrib mcp` beside `node -e 0`: sooner than node has done nothing.
//!
//! Run it with `cargo xtask bench startup`; it builds the release of the program first. It ends with status 1 if an
//! aim is missed, or if there is no `cat` or `node` to compare with.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark makes its own files and shows a table"
)]

mod measure;

use std::error::Error;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use measure::{Samples, aim, show};
use serde_json::{Value, json};

const ROUNDS: usize = 100;
const AIM_CALL: f64 = 3.0;
const AIM_MCP: f64 = 1.0;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<ExitCode> {
    let cat = found_in_path("cat")?;
    let node = found_in_path("node")?;
    let toolcrib = build_release()?;
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    let file = root.join("small.txt");
    std::fs::write(&file, "A small file.\nIt has three lines.\nThis is the last one.\n")?;

    println!(
        "{ROUNDS} rounds, in which each takes its turn; whole processes, standard output read through a pipe"
    );
    println!("{}, {}, {}", toolcrib.display(), cat.display(), version(&node)?);
    let call = compare_call(&cat, &toolcrib, &file)?;
    let mcp = compare_mcp(&node, &toolcrib, &root, &file)?;
    Ok(if call && mcp { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn compare_call(cat: &Path, toolcrib: &Path, file: &Path) -> Result<bool> {
    let mut printing = Samples::new("cat FILE");
    let mut calling = Samples::new("toolcrib call Read {\"file_path\": FILE}");
    let parameters = json!({ "file_path": file }).to_string();
    let root = file.parent().unwrap_or(file);
    for _ in 0..ROUNDS {
        printing.push(whole_process(Command::new(cat).arg(file), "three lines.\n")?, 1);
        let mut call = Command::new(toolcrib);
        call.args(["call", "Read", &parameters]).current_dir(root);
        calling.push(whole_process(&mut call, "     3\tThis is")?, 1);
    }
    show("A small Read, from start to end of the process", &[&printing, &calling]);
    let ratio = ratio(&calling, &printing);
    Ok(aim(
        "toolcrib call takes at most 3 times the time of cat",
        &format!("{ratio:.2} times"),
        ratio <= AIM_CALL,
    ))
}

fn compare_mcp(node: &Path, toolcrib: &Path, root: &Path, file: &Path) -> Result<bool> {
    let mut nothing = Samples::new("node -e 0, to its end");
    let mut answer = Samples::new("toolcrib mcp, to the answer of the first Read");
    for _ in 0..ROUNDS {
        nothing.push(whole_process(Command::new(node).args(["-e", "0"]), "")?, 1);
        answer.push(first_answer(toolcrib, root, file)?, 1);
    }
    show("The MCP server, from start to the first answer", &[&nothing, &answer]);
    let ratio = ratio(&answer, &nothing);
    Ok(aim(
        "the first answer comes before node has ended",
        &format!("after {ratio:.2} of its time"),
        ratio < AIM_MCP,
    ))
}

fn ratio(this: &Samples, that: &Samples) -> f64 {
    this.median() / that.median()
}

/// Runs a program to its end, and makes sure that it did what it was to do.
fn whole_process(command: &mut Command, prints: &str) -> Result<Duration> {
    command.stdin(Stdio::null());
    let started = Instant::now();
    let done = command.output()?;
    let taken = started.elapsed();
    if !done.status.success() || !String::from_utf8_lossy(&done.stdout).contains(prints) {
        return Err(format!("{command:?} ended with {} and did not print {prints:?}", done.status).into());
    }
    Ok(taken)
}

/// Starts the server, shakes hands as a client does, and calls Read.
fn first_answer(toolcrib: &Path, root: &Path, file: &Path) -> Result<Duration> {
    let mut command = Command::new(toolcrib);
    command.arg("mcp").arg("--root").arg(root).stdin(Stdio::piped()).stdout(Stdio::piped());
    let started = Instant::now();
    let mut server = command.spawn()?;
    let mut input = server.stdin.take().ok_or("no standard input")?;
    let mut output = BufReader::new(server.stdout.take().ok_or("no standard output")?);

    let client = json!({"name": "startup", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    send(&mut input, &[json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})])?;
    receive(&mut output)?;
    let read = json!({"name": "Read", "arguments": {"file_path": file}});
    send(
        &mut input,
        &[
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": read}),
        ],
    )?;
    let answer = receive(&mut output)?;
    let taken = started.elapsed();

    drop(input);
    server.wait()?;
    let text = &answer["result"]["content"][0]["text"];
    if !text.as_str().is_some_and(|text| text.contains("     3\tThis is")) {
        return Err(format!("the server answered {answer}").into());
    }
    Ok(taken)
}

fn send(input: &mut impl Write, messages: &[Value]) -> Result<()> {
    let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
    Ok(input.write_all(lines.as_bytes())?)
}

fn receive(output: &mut impl BufRead) -> Result<Value> {
    let mut line = String::new();
    output.read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

/// Builds the program as it is released, and asks cargo where it put it.
fn build_release() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let done = Command::new(cargo)
        .args(["build", "--release", "-p", "toolcrib-cli", "--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()?;
    if !done.status.success() {
        return Err("the program did not build".into());
    }
    let messages = String::from_utf8(done.stdout)?;
    let built = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut programs = built.filter_map(|message| Some(PathBuf::from(message["executable"].as_str()?)));
    Ok(programs.next_back().ok_or("cargo built no program")?)
}

/// A program's full path, so that looking for it is not measured.
fn found_in_path(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file());
    found.ok_or_else(|| format!("`{name}` is not installed, and there is nothing to compare with").into())
}

fn version(program: &Path) -> Result<String> {
    let done = Command::new(program).arg("--version").output()?;
    let name = program.file_name().unwrap_or(OsStr::new("")).to_string_lossy();
    Ok(format!("{name} {}", String::from_utf8_lossy(&done.stdout).trim()))
}
