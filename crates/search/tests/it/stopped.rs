//! A search ends when it is stopped, wherever it is, and what it keeps in memory has a bound.

use std::sync::atomic::{AtomicUsize, Ordering};

use toolcrib_search::{
    Context, Everything, Lines, Outcome, Query, QueryOptions, Sorted, Step, WalkOptions, Wanted, lines,
    walk_sorted,
};

use crate::support::World;

fn query(pattern: &str) -> Query {
    Query::new(pattern, QueryOptions::default()).unwrap()
}

fn wanted(context: Context, room: usize) -> Wanted {
    Wanted { context, skip: 0, most: 1000, room, line_cost: 16, line_length: 500 }
}

fn found(
    content: &str,
    pattern: &str,
    wanted: Wanted,
    stop: &dyn toolcrib_search::Stop,
) -> Result<Lines, Outcome> {
    let world = World::at("ws");
    world.write("file", content);
    lines(&std::fs::File::open(world.root().join("file")).unwrap(), &query(pattern), wanted, stop)
}

#[test]
fn lines_around_a_match_take_no_more_room_than_there_is() {
    let content = "before\n".repeat(10_000) + "match\n" + &"after\n".repeat(10_000);
    let found =
        found(&content, "match", wanted(Context::new(1_000_000, 1_000_000), 10_000), &|| false).unwrap();
    let size: usize = found.lines.iter().map(|line| line.text.len() + 16).sum();
    assert!((5000..25_000).contains(&size), "{size}");
    assert_eq!(found.matches, 1);
    let at = found.lines.iter().position(|line| line.matches).unwrap();
    assert!(at > 100 && found.lines[at - 1].number + 1 == found.lines[at].number);
}

#[test]
fn lines_that_do_not_match_are_left_when_it_is_stopped() {
    // No line matches, so no sink is ever asked; each line is some work.
    let content = format!("{}\n", "a".repeat(200)).repeat(2000);
    for pattern in ["(?<=b)a", r"(a+)+\1b", "(?:a|b){3,100}c"] {
        let asked = AtomicUsize::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= 3;
        assert_eq!(
            found(&content, pattern, wanted(Context::new(0, 0), 1000), &stop),
            Err(Outcome::Stopped),
            "{pattern}"
        );
        assert!(asked.load(Ordering::Relaxed) < 20, "{pattern}");
    }
}

#[test]
fn a_large_directory_is_left_in_the_middle() {
    let world = World::at("ws");
    for file in 0..9000 {
        world.write(&format!("{file:05}"), "");
    }
    let start = world.start(".", usize::MAX, true).unwrap();
    // It is asked while it reads the names: none of them is looked at then.
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) >= 1;
    let mut seen = 0;
    let walked = walk_sorted(&start, &WalkOptions::default(), Sorted::ByPath, &Everything, &stop, |_| {
        seen += 1;
        Step::Pass
    });
    assert!(walked.stopped);
    assert_eq!(seen, 0);
}
