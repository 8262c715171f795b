//! The law of the index: what it answers is, byte for byte, what a search of the files would answer at that moment.
//!
//! Two toolboxes work on one tree made at random, one with an index and one without. Between their calls the tree changes in every
//! way that a program can change it, and the calls draw every parameter that the tools have. `TOOLCRIB_QUERIES` says how many calls
//! there are, and `TOOLCRIB_SEED` takes the one tree that a failure has named.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};
use tempfile::TempDir;
use toolcrib::{Builder, Config, Dialect, ExecutionContext, IndexStatus, Parameter, ToolResult, Toolbox};
use toolcrib_testkit::{Random, languages, once_more_as_ordinary_user, quick_dir};

/// How many calls one tree is good for.
const OF_A_TREE: usize = 60;

/// The trees of a test that has one for so many calls.
fn seeds(of_a_tree: usize) -> Range<usize> {
    let number = |name| std::env::var(name).ok().and_then(|value| value.parse::<usize>().ok());
    match number("TOOLCRIB_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("TOOLCRIB_QUERIES").unwrap_or(300).div_ceil(of_a_tree),
    }
}

#[test]
fn an_index_answers_as_a_search_does() {
    let mut asked = Asked::default();
    for seed in seeds(OF_A_TREE) {
        Trial::new(seed).run(&mut asked);
    }
    println!("{asked:?}");
    assert!(asked.served * 2 > asked.countable, "most calls should be served by the index: {asked:?}");
    assert!(asked.listed * 2 > asked.lists, "so should most listings: {asked:?}");
    assert!(asked.found * 4 > asked.calls, "many calls should find something: {asked:?}");
}

/// As in a program that lives for long: a search has shown that an index is worth it, and a thread makes and keeps it.
#[test]
fn an_index_that_a_thread_keeps_answers_as_a_search_does() {
    let mut asked = Asked::default();
    // One in ten of the others, for such a tree is large; and only those that say who has answered.
    for mut trial in seeds(10 * OF_A_TREE).map(Trial::new).filter(|trial| trial.dialect == Dialect::Standard)
    {
        for n in 0..1500 {
            let text = format!("part {n} of many, with a needle{n} in it\n");
            trial.place.write(Path::new(&format!("many/{n}.txt")), text.as_bytes()).unwrap();
        }
        trial.kept = true;
        trial.indexed = trial.place.builder(trial.dialect).open().unwrap();
        trial.run(&mut asked);
    }
    println!("{asked:?}");
    assert!(asked.served * 2 > asked.countable, "most calls should be served by the index: {asked:?}");
    assert!(asked.listed * 2 > asked.lists, "so should most listings: {asked:?}");
}

/// What permissions forbid is forbidden to ordinary users only.
#[test]
fn an_index_answers_as_a_search_does_to_an_ordinary_user() {
    once_more_as_ordinary_user(&["--exact", "same_answers::an_index_answers_as_a_search_does"]);
}

/// How often, and by whom it was answered.
#[derive(Debug, Default)]
struct Asked {
    calls: usize,
    /// Calls that say whether the index has answered them, and those that it has.
    countable: usize,
    served: usize,
    /// The same of listings.
    lists: usize,
    listed: usize,
    /// Calls with an answer that is not empty.
    found: usize,
    /// Calls that both refused.
    refused: usize,
    changes: usize,
}

// ---- One tree ----

struct Trial {
    seed: usize,
    random: Random,
    place: Place,
    dialect: Dialect,
    indexed: Toolbox,
    scanning: Toolbox,
    contexts: [ExecutionContext; 2],
    /// Whether a thread keeps the index.
    kept: bool,
    /// How long it still waits for indexes.
    patience: usize,
    /// What happened so far, for whoever has to understand a difference.
    log: Vec<String>,
}

impl Trial {
    fn new(seed: usize) -> Self {
        let mut random = Random(seed as u64 * 48_271 + 11);
        let mut place = Place::new(seed);
        place.make(&mut random);
        // Others have parameters that the standard one lacks. They do not tell who answered, or look at all that is ignored.
        let others = [Dialect::ClaudeCode, Dialect::Gemini, Dialect::Ekacode, Dialect::Opencode];
        let dialect = if seed % 5 == 3 { random.pick(&others) } else { Dialect::Standard };
        let indexed = place.toolbox(dialect, true);
        let scanning = place.toolbox(dialect, false);
        let contexts = [patient(&indexed), patient(&scanning)];
        Self {
            seed,
            random,
            place,
            dialect,
            indexed,
            scanning,
            contexts,
            kept: false,
            patience: 10_000,
            log: Vec::new(),
        }
    }

    fn run(mut self, asked: &mut Asked) {
        let before = asked.calls;
        while asked.calls < before + OF_A_TREE {
            for _ in 0..self.random.below(4) {
                asked.changes += 1;
                self.change();
            }
            self.keep_warm();
            for _ in 0..1 + self.random.below(4) {
                self.ask(asked);
            }
        }
    }

    fn change(&mut self) {
        let told = if self.random.once_in(8) {
            self.change_by_tool()
        } else {
            self.place.change(&mut self.random).map_err(|error| error.to_string())
        };
        match told {
            Ok(did) => self.log.push(did),
            Err(why) => self.log.push(format!("failed: {why}")),
        }
    }

    /// Changes a file as an agent does.
    fn change_by_tool(&mut self) -> Result<String, String> {
        let Some(file) = self.place.file(&mut self.random) else { return Err("no file".to_owned()) };
        let path = self.place.root.join(&file);
        let path = path.to_str().ok_or("no text")?;
        let which = self.random.below(2);
        let (toolbox, context) = ([&self.indexed, &self.scanning][which], &self.contexts[which]);
        let (reads, writes, name) = match self.dialect {
            Dialect::Standard | Dialect::ClaudeCode => ("Read", "Write", "file_path"),
            Dialect::Gemini => ("read_file", "write_file", "file_path"),
            _ => ("read", "write", "filePath"),
        };
        let read = toolbox.call_blocking(reads, json!({ name: path }), context);
        let content = text(&mut self.random, "\n");
        let wrote = toolbox.call_blocking(writes, json!({ name: path, "content": content }), context);
        match wrote.error.or(read.error) {
            None => Ok(format!("{writes} {path} with {} bytes", content.len())),
            Some(why) => Err(format!("{writes} {path}: {why}")),
        }
    }

