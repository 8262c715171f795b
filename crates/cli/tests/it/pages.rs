//! What a person sees of each command: its help, what it says to wrong use, and what to an empty result. In a pipe the help has 80
//! columns; each page is a snapshot, to be read as that person would.

use std::fs;
use std::path::Path;
use std::process::Command;

use insta::{Settings, assert_snapshot};

/// A home with nothing in it, and a workspace with an empty file and an empty directory.
fn page(command: &str, further: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let workspace = home.path().join("work");
    fs::create_dir_all(workspace.join("empty")).unwrap();
    fs::write(workspace.join("a.txt"), "one\n").unwrap();
    fs::write(workspace.join("nothing.txt"), "").unwrap();
    let help = format!("{command} --help").trim().to_owned();
    let typed = std::iter::once(help.as_str()).chain(further.iter().copied());
    let top = home.path().canonicalize().unwrap().display().to_string();
    typed.map(|words| typed_in(words, home.path()).replace(&top, "/home/ada")).collect::<Vec<_>>().join("\n")
}

/// The command as it is typed, what it prints, and its status.
fn typed_in(words: &str, home: &Path) -> String {
    let arguments: Vec<&str> = words.split_whitespace().map(|word| word.trim_matches('\'')).collect();
    let output = Command::new(env!("CARGO_BIN_EXE_toolcrib"))
        .args(arguments)
        .current_dir(home.join("work"))
        .env_clear()
        .env("HOME", home)
        .output()
        .unwrap();
    let shown = [output.stdout, output.stderr].concat();
    let shown = String::from_utf8(shown).unwrap();
    let status = match output.status.code() {
        Some(0) => String::new(),
        status => format!("[status {}]\n", status.unwrap_or(-1)),
    };
    format!("$ toolcrib {words}\n{shown}{status}")
}

fn check(command: &str, further: &[&str]) {
    let page = page(command, further);
    // Errors and hints are sentences, which a terminal breaks.
    for line in page.lines().skip(1).take_while(|line| !line.starts_with("$ ")) {
        assert!(line.chars().count() <= 80, "{command}: wider than 80 columns: {line}");
    }
    let name = if command.is_empty() { "toolcrib" } else { command };
    let mut settings = Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!(name, page));
}

macro_rules! pages {
    ($($test:ident: $command:literal, $further:expr;)*) => {$(
        #[test]
        fn $test() {
            check($command, &$further);
        }
    )*};
}

pages! {
    the_program: "", ["nonsense", "--nonsense", "cat a.txt"];
    read: "read", ["read", "read absent.txt", "read nothing.txt", "read a.txt absent.txt nothing.txt"];
    write: "write", ["write", "write a.txt"];
    edit: "edit", ["edit a.txt", "edit absent.txt a b", "edit a.txt two 2", "edit a.txt one 1 --dry-run"];
    multiedit: "multiedit", ["multiedit a.txt -e one", "multiedit a.txt"];
    patch: "patch", ["patch a b", "patch absent.diff", "patch a.txt"];
    grep: "grep", ["grep", "grep (", "grep absent", "grep one absent.txt", "grep one a.txt --nope"];
    glob: "glob", ["glob", "glob *.rs", "glob a.txt nothing.txt"];
    ls: "ls", ["ls --depth 0", "ls absent", "ls empty"];
    call: "call", ["call", "call Nope {}", "call Read nonsense"];
    dialects: "dialects", ["dialects --nope"];
    schemas: "schemas", ["schemas --format nope"];
    rules: "rules", ["rules nope"];
    init: "init", ["init", "init nope", "init claude-code"];
    uninit: "uninit", ["uninit", "uninit nope", "uninit claude-code"];
    doctor: "doctor", ["doctor nope"];
    completions: "completions", ["completions nope"];
    man: "man", ["man nope"];
    mcp: "mcp", ["mcp --tools Nope", "mcp --http nonsense"];
    ui: "ui", ["ui --port x", "ui --port 70000"];
    log: "log", ["log", "log --since soon", "log --session NOPE", "log 7", "log a.txt src"];
    show: "show", ["show", "show x", "show 7", "show --session NOPE"];
    diff: "diff", ["diff", "diff --session NOPE", "diff 7", "diff --stat --name-only"];
    undo: "undo", ["undo", "undo x", "undo 7", "undo 1..7", "undo --hunks", "undo --session NOPE"];
    redo: "redo", ["redo", "redo 7", "redo --since soon"];
    record: "record", ["record", "record --nope make", "record --dry-run -- make", "record absent-command"];
    filesystem: "filesystem", ["filesystem /absent"];
    apply_patch: "apply-patch", ["apply-patch nonsense"];
}
