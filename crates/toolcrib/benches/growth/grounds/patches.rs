//! Patches that get larger.

use std::fmt::Write as _;

use serde_json::json;

use crate::Result;
use crate::grounds::requests::FIXED;
use crate::place::{Act, Place, line, lines};
use crate::row::{Ground, Row, Sizes};

fn apply(place: &Place, patch: String, holds: &'static str) -> Result<Act> {
    place.call("ApplyPatch", json!({"patch_text": patch}), holds)
}

/// Hunks of one file of four lines for each.
pub(crate) const HUNKS: Ground = Ground {
    what: "hunks of a patch",
    sizes: Sizes::new(256, 16 << 10).full(64 << 10),
    grow: |place, _, size| place.keep("text.txt", lines(4 * size)),
    rows: &[
        Row::new("ApplyPatch, unified", |place, size| unified(place, size, 0, "")),
        Row::new("ApplyPatch, unified, line numbers off by 2", |place, size| unified(place, size, 2, "")),
        Row::new("ApplyPatch, unified, line numbers off by half the file", |place, size| {
            unified(place, size, 2 * size, "")
        }),
        Row::new("ApplyPatch, envelope", |place, size| envelope(place, 0..size, "")),
        Row::new("ApplyPatch, envelope, in another order", |place, size| {
            envelope(place, (0..size).rev(), "")
        }),
        Row::new("ApplyPatch, SEARCH/REPLACE", |place, size| {
            place.restore("text.txt")?;
            let mut patch = String::new();
            for n in 0..size {
                _ = write!(
                    patch,
                    "text.txt\n<<<<<<< SEARCH\n{}=======\nx\n>>>>>>> REPLACE\n",
                    line(4 * n + 1)
                );
            }
            apply(place, patch, "")
        }),
        Row::new("ApplyPatch, no hunk fits", |place, size| {
            place.restore("text.txt")?;
            let mut patch = String::from("--- a/text.txt\n+++ b/text.txt\n");
            for n in 0..size {
                let at = 4 * n + 2;
                _ = write!(patch, "@@ -{at},1 +{at},1 @@\n-{}+x\n", line(4 * n + 1).replace("text", "txet"));
            }
            apply(place, patch, "")
        }),
    ],
};

fn unified(place: &Place, size: usize, off: usize, holds: &'static str) -> Result<Act> {
    place.restore("text.txt")?;
    let mut patch = String::from("--- a/text.txt\n+++ b/text.txt\n");
    for n in 0..size {
        let (first, at) = (4 * n, 4 * n + 1 + off);
        let (above, gone, below) = (line(first), line(first + 1), line(first + 2));
        _ = write!(patch, "@@ -{at},3 +{at},3 @@\n {above}-{gone}+x\n {below}");
    }
    apply(place, patch, holds)
}

fn envelope(place: &Place, order: impl Iterator<Item = usize>, holds: &'static str) -> Result<Act> {
    place.restore("text.txt")?;
    let mut patch = String::from("*** Begin Patch\n*** Update File: text.txt\n");
    for n in order {
        let (above, gone, below) = (line(4 * n), line(4 * n + 1), line(4 * n + 2));
        _ = write!(patch, "@@\n {above}-{gone}+x\n {below}");
    }
    apply(place, patch + "*** End Patch\n", holds)
}

/// One file of 4,096 lines again and again. Each section looks through what those before it have left.
pub(crate) const SECTIONS: Ground = Ground {
    what: "sections of a patch for one file",
    sizes: Sizes::new(64, FIXED / 4),
    grow: |place, _, _| place.keep("text.txt", lines(FIXED)),
    rows: &[
        Row::new("ApplyPatch, unified", |place, size| {
            place.restore("text.txt")?;
            let mut patch = String::new();
            for n in 0..size {
                let at = 4 * n + 2;
                let gone = line(4 * n + 1);
                _ = write!(patch, "--- a/text.txt\n+++ b/text.txt\n@@ -{at},1 +{at},1 @@\n-{gone}+x\n");
            }
            apply(place, patch, "")
        }),
        Row::new("ApplyPatch, envelope", |place, size| {
            place.restore("text.txt")?;
            let mut patch = String::from("*** Begin Patch\n");
            for n in 0..size {
                _ = write!(patch, "*** Update File: text.txt\n@@\n-{}+x\n", line(4 * n + 1));
            }
            apply(place, patch + "*** End Patch\n", "")
        }),
    ],
};

