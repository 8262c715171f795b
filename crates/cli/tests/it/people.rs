//! The commands for people: in a pipe, and on a terminal.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::terminal::Terminal;
use crate::{on_a_terminal, stderr, stdout, toolcrib};

fn workspace() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("src")).unwrap();
    fs::write(dir.path().join("src/a.rs"), "one\nneedle two\nthree\nfour\nfive Needle\n").unwrap();
    fs::write(dir.path().join("b.txt"), "a needle\u{1b}[31m and \u{202e}more\n").unwrap();
    dir
}

#[track_caller]
fn check(args: &[&str], expected: &str, said: &str) {
    let output = toolcrib(workspace().path(), args);
    assert_eq!((stdout(&output), stderr(&output)), (expected, said), "{args:?}");
    // As with grep, which has 1 for no match.
    let status = i32::from(args[0] == "grep" && expected.is_empty());
    assert_eq!(output.status.code(), Some(status), "{args:?}");
}

#[test]
fn in_a_pipe_a_match_is_a_line() {
    let b = "b.txt:1:a needle<U+001B>[31m and <U+202E>more\n";
    check(&["grep", "needle"], &format!("{b}src/a.rs:2:needle two\n"), "");
    check(
        &["grep", "-i", "needle", "src", "-B", "1"],
        "src/a.rs-1-one\nsrc/a.rs:2:needle two\n--\nsrc/a.rs-4-four\nsrc/a.rs:5:five Needle\n",
        "",
    );
    check(&["grep", "-ic", "NEEDLE"], "b.txt:1\nsrc/a.rs:2\n", "");
    check(&["grep", "-l", "needle", "--type", "rust"], "src/a.rs\n", "");
    check(&["grep", "-v", ".", "src"], "", "No matches found\n");
    check(&["grep", "-F", "needle", "--limit", "1"], b, "1 of 2 matches shown; continue with --offset 1\n");
    check(&["grep", "-n", "needle", "src"], "src/a.rs:2:needle two\n", "");
    check(&["grep", "--", "-x"], "", "No matches found\n");
}

#[test]
fn in_a_pipe_a_path_is_a_line() {
    check(&["glob", "**/*.rs"], "src/a.rs\n", "");
    let further_down = "1 file matches in subdirectories: use '**/*.rs'\n";
    check(&["glob", "*.rs"], "", &format!("No files found\n{further_down}"));
    check(&["glob", "*.md"], "", "No files found\n");
    let dir = workspace();
    fs::write(dir.path().join(".gitignore"), "src/\n").unwrap();
    let output = toolcrib(dir.path(), &["glob", "src/*"]);
    assert!(stderr(&output).ends_with("pass --no-ignore to search it\n"), "{}", stderr(&output));
    check(&["ls"], "src/\nb.txt\n", "");
    check(&["ls", "-R"], "src/\nsrc/a.rs\nb.txt\n", "");
    check(&["ls", "src"], "a.rs\n", "");
    check(&["ls", "--limit", "1"], "src/\n", "1 of 2 entries shown; continue with --offset 1\n");
}

#[test]
fn with_json_it_is_the_whole_result() {
    let dir = workspace();
    for args in [&["grep", "needle", "--json"][..], &["glob", "**", "--json"], &["ls", "--json"]] {
        let result: Value = serde_json::from_str(stdout(&toolcrib(dir.path(), args))).unwrap();
        assert_eq!(result["success"], true, "{args:?}");
    }
    let output = toolcrib(dir.path(), &["grep", "(", "--json"]);
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!((result["success"].as_bool(), output.status.code()), (Some(false), Some(2)));
    let output = toolcrib(dir.path(), &["grep", "absent", "--json"]);
    let result: Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!((result["success"].as_bool(), output.status.code()), (Some(true), Some(1)));
}

