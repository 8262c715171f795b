//! The user's configuration and the workspace's own.

use std::fs;
use std::path::Path;

use serde_json::json;
use tempfile::TempDir;
use toolcrib::{Config, ErrorKind, Mounts, ToolError, Toolbox};

fn workspace() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [("a.txt", "a\n"), (".env", "KEY=1\n"), ("private/b.txt", "b\n")] {
        fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
        fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

/// What reading a file gives: its text, or the kind of the failure.
fn read(dir: &Path, config: Config, name: &str) -> String {
    let toolbox = Toolbox::builder().root(dir).config(config).open().unwrap();
    let result = toolbox.call_blocking("Read", json!({"file_path": dir.join(name)}), &toolbox.context());
    if result.success {
        result.to_display()
    } else {
        result.metadata["error_kind"].as_str().unwrap().to_owned()
    }
}

#[test]
fn secrets_are_denied_by_default() {
    let dir = workspace();
    assert_eq!(read(dir.path(), Config::default(), "a.txt"), "     1\ta");
    assert_eq!(read(dir.path(), Config::default(), ".env"), "permission_denied");
}

#[test]
fn the_user_changes_the_rules() {
    let dir = workspace();
    let config = Config::parse(
        r#"
        [[rules]]
        kind = "read"
        pattern = "**/.env"
        action = "allow"
        [[rules]]
        kind = "read"
        pattern = "private/**"
        action = "deny"
        "#,
    )
    .unwrap();
    assert_eq!(read(dir.path(), config.clone(), ".env"), "     1\tKEY=1");
    assert_eq!(read(dir.path(), config, "private/b.txt"), "permission_denied");
}

#[test]
fn a_workspace_can_only_tighten() {
    let dir = workspace();
    let rules = r#"
        [[rules]]
        kind = "read"
        pattern = "**/.env"
        action = "allow"
        [[rules]]
        kind = "read"
        pattern = "private/"
        action = "deny"
    "#;
    fs::write(dir.path().join(".toolcrib.toml"), rules).unwrap();
    assert_eq!(read(dir.path(), Config::default(), ".env"), "permission_denied");
    assert_eq!(read(dir.path(), Config::default(), "private/b.txt"), "permission_denied");
    let toolbox = Toolbox::open(dir.path()).unwrap();
    assert_eq!(toolbox.policy().ignored().len(), 1);
}

#[track_caller]
fn refused(result: Result<impl Sized, ToolError>, message: &str) {
    let error = result.err().unwrap();
    assert!(error.message().contains(message), "{error}");
}

#[test]
fn what_is_no_configuration_says_where() {
    refused(Config::parse("[[rules]\n"), "line 1");
    refused(Config::parse("[[rules]]\nkind = \"raed\"\n"), "line 2: unknown variant `raed`");
    refused(Config::parse("\nrules = 5"), "line 2");
    refused(Config::parse("[rule]"), "unknown field `rule`");
    refused(
        Config::parse("[[rules]]\nkind = \"read\"\npattern = \"[\"\naction = \"deny\""),
        "Invalid pattern '['",
    );
    let dir = workspace();
    let missing = Config::load(&dir.path().join("absent.toml")).err().unwrap();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    fs::write(dir.path().join(".toolcrib.toml"), "rules = 5").unwrap();
    refused(Toolbox::open(dir.path()), ".toolcrib.toml: line 1");
    fs::write(dir.path().join(".toolcrib.toml"), b"\xFF").unwrap();
    refused(Toolbox::open(dir.path()), "is not UTF-8");
}

#[test]
fn a_configuration_is_loaded_by_name() {
    let dir = workspace();
    let file = dir.path().join("my.toml");
    fs::write(&file, "[[rules]]\nkind = \"read\"\npattern = \"a.txt\"\naction = \"deny\"\n").unwrap();
    assert_eq!(read(dir.path(), Config::load(&file).unwrap(), "a.txt"), "permission_denied");
}

#[test]
fn only_the_user_lets_other_mounts_in() {
    let dir = workspace();
    let mounts = |config: Config| {
        let toolbox = Toolbox::builder().root(dir.path()).config(config).open().unwrap();
        toolbox.workspace().mounts()
    };
    assert_eq!(mounts(Config::default()), Mounts::Refuse);
    assert_eq!(mounts(Config::parse("mounts = \"follow\"").unwrap()), Mounts::Follow);
    fs::write(dir.path().join(".toolcrib.toml"), "mounts = \"follow\"").unwrap();
    assert_eq!(mounts(Config::default()), Mounts::Refuse);
}

/// Without an approver, nothing of a file that is asked for is shown: not by a dry run, not in a diff, not in a refusal.
#[test]
fn what_is_asked_for_is_not_shown_by_detours() {
    let dir = workspace();
    fs::write(dir.path().join("a.txt"), "the secret\n").unwrap();
    let rule = "[[rules]]\nkind = \"read\"\npattern = \"a.txt\"\naction = \"ask\"";
    let toolbox = Toolbox::builder().root(dir.path()).config(Config::parse(rule).unwrap()).open().unwrap();
    let file = dir.path().join("a.txt");
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-the sekret\n+x\n";
    for (tool, arguments) in [
        ("Read", json!({"file_path": file})),
        ("Write", json!({"file_path": file, "content": "x"})),
        ("Edit", json!({"file_path": file, "old_string": "the sekret", "new_string": "x"})),
        ("MultiEdit", json!({"file_path": file, "edits": [{"old_string": "the", "new_string": "x"}]})),
        ("ApplyPatch", json!({"patch_text": patch})),
        ("Grep", json!({"pattern": "secret", "path": file, "output_mode": "content"})),
    ] {
        for dry_run in [false, true] {
            let result = toolbox.call_blocking(tool, arguments.clone(), &toolbox.context().dry_run(dry_run));
            let said = serde_json::to_string(&result).unwrap();
            assert!(!result.success && !said.contains("the secret"), "{tool}, {dry_run}: {said}");
        }
    }
    assert_eq!(fs::read_to_string(file).unwrap(), "the secret\n");
}

fn read_rule(pattern: &str) -> String {
    format!("[[rules]]\nkind = \"read\"\npattern = \"{pattern}\"\naction = \"deny\"\n")
}

#[test]
fn a_configuration_is_bounded_when_it_is_read() {
    let many = |count: usize, pattern: &str| read_rule(pattern).repeat(count);
    refused(Config::parse(&read_rule(&"{a,b}".repeat(26))), "line 3: Invalid pattern '{a,b}");
    refused(Config::parse(&read_rule(&"{a,b}".repeat(26))), "more than 256 alternatives");
    refused(Config::parse(&read_rule(&"{".repeat(20_000))), "longer than 1024 bytes");
    refused(Config::parse(&read_rule(&"{".repeat(1_000))), "nested more than 4 deep");
    refused(Config::parse(&many(10_001, "a")), "line 40001: there are more than 10000 rules");
    let exceptions = format!("{}except = [{}]\n", read_rule("a"), "\"b\", ".repeat(65));
    refused(Config::parse(&exceptions), "line 1: there are more than 64 exceptions in a rule");
    let wide = "{0,1,2,3}{0,1,2,3}{0,1,2,3}{0,1,2,3}";
    refused(Config::parse(&many(79, wide)), "line 313: there are more than 20000 patterns in all rules");
    assert_eq!(Config::parse(&many(78, wide)).unwrap().rules().len(), 78);
    assert_eq!(Config::parse(&many(10_000, "a")).unwrap().rules().len(), 10_000);
}

#[test]
fn a_workspaces_own_file_that_is_wrong_says_how_to_get_rid_of_it() {
    let dir = workspace();
    fs::write(dir.path().join(".toolcrib.toml"), format!("\n\n{}", read_rule(&"{a,b}".repeat(26)))).unwrap();
    let error = Toolbox::open(dir.path()).err().unwrap();
    assert!(error.message().contains("/.toolcrib.toml: line 5: Invalid pattern"), "{error}");
    assert!(error.next_step().unwrap().starts_with("correct the file, or remove it"), "{error}");
}

/// Thousands of rules are found by what they are about, and not asked one after the other.
#[test]
fn every_one_of_thousands_of_rules_counts() {
    let dir = workspace();
    let rules = (0..9_000).map(|number| {
        read_rule(
            match number % 4 {
                0 => format!("secret{number}.txt"),
                1 => format!("dir{number}/**"),
                2 => format!("**/sub/*.x{number}"),
                _ => format!("a/*/b{number}*"),
            }
            .as_str(),
        )
    });
    let config = Config::parse(&rules.collect::<String>()).unwrap();
    for (name, denied) in [
        ("deep/secret8996.txt", true),
        ("dir8997/x/y", true),
        ("q/sub/z.x8998", true),
        ("a/1/b8999c", true),
        ("secret8997.txt", false),
        ("dir8996/x", false),
        ("sub/z.x8997", false),
        ("a/1/2/b8999c", false),
    ] {
        fs::create_dir_all(dir.path().join(name).parent().unwrap()).unwrap();
        fs::write(dir.path().join(name), "x\n").unwrap();
        let read = read(dir.path(), config.clone(), name);
        assert_eq!(read == "permission_denied", denied, "{name}: {read}");
    }
}
