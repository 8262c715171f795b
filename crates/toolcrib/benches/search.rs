//! Searching beside ripgrep and fd, in whole processes and in a running server.
//!
//! - `toolcrib grep` and `toolcrib glob` beside `rg` and `fd`: not slower, for no kind of question.
//! - The same calls of a running MCP server: at most 1.0 of rg's time on a large tree, 0.9 on a small one.
//! - The first 100 lines with a common word: at most half the time of `rg | head`.
//! - The most memory that 3,000,000 matching lines take: 64 MB.
//! - A search that is cancelled, or whose time is up, on the large tree: over within 50 ms.
//!
//! Run it with `cargo xtask bench search`, which brings the large tree, Linux's. It ends with status 1 if an aim is missed.
//! With `--picture FILE` it draws the ratios.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark makes its own files and shows a table"
)]

mod measure;
mod picture;
mod server;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use measure::{Samples, aim, show};
use serde_json::{Value, json};
use server::Server;
use toolcrib::Toolbox;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const ROUNDS: usize = 9;
const SMALL_ROUNDS: usize = 40;

/// One question: its name, what we are asked, and what the other is.
struct Question {
    name: &'static str,
    ours: Vec<&'static str>,
    theirs: Vec<&'static str>,
    call: Value,
}

fn grep(name: &'static str, flags: &[&'static str], pattern: &'static str, more: Value) -> Question {
    let both = [flags, &[pattern]].concat();
    let mut arguments =
        json!({"pattern": pattern, "output_mode": "content", "sort": "path", "head_limit": 1000});
    if let (Some(arguments), Value::Object(more)) = (arguments.as_object_mut(), more) {
        arguments.extend(more);
    }
    Question {
        name,
        ours: [&["grep"][..], &both].concat(),
        theirs: [&["rg", "-n"][..], &both].concat(),
        call: json!({"name": "Grep", "arguments": arguments}),
    }
}

fn glob(name: &'static str, pattern: &'static str, theirs: Vec<&'static str>) -> Question {
    let call = json!({"name": "Glob", "arguments": {"pattern": pattern}});
    Question { name, ours: vec!["glob", pattern], theirs, call }
}

/// Words of the Linux kernel, and of this project.
fn questions(large: bool) -> Vec<Question> {
    let (rare, some, common, folder) = if large {
        ("PM_RESUME", "[A-Z]+_RESUME", "return", "drivers/usb")
    } else {
        ("walk_sorted", r"\w+_sorted", "self", "crates/search")
    };
    let case: &'static str = if large { "pm_resume" } else { "WALK_SORTED" };
    let mut count = grep("many matches, counted", &["-c"], common, json!({"output_mode": "count"}));
    count.theirs.retain(|flag| *flag != "-n");
    let mut below = grep("one subfolder", &[], rare, json!({"path": folder}));
    below.ours.push(folder);
    below.theirs.push(folder);
    vec![
        grep("rare literal", &[], rare, Value::Null),
        grep("regex", &[], some, Value::Null),
        grep("case-insensitive", &["-i"], case, json!({"-i": true})),
        grep("no match", &[], "zzq_nothing_like_[t]his", Value::Null),
        grep("many matches, shown", &[], common, json!({"sort": "relevance"})),
        count,
        grep("no literal in the regex", &[], r"[A-Za-z]{14}\s+[0-9]{9}", Value::Null),
        below,
        glob("list of files", "**", vec!["fdfind", "--type", "f"]),
        glob("list of files, beside rg", "**", vec!["rg", "--files"]),
        glob("list of files, newest first", "**", vec!["rg", "--files", "--sortr", "modified"]),
        glob("**/*.c or **/*.rs", if large { "**/*.c" } else { "**/*.rs" }, {
            vec!["fdfind", "--type", "f", "--glob", if large { "*.c" } else { "*.rs" }]
        }),
    ]
}

