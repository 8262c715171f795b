//! Requests that get longer.

use serde_json::json;

use crate::place::{line, lines};
use crate::row::{Ground, Row, Sizes};

/// Edits of one file, of four lines for each edit. Edits that depend on each other, or that are not there to the letter, look through
/// the file one by one, so theirs has always the same size.
pub(crate) const EDITS: Ground = Ground {
    what: "edits in one call",
    sizes: Sizes::new(64, 4 << 10).full(16 << 10),
    grow: |place, _, size| {
        place.keep("fixed.txt", lines(FIXED))?;
        place.keep("text.txt", lines(4 * size))
    },
    rows: &[
        Row::new("MultiEdit, exact", |place, size| multi(place, "text.txt", (0..size).map(exact), "")),
        Row::new("MultiEdit, from the end", |place, size| {
            multi(place, "text.txt", (0..size).rev().map(exact), "")
        }),
        Row::new("MultiEdit, the last is not there", |place, size| {
            let last = ("line that is nowhere of a text".to_owned(), String::new());
            multi(place, "text.txt", (0..size).map(exact).chain([last]), "closest")
        }),
        Row::new("MultiEdit, other spaces, 4,096 lines", |place, size| {
            let edit = |n: usize| (exact(n).0.replace(" of a", "\tof a "), "x\n".to_owned());
            multi(place, "fixed.txt", (0..size).map(edit), "")
        })
        .up_to(FIXED / 4),
        Row::new("MultiEdit, each of what the one before wrote, 4,096 lines", |place, size| {
            let first = (line(1), "step 1\n".to_owned());
            let step = |n: usize| (format!("step {n}\n"), format!("step {}\n", n + 1));
            multi(place, "fixed.txt", [first].into_iter().chain((1..size).map(step)), "")
        })
        .up_to(FIXED / 4),
    ],
};

/// How many lines a file has that does not grow.
pub(crate) const FIXED: usize = 4096;

fn exact(n: usize) -> (String, String) {
    (line(4 * n + 1), "x\n".to_owned())
}

fn multi(
    place: &crate::place::Place,
    file: &str,
    edits: impl Iterator<Item = (String, String)>,
    holds: &'static str,
) -> crate::Result<crate::place::Act> {
    let edits: Vec<_> = edits.map(|(old, new)| json!({"old_string": old, "new_string": new})).collect();
    place.change(file, "MultiEdit", json!({"file_path": file, "edits": edits}), holds)
}

/// A tree of 5,000 files for what names many things.
fn tree(place: &crate::place::Place) -> crate::Result<()> {
    (0..5000).try_for_each(|n| place.write(&format!("d{}/name{n}.rs", n / 100), "one line\n"))
}

/// A pattern with braces, up to its limit of 256.
pub(crate) const ALTERNATIVES: Ground = Ground {
    what: "alternatives of a glob pattern",
    sizes: Sizes::new(8, 256),
    grow: |place, from, _| if from == 0 { tree(place) } else { Ok(()) },
    rows: &[
        Row::flat("Glob", |place, size| place.call("Glob", json!({"pattern": pattern(size)}), "name")),
        Row::flat("Grep", |place, size| {
            place.call("Grep", json!({"pattern": "one", "glob": pattern(size)}), "name")
        }),
        Row::flat("LS, left out", |place, size| {
            place.call("LS", json!({"recursive": true, "ignore": [pattern(size)]}), "name")
        }),
    ],
};

fn pattern(size: usize) -> String {
    let names: Vec<String> = (1..=size).map(|n| format!("*e{n}.rs")).collect();
    format!("**/{{{}}}", names.join(","))
}

/// Many patterns of what to leave out.
pub(crate) const EXCLUDED: Ground = Ground {
    what: "patterns of what to leave out",
    sizes: Sizes::new(8, 256),
    grow: |place, from, _| if from == 0 { tree(place) } else { Ok(()) },
    rows: &[
        Row::flat("Grep", |place, size| {
            place.call("Grep", json!({"pattern": "one", "exclude": excluded(size)}), "name")
        }),
        Row::flat("LS", |place, size| {
            place.call("LS", json!({"recursive": true, "ignore": excluded(size)}), "name")
        }),
    ],
};

fn excluded(size: usize) -> Vec<String> {
    (1..=size).map(|n| format!("*x{n}*.rs")).collect()
}
