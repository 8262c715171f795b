//! What the user has set up: rules, the size of the configuration, roots, sessions.

use std::fmt::Write as _;
use std::fs;

use serde_json::json;
use toolcrib::Toolbox;

use crate::Result;
use crate::place::{Act, Place, call};
use crate::row::{Ground, Row, Sizes};

fn tree(place: &Place) -> Result<()> {
    (0..1000).try_for_each(|n| place.write(&format!("d{}/name{n}.rs", n / 100), "one line\n"))
}

/// Rules of all kinds, up to the limit of 10,000.
pub(crate) const RULES: Ground = Ground {
    what: "rules",
    sizes: Sizes::new(150, 9600),
    grow: |place, from, size| {
        if from == 0 {
            tree(place)?;
        }
        let mut rules = String::new();
        for n in 0..size {
            let (kind, action) = (["read", "edit"][n % 2], ["deny", "allow", "ask"][n % 3]);
            let pattern = match n % 5 {
                0 => format!("**/secret{n}.txt"),
                1 => format!("private{n}/**"),
                2 => format!("**/*.ext{n}"),
                3 => format!("a{n}/*/b*/{{c,d}}.txt"),
                _ => format!("**/x*{n}*"),
            };
            _ = write!(
                rules,
                "[[rules]]\nkind = \"{kind}\"\naction = \"{action}\"\npattern = \"{pattern}\"\n"
            );
            if n % 10 == 0 {
                _ = writeln!(rules, "except = [\"**/public{n}/**\"]");
            }
        }
        place.configure(&rules)
    },
    rows: &[
        Row::new("opening", |place, _| open(place)),
        Row::new("Read", |place, _| place.call("Read", json!({"file_path": "d0/name7.rs"}), "line")),
        Row::new("Edit", |place, _| {
            place.write("d0/name7.rs", "one line\n")?;
            place.call(
                "Edit",
                json!({"file_path": "d0/name7.rs", "old_string": "one", "new_string": "a"}),
                "",
            )
        }),
        Row::new("Glob", |place, _| place.call("Glob", json!({"pattern": "**/*.rs"}), "name")),
        Row::new("Grep", |place, _| place.call("Grep", json!({"pattern": "nowhere in them"}), "")),
        Row::new("toolcrib rules", |place, _| place.command(&["rules"])),
        Row::new("toolcrib rules --json", |place, _| place.command(&["rules", "--json"])),
        Row::new("toolcrib doctor", |place, _| place.command(&["doctor"])),
    ],
};

/// What is measured is that a toolbox is opened.
fn open(place: &Place) -> Result<Act> {
    let (root, state) = (place.root(), place.beside("state/toolcrib"));
    Ok(Box::new(move || {
        let config = toolcrib::Config::load_default()?;
        let toolbox = Toolbox::builder()
            .root(root)
            .config(config)
            .journal_in(&state)
            .keep_sessions_in(&state)
            .open()?;
        drop(toolbox);
        Ok(())
    }))
}

/// A configuration that is mostly comments, up to the limit of 1 MB.
pub(crate) const COMMENTS: Ground = Ground {
    what: "bytes of the configuration",
    sizes: Sizes::new(8 << 10, 512 << 10),
    grow: |place, _, size| place.configure(&"# a comment that fills a line of the file\n".repeat(size / 42)),
    rows: &[
        Row::new("opening", |place, _| open(place)),
        Row::new("toolcrib rules", |place, _| place.command(&["rules"])),
    ],
};

