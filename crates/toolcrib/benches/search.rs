//! Searching beside ripgrep and fd, in whole processes and in a running server, with an index and without.
//!
//! - `toolcrib grep` and `toolcrib glob` beside `rg` and `fd`: not slower, for no kind of question.
//! - The same calls of a running MCP server without an index, and while it makes one: at most 1.0 of rg's time on a large tree,
//!   0.9 on a small one.
//! - The same calls once it has an index: a small part of rg's time, see [`questions`]. Also for a word that was written just before.
//! - What the index costs: its size, the time and the memory to make it, the way back to it after a restart.
//! - The first 100 lines with a common word: at most half the time of `rg | head`.
//! - The most memory that 3,000,000 matching lines take: 64 MB.
//! - A search that is cancelled, or whose time is up, on the large tree: over within 50 ms.
//!
//! Run it with `cargo xtask bench search`, which brings the trees (Linux's sources and Django's) and the other programs. It ends
//! with status 1 if an aim is missed. With `--picture FILE` it draws the ratios; with `--rounds N` it is shorter and rougher.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark makes its own files and shows a table"
)]

mod indexing;
mod measure;
mod picture;
mod questions;
mod served;
#[expect(dead_code, reason = "here the server is the program as it is shipped")]
mod server;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use indexing::{figure, mb};
use measure::{Samples, aim, show};
use picture::{Bars, shown};
use questions::{DJANGO, LINUX, Question, TOOLCRIB, Words, grep};
use serde_json::{Value, json};
use served::{Served, Site};
use toolcrib::Toolbox;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const ROUNDS: usize = 9;
const SMALL_ROUNDS: usize = 40;

/// How long is waited for an index: of the large tree, and of one that may be too small to be worth it.
const LARGE_INDEX: Duration = Duration::from_secs(600);
const SMALL_INDEX: Duration = Duration::from_secs(30);

/// How many indexes are made for the questions that are asked meanwhile.
const MOST_BUILDS: usize = 20;

/// What `cargo xtask bench search` gives.
#[derive(Default)]
struct Options {
    linux: PathBuf,
    django: PathBuf,
    toolcrib: PathBuf,
    /// The folder that has `rg` and `fd`.
    peers: PathBuf,
    picture: Option<PathBuf>,
    rounds: Option<usize>,
}

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if let [word, root, state] = &arguments[..]
        && word == "index"
    {
        indexing::make(Path::new(root), Path::new(state))?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options::read(arguments)?;
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let mut bars = Vec::new();
    let mut met = true;
    for (words, root) in [(&LINUX, &options.linux), (&DJANGO, &options.django), (&TOOLCRIB, &project)] {
        let large = words.title == LINUX.title;
        let contest = Contest { words, root, options: &options, large };
        met &= contest.run(&mut bars)?;
    }
    met &= memory(&options.toolcrib)?;
    met &= ends(&options.linux)?;
    if let Some(file) = &options.picture {
        // From the top of the project, wherever this is run.
        std::fs::write(project.join(file), picture::draw(&bars))?;
    }
    table(&bars);
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Options {
    fn read(arguments: Vec<String>) -> Result<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(word) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{word} what?"))?;
            match word.as_str() {
                "--linux" => options.linux = value.into(),
                "--django" => options.django = value.into(),
                "--toolcrib" => options.toolcrib = value.into(),
                "--peers" => options.peers = value.into(),
                "--picture" => options.picture = Some(value.into()),
                "--rounds" => options.rounds = Some(value.parse()?),
                other => return Err(format!("what is {other}?").into()),
            }
        }
        for (name, path) in
            [("linux", &options.linux), ("django", &options.django), ("peers", &options.peers)]
        {
            if !path.is_dir() {
                return Err(
                    format!("--{name} DIRECTORY is missing; `cargo xtask bench search` gives it").into()
                );
            }
        }
        Ok(options)
    }
}

/// One tree, and all who search it.
struct Contest<'a> {
    words: &'a Words,
    root: &'a Path,
    options: &'a Options,
    large: bool,
}

/// The servers that take part.
struct Servers {
    off: Served,
    /// None on a tree that is not worth an index.
    warm: Option<Served>,
    /// How long is waited for an index.
    within: Duration,
    /// How often the index was lost.
    lost: usize,
}

