//! Calls with hostile arguments, made from a number.

use std::path::Path;

use serde_json::{Map, Value, json};
use toolcrib_testkit::Random;

use crate::child::Order;
use crate::patterns::{glob, regex};
use crate::texts::{anything, number, size, text, text_in};
use crate::tree::{DIRECTORIES, FILES};

/// The tools of the first dialect, those that can cost more more often.
const TOOLS: &[&str] = &[
    "Read",
    "Read",
    "Write",
    "Edit",
    "Edit",
    "Edit",
    "MultiEdit",
    "MultiEdit",
    "ApplyPatch",
    "ApplyPatch",
    "ApplyPatch",
    "LS",
    "Glob",
    "Glob",
    "Grep",
    "Grep",
    "Grep",
    "Grep",
    "Undo",
    "Stat",
    "Insert",
    "ReadMany",
    "Delete",
    "Move",
    "MakeDirectory",
];

/// The call of this number.
pub(crate) fn call(root: &Path, seed: u64, number: u64) -> Order {
    let mut random =
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number.wrapping_mul(0xD1B5_4A32_D192_ED03));
    random.below(2);
    let tool = random.pick(TOOLS);
    let mut arguments = arguments(tool, root, &mut random);
    if random.once_in(10) {
        spoil(&mut arguments, &mut random);
    }
    let other = random.once_in(3);
    let (tool, arguments) =
        if other { in_other_words(tool, arguments) } else { (tool.to_owned(), arguments) };
    let arguments = shortened(arguments);
    let timeout_ms = random.pick(&[1, 20, 20, 100, 100, 100, 500, 500, 500, 2000]);
    let cancel_ms = random.once_in(5).then(|| random.pick(&[0, 5, 50, 300]));
    Order { tool, arguments: Value::Object(arguments), timeout_ms, cancel_ms, dry_run: random.once_in(4) }
}

/// How many bytes a request may have. It is read and parsed by the server that takes it, in the same memory, before
/// there is a call.
const LARGEST: usize = 8 << 20;

/// The arguments without those items of lists, and without those ends of texts, that make them too large.
fn shortened(mut arguments: Arguments) -> Arguments {
    for value in arguments.values_mut() {
        match value {
            Value::String(text) => text.truncate(text.floor_char_boundary(LARGEST / 4)),
            Value::Array(items) => {
                let mut room = LARGEST;
                items.retain(|item| {
                    let size = item.to_string().len();
                    room = room.saturating_sub(size);
                    room > 0
                });
            }
            _ => {}
        }
    }
    arguments
}

type Arguments = Map<String, Value>;