fn main() -> Result<ExitCode> {
    let mut arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let (mut large, mut drawing, mut toolcrib) = (None, None, None);
    while let Some(word) = arguments.next() {
        match word.as_str() {
            "serve" => {
                server::serve(Path::new(&arguments.next().ok_or("serve what?")?))?;
                return Ok(ExitCode::SUCCESS);
            }
            "--large" => large = arguments.next().map(PathBuf::from),
            "--picture" => drawing = arguments.next(),
            "--toolcrib" => toolcrib = arguments.next().map(PathBuf::from),
            other => return Err(format!("what is {other}?").into()),
        }
    }
    let large = large.ok_or("--large DIRECTORY is missing; `cargo xtask bench search` gives it")?;
    let toolcrib = toolcrib.ok_or("--toolcrib PROGRAM is missing; `cargo xtask bench search` gives it")?;
    let small = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let mut bars = Vec::new();
    let mut met = true;
    for (title, root, rounds, most) in [("large", &large, ROUNDS, 1.0), ("small", &small, SMALL_ROUNDS, 0.9)]
    {
        let mut server = Server::start(root)?;
        for question in questions(title == "large") {
            let [process, inside] = question.ask(&toolcrib, root, &mut server, rounds, title)?;
            met &= aim("the process is not slower", &format!("{process:.2}"), process <= 1.0);
            met &= aim("the server is not slower", &format!("{inside:.2}"), inside <= most);
            bars.push((format!("{title}: {}", question.name), process, inside));
        }
        if title == "large" {
            met &= first_hundred(root, &mut server)?;
        }
        server.stop()?;
    }
    met &= memory(&toolcrib)?;
    met &= ends(&large)?;
    if let Some(file) = drawing {
        // From the top of the project, wherever this is run.
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        std::fs::write(file, picture::draw(&bars))?;
    }
    table(&bars);
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Question {
    /// How many times as long as the other's our process takes, and our server.
    fn ask(
        &self,
        toolcrib: &Path,
        root: &Path,
        server: &mut Server,
        rounds: usize,
        title: &str,
    ) -> Result<[f64; 2]> {
        let [mut theirs, mut ours, mut inside] =
            ["the other process", "toolcrib as a process", "a call of a running server"].map(Samples::new);
        for _ in 0..rounds {
            theirs.push(
                whole_process(Command::new(self.theirs[0]).args(&self.theirs[1..]).current_dir(root))?,
                1,
            );
            ours.push(whole_process(Command::new(toolcrib).args(&self.ours).current_dir(root))?, 1);
            let began = Instant::now();
            server.call(&self.call, "\"isError\":false")?;
            inside.push(began.elapsed(), 1);
        }
        show(&format!("{title} tree, {}: {}", self.name, self.theirs.join(" ")), &[&theirs, &ours, &inside]);
        Ok([&ours, &inside].map(|samples| samples.median() / theirs.median()))
    }
}

fn first_hundred(root: &Path, server: &mut Server) -> Result<bool> {
    let [mut theirs, mut ours] = ["rg -n return | head -100", "a call of a running server"].map(Samples::new);
    let call = json!({"name": "Grep", "arguments": {
        "pattern": "return", "output_mode": "content", "sort": "path", "head_limit": 100,
    }});
    for _ in 0..SMALL_ROUNDS {
        let mut piped = Command::new("sh");
        theirs.push(whole_process(piped.args(["-c", "rg -n return | head -100"]).current_dir(root))?, 1);
        let began = Instant::now();
        server.call(&call, "offset 100")?;
        ours.push(began.elapsed(), 1);
    }
    show("large tree, the first 100 of a common word", &[&theirs, &ours]);
    let ratio = ours.median() / theirs.median();
    Ok(aim("at most half the time", &format!("{ratio:.2}"), ratio <= 0.5))
}

/// The most memory of a process that finds 3,000,000 lines in three files.
fn memory(toolcrib: &Path) -> Result<bool> {
    let folder = tempfile::tempdir()?;
    let lines: String = (0..1_000_000).map(|n| format!("line {n} with a needle in it\n")).collect();
    for name in ["a.txt", "b.txt", "c.txt"] {
        std::fs::write(folder.path().join(name), &lines)?;
    }
    let parameters = json!({"pattern": "needle", "output_mode": "content", "max_file_size": 1 << 30});
    let mut child = Command::new(toolcrib)
        .args(["call", "Grep", &parameters.to_string()])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    // The mark only rises, so the last look before the end is the most; what is missed is what happens within a millisecond.
    while child.try_wait()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        most = most.max(peak.unwrap_or(0_u64));
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut printed = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().ok_or("no output")?, &mut printed)?;
    if !printed.contains("of 3000000 matches shown") {
        return Err(format!("it answered {}", printed.lines().last().unwrap_or_default()).into());
    }
    println!("\nGrep that matches 3,000,000 lines");
    Ok(aim("it takes at most 64 MB", &format!("{:.1} MB", most as f64 / 1024.0), most <= 64 * 1024))
}

/// How long a search goes on after it was told to end.
fn ends(root: &Path) -> Result<bool> {
    let toolbox = Toolbox::open(root)?;
    let parameters = json!({"pattern": r"[A-Za-z]{14}\s+[0-9]{9}", "output_mode": "content"});
    let mut late: Duration = Duration::ZERO;
    for round in 0..10 {
        let after = Duration::from_millis(20 + 15 * round);
        let context = toolbox.context();
        let cancel = context.cancel.clone();
        let began = Instant::now();
        let ended = std::thread::scope(|scope| {
            let search = scope.spawn(|| {
                let result = toolbox.call_blocking("Grep", parameters.clone(), &context);
                (result.success, began.elapsed())
            });
            std::thread::sleep(after);
            let told = began.elapsed();
            cancel.cancel();
            search.join().map(|(success, ended)| (success, ended.saturating_sub(told)))
        });
        let (success, took) = ended.map_err(|_| "the search failed")?;
        if success {
            return Err("the search was over before it was cancelled".into());
        }
        late = late.max(took);
    }
    println!("\nA search of the large tree that is told to end");
    let cancelled =
        aim("cancelled, it ends within 50 ms", &format!("{late:.1?}"), late <= Duration::from_millis(50));
    let mut late = Duration::ZERO;
    for round in 0..10 {
        let timeout = Duration::from_millis(40 + 15 * round);
        let began = Instant::now();
        let result = toolbox.call_blocking("Grep", parameters.clone(), &toolbox.context().timeout(timeout));
        late = late.max(began.elapsed().saturating_sub(timeout));
        if result.metadata.get("partial") != Some(&json!(true)) {
            return Err(format!("it should be partial: {:?} {:?}", result.error, result.metadata).into());
        }
    }
    let in_time = aim(
        "at the deadline, it answers with what there is within 50 ms",
        &format!("{late:.1?} after it"),
        late <= Duration::from_millis(50),
    );
    Ok(cancelled && in_time)
}

fn whole_process(command: &mut Command) -> Result<Duration> {
    let began = Instant::now();
    let done = command.stdin(Stdio::null()).stderr(Stdio::null()).output()?;
    let took = began.elapsed();
    // Status 1 is how rg says that nothing was found.
    if done.status.code().is_none_or(|code| code > 1) {
        return Err(format!("{command:?} ended with {}", done.status).into());
    }
    Ok(took)
}

/// For docs/performance.md.
fn table(bars: &[(String, f64, f64)]) {
    println!("\n| question | process | running server |\n| --- | --- | --- |");
    for (name, process, inside) in bars {
        println!("| {name} | {process:.2} | {inside:.2} |");
    }
}