    /// Makes the index anew where it was lost, and at times where it was not.
    fn keep_warm(&mut self) {
        if self.kept {
            return self.wait_for_thread();
        }
        if self.random.once_in(12) && self.place.has_its_roots() {
            self.log.push("open anew".to_owned());
            // Who keeps an index on the disk keeps all others from that.
            self.indexed = self.scanning.clone();
            self.indexed = self.place.toolbox(self.dialect, true);
            self.scanning = self.place.toolbox(self.dialect, false);
            self.contexts = [patient(&self.indexed), patient(&self.scanning)];
        }
        // At times a call is the first to notice what has changed.
        if !self.random.once_in(3) {
            let status = self.indexed.index_status();
            warm_up(&self.indexed, &mut self.patience);
            self.log.push(format!("warm up, was {status:?}"));
        }
    }

    /// Searches until there is an index: for something that takes long to look for, since only then one is made.
    fn wait_for_thread(&self) {
        for _ in 0..2_000 {
            if matches!(self.indexed.index_status()[0], Some(IndexStatus::Warm { .. })) {
                return;
            }
            let pattern = r"(\w+) of (\w+) \1 \2 \1";
            self.indexed.call_blocking(self.tools()[0], json!({ "pattern": pattern }), &self.contexts[0]);
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("there is no index: {:?}", self.indexed.index_status());
    }

    fn ask(&mut self, asked: &mut Asked) {
        let (tool, arguments) = self.call();
        let toolboxes = self.asked_toolboxes();
        let [ours, theirs] =
            toolboxes.map(|toolbox| toolbox.call_blocking(&tool, arguments.clone(), &patient(&toolbox)));
        asked.calls += 1;
        if let Some(by) = ours.metadata.get("index") {
            let lists = tool == "LS";
            let served = usize::from(by == "warm");
            let [countable, count] = if lists {
                [&mut asked.lists, &mut asked.listed]
            } else {
                [&mut asked.countable, &mut asked.served]
            };
            *countable += 1;
            *count += served;
        }
        asked.found += usize::from(has_found(&ours));
        asked.refused += usize::from(!ours.success);
        let [ours, theirs] = [comparable(ours), comparable(theirs)];
        assert!(
            ours == theirs,
            "seed {} in {}, {} dialect: {tool} {arguments}\nafter:\n  {}\n{}",
            self.seed,
            self.place.root.display(),
            self.dialect,
            self.log.join("\n  "),
            difference(&ours, &theirs)
        );
        self.log.push(format!("{tool} {arguments}"));
    }

    /// The tools that search, Grep first.
    fn tools(&self) -> &'static [&'static str] {
        match self.dialect {
            Dialect::Standard => &["Grep", "Grep", "Grep", "Grep", "Glob", "Glob", "LS", "LS"],
            Dialect::ClaudeCode => &["Grep", "Glob"],
            Dialect::Gemini => &["grep_search", "glob", "list_directory"],
            Dialect::Opencode => &["grep", "glob"],
            _ => &["grep", "grep", "glob", "ls"],
        }
    }

    /// The toolboxes, or a part of them: a client may give up some of what it reaches.
    fn asked_toolboxes(&mut self) -> [Toolbox; 2] {
        let whole = [self.indexed.clone(), self.scanning.clone()];
        if !self.random.once_in(20) {
            return whole;
        }
        let part = [self.place.root.join(self.place.directory(&mut self.random))];
        let narrow = whole.each_ref().map(|toolbox| toolbox.narrow(&part));
        self.log.push(format!("in {} alone", part[0].display()));
        match narrow {
            [Ok(one), Ok(other)] => [one, other],
            _ => whole,
        }
    }

    /// A tool, and something for each of its parameters.
    fn call(&mut self) -> (String, Value) {
        let tool = self.random.pick(self.tools());
        let parameters = self.indexed.executor().registry().get(tool).unwrap();
        let mut arguments = Map::new();
        for parameter in &parameters.descriptor().parameters {
            let drawn = Draw { random: &mut self.random, place: &self.place, tool }.value(parameter);
            if let Some(value) = drawn {
                arguments.insert(parameter.name.clone(), value);
            }
        }
        (tool.to_owned(), Value::Object(arguments))
    }
}