/// Many files, each with a change.
pub(crate) const FILES: Ground = Ground {
    what: "files of a patch",
    sizes: Sizes::new(64, 4 << 10).full(16 << 10),
    grow: |_, _, _| Ok(()),
    rows: &[
        Row::new("ApplyPatch, updated", |place, size| {
            files(place, size)?;
            apply(
                place,
                section(size, |n| format!("*** Update File: d{0}/f{n}\n@@\n-{1}+x\n", n / 64, line(1))),
                "",
            )
        }),
        Row::new("ApplyPatch, added", |place, size| {
            place.clear()?;
            apply(place, section(size, |n| format!("*** Add File: d{}/f{n}\n+{}", n / 64, line(1))), "")
        }),
        Row::new("ApplyPatch, deleted", |place, size| {
            files(place, size)?;
            apply(place, section(size, |n| format!("*** Delete File: d{}/f{n}\n", n / 64)), "")
        }),
        Row::new("ApplyPatch, moved", |place, size| {
            files(place, size)?;
            let moved = |n| {
                format!("*** Update File: d{0}/f{n}\n*** Move to: e{0}/g{n}\n@@\n-{1}+x\n", n / 64, line(1))
            };
            apply(place, section(size, moved), "")
        }),
        Row::new("ApplyPatch, renamed", |place, size| {
            files(place, size)?;
            let mut patch = String::new();
            for n in 0..size {
                let (from, to) = (format!("d{}/f{n}", n / 64), format!("e{}/g{n}", n / 64));
                _ = write!(
                    patch,
                    "diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n"
                );
            }
            apply(place, patch, "")
        }),
        Row::new("ApplyPatch, the last file does not fit", |place, size| {
            files(place, size)?;
            let wrong = size - 1;
            let text = |n: usize| if n == wrong { "nowhere\n".to_owned() } else { line(1) };
            apply(
                place,
                section(size, |n| format!("*** Update File: d{0}/f{n}\n@@\n-{1}+x\n", n / 64, text(n))),
                "",
            )
        }),
        Row::new("ApplyPatch, no file is there", |place, size| {
            place.clear()?;
            apply(
                place,
                section(size, |n| format!("*** Update File: d{0}/f{n}\n@@\n-{1}+x\n", n / 64, line(1))),
                "",
            )
        }),
        Row::new("ApplyPatch, then undo", |place, size| {
            files(place, size)?;
            let patch =
                section(size, |n| format!("*** Update File: d{0}/f{n}\n@@\n-{1}+x\n", n / 64, line(1)));
            apply(place, patch, "")?()?;
            place.call("Undo", json!({}), "")
        }),
        Row::new("toolcrib log, of a patch", |place, size| {
            files(place, size)?;
            let patch =
                section(size, |n| format!("*** Update File: d{0}/f{n}\n@@\n-{1}+x\n", n / 64, line(1)));
            apply(place, patch, "")?()?;
            place.command(&["log", "--limit", "1"])
        }),
    ],
};

/// Sections of an envelope.
fn section(size: usize, of: impl Fn(usize) -> String) -> String {
    let sections: String = (0..size).map(of).collect();
    format!("*** Begin Patch\n{sections}*** End Patch\n")
}

/// Files of three lines, 64 in a directory.
fn files(place: &Place, size: usize) -> Result<()> {
    place.clear()?;
    let text = lines(3);
    (0..size).try_for_each(|n| place.write(&format!("d{}/f{n}", n / 64), &text))
}

/// Each file in a directory of its own.
pub(crate) const DIRECTORIES: Ground = Ground {
    what: "directories of a patch",
    sizes: Sizes::new(64, 4 << 10).full(16 << 10),
    grow: |_, _, _| Ok(()),
    rows: &[
        Row::new("ApplyPatch, files in directories that are there", |place, size| {
            place.clear()?;
            (0..size).try_for_each(|n| place.write(&format!("d{n}/f"), "a\n"))?;
            apply(place, section(size, |n| format!("*** Update File: d{n}/f\n@@\n-a\n+b\n")), "")
        }),
        Row::new("ApplyPatch, files in new directories", |place, size| {
            place.clear()?;
            apply(place, section(size, |n| format!("*** Add File: d{n}/f\n+a\n")), "")
        }),
        Row::new("ApplyPatch, files moved to new directories", |place, size| {
            place.clear()?;
            (0..size).try_for_each(|n| place.write(&format!("d{n}/f"), "a\n"))?;
            apply(
                place,
                section(size, |n| format!("*** Update File: d{n}/f\n*** Move to: e{n}/f\n@@\n-a\n+b\n")),
                "",
            )
        }),
        Row::new("Delete, a directory with them", |place, size| {
            (0..size).try_for_each(|n| place.write(&format!("all/d{n}/f"), "a\n"))?;
            place.call("Delete", json!({"file_path": "all", "recursive": true}), "Deleted")
        }),
        Row::new("Delete, then undo", |place, size| {
            (0..size).try_for_each(|n| place.write(&format!("all/d{n}/f"), "a\n"))?;
            place.call("Delete", json!({"file_path": "all", "recursive": true}), "Deleted")?()?;
            place.call("Undo", json!({}), "")
        }),
    ],
};
