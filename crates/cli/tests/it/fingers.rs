//! What fingers type that know `rg`, `grep` and `ls`: the usual invocations do what they do there.

use std::fs;
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

use crate::{stderr, stdout, toolcrib};

fn workspace() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for folder in ["src/deep", "docs", "node_modules", ".git"] {
        fs::create_dir_all(dir.path().join(folder)).unwrap();
    }
    let now = SystemTime::now();
    for (age, (name, text)) in [
        ("a.txt", "needle one\nother\n"),
        ("docs/b.md", "a Needle here\nneedles\n"),
        ("src/main.rs", "fn main() {\n    needle();\n    x.y(needle, needle);\n}\n"),
        ("src/deep/c.rs", "nothing\n"),
        (".hidden.txt", "needle\n"),
        ("ignored.log", "needle\n"),
        ("node_modules/m.js", "needle\n"),
        (".gitignore", "*.log\n"),
        ("patterns", "one\nhere\n"),
    ]
    .into_iter()
    .enumerate()
    {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(now - Duration::from_secs(60 * (age as u64 + 1))).unwrap();
    }
    dir
}

#[track_caller]
fn check(typed: &str, expected: &str, status: i32) {
    let dir = workspace();
    let words: Vec<&str> = typed.split(' ').collect();
    let output = toolcrib(dir.path(), &words);
    assert_eq!(stdout(&output), expected, "{typed}: {}", stderr(&output));
    assert_eq!(output.status.code(), Some(status), "{typed}: {}", stderr(&output));
}

#[test]
fn as_rg_and_grep() {
    let main = "src/main.rs:2:    needle();\nsrc/main.rs:3:    x.y(needle, needle);\n";
    let all = format!("a.txt:1:needle one\ndocs/b.md:2:needles\n{main}");
    for typed in ["grep needle", "grep -n needle", "grep -rn needle .", "grep -R needle", "grep -E needle"] {
        check(typed, &all, 0);
    }
    for (typed, expected) in [
        ("grep -i NEEDLE docs", "docs/b.md:1:a Needle here\ndocs/b.md:2:needles\n"),
        ("grep -S needle docs", "docs/b.md:1:a Needle here\ndocs/b.md:2:needles\n"),
        ("grep -S Needle", "docs/b.md:1:a Needle here\n"),
        ("grep -i -s Needle", "docs/b.md:1:a Needle here\n"),
        ("grep -w needle a.txt docs/b.md", "a.txt:1:needle one\n"),
        ("grep -l needle", "a.txt\ndocs/b.md\nsrc/main.rs\n"),
        ("grep -rl needle src", "src/main.rs\n"),
        ("grep -L needle", "patterns\nsrc/deep/c.rs\n"),
        ("grep -c needle", "a.txt:1\ndocs/b.md:1\nsrc/main.rs:2\n"),
        ("grep -c needle src/main.rs", "2\n"),
        ("grep -o needle src", "src/main.rs:2:needle\nsrc/main.rs:3:needle\nsrc/main.rs:3:needle\n"),
        ("grep -F x.y( src", "src/main.rs:3:    x.y(needle, needle);\n"),
        ("grep -e other -e nothing", "a.txt:2:other\nsrc/deep/c.rs:1:nothing\n"),
        ("grep -F -e y( -e nothing src", "src/deep/c.rs:1:nothing\nsrc/main.rs:3:    x.y(needle, needle);\n"),
        ("grep -f patterns docs a.txt", "docs/b.md:1:a Needle here\na.txt:1:needle one\n"),
        ("grep -x other", "a.txt:2:other\n"),
        ("grep -v needle a.txt", "2:other\n"),
        ("grep needle a.txt", "1:needle one\n"),
        ("grep -H needle a.txt", "a.txt:1:needle one\n"),
        ("grep -hN needle a.txt docs", "needle one\nneedles\n"),
        ("grep -m 1 needle src", "src/main.rs:2:    needle();\n"),
        ("grep -A 1 one a.txt", "1:needle one\n2-other\n"),
        ("grep -B1 other", "a.txt-1-needle one\na.txt:2:other\n"),
        ("grep -C 1 -h other", "1-needle one\n2:other\n"),
        (
            "grep needle -g *.rs -g *.md",
            "docs/b.md:2:needles\nsrc/main.rs:2:    needle();\nsrc/main.rs:3:    x.y(needle, needle);\n",
        ),
        ("grep -l needle -g !docs", "a.txt\nsrc/main.rs\n"),
        ("grep -l needle --include=*.md", "docs/b.md\n"),
        ("grep -l needle --exclude-dir=src", "a.txt\ndocs/b.md\n"),
        ("grep -l needle -t rust -t md", "docs/b.md\nsrc/main.rs\n"),
        ("grep -l needle -Trust -T md", "a.txt\n"),
        ("grep -l needle --hidden", ".hidden.txt\na.txt\ndocs/b.md\nsrc/main.rs\n"),
        ("grep -l needle --no-ignore", "a.txt\ndocs/b.md\nignored.log\nnode_modules/m.js\nsrc/main.rs\n"),
        ("grep -luu needle", ".hidden.txt\na.txt\ndocs/b.md\nignored.log\nnode_modules/m.js\nsrc/main.rs\n"),
        ("grep -U one\\nother", "a.txt:1:needle one\na.txt:2:other\n"),
        ("grep -q needle", ""),
    ] {
        check(typed, expected, 0);
    }
    check("grep absent", "", 1);
    check("grep -q absent", "", 1);
    check("grep -L needle a.txt", "", 1);
    check("grep (", "", 2);
    check("grep -q needle absent.txt", "", 2);
    // One that is missing does not keep the others from being searched.
    check("grep needle absent.txt a.txt", "a.txt:1:needle one\n", 2);
    check("grep", "", 2);
}