/// Makes the index of the first root, or waits for the thread that does; for so many thousandths of a second at the most.
fn warm_up(toolbox: &Toolbox, patience: &mut usize) -> bool {
    loop {
        if matches!(toolbox.warm_up()[0], Some(IndexStatus::Warm { .. })) {
            return true;
        }
        if *patience == 0 {
            return false;
        }
        *patience -= 1;
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A context in which no answer is cut short by time.
fn patient(toolbox: &Toolbox) -> ExecutionContext {
    toolbox.context().timeout(Duration::from_secs(600))
}

fn has_found(result: &ToolResult) -> bool {
    let number = |name: &str| result.metadata.get(name).and_then(Value::as_u64).unwrap_or(0);
    ["total", "count", "total_matches", "returned_matches"].into_iter().any(|name| number(name) > 0)
        || result.output.get("count").and_then(Value::as_u64).unwrap_or(0) > 0
}

/// An answer without what may differ: how long it took, and who gave it.
fn comparable(mut result: ToolResult) -> Value {
    result.duration_ms = None;
    result.metadata.remove("index");
    result.metadata.remove("duration_ms");
    serde_json::to_value(&result).unwrap()
}

/// The lines that only one of two answers has.
fn difference(ours: &Value, theirs: &Value) -> String {
    let lines = |value: &Value| -> Vec<String> {
        let text = serde_json::to_string_pretty(value).unwrap().replace("\\n", "\n");
        text.lines().map(|line| line.chars().take(300).collect()).collect()
    };
    let (ours, theirs) = (lines(ours), lines(theirs));
    let mut told = Vec::new();
    for (mark, one, other) in [("by index: ", &ours, &theirs), ("by search:", &theirs, &ours)] {
        let only = one.iter().filter(|line| !other.contains(line)).take(15);
        told.extend(only.map(|line| format!("{mark} {line}")));
    }
    if told.is_empty() {
        let at = ours.iter().zip(&theirs).position(|(one, other)| one != other).unwrap_or(0);
        told.push(format!("the order differs from line {at}: {:?} and {:?}", ours.get(at), theirs.get(at)));
    }
    told.join("\n")
}

// ---- What an index could get wrong ----

/// Two toolboxes on a tree that a test makes and changes itself.
struct Pair {
    place: Place,
    toolboxes: [Toolbox; 2],
}

impl Pair {
    /// On a disk, where there is one whose changes are told: there, what is new often gets the number of what is gone.
    fn new<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Self {
        let place = Place::new(0);
        for (path, text) in files {
            place.write(Path::new(path), text.as_bytes()).unwrap();
        }
        let toolboxes = [true, false].map(|indexed| place.toolbox(Dialect::Standard, indexed));
        let pair = Self { place, toolboxes };
        pair.warm_up();
        pair
    }

    /// A test that goes on without an index would show nothing.
    #[track_caller]
    fn warm_up(&self) {
        let is_warm = warm_up(&self.toolboxes[0], &mut 20_000);
        assert!(is_warm, "there is no index: {:?}", self.toolboxes[0].index_status());
    }

    fn at(&self, path: &str) -> PathBuf {
        self.place.root.join(path)
    }

    fn write(&self, path: &str, text: &str) {
        self.place.write(Path::new(path), text.as_bytes()).unwrap();
    }

    /// Asks both, and gives the answer. An index that was lost is as good as one that is right.
    #[track_caller]
    fn same(&self, tool: &str, arguments: &Value) -> Value {
        let [ours, theirs] = [0, 1].map(|which| {
            let toolbox = &self.toolboxes[which];
            comparable(toolbox.call_blocking(tool, arguments.clone(), &patient(toolbox)))
        });
        assert!(ours == theirs, "{tool} {arguments}\n{}", difference(&ours, &theirs));
        ours
    }

    /// Asks for everything there is, in several ways.
    #[track_caller]
    fn check(&self) {
        for hidden in [false, true] {
            for arguments in [json!({"pattern": "needle"}), json!({"pattern": "needle", "glob": "*"})] {
                let mut arguments = arguments;
                arguments["include_hidden"] = hidden.into();
                self.same("Grep", &arguments);
            }
            self.same(
                "Glob",
                &json!({"pattern": "**", "include_hidden": hidden, "include_directories": true}),
            );
            self.same("LS", &json!({"recursive": hidden}));
        }
    }
}

#[test]
fn a_directory_that_is_made_anew_is_another_one() {
    let pair =
        Pair::new([("src/a.txt", "needle\n"), ("src/deep/b.txt", "needle\n"), ("lib/c.txt", "needle\n")]);
    pair.check();
    for round in 0..5 {
        fs::remove_dir_all(pair.at("src")).unwrap();
        pair.write("src/deep/new.txt", &format!("needle {round}\n"));
        pair.check();
        pair.write("src/deep/newer.txt", "needle\n");
        pair.write("src/newest.txt", "needle\n");
        pair.check();
    }
}

#[test]
fn an_ignore_file_may_have_another_name() {
    let pair = Pair::new([
        (".gitignore", "*.log\n"),
        ("lib/.ignore", "*.txt\n"),
        (".git/info/exclude", "*.md\n"),
        ("a.log", "needle\n"),
        ("b.txt", "needle\n"),
        ("lib/c.txt", "needle\n"),
        ("d.md", "needle\n"),
    ]);
    for (rules, name) in [(".gitignore", "one"), ("lib/.ignore", "lib/two"), (".git/info/exclude", "three")] {
        fs::hard_link(pair.at(rules), pair.at(name)).unwrap();
    }
    pair.check();
    for (name, rules) in [("one", "*.txt\n"), ("lib/two", "*.c\n"), ("three", "b.*\n"), ("one", "*.log\n")] {
        pair.warm_up();
        pair.check();
        fs::write(pair.at(name), rules).unwrap();
        pair.check();
    }
}

#[test]
fn a_name_like_that_of_a_temporary_file_is_a_name() {
    let pair = Pair::new([("a.txt", "needle\n")]);
    pair.check();
    pair.write(".toolcrib-notes.txt", "needle\n");
    pair.write(".toolcrib-/b.txt", "needle\n");
    pair.write(".toolcrib-0123456789abcdef0123456", "needle\n");
    pair.check();
}

/// The time of a directory moves with every name in it, one that is never shown too, and a program may set it.
#[test]
fn a_directory_has_another_time_when_a_name_in_it_came_or_went() {
    let pair =
        Pair::new([("src/a.txt", "needle\n"), ("src/deep/b.txt", "needle\n"), ("lib/c.txt", "needle\n")]);
    let temporary = "src/.toolcrib-0123456789abcdef01234567";
    let changes: [(&str, &dyn Fn()); 6] = [
        ("a file", &|| pair.write("src/new.txt", "needle\n")),
        ("a temporary file", &|| pair.write(temporary, "needle\n")),
        ("its end", &|| fs::remove_file(pair.at(temporary)).unwrap()),
        ("a link", &|| symlink("a.txt", pair.at("src/link")).unwrap()),
        ("a rename", &|| fs::rename(pair.at("src/new.txt"), pair.at("src/newer.txt")).unwrap()),
        ("a directory", &|| fs::rename(pair.at("lib"), pair.at("src/lib")).unwrap()),
    ];
    for (what, change) in changes {
        let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::open(pair.at("src")).unwrap().set_modified(past).unwrap();
        for n in 0..2 {
            for arguments in [json!({"recursive": true}), json!({})] {
                pair.warm_up();
                let told = &pair.toolboxes[0];
                let listed = told.call_blocking("LS", arguments.clone(), &patient(told));
                assert_eq!(listed.metadata["index"], "warm", "{what}: {arguments}");
                let answer = pair.same("LS", &arguments).to_string();
                assert_eq!(answer.contains("2001-09-09"), n == 0, "{what}: {answer}");
            }
            if n == 0 {
                change();
            }
        }
    }
}

/// Runs a test once more in a process that a command of the shell restricts.
fn restricted(test: &str, command: &str, run: impl FnOnce()) {
    const RESTRICTED: &str = "TOOLCRIB_RESTRICTED";
    if std::env::var_os(RESTRICTED).is_some() {
        return run();
    }
    let output = Command::new("sh")
        .args(["-c", &format!("{command}; exec \"$0\" --exact same_answers::{test} --nocapture")])
        .arg(std::env::current_exe().unwrap())
        .env(RESTRICTED, "1")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("1 passed"), "{told}{complaints}");
}

/// A process may have few files open at once, and a program may change very many directories between two calls.
#[test]
fn few_open_files_are_enough() {
    restricted("few_open_files_are_enough", "ulimit -n 128", || {
        let paths = |top: &str, name: &str| -> Vec<String> {
            (0..300).map(|n| format!("{top}/{n}/{name}")).collect()
        };
        let pair = Pair::new(paths("wide", "a.txt").iter().map(|path| (path.as_str(), "needle\n")));
        pair.check();
        for (top, name, expected) in [("wide", "b.txt", 600), ("new", "c.txt", 900)] {
            paths(top, name).iter().for_each(|path| pair.write(path, "needle\n"));
            let found = pair.same("Grep", &json!({"pattern": "needle", "output_mode": "count"}));
            assert_eq!(found["metadata"]["total_files"], expected);
            pair.check();
        }
    });
}

/// What cannot be written down is kept in memory, or there is no index.
#[test]
fn a_full_disk_loses_no_file() {
    restricted("a_full_disk_loses_no_file", "ulimit -f 8", || {
        toolcrib::survive_file_size_limit();
        let file = |n: usize| {
            let words: Vec<String> = (0..100).map(|m| format!("w{:x}", (n * 100 + m) * 48_271)).collect();
            (format!("{n}.txt"), format!("{}\nneedle{n}\n", words.join(" ")))
        };
        let files: Vec<_> = (0..40).map(file).collect();
        let pair = Pair::new(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        for n in 0..40 {
            pair.same("Grep", &json!({"pattern": format!("needle{n}$")}));
        }
        pair.check();
    });
}

/// What may not be read is counted, also if it could be read before, or the other way round.
#[test]
fn permissions_come_and_go() {
    once_more_as_ordinary_user(&["--exact", "same_answers::permissions_come_and_go"]);
    let pair = Pair::new([
        ("a.txt", "needle\n"),
        ("src/b.txt", "needle\n"),
        ("src/deep/c.txt", "needle\n"),
        ("src/.gitignore", "*.log\n"),
        ("src/d.log", "needle\n"),
    ]);
    pair.check();
    for path in ["src/deep", "src", "src/b.txt", "src/.gitignore", "src/deep/c.txt", ""] {
        for mode in [0o000, 0o755, 0o444, 0o311, 0o755] {
            fs::set_permissions(pair.at(path), Permissions::from_mode(mode)).unwrap();
            pair.check();
            // Of a root that cannot be read there may be no index.
            warm_up(&pair.toolboxes[0], &mut 1_000);
            pair.check();
        }
    }
}

// ---- What is asked ----

struct Draw<'a> {
    random: &'a mut Random,
    place: &'a Place,
    tool: &'a str,
}

impl Draw<'_> {
    /// A value for a parameter, whatever its dialect calls it; none leaves it out.
    fn value(self, parameter: &Parameter) -> Option<Value> {
        let globs = self.tool.eq_ignore_ascii_case("glob");
        let Self { random, place, .. } = self;
        let times = match parameter.name.as_str() {
            _ if parameter.required => 1,
            "path" | "dirPath" | "dir_path" => 3,
            "glob" | "type" | "literal" => 10,
            "output_mode" | "outputMode" => 2,
            "recursive" | "limit" | "head_limit" | "-i" => 3,
            "no_ignore" | "noIgnore" | "respect_git_ignore" | "invert" => 12,
            "sort" | "include_hidden" | "includeHidden" => 4,
            _ => 6,
        };
        if !random.once_in(times) {
            return None;
        }
        if let Some(choices) = &parameter.choices {
            return Some(random.pick(choices));
        }
        Some(match parameter.name.as_str() {
            "pattern" if globs => json!(glob_pattern(random)),
            "pattern" => json!(pattern(random)),
            "except" | "exclude_pattern" => json!(random.pick(REGULAR)),
            "path" | "dirPath" | "dir_path" => json!(place.start(random)?),
            "glob" | "include" | "include_pattern" => json!(random.pick(GLOBS)),
            "type" => json!(random.pick(KINDS)),
            "exclude" | "ignore" => json!([random.pick(EXCLUDES)]),
            "max_file_size" | "maxFileSize" => {
                json!(random.pick(&[0, 1, 40, 300, 1 << 20, 2 << 20, 11 << 20]))
            }
            "depth" => json!(1 + random.below(4)),
            "offset" => json!(random.below(6)),
            "limit" | "head_limit" | "total_max_matches" => {
                json!(random.pick(&[1, 1, 2, 3, 5, 10, 50, 200, 1000]))
            }
            "max_count" | "maxCount" | "max_matches_per_file" => json!(1 + random.below(3)),
            "-A" | "-B" | "-C" | "after" | "before" | "context" => json!(random.below(4)),
            other if parameter.kind == toolcrib::Kind::Boolean => {
                // Most have a default that the other value is more telling than.
                json!(parameter.default != Some(json!(true)) || other.is_empty())
            }
            other => panic!("{}: no values are known for '{other}'", self.tool),
        })
    }
}

