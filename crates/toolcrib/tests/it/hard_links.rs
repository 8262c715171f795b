//! A second name of a denied file in the same directory is no way to it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib::{Config, Toolbox};

use crate::probes::{Does, Probe, every_tool};

const SECRET: &str = "inside: do-not-tell\n";

/// A workspace with a denied file and a second name for it, and an ordinary file with two names.
fn workspace() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(".env"), SECRET).unwrap();
    fs::hard_link(dir.path().join(".env"), dir.path().join("second.txt")).unwrap();
    fs::write(dir.path().join("one.txt"), "inside: tell\n").unwrap();
    fs::hard_link(dir.path().join("one.txt"), dir.path().join("two.txt")).unwrap();
    dir
}

fn told(toolbox: &Toolbox, tool: &str, arguments: Value) -> String {
    serde_json::to_string(&toolbox.call_blocking(tool, arguments, &toolbox.context())).unwrap()
}

#[test]
fn no_tool_reaches_a_denied_file_by_its_second_name() {
    let mut tried = 0;
    for probe in every_tool() {
        let Probe { dialect, tool, does, .. } = probe;
        let dir = workspace();
        let toolbox = Toolbox::builder().root(dir.path()).dialect(dialect).more_tools(true).open().unwrap();
        let aimed = |name: &str| told(&toolbox, tool, probe.aim(dir.path(), &dir.path().join(name)));
        let answer = aimed("second.txt");
        assert!(!answer.contains("do-not-tell"), "{dialect} {tool}: {answer}");
        let lists = does == Does::List;
        assert!(!lists || !answer.contains("second.txt"), "{dialect} {tool}: {answer}");
        for name in [".env", "second.txt"] {
            assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), SECRET, "{dialect} {tool}");
        }
        // The control: no rule stands against a second name of a file that is not denied.
        let answer = aimed("two.txt");
        assert!(!answer.contains("permission_denied"), "{dialect} {tool}: {answer}");
        tried += 1;
    }
    assert!(tried >= 16, "{tried}");
}

#[test]
fn a_search_shows_nothing_of_a_second_name() {
    let dir = workspace();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    for mode in ["content", "files_with_matches", "count"] {
        for sort in ["path", "relevance", "modified"] {
            let arguments =
                json!({"pattern": "inside", "path": dir.path(), "output_mode": mode, "sort": sort});
            let answer = told(&toolbox, "Grep", arguments);
            assert!(answer.contains("one.txt") && answer.contains("two.txt"), "{mode} {sort}: {answer}");
            assert!(
                !answer.contains("second.txt") && !answer.contains("do-not-tell"),
                "{mode} {sort}: {answer}"
            );
        }
    }
    let listed = toolbox.call_blocking("LS", json!({"path": dir.path()}), &toolbox.context());
    assert_eq!((&listed.metadata["count"], &listed.metadata["withheld"]), (&json!(2), &json!(2)));
    let globbed =
        toolbox.call_blocking("Glob", json!({"pattern": "*.txt", "path": dir.path()}), &toolbox.context());
    assert_eq!(globbed.metadata["withheld"], json!(1), "{:?}", globbed.metadata);
}

#[test]
fn a_file_that_is_only_not_to_be_changed_can_be_read_by_its_second_name() {
    let dir = workspace();
    let rule = "[[rules]]\nkind = 'edit'\npattern = 'one.txt'\naction = 'deny'\n";
    let config = Config::parse(rule).unwrap();
    let toolbox = Toolbox::builder().root(dir.path()).config(config).open().unwrap();
    let path = |name: &str| dir.path().join(name);
    assert!(told(&toolbox, "Read", json!({"file_path": path("two.txt")})).contains("inside: tell"));
    let answer = told(&toolbox, "Write", json!({"file_path": path("two.txt"), "content": "x"}));
    assert!(answer.contains("deny edit one.txt"), "{answer}");
    assert_eq!(fs::read_to_string(path("two.txt")).unwrap(), "inside: tell\n");
}

/// What is not promised: a second name in another directory is not looked for.
#[test]
fn a_second_name_elsewhere_is_not_looked_for() {
    let dir = workspace();
    fs::create_dir(dir.path().join("sub")).unwrap();
    fs::hard_link(dir.path().join(".env"), dir.path().join("sub/third.txt")).unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    let read = |name: &str| told(&toolbox, "Read", json!({"file_path": Path::new(dir.path()).join(name)}));
    assert!(read("sub/third.txt").contains("do-not-tell") && !read("second.txt").contains("do-not-tell"));
}
