//! A repository that brings a hostile `.toolcrib.toml`: every command ends with an error or with an answer, within bounds of
//! memory and of processor time.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::{stderr, stdout};

/// In kilobytes of addresses, most of which a debug build needs for itself, and in seconds of processor time.
const BOUNDS: &str = "ulimit -v 600000; ulimit -t 20";

fn within_bounds(dir: &Path, arguments: &str) -> Output {
    let binary = env!("CARGO_BIN_EXE_toolcrib");
    Command::new("sh")
        .args(["-c", &format!("{BOUNDS}; exec {binary} {arguments}")])
        .current_dir(dir)
        .env("HOME", dir)
        .output()
        .unwrap()
}

fn rule(pattern: &str) -> String {
    format!("[[rules]]\nkind = 'read'\naction = 'deny'\npattern = '{pattern}'\n")
}

#[test]
fn a_hostile_configuration_is_an_error_that_names_the_line() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "a\n").unwrap();
    let size = 1_000_000;
    let nested = |open: &str, close: &str| {
        let times = size / 2 / open.len().max(close.len());
        format!("x = {}1{}\n", open.repeat(times), close.repeat(times))
    };
    for (what, text) in [
        ("alternatives", rule(&"{a,b}".repeat(26))),
        ("alternatives within alternatives", rule(&format!("{{{}}}", "{a,b,c,d}".repeat(12)))),
        ("nested braces", rule(&format!("{}a{}", "{".repeat(20_000), "}".repeat(20_000)))),
        ("nested braces within the length", rule(&"{a,".repeat(300))),
        ("classes", rule(&"[a-".repeat(300))),
        ("a pattern of a megabyte", rule(&"*a".repeat(size / 2 - 40))),
        ("rules", rule("a").repeat(15_000)),
        ("exceptions", format!("{}except = [{}]\n", rule("a"), "'{a,b,c}{d,e,f}{g,h,i}',".repeat(30_000))),
        ("wide rules", rule("{a,b,c,d}{a,b,c,d}{a,b,c,d}{a,b,c,d}").repeat(8_000)),
        ("nested arrays", nested("[", "]")),
        ("nested tables", nested("{a=", "}")),
        ("dotted keys", format!("{}a = 1\n", "a.".repeat(size / 2 - 10))),
        ("a table of dots", format!("[{}a]\n", "a.".repeat(size / 2 - 10))),
        ("too large", "# ".repeat(size)),
        ("no text", "\u{0}".repeat(size)),
        ("brackets", "[".repeat(size)),
        ("quotes", "\"".repeat(size)),
    ] {
        fs::write(dir.path().join(".toolcrib.toml"), &text).unwrap();
        for command in ["ls", "read a.txt", "rules", "grep a"] {
            let output = within_bounds(dir.path(), command);
            let said = stderr(&output);
            assert_eq!(output.status.code(), Some(2), "{what}, {command}: {:?} {said:.300}", output.status);
            assert!(said.contains(".toolcrib.toml"), "{what}: {said:.300}");
            assert!(said.contains("line ") || text.len() > 1 << 20, "{what}: {said:.300}");
            assert!(said.len() < 2_000, "{what}: {} bytes are said", said.len());
        }
    }
    fs::remove_file(dir.path().join(".toolcrib.toml")).unwrap();
    assert!(stdout(&within_bounds(dir.path(), "ls")).contains("a.txt"));
}

/// Patterns that are allowed cost little, however they are made.
#[test]
fn thousands_of_rules_cost_little() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..200 {
        fs::write(dir.path().join(format!("file{number}.txt")), "needle\n").unwrap();
    }
    fs::write(dir.path().join("x7.secret"), "needle\n").unwrap();
    for (what, rules) in [
        ("names", (0..9_000).map(|number| rule(&format!("x{number}.secret"))).collect::<String>()),
        ("globs", (0..9_000).map(|number| rule(&format!("**/x{number}*.s?cret"))).collect()),
        (
            "deep globs",
            (0..9_000).map(|number| rule(&format!("**/*{number}*/**/*x*{number}*.secret"))).collect(),
        ),
        ("classes", (0..9_000).map(|number| rule(&format!("[x-z]{number}.secret"))).collect()),
        ("stars", (0..900).map(|_| rule(&format!("{}secret", "*x".repeat(500)))).collect()),
        ("alternatives", rule("x{0,1,2,3,4,5,6,7,8,9}{.secret,.a,.b}").repeat(600)),
    ] {
        fs::write(dir.path().join(".toolcrib.toml"), rules).unwrap();
        let output = within_bounds(dir.path(), "grep needle --count");
        assert_eq!(output.status.code(), Some(0), "{what}: {:?} {}", output.status, stderr(&output));
        let found = stdout(&output);
        assert!(found.contains("file199.txt"), "{what}: {found}");
        let hidden = !matches!(what, "deep globs" | "stars");
        assert_eq!(found.contains("x7.secret"), !hidden, "{what}: {found}");
    }
}
