//! Small things that a caller relies on, in both dialects.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib::{Dialect, ToolResult, Toolbox};

fn home(dialect: Dialect) -> (TempDir, Toolbox) {
    let dir = tempfile::tempdir().unwrap();
    let toolbox = Toolbox::builder().root(dir.path()).dialect(dialect).open().unwrap();
    (dir, toolbox)
}

fn call(toolbox: &Toolbox, tool: &str, arguments: Value) -> ToolResult {
    toolbox.call_blocking(tool, arguments, &toolbox.context().session("s"))
}

#[test]
fn a_directory_that_is_read_names_what_lists_it() {
    for (dialect, read, parameter, ls) in
        [(Dialect::Standard, "Read", "file_path", "LS"), (Dialect::Ekacode, "read", "filePath", "ls")]
    {
        let (dir, toolbox) = home(dialect);
        let result = call(&toolbox, read, json!({ parameter: dir.path() }));
        assert_eq!(result.metadata["hint"], json!(format!("name a file in it, or list it with {ls}")));
    }
}

#[test]
fn a_refusal_uses_the_words_of_the_dialect() {
    for (dialect, [edit, read, path, old, new, version]) in [
        (Dialect::Standard, ["Edit", "Read", "file_path", "old_string", "new_string", "expected_version"]),
        (Dialect::Ekacode, ["edit", "read", "filePath", "oldString", "newString", "expectedVersion"]),
    ] {
        let (dir, toolbox) = home(dialect);
        let file = dir.path().join("a.txt");
        // What the file holds is shown as it is, whatever words it has.
        fs::write(&file, "the old text was here\nthe old text was here too\n").unwrap();
        call(&toolbox, read, json!({ path: file }));
        let refused = |old_text: &str, given: Option<&str>| {
            call(&toolbox, edit, json!({path: file, old: old_text, new: "x", version: given}))
        };
        let nonsense = refused("here", Some("nonsense"));
        assert_eq!(nonsense.error.unwrap(), format!("{version} is not a version: 'nonsense'"));
        assert_eq!(nonsense.metadata["hint"], json!(format!("pass the version that {read} gave, as it is")));
        let twice = refused("the old text", None).error.unwrap();
        assert!(twice.contains(&format!("{old} found 2 times, lines: [1, 2]")), "{twice}");
        let missing = refused("the old text was here\nthe old text was there too", None).error.unwrap();
        assert!(missing.contains("1  the old text was here\n"), "{missing}");
        assert!(missing.contains(&format!("line 2 of {old} against line 2")), "{missing}");
    }
}

#[test]
fn a_line_that_is_cut_is_said_and_read_on() {
    let line: String = (0..500).map(|number| format!("{number:05}é")).collect();
    let (dir, toolbox) = home(Dialect::Standard);
    let path = dir.path().join("long.txt");
    fs::write(&path, format!("short\n{line}\nshort\n")).unwrap();
    let result = call(&toolbox, "Read", json!({"file_path": path}));
    assert_eq!(result.metadata["truncated"], json!(true));
    let shown = result.output.as_str().unwrap();
    assert!(shown.contains("(line 2 goes on after character 2000: read on with column 2001)"), "{shown}");
    let rest = call(&toolbox, "Read", json!({"file_path": path, "offset": 2, "limit": 1, "column": 2001}));
    assert_eq!(rest.metadata["truncated"], json!(true), "the file goes on");
    let both =
        |text: &Value| text.as_str().unwrap().lines().next().unwrap().split_once('\t').unwrap().1.to_owned();
    let first = shown.lines().nth(1).unwrap().split_once('\t').unwrap().1.trim_end_matches("...");
    assert_eq!(first.to_owned() + both(&rest.output).trim_start_matches("..."), line);
    let beyond = call(&toolbox, "Read", json!({"file_path": path, "column": 9_999_999}));
    assert!(beyond.output.as_str().unwrap().starts_with("     1\t...\n     2\t...\n"), "{}", beyond.output);
    // What was read in two halves was not seen as a whole.
    let refused = call(&toolbox, "Write", json!({"file_path": path, "content": "x"}));
    assert!(refused.error.unwrap().starts_with("Only a part of the file has been read"));

    let (dir, toolbox) = home(Dialect::Ekacode);
    fs::write(dir.path().join("long.txt"), &line).unwrap();
    let result = call(&toolbox, "read", json!({"filePath": "long.txt", "column": 1001}));
    assert_eq!(result.output["metadata"]["truncated"], json!(false));
    let result = call(&toolbox, "read", json!({"filePath": "long.txt"}));
    assert_eq!(
        result.output["metadata"]["note"],
        json!("line 1 goes on after character 2000: read on with column 2001")
    );
}

