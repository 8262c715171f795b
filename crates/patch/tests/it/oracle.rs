//! `git diff` writes the patches, `git apply` says what they mean.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use toolcrib_patch::{Action, FileMode, Options, Patch, Planned};

use super::parsed;
use super::tree::{Chance, Tree, changed, line};

const PATCHES: usize = 2000;
/// How many patches one `git apply` gets.
const BATCH: usize = 25;

/// Every patch between random trees that git writes and accepts gives the same tree here.
#[test]
fn patches_give_the_tree_that_git_apply_gives() {
    let trees = random_trees(1, PATCHES + 1);
    let repository = Repository::with(&trees);
    let patches = repository.patches(&[]);
    let work = tempfile::tempdir().unwrap();
    write_tree(work.path(), &trees[0]);
    for (batch, patches) in patches.chunks(BATCH).enumerate() {
        let first = batch * BATCH;
        assert!(git_apply(work.path(), patches), "git refuses its own patch");
        assert_eq!(
            read_tree(work.path()),
            trees[first + patches.len()],
            "git apply does not give the tree it came from"
        );
        for (index, patch) in patches.iter().enumerate() {
            let ours = applied(&parsed(patch), &trees[first + index]);
            assert_same(ours, &trees[first + index + 1], patch);
        }
    }
    assert_eq!(patches.len(), PATCHES);
}

/// The same with little context, other prefixes or none, and without detection of renames.
#[test]
fn other_ways_to_write_a_diff_mean_the_same() {
    let trees = random_trees(2, 300);
    let repository = Repository::with(&trees);
    for options in [
        &["-U1"][..],
        &["-U8"],
        &["--no-prefix"],
        &["--src-prefix=i/", "--dst-prefix=w/"],
        &["--no-renames"],
        &["--full-index", "--patience"],
    ] {
        for (index, patch) in repository.patches(options).iter().enumerate() {
            let ours = applied(&parsed(patch), &trees[index]);
            assert_same(ours, &trees[index + 1], patch);
        }
    }
}

/// On a tree that changed meanwhile git finds hunks at other lines. Then so do we, or it is ambiguous; never elsewhere.
#[test]
fn patches_to_a_tree_that_moved_on_go_where_git_puts_them() {
    let mut chance = Chance(77);
    let trees = random_trees(3, 500);
    let patches = Repository::with(&trees).patches(&["--no-renames"]);
    let (mut accepted, mut same) = (0, 0);
    for (patch, tree) in patches.iter().zip(&trees) {
        let moved = moved_on(&mut chance, tree);
        let work = tempfile::tempdir().unwrap();
        write_tree(work.path(), &moved);
        if !git_apply(work.path(), std::slice::from_ref(patch)) {
            continue;
        }
        accepted += 1;
        if let Ok(ours) = applied(&parsed(patch), &moved) {
            assert_same(Ok(ours), &read_tree(work.path()), patch);
            same += 1;
        }
    }
    println!(
        "git accepts {accepted} patches on trees that moved on; {same} give the same tree, the others are ambiguous"
    );
    assert!(accepted > 80 && same * 100 >= accepted * 90, "{same} of {accepted}");
}

#[track_caller]
fn assert_same(ours: Result<Tree, String>, expected: &Tree, patch: &str) {
    let ours = ours.unwrap_or_else(|refused| panic!("{refused}\n{patch}"));
    let different = |path: &&String| ours.get(*path) != expected.get(*path);
    if let Some(path) = ours.keys().chain(expected.keys()).find(different) {
        panic!("{path}: {:?}\ngit: {:?}\n{patch}", ours.get(path), expected.get(path));
    }
}

fn random_trees(seed: u64, count: usize) -> Vec<Tree> {
    let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let mut trees = vec![changed(&mut chance, &Tree::new())];
    while trees.len() < count {
        let next = changed(&mut chance, &trees[trees.len() - 1]);
        trees.push(next);
    }
    trees
}

