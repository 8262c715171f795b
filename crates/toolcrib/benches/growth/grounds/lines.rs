//! What a file holds: long lines, matches, text that is nearly what an edit names.

use serde_json::{Value, json};

use crate::place::{line, lines, numbered};
use crate::row::{Ground, Row, Sizes};

const TIMES: usize = 1 << 20;

/// One line without an end.
pub(crate) const LINE_LENGTH: Ground = Ground {
    what: "bytes of one line",
    sizes: Sizes::new(128 << 10, 16 * TIMES).full(64 * TIMES),
    grow: |place, _, size| {
        let words: String = (0..size / 8).map(|number| format!("{number:07} ")).collect();
        place.keep("line.js", words)
    },
    rows: &[
        Row::flat("Read", |place, _| place.call("Read", json!({"file_path": "line.js"}), "0000001")),
        // A line is held in memory while it is searched.
        Row::new("Grep, with the line", |place, _| {
            let arguments = json!({"pattern": "0000777", "path": ".", "output_mode": "content", "max_file_size": 1_u64 << 40});
            place.call("Grep", arguments, "0000777")
        }),
        Row::new("Grep, every word matches", |place, _| {
            let arguments = json!({"pattern": "[0-9]+ ", "path": ".", "output_mode": "count", "max_file_size": 1_u64 << 40});
            place.call("Grep", arguments, "line.js")
        }),
        Row::new("Edit, exact", |place, size| edit(place, &format!("{:07} ", size / 16), "")),
        Row::new("Edit, other spaces", |place, size| {
            edit(place, &format!("{:07}  {:07}", size / 16, size / 16 + 1), "")
        }),
        Row::new("Edit, text that is not there", |place, size| {
            edit(place, &format!("{:07} {:07} x {:07}", size / 16, size / 16 + 1, size / 16 + 3), "not found")
        }),
    ],
};

fn edit(place: &crate::place::Place, old: &str, holds: &'static str) -> crate::Result<crate::place::Act> {
    place.change(
        "line.js",
        "Edit",
        json!({"file_path": "line.js", "old_string": old, "new_string": "x"}),
        holds,
    )
}

/// One line that is there again and again.
pub(crate) const MATCHES: Ground = Ground {
    what: "matches in a file",
    sizes: Sizes::new(1024, 128 << 10).full(TIMES),
    grow: |place, _, size| place.keep("same.txt", "    the same line, again and again\n".repeat(size)),
    rows: &[
        Row::new("Edit, replace_all", |place, _| {
            let mut arguments = same("again and again");
            arguments["replace_all"] = true.into();
            place.change("same.txt", "Edit", arguments, "")
        }),
        Row::new("Edit, replace_all with other spaces", |place, _| {
            let mut arguments = same("  the same line,  again and again\n");
            arguments["replace_all"] = true.into();
            place.change("same.txt", "Edit", arguments, "")
        }),
        Row::new("Edit, one of them", |place, _| place.change("same.txt", "Edit", same("the same line"), "")),
        Row::new("Edit, one of them with other spaces", |place, _| {
            place.change(
                "same.txt",
                "Edit",
                same("\tthe same line, again  and again\n\tthe same line, again"),
                "",
            )
        }),
        Row::new("ApplyPatch, a hunk that fits everywhere", |place, _| {
            let patch = "*** Begin Patch\n*** Update File: same.txt\n@@\n-    the same line, again and again\n+x\n*** End Patch\n";
            place.change("same.txt", "ApplyPatch", json!({"patch_text": patch}), "")
        }),
        Row::new("Grep, all lines", |place, _| {
            place.call(
                "Grep",
                json!({"pattern": "same", "output_mode": "content", "head_limit": 100_000}),
                "same line",
            )
        }),
        Row::flat("Grep, 100 lines", |place, _| {
            place.call(
                "Grep",
                json!({"pattern": "same", "output_mode": "content", "head_limit": 100}),
                "same line",
            )
        }),
        Row::flat("Grep, the last 100 of 100,000 lines", |place, size| {
            let offset = size.min(100_000) - 100;
            place.call(
                "Grep",
                json!({"pattern": "same", "output_mode": "content", "head_limit": 100, "offset": offset}),
                "same line",
            )
        }),
    ],
};

