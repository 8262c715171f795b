//! The walk in order.

use std::fs;

use toolcrib_search::{Everything, Exclude, Sorted, Step, WalkOptions, walk_sorted};

use crate::support::{HANDLES, World, open_handles};

fn paths(world: &World, options: &WalkOptions, sorted: Sorted) -> Vec<String> {
    let start = world.start(".", 0, false).unwrap();
    let mut paths = Vec::new();
    let walked = walk_sorted(&start, options, sorted, &Everything, &|| false, |entry| {
        paths.push(entry.path().to_str().unwrap().to_owned());
        if entry.is_excluded() { Step::Pass } else { Step::Enter }
    });
    assert_eq!((walked.unreadable, walked.stopped), (0, false));
    paths
}

#[test]
fn directories_come_first_and_each_before_what_is_in_it() {
    let world = World::with(["b.txt", "a.txt", "z/2", "z/1", "z/y/3", "m/4"]);
    let found = paths(&world, &WalkOptions::default(), Sorted::DirectoriesFirst);
    assert_eq!(found, ["m", "m/4", "z", "z/y", "z/y/3", "z/1", "z/2", "a.txt", "b.txt"]);
}

#[test]
fn by_path_is_the_order_of_whole_paths() {
    let world = World::with(["a.txt", "a/b", "a-b/c", "a0", "B", "a/b.c/d", "a/b-c"]);
    let found = paths(&world, &WalkOptions::default(), Sorted::ByPath);
    let mut files: Vec<_> = found.iter().filter(|path| world.root().join(path).is_file()).collect();
    let as_walked = files.clone();
    files.sort();
    assert_eq!(as_walked, files);
    assert_eq!(files.len(), 7);
}

#[test]
fn rules_and_depth_hold_and_excluded_directories_are_shown() {
    let world = World::with(["a.log", "src/b", "src/deep/c", "node_modules/d", ".git/e", ".hid"]);
    world.write(".gitignore", "*.log\n");
    let found = paths(&world, &WalkOptions::default(), Sorted::DirectoriesFirst);
    assert_eq!(found, ["node_modules", "src", "src/deep", "src/deep/c", "src/b"]);
    let exclude = Exclude::new(["deep"]).unwrap();
    let options = WalkOptions { hidden: true, depth: Some(1), exclude };
    let found = paths(&world, &options, Sorted::DirectoriesFirst);
    assert_eq!(found, [".git", "node_modules", "src", "src/b", ".gitignore", ".hid"]);
}

#[test]
fn it_ends_when_it_is_told_to() {
    let world = World::with(["a", "b", "c"]);
    let start = world.start(".", 0, false).unwrap();
    let mut seen = 0;
    walk_sorted(&start, &WalkOptions::default(), Sorted::ByPath, &Everything, &|| false, |_| {
        seen += 1;
        if seen == 2 { Step::End } else { Step::Enter }
    });
    assert_eq!(seen, 2);
    (0..100).for_each(|n| world.write(&format!("{n}"), ""));
    let start = world.start(".", 0, false).unwrap();
    let walked =
        walk_sorted(&start, &WalkOptions::default(), Sorted::ByPath, &Everything, &|| true, |_| Step::Enter);
    assert!(walked.stopped);
}

#[test]
fn a_deep_tree_does_not_use_up_the_handles() {
    let _alone = HANDLES.lock();
    let world = World::at("ws");
    let mut directory = world.root().to_owned();
    for _ in 0..500 {
        fs::write(directory.join("f"), "").unwrap();
        directory.push("d");
        fs::create_dir(&directory).unwrap();
    }
    let start = world.start(".", 0, false).unwrap();
    let (mut files, mut most) = (0, 0);
    walk_sorted(&start, &WalkOptions::default(), Sorted::DirectoriesFirst, &Everything, &|| false, |entry| {
        if entry.depth() % 50 == 0 {
            most = most.max(open_handles());
        }
        files += usize::from(entry.name() == "f");
        Step::Enter
    });
    assert_eq!(files, 500);
    assert!(most < 430, "{most} handles");
}
