//! Names that files really have.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde_json::json;
use toolcrib::{ToolResult, Toolbox};

fn read(dir: &Path, name: &str) -> ToolResult {
    let toolbox = Toolbox::open(dir).unwrap();
    toolbox.call_blocking("Read", json!({"file_path": dir.join(name)}), &toolbox.context())
}

#[test]
fn odd_names_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let long = "n".repeat(255);
    for name in [
        "with space",
        "-dashed",
        "ünïcode 数据 🎉",
        "quote'\"",
        "new\nline",
        "a\\b",
        "*?[x]{y}",
        "~",
        "$HOME",
        &long,
    ] {
        fs::write(dir.path().join(name), "found").unwrap();
        assert_eq!(read(dir.path(), name).output, "     1\tfound", "{name:?}");
    }
}

#[test]
fn a_name_that_is_not_utf8_is_read_by_its_escaped_form() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(OsStr::from_bytes(b"caf\xE9.txt")), "found").unwrap();
    let result = read(dir.path(), r"caf\xE9.txt");
    assert_eq!(result.output, "     1\tfound");
    assert!(result.metadata["file_path"].as_str().unwrap().ends_with(r"caf\xE9.txt"));
}

#[test]
fn what_cannot_be_a_name_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let nul = read(dir.path(), "a\0b");
    assert_eq!(nul.metadata["error_kind"], "invalid_parameter");
    assert!(nul.error.unwrap().contains("NUL"));
    assert_eq!(read(dir.path(), &"n".repeat(256)).metadata["error_kind"], "invalid_parameter");
}

#[test]
fn a_file_with_several_names_says_so() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("one"), "x").unwrap();
    assert!(!read(dir.path(), "one").metadata.contains_key("hard_links"));
    fs::hard_link(dir.path().join("one"), dir.path().join("two")).unwrap();
    assert_eq!(read(dir.path(), "two").metadata["hard_links"], 2);
}

/// A change is for the name that it is made under; the answer says that there are others.
#[test]
fn a_change_of_a_file_with_other_names_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    let [one, two] = ["one", "two"].map(|name| dir.path().join(name));
    fs::write(&one, "old\n").unwrap();
    fs::hard_link(&one, &two).unwrap();
    let edit = json!({"file_path": one, "old_string": "old", "new_string": "new"});
    let edited = toolbox.call_blocking("Edit", edit, &toolbox.context());
    let note = format!(
        "Note: {} had 1 other name (hard link), which keeps the old content; this name has a file of its own now",
        one.display()
    );
    assert!(edited.output.as_str().unwrap().ends_with(&note), "{edited:?}");
    assert_eq!(edited.metadata["unlinked"], json!([note]));
    assert_eq!(
        (fs::read_to_string(one).unwrap(), fs::read_to_string(two).unwrap()),
        ("new\n".into(), "old\n".into())
    );
}