fn arguments(tool: &str, root: &Path, random: &mut Random) -> Arguments {
    let value = match tool {
        "Read" => read(root, random),
        "Write" => json!({"file_path": file(root, random), "content": text(random)}),
        "Edit" => {
            let path = file(root, random);
            let mut edit = edit(&path, random);
            edit["file_path"] = json!(path);
            edit
        }
        "MultiEdit" => {
            let path = file(root, random);
            json!({"edits": edits(&path, random), "file_path": path})
        }
        "ApplyPatch" => {
            json!({"patch_text": patch(random), "overwrite": random.once_in(2), "fuzz": random.below(4)})
        }
        "LS" => list(root, random),
        "Glob" => find(root, random),
        "Grep" => search(root, random),
        "Undo" => json!({"change": number(random), "redo": random.once_in(3)}),
        "Stat" => {
            json!({"path": if random.once_in(3) { directory(root, random) } else { file(root, random) }})
        }
        "Insert" => {
            let path = file(root, random);
            let content = if random.once_in(2) { text_in(&path, random) } else { text(random) };
            json!({"file_path": path, "line": number(random), "content": content})
        }
        "ReadMany" => {
            let count = random.pick(&[1, 3, 27, 100, 101]);
            let one = random.once_in(3).then(|| file(root, random));
            let paths = (0..count).map(|_| json!(one.clone().unwrap_or_else(|| file(root, random))));
            json!({"file_paths": paths.collect::<Vec<_>>(), "limit": number(random)})
        }
        "Delete" => {
            let path = if random.once_in(8) { directory(root, random) } else { leaf(root, random) };
            json!({"file_path": path, "recursive": random.once_in(2)})
        }
        "Move" => {
            let from = if random.once_in(8) { directory(root, random) } else { leaf(root, random) };
            json!({"from": from, "to": file(root, random), "overwrite": random.once_in(2)})
        }
        "MakeDirectory" => json!({"path": file(root, random)}),
        other => panic!("say how {other} is called"),
    };
    let Value::Object(arguments) = value else { panic!("{value}") };
    // What is not given is left out.
    arguments.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

/// A path of a file, or of something else.
fn file(root: &Path, random: &mut Random) -> String {
    let name = match random.below(50) {
        0 => random.pick(DIRECTORIES).to_owned(),
        1 => "../".repeat(random.below(3000)) + "etc/passwd",
        2 => "a/".repeat(size(random)) + "x",
        3 => "n".repeat(size(random)),
        4 => random
            .pick(&[
                "link",
                "circle",
                "odd/new\nline",
                "odd/*",
                "\u{0}",
                "/dev/zero",
                "/proc/self/mem",
                "//",
                "~",
            ])
            .to_owned(),
        5 => format!("new{}.txt", random.below(5)),
        6 => format!("hostile{}.{}", random.below(60), random.pick(&["png", "pdf", "ipynb"])),
        7 => "deep/".to_owned() + &"d/".repeat(random.below(5)) + "leaf.txt",
        _ => FILES[random.below(FILES.len())].0.to_owned(),
    };
    if random.once_in(12) { name } else { format!("{}/{name}", root.display()) }
}

/// A path of a file that others do not miss, or of any.
fn leaf(root: &Path, random: &mut Random) -> String {
    if random.once_in(3) {
        return file(root, random);
    }
    format!("{}/wide/file{}.rs", root.display(), random.below(300))
}

fn directory(root: &Path, random: &mut Random) -> String {
    if random.once_in(6) {
        return file(root, random);
    }
    format!("{}/{}", root.display(), random.pick(DIRECTORIES))
}

fn read(root: &Path, random: &mut Random) -> Value {
    let maybe = |random: &mut Random, times: usize, value: fn(&mut Random) -> Value| {
        if random.once_in(times) { value(random) } else { Value::Null }
    };
    let ranges = |random: &mut Random| {
        let range = random.pick(&[
            "1",
            "1-",
            "-5",
            "1-1000000000",
            "5,4,3",
            "18446744073709551615",
            "a",
            "1-2,",
            "0",
        ]);
        json!(if random.once_in(3) {
            [range, ","].concat().repeat(size(random) / 4)
        } else {
            range.to_owned()
        })
    };
    json!({
        "file_path": file(root, random),
        "offset": maybe(random, 3, number),
        "limit": maybe(random, 3, number),
        "tail": maybe(random, 6, number),
        "encoding": maybe(random, 6, |random| json!(random.pick(&["utf-8", "utf-16", "gbk", "shift_jis", "iso-2022-jp", "x", ""]))),
        "pages": maybe(random, 8, ranges),
        "cells": maybe(random, 8, ranges),
    })
}

fn edit(file: &str, random: &mut Random) -> Value {
    let old = text_in(file, random);
    let new = match random.below(5) {
        0 => old.repeat(2),
        1 => String::new(),
        2 => text_in(file, random),
        _ => text(random),
    };
    json!({"old_string": old, "new_string": new, "replace_all": random.once_in(2)})
}

fn edits(file: &str, random: &mut Random) -> Value {
    match random.below(6) {
        // A text that doubles with every edit.
        0 => {
            let unit = random.pick(&["a", "ab", "x", "same line\n", "1"]);
            let edit = json!({"old_string": unit, "new_string": unit.repeat(2), "replace_all": true});
            Value::Array(vec![edit; random.pick(&[2, 10, 40, 1000])])
        }
        1 => Value::Array(vec![edit(file, random); random.pick(&[2, 100, 3000])]),
        _ => Value::Array((0..1 + random.below(6)).map(|_| edit(file, random)).collect()),
    }
}

fn patch(random: &mut Random) -> String {
    let hunks = match random.below(20) {
        0 => random.below(20_000),
        1..5 => random.below(500),
        _ => 1 + random.below(4),
    };
    let name = |random: &mut Random| {
        if random.once_in(10) { "new.txt".to_owned() } else { FILES[random.below(FILES.len())].0.to_owned() }
    };
    let file = name(random);
    let line = |random: &mut Random| {
        let line = text_in(&file, random);
        line.lines().next().unwrap_or_default().chars().take(200).collect::<String>()
    };
    let mut patch = String::new();
    match random.below(8) {
        0 => {
            // Copies of a file, each in some bytes.
            for number in 0..random.pick(&[1, 20, 500]) {
                patch += &format!(
                    "diff --git a/{file} b/copy{number}\\nsimilarity index 100%\\ncopy from {file}\\ncopy to copy{number}\\n"
                );
            }
            return patch.replace("\\n", "\n");
        }
        1 => return text(random) + "\n--- a/x\n+++ b/x\n" + &text(random),
        2 => {
            // Many sections of one file, or of many.
            for number in 0..random.pick(&[2, 50, 2000]) {
                let file = if random.once_in(2) { file.clone() } else { format!("many/{number}.txt") };
                patch += &format!("*** Add File: {file}\n+{number}\n");
            }
            return format!("*** Begin Patch\n{patch}*** End Patch\n");
        }
        _ => {}
    }
    let envelope = random.once_in(2);
    patch += &if envelope {
        format!("*** Begin Patch\n*** Update File: {file}\n")
    } else {
        format!("--- a/{file}\n+++ b/{file}\n")
    };
    let (same, anchor) = (random.once_in(2).then(|| line(random)), random.once_in(3).then(|| line(random)));
    for hunk in 0..hunks {
        patch += &match (envelope, &anchor) {
            (true, Some(anchor)) => format!("@@ {anchor}\n"),
            (true, None) => "@@\n".to_owned(),
            (false, _) => format!("@@ -{0},2 +{0},2 @@\n", random.below(10) + hunk * random.below(9)),
        };
        let old = same.clone().unwrap_or_else(|| line(random));
        patch += &match random.below(5) {
            0 => format!(" {old}\n-{old}\n+{}\n {old}\n", line(random)),
            1 => format!("+{}\n", line(random)),
            2 => format!(" {old}\n+{old}\n"),
            _ => format!("-{old}\n+{old}{hunk}\n"),
        };
    }
    if random.once_in(10) {
        patch += &"\n".repeat(size(random));
    }
    if envelope { patch + "*** End Patch\n" } else { patch }
}

fn globs(random: &mut Random) -> Value {
    match random.below(10) {
        0 => Value::Array((0..size(random).min(5000)).map(|_| json!("*a*b*c*")).collect()),
        _ => Value::Array((0..1 + random.below(4)).map(|_| json!(glob(random))).collect()),
    }
}

fn list(root: &Path, random: &mut Random) -> Value {
    json!({
        "path": directory(root, random),
        "recursive": random.once_in(2),
        "depth": if random.once_in(3) { number(random) } else { Value::Null },
        "ignore": if random.once_in(3) { globs(random) } else { Value::Null },
        "no_ignore": random.once_in(3),
        "limit": if random.once_in(3) { number(random) } else { Value::Null },
        "offset": if random.once_in(3) { number(random) } else { Value::Null },
    })
}

fn find(root: &Path, random: &mut Random) -> Value {
    json!({
        "pattern": glob(random),
        "path": directory(root, random),
        "limit": if random.once_in(3) { number(random) } else { Value::Null },
        "offset": if random.once_in(3) { number(random) } else { Value::Null },
        "include_hidden": random.once_in(3),
        "no_ignore": random.once_in(3),
        "include_directories": random.once_in(3),
    })
}

fn search(root: &Path, random: &mut Random) -> Value {
    let count =
        |random: &mut Random, times: usize| if random.once_in(times) { number(random) } else { Value::Null };
    json!({
        "pattern": if random.once_in(8) { text(random) } else { regex(random) },
        "path": if random.once_in(2) { file(root, random) } else { directory(root, random) },
        "glob": if random.once_in(4) { json!(glob(random)) } else { Value::Null },
        "type": if random.once_in(8) { json!(random.pick(&["rust", "py", "all", "rust,js", ""])) } else { Value::Null },
        "output_mode": random.pick(&["content", "files_with_matches", "count"]),
        "-i": random.once_in(4),
        "-A": count(random, 6),
        "-B": count(random, 6),
        "-C": count(random, 6),
        "multiline": random.once_in(3),
        "head_limit": count(random, 4),
        "offset": count(random, 4),
        "literal": random.once_in(8),
        "word": random.once_in(6),
        "smart_case": random.once_in(6),
        "invert": random.once_in(6),
        "exclude": if random.once_in(5) { globs(random) } else { Value::Null },
        "sort": random.pick(&["relevance", "path", "modified"]),
        "max_count": count(random, 6),
        "no_ignore": random.once_in(4),
        "max_file_size": count(random, 6),
    })
}

/// Puts something else in the place of an argument, leaves one out, or adds one.
fn spoil(arguments: &mut Arguments, random: &mut Random) {
    let names: Vec<String> = arguments.keys().cloned().collect();
    let name = random.pick(&names);
    match random.below(3) {
        0 => _ = arguments.insert(name, anything(random)),
        1 => _ = arguments.remove(&name),
        _ => _ = arguments.insert(text(random), anything(random)),
    }
}

/// The same call in the words of the other dialect.
pub(crate) fn in_other_words(tool: &str, arguments: Arguments) -> (String, Arguments) {
    let name = match tool {
        "ApplyPatch" => "apply_patch".to_owned(),
        "ReadMany" => "readMany".to_owned(),
        other => other.to_lowercase(),
    };
    let words = arguments.into_iter().map(|(key, value)| {
        let key = match (tool, key.as_str()) {
            ("LS", "path") => "dirPath".to_owned(),
            ("Grep", "-i") => "ignoreCase".to_owned(),
            ("Grep", "-A") => "after".to_owned(),
            ("Grep", "-B") => "before".to_owned(),
            ("Grep", "-C") => "context".to_owned(),
            ("Grep", "head_limit") => "limit".to_owned(),
            _ => camel(&key),
        };
        let value = match value {
            Value::Array(items) => Value::Array(items.into_iter().map(other_item).collect()),
            other => other,
        };
        (key, value)
    });
    (name, words.collect())
}

fn other_item(item: Value) -> Value {
    match item {
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (camel(&key), value)).collect())
        }
        other => other,
    }
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut camel, word| {
        let mut letters = word.chars();
        camel.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        camel.push_str(letters.as_str());
        camel
    })
}