/// A regular expression, most often one that the files hold something of.
fn pattern(random: &mut Random) -> String {
    let word = random.pick(WORDS);
    let other = random.pick(WORDS);
    match random.below(20) {
        0..=5 => word.to_owned(),
        6 => word.to_uppercase(),
        7 => format!("{word}|{other}"),
        8 => format!("{word}.*{other}"),
        9 => format!(r"\b{word}\b"),
        10 => format!("(?i){word}"),
        11 => format!("^{word}"),
        12 => format!("{word}$"),
        13 => format!("(?:{word}|{other})+"),
        14 => format!("{}[a-z]+", &word[..word.floor_char_boundary(3)]),
        15 => format!("(?={word}){word}"),
        _ => random.pick(REGULAR).to_owned(),
    }
}

fn glob_pattern(random: &mut Random) -> String {
    let mut parts: Vec<&str> = (0..random.below(3)).map(|_| random.pick(INNER)).collect();
    parts.push(random.pick(LAST));
    parts.join("/")
}

const WORDS: &[&str] = &[
    "needle", "Needle", "alpha", "beta", "gamma", "foobar", "foo_bar", "TODO", "main", "kanji", "漢字",
    "über", "naïve", "zebra", "Würde", "Straße", "istanbul", "nowhere", "1234", "secret", "Kelvin", "last",
];