/// Lines added at some places of some files, as if someone else had been at work.
fn moved_on(chance: &mut Chance, tree: &Tree) -> Tree {
    let mut tree = tree.clone();
    for (text, _) in tree.values_mut().filter(|file| !file.0.is_empty()) {
        let added: String = (0..=chance.below(5)).map(|_| format!("added {}\n", line(chance))).collect();
        let at = if chance.one_in(2) { 0 } else { chance.below(text.lines().count() + 1) };
        let at = text.split_inclusive('\n').take(at).map(str::len).sum::<usize>();
        if at == 0 || text[..at].ends_with('\n') {
            text.insert_str(at, &added);
        }
    }
    tree
}

/// What the patch makes of a tree.
fn applied(patch: &Patch, tree: &Tree) -> Result<Tree, String> {
    let read = |path: &str| tree.get(path).map(|file| file.0.as_str());
    let planned = patch.plan(Options::default(), read).map_err(|refused| refused.to_string())?;
    let mut after = tree.clone();
    for file in &planned {
        if let (Action::Move, Some(from)) = (file.action, &file.from) {
            after.remove(from);
        }
        if file.action == Action::Delete {
            after.remove(&file.path);
        }
    }
    for file in planned.iter().filter(|file| file.action != Action::Delete) {
        after.insert(file.path.clone(), (file.text.clone().unwrap_or_default(), is_executable(file, tree)));
    }
    Ok(after)
}

fn is_executable(file: &Planned, before: &Tree) -> bool {
    let old = before.get(file.from.as_ref().unwrap_or(&file.path)).is_some_and(|file| file.1);
    file.mode.map_or(old, |mode| mode == FileMode::Executable)
}

/// A repository whose commits are trees.
struct Repository(tempfile::TempDir);

impl Repository {
    fn with(trees: &[Tree]) -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        run(git(repository.0.path()).args(["init", "-q", "-b", "main", "."]), b"");
        let stream: Vec<u8> = trees.iter().flat_map(commit).collect();
        run(git(repository.0.path()).args(["fast-import", "--quiet"]), &stream);
        repository
    }

    /// The patch of each commit but the first.
    fn patches(&self, options: &[&str]) -> Vec<String> {
        let log = [
            "log",
            "-p",
            "--reverse",
            "-M",
            "-C",
            "--find-copies-harder",
            "--no-color",
            "--no-ext-diff",
            "--format=%x01",
        ];
        let output = run(git(self.0.path()).args(log).args(options), b"");
        let output = String::from_utf8(output).unwrap();
        output.split("\u{1}\n").skip(2).map(str::to_owned).collect()
    }
}

fn commit(tree: &Tree) -> Vec<u8> {
    let mut stream =
        b"commit refs/heads/main\ncommitter t <t@t> 1700000000 +0000\ndata 1\nx\ndeleteall\n".to_vec();
    for (path, (text, executable)) in tree {
        let mode = if *executable { "100755" } else { "100644" };
        let quoted = path.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t");
        write!(stream, "M {mode} inline \"{quoted}\"\ndata {}\n{text}\n", text.len()).unwrap();
    }
    stream
}

/// Applies patches one after the other, if git accepts them all.
fn git_apply(work: &Path, patches: &[String]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<_> = (0..patches.len()).map(|index| folder.path().join(index.to_string())).collect();
    names.iter().zip(patches).for_each(|(name, patch)| fs::write(name, patch).unwrap());
    git(work)
        .args(["apply", "--whitespace=nowarn"])
        .args(names)
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
}

fn git(folder: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(folder).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    git.env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", folder)
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap());
    git
}

fn run(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("these tests need git: {error}"));
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    output.stdout
}

fn write_tree(folder: &Path, tree: &Tree) {
    for (path, (text, executable)) in tree {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(if *executable { 0o755 } else { 0o644 }))
            .unwrap();
    }
}

fn read_tree(folder: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let executable = fs::metadata(&path).unwrap().permissions().mode() & 0o100 != 0;
            let text = String::from_utf8(fs::read(&path).unwrap()).unwrap();
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            tree.insert(name, (text, executable));
        }
    }
    tree
}
