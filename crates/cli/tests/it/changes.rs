//! Reading and changing files by hand: in a pipe, on a terminal, and when the user is asked.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::terminal::Terminal;
use crate::{on_a_terminal, stderr, stdout, toolcrib, toolcrib_with_input};

fn workspace() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "one\ntwo\ntwo \u{1b}[31mred\u{202e}\n").unwrap();
    fs::create_dir(dir.path().join(".vscode")).unwrap();
    fs::write(dir.path().join(".vscode/settings.json"), "{}\n").unwrap();
    dir
}

fn held(dir: &TempDir, name: &str) -> String {
    fs::read_to_string(dir.path().join(name)).unwrap()
}

#[test]
fn reading_shows_lines_and_their_numbers() {
    let dir = workspace();
    let output = toolcrib(dir.path(), &["read", "a.txt"]);
    assert_eq!(stdout(&output), "     1\tone\n     2\ttwo\n     3\ttwo <U+001B>[31mred<U+202E>\n");
    assert_eq!((stderr(&output), output.status.code()), ("", Some(0)));
    let output = toolcrib(dir.path(), &["read", "a.txt", "--offset", "2", "--limit", "1"]);
    assert_eq!(stdout(&output), "     2\ttwo\n");
    fs::write(dir.path().join("many"), "x\n".repeat(3)).unwrap();
    let output = toolcrib(dir.path(), &["read", "many", "--column", "2"]);
    assert_eq!(stdout(&output), "     1\t...\n     2\t...\n     3\t...\n");
    fs::write(dir.path().join("empty"), "").unwrap();
    let output = toolcrib(dir.path(), &["read", "empty"]);
    assert_eq!((stdout(&output), stderr(&output)), ("", "the file is empty\n"));
    let (_, shown) = on_a_terminal(dir.path(), "read a.txt --tail 1", &[], "");
    assert!(shown.contains("\u{1b}[32m     3\u{1b}[0m\ttwo <U+001B>[31mred<U+202E>\r\n"), "{shown:?}");
}

/// Bounds are for models: a person gets all lines, whole, however many there are. 24 MiB come in several pieces.
#[test]
fn a_file_is_read_to_its_end() {
    let dir = workspace();
    let line = "x".repeat(3000);
    fs::write(dir.path().join("many"), format!("{line}\n").repeat(8000)).unwrap();
    let output = toolcrib(dir.path(), &["read", "many"]);
    assert_eq!((stderr(&output), output.status.code()), ("", Some(0)));
    for (number, read) in (1..).zip(stdout(&output).lines()) {
        assert!(read == format!("{number:>6}\t{line}"), "line {number}: {}", &read[..40]);
    }
    assert_eq!(stdout(&output).lines().count(), 8000);
    let output = toolcrib(dir.path(), &["read", "many", "--offset", "2", "--limit", "7000"]);
    let ends = [stdout(&output).lines().next(), stdout(&output).lines().last()];
    assert_eq!(ends.map(|line| line.unwrap().split('\t').next().unwrap()), ["     2", "  7001"]);
    assert_eq!(stderr(&output), "", "who asked for so many knows that there may be more");
    let output = toolcrib(dir.path(), &["read", "many", "--tail", "5000"]);
    assert_eq!(
        (stdout(&output).lines().count(), stderr(&output)),
        (5000, "numbered from the end, the last line is -1\n")
    );
    let output = toolcrib(dir.path(), &["read", "many", "--json"]);
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(
        (&result["metadata"]["lines_read"], &result["metadata"]["truncated"]),
        (&json!(8000), &json!(false))
    );
}