#[test]
fn a_path_with_detours_is_shown_without() {
    let (dir, toolbox) = home(Dialect::Ekacode);
    fs::create_dir_all(dir.path().join("d/deep")).unwrap();
    fs::write(dir.path().join("d/a.txt"), "a\n").unwrap();
    std::os::unix::fs::symlink("d/deep", dir.path().join("link")).unwrap();
    for (given, shown) in
        [("d/../d/a.txt", "d/a.txt"), ("link/../a.txt", "d/a.txt"), ("./d/deep/../a.txt", "d/a.txt")]
    {
        let result = call(&toolbox, "read", json!({"filePath": given}));
        assert_eq!(result.output["metadata"]["filePath"], json!(shown), "{given}");
    }
    let result = call(&toolbox, "write", json!({"filePath": "d/../d/new.txt", "content": "x"}));
    assert_eq!(result.output["filePath"], json!("d/new.txt"), "{result:?}");
}

#[test]
fn edits_that_cancel_each_other_out_write_nothing() {
    let inode = |path: &Path| (fs::metadata(path).unwrap().ino(), fs::metadata(path).unwrap().mtime_nsec());
    let (dir, toolbox) = home(Dialect::Standard);
    let path = dir.path().join("a.txt");
    fs::write(&path, "one\ntwo\n").unwrap();
    call(&toolbox, "Read", json!({"file_path": path}));
    let before = inode(&path);
    let edits = json!([
        {"old_string": "one", "new_string": "three"},
        {"old_string": "three", "new_string": "one"},
    ]);
    let result = call(&toolbox, "MultiEdit", json!({"file_path": path, "edits": edits}));
    let said = format!("Unchanged {}: the 2 edits cancel each other out", path.display());
    assert_eq!(result.output, json!(said), "{result:?}");
    assert_eq!(inode(&path), before);
}

#[test]
fn a_link_does_not_tell_the_name_of_what_may_not_be_read() {
    let (dir, toolbox) = home(Dialect::Standard);
    fs::create_dir_all(dir.path().join(".ssh/deep")).unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    for (name, target) in [
        ("key", ".ssh/special_name"),
        ("sub/key", "../.ssh/deep/../special_name"),
        ("sub/far", "/elsewhere/.ssh/special_name"),
        ("plain", "sub/ordinary_name"),
        ("sub/up", "../ordinary_name"),
    ] {
        std::os::unix::fs::symlink(target, dir.path().join(name)).unwrap();
    }
    let absolute = dir.path().canonicalize().unwrap().join(".ssh/special_name");
    std::os::unix::fs::symlink(absolute, dir.path().join("absolute")).unwrap();
    for (path, names) in [("", 1), ("sub", 1)] {
        let result = call(&toolbox, "LS", json!({"path": dir.path().join(path)}));
        let shown = serde_json::to_string(&result).unwrap();
        assert_eq!(shown.matches("special_name").count(), 0, "{shown}");
        assert!(result.output.as_str().unwrap().matches("ordinary_name").count() == names, "{shown}");
    }
}
