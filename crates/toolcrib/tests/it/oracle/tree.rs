//! A tree made at random, and its twin for the other programs.
//!
//! The twin differs in what we do otherwise on purpose:
//! - Text in another encoding is UTF-8 in it: ripgrep sees UTF-16 only behind a byte order mark, and other charsets never.
//! - Other data is not in it: where a file holds a NUL, ripgrep stops after a first match, or before one, depending on how
//!   far it had read; we leave the file out and count it.
//! - What the default rules withhold is not in it.
//! - A brace in an ignore file is escaped in it: to git it is a brace, to the others an alternative.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolcrib::{Dialect, ExecutionContext, Toolbox};
use toolcrib_testkit::{Random, languages, quick_dir};

use super::ask;

pub(super) struct Tree {
    pub(super) toolbox: Toolbox,
    pub(super) context: ExecutionContext,
    /// Where ours searches, and where the others do.
    pub(super) root: PathBuf,
    pub(super) twin: PathBuf,
    /// Directories in which there is something to be found without asking for what is ignored.
    pub(super) directories: Vec<String>,
    pub(super) binary: usize,
    _base: TempDir,
}

const DIRECTORIES: &[&str] = &[
    "src",
    "lib",
    "build",
    "target",
    "docs",
    "node_modules",
    ".hidden",
    ".config",
    "vendor",
    "a b",
    "weird[1]",
    "scratch",
    "deep",
    "__pycache__",
    "tests",
];

const STEMS: &[&str] =
    &["main", "util", "README", "data", "index", "topmost", "x-y", "Makefile", "é", ".dot", "[id]"];
const ENDINGS: &[&str] = &[".rs", ".c", ".py", ".md", ".txt", ".log", "", ".min.js", ".tsx", ".orig"];

const LINES: &[&str] = &[
    "alpha",
    "beta",
    "gamma",
    "Gamma ray",
    "TODO: fix",
    "fn main() {",
    "}",
    "needle",
    "a Needle",
    "needle needle",
    "x = 1;",
    "",
    "",
    "  indented  ",
    "foo(bar)",
    "foobar",
    "foo_bar baz",
    "über alles",
    "naïve",
    "漢字 kanji",
    "a.b",
    "tab\there",
    "trailing ",
    "NEEDLE",
    "-x",
    "$5.00",
    "[x]",
    "foo-bar",
    "1234 56",
    "İstanbul ſ K",
    "e\u{301}",
];

const RULES: &[&str] = &[
    "*.log",
    "build/",
    "/target",
    "docs/*.md",
    "!README.md",
    "*.min.js",
    "vendor",
    "!vendor/",
    "**/deep/*.txt",
    "a b/",
    "data*",
    "/src/util.*",
    "!*.rs",
    "# remark",
    "",
    "\\#x",
    "scratch/**",
    "x-y.?s",
    "[mM]akefile",
    "lib/**/main*",
    "*.{c,py}",
    "é*",
    "tests/",
];

impl Tree {
    pub(super) fn new(seed: usize) -> Self {
        let mut random = Random(seed as u64 + 1);
        let base = quick_dir();
        // A root below a directory that many people ignore is no less a root.
        let above = base.path().join("build/target");
        let (root, twin) = (above.join("ours"), above.join("theirs"));
        let mut makers = Makers { root: root.clone(), twin: twin.clone(), binary: 0 };
        makers.directory("");
        makers.both(".git/HEAD", "ref: refs/heads/main\n");
        if seed.is_multiple_of(2) {
            makers.both(".git/info/exclude", "*.tsx\n!main.tsx\n");
        }
        let mut directories = vec![String::new()];
        for _ in 0..18 {
            let above = random.pick(&directories);
            let name = random.pick(DIRECTORIES);
            let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
            if path.matches('/').count() < 5 && !directories.contains(&path) {
                makers.directory(&path);
                directories.push(path);
            }
        }
        for directory in &directories {
            makers.fill(directory, &mut random);
        }
        let toolbox = Toolbox::builder().root(&root).dialect(Dialect::Ekacode).open().unwrap();
        let context = toolbox.context().max_output_size(usize::MAX);
        let directories = visible(&twin);
        Self { toolbox, context, root, twin, directories, binary: makers.binary, _base: base }
    }
}

