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
    assert_eq!(toolbox.executor().policy().ignored().len(), 1);
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

/// With nobody to ask, nothing of a file that is asked for is shown: not by a dry run, not in a diff, not in a refusal.
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