const REGULAR: &[&str] = &[
    "n..dle",
    r"foo\(bar\)",
    "^fn",
    r"\}$",
    r"[A-Z]\w+",
    "^$",
    "",
    r"\d+",
    "ü",
    r"\s+$",
    r"a\.b",
    r"\w+_\w+",
    "[^a-z]+",
    r"\S+ \S+",
    "-x",
    "ſ",
    r"\p{Lu}\p{Ll}",
    ".{200,}",
    r"e\x00f",
    r"(?-u:\xC3)",
    r"alpha\s+beta",
    r"needle\r?\n?alpha",
    "[nN][eE]{2}dle",
    r"(\w)\1",
    "xyz{2,5}x",
    "(?:ab|cd){20,40}",
];

const GLOBS: &[&str] = &[
    "*.rs",
    "*.{c,py}",
    "**/*.md",
    "src/**",
    "[a-m]*",
    "!*.log",
    "/*.txt",
    "lib/*.rs",
    "*.min.js",
    "docs/",
    "main.*",
    "?ata*",
    ".*",
    "**/.github/**",
    "é*",
];

const KINDS: &[&str] = &["rust", "c", "py", "md", "js", "txt", "rust,py"];

const EXCLUDES: &[&str] =
    &["*.rs", "lib", "/src", "tests/", "**/main.*", "*.{md,txt}", "!*.rs", "deep/**", ".*"];

const INNER: &[&str] = &[
    "**",
    "**",
    "**",
    "*",
    "src",
    "lib",
    "{src,docs}",
    "[a-l]*",
    "deep",
    "*e*",
    "a b",
    ".github",
    ".*",
    "build",
    "node_modules",
];

const LAST: &[&str] = &[
    "*", "**", "*.rs", "*.{c,py}", "main.*", "?ata*", "[!a-m]*", "*.md", "README*", "é*", "link*", "[id]*",
    ".*", ".env*", "*.txt", "main.rs", "**/",
];

// ---- What it is asked of ----

struct Place {
    root: PathBuf,
    /// Another root beside it or in it, at times.
    second: Option<PathBuf>,
    config: Config,
    /// A directory on the same file system that no tool reaches.
    outside: PathBuf,
    /// Where what the index keeps is written.
    state: PathBuf,
    /// Files that are open for writing.
    held: Vec<File>,
    next: usize,
    _base: TempDir,
}

/// Rules beside those that are there by default.
const CONFIG: &str = r#"
[[rules]]
kind = "read"
pattern = "docs/**"
action = "deny"
[[rules]]
kind = "read"
pattern = "**/deep/*.txt"
action = "ask"
[[rules]]
kind = "read"
pattern = "**/.env"
action = "allow"
[[rules]]
kind = "read"
pattern = "**/util.*"
action = "deny"
"#;

impl Place {
    /// On a disk and in memory by turns; only in memory where the disk does not tell of changes.
    fn new(seed: usize) -> Self {
        let disk = tempfile::tempdir().unwrap();
        let toolbox = Toolbox::open(disk.path()).unwrap();
        let tells = matches!(toolbox.warm_up()[..], [Some(IndexStatus::Warm { .. })]);
        let base = if tells && seed.is_multiple_of(2) { disk } else { quick_dir() };
        let [root, outside, state] = ["root", "outside", "state"].map(|name| base.path().join(name));
        let second = match seed % 7 {
            2 => Some(base.path().join("second")),
            5 => Some(root.join("src")),
            _ => None,
        };
        for directory in [&root, &outside, &state].into_iter().chain(&second) {
            fs::create_dir(directory).unwrap();
        }
        let config = Config::parse(if seed % 3 == 1 { CONFIG } else { "" }).unwrap();
        Self { root, second, config, outside, state, held: Vec::new(), next: 0, _base: base }
    }

    fn builder(&self, dialect: Dialect) -> Builder {
        let builder = Toolbox::builder().root(&self.root).dialect(dialect).config(self.config.clone());
        self.second.iter().fold(builder, |builder, root| builder.root(root))
    }

    fn toolbox(&self, dialect: Dialect, indexed: bool) -> Toolbox {
        let builder = self.builder(dialect);
        let builder = if indexed { builder.journal_in(&self.state) } else { builder.one_call() };
        let toolbox = builder.open().unwrap();
        toolbox.warm_up();
        toolbox
    }

    fn has_its_roots(&self) -> bool {
        self.second.iter().all(|root| root.is_dir() && !root.is_symlink())
    }

    fn make(&mut self, random: &mut Random) {
        self.write(Path::new(".git/HEAD"), b"ref: refs/heads/main\n").unwrap();
        self.write(Path::new(".gitignore"), rules(random).as_bytes()).unwrap();
        if random.once_in(2) {
            self.write(Path::new(".git/info/exclude"), rules(random).as_bytes()).unwrap();
        }
        for _ in 0..14 {
            let directory = self.directory(random).join(directory_name(random));
            fs::create_dir_all(self.root.join(directory)).unwrap();
        }
        for directory in self.directories() {
            if random.once_in(5) {
                let name = random.pick(&[".gitignore", ".gitignore", ".ignore"]);
                self.write(&directory.join(name), rules(random).as_bytes()).unwrap();
            }
            for _ in 0..1 + random.below(5) {
                let name = directory.join(self.file_name(random));
                // A name may be a directory's by now.
                _ = self.write(&name, &content(random));
            }
            if random.once_in(3) {
                _ = self.link(&directory.join("link.rs"), random);
            }
        }
        for _ in 0..3 {
            _ = self.hard_link(random);
        }
        if let Some(second) = &self.second {
            fs::write(second.join("other.txt"), "needle\nalpha\n").unwrap();
        }
        let pipe = self.root.join(self.directory(random)).join("pipe");
        assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
        if random.once_in(6) {
            let size = random.pick(&[(1 << 20) + 10, (1 << 20) + 10, (10 << 20) + 100]);
            self.write(Path::new("large.txt"), &large(random, size)).unwrap();
        }
    }

