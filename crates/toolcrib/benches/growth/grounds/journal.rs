//! Changes in the journal.

use serde_json::json;

use crate::Result;
use crate::place::{Act, Place, call};
use crate::row::{Ground, Row, Sizes};

/// Edits of 1,000 files in turn.
pub(crate) const CHANGES: Ground = Ground {
    what: "changes in the journal",
    sizes: Sizes::new(500, 16_000).full(128_000),
    grow: |place, from, size| {
        let toolbox = place.toolbox()?;
        (from..size).try_for_each(|n| {
            let content = format!("what change {n} has written\n");
            call(
                &toolbox,
                "Write",
                json!({"file_path": format!("name{}.rs", n % 1000), "content": content}),
                "",
            )
        })
    },
    rows: &[
        Row::flat("opening", |place, _| {
            let place = Place::at(&place.beside(""));
            Ok(Box::new(move || place.toolbox().map(drop)))
        }),
        Row::flat("Read", |place, _| place.call("Read", json!({"file_path": "name7.rs"}), "what")),
        Row::flat("Edit", |place, _| {
            place.write("other.rs", "one line\n")?;
            place.call("Edit", json!({"file_path": "other.rs", "old_string": "one", "new_string": "a"}), "")
        }),
        Row::flat("Undo, the latest", |place, _| {
            place.write("other.rs", "one line\n")?;
            place.call(
                "Edit",
                json!({"file_path": "other.rs", "old_string": "one", "new_string": "a"}),
                "",
            )?()?;
            place.call("Undo", json!({}), "")
        }),
        Row::flat("toolcrib undo, the latest", |place, _| {
            edited(place)?;
            place.command(&["undo"])
        }),
        Row::flat("toolcrib redo", |place, _| {
            edited(place)?;
            place.command(&["undo"])?()?;
            place.command(&["redo"])
        }),
        Row::flat("toolcrib undo, the oldest that can be", |place, size| {
            let number = size.saturating_sub(999).max(1).to_string();
            place.command(&["undo", "--dry-run", &number])
        }),
        Row::flat("toolcrib log", |place, _| place.command(&["log"])),
        Row::flat("toolcrib log, one change", |place, size| place.command(&["log", &(size / 2).to_string()])),
        Row::flat("toolcrib log, one session", |place, _| place.command(&["log", "--session", "nobody"])),
        Row::new("toolcrib log, all without diffs", |place, _| {
            place.command(&["log", "--brief", "--limit", "1000000"])
        }),
        Row::new("toolcrib log, all with diffs", |place, _| place.command(&["log", "--limit", "1000000"])),
        Row::new("toolcrib log, all as JSON", |place, _| {
            place.command(&["log", "--json", "--limit", "1000000"])
        }),
        Row::flat("toolcrib doctor", |place, _| place.command(&["doctor"])),
        Row::flat("toolcrib doctor --journal", |place, _| place.command(&["doctor", "--journal"])),
        Row::new("undo, again and again", |place, _| again(place, 1)),
        Row::new("undo and redo of an old change, 50 times", |place, _| again(place, 50)),
    ],
};

/// The latest change is one of this.
fn edited(place: &Place) -> Result<()> {
    place.write("other.rs", "one line\n")?;
    place.call("Edit", json!({"file_path": "other.rs", "old_string": "one", "new_string": "a"}), "")?()
}

/// Undoes and makes again what was last written to a file.
fn again(place: &Place, times: usize) -> Result<Act> {
    edited(place)?;
    let toolbox = place.toolbox()?;
    Ok(Box::new(move || {
        (0..times).try_for_each(|_| {
            call(&toolbox, "Undo", json!({}), "")?;
            call(&toolbox, "Undo", json!({"redo": true}), "")
        })
    }))
}
