//! A directory as a value, to be compared.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

/// Every file below a directory with its content and whether it can be run; a symbolic link with its target; a directory with nothing.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tree(BTreeMap<PathBuf, Node>);

#[derive(Debug, PartialEq, Eq)]
enum Node {
    File { content: String, executable: bool },
    Link(PathBuf),
    Directory,
}

impl Tree {
    /// Reads a directory; one that does not exist has nothing in it.
    #[must_use]
    pub fn read(directory: &Path) -> Self {
        let mut tree = Self::default();
        tree.add(directory, Path::new(""));
        tree
    }

    /// The same without the files of a name: git keeps no empty directory, so one that is expected holds a file.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.0.retain(|path, _| path.file_name().is_none_or(|own| own != name));
        self
    }

    fn add(&mut self, directory: &Path, at: &Path) {
        let Ok(entries) = fs::read_dir(directory) else { return };
        for entry in entries {
            let entry = entry.unwrap();
            let path = at.join(entry.file_name());
            let kind = entry.file_type().unwrap();
            let node = if kind.is_symlink() {
                Node::Link(fs::read_link(entry.path()).unwrap())
            } else if kind.is_dir() {
                self.add(&entry.path(), &path);
                Node::Directory
            } else {
                let content = fs::read(entry.path()).unwrap().escape_ascii().to_string();
                let executable = entry.metadata().unwrap().permissions().mode() & 0o100 != 0;
                Node::File { content, executable }
            };
            self.0.insert(path, node);
        }
    }
}

/// A temporary directory in memory where there is one: for tests of thousands of cases that need no real disk.
///
/// # Panics
///
/// If none can be made.
#[must_use]
pub fn quick_dir() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("toolcrib").tempdir_in(place).unwrap()
}

/// Copies a directory with everything in it; one that does not exist becomes an empty one.
///
/// # Panics
///
/// If something cannot be copied.
pub fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    let Ok(entries) = fs::read_dir(from) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let (kind, target) = (entry.file_type().unwrap(), to.join(entry.file_name()));
        if kind.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(entry.path()).unwrap(), target).unwrap();
        } else if kind.is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// When everything was last changed that has no time of its own: the start of 2024.
const LONG_AGO: i64 = 1_704_067_200;

/// Sets when everything in a directory was last changed; `own` are seconds since 1970 for some of the paths.
///
/// # Panics
///
/// If a time cannot be set.
pub fn set_times(directory: &Path, own: &BTreeMap<PathBuf, i64>) {
    fn set(path: &Path, seconds: i64) {
        let time = Timespec { tv_sec: seconds, tv_nsec: 0 };
        let times = Timestamps { last_access: time, last_modification: time };
        utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW).unwrap();
    }
    fn set_all(top: &Path, at: &Path, own: &BTreeMap<PathBuf, i64>) {
        if top.join(at).symlink_metadata().unwrap().is_dir() {
            for entry in fs::read_dir(top.join(at)).unwrap() {
                set_all(top, &at.join(entry.unwrap().file_name()), own);
            }
        }
        set(&top.join(at), own.get(at).copied().unwrap_or(LONG_AGO));
    }
    set_all(directory, Path::new(""), own);
}
