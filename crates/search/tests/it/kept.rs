//! What an index keeps between two runs: whatever happens to it, answers are those of a search.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use toolcrib_index::{Index, Options, Status};
use toolcrib_search::{
    Everything, GrepOptions, Include, Query, QueryOptions, Sort, Start, Tally, WalkOptions, grep,
};
use toolcrib_workspace::{MountTable, Workspace};

use crate::support::World;

/// A tree and a folder for its index. The files are so old that a later change cannot have the same time.
fn old_world() -> (World, PathBuf) {
    let world = World::at("ws");
    for n in 0..60 {
        let text: String = (0..n % 7 + 1).map(|line| format!("line {line} of file {n} word{n}\n")).collect();
        world.write(&format!("dir-{}/file-{n}.txt", n % 5), text);
    }
    world.write("picture.bin", b"\x00\x01\x02\x03");
    std::thread::sleep(Duration::from_millis(2200));
    let folder = world.outside().join("index");
    (world, folder)
}

fn index_of(root: &Path, folder: &Path) -> Index {
    let workspace = Workspace::open(root).unwrap();
    let path = workspace.path(Path::new("."), root).unwrap();
    let options = Options {
        folder: Some(folder.to_owned()),
        mounts: MountTable::open().map(Arc::new),
        ..Options::default()
    };
    Index::new(workspace.open_dir(&path).unwrap(), Arc::new(|_| true), options)
}

/// How many files an index took over from the last run; its answers are those of a search.
fn taken_over(world: &World, folder: &Path) -> usize {
    let index = Arc::new(index_of(world.root(), folder));
    index.build();
    for pattern in ["word7", "of file 3", "word", "line [5-9]", "nothing like it"] {
        let query = Query::new(pattern, QueryOptions::default()).unwrap();
        let search =
            |start: Start| grep(&start, &query, &WalkOptions::default(), &all(), &Everything, &|| false);
        let start = || world.start(".", usize::MAX, false).unwrap();
        let found = search(start().with_index(Some(Arc::clone(&index))));
        assert!(found.indexed, "{pattern}");
        assert_eq!(Tally { indexed: false, ..found }, search(start()), "{pattern}");
    }
    match index.status() {
        Status::Warm { known, .. } => known,
        other => panic!("{other:?}"),
    }
}

fn all() -> GrepOptions {
    GrepOptions {
        without: false,
        include: Include::new([]).unwrap(),
        types: None,
        max_file_size: 10 << 20,
        sort: Sort::Path,
        most: 1000,
        enough: None,
        threads: 2,
    }
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if !path.ends_with("lock") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn what_has_not_changed_is_not_read_again() {
    let (world, folder) = old_world();
    assert_eq!(taken_over(&world, &folder), 0);
    assert_eq!(taken_over(&world, &folder), 61);
    world.write("dir-0/file-0.txt", "word7 is here now\n");
    fs::rename(world.root().join("dir-1"), world.root().join("dir-7")).unwrap();
    fs::remove_file(world.root().join("dir-2/file-2.txt")).unwrap();
    assert_eq!(taken_over(&world, &folder), 61 - 1 - 12 - 1);
}

#[test]
fn damage_is_noticed_and_the_index_made_anew() {
    let (world, folder) = old_world();
    taken_over(&world, &folder);
    let copy = world.outside().join("copy");
    let whole: Vec<(PathBuf, Vec<u8>)> =
        files(&folder).into_iter().map(|path| (path.clone(), fs::read(&path).unwrap())).collect();
    assert!(whole.len() >= 2, "{whole:?}");
    let mut noticed = 0;
    for (path, bytes) in &whole {
        // Some of the bytes, and all of the first and last ones.
        let step = (bytes.len() / 40).max(1);
        for at in (0..bytes.len()).filter(|at| at % step == 0 || *at < 8 || *at + 8 > bytes.len()) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x21;
            for damaged in [flipped, bytes[..at].to_vec()] {
                let _ = fs::remove_dir_all(&copy);
                for (path, bytes) in &whole {
                    let to = copy.join(path.strip_prefix(&folder).unwrap());
                    fs::create_dir_all(to.parent().unwrap()).unwrap();
                    fs::write(to, bytes).unwrap();
                }
                fs::write(copy.join(path.strip_prefix(&folder).unwrap()), damaged).unwrap();
                noticed += usize::from(taken_over(&world, &copy) == 0);
            }
        }
    }
    assert!(noticed > 100, "{noticed}");
}

#[test]
fn an_index_of_another_root_counts_for_nothing() {
    let (world, folder) = old_world();
    let (other, other_folder) = old_world();
    taken_over(&world, &folder);
    other.write("dir-0/file-0.txt", "something else entirely\n");
    taken_over(&other, &other_folder);
    let [from, to] =
        [&folder, &other_folder].map(|folder| fs::read_dir(folder).unwrap().next().unwrap().unwrap().path());
    for path in files(&from) {
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
    assert_eq!(taken_over(&other, &other_folder), 0);
}

/// How often a process is killed; a long run says so.
fn kills() -> u32 {
    std::env::var("TOOLCRIB_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(15)
}

const ROOT: &str = "TOOLCRIB_TEST_ROOT";
const FOLDER: &str = "TOOLCRIB_TEST_FOLDER";

#[test]
fn a_process_that_is_killed_while_it_writes_leaves_a_whole_index_or_none() {
    let (world, folder) = old_world();
    let mut found = 0;
    for kill in 0..kills() {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kept::writes_until_it_is_killed", "--ignored", "--nocapture"])
            .env(ROOT, world.root())
            .env(FOLDER, &folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(u64::from(kill) * 7919 % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();
        found += usize::from(taken_over(&world, &folder) > 0);
        if kill % 5 == 4 {
            fs::remove_dir_all(&folder).unwrap();
        }
    }
    println!("{found} of {} indexes were whole", kills());
}

/// The process that is killed.
#[test]
#[ignore = "runs until it is killed"]
fn writes_until_it_is_killed() {
    let (Some(root), Some(folder)) = (std::env::var_os(ROOT), std::env::var_os(FOLDER)) else { return };
    loop {
        let index = index_of(Path::new(&root), Path::new(&folder));
        index.build();
        index.save();
    }
}
