//! What a session has read in part it has not seen: a Write that would replace the whole is refused.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolcrib::{Config, Dialect, Toolbox};

struct Home {
    dir: TempDir,
    toolbox: Toolbox,
}

impl Home {
    fn new(file: &str, content: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(file), content).unwrap();
        Self { toolbox: Toolbox::open(dir.path()).unwrap(), dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn call(&self, tool: &str, arguments: Value) -> Result<Value, String> {
        call(&self.toolbox, tool, arguments)
    }

    fn read(&self, name: &str, mut arguments: Value) {
        arguments["file_path"] = json!(self.path(name));
        self.call("Read", arguments).unwrap();
    }

    fn write(&self, name: &str) -> Result<Value, String> {
        self.call("Write", json!({"file_path": self.path(name), "content": "replaced\n"}))
    }

    /// Writes, which must fail for what is named as not seen.
    #[track_caller]
    fn refused(&self, name: &str, not_seen: &str) {
        let error = self.write(name).unwrap_err();
        assert!(error.starts_with("Only a part of the file has been read in this session: "), "{error}");
        assert!(error.ends_with(not_seen), "{error}");
    }
}

fn call(toolbox: &Toolbox, tool: &str, arguments: Value) -> Result<Value, String> {
    let result = toolbox.call_blocking(tool, arguments, &toolbox.context().session("s"));
    match result.error {
        Some(error) => Err(error),
        None => Ok(result.output),
    }
}

fn lines(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect()
}

#[test]
fn reads_that_cover_a_file_together_count_as_the_whole() {
    let home = Home::new("a.txt", &lines(10));
    home.read("a.txt", json!({"limit": 4}));
    home.refused("a.txt", "(not seen: lines 5-10 of 10)");
    home.read("a.txt", json!({"offset": 7, "limit": 2}));
    home.refused("a.txt", "(not seen: lines 5-6, 9-10 of 10)");
    home.read("a.txt", json!({"tail": 2}));
    home.refused("a.txt", "(not seen: lines 5-6 of 10)");
    home.read("a.txt", json!({"offset": 4, "limit": 5}));
    home.write("a.txt").unwrap();
    // What it wrote itself it knows.
    home.write("a.txt").unwrap();
}

#[test]
fn parts_of_another_version_do_not_add_up() {
    let home = Home::new("a.txt", &lines(4));
    home.read("a.txt", json!({"limit": 2}));
    fs::write(home.path("a.txt"), lines(4).replace("line 1", "line one")).unwrap();
    assert!(home.write("a.txt").unwrap_err().starts_with("File has changed since it was read"));
    home.read("a.txt", json!({"offset": 3}));
    home.refused("a.txt", "(not seen: lines 1-2 of 4)");
}

#[test]
fn a_line_that_was_cut_was_not_seen() {
    let home = Home::new("a.txt", &format!("short\n{}\nshort\n", "x".repeat(5_000)));
    home.read("a.txt", json!({}));
    home.refused("a.txt", "(not seen: lines 2 of 3)");
    let edit = json!({"file_path": home.path("a.txt"), "old_string": "short\nx", "new_string": "long\nx"});
    home.call("Edit", edit).unwrap();
}

/// An edit of a file that was seen in part leaves it so; a session that saw all of it knows the result too.
#[test]
fn an_edit_is_no_way_to_have_seen_a_file() {
    let edit = |home: &Home, old: &str| {
        let arguments = json!({"file_path": home.path("a.txt"), "old_string": old, "new_string": "new"});
        home.call("Edit", arguments).unwrap();
    };
    let home = Home::new("a.txt", &lines(4));
    home.read("a.txt", json!({"limit": 1}));
    edit(&home, "line 1");
    home.refused("a.txt", "a.txt");
    edit(&home, "line 2");
    home.read("a.txt", json!({"offset": 2}));
    home.refused("a.txt", "(not seen: lines 1 of 4)");
    home.read("a.txt", json!({"limit": 1}));
    edit(&home, "line 3");
    home.write("a.txt").unwrap();

    // Another program's lines came in between, and the session has not seen them.
    fs::write(home.path("a.txt"), "replaced\ntheirs\n").unwrap();
    edit(&home, "replaced");
    home.refused("a.txt", "a.txt");
    assert_eq!(fs::read_to_string(home.path("a.txt")).unwrap(), "new\ntheirs\n");
}

#[test]
fn a_move_is_no_way_to_have_seen_a_file() {
    let home = Home::new("a.txt", &lines(4));
    home.read("a.txt", json!({"limit": 1}));
    let patch = "diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n";
    home.call("ApplyPatch", json!({"patch_text": patch})).unwrap();
    home.refused("b.txt", "b.txt");
    home.read("b.txt", json!({}));
    let patch = "diff --git a/b.txt b/c.txt\nrename from b.txt\nrename to c.txt\n";
    home.call("ApplyPatch", json!({"patch_text": patch})).unwrap();
    home.write("c.txt").unwrap();
}

#[test]
fn what_was_seen_is_kept_for_other_processes() {
    let (dir, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let file = dir.path().join("a\t;lines.txt");
    fs::write(&file, lines(6)).unwrap();
    let open = || Toolbox::builder().root(dir.path()).keep_sessions_in(state.path()).open().unwrap();
    let write = |toolbox: &Toolbox| call(toolbox, "Write", json!({"file_path": file, "content": "x"}));
    let (one, other) = (open(), open());
    call(&one, "Read", json!({"file_path": file, "limit": 2})).unwrap();
    assert!(write(&other).unwrap_err().ends_with("(not seen: lines 3-6 of 6)"));
    call(&other, "Read", json!({"file_path": file, "offset": 3})).unwrap();
    write(&open()).unwrap();
    write(&one).unwrap();
}

#[test]
fn cells_and_pages_are_counted_like_lines() {
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/read");
    for (example, name, part, first, rest) in [
        ("080_pdf/input/document.pdf", "a.pdf", "pages", "1", "2-3"),
        ("090_notebook/input/analysis.ipynb", "a.ipynb", "cells", "1", "2-5"),
    ] {
        let home = Home::new(name, "");
        fs::write(home.path(name), fs::read(scenarios.join(example)).unwrap()).unwrap();
        home.read(name, json!({part: first}));
        let last = rest.rsplit('-').next().unwrap();
        home.refused(name, &format!("(not seen: {part} {rest} of {last})"));
        home.read(name, json!({part: rest}));
        home.write(name).unwrap();
    }
}

#[test]
fn nothing_is_asked_of_a_session_that_need_not_read() {
    let home = Home::new("a.txt", &lines(3));
    let config = Config::parse("read_before_write = false").unwrap();
    let toolbox = Toolbox::builder().root(home.dir.path()).config(config).open().unwrap();
    call(&toolbox, "Read", json!({"file_path": home.path("a.txt"), "limit": 1})).unwrap();
    call(&toolbox, "Write", json!({"file_path": home.path("a.txt"), "content": "x"})).unwrap();
    // Without a session there is no history, and so nothing to require.
    let context = home.toolbox.context();
    let arguments = json!({"file_path": home.path("a.txt"), "content": "y"});
    assert!(home.toolbox.call_blocking("Write", arguments, &context).success);
}

#[test]
fn the_other_dialect_says_the_same() {
    let home = Home::new("a.txt", &lines(3));
    let toolbox = Toolbox::builder().root(home.dir.path()).dialect(Dialect::Ekacode).open().unwrap();
    call(&toolbox, "read", json!({"filePath": "a.txt", "limit": 2})).unwrap();
    let error = call(&toolbox, "write", json!({"filePath": "a.txt", "content": "x"})).unwrap_err();
    assert!(error.ends_with("(not seen: lines 3 of 3)"), "{error}");
    call(&toolbox, "read", json!({"filePath": "a.txt", "offset": 2})).unwrap();
    call(&toolbox, "write", json!({"filePath": "a.txt", "content": "x"})).unwrap();
}
