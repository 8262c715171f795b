//! Both resolvers against each other and against the plain system, on a tree full of links.
//!
//! The system says where a path really leads. If we open it, it is that file and it is inside; if it is inside and
//! we refuse, the way there went outside; and the two resolvers never differ.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use toolcrib_workspace::{ErrorKind, Resolver, Workspace};

use crate::support::CANARY;

const CASES: usize = 20_000;

#[test]
fn the_resolvers_agree_with_each_other_and_with_the_system() {
    let base = tempfile::tempdir().unwrap();
    let root = base.path().canonicalize().unwrap().join("ws");
    plant(&root);
    let [kernel, walk] = [Resolver::Openat2, Resolver::Walk]
        .map(|resolver| Workspace::builder().root(&root).resolver(resolver).open().unwrap());
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut tally = Tally::default();
    for _ in 0..CASES {
        let given = random.path(&root);
        let ours = ask(&kernel, &root, &given);
        assert_eq!(ours, ask(&walk, &root, &given), "the resolvers differ on {given:?}");
        compare(&root, &given, &ours, &mut tally);
    }
    eprintln!("oracle: {CASES} paths, {tally:?}, 0 escapes, 0 unexplained differences");
    assert!(tally.opened > CASES / 20 && tally.outside > CASES / 20 && tally.failed > CASES / 20);
}

#[derive(Debug, Default)]
struct Tally {
    opened: usize,
    outside: usize,
    through_outside: usize,
    failed: usize,
}

type Answer = Result<(Vec<u8>, PathBuf), ErrorKind>;

fn ask(workspace: &Workspace, root: &Path, given: &Path) -> Answer {
    let path = workspace.path(given, root).map_err(|error| error.kind())?;
    match workspace.snapshot(&path) {
        Ok(snapshot) => Ok((snapshot.bytes().to_vec(), workspace.absolute(snapshot.reached()))),
        Err(error) if error.kind() == ErrorKind::IsDirectory => {
            let directory = workspace.open_dir(&path).map_err(|error| error.kind())?;
            Ok((Vec::new(), workspace.absolute(directory.reached())))
        }
        Err(error) => Err(error.kind()),
    }
}

/// What the system says, with no content for a directory and for what is far outside.
fn ask_system(root: &Path, path: &Path) -> io::Result<(Vec<u8>, PathBuf)> {
    let real = path.canonicalize()?;
    let content = if real.is_dir() || !is_near(root, &real) { Vec::new() } else { fs::read(path)? };
    Ok((content, real))
}

/// Whether it is something that the test has planted, and not some device of the machine.
fn is_near(root: &Path, real: &Path) -> bool {
    real.starts_with(root.parent().unwrap())
}

fn compare(root: &Path, given: &Path, ours: &Answer, tally: &mut Tally) {
    match (ours, ask_system(root, &root.join(given))) {
        (Ok(ours), Ok(theirs)) => {
            assert_eq!(ours, &theirs, "{given:?}");
            assert!(theirs.1.starts_with(root) && theirs.0 != CANARY.as_bytes(), "{given:?} escaped");
            tally.opened += 1;
        }
        (Ok(_), Err(error)) => panic!("{given:?} was opened, the system says {error}"),
        (Err(ErrorKind::Outside), Ok((_, real))) if !real.starts_with(root) => tally.outside += 1,
        // It goes out and comes back by a way that is not ours, or fails out there where we do not look.
        (Err(ErrorKind::Outside), _) => tally.through_outside += 1,
        (Err(kind), Ok((_, real))) => panic!("{given:?} leads to {real:?}, but we say {kind:?}"),
        (Err(kind), Err(error)) => {
            assert!(same_failure(*kind, &error), "{given:?}: we say {kind:?}, the system says {error}");
            tally.failed += 1;
        }
    }
}

fn same_failure(kind: ErrorKind, error: &io::Error) -> bool {
    match kind {
        ErrorKind::NotFound | ErrorKind::DanglingLink => error.kind() == io::ErrorKind::NotFound,
        ErrorKind::NotDirectory => error.kind() == io::ErrorKind::NotADirectory,
        ErrorKind::LinkLoop => error.raw_os_error() == Some(Errno::LOOP.raw_os_error()),
        _ => false,
    }
}

/// Directories, files, and links of every sort, some of them broken.
fn plant(root: &Path) {
    let outside = root.with_file_name("outside");
    for directory in ["a/b/c", "a/d", "e"] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    fs::create_dir(&outside).unwrap();
    for file in ["f", "a/f", "a/b/f", "a/b/c/f", "a/d/f", "e/f"] {
        fs::write(root.join(file), file).unwrap();
    }
    fs::write(outside.join("f"), CANARY).unwrap();
    symlink(root, outside.join("l")).unwrap();
    // Up from here is not where it came from: code that removes `away/..` as text goes wrong.
    symlink("/usr/lib", root.with_file_name("away")).unwrap();
    let targets = [
        ("l", "a"),
        ("m", "a/b/../d"),
        ("n", "../outside"),
        ("a/l", ".."),
        ("a/m", "../e/f"),
        ("a/n", "b/l"),
        ("a/b/l", "c/f"),
        ("a/b/m", "../../.."),
        ("a/b/n", "n"),
        ("a/b/c/l", "missing"),
        ("a/b/c/m", "../../../../ws/e"),
        ("a/d/l", "../../n/f"),
        ("e/l", "../a/b/"),
        ("e/m", "../f/"),
    ];
    for (link, target) in targets {
        symlink(target, root.join(link)).unwrap();
    }
    symlink(root.join("a/b"), root.join("e/n")).unwrap();
    symlink(&outside, root.join("a/d/m")).unwrap();
    symlink(root.join("../ws/e/n/f"), root.join("a/d/n")).unwrap();
}

/// A small generator with a fixed start: the same paths in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// A path that mostly leads somewhere: each step takes one of the names that are there, sometimes any other.
    fn path(&mut self, root: &Path) -> PathBuf {
        const NAMES: [&str; 10] = ["a", "b", "f", "l", "m", "n", "..", ".", "ws", "outside"];
        let mut path = PathBuf::new();
        for _ in 0..=self.below(6) {
            let there = names_in(root, &path);
            match self.below(8) {
                0 => path.push(".."),
                1 => path.push(NAMES[self.below(NAMES.len())]),
                _ if there.is_empty() => break,
                _ => path.push(&there[self.below(there.len())]),
            }
        }
        if self.below(12) == 0 {
            path.push("");
        }
        if self.below(6) == 0 { root.join(path) } else { path }
    }
}

fn names_in(root: &Path, path: &Path) -> Vec<OsString> {
    let Ok(real) = root.join(path).canonicalize() else { return Vec::new() };
    let Ok(entries) = fs::read_dir(&real) else { return Vec::new() };
    if !is_near(root, &real) {
        return Vec::new();
    }
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}
