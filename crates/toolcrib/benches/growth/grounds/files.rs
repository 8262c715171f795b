//! One file that gets larger.

use serde_json::json;

use crate::place::{LINE, line, lines, numbered};
use crate::row::{Ground, Row, Sizes};

const MIB: usize = 1 << 20;
/// A larger file is not changed.
const CHANGED: usize = 256 * MIB;

/// A text of many lines, of which little is shown or changed.
pub(crate) const FILE_SIZE: Ground = Ground {
    what: "bytes of a file",
    sizes: Sizes::new(2 * MIB, 128 * MIB).full(1024 * MIB),
    grow: |place, _, size| place.keep("large.txt", lines(size / LINE)),
    rows: &[
        Row::flat("Read, the first page", |place, _| {
            place.call("Read", json!({"file_path": "large.txt"}), "line          9 of")
        }),
        Row::flat("Read, 10 lines in the middle", |place, size| {
            place.call(
                "Read",
                json!({"file_path": "large.txt", "offset": size / LINE / 2, "limit": 10}),
                "of a text",
            )
        }),
        Row::flat("Read, the last 10 lines", |place, _| {
            place.call("Read", json!({"file_path": "large.txt", "tail": 10}), "of a text")
        }),
        Row::flat("Stat", |place, _| place.call("Stat", json!({"path": "large.txt"}), "file")),
        Row::new("Edit, exact", |place, size| {
            let old = line(size / LINE / 2);
            place.change(
                "large.txt",
                "Edit",
                json!({"file_path": "large.txt", "old_string": old, "new_string": "x\n"}),
                "",
            )
        })
        .up_to(CHANGED),
        Row::new("Edit, other spaces", |place, size| {
            let old = line(size / LINE / 2).replace(" of a text", "\tof a  text");
            place.change(
                "large.txt",
                "Edit",
                json!({"file_path": "large.txt", "old_string": old, "new_string": "x\n"}),
                "",
            )
        })
        .up_to(CHANGED),
        Row::new("Edit, text that is not there", |place, size| {
            let old = line(size / LINE / 2).replace("text", "txet");
            place.change(
                "large.txt",
                "Edit",
                json!({"file_path": "large.txt", "old_string": old, "new_string": "x\n"}),
                "closest",
            )
        })
        .up_to(CHANGED),
        Row::new("MultiEdit, 10 edits", |place, size| {
            let edits: Vec<_> = (1..=10)
                .map(|part| json!({"old_string": line(size / LINE / 11 * part), "new_string": "x\n"}))
                .collect();
            place.change("large.txt", "MultiEdit", json!({"file_path": "large.txt", "edits": edits}), "")
        })
        .up_to(CHANGED),
        Row::new("Insert", |place, size| {
            let at = size / LINE / 2;
            place.change(
                "large.txt",
                "Insert",
                json!({"file_path": "large.txt", "line": at, "content": "x\n"}),
                "",
            )
        })
        .up_to(CHANGED),
        Row::new("ApplyPatch, 1 hunk", |place, size| {
            let at = size / LINE / 2;
            let patch = format!(
                "--- a/large.txt\n+++ b/large.txt\n@@ -{},1 +{},1 @@\n-{}+x\n",
                at + 1,
                at + 1,
                line(at)
            );
            place.change("large.txt", "ApplyPatch", json!({"patch_text": patch}), "")
        })
        .up_to(CHANGED),
        Row::flat("Move", |place, _| {
            _ = std::fs::remove_file(place.path("moved.txt"));
            place.change("large.txt", "Move", json!({"from": "large.txt", "to": "moved.txt"}), "")
        })
        .up_to(CHANGED),
        Row::new("Delete", |place, _| {
            place.change("large.txt", "Delete", json!({"file_path": "large.txt"}), "Deleted")
        })
        .up_to(CHANGED),
        Row::flat("Grep, no match", |place, _| {
            place.restore("large.txt")?;
            let large = 1_u64 << 40;
            place.call("Grep", json!({"pattern": "nowhere in it", "path": ".", "max_file_size": large}), "")
        }),
        Row::flat("Grep, 100 of all lines", |place, _| {
            let large = 1_u64 << 40;
            let arguments = json!({
                "pattern": "a text", "path": ".", "output_mode": "content", "head_limit": 100, "max_file_size": large,
            });
            place.call("Grep", arguments, "a text")
        }),
        Row::flat("Grep, count", |place, _| {
            let large = 1_u64 << 40;
            let arguments =
                json!({"pattern": "a text", "path": ".", "output_mode": "count", "max_file_size": large});
            place.call("Grep", arguments, "large.txt")
        }),
        Row::new("Grep, across lines", |place, _| {
            let large = 1_u64 << 40;
            let arguments = json!({
                "pattern": "little\nline +77 ", "path": ".", "multiline": true, "output_mode": "content",
                "max_file_size": large,
            });
            place.call("Grep", arguments, "line         77")
        }),
    ],
};

/// A file whose whole content crosses the border.
pub(crate) const WHOLE_FILE: Ground = Ground {
    what: "bytes that are written or shown",
    sizes: Sizes::new(64 << 10, 8 * MIB),
    grow: |place, from, size| {
        place.keep("old.txt", lines(size / LINE))?;
        place.write(&format!("many/{from}.txt"), numbered(from / LINE..size / LINE))
    },
    rows: &[
        Row::new("Write, a new file", |place, size| {
            _ = std::fs::remove_file(place.path("new.txt"));
            place.call("Write", json!({"file_path": "new.txt", "content": lines(size / LINE)}), "")
        }),
        Row::new("Write over other text", |place, size| {
            let content = numbered(size / LINE..size / LINE * 2);
            place.change("old.txt", "Write", json!({"file_path": "old.txt", "content": content}), "")
        }),
        Row::new("Write over the same text with a change in each line", |place, size| {
            let content = lines(size / LINE).replace("long", "short");
            place.change("old.txt", "Write", json!({"file_path": "old.txt", "content": content}), "")
        }),
        Row::new("Write over the same lines in reverse", |place, size| {
            let content: String = (0..size / LINE).rev().map(line).collect();
            place.change("old.txt", "Write", json!({"file_path": "old.txt", "content": content}), "")
        }),
        Row::new("Edit, replace_all in each line", |place, _| {
            let arguments = json!({"file_path": "old.txt", "old_string": "long", "new_string": "short", "replace_all": true});
            place.change("old.txt", "Edit", arguments, "")
        }),
        Row::new("Read, up to 10,000 lines from the middle", |place, size| {
            let middle = size / LINE / 2;
            place.restore("old.txt")?;
            place.call(
                "Read",
                json!({"file_path": "old.txt", "offset": middle, "limit": 10_000}),
                "of a text",
            )
        }),
        Row::new("ReadMany", |place, _| {
            let mut names = Vec::new();
            for entry in std::fs::read_dir(place.path("many"))? {
                names.push(entry?.path());
            }
            place.call("ReadMany", json!({"file_paths": names}), "of a text")
        }),
    ],
};