impl Contest<'_> {
    fn run(&self, bars: &mut Vec<Bars>) -> Result<bool> {
        let folder = tempfile::tempdir()?;
        let mut servers = self.servers(folder.path())?;
        let questions = self.words.questions();
        let mut met = true;
        let mut own = Vec::new();
        for question in &questions {
            own.push(self.ask(question, &mut servers)?);
        }
        if self.large {
            own.extend(self.just_written(&mut servers)?);
            met &= self.first_hundred(&mut servers.off)?;
            self.memory_of(&servers)?;
        }
        println!("\n{}: the server with an index", self.words.title);
        met &= aim("it never lost it", &format!("lost {} times", servers.lost), servers.lost == 0);
        servers.off.stop()?;
        servers.warm.map_or(Ok(()), Served::stop)?;
        if self.large {
            self.back_to_warm(&folder.path().join("warm"))?;
            self.while_made(&questions, &mut own)?;
            indexing::figures(self.root, &folder.path().join("own"), self.rounds().min(5))?;
        }
        for row in &own {
            met &= row.met();
        }
        bars.extend(own);
        Ok(met)
    }

    fn rounds(&self) -> usize {
        self.options.rounds.unwrap_or(if self.large { ROUNDS } else { SMALL_ROUNDS })
    }

    /// The most of the other's time that a server without an index may take.
    fn most(&self) -> f64 {
        if self.large { 1.0 } else { 0.9 }
    }

    fn site(&self) -> Site<'_> {
        Site { toolcrib: &self.options.toolcrib, root: self.root }
    }

    /// Both servers, one of them with its index made.
    fn servers(&self, folder: &Path) -> Result<Servers> {
        let [off, warm] = ["off", "warm"].map(|name| folder.join(name));
        std::fs::create_dir_all(&off)?;
        std::fs::create_dir_all(&warm)?;
        let off = self.site().without_index(&off)?;
        let mut server = self.site().with_index(&warm)?;
        let within = if self.large { LARGE_INDEX } else { SMALL_INDEX };
        if server.warm_up(&self.slow_search(), within)?.is_some() {
            return Ok(Servers { off, warm: Some(server), within, lost: 0 });
        }
        server.stop()?;
        if self.large {
            return Err("the large tree's index was not made".into());
        }
        Ok(Servers { off, warm: None, within, lost: 0 })
    }

    /// What takes longest, and so shows soonest that an index is worth it.
    fn slow_search(&self) -> Value {
        json!({"name": "Grep", "arguments": {"pattern": r"[A-Za-z]{14}\s+[0-9]{9}"}})
    }

    /// A program to compare with.
    fn peer(&self, question: &Question) -> Command {
        let mut command = Command::new(self.options.peers.join(&question.theirs[0]));
        command.args(&question.theirs[1..]).current_dir(self.root);
        command
    }

    fn ask(&self, question: &Question, servers: &mut Servers) -> Result<Bars> {
        let mut taken = Taken::default();
        for _ in 0..self.rounds() {
            self.others(question, servers, &mut taken)?;
            servers.settle(&mut taken)?;
            servers.search(question, &mut taken)?;
        }
        Ok(self.row(question, &taken))
    }

    /// Asks each of them once, except for the server with the index.
    fn others(&self, question: &Question, servers: &mut Servers, taken: &mut Taken) -> Result<()> {
        taken.theirs.push(whole_process(&mut self.peer(question))?, 1);
        let mut ours = Command::new(&self.options.toolcrib);
        taken.ours.push(whole_process(ours.args(&question.ours).current_dir(self.root))?, 1);
        taken.off.push(servers.off.time_scan(&question.call)?, 1);
        Ok(())
    }

    fn row(&self, question: &Question, taken: &Taken) -> Bars {
        let title = format!("{}: {}", self.words.title, question.name);
        let Taken { theirs, ours, off, after, warm } = taken;
        show(&format!("{title}: {}", question.theirs.join(" ")), &[theirs, ours, off, after, warm]);
        let [process, inside, indexed] = [ours, off, warm].map(|samples| samples.median() / theirs.median());
        let row = Bars {
            name: title,
            theirs: theirs.median(),
            process,
            inside,
            most: self.most(),
            made: None,
            warm: Some(indexed).filter(|ratio| *ratio > 0.0),
            warm_most: question.warm,
        };
        row.judge();
        row
    }

    /// A word that was written just before it is looked for: by this process, and by the server itself.
    fn just_written(&self, servers: &mut Servers) -> Result<Vec<Bars>> {
        let foreign = Written::new(self.root, "foreign");
        let own = Written::new(self.root, "own");
        let [mut by_other, mut by_write] = [Taken::default(), Taken::default()];
        let ask = |word: &str| {
            let mut question = grep("a word written just before", "", word, Value::Null);
            question.warm = 0.005;
            question
        };
        for round in 0..self.rounds() {
            let word = format!("zzq_foreign_{round}_{}", std::process::id());
            let question = ask(&word);
            servers.settle(&mut by_other)?;
            std::fs::write(&foreign.0, format!("{word}\n"))?;
            servers.search(&question, &mut by_other)?;
            self.others(&question, servers, &mut by_other)?;
            servers.found(&foreign)?;

            let word = format!("zzq_own_{round}_{}", std::process::id());
            let question = ask(&word);
            servers.settle(&mut by_write)?;
            servers.write(&own, &format!("{word}\n"))?;
            servers.search(&question, &mut by_write)?;
            self.others(&question, servers, &mut by_write)?;
            servers.found(&own)?;
        }
        let [mut question, mut written] = [ask("WORD"), ask("WORD")];
        question.name = "a word written just before by another process";
        written.name = "a word written just before by Write";
        Ok(vec![self.row(&question, &by_other), self.row(&written, &by_write)])
    }

    fn memory_of(&self, servers: &Servers) -> Result<()> {
        println!("\nServers of the large tree");
        let [all, own] = servers.off.memory()?;
        figure("memory in use without an index", &format!("{}, {} of it not from files", mb(all), mb(own)));
        if let Some(warm) = &servers.warm {
            let [all, own] = warm.memory()?;
            figure("memory in use with it", &format!("{}, {} of it not from files", mb(all), mb(own)));
        }
        Ok(())
    }

    /// A server that finds the index of the last one: from its start to the first answer by the index.
    fn back_to_warm(&self, folder: &Path) -> Result<()> {
        let began = Instant::now();
        let mut server = self.site().with_index(folder)?;
        let (first, _) = server.time(&self.slow_search())?;
        if server.warm_up(&no_match(), LARGE_INDEX)?.is_none() {
            return Err("the index that was kept was not used".into());
        }
        let took = began.elapsed();
        server.stop()?;
        println!("\nA server whose index was kept");
        figure(
            "from its start to the first answer by the index, looking twice a second",
            &format!("{took:.1?}"),
        );
        figure("its first answer, without", &format!("{first:.1?}"));
        Ok(())
    }

    /// The same questions while an index is made. Each time it is ready, a new server begins anew. The others' times are those from before.
    fn while_made(&self, questions: &[Question], rows: &mut [Bars]) -> Result<()> {
        let mut samples: Vec<Samples> =
            questions.iter().map(|question| Samples::new(question.name)).collect();
        let mut first = Samples::new("the first search");
        let mut turns = (0..questions.len()).cycle().take(questions.len() * self.rounds().min(5)).peekable();
        for _ in 0..MOST_BUILDS {
            if turns.peek().is_none() {
                break;
            }
            let folder = tempfile::tempdir()?;
            let mut server = self.site().with_index(folder.path())?;
            // What begins it is measured too: the rare literal.
            first.push(server.time_scan(&questions[0].call)?, 1);
            while let Some(turn) = turns.peek().copied() {
                let (took, warm) = server.time(&questions[turn].call)?;
                if warm {
                    break;
                }
                samples[turn].push(took, 1);
                turns.next();
            }
            server.stop()?;
        }
        for (row, samples) in rows.iter_mut().zip(&samples) {
            row.made = Some(samples.median() / row.theirs).filter(|ratio| *ratio > 0.0);
            if let Some(made) = row.made {
                aim(
                    &format!("{} takes at most 1 while an index is made", row.name),
                    &shown(made),
                    made <= 1.0,
                );
            }
        }
        println!("\nThe first search, while there is nothing");
        let ratio = first.median() / rows[0].theirs;
        aim("not slower than rg", &format!("{ratio:.2}"), ratio <= 1.0);
        Ok(())
    }

    fn first_hundred(&self, server: &mut Served) -> Result<bool> {
        let [mut theirs, mut ours] =
            ["rg -n return | head -100", "a call of a running server"].map(Samples::new);
        let piped = format!("{} -n return | head -100", self.options.peers.join("rg").display());
        let call = json!({"name": "Grep", "arguments": {
            "pattern": "return", "output_mode": "content", "sort": "path", "head_limit": 100,
        }});
        for _ in 0..SMALL_ROUNDS {
            let mut shell = Command::new("sh");
            theirs.push(whole_process(shell.args(["-c", &piped]).current_dir(self.root))?, 1);
            ours.push(server.time_scan(&call)?, 1);
            if !server.holds("offset 100") {
                return Err("the page of 100 lines does not say where the next one begins".into());
            }
        }
        show("large tree, the first 100 of a common word", &[&theirs, &ours]);
        let ratio = ours.median() / theirs.median();
        Ok(aim("at most half the time", &format!("{ratio:.2}"), ratio <= 0.5))
    }
}

