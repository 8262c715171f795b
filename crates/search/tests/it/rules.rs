//! What is left out: ignore files at every level, hidden names, excluded directories.

use toolcrib_search::{Blocked, Exclude, WalkOptions};

use crate::support::{Search, World};

/// Writes ignore files (`path = lines`) and files, and compares what is found.
#[track_caller]
fn check<const N: usize, const M: usize>(files: [&str; N], rules: &[(&str, &str)], found: [&str; M]) {
    let world = World::with(files);
    rules.iter().for_each(|(path, lines)| world.write(path, lines));
    assert_eq!(world.found(), found);
}

#[test]
fn a_gitignore_counts_at_every_level_and_without_a_repository() {
    check(
        ["a.log", "a.txt", "sub/b.log", "sub/b.txt", "sub/keep.log", "sub/c.tmp", "deep/x/c.tmp"],
        &[(".gitignore", "*.log\n"), ("sub/.gitignore", "*.tmp\n!keep.log\n")],
        ["a.txt", "deep/x/c.tmp", "sub/b.txt", "sub/keep.log"],
    );
}

#[test]
fn an_anchored_rule_begins_where_its_file_lies() {
    check(
        ["a", "sub/a", "sub/deep/a", "sub/b", "x/sub/b"],
        &[(".gitignore", "/a\nsub/b\n"), ("sub/.gitignore", "/deep\n")],
        ["sub/a", "x/sub/b"],
    );
}

#[test]
fn what_is_in_an_ignored_directory_does_not_come_back() {
    check(
        ["out/a", "out/keep", "src/a"],
        &[(".gitignore", "out/\n!out/keep\n"), ("out/.gitignore", "!*\n")],
        ["src/a"],
    );
}

#[test]
fn ignore_is_stronger_than_gitignore() {
    check(
        ["a.log", "b.log", "sub/c.log", "sub/d.txt"],
        &[(".ignore", "!a.log\nd.txt\n"), (".gitignore", "*.log\n"), ("sub/.gitignore", "!d.txt\n!c.log\n")],
        ["a.log", "sub/c.log"],
    );
}

#[test]
fn the_exclude_file_of_a_repository_counts_and_is_weaker() {
    check(
        ["a.log", "b.tmp", "keep.tmp", ".git/config"],
        &[(".git/info/exclude", "*.log\n*.tmp\n"), (".gitignore", "!keep.tmp\n")],
        ["keep.tmp"],
    );
}

#[test]
fn an_outer_repository_says_nothing_about_a_nested_one() {
    check(
        ["a.log", "inner/a.log", "inner/a.tmp", "plain/a.log", "tree/a.log"],
        &[
            (".git/HEAD", ""),
            (".git/info/exclude", "*.exc"),
            (".gitignore", "*.log\n"),
            ("inner/.git/HEAD", ""),
            ("inner/.gitignore", "*.tmp\n"),
            // A worktree or a submodule has a file in the place of the directory.
            ("tree/.git", "gitdir: elsewhere\n"),
        ],
        ["inner/a.log", "tree/a.log"],
    );
    check(["inner/a.log"], &[(".ignore", "*.log"), ("inner/.git/HEAD", "")], []);
}

#[test]
fn a_brace_in_an_ignore_file_is_no_alternative() {
    check(["a.x", "a.y", "a.{x,y}"], &[(".gitignore", "*.{x,y}\n")], ["a.x", "a.y"]);
}

#[test]
fn odd_ignore_files_do_no_harm() {
    check(
        ["a", "b", "c [1]", "sub/a"],
        &[(".gitignore", "\u{FEFF}b\r\n# remark\n\n[\n\\\nc\\ \\[1]\n"), ("sub/.ignore/x", "")],
        ["a", "sub/a"],
    );
    let world = World::with(["a", "b"]);
    world.write("rules", "a\n");
    world.link(".gitignore", "rules");
    assert_eq!(world.found(), ["a", "b", "rules"], "a link is not followed, as in git");
}

#[test]
fn hidden_names_are_left_out_unless_wanted() {
    let world = World::with(["a", ".b", ".c/d", "e/.f"]);
    assert_eq!(world.found(), ["a"]);
    let options = WalkOptions { hidden: true, ..WalkOptions::default() };
    assert_eq!(world.found_by(&Search { options, ..Search::default() }), [".b", ".c/d", "a", "e/.f"]);
}

#[test]
fn excluded_directories_are_left_out_unless_what_is_ignored_is_wanted() {
    let world = World::with([
        "src/a",
        "node_modules/x/y",
        "src/__pycache__/z",
        ".git/HEAD",
        "build/b",
        "target/t",
        "x/node_modules",
    ]);
    assert_eq!(world.found(), ["build/b", "src/a", "target/t", "x/node_modules"]);
    let hidden = WalkOptions { hidden: true, ..WalkOptions::default() };
    let mut search = Search { options: hidden, ..Search::default() };
    assert!(!world.found_by(&search).contains(&".git/HEAD".to_owned()));
    search.ignored = true;
    assert_eq!(world.found_by(&search).len(), 7);
    search.options.hidden = false;
    assert_eq!(world.found_by(&search).len(), 6);
}

