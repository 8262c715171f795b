//! Trees of files and directories.

use std::fmt::Write as _;
use std::fs;

use serde_json::json;
use toolcrib::{Config, Toolbox};

use crate::Result;
use crate::place::{Act, Place, call, kept, lines};
use crate::row::{Ground, Row, Sizes};

/// 50 files in a directory, and 50 directories in a directory.
pub(crate) const FILES: Ground = Ground {
    what: "files in the tree",
    sizes: Sizes::new(1000, 64_000).full(1_024_000),
    grow: |place, from, size| {
        let text = lines(4);
        (from..size).try_for_each(|n| {
            let rare = if n % 1000 == 7 { "a rare word\n" } else { "" };
            place.write(&format!("t/d{}/d{}/name{n}.rs", n / 2500, n / 50), format!("{text}{rare}"))
        })
    },
    rows: &[
        Row::flat("LS, recursive, 1,000 entries", |place, _| {
            place.call("LS", json!({"recursive": true, "limit": 1000}), "name")
        }),
        Row::flat("LS, 2 levels", |place, _| place.call("LS", json!({"recursive": true, "depth": 2}), "d0")),
        Row::flat("Glob, 100 of all", |place, _| {
            place.call("Glob", json!({"pattern": "**/*.rs", "limit": 100}), "name")
        }),
        Row::flat("Glob, one file", |place, _| {
            place.call("Glob", json!({"pattern": "**/name77.rs"}), "name77.rs")
        }),
        Row::flat("Glob, no file", |place, _| place.call("Glob", json!({"pattern": "**/nowhere*.rs"}), "")),
        Row::flat("Grep, 100 of all files", |place, _| {
            place.call("Grep", json!({"pattern": "a text", "head_limit": 100}), "name")
        }),
        Row::flat("Grep, 100 lines by relevance", |place, _| {
            let arguments = json!({"pattern": "a text", "output_mode": "content", "head_limit": 100, "sort": "relevance"});
            place.call("Grep", arguments, "name")
        }),
        Row::flat("Grep, 100 lines by time", |place, _| {
            let arguments =
                json!({"pattern": "a text", "output_mode": "content", "head_limit": 100, "sort": "modified"});
            place.call("Grep", arguments, "name")
        }),
        Row::flat("Grep, count", |place, _| {
            place.call("Grep", json!({"pattern": "rare", "output_mode": "count", "head_limit": 10}), "name")
        }),
        Row::flat("Grep, no match", |place, _| place.call("Grep", json!({"pattern": "nowhere in them"}), "")),
        Row::flat("Grep, one subdirectory", |place, _| {
            place.call("Grep", json!({"pattern": "a text", "path": "t/d0/d0"}), "name")
        }),
        Row::new("the index is built", |place, _| {
            let state = place.beside("index-state");
            _ = fs::remove_dir_all(&state);
            let toolbox = with_index(place)?;
            Ok(Box::new(move || {
                toolbox.warm_up();
                Ok(())
            }))
        }),
        Row::new("Grep with the index, a rare word", |place, _| {
            after_warming(place, |toolbox| call(toolbox, "Grep", json!({"pattern": "rare"}), "name"))
        }),
        Row::new("Grep with the index, 100 of all files", |place, _| {
            after_warming(place, |toolbox| {
                call(toolbox, "Grep", json!({"pattern": "a text", "head_limit": 100}), "name")
            })
        }),
        Row::new("Grep with the index, no match", |place, _| {
            after_warming(place, |toolbox| call(toolbox, "Grep", json!({"pattern": "nowhere in them"}), ""))
        }),
        Row::new("Glob with the index, 100 of all", |place, _| {
            after_warming(place, |toolbox| {
                call(toolbox, "Glob", json!({"pattern": "**/*.rs", "limit": 100}), "name")
            })
        }),
        Row::new("Glob with the index, one file", |place, _| {
            after_warming(place, |toolbox| {
                call(toolbox, "Glob", json!({"pattern": "**/name77.rs"}), "name77.rs")
            })
        }),
        Row::flat("Read, one file", |place, _| {
            place.call("Read", json!({"file_path": "t/d0/d0/name7.rs"}), "rare")
        }),
        Row::flat("Read, a name that is not there", |place, _| {
            place.call("Read", json!({"file_path": "name7.rs"}), "")
        }),
        Row::flat("Move, the tree", |place, _| {
            _ = fs::rename(place.path("moved"), place.path("t"));
            let back = (place.path("moved"), place.path("t"));
            let act = place.call("Move", json!({"from": "t", "to": "moved"}), "Moved")?;
            Ok(Box::new(move || {
                act()?;
                Ok(fs::rename(back.0, back.1)?)
            }))
        }),
        Row::flat("toolcrib doctor", |place, _| place.command(&["doctor"])),
        Row::new("Delete, a directory with all of them", |place, size| {
            let text = lines(4);
            for n in 0..size {
                place.write(&format!("gone/d{}/d{}/name{n}.rs", n / 2500, n / 50), &text)?;
            }
            place.call("Delete", json!({"file_path": "gone", "recursive": true}), "")
        })
        .up_to(16_000),
    ],
};

