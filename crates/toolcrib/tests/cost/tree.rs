//! The files that calls are aimed at, awkward ones among them.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolcrib_testkit::formats::hostile;
use toolcrib_testkit::{copy_tree, quick_dir};

/// A workspace and a folder for the journal, below one temporary directory.
pub(crate) struct Place {
    home: TempDir,
}

impl Place {
    /// Without any file.
    pub(crate) fn new() -> Self {
        let home = quick_dir();
        fs::create_dir(home.path().join("root")).unwrap();
        Self { home }
    }

    /// With the files of another one.
    pub(crate) fn like(other: &Self) -> Self {
        let home = quick_dir();
        copy_tree(&other.root(), &home.path().join("root"));
        Self { home }
    }

    /// With all the files that [`FILES`] and [`DIRECTORIES`] name, and more.
    pub(crate) fn full() -> Self {
        let place = Self::new();
        let root = place.root();
        for (name, make) in FILES {
            fs::write(root.join(name), make()).unwrap();
        }
        // Of the files that are made to hurt, those that are not large themselves.
        for (number, (name, make)) in hostile::ALL.iter().enumerate() {
            let content = make();
            if content.len() < 512 * 1024 {
                let kind = if name.starts_with("image") { "png" } else { name.split(':').next().unwrap() };
                let ending = if kind == "notebook" { "ipynb" } else { kind };
                fs::write(root.join(format!("hostile{number}.{ending}")), content).unwrap();
            }
        }
        let mut deep = root.join("deep");
        for level in 0..60 {
            fs::create_dir(&deep).unwrap();
            fs::write(deep.join("leaf.txt"), format!("leaf {level}\n")).unwrap();
            deep.push("d".repeat(if level % 20 == 0 { 200 } else { 1 }));
        }
        fs::create_dir(root.join("wide")).unwrap();
        for file in 0..300 {
            fs::write(root.join(format!("wide/file{file}.rs")), format!("fn number_{file}() {{}}\n"))
                .unwrap();
        }
        fs::create_dir(root.join("odd")).unwrap();
        for name in ["a b.txt", "[id].tsx", "{x,y}.txt", "*", "é", "new\nline", "-dash"] {
            fs::write(root.join("odd").join(name), "odd\n").unwrap();
        }
        let rules: String = (0..3000).map(|rule| format!("*a*b{rule}*c*\n")).collect();
        fs::create_dir(root.join("ruled")).unwrap();
        fs::write(root.join("ruled/.gitignore"), rules).unwrap();
        fs::write(root.join("ruled/file.txt"), "ruled\n").unwrap();
        symlink("small.txt", root.join("link")).unwrap();
        symlink("circle", root.join("circle")).unwrap();
        place
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.home.path().join("root")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.home.path().join("state")
    }
}

type Make = fn() -> Vec<u8>;

const MB: usize = 1 << 20;

/// Files in the root, by what is awkward about them.
pub(crate) const FILES: &[(&str, Make)] = &[
    ("small.txt", || b"one\ntwo\nthree\n".to_vec()),
    ("empty.txt", Vec::new),
    ("code.rs", || code(2000).into_bytes()),
    ("letters.txt", || vec![b'a'; MB]),
    ("pairs.txt", || b"ab".repeat(MB / 2)),
    ("one_line.js", || b"function f(a){return \"x\"+a;}var b='y';".repeat(MB / 39)),
    ("short_lines.txt", || b"a\n".repeat(4 * MB)),
    ("newlines.txt", || b"\n".repeat(MB)),
    ("same_lines.txt", || b"same line\n".repeat(MB / 10)),
    ("two_lines.txt", || b"    x = 1;\n    }\n".repeat(MB / 17)),
    ("numbers.txt", || {
        (0..150_000)
            .fold(String::new(), |mut text, n| {
                writeln!(text, "{n}").unwrap();
                text
            })
            .into_bytes()
    }),
    ("crlf.txt", || b"one\r\ntwo\r\nthree\r\n".repeat(20_000)),
    ("spaces.txt", || [vec![b' '; MB], b"x\n".to_vec()].concat()),
    ("indented.txt", || {
        (0..1000).map(|depth| format!("{}x\n", " ".repeat(depth))).collect::<String>().into_bytes()
    }),
    ("quotes.txt", || "“a” ‘b’ – c\u{a0}".repeat(MB / 24).into_bytes()),
    ("quoted_lines.txt", || "“a” said ‘b’ – c\n".repeat(MB / 25).into_bytes()),
    ("latin.txt", || b"caf\xE9 ol\xE9\n".repeat(MB / 10)),
    ("japanese.txt", || b"\x1B$B4A;z\x1B(B desu\n".repeat(MB / 18)),
    ("sjis.txt", || b"\x8a\xbf\x8e\x9a abc\n".repeat(MB / 9)),
    ("wide16.txt", || "wide é text\n".repeat(MB / 24).encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ("wide32.txt", || {
        "wide text\n".repeat(MB / 40).chars().flat_map(|c| u32::from(c).to_le_bytes()).collect()
    }),
    ("broken.txt", || b"good line\n\xff\xfe\xfd bad\n".repeat(MB / 18)),
    ("nul.bin", || vec![0; MB]),
    ("random.bin", || {
        (0_u64..MB as u64).map(|n| (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u8).collect()
    }),
    ("ab_random.txt", || {
        (0_u64..MB as u64)
            .map(|n| {
                if n % 997 == 0 { b'\n' } else { b'a' + (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63) as u8 }
            })
            .collect()
    }),
    ("data.json", || (b"[".repeat(1000).into_iter().chain(b"]".repeat(1000))).collect()),
    ("book.ipynb", || {
        br#"{"cells":[{"cell_type":"code","source":["x = 1\n"],"outputs":[{"output_type":"stream","text":["1\n"]}]}]}"#.to_vec()
    }),
];

/// Directories below the root.
pub(crate) const DIRECTORIES: &[&str] = &["", ".", "deep", "wide", "odd", "ruled", "deep/../wide", "none"];

fn code(functions: usize) -> String {
    (0..functions).fold(String::new(), |mut code, number| {
        writeln!(code, "fn function_{number}(x: u32) -> u32 {{\n    let y = x + {number};\n    y * 2\n}}\n")
            .unwrap();
        code
    })
}

/// How many bytes the regular files below a directory have. Only one directory is open at a time: each takes memory, and
/// some trees are very deep.
pub(crate) fn size_of(directory: &Path) -> u64 {
    let (mut size, mut directories) = (0, vec![directory.to_owned()]);
    while let Some(directory) = directories.pop() {
        let Ok(entries) = fs::read_dir(directory) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                directories.push(entry.path());
            } else if kind.is_file() {
                size += entry.metadata().map_or(0, |metadata| metadata.len());
            }
        }
    }
    size
}
