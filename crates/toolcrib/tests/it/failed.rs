//! A call that fails changes no byte, whatever it was given: random files and random calls of every changing tool.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use toolcrib::Toolbox;
use toolcrib_testkit::{Random, quick_dir};

const CALLS: usize = 10_000;

#[test]
fn a_call_that_fails_changes_no_byte() {
    let home = quick_dir();
    let toolbox = Toolbox::open(home.path()).unwrap();
    let mut random = Random(11);
    let (mut failed, mut made) = (0, 0);
    for number in 0..CALLS {
        let before = lay_out(home.path(), &mut random);
        let (tool, arguments) = call(home.path(), &before, &mut random);
        let result = toolbox.call_blocking(tool, arguments.clone(), &toolbox.context());
        let after = files(home.path());
        if result.success {
            made += usize::from(after != before);
            continue;
        }
        failed += 1;
        assert_eq!(after, before, "call {number}: {tool} {arguments}: {:?}", result.error);
    }
    eprintln!("{CALLS} random calls: {failed} failed and changed nothing, {made} changed something");
    assert!(failed > CALLS / 5 && made > CALLS / 5, "{failed}, {made}");
}

type Files = BTreeMap<String, Vec<u8>>;

/// Three small files with all kinds of line ends, bytes that are no text, and lines that repeat.
fn lay_out(home: &Path, random: &mut Random) -> Files {
    for name in files(home).keys() {
        fs::remove_file(home.join(name)).unwrap();
    }
    for name in ["a", "b", "c"] {
        let mut bytes = Vec::new();
        for _ in 0..random.below(6) {
            bytes.extend_from_slice(random.pick(&[
                &b"one"[..],
                b"two",
                b"  two",
                b"three \t",
                b"\xFFx",
                b"",
                b"\xC3\xBC",
            ]));
            bytes.extend_from_slice(random.pick(&[&b"\n"[..], b"\n", b"\r\n", b""]));
        }
        fs::write(home.join(name), bytes).unwrap();
    }
    files(home)
}

fn files(home: &Path) -> Files {
    let entries = fs::read_dir(home).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

fn call(home: &Path, files: &Files, random: &mut Random) -> (&'static str, Value) {
    let name = random.pick(&["a", "b", "c", "new"]);
    let path = home.join(name);
    let text = files.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
    let mut edit = || {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let from = random.below(lines.len() + 1);
        let part = lines[from..].iter().take(1 + random.below(2)).copied().collect::<String>();
        let old = random.pick(&[part.as_str(), part.trim(), "two", "absent", ""]).to_owned();
        let new = random.pick(&["", "new", "new\nlines\n", "ü", "€", "nul\0", "two"]);
        (old, new, random.once_in(3))
    };
    match edit() {
        (_, new, true) => ("Write", json!({"file_path": path, "content": new})),
        (old, new, false) => {
            let edits: Vec<Value> = (0..2)
                .map(|_| edit())
                .map(|(old, new, all)| json!({"old_string": old, "new_string": new, "replace_all": all}))
                .collect();
            let removed = old.lines().map(|line| format!("-{line}\n")).collect::<String>();
            let patch = format!(
                "--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n{removed}+{new}\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-two\n+2\n"
            );
            match edits[0]["new_string"].as_str().unwrap().len() % 3 {
                0 => ("Edit", json!({"file_path": path, "old_string": old, "new_string": new})),
                1 => ("MultiEdit", json!({"file_path": path, "edits": edits})),
                _ => ("ApplyPatch", json!({"patch_text": patch})),
            }
        }
    }
}