fn same(old: &str) -> Value {
    json!({"file_path": "same.txt", "old_string": old, "new_string": "another"})
}

/// Lines that are nearly those of the text that an edit names.
pub(crate) const NEAR_MISSES: Ground = Ground {
    what: "lines that nearly match",
    sizes: Sizes::new(1024, 64 << 10).full(512 << 10),
    grow: |place, _, size| {
        let near: String =
            (0..size).map(|number| format!("    let value_{number} = compute(value, {number});\n")).collect();
        place.keep("near.rs", near)
    },
    rows: &[
        Row::new("Edit, 1 line", |place, _| {
            near(place, "    let value_x = compute(value, y, z);\n".to_owned())
        }),
        Row::new("Edit, 20 lines", |place, _| {
            near(place, (0..20).map(|n| format!("    let value_{n} = compute(value, {n}, z);\n")).collect())
        }),
        Row::new("Edit, lines of which every second is right", |place, size| {
            let middle = size / 2;
            let old = (middle..middle + 20).map(|n| {
                let wrong = if n % 2 == 0 { "" } else { ", z" };
                format!("    let value_{n} = compute(value, {n}{wrong});\n")
            });
            near(place, old.collect())
        }),
        Row::new("MultiEdit, 5 edits that are not there", |place, _| {
            let edit = |n: usize| json!({"old_string": format!("let valeu_{n} = compute(value, {n});"), "new_string": "x"});
            let edits: Vec<_> = (0..5).map(edit).collect();
            place.change("near.rs", "MultiEdit", json!({"file_path": "near.rs", "edits": edits}), "")
        }),
        Row::new("ApplyPatch, a hunk that is not there", |place, _| {
            let gone: String =
                (0..20).map(|n| format!("-    let value_{n} = compute(value, {n}, z);\n")).collect();
            let patch = format!("*** Begin Patch\n*** Update File: near.rs\n@@\n{gone}+x\n*** End Patch\n");
            place.change("near.rs", "ApplyPatch", json!({"patch_text": patch}), "")
        }),
    ],
};

fn near(place: &crate::place::Place, old: String) -> crate::Result<crate::place::Act> {
    place.change(
        "near.rs",
        "Edit",
        json!({"file_path": "near.rs", "old_string": old, "new_string": "x"}),
        "closest",
    )
}

/// The text that an edit replaces.
pub(crate) const OLD_STRING: Ground = Ground {
    what: "lines of old_string",
    sizes: Sizes::new(256, 32 << 10).full(256 << 10),
    grow: |place, _, size| place.keep("old.txt", lines(2 * size)),
    rows: &[
        Row::new("Edit, exact", |place, size| old(place, numbered(size / 2..size / 2 + size), "")),
        Row::new("Edit, other spaces", |place, size| {
            old(place, numbered(size / 2..size / 2 + size).replace(" of a", "\tof a "), "")
        }),
        Row::new("Edit, all but the last line is there", |place, size| {
            old(place, numbered(size / 2..size / 2 + size) + "and this is not\n", "closest")
        }),
        Row::new("Edit, every tenth line is there", |place, size| {
            let text = (size / 2..size / 2 + size)
                .map(|n| if n % 10 == 0 { line(n) } else { line(n).replace("text", "txet") });
            old(place, text.collect(), "")
        }),
        Row::new("Edit, nothing of it is there", |place, size| {
            old(place, (0..size).map(|n| format!("word {n} and other words\n")).collect(), "")
        }),
        Row::new("Edit, the same line again and again", |place, size| old(place, line(1).repeat(size), "")),
    ],
};

fn old(place: &crate::place::Place, old: String, holds: &'static str) -> crate::Result<crate::place::Act> {
    place.change(
        "old.txt",
        "Edit",
        json!({"file_path": "old.txt", "old_string": old, "new_string": "x\n"}),
        holds,
    )
}