fn with_index(place: &Place) -> Result<Toolbox> {
    let (config, state) = (Config::parse("")?, place.beside("index-state"));
    Ok(kept(Toolbox::builder().root(place.root()).config(config).journal_in(state).open()?))
}

fn after_warming(place: &Place, run: fn(&Toolbox) -> Result<()>) -> Result<Act> {
    let toolbox = with_index(place)?;
    toolbox.warm_up();
    // What the thread that builds it is still at does not belong to the call.
    run(&toolbox)?;
    std::thread::sleep(std::time::Duration::from_millis(100));
    Ok(Box::new(move || run(&toolbox)))
}

/// One directory.
pub(crate) const ENTRIES: Ground = Ground {
    what: "entries of one directory",
    sizes: Sizes::new(1000, 64_000).full(1_024_000),
    grow: |place, from, size| {
        (from..size).try_for_each(|n| place.write(&format!("name{n}.rs"), "one line\n"))
    },
    rows: &[
        Row::new("LS", |place, _| place.call("LS", json!({}), "name")),
        Row::new("Glob, 100 of all", |place, _| {
            place.call("Glob", json!({"pattern": "*.rs", "limit": 100}), "name")
        }),
        Row::new("Grep, no match", |place, _| place.call("Grep", json!({"pattern": "nowhere in them"}), "")),
        Row::flat("Read, one file", |place, _| place.call("Read", json!({"file_path": "name7.rs"}), "line")),
        Row::flat("Read, a name that is nearly there", |place, _| {
            place.call("Read", json!({"file_path": "nmae7.rs"}), "")
        }),
        Row::flat("Edit", |place, _| {
            place.write("name7.rs", "one line\n")?;
            place.call("Edit", json!({"file_path": "name7.rs", "old_string": "one", "new_string": "a"}), "")
        }),
        Row::flat("Write, a new file", |place, _| {
            _ = fs::remove_file(place.path("new.rs"));
            place.call("Write", json!({"file_path": "new.rs", "content": "x\n"}), "")
        }),
    ],
};