/// Whatever the command, and also for wrong usage: the five fields, and nothing else on standard output.
#[test]
fn json_has_one_shape() {
    let dir = workspace();
    for (args, success, status) in [
        (&["rules", "--json"][..], true, 0),
        (&["dialects", "--json"], true, 0),
        (&["read", "b.txt", "--json"], true, 0),
        (&["read", "absent", "--json"], false, 1),
        (&["patch", "absent", "--json"], false, 1),
        (&["ls", "--json", "--root", "absent"], false, 1),
        (&["write", "c.txt", "c", "--dry-run", "--json"], true, 0),
        (&["call", "Nope", "{}", "--json"], false, 1),
        (&["call", "Read", "{", "--json"], false, 2),
        (&["grep", "--nope", "--json"], false, 2),
        (&["nope", "--json"], false, 2),
    ] {
        let output = toolcrib(dir.path(), args);
        let result: Value = serde_json::from_str(stdout(&output)).unwrap();
        let mut keys: Vec<&str> = result.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["duration_ms", "error", "metadata", "output", "success"], "{args:?}");
        assert_eq!(
            (result["success"].as_bool(), output.status.code()),
            (Some(success), Some(status)),
            "{args:?}"
        );
        assert_eq!(result["error"].is_string(), !success, "{args:?}: {result}");
        assert_eq!(result["metadata"]["error_kind"].is_string(), !success, "{args:?}: {result}");
        assert!(result["duration_ms"].is_number(), "{args:?}: {result}");
    }
}

/// The same words and the same status, whatever was to be done with it.
#[test]
fn a_file_that_does_not_exist_is_reported_alike() {
    let dir = workspace();
    let path = dir.path().canonicalize().unwrap().join("absent");
    for (args, status) in [
        (&["read", "absent"][..], 1),
        (&["edit", "absent", "a", "b"], 1),
        (&["multiedit", "absent", "-e", "a", "b"], 1),
        (&["ls", "absent"], 1),
        (&["patch", "absent"], 1),
        (&["write", "c", "--from", "absent"], 1),
        // As with grep, any error is 2: 1 is for no match.
        (&["grep", "x", "absent"], 2),
    ] {
        let output = toolcrib(dir.path(), args);
        let said = format!("error: File not found: {}\n", path.display());
        assert!(stderr(&output).starts_with(&said), "{args:?}: {}", stderr(&output));
        assert_eq!((stdout(&output), output.status.code()), ("", Some(status)), "{args:?}");
    }
}

/// A person can allow what an agent has to ask for, and is told how.
#[test]
fn a_refusal_names_the_way_out() {
    let dir = workspace();
    for (args, hint) in [
        (
            ["write", ".vscode/settings.json", "{}"],
            "hint: pass --yes to approve it without being asked, or allow it with a rule in ",
        ),
        (["write", ".toolcrib.toml", ""], "hint: to override the rule, allow it with a rule in "),
    ] {
        let output = toolcrib(dir.path(), &args);
        assert!(stderr(&output).contains(hint), "{args:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("config.toml; `toolcrib rules` lists the rules\n"), "{args:?}");
    }
}

#[test]
fn an_error_is_a_sentence_and_a_hint() {
    let output = toolcrib(workspace().path(), &["grep", "(x"]);
    let said = "error: Invalid regex pattern: unclosed group at character 1\nhint: ";
    assert!(stderr(&output).starts_with(said), "{}", stderr(&output));
    assert_eq!((stdout(&output), output.status.code()), ("", Some(2)));
    assert_eq!(toolcrib(workspace().path(), &["grep"]).status.code(), Some(2));
}

#[test]
fn on_a_terminal_there_are_headings_and_colours() {
    let dir = workspace();
    let (_, shown) = on_a_terminal(dir.path(), "grep needle", &[], "");
    let expected = "\u{1b}[35mb.txt\u{1b}[0m\r\n\
         \u{1b}[32m1\u{1b}[0m:a \u{1b}[1m\u{1b}[31mneedle\u{1b}[0m<U+001B>[31m and <U+202E>more\r\n\r\n\
         \u{1b}[35msrc/a.rs\u{1b}[0m\r\n\
         \u{1b}[32m2\u{1b}[0m:\u{1b}[1m\u{1b}[31mneedle\u{1b}[0m two\r\n";
    assert_eq!(shown, expected);
    let (_, tree) = on_a_terminal(dir.path(), "ls -R --color never", &[], "");
    let top = dir.path().canonicalize().unwrap();
    let expected = format!("{}/\r\n  src/\r\n    a.rs  38 B\r\n  b.txt  26 B\r\n", top.display());
    assert_eq!(tree, expected);
}

#[test]
fn colour_can_be_refused_and_forced() {
    let dir = workspace();
    for (args, variables) in [
        ("grep needle", &[("NO_COLOR", "1")][..]),
        ("grep needle --color never", &[]),
        ("grep needle", &[("TERM", "dumb")]),
    ] {
        assert!(!on_a_terminal(dir.path(), args, variables, "").1.contains('\u{1b}'), "{args}");
    }
    let forced = toolcrib(dir.path(), &["grep", "needle", "src", "--color", "always"]);
    assert!(stdout(&forced).contains("\u{1b}[31mneedle\u{1b}[0m"));
}

/// A name is shown as other tools understand it, and never acts on the terminal.
#[test]
fn odd_names_are_written_out() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a\u{1b}[31m\nb.txt"), "needle\n").unwrap();
    fs::write(dir.path().join("c\u{202e}.txt"), "needle\n").unwrap();
    for args in [&["grep", "needle"][..], &["glob", "*.txt"], &["ls"]] {
        let output = toolcrib(dir.path(), args);
        let shown = stdout(&output);
        assert!(shown.contains(r"a\x1B[31m\x0Ab.txt") && shown.contains("c<U+202E>.txt"), "{shown}");
        assert_eq!(shown.lines().count(), 2, "{shown}");
    }
}

/// A search that would take long: many files, and all of it to be gone through.
fn large_workspace() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let text =
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\n".repeat(2000);
    for name in 0..40 {
        fs::write(dir.path().join(format!("{name}.txt")), &text).unwrap();
    }
    dir
}