#[test]
fn several_files_are_read_one_after_the_other() {
    let dir = workspace();
    fs::write(dir.path().join("b.txt"), "b\n").unwrap();
    let output = toolcrib(dir.path(), &["read", "b.txt", "absent", "a.txt", "--limit", "1"]);
    assert_eq!(stdout(&output), "==> b.txt <==\n     1\tb\n\n==> a.txt <==\n     1\tone\n");
    assert!(stderr(&output).starts_with("error: File not found: "), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn content_comes_from_an_argument_a_file_or_standard_input() {
    let dir = workspace();
    let path = dir.path().canonicalize().unwrap().join("b/c.txt").display().to_string();
    let output = toolcrib(dir.path(), &["write", "b/c.txt", "x"]);
    assert_eq!(stdout(&output), format!("Created {path} (1 bytes)\n"));
    assert_eq!(held(&dir, "b/c.txt"), "x");
    toolcrib_with_input(dir.path(), &["write", "b/c.txt"], "from a pipe\n");
    assert_eq!(held(&dir, "b/c.txt"), "from a pipe\n");
    toolcrib(dir.path(), &["write", "b/c.txt", "--from", "a.txt"]);
    assert_eq!(held(&dir, "b/c.txt"), held(&dir, "a.txt"));
    let output = toolcrib(dir.path(), &["write", "b/c.txt", "--from", "absent"]);
    let absent = dir.path().canonicalize().unwrap().join("absent");
    let said = format!("error: File not found: {}\nhint: ", absent.display());
    assert!(stderr(&output).starts_with(&said), "{}", stderr(&output));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn an_edit_answers_with_the_diff() {
    let dir = workspace();
    let path = dir.path().canonicalize().unwrap().join("a.txt").display().to_string();
    let output = toolcrib(dir.path(), &["edit", "a.txt", "one", "1"]);
    let expected = format!(
        "Replaced 1 occurrence in {path}\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n-one\n+1\n two\n \
         two <U+001B>[31mred<U+202E>\n"
    );
    assert_eq!(stdout(&output), expected);
    assert!(held(&dir, "a.txt").starts_with("1\ntwo\n"));
    let output = toolcrib(dir.path(), &["edit", "a.txt", "two", "2"]);
    assert!(stderr(&output).starts_with("error: ") && stderr(&output).contains("OLD found 2 times"));
    assert!(stderr(&output).contains("Use --all or provide more context"), "{}", stderr(&output));
    assert_eq!((stdout(&output), output.status.code()), ("", Some(1)));
    let (_, shown) = on_a_terminal(dir.path(), "edit a.txt two 2 --all --dry-run", &[], "");
    assert!(shown.contains("\u{1b}[31m-two\u{1b}[0m\r\n"), "{shown}");
    assert!(!shown.contains("\u{1b}[31mred") && !shown.contains('\u{202e}'));
    assert!(held(&dir, "a.txt").starts_with("1\ntwo\n"));
}

#[test]
fn the_texts_of_an_edit_may_come_from_files() {
    let dir = workspace();
    fs::write(dir.path().join("old"), "one\ntwo\n").unwrap();
    let output = toolcrib(dir.path(), &["edit", "a.txt", "--old-from", "old", "new\n"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(held(&dir, "a.txt").starts_with("new\ntwo \u{1b}"));
    for (args, missing) in [
        (&["edit", "a.txt", "x"][..], "Missing NEW, the replacement text"),
        (&["edit", "a.txt"], "Missing OLD, the text to replace"),
        (&["edit", "a.txt", "--old-from", "old", "x", "y"], "Too many arguments: expected OLD and NEW"),
    ] {
        let output = toolcrib(dir.path(), args);
        assert!(stderr(&output).starts_with(&format!("error: {missing}\nhint: ")), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn several_edits_are_made_or_none() {
    let dir = workspace();
    let output = toolcrib(dir.path(), &["multiedit", "a.txt", "-e", "one", "-1", "-e", "-1\n", "0\n"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(held(&dir, "a.txt").starts_with("0\ntwo\n"));
    let edits = r#"[{"old_string": "0", "new_string": "9"}, {"old_string": "absent", "new_string": ""}]"#;
    let output = toolcrib_with_input(dir.path(), &["multiedit", "a.txt", "--json"], edits);
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!((result["success"].as_bool(), output.status.code()), (Some(false), Some(1)));
    assert!(held(&dir, "a.txt").starts_with("0\ntwo\n"));
    let output = toolcrib_with_input(dir.path(), &["multiedit", "a.txt"], "x");
    assert!(stderr(&output).starts_with("error: The edits are not valid JSON: "));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_version_that_is_not_there_is_not_changed() {
    let dir = workspace();
    let version = |output| {
        let result: Value = serde_json::from_str(stdout(&output)).unwrap();
        result["metadata"]["version"].as_str().unwrap().to_owned()
    };
    let first = version(toolcrib(dir.path(), &["read", "a.txt", "--json"]));
    let output = toolcrib(dir.path(), &["write", "a.txt", "new", "--expected-version", &first]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = toolcrib(dir.path(), &["write", "a.txt", "newer", "--expected-version", &first]);
    assert_eq!((output.status.code(), held(&dir, "a.txt").as_str()), (Some(1), "new"));
}

const ASKED: &str = "write .vscode/settings.json new";

#[test]
fn without_a_terminal_ask_is_no() {
    let dir = workspace();
    let args: Vec<&str> = ASKED.split(' ').collect();
    let output = toolcrib_with_input(dir.path(), &args, "y\n");
    assert!(stderr(&output).contains("Permission denied: Cannot edit"), "{}", stderr(&output));
    assert_eq!((output.status.code(), held(&dir, ".vscode/settings.json").as_str()), (Some(1), "{}\n"));
    let output = toolcrib(dir.path(), &[&args[..], &["--yes"]].concat());
    assert_eq!((output.status.code(), held(&dir, ".vscode/settings.json").as_str()), (Some(0), "new"));
}

#[test]
fn on_a_terminal_the_diff_is_shown_and_the_answer_counts() {
    for (typed, done) in
        [("y\n", true), ("always\n", true), ("n\n", false), ("\n", false), ("not today\n", false)]
    {
        let dir = workspace();
        let (status, screen) = on_a_terminal(dir.path(), ASKED, &[], typed);
        assert!(screen.contains("Write wants to edit ") && screen.contains("Rule: ask edit"));
        assert!(screen.contains("\u{1b}[31m-{}\u{1b}[0m\r\n\u{1b}[32m+new\u{1b}[0m"), "{screen}");
        assert!(screen.contains("Allow? [y]es / [a]lways / [N]o, or type a reason: "), "{screen}");
        let expected = if done { "new" } else { "{}\n" };
        assert_eq!(held(&dir, ".vscode/settings.json"), expected, "{typed:?}");
        assert_eq!(status, Some(i32::from(!done)), "{typed:?}");
        assert_eq!(screen.contains("(the user said no: not today)"), typed == "not today\n", "{screen}");
    }
}

/// A change that is too large for one page says so first, and can be seen to its end before anything is answered.
#[test]
fn a_large_change_is_shown_page_by_page() {
    let dir = workspace();
    let content: String = (0..1000).map(|line| format!("line {line}\n")).collect();
    fs::write(dir.path().join("content"), content).unwrap();
    let large = "write .vscode/settings.json --from content";
    let (status, screen) = on_a_terminal(dir.path(), large, &[], "m\nmore\nn\n");
    assert_eq!((status, held(&dir, ".vscode/settings.json").as_str()), (Some(1), "{}\n"));
    let first = screen.find("This change does not fit on one page: page 1 of 3.").unwrap();
    assert!(first < screen.find("Write wants to edit").unwrap(), "it says so first");
    assert!(
        screen.contains("[m]ore (2 to go) / [y]es, unseen") && screen.contains("page 3 of 3"),
        "{screen}"
    );
    assert!(
        (0..1000).all(|line| screen.contains(&format!("+line {line}\r"))
            || screen.contains(&format!("+line {line}\u{1b}")))
    );
    let (status, _) = on_a_terminal(dir.path(), large, &[], "m\ny\n");
    assert_eq!((status, held(&dir, ".vscode/settings.json").len()), (Some(0), 8890));
}

/// The content comes through a pipe, so the answer is read from the terminal itself.
#[test]
fn the_person_is_asked_although_standard_input_is_taken() {
    let dir = workspace();
    let line = format!("-c 'echo piped | {} write .vscode/settings.json'", env!("CARGO_BIN_EXE_toolcrib"));
    let mut terminal = Terminal::start_line(dir.path(), &format!("sh {line}"), &[]);
    terminal.wait_for("or type a reason: ");
    terminal.type_in("y\n");
    let (_, shown) = terminal.end();
    assert_eq!(held(&dir, ".vscode/settings.json"), "piped\n", "{shown}");
}

/// What a file or its name holds does not act on the terminal that shows a question about it.
#[test]
fn a_question_has_nothing_raw_in_it() {
    let dir = workspace();
    fs::write(dir.path().join(".vscode/a\u{1b}[2J\u{202e}.json"), "\u{1b}[1A\u{9b}2J\n").unwrap();
    let (_, screen) = on_a_terminal(dir.path(), "edit .vscode/a*.json 2J x --color never", &[], "n\n");
    assert!(screen.contains("wants to edit") && screen.contains("[1A"), "{screen}");
    assert!(!screen.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{screen:?}");
}

#[test]
fn a_patch_comes_from_a_file_or_standard_input() {
    let dir = workspace();
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n";
    fs::write(dir.path().join("change.diff"), patch).unwrap();
    let output = toolcrib(dir.path(), &["patch", "change.diff", "--dry-run"]);
    assert!(
        stdout(&output).contains("[Dry Run] Would") && stdout(&output).contains("\n-one\n+1\n"),
        "{}",
        stdout(&output)
    );
    assert!(!dir.path().join("new.txt").exists());
    let output = toolcrib_with_input(dir.path(), &["patch"], patch);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(held(&dir, "a.txt").starts_with("1\ntwo\n"));
    assert_eq!(held(&dir, "new.txt"), "new\n");
    let output = toolcrib_with_input(dir.path(), &["patch", "--json"], "no patch");
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!((result["success"].as_bool(), output.status.code()), (Some(false), Some(1)));
}

#[test]
fn a_list_of_edits_is_checked_before_the_file_is_touched() {
    let dir = workspace();
    for (edits, wrong) in [
        (r#"[{"old_string": "one"}]"#, "missing field `new_string`"),
        (r#"[{"old_string": "one", "new_string": "1", "replaceAll": true}]"#, "unknown field `replaceAll`"),
        ("[]", "The list of edits is empty"),
    ] {
        let output = toolcrib_with_input(dir.path(), &["multiedit", "a.txt"], edits);
        assert!(stderr(&output).contains(wrong), "{}", stderr(&output));
        assert!(stderr(&output).contains("\nhint: pass a list, "), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(2));
    }
    assert!(held(&dir, "a.txt").starts_with("one\n"));
}

#[test]
fn a_refused_patch_names_the_flag_and_in_json_the_parameter() {
    let dir = workspace();
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n";
    for (args, way_out) in
        [(&["patch"][..], "pass --overwrite"), (&["patch", "--json"], "set overwrite=true")]
    {
        let output = toolcrib_with_input(dir.path(), args, patch);
        let said = format!("{}{}", stdout(&output), stderr(&output));
        assert!(said.contains(way_out), "{said}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn ctrl_c_at_a_question_changes_nothing() {
    let dir = workspace();
    let mut terminal = Terminal::start(dir.path(), ASKED, &[]);
    terminal.wait_for("or type a reason: ");
    terminal.type_in("\x03");
    let (status, _) = terminal.end();
    assert_eq!((status.code(), held(&dir, ".vscode/settings.json").as_str()), (Some(130), "{}\n"));
    assert_eq!(fs::read_dir(dir.path().join(".vscode")).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn questions_and_diffs_have_no_colour_for_those_who_want_none() {
    let dir = workspace();
    for args in [ASKED, "edit a.txt one 1 --dry-run"] {
        let (_, shown) = on_a_terminal(dir.path(), args, &[("NO_COLOR", "1")], "n\n");
        assert!(shown.contains("+++ b/") && !shown.contains('\u{1b}'), "{}", shown);
    }
}

#[test]
fn a_name_that_is_no_text_is_understood() {
    let dir = workspace();
    let name = OsStr::from_bytes(b"caf\xE9.txt");
    let run = |args: &[&OsStr]| {
        let program = env!("CARGO_BIN_EXE_toolcrib");
        Command::new(program).args(args).current_dir(dir.path()).output().unwrap()
    };
    let output = run(&["write".as_ref(), name, "x".as_ref()]);
    assert!(stdout(&output).contains(r"/caf\xE9.txt (1 bytes)"), "{output:?}");
    assert_eq!(fs::read(dir.path().join(name)).unwrap(), b"x");
    assert_eq!(stdout(&run(&["read".as_ref(), name])), "     1\tx\n");
}

/// An empty pipe is more likely a failed command than a wish to empty a file.
#[test]
fn an_empty_input_empties_a_file_only_if_told_so() {
    let dir = workspace();
    for args in [&["write", "a.txt"][..], &["write", "a.txt", "--from", "-"]] {
        let output = toolcrib_with_input(dir.path(), args, "");
        assert!(
            stderr(&output).ends_with("\nhint: to empty the file, pass --empty\n"),
            "{}",
            stderr(&output)
        );
        assert_eq!(output.status.code(), Some(1));
    }
    assert!(held(&dir, "a.txt").starts_with("one\n"));
    for args in [&["write", "new.txt"][..], &["write", "new.txt"], &["write", "a.txt", "--empty"]] {
        let output = toolcrib_with_input(dir.path(), args, "");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", stderr(&output));
    }
    assert_eq!((held(&dir, "a.txt"), held(&dir, "new.txt")), (String::new(), String::new()));
    fs::write(dir.path().join("a.txt"), "one\n").unwrap();
    assert_eq!(toolcrib(dir.path(), &["write", "a.txt", ""]).status.code(), Some(0), "an argument is meant");
}

#[test]
fn several_edits_can_replace_every_occurrence() {
    let dir = workspace();
    let output = toolcrib(dir.path(), &["multiedit", "a.txt", "-e", "two", "2", "-e", "one", "1", "--all"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(held(&dir, "a.txt").starts_with("1\n2\n2 "));
}
