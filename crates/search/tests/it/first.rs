//! A first page by path comes early: where the first files have enough for it, the others are not searched.

use toolcrib_search::{
    Enough, Everything, GrepOptions, Include, Query, QueryOptions, Sort, Tally, WalkOptions, grep,
};

use crate::support::World;

/// 3,000 files; every `nth` says `needle` twice.
fn world(nth: usize) -> World {
    let world = World::at("ws");
    for n in 0..3_000 {
        let says = if n % nth == 0 { "needle\nneedle\n" } else { "hay\n" };
        world.write(&format!("{:02}/{n:04}", n / 100), says);
    }
    world
}

fn search(world: &World, sort: Sort, enough: Option<Enough>) -> Tally {
    let options = GrepOptions {
        without: false,
        include: Include::new([]).unwrap(),
        types: None,
        max_file_size: u64::MAX,
        sort,
        most: 100,
        enough,
        threads: 2,
    };
    let query = Query::new("needle", QueryOptions::default()).unwrap();
    let start = world.start(".", usize::MAX, false).unwrap();
    grep(&start, &query, &WalkOptions::default(), &options, &Everything, &|| false)
}

/// The first files of an early answer are those of the whole one.
fn same_first_files(early: &Tally, whole: &Tally) {
    let files = early.files.len();
    assert!(files > 0);
    assert_eq!(early.files, whole.files[..files]);
}

#[test]
fn what_is_common_is_found_in_the_first_files() {
    let world = world(3);
    let whole = search(&world, Sort::Path, None);
    assert_eq!((whole.searched, whole.matches, whole.matching, whole.early), (3_000, 2_000, 1_000, false));
    for (enough, searched) in [
        (Enough::Matches(100), 151), // More than the first hundred files have.
        (Enough::Matches(10), 16),
        (Enough::Files(99), 298),
        (Enough::Files(0), 1),
    ] {
        let early = search(&world, Sort::Path, Some(enough));
        assert_eq!((early.searched, early.early), (searched, true), "{enough:?}");
        same_first_files(&early, &whole);
    }
}

#[test]
fn what_is_rare_is_not_waited_for_in_order() {
    for nth in [700, 5_000] {
        let world = world(nth);
        let whole = search(&world, Sort::Path, None);
        assert_eq!(whole.searched, 3_000);
        assert_eq!(search(&world, Sort::Path, Some(Enough::Matches(100))), whole);
        assert_eq!(search(&world, Sort::Path, Some(Enough::Files(100))), whole);
    }
}

/// Files that are no text are looked at too, and large ones take as long as many small ones.
#[test]
fn other_files_and_large_ones_are_not_gone_over_in_order() {
    for (name, content, files) in [("0", vec![0_u8; 100], 200), ("0", vec![b'x'; 9 << 20], 8)] {
        let world = world(3);
        (0..files).for_each(|n| world.write(&format!("{name}/{n}"), &content));
        let enough = Some(Enough::Matches(100));
        let whole = search(&world, Sort::Path, enough);
        assert!(!whole.early, "{files}");
        assert_eq!(whole, search(&world, Sort::Path, None));
    }
}

#[test]
fn what_is_all_there_is_was_counted() {
    let world = world(3);
    let all = search(&world, Sort::Path, Some(Enough::Matches(2_000)));
    assert_eq!(all, search(&world, Sort::Path, None));
}

#[test]
fn another_order_needs_all_files() {
    let world = world(3);
    for sort in [Sort::Relevance, Sort::Modified] {
        let whole = search(&world, sort, Some(Enough::Matches(10)));
        assert_eq!((whole.searched, whole.early), (3_000, false));
    }
}