#[test]
fn the_names_above_the_root_mean_nothing() {
    for above in ["build/ws", "target/ws", "node_modules/ws", ".git/ws", ".hidden/ws"] {
        let world = World::at(above);
        world.write("src/a", "");
        std::fs::write(world.outside().join(".gitignore"), "*").unwrap();
        assert_eq!(world.found(), ["src/a"], "{above}");
    }
}

#[test]
fn a_search_below_obeys_what_stands_above_inside_the_root() {
    let world = World::with(["sub/a.log", "sub/x/bar/b", "sub/x/c.txt", "sub/d"]);
    world.write(".gitignore", "*.log\n**/bar/*\n");
    world.write("sub/.ignore", "d\n");
    let below = |path| world.found_by(&Search { path, ..Search::default() });
    assert_eq!(below("sub"), ["x/c.txt"]);
    assert_eq!(below("sub/x"), ["c.txt"]);
    assert_eq!(below("sub/x/bar"), [""; 0], "an outer rule about what is in the directory");
}

#[test]
fn a_directory_that_is_named_is_searched_although_it_is_ignored() {
    let world = World::with(["out/a", "out/b.log", "out/sub/c", "node_modules/x/y", "build/gen/z"]);
    world.write(".gitignore", "out/\n*.log\nbuild\n");
    let below = |path| world.found_by(&Search { path, ..Search::default() });
    assert_eq!(below("out"), ["a", "b.log", "sub/c"]);
    assert_eq!(below("out/sub"), ["c"]);
    assert_eq!(below("node_modules/x"), ["y"]);
    assert_eq!(below("build/gen"), ["z"]);
}

#[test]
fn a_directory_that_a_pattern_leads_to_is_not() {
    let world = World::with(["out/a", "node_modules/x/y", "src/b"]);
    world.write(".gitignore", "out/\n");
    assert_eq!(world.start("out", 0, false).unwrap_err(), Blocked("out".into()));
    assert_eq!(world.start("node_modules/x", 0, false).unwrap_err(), Blocked("node_modules".into()));
    assert!(world.start("node_modules/x", 1, false).is_ok());
    assert!(world.start("src", 0, false).is_ok());
    assert!(world.start("out", 0, true).is_ok());
}

#[test]
fn what_the_caller_excludes_is_left_out() {
    let world = World::with(["a.js", "a.min.js", "vendor/b.js", "lib/vendor/c.js", "lib/d.js"]);
    let exclude = |patterns: &[&str]| {
        let options = WalkOptions {
            exclude: Exclude::new(patterns.iter().copied()).unwrap(),
            ..WalkOptions::default()
        };
        world.found_by(&Search { options, ..Search::default() })
    };
    assert_eq!(exclude(&["*.min.js", "vendor"]), ["a.js", "lib/d.js"]);
    assert_eq!(exclude(&["/vendor", "lib/*.js"]), ["a.js", "a.min.js", "lib/vendor/c.js"]);
    assert_eq!(Exclude::new(["a{"]).unwrap_err().pattern, "a{");
}

#[test]
fn global_excludes_count_last() {
    // The user's configuration is found through the environment, which belongs to the whole process.
    if std::env::var_os("TOOLCRIB_GLOBAL_EXCLUDES").is_none() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join("git")).unwrap();
        std::fs::write(home.path().join("git/ignore"), "*.swp\nglobal\n").unwrap();
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["rules::global_excludes_count_last", "--exact"])
            .envs([("TOOLCRIB_GLOBAL_EXCLUDES", "1")])
            .env("XDG_CONFIG_HOME", home.path())
            .env("HOME", home.path())
            .output()
            .unwrap();
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
        return;
    }
    check(["a", "a.swp", "b.swp", "sub/global"], &[(".gitignore", "!b.swp\n")], ["a", "b.swp"]);
    let world = World::with(["a.swp"]);
    assert_eq!(world.found_by(&Search { ignored: true, ..Search::default() }), ["a.swp"]);
}

#[test]
fn of_very_many_rules_the_first_count() {
    let rules = |from: usize| {
        (from..from + 4001).map(|rule| format!("# a remark\n\nfile{rule}\n")).collect::<String>()
    };
    let world = World::with([
        "file0",
        "file3999",
        "file4000",
        "sub/file7999",
        "sub/file8000",
        "sub/deep/file8001",
        "sub/deep/file9000",
    ]);
    world.write(".gitignore", rules(0));
    world.write("sub/.gitignore", rules(4000));
    world.write("sub/deep/.gitignore", rules(8001));
    // 4,000 of one file, and 8,000 in all.
    assert_eq!(world.found(), ["file4000", "sub/deep/file8001", "sub/deep/file9000", "sub/file8000"]);
}