#[test]
fn as_ls() {
    for (typed, expected) in [
        ("ls", ".git/\ndocs/\nnode_modules/\nsrc/\n.gitignore\n.hidden.txt\na.txt\nignored.log\npatterns\n"),
        ("ls -a src", "deep/\nmain.rs\n"),
        ("ls -1 src", "deep/\nmain.rs\n"),
        ("ls -R src", "deep/\ndeep/c.rs\nmain.rs\n"),
        ("ls -r src", "main.rs\ndeep/\n"),
        ("ls a.txt", "a.txt\n"),
        ("ls src docs a.txt", "a.txt\n\nsrc:\ndeep/\nmain.rs\n\ndocs:\nb.md\n"),
        ("ls -d src docs", "src/\ndocs/\n"),
        ("ls -t docs src", "docs:\nb.md\n\nsrc:\ndeep/\nmain.rs\n"),
        ("ls -tR src", "deep/\nmain.rs\ndeep/c.rs\n"),
        ("ls -SR src", "main.rs\ndeep/c.rs\ndeep/\n"),
        ("ls -I *.txt -I .git* .", "docs/\nnode_modules/\nsrc/\nignored.log\npatterns\n"),
    ] {
        check(typed, expected, 0);
    }
    check("ls absent src", "src:\ndeep/\nmain.rs\n", 1);
    let dir = workspace();
    let output = toolcrib(dir.path(), &["ls", "-l", "src"]);
    let lines: Vec<Vec<&str>> =
        stdout(&output).lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!((lines[0][0].len(), lines[0][1], lines[0][4]), (10, "-", "deep/"), "{lines:?}");
    assert_eq!((&lines[1][0][..1], lines[1][1], lines[1][4]), ("-", "53", "main.rs"), "{lines:?}");
    // Five and a half hours east of Greenwich, and in Greenwich.
    let main = fs::File::open(dir.path().join("src/main.rs")).unwrap();
    main.set_modified(UNIX_EPOCH + Duration::from_secs(1_794_773_823)).unwrap();
    for (zone, time) in [("EAST-5:30", " 2026-11-16 01:47 main.rs\n"), ("UTC", " 2026-11-15 20:17 main.rs\n")]
    {
        let mut ls = Command::new(env!("CARGO_BIN_EXE_toolcrib"));
        let output = ls.args(["ls", "-l", "src"]).current_dir(dir.path()).env("TZ", zone).output().unwrap();
        assert!(stdout(&output).ends_with(time), "{zone}: {}", stdout(&output));
    }
    let output = toolcrib(dir.path(), &["ls", "-lh", "src"]);
    assert!(stdout(&output).contains(" 53 B "), "{}", stdout(&output));
    let help = toolcrib(dir.path(), &["ls", "-h"]);
    assert!(stdout(&help).contains("Usage: toolcrib ls"), "-h alone asks for help");
}

#[test]
fn as_find_and_fd() {
    for (typed, expected) in [
        ("glob **/*.rs", "src/main.rs\nsrc/deep/c.rs\n"),
        ("glob **/*.rs **/*.md", "src/main.rs\nsrc/deep/c.rs\ndocs/b.md\n"),
        ("glob *.rs src docs", "src/main.rs\n"),
        ("glob -i **/*.RS", "src/main.rs\nsrc/deep/c.rs\n"),
        ("glob **/*.rs --exclude deep", "src/main.rs\n"),
        ("glob *.txt --hidden", "a.txt\n.hidden.txt\n"),
        ("glob -u *.log", "ignored.log\n"),
    ] {
        check(typed, expected, 0);
    }
    let dir = workspace();
    let output = toolcrib(dir.path(), &["glob", "*.rs"]);
    assert_eq!(stderr(&output), "No files found\n2 files match in subdirectories: use '**/*.rs'\n");
    // As a shell does it where the pattern is not quoted.
    let output = toolcrib(dir.path(), &["glob", "a.txt", "patterns"]);
    assert!(stderr(&output).contains("hint: if the shell expanded the pattern, put it in quotes"));
    let output = toolcrib(dir.path(), &["grep", "--files"]);
    assert!(stderr(&output).contains("hint: use `toolcrib glob '**'`"), "{}", stderr(&output));
}

/// A model's answer is bounded; a pipe gets everything.
#[test]
fn a_pipe_gets_everything() {
    let dir = tempfile::tempdir().unwrap();
    let long = format!("needle{}\n", "x".repeat(3000));
    fs::write(dir.path().join("long.txt"), long.repeat(10)).unwrap();
    fs::write(dir.path().join("many.txt"), "needle\n".repeat(15_000)).unwrap();
    fs::create_dir(dir.path().join("d")).unwrap();
    for name in 0..10_050 {
        fs::write(dir.path().join(format!("d/{name}")), "").unwrap();
    }
    let output = toolcrib(dir.path(), &["grep", "-hN", "needle"]);
    assert_eq!(stdout(&output), long.repeat(10) + &"needle\n".repeat(15_000));
    assert_eq!(stderr(&output), "");
    for args in [&["ls", "d"][..], &["ls", "-t", "d"], &["glob", "d/*"]] {
        let output = toolcrib(dir.path(), args);
        assert_eq!((stdout(&output).lines().count(), stderr(&output)), (10_050, ""), "{args:?}");
    }
}