/// Directories that the tools may reach.
pub(crate) const ROOTS: Ground = Ground {
    what: "roots",
    sizes: Sizes::new(16, 512),
    grow: |place, from, size| {
        (from..size).try_for_each(|n| {
            let root = place.beside(&format!("roots/r{n}"));
            fs::create_dir_all(&root)?;
            Ok(fs::write(root.join("name.rs"), "one line\n")?)
        })
    },
    rows: &[
        Row::new("opening", |place, size| {
            let roots: Vec<_> = (0..size).map(|n| place.beside(&format!("roots/r{n}"))).collect();
            let place = Place::at(&place.beside(""));
            Ok(Box::new(move || place.toolbox_on(&roots).map(drop)))
        }),
        Row::new("Read", |place, size| {
            on_roots(place, size, move |toolbox, last| {
                call(toolbox, "Read", json!({"file_path": last}), "line")
            })
        }),
        Row::new("Edit", |place, size| {
            fs::write(place.beside(&format!("roots/r{}/name.rs", size - 1)), "one line\n")?;
            on_roots(place, size, move |toolbox, last| {
                call(toolbox, "Edit", json!({"file_path": last, "old_string": "one", "new_string": "a"}), "")
            })
        }),
        Row::new("Glob, one root", |place, size| {
            on_roots(place, size, |toolbox, _| {
                call(toolbox, "Glob", json!({"pattern": "**/name.rs"}), "name")
            })
        }),
        Row::new("Read, outside", |place, size| {
            on_roots(place, size, |toolbox, _| {
                call(toolbox, "Read", json!({"file_path": "/etc/nowhere"}), "")
            })
        }),
    ],
};

/// Something with the last of the roots.
fn on_roots(
    place: &Place,
    size: usize,
    run: impl FnOnce(&Toolbox, std::path::PathBuf) -> Result<()> + 'static,
) -> Result<Act> {
    let roots: Vec<_> = (0..size).map(|n| place.beside(&format!("roots/r{n}"))).collect();
    let toolbox = place.toolbox_on(&roots)?;
    let last = place.beside(&format!("roots/r{}/name.rs", size - 1));
    Ok(Box::new(move || run(&toolbox, last)))
}

/// Files that one session has read.
pub(crate) const FILES_READ: Ground = Ground {
    what: "files that a session has read",
    sizes: Sizes::new(250, 16_000).full(64_000),
    grow: |place, from, size| {
        let toolbox = place.toolbox()?;
        (from..size).try_for_each(|n| {
            let name = format!("d{}/name{n}.rs", n / 100);
            place.write(&name, "one line\n")?;
            call(&toolbox, "Read", json!({"file_path": name}), "line")
        })
    },
    rows: &[
        Row::new("Read, in a new process", |place, _| {
            place.call("Read", json!({"file_path": "d0/name7.rs"}), "line")
        }),
        Row::new("Edit, in a new process", |place, _| {
            place.write("d0/name7.rs", "one line\n")?;
            place.call(
                "Edit",
                json!({"file_path": "d0/name7.rs", "old_string": "one", "new_string": "a"}),
                "",
            )
        }),
        Row::new("Delete, a directory that was read", |place, size| {
            let toolbox = place.toolbox()?;
            for n in 0..size {
                let name = format!("gone/d{}/name{n}.rs", n / 100);
                place.write(&name, "one line\n")?;
            }
            Ok(Box::new(move || {
                call(&toolbox, "Delete", json!({"file_path": "gone", "recursive": true}), "")
            }))
        })
        .up_to(8_000),
    ],
};

/// Sessions that have read a file.
pub(crate) const SESSIONS: Ground = Ground {
    what: "sessions",
    sizes: Sizes::new(125, 8_000).full(64_000),
    grow: |place, from, size| {
        place.write("name.rs", "one line\n")?;
        let toolbox = place.toolbox()?;
        (from..size).try_for_each(|n| {
            let context = toolbox.context().session(format!("session{n}"));
            let result = toolbox.call_blocking("Read", json!({"file_path": "name.rs"}), &context);
            if result.success { Ok(()) } else { Err(result.to_display().into()) }
        })
    },
    rows: &[
        Row::flat("opening", |place, _| open(place)),
        Row::flat("Read, in a new session", |place, _| {
            place.call("Read", json!({"file_path": "name.rs"}), "line")
        }),
        Row::flat("toolcrib doctor", |place, _| place.command(&["doctor"])),
        Row::new("sessions that begin in one process", |place, size| {
            let toolbox = place.toolbox()?;
            Ok(Box::new(move || {
                (0..size).try_for_each(|n| {
                    let context = toolbox.context().session(format!("other{n}"));
                    let result = toolbox.call_blocking("Read", json!({"file_path": "name.rs"}), &context);
                    if result.success { Ok(()) } else { Err(result.to_display().into()) }
                })
            }))
        }),
    ],
};