/// A pattern that goes back over every line again and again, with no letter in it whose absence would spare that.
const SLOW: &str = "'(a+)+(?=d)|zz'";

#[test]
fn long_work_gives_a_sign_of_life_and_ctrl_c_ends_it_at_once() {
    let dir = large_workspace();
    let before = names_in(dir.path());
    let mut terminal = Terminal::start(dir.path(), &format!("grep {SLOW}"), &[]);
    terminal.wait_for("(press Ctrl-C to stop)");
    assert!(terminal.shown.contains("working… "), "{}", terminal.shown);
    let typed = Instant::now();
    terminal.type_in("\x03");
    let (status, _) = terminal.end();
    assert!(typed.elapsed() < Duration::from_secs(30), "{:?}", typed.elapsed());
    assert_eq!(status.code(), Some(130), "ended by the signal");
    assert_eq!(names_in(dir.path()), before);
}

fn names_in(dir: &Path) -> Vec<OsString> {
    let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

#[test]
fn short_work_gives_no_sign_and_a_pipe_never_has_one() {
    let dir = workspace();
    let (_, shown) = on_a_terminal(dir.path(), "grep needle", &[], "");
    assert!(!shown.contains("working"), "{shown}");
}

/// A shell puts names where the user typed a star, and a workspace brings rules of its own.
#[test]
fn neither_usage_nor_rules_show_anything_raw() {
    let dir = workspace();
    fs::write(
        dir.path().join(".toolcrib.toml"),
        "[[rules]]\nkind='read'\naction='deny'\npattern=\"x\\u001b[31m\\u202e\"\n",
    )
    .unwrap();
    for (args, shown_as) in [
        ("rules", "x<U+001B>[31m<U+202E>"),
        ("rules b$(printf '\\033[31m\\342\\200\\256') --color never", "b<U+202E>"),
        ("doctor --color never --root x$(printf '\\033[31m')", "x"),
    ] {
        let (_, shown) = on_a_terminal(dir.path(), args, &[], "");
        assert!(shown.contains(shown_as) && !shown.contains(['\u{1b}', '\u{202e}']), "{args}: {shown:?}");
    }
}

#[test]
fn help_is_an_answer_and_wrong_usage_an_error() {
    let dir = workspace();
    let help = toolcrib(dir.path(), &["grep", "--help"]);
    assert!(stdout(&help).contains("Usage: toolcrib grep") && help.status.code() == Some(0));
    let wrong = toolcrib(dir.path(), &["grep", "x", "--nope"]);
    assert!(stderr(&wrong).starts_with("error: unexpected argument '--nope' found"), "{}", stderr(&wrong));
    assert_eq!((stdout(&wrong), wrong.status.code()), ("", Some(2)));
    for args in
        [&["grep", "x", "--sort", "size"][..], &["ls", "--depth", "0"], &["read", "b.txt", "--limit", "0"]]
    {
        assert_eq!(toolcrib(dir.path(), args).status.code(), Some(2), "{args:?}");
    }
    let nothing = toolcrib(dir.path(), &[]);
    assert!(stderr(&nothing).contains("Commands:") && nothing.status.code() == Some(2));
}

#[test]
fn rules_are_shown_by_group_with_the_reason() {
    let dir = workspace();
    let config = dir.path().join("config.toml");
    let rule = |kind: &str, pattern: &str, action: &str| {
        format!("[[rules]]\nkind = '{kind}'\npattern = '{pattern}'\naction = '{action}'\n")
    };
    fs::write(&config, rule("read", "**/.netrc", "allow") + &rule("edit", "src/**", "ask")).unwrap();
    let own = rule("read", "private/**", "deny") + &rule("edit", "**/.env", "allow");
    fs::write(dir.path().join(".toolcrib.toml"), own).unwrap();
    let output = toolcrib(dir.path(), &["rules", "--config", config.to_str().unwrap()]);
    let shown = stdout(&output);
    for paragraph in [
        "Toolcrib's own rules: agents must not change the rules that govern them (cannot\nbe changed)\n  deny edit\n    **/.toolcrib.toml\n\n",
        "Private keys: they grant access to whatever trusts them\n  deny read, deny edit\n    **/id_rsa  **/id_dsa  ",
        "\n  deny read\n    **/.ssh/**\n      except **/.ssh/{*.pub,config,known_hosts}\n",
        "Your rules\n  allow read **/.netrc\n  ask edit src/**\n\n",
        "The workspace's own rules: in .toolcrib.toml\n  deny read private/**\n\n",
        "Ignored: a workspace can only tighten the rules\n  allow edit **/.env\n\n",
        "Everything else\n  allow read\n  allow edit\n  ask external_directory\n",
    ] {
        assert!(shown.contains(paragraph), "{paragraph}\nis not in\n{shown}");
    }
    assert!(shown.contains("deny edit\n    **/.netrc\n"), "only reading was allowed: {shown}");
    let lines = shown.lines().count();
    assert!(
        lines < 450 && shown.lines().all(|line| line.len() <= 80 || !line.trim().contains(' ')),
        "{lines}"
    );
    let json = toolcrib(dir.path(), &["rules", "--json"]);
    let rules: serde_json::Value = serde_json::from_str(stdout(&json)).unwrap();
    assert!(
        rules["metadata"]["rules"].as_array().unwrap().iter().any(|rule| rule["group"] == "Private keys")
    );
}

#[test]
fn the_dialects_are_listed_with_their_tools() {
    let dir = workspace();
    let listed = toolcrib(dir.path(), &["dialects"]);
    let lines: Vec<&str> = stdout(&listed).lines().collect();
    assert!(lines[0].starts_with("standard ") && lines[0].ends_with("the default"), "{lines:?}");
    assert!(lines[1].trim().starts_with("Read Write Edit "), "{lines:?}");
    let listed = toolcrib(dir.path(), &["dialects", "--json"]);
    let listed: Value = serde_json::from_str(stdout(&listed)).unwrap();
    let dialects = listed["metadata"]["dialects"].as_array().unwrap();
    assert!(lines.len() >= 2 * dialects.len() && lines.iter().all(|line| line.len() <= 80), "{lines:?}");
    // Each is a name that --dialect takes.
    for dialect in dialects {
        let name = dialect["name"].as_str().unwrap();
        let tools = toolcrib(dir.path(), &["schemas", "--format", "mcp", "--dialect", name]);
        let tools: Vec<Value> = serde_json::from_str(stdout(&tools)).unwrap();
        let tools: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(dialect["tools"], serde_json::json!(tools), "{name}");
    }
}
