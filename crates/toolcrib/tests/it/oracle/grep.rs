//! Grep beside ripgrep.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use toolcrib_testkit::Random;

use super::{CALLS, EXCLUDED, TREES, Tree, ask, is_hidden, with_global_excludes};

#[test]
fn grep_finds_what_ripgrep_finds() {
    with_global_excludes("oracle::grep::grep_finds_what_ripgrep_finds", || {
        let mut found = 0;
        for seed in 0..TREES {
            let tree = Tree::new(seed);
            let mut random = Random(seed as u64 * 7919 + 3);
            for _ in 0..CALLS / TREES {
                found += Search::new(&tree, &mut random).check(&tree);
            }
        }
        println!(
            "{CALLS} calls of Grep over {TREES} trees: {found} lines, files and counts as ripgrep has them"
        );
        assert!(found > CALLS * 5, "most calls should find something: {found}");
    });
}

const REGULAR: &[&str] = &[
    "needle",
    "Needle",
    "n..dle",
    r"foo\(bar\)",
    r"\bfoo\b",
    "^fn",
    r"\}$",
    r"[A-Z]\w+",
    "TODO|FIXME",
    "^$",
    "",
    r"\d+",
    "über",
    "ü",
    "漢",
    r"\s+$",
    r"a\.b",
    "(?i)NEEDLE",
    r"\w+_\w+",
    "^",
    "$",
    r"e+",
    "[^a-z]+",
    r"\S+ \S+",
    "Würde|needle",
    "-x",
    r"^\s*$",
    "K",
    "ſ",
    "é",
    r"\p{Lu}\p{Ll}",
    r"(?:alpha|beta)$",
    r"(a)(b)?",
    r".{10,}",
];

const ACROSS: &[&str] = &[
    r"alpha\n",
    r"beta\s+\w",
    r"fn main\(\) \{.*?\}",
    r"needle\r?\nneedle",
    "(?s)TODO.*?alpha",
    r"^\n",
    "gamma.beta",
];

const TEXTS: &[&str] = &["a.b", "foo(", "[x]", "TODO:", "$", "needle", "", "-x", r"\", "ü", "FOO", "e"];

const GLOBS: &[&str] = &[
    "*.rs", "*.{c,py}", "**/*.md", "src/**", "[a-m]*", "!*.log", "/*.txt", "lib/*.rs", "*.min.js", "docs/",
    "main.*", "?ata*",
];

const KINDS: &[&str] = &["rust", "c", "py", "md", "js", "txt", "rust,py"];

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Content,
    Files,
    Count,
}

/// One call in both languages.
struct Search {
    parameters: Map<String, Value>,
    arguments: Vec<String>,
    /// Which files, by pattern and by kind. Told so, ripgrep brings back what is ignored or hidden, and takes either; so what
    /// counts is what is found with each of them and without.
    narrow: Vec<Vec<String>>,
    directory: String,
    mode: Mode,
}

impl Search {
    fn new(tree: &Tree, random: &mut Random) -> Self {
        let mut search = Self {
            parameters: Map::new(),
            arguments: Vec::new(),
            narrow: Vec::new(),
            directory: String::new(),
            mode: Mode::Content,
        };
        // A `.gitignore` counts for us also where there is no repository, and a line may end as on Windows.
        search.flags(&[
            "-j1",
            "--no-config",
            "--no-require-git",
            "--crlf",
            "--no-heading",
            "-H",
            "-0",
            "--no-messages",
        ]);
        search.set("limit", 10_000);
        search.pattern(random);
        search.choose_files(tree, random);
        search.form(random);
        search
    }

    fn pattern(&mut self, random: &mut Random) {
        let pattern = match random.below(8) {
            0 => {
                self.set("multiline", true);
                self.flags(&["-U", "--multiline-dotall"]);
                random.pick(ACROSS)
            }
            1 | 2 => {
                self.set("literal", true);
                self.flags(&["-F"]);
                random.pick(TEXTS)
            }
            _ => random.pick(REGULAR),
        };
        match random.below(4) {
            0 => {
                self.set("ignoreCase", true);
                self.flags(&["-i"]);
            }
            1 => {
                self.set("smartCase", true);
                self.flags(&["-S"]);
            }
            _ => {}
        }
        let across = self.parameters.contains_key("multiline");
        // What `whole words` means for nothing at all, or for what begins with no letter, changed in ripgrep 14.
        if random.once_in(5) && !across && pattern.chars().all(char::is_alphanumeric) && !pattern.is_empty() {
            self.set("word", true);
            self.flags(&["-w"]);
        }
        if random.once_in(8) && !across {
            self.set("invert", true);
            self.flags(&["-v"]);
        }
        if random.once_in(8) && !across {
            let most = 1 + random.below(3);
            self.set("maxCount", most);
            self.flags(&["-m", &most.to_string()]);
        }
        self.set("pattern", pattern);
        self.flags(&["-e", pattern]);
    }