/// A search that finds nothing, and needs no file where there is an index.
fn no_match() -> Value {
    json!({"name": "Grep", "arguments": {"pattern": "zzq_nothing_like_[t]his", "sort": "relevance"}})
}

/// What each took for one question.
struct Taken {
    theirs: Samples,
    ours: Samples,
    off: Samples,
    /// A search for nothing of the server with the index, right after all the others have opened the files they wanted.
    after: Samples,
    /// The server with the index, once it has settled.
    warm: Samples,
}

impl Default for Taken {
    fn default() -> Self {
        Self {
            theirs: Samples::new("the other process"),
            ours: Samples::new("toolcrib as a process"),
            off: Samples::new("a call of a running server, no index"),
            after: Samples::new("one with an index, no match, right after these"),
            warm: Samples::new("one with an index, settled: warm"),
        }
    }
}

/// A file of our own in the tree, gone in the end.
struct Written(PathBuf);

impl Written {
    fn new(root: &Path, name: &str) -> Self {
        Self(root.join(format!("toolcrib-bench-{name}-{}.txt", std::process::id())))
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Servers {
    /// Lets the server with the index take note of what the others did. One whose index does not come back is out.
    ///
    /// It is asked for something else than what is measured: a page by path that is soon full is found without the index, even
    /// where there is one.
    fn settle(&mut self, taken: &mut Taken) -> Result<()> {
        let Some(warm) = &mut self.warm else { return Ok(()) };
        let Some((took, searches)) = warm.warm_up(&no_match(), self.within)? else {
            println!("\nThe index did not come back within {:?}", self.within);
            self.lost += 1;
            return self.warm.take().map_or(Ok(()), Served::stop);
        };
        taken.after.push(took, 1);
        self.lost += usize::from(searches > 1);
        Ok(())
    }

    /// Asks the server with the index.
    fn search(&mut self, question: &Question, taken: &mut Taken) -> Result<()> {
        let Some(warm) = &mut self.warm else { return Ok(()) };
        taken.warm.push(warm.time(&question.call)?.0, 1);
        Ok(())
    }

    /// Makes the server with the index write a file.
    fn write(&mut self, file: &Written, content: &str) -> Result<()> {
        let call = json!({"name": "Write", "arguments": {"file_path": file.0, "content": content}});
        self.warm.as_mut().map_or(Ok(()), |server| server.time(&call).map(drop))
    }

    /// Makes sure that the last answers were about this file.
    fn found(&self, file: &Written) -> Result<()> {
        let name = file.0.file_name().unwrap_or_default().to_string_lossy();
        let all = self.warm.iter().chain([&self.off]).all(|server| server.holds(&name));
        if all { Ok(()) } else { Err(format!("{name} was not found").into()) }
    }
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

impl Bars {
    /// What is aimed at, what was found, and the most it may be.
    fn aims(&self) -> Vec<(String, f64, f64)> {
        let mut aims = vec![
            ("the process".to_owned(), self.process, 1.0),
            ("the server without an index".to_owned(), self.inside, self.most),
        ];
        aims.extend(self.made.map(|made| ("the server while it makes one".to_owned(), made, 1.0)));
        aims.extend(self.warm.map(|warm| ("the server with an index".to_owned(), warm, self.warm_most)));
        aims
    }

    /// Says which aims are met.
    fn judge(&self) {
        for (who, found, most) in self.aims() {
            aim(&format!("{who} takes at most {most}"), &shown(found), found <= most);
        }
    }

    fn met(&self) -> bool {
        self.aims().iter().all(|(_, found, most)| found <= most)
    }
}

/// For docs/performance.md: what misses its aim is bold.
fn table(bars: &[Bars]) {
    println!("\n| query | process | server, no index | while it is made | warm | aim, warm |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for row in bars {
        let cells = [
            cell(Some(row.process), 1.0),
            cell(Some(row.inside), row.most),
            cell(row.made, 1.0),
            cell(row.warm, row.warm_most),
        ];
        println!("| {} | {} | {} |", row.name, cells.join(" | "), row.warm_most);
    }
}

fn cell(ratio: Option<f64>, most: f64) -> String {
    match ratio {
        None => String::new(),
        Some(ratio) if ratio <= most => shown(ratio),
        Some(ratio) => format!("**{}**", shown(ratio)),
    }
}
