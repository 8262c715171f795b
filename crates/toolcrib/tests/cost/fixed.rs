//! Hostile arguments written by hand, for every tool of both dialects.

use std::path::Path;

use serde_json::{Value, json};
use toolcrib::{Dialect, Settings};
use toolcrib_testkit::formats::hostile;

use crate::calls::in_other_words;
use crate::child::Order;
use crate::parent::{Answer, Crib};
use crate::tree::Place;

/// A call that may take as long as an ordinary one, but for the processor time that the parent allows.
fn order(tool: &str, arguments: Value) -> Order {
    Order { tool: tool.to_owned(), arguments, timeout_ms: 1000, cancel_ms: None, dry_run: false }
}

/// Makes calls in one tree, each in both dialects, and fails with all that are not within bounds.
fn check(place: &Place, calls: Vec<(&str, Value)>) {
    // Memory goes back to the system at once, so that a call gets as far as it would in a fresh process.
    let mut crib = Crib::new(&place.root(), place.state()).frugal();
    let mut faults = Vec::new();
    for (tool, arguments) in calls {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        let (other_tool, other_arguments) = in_other_words(tool, arguments.clone());
        for order in [order(tool, arguments.into()), order(&other_tool, other_arguments.into())] {
            let answer = crib.call(&order);
            let shown: String = serde_json::to_string(&order.arguments).unwrap().chars().take(100).collect();
            let said: String = answer.to_string().chars().take(160).collect();
            println!("{:12} {shown}\n             {}", order.tool, said.replace('\n', " "));
            if let Some(fault) = answer.fault() {
                faults.push(format!("{} {shown}: {fault}", order.tool));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

pub(crate) fn every_tool_takes_hostile_arguments() {
    let place = Place::full();
    let calls = calls(&place.root());
    for tool in Dialect::Standard.tools(Settings { undo: true, more_tools: true, ..Settings::default() }) {
        assert!(
            calls.iter().any(|(name, _)| *name == tool.name()),
            "say what is hostile for {}",
            tool.name()
        );
    }
    check(&place, calls);
}

fn calls(root: &Path) -> Vec<(&'static str, Value)> {
    let path = |name: &str| format!("{}/{name}", root.display());
    let edit = |file: &str, old: &str, new: &str| json!({"file_path": path(file), "old_string": old, "new_string": new, "replace_all": true});
    let grep =
        |pattern: &str, file: &str| json!({"pattern": pattern, "path": path(file), "output_mode": "content"});
    let nested = |depth: usize| "{a,".repeat(depth) + "b" + &"}".repeat(depth);
    let mut calls = vec![
        ("Read", json!({"file_path": path("short_lines.txt"), "offset": 4_000_000, "limit": 10_000})),
        ("Read", json!({"file_path": path("letters.txt"), "tail": 10_000})),
        ("Read", json!({"file_path": path("japanese.txt"), "encoding": "iso-2022-jp", "offset": 50_000})),
        ("Read", json!({"file_path": path("book.ipynb"), "cells": "1-18446744073709551615"})),
        ("Read", json!({"file_path": path("a/".repeat(100_000).as_str())})),
        ("Write", json!({"file_path": path("new.txt"), "content": "x\n".repeat(1_000_000)})),
        ("Write", json!({"file_path": path("short_lines.txt"), "content": "b\n".repeat(500_000)})),
        ("Write", json!({"file_path": path("wide32.txt"), "content": "x\n".repeat(500_000)})),
        ("Edit", edit("letters.txt", "a", "b")),
        ("Edit", edit("letters.txt", "b", &"c".repeat(1024))),
        ("Edit", edit("short_lines.txt", "a", "b")),
        ("Edit", edit("short_lines.txt", "a\nb\na", "b")),
        ("Edit", edit("short_lines.txt", "  a\n  c\n", "b")),
        ("Edit", edit("one_line.js", "return 'x'", "y")),
        ("Edit", edit("quotes.txt", "\"a\" 'b'", "\"c\" 'd'")),
        ("Edit", edit("quoted_lines.txt", "\"a\" said 'b' - c\n", "\"d\" said\n")),
        ("Edit", edit("spaces.txt", "x", &"y\n".repeat(100_000))),
        ("Edit", edit("japanese.txt", "desu", "da")),
        ("Edit", edit("same_lines.txt", &"same line\n".repeat(20_000), "x")),
        ("Edit", edit("numbers.txt", &(0..3000).map(|n| format!("{n} word\n")).collect::<String>(), "x")),
        ("Edit", edit("code.rs", &"word ".repeat(100_000), "x")),
        ("LS", json!({"path": path(""), "recursive": true, "limit": 10_000, "depth": u64::MAX})),
        ("LS", json!({"path": path(""), "recursive": true, "ignore": vec!["*a*b*c*"; 2000]})),
        ("LS", json!({"path": path(""), "ignore": [nested(20_000)]})),
        ("Glob", json!({"pattern": "{a,b}".repeat(26), "path": path("")})),
        ("Glob", json!({"pattern": nested(20_000), "path": path("")})),
        ("Glob", json!({"pattern": "*/".repeat(1500) + "*", "path": path("")})),
        ("Glob", json!({"pattern": "*a".repeat(500), "path": path("")})),
        ("Glob", json!({"pattern": "**", "path": path(""), "limit": 100_000, "offset": 99_999})),
        ("Grep", json!({"pattern": "x", "path": path(""), "exclude": vec!["*a*b*c*"; 2000]})),
        ("Grep", json!({"pattern": "x", "path": path(""), "glob": nested(20_000)})),
        (
            "Grep",
            json!({"pattern": "a", "path": path(""), "output_mode": "content", "-C": 1000, "head_limit": 100_000}),
        ),
        (
            "Grep",
            json!({"pattern": "(?s).*", "path": path("short_lines.txt"), "multiline": true, "output_mode": "content"}),
        ),
        ("Grep", json!({"pattern": "x".repeat(1_000_000), "path": path("")})),
        ("Stat", json!({"path": path("a/".repeat(100_000).as_str())})),
        ("Stat", json!({"path": path("circle")})),
        ("Insert", json!({"file_path": path("short_lines.txt"), "line": 4_000_000, "content": "b\n"})),
        ("Insert", json!({"file_path": path("small.txt"), "line": 1, "content": "\n".repeat(2_000_000)})),
        ("Insert", json!({"file_path": path("crlf.txt"), "line": 1, "content": "\n".repeat(2_000_000)})),
        ("Insert", json!({"file_path": path("wide32.txt"), "line": 0, "content": "x\n".repeat(500_000)})),
        ("ReadMany", json!({"file_paths": vec![path("short_lines.txt"); 100], "limit": 10_000})),
        ("ReadMany", json!({"file_paths": vec![path("japanese.txt"); 100]})),
        ("ReadMany", json!({"file_paths": vec![path("a/".repeat(10_000).as_str()); 100]})),
        ("ReadMany", json!({"file_paths": vec![path("x"); 100_000]})),
        ("Move", json!({"from": path("nul.bin"), "to": path(&("b/".repeat(1000) + "x"))})),
        ("Move", json!({"from": path("random.bin"), "to": path("a/".repeat(100_000).as_str())})),
        ("Delete", json!({"file_path": path("a/".repeat(100_000).as_str())})),
        ("Delete", json!({"file_path": path("newlines.txt")})),
        ("ApplyPatch", {
            let long = "a/".repeat(500_000);
            let patch = format!(
                "*** Begin Patch\n*** Delete File: {long}x\n*** Add File: {long}y\n+z\n*** End Patch\n"
            );
            json!({"patch_text": patch})
        }),
        ("MakeDirectory", json!({"path": path("c/".repeat(1000).as_str())})),
        ("MakeDirectory", json!({"path": path("a/".repeat(100_000).as_str())})),
        ("Move", json!({"from": path("c"), "to": path("e")})),
        ("Delete", json!({"file_path": path("c"), "recursive": true})),
        ("Undo", json!({"change": u64::MAX})),
        ("Undo", json!({"redo": true})),
        ("Undo", json!({})),
    ];
    for pattern in [
        "(?<=a.*)b",
        "(?:a(?=.*z?))*b",
        "(a+)+\\\\1c",
        "(?<=b)a",
        "((a{1000}){1000}){1000}",
        "(?:(?:a|b)*a(?:a|b){1000})x",
        "\\\\w{400}",
        "(?:\\\\w+\\\\s*){50}x",
        "[\\\\w&&[^\\\\d]]{300}",
        "(?i)\\\\bstra\\u{df}e\\\\b|\\\\p{L}{100}",
        "(((((a?){20}){20}){20}){5})x",
        "(?=(\\\\w+))\\\\1:",
        "^(?:.?){500}a{500}$",
        "(.*)(.*)(.*)(.*)(.*)x",
    ] {
        let pattern = pattern.replace("\\\\", "\\");
        for file in ["letters.txt", "ab_random.txt", "one_line.js", ""] {
            calls.push(("Grep", grep(&pattern, file)));
        }
    }
    calls.push(("Grep", grep(&(0..3000).map(|n| format!("word{n}")).collect::<Vec<_>>().join("|"), "")));
    calls.push(("Grep", grep(&r"\w".repeat(16_000), "")));
    calls.push(("Grep", grep(&format!("(?=a){}", r"\w".repeat(16_000)), "")));
    calls.push(("Grep", grep(&"(?=".repeat(1000), "")));
    let doubling = json!({"old_string": "ab", "new_string": "abab", "replace_all": true});
    calls.push(("MultiEdit", json!({"file_path": path("pairs.txt"), "edits": vec![doubling; 40]})));
    let cancelling = [
        json!({"old_string": "a", "new_string": "b", "replace_all": true}),
        json!({"old_string": "b", "new_string": "a", "replace_all": true}),
    ];
    calls.push((
        "MultiEdit",
        json!({"file_path": path("letters.txt"), "edits": vec![cancelling; 5000].concat()}),
    ));
    calls.push(("MultiEdit", json!({"file_path": path("small.txt"), "edits": vec![json!({"old_string": "z", "new_string": "y"}); 100_000]})));
    for patch in patches() {
        calls.push(("ApplyPatch", json!({"patch_text": patch, "overwrite": true})));
    }
    calls
}

fn patches() -> Vec<String> {
    let copy = |number: usize| {
        format!(
            "diff --git a/letters.txt b/copy{number}\nsimilarity index 100%\ncopy from letters.txt\ncopy to copy{number}\n"
        )
    };
    let hunk = |number: usize| {
        format!("@@ -{0},2 +{0},2 @@\n same line\n-same line\n+other {number}\n", number * 3 + 1)
    };
    vec![
        (0..1000).map(copy).collect(),
        format!("--- a/same_lines.txt\n+++ b/same_lines.txt\n{}", (0..30_000).map(hunk).collect::<String>()),
        format!(
            "*** Begin Patch\n*** Update File: same_lines.txt\n{}*** End Patch\n",
            "@@\n-same line\n+x\n".repeat(50_000)
        ),
        format!(
            "*** Begin Patch\n*** Update File: letters.txt\n{}*** End Patch\n",
            "@@ no such anchor\n-a\n+b\n".repeat(50_000)
        ),
        format!(
            "*** Begin Patch\n{}*** End Patch\n",
            "*** Update File: code.rs\n@@\n-no such line\n+x\n".repeat(3000)
        ),
        "\n".repeat(2_000_000),
        format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n{}+b\n", "\n".repeat(500_000)),
        format!("*** Begin Patch\n*** Add File: big.txt\n{}*** End Patch\n", "+x\n".repeat(500_000)),
    ]
}

pub(crate) fn every_hostile_file_is_read() {
    let place = Place::new();
    let mut faults = Vec::new();
    for (name, make) in hostile::ALL {
        let kind = name.split(':').next().unwrap();
        let ending = if kind == "notebook" { "ipynb" } else { kind };
        let path = place.root().join(format!("file.{ending}"));
        std::fs::write(&path, make()).unwrap();
        let mut crib = Crib::new(&place.root(), place.state());
        for tool in ["Read", "Grep"] {
            let arguments = match tool {
                "Read" => json!({"file_path": path}),
                _ => json!({"pattern": "x", "path": path}),
            };
            let answer = crib.call(&Order { timeout_ms: 5000, ..order(tool, arguments) });
            let said: String = answer.to_string().chars().take(120).collect();
            println!("{name:46} {tool} {}", said.replace('\n', " "));
            faults.extend(answer.fault().map(|fault| format!("{name}: {tool}: {fault}")));
        }
        std::fs::remove_file(path).unwrap();
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

pub(crate) fn small_requests_do_not_make_large_results() {
    let place = Place::full();
    let path = |name: &str| place.root().join(name);
    let unit = "ab".repeat(504);
    std::fs::write(path("unit.txt"), &unit).unwrap();
    let doubling = json!({"old_string": unit, "new_string": unit.repeat(2), "replace_all": true});
    let thousandfold = json!({
        "file_path": path("letters.txt"), "old_string": "a", "new_string": "b".repeat(1024), "replace_all": true
    });
    let copy = |number: usize| {
        format!("diff --git a/letters.txt b/c{number}\ncopy from letters.txt\ncopy to c{number}\n")
    };
    let copies: String = (0..20).map(copy).collect();
    let mut crib = Crib::new(&place.root(), place.state());
    for (tool, arguments, said) in [
        (
            "MultiEdit",
            json!({"file_path": path("unit.txt"), "edits": vec![doubling; 40]}),
            "edit 15 of 40: the text would grow to 33030144 bytes, and one call may make it 16898176 at most",
        ),
        ("Edit", thousandfold, "found 1048576 times, and one edit replaces 250000 at most"),
        (
            "ApplyPatch",
            json!({"patch_text": copies}),
            "with it the files would have 18874368 bytes, and one patch may write 17825792 at most",
        ),
    ] {
        // They are refused for what they would make, not for how long a busy machine takes over them.
        let answer = crib.call(&Order { timeout_ms: 60_000, ..order(tool, arguments) });
        let Answer::Reported(report) = &answer else { panic!("{answer}") };
        assert_eq!(report.outcome, "too_large", "{answer}");
        assert!(report.said.contains(said), "{answer}");
        assert!(answer.fault().is_none(), "{answer}");
    }
}

/// 100,000 hunks of one file, and of a thousand files, in both grammars.
pub(crate) fn a_patch_of_many_hunks_is_applied() {
    let hunks: usize = if cfg!(debug_assertions) { 5000 } else { 100_000 };
    let place = Place::new();
    let lines = |hunks: usize| (0..hunks * 4).map(|line| format!("line {line}")).collect::<Vec<_>>();
    for (files, envelope, off) in
        [(1, false, 0), (1, false, 3), (1, true, 0), (100, false, 3), (100, true, 0)]
    {
        let lines = lines(hunks / files);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let mut patch = if envelope { "*** Begin Patch\n" } else { "" }.to_owned();
        for file in 0..files {
            std::fs::write(place.root().join(format!("file{file}.txt")), &text).unwrap();
            patch += &if envelope {
                format!("*** Update File: file{file}.txt\n")
            } else {
                format!("--- a/file{file}.txt\n+++ b/file{file}.txt\n")
            };
            for hunk in 0..hunks / files {
                let at = hunk * 4 + 1;
                patch +=
                    &if envelope { "@@\n".to_owned() } else { format!("@@ -{0},3 +{0},3 @@\n", at + off) };
                patch += &format!(" {}\n-{}\n+changed {at}\n {}\n", lines[at - 1], lines[at], lines[at + 1]);
            }
        }
        patch += if envelope { "*** End Patch\n" } else { "" };
        // The memory of the answer to a patch of 8 MB is that of its lines, some hundred bytes each.
        let mut crib = Crib::new(&place.root(), place.state()).megabytes(1024);
        let answer =
            crib.call(&Order { timeout_ms: 60_000, ..order("ApplyPatch", json!({"patch_text": patch})) });
        let Answer::Reported(report) = &answer else { panic!("{answer}") };
        println!("{hunks} hunks over {files} files, envelope {envelope}, off by {off}: {} ms", report.worked);
        assert_eq!(report.outcome, "ok", "{answer}");
        let after = std::fs::read_to_string(place.root().join("file0.txt")).unwrap();
        assert_eq!(after.matches("changed").count(), hunks / files);
        if !cfg!(debug_assertions) {
            assert!(report.worked < 5000, "{answer}");
        }
    }
}
