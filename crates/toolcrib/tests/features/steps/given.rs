//! How things stand before.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime};

use toolcrib::{Decision, Dialect};

use super::{Sentence, Words};
use crate::text::rows;
use crate::tools::tool;
use crate::world::{World, exists};

pub(super) const SENTENCES: &[Sentence] = &[
    // Where the agent works.
    ("the workspace \"PATH\"", |world, words| workspace(world, words, Dialect::Standard)),
    ("the workspace \"PATH\" in the ekacode dialect", |world, words| {
        workspace(world, words, Dialect::Ekacode);
    }),
    ("the rules:", |world, words| world.rules = words.below(world)),
    ("the person who is asked says \"TEXT\"", |world, words| {
        world.answer = Some(match words.text(0).as_str() {
            "once" => Decision::Once,
            "always" => Decision::Always,
            "no" => Decision::No(None),
            reason => Decision::No(Some(reason.to_owned())),
        });
    }),
    ("the tool WORD of the tests", |world, words| world.own_tools.push(tool(&words.text(0)))),
    ("the agent is an ordinary user", |world, _| {
        world.ordinary = true;
        for root in &world.roots {
            fs::set_permissions(root, fs::Permissions::from_mode(0o777)).unwrap();
        }
    }),
    // Under which circumstances it calls.
    ("the calls are dry runs", |world, _| world.circumstances.dry_run = true),
    ("the calls are made", |world, _| world.circumstances.dry_run = false),
    ("the session \"TEXT\"", |world, words| {
        world.circumstances.session = Some(words.text(0));
    }),
    ("the agent \"TEXT\"", |world, words| world.circumstances.agent = Some(words.text(0))),
    ("the working directory \"PATH\"", |world, words| {
        world.make_directory(&words.text(0));
        world.circumstances.working_dir = Some(world.path(&words.text(0)));
    }),
    ("a time limit of N milliseconds", |world, words| {
        world.circumstances.timeout = Some(milliseconds(words));
    }),
    ("the caller cancels calls after N milliseconds", |world, words| {
        world.circumstances.cancelled_after = Some(milliseconds(words));
    }),
    ("an output of at most N bytes", |world, words| {
        world.circumstances.max_output_size = Some(words.number(0));
    }),
    // What is on the disk.
    ("a file \"PATH\" with \"TEXT\"", |world, words| world.write(&words.text(0), words.text(1))),
    ("a file \"PATH\" with:", |world, words| world.write(&words.text(0), words.below(world) + "\n")),
    ("a file \"PATH\" with \"TEXT\" N times", |world, words| {
        world.write(&words.text(0), words.text(1).repeat(words.number(2)));
    }),
    ("a file \"PATH\" of N lines", |world, words| {
        let lines: String = (1..=words.number(1)).map(|line| format!("Line {line}\n")).collect();
        world.write(&words.text(0), lines);
    }),
    ("a file \"PATH\" of N lines with \"TEXT\" on line LIST", |world, words| {
        let marked = numbers(&words.text(3));
        let line = |line| if marked.contains(&line) { words.text(2) } else { format!("Line {line}") };
        world.write(&words.text(0), (1..=words.number(1)).map(|at| line(at) + "\n").collect::<String>());
    }),
    ("a file \"PATH\" with the bytes \"TEXT\"", |world, words| {
        let byte = |pair: &str| u8::from_str_radix(pair, 16).unwrap();
        world.write(&words.text(0), words.text(1).split(' ').map(byte).collect::<Vec<_>>());
    }),
    ("N files \"PATH\" with \"TEXT\"", |world, words| {
        for number in 1..=words.number(0) {
            world.write(&words.text(1).replace('#', &number.to_string()), words.text(2));
        }
    }),
    ("the files:", |world, words| {
        for row in rows(words.step) {
            world.write(&row[0], row.get(1).map_or("", String::as_str));
        }
    }),
    ("the files, the newest first:", |world, words| {
        let newest = SystemTime::now();
        for (row, age) in rows(words.step).zip(0..) {
            world.write(&row[0], row.get(1).map_or("", String::as_str));
            let file = fs::File::options().write(true).open(world.path(&row[0])).unwrap();
            file.set_modified(newest - Duration::from_secs(60 * age)).unwrap();
        }
    }),
    ("a directory \"PATH\"", |world, words| world.make_directory(&words.text(0))),
    ("a link \"PATH\" to \"PATH\"", |world, words| world.link(&words.text(0), &words.text(1))),
    ("nothing at \"PATH\"", |world, words| assert!(!exists(&world.path(&words.text(0))))),
    ("\"PATH\" is closed to ordinary users", |world, words| world.set_mode(&words.text(0), 0o700)),
    ("\"PATH\" may be run by all", |world, words| world.set_mode(&words.text(0), 0o755)),
];

fn workspace(world: &mut World, words: &Words<'_>, dialect: Dialect) {
    world.make_directory(&words.text(0));
    world.roots.push(world.path(&words.text(0)));
    world.dialect = dialect;
}

fn milliseconds(words: &Words<'_>) -> Duration {
    Duration::from_millis(words.number(0).try_into().unwrap())
}

/// `5, 10 and 15`.
fn numbers(list: &str) -> Vec<usize> {
    list.replace(" and ", ", ").split(", ").map(|number| number.parse().unwrap()).collect()
}