/// Directories with files that are found from the top.
fn visible(twin: &Path) -> Vec<String> {
    let arguments = ["--files", "--no-require-git", "--hidden", "-g", "!.git"].map(str::to_owned);
    let files = String::from_utf8(ask("rg", &arguments, twin)).unwrap();
    let above = files.lines().filter_map(|file| Some(Path::new(file).parent()?.to_str()?.to_owned()));
    let not_excluded = above.filter(|path| !path.split('/').any(|name| super::EXCLUDED.contains(&name)));
    not_excluded.collect::<BTreeSet<_>>().into_iter().filter(|path| !path.is_empty()).collect()
}

struct Makers {
    root: PathBuf,
    twin: PathBuf,
    binary: usize,
}

impl Makers {
    fn directory(&self, path: &str) {
        fs::create_dir_all(self.root.join(path)).unwrap();
        fs::create_dir_all(self.twin.join(path)).unwrap();
    }

    fn both(&self, path: &str, text: &str) {
        self.file(path, text.as_bytes(), Some(text));
    }

    fn file(&self, path: &str, bytes: &[u8], twin: Option<&str>) {
        let write = |path: PathBuf, bytes: &[u8]| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        };
        write(self.root.join(path), bytes);
        if let Some(text) = twin {
            write(self.twin.join(path), text.as_bytes());
        }
    }

    fn fill(&mut self, directory: &str, random: &mut Random) {
        let at =
            |name: &str| if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
        for name in [".gitignore", ".ignore"] {
            let often = if name == ".ignore" { 9 } else { 3 };
            if random.once_in(often) || directory.is_empty() && name == ".gitignore" {
                let lines: Vec<&str> = (0..1 + random.below(4)).map(|_| random.pick(RULES)).collect();
                let text = lines.join(if random.once_in(4) { "\r\n" } else { "\n" });
                let escaped = text.replace('{', "\\{").replace('}', "\\}");
                self.file(&at(name), text.as_bytes(), Some(&escaped));
            }
        }
        if random.once_in(8) && !directory.is_empty() {
            // A repository in the repository.
            self.both(&at(".git/HEAD"), "ref: refs/heads/main\n");
        }
        for _ in 0..1 + random.below(5) {
            let name = at(&format!("{}{}", random.pick(STEMS), random.pick(ENDINGS)));
            if self.root.join(&name).symlink_metadata().is_err() {
                self.one(&name, random);
            }
        }
        if random.once_in(5) {
            // Secrets are withheld by the default rules.
            self.file(&at(".env"), b"needle=alpha\n", None);
        }
        if random.once_in(3) {
            let target = random.pick(&["main.rs", "../src", "..", "nowhere", "/etc/passwd"]);
            for top in [&self.root, &self.twin] {
                symlink(target, top.join(at("link.rs"))).unwrap();
            }
        }
    }

    fn one(&mut self, path: &str, random: &mut Random) {
        let newline = if random.once_in(4) { "\r\n" } else { "\n" };
        let mut text = String::new();
        for _ in 0..random.below(20) {
            text.push_str(random.pick(LINES));
            text.push_str(newline);
        }
        if random.once_in(4) {
            text.push_str("no newline needle");
        }
        let wide = |order: fn(u16) -> [u8; 2], text: &str| -> Vec<u8> {
            text.encode_utf16().flat_map(order).collect()
        };
        match random.below(16) {
            0 => {
                let bytes = [&b"\x7fELF\0\0needle alpha\n"[..], text.as_bytes(), b"\0needle\n"].concat();
                self.file(path, &bytes, None);
                self.binary += 1;
            }
            1 => self.file(path, &wide(u16::to_le_bytes, &format!("\u{feff}{text}")), Some(&text)),
            2 => self.file(path, &wide(u16::to_be_bytes, &format!("\u{feff}{text}")), Some(&text)),
            3 => self.file(path, format!("\u{feff}{text}").as_bytes(), Some(&text)),
            4 => {
                // Without a mark there must be enough of it to be recognised.
                let text = format!("{}{text}", languages::GERMAN);
                self.file(path, &wide(u16::to_le_bytes, &text), Some(&text));
            }
            5 => {
                let text: String =
                    languages::GERMAN.lines().flat_map(|line| [line, "\n", "needle\n"]).collect();
                let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
                self.file(path, &bytes, Some(&text));
            }
            _ => self.both(path, &text),
        }
    }
}