/// A directory in a directory in a directory.
pub(crate) const DEPTH: Ground = Ground {
    what: "directories in each other",
    sizes: Sizes::new(16, 1024),
    grow: |place, _, size| place.write(&format!("{}file.rs", "d/".repeat(size)), "one line\n"),
    rows: &[
        Row::new("Read", |place, size| place.call("Read", json!({"file_path": deep(size)}), "line")),
        Row::new("Edit", |place, size| {
            place.write(&deep(size), "one line\n")?;
            place.call("Edit", json!({"file_path": deep(size), "old_string": "one", "new_string": "a"}), "")
        }),
        Row::new("Write, in new directories", |place, size| {
            _ = fs::remove_dir_all(place.path("n"));
            place.call(
                "Write",
                json!({"file_path": format!("n/{}file.rs", "d/".repeat(size - 1)), "content": "x\n"}),
                "",
            )
        }),
        Row::new("MakeDirectory", |place, size| {
            _ = fs::remove_dir_all(place.path("m"));
            place.call("MakeDirectory", json!({"path": format!("m/{}", "d/".repeat(size - 1))}), "")
        }),
        Row::new("Delete, recursive", |place, size| {
            _ = fs::remove_dir_all(place.path("x"));
            place.write(&format!("x/{}file.rs", "d/".repeat(size - 1)), "one line\n")?;
            place.call("Delete", json!({"file_path": "x", "recursive": true}), "Deleted")
        }),
        Row::new("LS, recursive", |place, _| {
            place.call("LS", json!({"recursive": true, "depth": 10_000}), "d/")
        }),
        Row::new("Glob", |place, _| place.call("Glob", json!({"pattern": "**/file.rs"}), "file.rs")),
        Row::new("Glob, two stars twice", |place, _| {
            place.call("Glob", json!({"pattern": "**/d/**/d/**/file.rs"}), "file.rs")
        }),
        Row::new("Grep", |place, _| place.call("Grep", json!({"pattern": "line"}), "file.rs")),
    ],
};

fn deep(size: usize) -> String {
    format!("{}file.rs", "d/".repeat(size))
}

/// An ignore file.
pub(crate) const IGNORE_RULES: Ground = Ground {
    what: "lines of .gitignore",
    sizes: Sizes::new(64, 8 << 10).full(32 << 10),
    grow: |place, from, size| {
        if from == 0 {
            (0..2000).try_for_each(|n| place.write(&format!("d{}/name{n}.rs", n / 100), "one line\n"))?;
            fs::create_dir_all(place.path(".git"))?;
        }
        let mut rules = String::new();
        for n in 0..size {
            _ = match n % 4 {
                0 => writeln!(rules, "nowhere{n}.txt"),
                1 => writeln!(rules, "*.ext{n}"),
                2 => writeln!(rules, "/build{n}/"),
                _ => writeln!(rules, "some/**/dir{n}*"),
            };
        }
        place.write(".gitignore", rules)
    },
    rows: &[
        Row::new("Glob", |place, _| place.call("Glob", json!({"pattern": "**/name7.rs"}), "name7.rs")),
        Row::new("Grep", |place, _| place.call("Grep", json!({"pattern": "nowhere in them"}), "")),
        Row::new("LS, recursive", |place, _| place.call("LS", json!({"recursive": true}), "name")),
    ],
};

/// Names of one file.
pub(crate) const LINKS: Ground = Ground {
    what: "names of a file (hard links)",
    sizes: Sizes::new(64, 8 << 10).full(32 << 10),
    grow: |place, from, size| {
        if from == 0 {
            place.write("name0.rs", "one line\n")?;
        }
        (from.max(1)..size)
            .try_for_each(|n| Ok(fs::hard_link(place.path("name0.rs"), place.path(&format!("name{n}.rs")))?))
    },
    rows: &[
        Row::new("Read", |place, _| place.call("Read", json!({"file_path": "name7.rs"}), "line")),
        Row::new("Edit", |place, _| {
            fs::remove_file(place.path("name7.rs"))?;
            fs::hard_link(place.path("name0.rs"), place.path("name7.rs"))?;
            place.call("Edit", json!({"file_path": "name7.rs", "old_string": "one", "new_string": "a"}), "")
        }),
        Row::new("Grep", |place, _| place.call("Grep", json!({"pattern": "nowhere in them"}), "")),
        Row::new("Glob, 100 of all", |place, _| {
            place.call("Glob", json!({"pattern": "*.rs", "limit": 100}), "name")
        }),
        Row::new("LS", |place, _| place.call("LS", json!({}), "name")),
    ],
};
