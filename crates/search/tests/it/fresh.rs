//! An index answers as a search would, at any moment and whatever another program has just done.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use toolcrib_index::{Index, LeaveOut, Lost, Options, Status};
use toolcrib_search::{
    Everything, GrepOptions, Include, Query, QueryOptions, Sort, Start, Tally, WalkOptions, grep,
};

use toolcrib_workspace::MountTable;

use crate::support::World;

/// Another program, which does what it is told.
struct Writer {
    child: Child,
    tells: ChildStdin,
    hears: BufReader<ChildStdout>,
}

impl Writer {
    fn start() -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/writer.py");
        let mut child = Command::new("python3")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 is needed");
        let (tells, hears) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, tells, hears }
    }

    /// Whether it could do it. A store to a mapping whose file was truncated kills it: then another takes its place.
    fn does(&mut self, order: &str) -> bool {
        writeln!(self.tells, "{order}").unwrap();
        let mut answer = String::new();
        self.hears.read_line(&mut answer).unwrap();
        if answer.is_empty() {
            *self = Self::start();
        }
        answer.trim_end() == "ok"
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Home {
    world: World,
    index: Arc<Index>,
    writer: Writer,
    leave_out: LeaveOut,
}

impl Home {
    fn new(leave_out: LeaveOut) -> Self {
        Self::of(World::at("ws"), leave_out)
    }

    fn of(world: World, leave_out: LeaveOut) -> Self {
        for n in 0..40 {
            world.write(&format!("dir-{}/file-{n}.txt", n % 4), format!("first {n} and some more text\n"));
        }
        world.write(".gitignore", "*.log\n");
        world.write("loose.log", "ignored words\n");
        std::fs::create_dir_all(world.outside().join("beside")).unwrap();
        let index = index_of(&world, leave_out);
        Self { world, index, writer: Writer::start(), leave_out }
    }

    fn path(&self, name: &str) -> String {
        self.world.root().join(name).to_str().unwrap().to_owned()
    }

    fn outside(&self) -> String {
        self.world.outside().join("beside").to_str().unwrap().to_owned()
    }

    /// What is found with the index and without; none if the index could not be used.
    fn both(&self, pattern: &str) -> (Option<Tally>, Tally) {
        let query = Query::new(pattern, QueryOptions::default()).unwrap();
        let search =
            |start: Start| grep(&start, &query, &WalkOptions::default(), &all(), &Everything, &|| false);
        let start = || self.world.start(".", usize::MAX, false).unwrap();
        let found = search(start().with_index(Some(Arc::clone(&self.index))));
        let scanned = search(start());
        let found = found.indexed.then_some(Tally { indexed: false, ..found });
        (found, scanned)
    }
}

fn index_of(world: &World, leave_out: LeaveOut) -> Arc<Index> {
    let root = world.workspace.path(Path::new("."), world.root()).unwrap();
    let dir = world.workspace.open_dir(&root).unwrap();
    let index = Index::new(
        dir,
        Arc::new(|_| true),
        Options { leave_out, mounts: MountTable::open().map(Arc::new), ..Options::default() },
    );
    index.build();
    Arc::new(index)
}

fn all() -> GrepOptions {
    GrepOptions {
        without: false,
        include: Include::new([]).unwrap(),
        types: None,
        max_file_size: 10 << 20,
        sort: Sort::Relevance,
        most: 1000,
        enough: None,
        threads: 2,
    }
}

/// A small generator of numbers, so that a run can be repeated.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// What became of some turns.
#[derive(Debug, Default)]
struct Turns {
    indexed: u64,
    scanned: u64,
    wrong: u64,
}

/// In each turn something is changed, and both the new word and an older one are searched for at once.
fn play(turns: u64, seed: u64, leave_out: LeaveOut, kinds: &[u64]) -> Turns {
    play_in(Home::new(leave_out), turns, seed, kinds)
}

fn play_in(mut home: Home, turns: u64, seed: u64, kinds: &[u64]) -> Turns {
    let leave_out = home.leave_out;
    let mut numbers = Numbers(seed);
    let mut outcome = Turns::default();
    let mut older = "first".to_owned();
    for turn in 0..turns {
        let word = format!("word{turn}x{}", numbers.below(1000));
        let kind = kinds[numbers.below(kinds.len() as u64) as usize];
        let order = order(&home, kind, &word, &mut numbers);
        home.writer.does(&order);
        // The thread that an index usually has reads what has changed; sometimes it comes before the query.
        if numbers.below(2) == 0 {
            home.index.catch_up();
        }
        for pattern in [&word, &older] {
            match home.both(pattern) {
                (Some(found), scanned) => {
                    outcome.indexed += 1;
                    if found != scanned {
                        outcome.wrong += 1;
                        if leave_out == LeaveOut::default() {
                            panic!(
                                "turn {turn} of seed {seed}: {order}\n{pattern}: {found:?}\nscan: {scanned:?}"
                            );
                        }
                    }
                }
                (None, _) => {
                    outcome.scanned += 1;
                    if !matches!(home.index.status(), Status::Off(_)) {
                        home.index.build();
                    }
                }
            }
        }
        if numbers.below(4) == 0 {
            older = word;
        }
    }
    // What is mounted would be removed with the tree.
    for tree in ["dir-0", "dir-1"].into_iter().filter(|_| kinds.contains(&MOUNTS[1])) {
        let order = format!(r#"["unmount", {:?}]"#, home.path(tree));
        while home.writer.does(&order) {}
    }
    outcome
}

const KINDS: u64 = 30;

/// A mount and its end, for a process that may mount.
const MOUNTS: [u64; 2] = [KINDS, KINDS + 1];

/// What the other program is told.
fn order(home: &Home, kind: u64, word: &str, numbers: &mut Numbers) -> String {
    let some = |numbers: &mut Numbers| {
        let n = numbers.below(40);
        home.path(&format!("dir-{}/file-{n}.txt", n % 4))
    };
    let (file, other) = (some(numbers), some(numbers));
    let dir = |n: u64| home.path(&format!("tree-{n}"));
    let (outside, held) = (home.outside(), numbers.below(4));
    let tree = numbers.below(3);
    let text = format!("{word} in a line\nand another\n");
    match kind {
        0 => format!(r#"["write", {file:?}, {text:?}]"#),
        1 => format!(r#"["append", {file:?}, {text:?}]"#),
        2 => format!(r#"["in_place", {file:?}, {word:?}]"#),
        3 => format!(r#"["truncate", {file:?}, {}]"#, numbers.below(20)),
        4 => format!(r#"["rename", {file:?}, {other:?}]"#),
        5 => format!(r#"["rename", {file:?}, {:?}]"#, format!("{outside}/moved")),
        6 => format!(r#"["rename", {:?}, {file:?}]"#, format!("{outside}/moved")),
        7 => format!(r#"["remove", {file:?}]"#),
        8 => format!(r#"["replace", {file:?}, {text:?}, {outside:?}]"#),
        9 => format!(r#"["by_outside_link", {file:?}, {word:?}, {outside:?}]"#),
        10 => format!(r#"["link_outside", {file:?}, {outside:?}, {held}]"#),
        11 => format!(r#"["write_outside", {outside:?}, {held}, {word:?}]"#),
        12 => format!(r#"["remove", {:?}]"#, format!("{outside}/kept-{held}")),
        13 => format!(r#"["map_file", {file:?}, {held}]"#),
        14 => format!(r#"["store", {held}, {word:?}, false]"#),
        15 => format!(r#"["store", {held}, {word:?}, true]"#),
        16 => format!(r#"["unmap", {held}]"#),
        17 => format!(r#"["hold", {file:?}, {}]"#, held + 10),
        18 => format!(r#"["write_held", {}, {word:?}]"#, held + 10),
        19 => format!(r#"["release", {}]"#, held + 10),
        20 => format!(r#"["make_tree", {:?}, {text:?}]"#, dir(tree)),
        21 => format!(r#"["rename", {:?}, {:?}]"#, dir(tree), dir((tree + 1) % 3)),
        22 => format!(r#"["rename", {:?}, {:?}]"#, dir(tree), format!("{outside}/tree")),
        23 => format!(r#"["rename", {:?}, {:?}]"#, format!("{outside}/tree"), dir(tree)),
        24 => format!(r#"["remove", {:?}]"#, dir(tree)),
        25 => format!(r#"["write_held_natively", {}, {word:?}]"#, held + 10),
        26 => {
            let name = format!("dir-{held}/new.txt");
            format!(r#"["away_and_back", {:?}, {outside:?}, {name:?}, {text:?}]"#, home.path(""))
        }
        27 => format!(r#"["write", {:?}, {text:?}]"#, format!("{outside}/below/file")),
        28 => format!(r#"["write_held_by_ring", {}, {word:?}]"#, held + 10),
        30 => format!(r#"["mount", {outside:?}, {:?}]"#, home.path(&format!("dir-{}", held % 2))),
        31 => format!(r#"["unmount", {:?}]"#, home.path(&format!("dir-{}", held % 2))),
        _ => match numbers.below(5) {
            0 => format!(r#"["chmod", {file:?}, {}]"#, [0, 0o600, 0o644][numbers.below(3) as usize]),
            1 => format!(r#"["retarget", {:?}, {file:?}]"#, home.path("link")),
            2 => format!(r#"["touch", {file:?}]"#),
            3 => format!(r#"["write", {:?}, "*.log\ndir-{}\n"]"#, home.path(".gitignore"), numbers.below(8)),
            _ => format!(r#"["write", {:?}, {text:?}]"#, home.path("dir-0/loose.log")),
        },
    }
}

fn all_kinds() -> Vec<u64> {
    (0..KINDS).collect()
}

/// How many turns are played; a long run says so.
fn turns() -> u64 {
    std::env::var("TOOLCRIB_TURNS").ok().and_then(|turns| turns.parse().ok()).unwrap_or(400)
}

#[test]
fn what_was_written_a_moment_ago_is_found_and_nothing_else() {
    let outcome = play(turns(), 1, LeaveOut::default(), &all_kinds());
    println!("{outcome:?}");
    assert!(outcome.indexed > outcome.scanned, "{outcome:?}");
}

#[test]
fn without_a_drain_it_is_missed() {
    let outcome = play(100, 2, LeaveOut { drain: true, ..LeaveOut::default() }, &[0, 1, 2, 8]);
    assert!(outcome.wrong > 0, "{outcome:?}");
}

#[test]
fn without_a_look_into_new_directories_it_is_missed() {
    let outcome = play(100, 3, LeaveOut { new_directories: true, ..LeaveOut::default() }, &[20, 24]);
    assert!(outcome.wrong > 0, "{outcome:?}");
}

#[test]
fn without_asking_for_writers_a_mapping_is_missed() {
    let outcome = play(200, 4, LeaveOut { writers: true, ..LeaveOut::default() }, &[13, 14, 15, 16]);
    assert!(outcome.wrong > 0, "{outcome:?}");
}

/// A file that stays open is written to in several ways, one of which has no event.
#[test]
fn what_is_written_to_an_open_file_is_found() {
    let outcome = play(turns() / 4, 7, LeaveOut::default(), &[17, 18, 19, 25, 25, 28]);
    assert!(outcome.indexed > outcome.scanned, "{outcome:?}");
}

#[test]
fn without_asking_for_writers_native_output_is_missed() {
    let outcome = play(200, 8, LeaveOut { writers: true, ..LeaveOut::default() }, &[17, 25]);
    assert!(outcome.wrong > 0, "{outcome:?}");
}

#[test]
fn with_more_files_than_may_be_watched_there_is_no_index() {
    let home = Home::new(LeaveOut::default());
    let root = home.world.workspace.path(Path::new("."), home.world.root()).unwrap();
    let mounts = MountTable::open().map(Arc::new);
    for (watches, expected) in [(10, Status::Off(Lost::TooManyWatches)), (100, home.index.status())] {
        let dir = home.world.workspace.open_dir(&root).unwrap();
        let options = Options { watches, mounts: mounts.clone(), ..Options::default() };
        let index = Index::new(dir, Arc::new(|_| true), options);
        index.build();
        assert_eq!(index.status(), expected);
    }
}

/// So many files at once that the kernel's queue overflows, as a checkout of another branch makes them.
fn after_very_many(leave_out: LeaveOut) -> (Option<Tally>, Tally, Home) {
    let mut home = Home::new(leave_out);
    let order = format!(r#"["many", {:?}, 17000, "overflow"]"#, home.path("dir-0"));
    assert!(home.writer.does(&order));
    let (found, scanned) = home.both("overflow");
    (found, scanned, home)
}

#[test]
fn an_overflow_is_noticed() {
    let (found, scanned, home) = after_very_many(LeaveOut { priority: true, ..LeaveOut::default() });
    assert_eq!((found, scanned.matching), (None, 17_000));
    // The search that took its place was worth a thread.
    while !matches!(home.index.status(), Status::Warm { .. }) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let (found, scanned) = home.both("overflow 1699.");
    assert_eq!((found.as_ref(), scanned.matching), (Some(&scanned), 10));
}

#[test]
fn without_the_rule_for_overflows_it_is_missed() {
    let (found, scanned, _) = after_very_many(LeaveOut { overflow: true, ..LeaveOut::default() });
    assert_ne!(found, Some(scanned));
}

/// Runs this test once more in a process whose mounts nobody else sees; true in that process.
fn with_own_mounts(test: &str) -> bool {
    const OWN: &str = "TOOLCRIB_OWN_MOUNTS";
    if std::env::var_os(OWN).is_some() {
        return true;
    }
    // An ordinary user needs a user namespace for it.
    let is_root =
        Command::new("unshare").args(["-m", "true"]).output().is_ok_and(|output| output.status.success());
    let own: &[&str] = if is_root { &["-m"] } else { &["-r", "-m"] };
    let exe = std::env::current_exe().unwrap();
    let name = format!("fresh::{test}");
    let mut command = Command::new("unshare");
    command.args(own).arg(exe).args(["--exact", &name, "--nocapture"]).env(OWN, "1");
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("1 passed"), "{told}{complaints}");
    false
}

/// What is mounted is searched; where it is refused, no file below it can be opened, with the table of mounts or without.
fn home_with_mounts(leave_out: LeaveOut) -> Home {
    Home::of(World::at("ws").with_mounts(), leave_out)
}

#[test]
fn what_is_mounted_over_a_directory_is_noticed() {
    if with_own_mounts("what_is_mounted_over_a_directory_is_noticed") {
        let kinds = [&MOUNTS[..], &[0, 2, 8, 20, 27]].concat();
        let outcome = play_in(home_with_mounts(LeaveOut::default()), turns() / 4, 5, &kinds);
        println!("{outcome:?}");
        assert!(outcome.indexed > 0 && outcome.scanned > 0, "{outcome:?}");
    }
}

#[test]
fn without_the_table_of_mounts_it_is_missed() {
    if with_own_mounts("without_the_table_of_mounts_it_is_missed") {
        let kinds = [&MOUNTS[..], &[0, 2]].concat();
        let leave_out = LeaveOut { mounts: true, ..LeaveOut::default() };
        let outcome = play_in(home_with_mounts(leave_out), 100, 6, &kinds);
        assert!(outcome.wrong > 0, "{outcome:?}");
    }
}

/// Git changes thousands of files at once.
#[test]
fn another_branch_is_noticed() {
    let mut home = Home::new(LeaveOut { priority: true, ..LeaveOut::default() });
    let root = home.path("");
    assert!(home.writer.does(&format!(r#"["branches", {root:?}, 5000, "oneword", "otherword"]"#)));
    for (branch, there, gone) in
        [("other", "otherword", "oneword"), ("one", "oneword", "otherword")].repeat(2)
    {
        while home.both("first").0.is_none() {
            home.index.build();
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(home.writer.does(&format!(r#"["checkout", {root:?}, {branch:?}]"#)));
        for (word, count) in [(there, 5000), (gone, 0), ("first", 40)] {
            let (found, scanned) = home.both(word);
            assert_eq!(scanned.matching, count, "{branch} {word}");
            assert!(found.is_none_or(|found| found == scanned), "{branch} {word}");
        }
    }
}

/// What an ignore file says may change without a system call, also in `.git`.
fn written_through_a_mapping(leave_out: LeaveOut) -> Turns {
    let mut outcome = Turns::default();
    for name in [".gitignore", ".git/info/exclude"] {
        let mut home = Home::new(leave_out);
        home.world.write(".git/HEAD", "ref: refs/heads/main\n");
        home.world.write(name, "*.log #\n");
        home.index.build();
        assert!(home.both("first").0.is_some());
        assert!(home.writer.does(&format!(r#"["map_file", {:?}, 1]"#, home.path(name))));
        for rules in ["*.txt", "*.log", "dir-1/"] {
            home.index.build();
            assert!(home.both("first").0.is_some(), "{name}: a program that has it open costs no index");
            assert!(home.writer.does(&format!(r#"["store", 1, {rules:?}, false]"#)));
            let (found, scanned) = home.both("first");
            outcome.scanned += u64::from(found.is_none());
            outcome.wrong += u64::from(found.is_some_and(|found| found != scanned));
        }
    }
    outcome
}

#[test]
fn an_ignore_file_that_is_written_through_a_mapping_is_noticed() {
    let outcome = written_through_a_mapping(LeaveOut::default());
    assert_eq!((outcome.scanned, outcome.wrong), (6, 0), "{outcome:?}");
}

#[test]
fn without_asking_for_writers_such_an_ignore_file_is_missed() {
    let outcome = written_through_a_mapping(LeaveOut { writers: true, ..LeaveOut::default() });
    assert!(outcome.wrong > 0, "{outcome:?}");
}

/// A root that was removed or renamed is still held: what is found is what a search finds in it.
#[test]
fn a_root_that_is_renamed_or_removed_is_searched_as_it_is() {
    let mut home = Home::new(LeaveOut::default());
    let (root, moved) = (home.path(""), format!("{}/elsewhere", home.outside()));
    assert!(home.writer.does(&format!(r#"["rename", {root:?}, {moved:?}]"#)));
    assert!(home.writer.does(&format!(r#"["write", {:?}, "moved\n"]"#, format!("{moved}/dir-1/new"))));
    let query = Query::new("moved", QueryOptions::default()).unwrap();
    let path = home.world.workspace.path(Path::new("."), home.world.root()).unwrap();
    let start = || {
        let dir = home.world.workspace.open_root(&path).unwrap();
        Start::new(&home.world.workspace, dir, usize::MAX, false).unwrap().unwrap()
    };
    let search = |start: Start| grep(&start, &query, &WalkOptions::default(), &all(), &Everything, &|| false);
    let found = search(start().with_index(Some(Arc::clone(&home.index))));
    assert_eq!((found.indexed, found.matching), (true, 1));
    assert_eq!(search(start()), Tally { indexed: false, ..found });
}