    fn choose_files(&mut self, tree: &Tree, random: &mut Random) {
        if random.once_in(4) && !tree.directories.is_empty() {
            self.directory = random.pick(&tree.directories);
            self.set("path", self.directory.clone());
        }
        if random.once_in(4) {
            self.set("includeHidden", true);
            self.flags(&["--hidden"]);
        }
        if random.once_in(4) {
            self.set("noIgnore", true);
            self.flags(&["--no-ignore"]);
        } else {
            // A negative pattern brings nothing back.
            EXCLUDED.iter().for_each(|name| self.flags(&["-g", &format!("!{name}")]));
        }
        if random.once_in(4) {
            let kind = random.pick(KINDS);
            self.set("type", kind);
            self.narrow.push(kind.split(',').map(|kind| format!("-t{kind}")).collect());
        }
        if random.once_in(4) {
            let glob = random.pick(GLOBS);
            self.set("glob", glob);
            // A directory means the files in it.
            let deep = if glob.ends_with('/') { "**" } else { "" };
            self.narrow.push(vec![format!("-g{glob}{deep}")]);
        }
        if random.once_in(6) {
            let exclude = random.pick(&["*.rs", "lib", "/src", "tests/", "**/main.*", "*.{md,txt}"]);
            self.set("exclude", json!([exclude]));
            self.flags(&["-g", &format!("!{exclude}")]);
        }
    }

    fn form(&mut self, random: &mut Random) {
        // By path the first files are searched in order, before all others are at once.
        if random.once_in(2) {
            self.set("sort", "path");
        }
        let across = self.parameters.contains_key("multiline");
        // Across lines ripgrep counts matches one by one, and we what hangs together.
        self.mode = random.pick(if across {
            &[Mode::Content, Mode::Content, Mode::Files]
        } else {
            &[Mode::Content, Mode::Files, Mode::Count]
        });
        match self.mode {
            Mode::Files => {
                self.set("outputMode", "filesWithMatches");
                self.flags(&["-l"]);
            }
            Mode::Count => {
                self.set("outputMode", "count");
                self.flags(&["-c"]);
            }
            Mode::Content => {
                self.set("outputMode", "content");
                self.flags(&["-n"]);
                // After the last match that counts, ripgrep 13 shows others as if they were none.
                let limited = self.parameters.contains_key("maxCount");
                let (before, after) = if limited { (0, 0) } else { (random.below(3), random.below(3)) };
                self.set("before", before);
                self.set("after", after);
                self.flags(&["-B", &before.to_string(), "-A", &after.to_string()]);
            }
        }
    }

    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.parameters.insert(name.to_owned(), value.into());
    }

    fn flags(&mut self, flags: &[&str]) {
        self.arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
    }

    /// How many results there are, when they are the same.
    fn check(&self, tree: &Tree) -> usize {
        let ours = self.ours(tree);
        let mut theirs = self.theirs(tree, &[]);
        for narrow in &self.narrow {
            let narrow = self.theirs(tree, narrow);
            theirs = theirs.intersection(&narrow).cloned().collect();
        }
        let mut difference = String::new();
        for (mark, one, other) in [("only ours", &ours, &theirs), ("only theirs", &theirs, &ours)] {
            one.difference(other).take(8).for_each(|line| _ = writeln!(difference, "{mark}: {line}"));
        }
        assert!(
            difference.is_empty(),
            "{}\nrg {}\nin {} / {}, narrow {:?}\n{difference}",
            Value::Object(self.parameters.clone()),
            self.arguments.join(" "),
            tree.twin.display(),
            self.directory,
            self.narrow
        );
        ours.len()
    }

    /// One line for each result: the path, and what it shows.
    fn ours(&self, tree: &Tree) -> BTreeSet<String> {
        let result = tree.toolbox.call_blocking("grep", self.parameters.clone().into(), &tree.context);
        assert!(result.success, "{:?}: {:?}", self.parameters, result.error);
        let output = &result.output;
        assert_eq!(output["truncated"], false);
        assert!(output["skipped"]["binary"].as_u64().unwrap() <= tree.binary as u64);
        let mut found = BTreeSet::new();
        for file in output["files"].as_array().unwrap() {
            let path = file["path"].as_str().unwrap();
            if is_rules(path) {
                continue;
            }
            match self.mode {
                Mode::Files => _ = found.insert(path.to_owned()),
                Mode::Count => _ = found.insert(format!("{path} {}", file["count"])),
                Mode::Content => {
                    for line in file["lines"].as_array().unwrap() {
                        let mark = if line["match"] == true { ':' } else { '-' };
                        found.insert(format!(
                            "{path} {}{mark}{}",
                            line["line"],
                            line["text"].as_str().unwrap()
                        ));
                    }
                }
            }
        }
        found
    }

    fn theirs(&self, tree: &Tree, narrow: &[String]) -> BTreeSet<String> {
        // The last pattern that matches counts, and those that leave out come last.
        let mut arguments = [narrow, &self.arguments].concat();
        arguments.push("./".to_owned());
        let printed = String::from_utf8(ask("rg", &arguments, &tree.twin.join(&self.directory))).unwrap();
        let at = |path: &str| {
            let path = path.trim_start_matches("./");
            if self.directory.is_empty() { path.to_owned() } else { format!("{}/{path}", self.directory) }
        };
        let hidden = self.parameters.contains_key("includeHidden");
        let counts = |path: &str| (hidden || !is_hidden(path.trim_start_matches("./"))) && !is_rules(path);
        match self.mode {
            Mode::Files => printed.split_terminator('\0').filter(|path| counts(path)).map(at).collect(),
            _ => printed
                .split_terminator('\n')
                // With `--crlf` the line between groups ends so, too.
                .filter(|line| !matches!(*line, "--" | "--\r"))
                .map(|line| line.split_once('\0').unwrap_or_else(|| panic!("{line:?} of {printed}")))
                .filter(|(path, _)| counts(path))
                .map(|(path, rest)| format!("{} {}", at(path), rest.strip_suffix('\r').unwrap_or(rest)))
                .collect(),
        }
    }
}

/// An ignore file has another text in the twin.
fn is_rules(path: &str) -> bool {
    path.ends_with(".gitignore") || path.ends_with(".ignore")
}