    // ---- Choices ----

    /// Everything below the root that is a directory (or is none), sorted, from the root.
    fn paths(&self, wanted: fn(fs::FileType) -> bool) -> Vec<PathBuf> {
        let (mut found, mut left) = (Vec::new(), vec![PathBuf::new()]);
        while let Some(directory) = left.pop() {
            let Ok(entries) = fs::read_dir(self.root.join(&directory)) else { continue };
            for entry in entries.flatten() {
                let (path, Ok(kind)) = (directory.join(entry.file_name()), entry.file_type()) else {
                    continue;
                };
                if kind.is_dir() && entry.file_name() != ".git" {
                    left.push(path.clone());
                }
                if wanted(kind) {
                    found.push(path);
                }
            }
        }
        found.sort();
        found
    }

    fn directories(&self) -> Vec<PathBuf> {
        let mut directories = self.paths(|kind| kind.is_dir());
        directories.insert(0, PathBuf::new());
        directories
    }

    /// A directory, most often one that is not ignored.
    fn directory(&self, random: &mut Random) -> PathBuf {
        let all = self.directories();
        let shallow = random.pick(&all);
        if shallow.components().count() > 4 { PathBuf::new() } else { shallow }
    }

    fn file(&self, random: &mut Random) -> Option<PathBuf> {
        let files = self.paths(|kind| kind.is_file());
        (!files.is_empty()).then(|| random.pick(&files))
    }

    /// Where a search starts: a directory, at times a file or nothing.
    fn start(&self, random: &mut Random) -> Option<String> {
        let path = match random.below(10) {
            0 => self.file(random)?,
            1 => PathBuf::from("no/such/directory"),
            2 => {
                PathBuf::from(random.pick(&[".git", "node_modules", "link.rs", "..", ".github", "large.txt"]))
            }
            3 => self.root.clone(),
            4..=6 if self.second.is_some() => self.second.clone()?,
            _ => self.directory(random),
        };
        let path = if random.once_in(4) { self.root.join(path) } else { path };
        let text = path.to_str()?;
        Some(if text.is_empty() { ".".to_owned() } else { text.to_owned() })
    }

    fn file_name(&mut self, random: &mut Random) -> OsString {
        self.next += 1;
        match random.below(12) {
            0 => random.pick(&[".env", "id_rsa", ".env.local", ".toolcrib-notes.txt", "node_modules"]).into(),
            1 => OsString::from_vec(b"inv\xFFalid.txt".to_vec()),
            2 => format!("part{}.txt", self.next).into(),
            _ => format!("{}{}", random.pick(STEMS), random.pick(ENDINGS)).into(),
        }
    }

    // ---- Changes ----

