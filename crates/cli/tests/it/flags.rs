//! Errors and notes name what the user typed: arguments, flags and commands, and not the parameters of a tool.

use std::fs;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::{stderr, stdout, toolcrib, toolcrib_with_input};

fn workspace() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("src")).unwrap();
    fs::write(dir.path().join("a.txt"), "one\ntwo\ntwo\n").unwrap();
    fs::write(dir.path().join("b.ipynb"), notebook()).unwrap();
    dir
}

fn notebook() -> String {
    let cell = |text: &str| format!(r#"{{"cell_type": "markdown", "metadata": {{}}, "source": ["{text}"]}}"#);
    format!(
        r#"{{"cells": [{}, {}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}"#,
        cell("first"),
        cell("second")
    )
}

#[test]
fn an_error_names_what_was_typed() {
    let dir = workspace();
    for (args, said) in [
        (&["edit", "a.txt", "absent", "x"][..], "a.txt: OLD not found"),
        (&["edit", "a.txt", "two", "x"], "OLD found 2 times, lines: [2, 3]. Use --all or provide"),
        (&["edit", "a.txt", "one", "one"], "OLD and NEW must be different"),
        (&["edit", "a.txt", "", "x"], "or use `toolcrib write` to replace the whole file"),
        (&["edit", "b.ipynb", "absent", "x"], "`toolcrib read` shows its cells"),
        (&["multiedit", "a.txt", "-e", "one", "1", "-e", "absent", "x"], "edit 2 of 2: OLD not found"),
        (&["multiedit", "a.txt", "-e", "two", "2"], "Use --all or provide"),
        (&["write", "a.txt", "x", "--expected-version", "y"], "--expected-version is not a version: 'y'"),
        (&["read", "src"], "hint: name a file in it, or list it with `toolcrib ls`\n"),
        (&["read", "a.txt", "--pages", "1"], "hint: choose lines by --offset and --limit, or --tail\n"),
        (&["read", "/etc/hosts"], "hint: pass --root with a directory that contains it, "),
        (&["grep", "("], "hint: to search for it as text, pass -F; "),
        (&["patch", "absent.patch"], "hint: check the path, or pass - to read standard input\n"),
        (&["patch", "src"], "src\nhint: name a file in it\n"),
        (&["grep", r"a\nb"], "hint: pass -U to search across lines\n"),
    ] {
        let output = toolcrib(dir.path(), args);
        assert!(stderr(&output).contains(said), "{args:?}: {}", stderr(&output));
        let status = if args[0] == "grep" { 2 } else { 1 };
        assert_eq!((stdout(&output), output.status.code()), ("", Some(status)), "{args:?}");
    }
}

/// An agent is told to ask the user, and a person is that user.
#[test]
fn a_person_is_not_told_to_ask_the_user() {
    let home = workspace();
    let config = home.path().join("toolcrib");
    fs::create_dir(&config).unwrap();
    fs::write(config.join("config.toml"), "").unwrap();
    let run = |args: &[&str]| {
        let mut toolcrib = Command::new(env!("CARGO_BIN_EXE_toolcrib"));
        toolcrib.args(args).current_dir(home.path()).env("XDG_CONFIG_HOME", home.path()).output().unwrap()
    };
    let hint = "work on other files, or change these with another program";
    let output = run(&["read", "toolcrib/config.toml"]);
    assert!(stderr(&output).ends_with(&format!("\nhint: {hint}\n")), "{}", stderr(&output));
    let output = run(&["read", "toolcrib/config.toml", "--json"]);
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    let hint = "work on other files, or ask the user to change these with another program";
    assert_eq!(result["metadata"]["hint"], hint, "a program passes it on to its model");
}

#[test]
fn what_was_given_as_json_keeps_the_names_of_json() {
    let dir = workspace();
    let edits = r#"[{"old_string": "two", "new_string": "x"}]"#;
    let output = toolcrib_with_input(dir.path(), &["multiedit", "a.txt"], edits);
    assert!(stderr(&output).contains("old_string found 2 times"), "{}", stderr(&output));
    assert!(stderr(&output).contains("Use replace_all=true"), "{}", stderr(&output));
    for (args, said) in [
        (&["edit", "a.txt", "absent", "x", "--json"][..], "old_string not found"),
        (&["grep", "(", "--json"], "set literal=true"),
    ] {
        let output = toolcrib(dir.path(), args);
        let result: Value = serde_json::from_str(stdout(&output)).unwrap();
        assert!(result.to_string().contains(said), "{args:?}: {result}");
    }
}

/// Every flag that an error can name.
#[test]
fn the_flags_that_errors_name_exist() {
    let dir = workspace();
    for (command, flags) in [
        ("read", &["--offset", "--limit", "--tail", "--column", "--pages", "--cells"][..]),
        ("write", &["--expected-version"]),
        ("edit", &["--all", "--expected-version"]),
        ("multiedit", &["--all", "--expected-version"]),
        ("patch", &["--overwrite", "--expected-version"]),
        ("grep", &["-F", "-U", "--no-ignore"]),
        ("glob", &["--no-ignore"]),
    ] {
        let help = toolcrib(dir.path(), &[command, "--help"]);
        for flag in flags {
            assert!(stdout(&help).contains(&format!(" {flag}")), "{command} {flag}");
        }
    }
}

#[test]
fn a_value_that_does_not_fit_is_told_which_ones_do() {
    let dir = workspace();
    for (args, said) in [
        (&["read", "a.txt", "--offset", "0"][..], "must be at least 1\n"),
        (&["read", "a.txt", "--limit", "0"], "must be at least 1\n"),
        (&["read", "a.txt", "--pages", "x"], "write it as \"3\", \"1-10\", \"5-\" or \"1,3\"\n"),
        (&["ls", "--depth", "0"], "must be at least 1\n"),
        (&["mcp", "--http", "nonsense"], "must be an IP address and a port, such as 127.0.0.1:0\n"),
        (
            &["undo", "x"],
            "must be the number of a change, as `toolcrib log` shows it, or a range such as 3..7\n",
        ),
        (&["log", "--limit", "x"], "must be a whole number\n"),
        (&["ls", "--dialect", "x"], "(known dialects: standard, ekacode, filesystem, "),
    ] {
        let output = toolcrib(dir.path(), args);
        assert!(stderr(&output).contains(said), "{args:?}: {}", stderr(&output));
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn cells_of_a_notebook_can_be_chosen() {
    let dir = workspace();
    let output = toolcrib(dir.path(), &["read", "b.ipynb", "--cells", "2-"]);
    assert!(stdout(&output).contains("second") && !stdout(&output).contains("first"), "{}", stdout(&output));
    let output = toolcrib(dir.path(), &["read", "b.ipynb", "--cells", "3"]);
    assert!(stderr(&output).ends_with("hint: start at cell 2 or before\n"), "{}", stderr(&output));
    let output = toolcrib(dir.path(), &["read", "b.ipynb", "--cells", "1", "--tail", "1"]);
    assert_eq!(output.status.code(), Some(2));
}