    /// Changes something, and says what.
    fn change(&mut self, random: &mut Random) -> io::Result<String> {
        match random.below(32) {
            0..=2 => self.new_file(random),
            3 | 4 => self.overwrite(random),
            5 => self.append(random),
            6 => self.truncate(random),
            7 | 8 => self.rename_file(random),
            9 => self.replace_by_rename(random),
            10 => self.rename_directory(random),
            11 => self.delete_file(random),
            12 => self.delete_directory(random),
            13 => self.make_anew(random),
            14 => self.new_directory(random),
            15 => self.retarget(random),
            16 => self.permit(random),
            17 => self.touch(random),
            18 | 19 => self.hard_link(random),
            20 => self.write_from_outside(random),
            21 => self.edit_rules(random),
            22 => self.hold(random),
            23 => self.write_to_held(random),
            24 => self.leave_and_come_back(random),
            25 => self.swap_directories(random),
            26 | 27 => self.make_anew(random),
            28 => self.become_another_kind(random),
            29 => self.new_directory(random),
            _ => self.new_file(random),
        }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<String> {
        let full = self.root.join(path);
        fs::create_dir_all(full.parent().unwrap())?;
        fs::write(&full, bytes)?;
        Ok(format!("write {path:?}: {}", shown(bytes)))
    }

    fn new_file(&mut self, random: &mut Random) -> io::Result<String> {
        let path = self.directory(random).join(self.file_name(random));
        self.write(&path, &content(random))
    }

    fn overwrite(&self, random: &mut Random) -> io::Result<String> {
        let path = self.some_file(random)?;
        let bytes = content(random);
        fs::write(self.root.join(&path), &bytes)?;
        Ok(format!("overwrite {path:?}: {}", shown(&bytes)))
    }

    fn some_file(&self, random: &mut Random) -> io::Result<PathBuf> {
        self.file(random).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn append(&self, random: &mut Random) -> io::Result<String> {
        let path = self.some_file(random)?;
        let line = random.pick(LINES);
        writeln!(OpenOptions::new().append(true).open(self.root.join(&path))?, "{line}")?;
        Ok(format!("append to {path:?}: {line}"))
    }

    fn truncate(&self, random: &mut Random) -> io::Result<String> {
        let path = self.some_file(random)?;
        let size = random.pick(&[0, 0, 3, 20]);
        OpenOptions::new().write(true).open(self.root.join(&path))?.set_len(size)?;
        Ok(format!("truncate {path:?} to {size}"))
    }

    fn rename_file(&mut self, random: &mut Random) -> io::Result<String> {
        let from = self.some_file(random)?;
        let to = self.directory(random).join(self.file_name(random));
        self.rename(&from, &to)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<String> {
        fs::rename(self.root.join(from), self.root.join(to))?;
        Ok(format!("rename {from:?} to {to:?}"))
    }

    /// As editors save a file.
    fn replace_by_rename(&self, random: &mut Random) -> io::Result<String> {
        let path = self.some_file(random)?;
        let new = path.with_extension("new");
        let wrote = self.write(&new, &content(random))?;
        Ok(format!("{wrote}; {}", self.rename(&new, &path)?))
    }

    fn some_directory(&self, random: &mut Random) -> io::Result<PathBuf> {
        let directory = self.directory(random);
        if directory.as_os_str().is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(directory) }
    }

    fn rename_directory(&self, random: &mut Random) -> io::Result<String> {
        let from = self.some_directory(random)?;
        let to = self.directory(random).join(directory_name(random));
        self.rename(&from, &to)
    }

    fn delete_file(&self, random: &mut Random) -> io::Result<String> {
        let path = self.some_file(random)?;
        fs::remove_file(self.root.join(&path))?;
        Ok(format!("delete {path:?}"))
    }

    fn delete_directory(&self, random: &mut Random) -> io::Result<String> {
        let path = self.some_directory(random)?;
        fs::remove_dir_all(self.root.join(&path))?;
        Ok(format!("delete {path:?} and all in it"))
    }

    /// The new one may get the number of the old one.
    fn make_anew(&mut self, random: &mut Random) -> io::Result<String> {
        if random.once_in(3) {
            let path = self.some_file(random)?;
            fs::remove_file(self.root.join(&path))?;
            return Ok(format!("delete and {}", self.write(&path, &content(random))?));
        }
        let path = self.some_directory(random)?;
        fs::remove_dir_all(self.root.join(&path))?;
        let file = path.join(self.file_name(random));
        Ok(format!("delete {path:?} and {}", self.write(&file, &content(random))?))
    }

    fn new_directory(&mut self, random: &mut Random) -> io::Result<String> {
        let path = self.directory(random).join(directory_name(random)).join(directory_name(random));
        let ruled = if random.once_in(4) {
            self.write(&path.join(".gitignore"), rules(random).as_bytes())?
        } else {
            String::new()
        };
        let file = path.join(self.file_name(random));
        Ok(format!("{} {ruled}", self.write(&file, &content(random))?))
    }

    fn retarget(&self, random: &mut Random) -> io::Result<String> {
        let path = self.directory(random).join("link.rs");
        _ = fs::remove_file(self.root.join(&path));
        self.link(&path, random)
    }

    fn link(&self, path: &Path, random: &mut Random) -> io::Result<String> {
        let target =
            random.pick(&["main.rs", "../src", "..", "nowhere", "/etc/passwd", ".", "src", ".hidden"]);
        symlink(target, self.root.join(path))?;
        Ok(format!("link {path:?} to {target}"))
    }

    fn permit(&self, random: &mut Random) -> io::Result<String> {
        let path = if random.once_in(2) { self.some_file(random)? } else { self.some_directory(random)? };
        let mode = random.pick(&[0o000, 0o755, 0o755, 0o700, 0o444, 0o311]);
        fs::set_permissions(self.root.join(&path), Permissions::from_mode(mode))?;
        Ok(format!("chmod {mode:o} {path:?}"))
    }

    fn touch(&self, random: &mut Random) -> io::Result<String> {
        let path = self.some_file(random)?;
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000 + random.below(1000) as u64);
        File::open(self.root.join(&path))?.set_modified(time)?;
        Ok(format!("set the time of {path:?}"))
    }

    fn hard_link(&mut self, random: &mut Random) -> io::Result<String> {
        let file = self.some_file(random)?;
        let name = self.directory(random).join(self.file_name(random));
        self.next += 1;
        let outside = self.outside.join(self.next.to_string());
        if random.once_in(3) {
            fs::hard_link(self.root.join(&file), outside)?;
            return Ok(format!("hard link {file:?} outside"));
        }
        fs::hard_link(self.root.join(&file), self.root.join(&name))?;
        Ok(format!("hard link {file:?} as {name:?}"))
    }

    fn write_from_outside(&self, random: &mut Random) -> io::Result<String> {
        let mut names: Vec<_> = fs::read_dir(&self.outside)?.flatten().map(|entry| entry.path()).collect();
        names.sort();
        if names.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let path = random.pick(&names);
        if random.once_in(4) {
            fs::remove_file(&path)?;
            return Ok(format!("delete {path:?}"));
        }
        let bytes = content(random);
        fs::write(&path, &bytes)?;
        Ok(format!("write {path:?}: {}", shown(&bytes)))
    }

    fn edit_rules(&self, random: &mut Random) -> io::Result<String> {
        let file = match random.below(4) {
            0 => PathBuf::from(".git/info/exclude"),
            1 => self.directory(random).join(".ignore"),
            2 => self.directory(random).join(".gitignore"),
            _ => PathBuf::from(".gitignore"),
        };
        if random.once_in(5) {
            fs::remove_file(self.root.join(&file))?;
            return Ok(format!("delete {file:?}"));
        }
        self.write(&file, rules(random).as_bytes())
    }

    /// Keeps a file open for writing from now on.
    fn hold(&mut self, random: &mut Random) -> io::Result<String> {
        let path = self.some_file(random)?;
        self.held.push(OpenOptions::new().append(true).open(self.root.join(&path))?);
        Ok(format!("hold {path:?}"))
    }

    fn write_to_held(&mut self, random: &mut Random) -> io::Result<String> {
        if self.held.is_empty() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let which = random.below(self.held.len());
        if random.once_in(3) {
            drop(self.held.swap_remove(which));
            return Ok(format!("close what is held, {which}"));
        }
        let line = random.pick(LINES);
        writeln!(self.held[which], "{line}")?;
        Ok(format!("append to what is held, {which}: {line}"))
    }

    /// A directory is changed while it is elsewhere.
    fn leave_and_come_back(&mut self, random: &mut Random) -> io::Result<String> {
        let path = self.some_directory(random)?;
        let away = self.outside.join("away");
        fs::rename(self.root.join(&path), &away)?;
        let bytes = content(random);
        let wrote = fs::write(away.join("main.rs"), &bytes);
        fs::rename(&away, self.root.join(&path))?;
        wrote?;
        Ok(format!("take {path:?} away, write main.rs in it, and bring it back: {}", shown(&bytes)))
    }

    fn swap_directories(&self, random: &mut Random) -> io::Result<String> {
        let (one, other) = (self.some_directory(random)?, self.some_directory(random)?);
        if one.starts_with(&other) || other.starts_with(&one) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let (one_full, other_full, away) =
            (self.root.join(&one), self.root.join(&other), self.outside.join("swapped"));
        fs::rename(&one_full, &away)?;
        let moved = fs::rename(&other_full, &one_full);
        fs::rename(&away, if moved.is_ok() { &other_full } else { &one_full })?;
        moved?;
        Ok(format!("swap {one:?} and {other:?}"))
    }

    /// A file becomes a directory, or a directory a file, or either a link.
    fn become_another_kind(&mut self, random: &mut Random) -> io::Result<String> {
        if random.once_in(2) {
            let path = self.some_file(random)?;
            fs::remove_file(self.root.join(&path))?;
            if random.once_in(2) {
                return self.link(&path, random);
            }
            let file = path.join(self.file_name(random));
            return Ok(format!("in place of a file {}", self.write(&file, &content(random))?));
        }
        let path = self.some_directory(random)?;
        fs::remove_dir_all(self.root.join(&path))?;
        Ok(format!("in place of a directory {}", self.write(&path, &content(random))?))
    }
}

/// What nobody may enter could not be removed in the end.
impl Drop for Place {
    fn drop(&mut self) {
        for _ in 0..6 {
            for directory in self.directories() {
                _ = fs::set_permissions(self.root.join(directory), Permissions::from_mode(0o755));
            }
        }
    }
}

fn shown(bytes: &[u8]) -> String {
    let start = bytes[..bytes.len().min(80)].escape_ascii();
    format!("{} bytes, '{start}'", bytes.len())
}

fn directory_name(random: &mut Random) -> OsString {
    if random.once_in(12) {
        return OsStr::from_bytes(b"d\xFFr").to_owned();
    }
    random.pick(DIRECTORIES).into()
}

const DIRECTORIES: &[&str] = &[
    "src",
    "src",
    "src",
    "lib",
    "lib",
    "docs",
    "docs",
    "deep",
    "deep",
    "tests",
    "a b",
    "é",
    "build",
    "main.rs",
    "node_modules",
    "__pycache__",
    ".github",
    ".hidden",
    ".ssh",
];

const STEMS: &[&str] =
    &["main", "util", "README", "data", "index", "x-y", "Makefile", "é", ".dot", "[id]", "a b"];
const ENDINGS: &[&str] = &[".rs", ".c", ".py", ".md", ".txt", ".log", "", ".min.js", ".tsx"];

const LINES: &[&str] = &[
    "alpha",
    "beta",
    "alpha beta",
    "gamma",
    "Gamma ray",
    "TODO: fix",
    "fn main() {",
    "}",
    "needle",
    "a Needle",
    "needle needle",
    "",
    "  indented  ",
    "foo(bar)",
    "foobar",
    "foo_bar baz",
    "über alles",
    "naïve",
    "漢字 kanji",
    "a.b",
    "trailing ",
    "NEEDLE",
    "-x",
    "foo-bar",
    "1234 56",
    "İstanbul ſ \u{212A}elvin",
    "e\u{301} zebra",
    "abcdcdababcdcdababcdcdababcdcdababcdcdababcdcdab",
];

const RULES: &[&str] = &[
    "*.log",
    "build/",
    "/lib",
    "docs/*.md",
    "!README.md",
    "*.min.js",
    "deep",
    "!deep/",
    "**/deep/*.txt",
    "a b/",
    "data*",
    "/src/util.*",
    "!*.rs",
    "# remark",
    "tests/**",
    "x-y.?s",
    "[mM]akefile",
    "lib/**/main*",
    "*.{c,py}",
    "é*",
    "!.github/",
    ".gitignore",
];

fn rules(random: &mut Random) -> String {
    let lines: Vec<&str> = (0..1 + random.below(3)).map(|_| random.pick(RULES)).collect();
    lines.join(if random.once_in(4) { "\r\n" } else { "\n" })
}

fn text(random: &mut Random, newline: &str) -> String {
    let mut text = String::new();
    for _ in 0..random.below(12) {
        text.push_str(random.pick(LINES));
        text.push_str(newline);
    }
    if random.once_in(4) {
        text.push_str("last needle");
    }
    text
}

/// The content of a file: most often plain text, and otherwise all that is not.
fn content(random: &mut Random) -> Vec<u8> {
    let newline = random.pick(&["\n", "\n", "\n", "\r\n"]);
    let text = text(random, newline);
    let wide =
        |order: fn(u16) -> [u8; 2], text: &str| -> Vec<u8> { text.encode_utf16().flat_map(order).collect() };
    match random.below(30) {
        0 => [&b"\x7fELF\0\0needle alpha\n"[..], text.as_bytes(), b"\0needle\n"].concat(),
        1 => wide(u16::to_le_bytes, &format!("\u{feff}{text}")),
        2 => wide(u16::to_be_bytes, &format!("{}{text}", languages::GERMAN)),
        3 => format!("\u{feff}{text}").into_bytes(),
        4 | 5 => languages::GERMAN.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect(),
        6 => text.replace(newline, "\r").into_bytes(),
        7 => [text.as_bytes(), b"alpha\rbeta\n"].concat(),
        8 => [&text.as_bytes()[..text.len() / 2], b"e\0f", &text.as_bytes()[text.len() / 2..]].concat(),
        9 => [text.as_bytes(), &b"needle \xE9t\xE9\n"[..]].concat(),
        10 => long_line(random).into_bytes(),
        11 => Vec::new(),
        12 => [&vec![b'x'; 70_000][..], b"\n\0needle\n"].concat(),
        _ => text.into_bytes(),
    }
}

fn long_line(random: &mut Random) -> String {
    let piece = random.pick(&["x", "xyz", "abcd", "needle "]);
    let text = piece.repeat(random.pick(&[21_000, 40_000, 90_000]) / piece.len());
    format!("alpha\n{text}\nbeta\n")
}

fn large(random: &mut Random, size: usize) -> Vec<u8> {
    let line = "a line of a log, as there are many\n";
    let mut text = line.repeat(size / line.len());
    text.push_str(random.pick(&["needle\n", "zebra\n", "\r\nbeta\r\n"]));
    let mut bytes = text.into_bytes();
    match random.below(4) {
        0 => bytes.extend_from_slice(b"\xFF\xFE\0"),
        1 => bytes[10] = 0,
        _ => {}
    }
    bytes
}
